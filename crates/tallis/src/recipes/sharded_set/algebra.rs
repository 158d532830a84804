//! Intersection, union and difference of sharded sets, shard by shard.

use bytes::Bytes;
use smallvec::SmallVec;

use super::{SetSteps, ShardKeys, ShardedSet, each};
use crate::error::{Error, ErrorKind};

/// Sets of one shape.
struct Aligned(SmallVec<[ShardKeys; 4]>);

impl Aligned {
    /// The keys of their shards of that number.
    fn shard(&mut self, number: u64) -> SmallVec<[&[u8]; 4]> {
        let mut keys = SmallVec::new();
        for set in &mut self.0 {
            keys.push(set.shard(number));
        }
        keys
    }
}

/// Sets of one shape, so that a member lies in the shard of the same number in each of them.
///
/// Sets of another shape are refused with [`ErrorKind::InvalidArgument`] before anything is done. The other sets and the
/// target are keys of the same store as this set: it is this set's steps that run. One shard is done after the other,
/// each of them atomic: a change made meanwhile is seen in the shards that are still to come.
impl<S: SetSteps> ShardedSet<S> {
    /// The members that this set and all others have, in no order. O(members of all).
    ///
    /// # Errors
    ///
    /// A set of another shape; then, for a shard, [`ErrorKind::WrongType`] if its key holds something else.
    ///
    /// # Examples
    ///
    /// ```
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
        self.combined(others, S::inter)
    }

    /// The members that this set or any other has, in no order. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub fn union<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        self.combined(others, S::union)
    }

    /// The members of this set that no other has, in no order. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub fn diff<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        self.combined(others, S::diff)
    }

    /// How many members this set and all others have. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter).
    pub fn inter_card<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
    ) -> Result<u64, Error> {
        let mut sets = self.aligned(others)?;
        (0..self.shards).map(|shard| self.steps.inter_card(&sets.shard(shard))).sum()
    }

    /// Makes `target` the set of what this set and all others have; returns how many members that are. O(members of all).
    ///
    /// Whatever the target held is replaced, shard by shard. It may be one of the sets.
    ///
    /// # Errors
    ///
    /// As [`inter`](Self::inter). An error in a shard leaves those before it done, and the rest of the target as it
    /// was.
    ///
    /// # Examples
    ///
    /// ```
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
    pub fn inter_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, S::inter_store)
    }

    /// Makes `target` the set of what this set or any other has; returns how many members that are. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter_store`](Self::inter_store).
    pub fn union_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, S::union_store)
    }

    /// Makes `target` the set of what this set has and no other; returns how many members that are. O(members of all).
    ///
    /// # Errors
    ///
    /// As [`inter_store`](Self::inter_store).
    pub fn diff_store<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &Self,
    ) -> Result<u64, Error> {
        self.stored(others, target, S::diff_store)
    }

    /// Members, shard after shard.
    fn combined<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        step: impl Fn(&S, &[&[u8]]) -> Result<Vec<Bytes>, Error>,
    ) -> Result<impl Iterator<Item = Result<Bytes, Error>>, Error> {
        let mut sets = self.aligned(others)?;
        Ok((0..self.shards).flat_map(move |shard| each(step(&self.steps, &sets.shard(shard)))))
    }

    fn stored<'s>(
        &'s self,
        others: impl IntoIterator<Item = &'s Self>,
        target: &Self,
        step: impl Fn(&S, &[u8], &[&[u8]]) -> Result<u64, Error>,
    ) -> Result<u64, Error> {
        self.same_shape(target)?;
        let mut sets = self.aligned(others)?;
        let mut target = ShardKeys::of(target);
        (0..self.shards)
            .map(|shard| step(&self.steps, target.shard(shard), &sets.shard(shard)))
            .sum()
    }

    /// This set and the others, if all are of one shape.
    fn aligned<'s>(&'s self, others: impl IntoIterator<Item = &'s Self>) -> Result<Aligned, Error> {
        let mut sets = SmallVec::new();
        sets.push(ShardKeys::of(self));
        for other in others {
            self.same_shape(other)?;
            sets.push(ShardKeys::of(other));
        }
        Ok(Aligned(sets))
    }

    fn same_shape(&self, other: &Self) -> Result<(), Error> {
        if self.shards == other.shards {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "ERR sharded sets '{}' ({} shards) and '{}' ({} shards) differ in shape",
                self.base, self.shards, other.base, other.shards
            ),
        ))
    }
}
