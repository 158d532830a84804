//! Intersection, union and difference of sharded sets, shard by shard.

use std::iter::once;
use std::ops::Range;

use bytes::Bytes;
use macros::blocking_and_async;
use smallvec::SmallVec;
use store::Error;

use super::commands::{SetOperation, combine, combine_store, inter_card};
use super::keys::{Fixed, slices};
use super::scan::Scan;
use super::spread::Spread;
use super::{
    Shape, ShardedSet, Shards, Splitting, batches, concat_all, concat_all_async, each,
    shards_at_once,
};
use crate::backend::{AsyncBackend, Backend, batch, sum_all, sum_all_async};
use crate::errors::invalid;
use crate::procedure::{Keys, all_read};
use crate::text::Text;

/// Sets of the same shape.
enum Aligned<'s> {
    /// With the same number of shards.
    Fixed(SmallVec<[&'s Fixed; 4]>),
    /// That split, with any number of shards.
    Splitting(SmallVec<[&'s Splitting; 4]>),
}

/// Returns the keys of the shards with these numbers.
fn shards_of(sets: &[&Fixed], numbers: Range<u64>) -> Vec<SmallVec<[Text; 4]>> {
    numbers.map(|number| sets.iter().map(|set| set.base.shard(number)).collect()).collect()
}

/// # Intersection, union and difference
///
/// All sets must have the same shape, so that a member is in the same shard of each: the same fixed number of shards,
/// with or without hash tags, or shards that split by the same hash. Other sets are refused with
/// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) before anything is done. The other sets and the
/// target are keys of the backend of this set. One shard is processed after the other, each atomically: a concurrent
/// change is seen in the shards that were not yet processed.
impl<B: Backend> ShardedSet<B> {
    /// Iterates over the members that are in this set and in all others, in no particular order. O(members of all).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a set of another shape; then, for each
    /// shard, [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if its key holds another type.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store};
    ///
    /// let store = Store::new();
    /// let [monday, tuesday] = ["monday", "tuesday"].map(|day| ShardedSet::new(store.clone(), day, 10_000, 512));
    /// for id in [1, 2, 3] {
    ///     monday.add(id)?;
    /// }
    /// for id in [3, 4] {
    ///     tuesday.add(id)?;
    /// }
    /// let both: Vec<_> = monday.inter([&tuesday])?.collect::<Result<_, _>>()?;
    /// assert_eq!(both, ["3"]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn inter<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        self.combined(others, SetOperation::Inter)
    }

    /// Iterates over the members that are in this set or in any other, in no particular order. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub fn union<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        self.combined(others, SetOperation::Union)
    }

    /// Iterates over the members of this set that are in no other, in no particular order. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub fn diff<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        self.combined(others, SetOperation::Diff)
    }

    /// Iterates over the members of the result, shard by shard.
    fn combined<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        operation: SetOperation,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        Ok(match self.aligned(others)? {
            Aligned::Fixed(sets) => {
                let numbers = batches(sets[0].shards, shards_at_once(&self.backend));
                Shards::Fixed(
                    numbers
                        .flat_map(move |numbers| each(self.combined_of(&sets, operation, numbers))),
                )
            }
            Aligned::Splitting(sets) => {
                Shards::Split(Scan::new(&self.backend, sets).combined(operation))
            }
        })
    }
}

#[blocking_and_async]
impl<B: Backend> ShardedSet<B> {
    /// Returns the number of members that are in this set and in all others. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub async fn inter_card<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<u64, Error> {
        match self.aligned(others)? {
            Aligned::Fixed(sets) => self.inter_card_of(&sets).await,
            Aligned::Splitting(sets) => {
                Scan::new(&self.backend, sets).count(SetOperation::Inter).await
            }
        }
    }

    /// Stores the intersection of this set and all others in `target`; returns its number of members. O(members of
    /// all).
    ///
    /// The previous members of the target are replaced, shard by shard. The target may be one of the sets.
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter). An error in a shard leaves that shard of the target unchanged; others may have been
    /// replaced.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store};
    ///
    /// let store = Store::new();
    /// let day = |name: &str| ShardedSet::new(store.clone(), name, 10_000, 512);
    /// let (monday, tuesday, both) = (day("monday"), day("tuesday"), day("both"));
    /// monday.add(1)?;
    /// tuesday.add(1)?;
    /// tuesday.add(2)?;
    /// assert_eq!(monday.inter_store([&tuesday], &both)?, 1);
    /// assert!(both.contains(1)?);
    ///
    /// let other_shape = ShardedSet::new(store.clone(), "other", 99, 9);
    /// assert_eq!(
    ///     monday.inter_store([&other_shape], &both).unwrap_err().to_string(),
    ///     "ERR sharded sets 'monday' (39 shards) and 'other' (22 shards) differ in shape",
    /// );
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn inter_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &'s Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, SetOperation::Inter).await
    }

    /// Stores the union of this set and all others in `target`; returns its number of members. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter_store`](Self::inter_store).
    pub async fn union_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &'s Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, SetOperation::Union).await
    }

    /// Stores the members of this set that are in no other in `target`; returns how many there are. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter_store`](Self::inter_store).
    pub async fn diff_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &'s Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, SetOperation::Diff).await
    }

    async fn stored<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &'s Self,
        operation: SetOperation,
    ) -> Result<u64, Error> {
        match self.aligned(others.into_iter().chain([target]))? {
            Aligned::Fixed(sets) => self.stored_of(&sets, operation).await,
            Aligned::Splitting(sets) => Scan::new(&self.backend, sets).stored(operation).await,
        }
    }

    /// Returns the members of the result in the shards with these numbers.
    async fn combined_of(
        &self,
        sets: &[&Fixed],
        operation: SetOperation,
        numbers: Range<u64>,
    ) -> Result<Vec<Bytes>, Error> {
        let shards = shards_of(sets, numbers);
        let shards: Vec<_> = shards.iter().map(|shards| slices(shards)).collect();
        let keys: Vec<Keys<'_>> = shards.iter().map(|keys| all_read(keys)).collect();
        let all: Vec<_> = keys.iter().map(|keys| combine(operation, keys)).collect();
        concat_all(&self.backend, &all).await
    }

    async fn inter_card_of(&self, sets: &[&Fixed]) -> Result<u64, Error> {
        let mut sum = 0_u64;
        for numbers in batches(sets[0].shards, batch(&self.backend)) {
            let shards = shards_of(sets, numbers);
            let shards: Vec<_> = shards.iter().map(|shards| slices(shards)).collect();
            let keys: Vec<Keys<'_>> = shards.iter().map(|keys| all_read(keys)).collect();
            let cards: Vec<_> = keys.iter().map(|keys| inter_card(keys)).collect();
            sum = sum.saturating_add(sum_all(&self.backend, &cards).await?);
        }
        Ok(sum)
    }

    /// Stores the result in the last of the sets, which is the target.
    async fn stored_of(&self, sets: &[&Fixed], operation: SetOperation) -> Result<u64, Error> {
        let mut sum = 0_u64;
        for numbers in batches(sets[0].shards, batch(&self.backend)) {
            let shards = shards_of(sets, numbers);
            let shards: Vec<_> = shards.iter().map(|shards| slices(shards)).collect();
            let store = |shards| combine_store(operation, shards);
            let stores: Vec<_> = shards.iter().map(|shards| store(shards)).collect();
            sum = sum.saturating_add(sum_all(&self.backend, &stores).await?);
        }
        Ok(sum)
    }
}

/// # Intersection, union and difference, asynchronously
impl<B: AsyncBackend> ShardedSet<B> {
    /// The asynchronous form of [`inter`](Self::inter): it does not block the thread. All members are returned at once.
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub async fn inter_async<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<Vec<Bytes>, Error> {
        self.combined_async(others, SetOperation::Inter).await
    }

    /// The asynchronous form of [`union`](Self::union): it does not block the thread. All members are returned at once.
    ///
    /// # Errors
    ///
    /// As [`union`](Self::union).
    pub async fn union_async<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<Vec<Bytes>, Error> {
        self.combined_async(others, SetOperation::Union).await
    }

    /// The asynchronous form of [`diff`](Self::diff): it does not block the thread. All members are returned at once.
    ///
    /// # Errors
    ///
    /// As [`diff`](Self::diff).
    pub async fn diff_async<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<Vec<Bytes>, Error> {
        self.combined_async(others, SetOperation::Diff).await
    }

    async fn combined_async<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        operation: SetOperation,
    ) -> Result<Vec<Bytes>, Error> {
        match self.aligned(others)? {
            Aligned::Fixed(sets) => {
                let mut all = Vec::new();
                for numbers in batches(sets[0].shards, shards_at_once(&self.backend)) {
                    all.extend(self.combined_of_async(&sets, operation, numbers).await?);
                }
                Ok(all)
            }
            Aligned::Splitting(sets) => {
                Scan::new(&self.backend, sets).combined_async(operation).await
            }
        }
    }
}

impl<B> ShardedSet<B> {
    /// Returns this set and the others, if all have the same shape.
    fn aligned<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<Aligned<'s>, Error> {
        let others = others.into_iter().map(|other| &other.shape);
        match &self.shape {
            Shape::Forecast(first) => alike(first, others, |other| match other {
                Shape::Forecast(set) => (set.shards == first.shards).then_some(set),
                Shape::Splitting(_) => None,
            })
            .map(Aligned::Fixed),
            Shape::Splitting(first) => alike(first, others, |other| match other {
                Shape::Splitting(set) => (set.spread() == first.spread()).then_some(set),
                Shape::Forecast(_) => None,
            })
            .map(Aligned::Splitting),
        }
        .map_err(|other| differ(&self.shape, other))
    }
}

/// Returns the first set and the others, if all of them match it, or else the first that does not.
fn alike<'s, T>(
    first: &'s T,
    others: impl Iterator<Item = &'s Shape>,
    like: impl Fn(&'s Shape) -> Option<&'s T>,
) -> Result<SmallVec<[&'s T; 4]>, &'s Shape> {
    once(Ok(first)).chain(others.map(|other| like(other).ok_or(other))).collect()
}

fn differ(a: &Shape, b: &Shape) -> Error {
    invalid(format!("ERR sharded sets {} and {} differ in shape", described(a), described(b)))
}

fn described(shape: &Shape) -> String {
    match shape {
        Shape::Forecast(set) => {
            let name = String::from_utf8_lossy(set.base.name());
            format!("'{name}' ({} shards)", set.shards)
        }
        Shape::Splitting(set) => {
            let name = set.name().escape_ascii();
            match set.spread() {
                Spread::Crc32 => format!("'{name}' (splitting)"),
                Spread::HighBits { of } => format!("'{name}' (compact, {of} bits)"),
            }
        }
    }
}
