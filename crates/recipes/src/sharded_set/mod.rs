//! Sets that are split into shards small enough to stay intsets.

// Before the others, so that constructors come first in the documentation.
mod config;

mod algebra;
#[cfg(all(test, feature = "async", feature = "redis"))]
mod asynchronous;
mod commands;
mod ends;
mod futures;
mod grouped;
mod keys;
mod level;
mod procedures;
mod scan;
mod splitting;
mod spread;
mod suffix;

use std::ops::Range;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, Member, Store, ToMember, ToMembers, each as each_of};

use crate::backend::{
    AsyncBackend, Backend, BackendKind, Keyspace, batch, call_all, call_all_async, sum_all,
    sum_all_async,
};
use crate::procedure::Procedure;
use crate::text::Text;
pub(crate) use commands::{get, members};
pub(crate) use ends::Ends;
use grouped::Grouped;
pub(crate) use keys::{Base, Fixed, InShard, of_each_shard};
pub(crate) use splitting::Splitting;
pub(crate) use spread::Spread;

/// The form of a [`ShardedSet`]: how its members are spread over shards.
///
/// A later version may add more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ShardForm {
    /// A number of shards that is fixed by a forecast, as in Redis in Action.
    #[default]
    Forecast,
    /// The same, with the number of a shard as the hash tag of its key: the shards with the same number of several sets
    /// are in one slot of a cluster.
    Tagged,
    /// One shard at first; when a shard has more than 320 members, the next one in order is split.
    Splitting,
    /// The same, by the high bits of the ids, which all ids of a shard share: the store keeps the other bits in less
    /// memory. For ids that are spread evenly over all their bits.
    Compact,
}

/// A set that is split into shards, each small enough to be an intset (Redis in Action, section 9.2.2).
///
/// One set of a million 60-bit ids is a hash table that takes tens of bytes per member. Split into shards of a few
/// hundred members, it takes little more than the eight bytes of each id. There are four forms:
///
/// * [`new`](Self::new) is the form of the book. The number of shards is fixed by `total_elements`, which is a
///   forecast. The set is correct for any size, but shards with more than `set-max-intset-entries` members become hash
///   tables, which take the memory that sharding was to save, and shards with few members take more memory than their
///   members;
/// * [`tagged`](Self::tagged) is the same with other keys: on a Redis Cluster, the shards with the same number of
///   several sets are in one slot;
/// * [`splitting`](Self::splitting) needs no forecast, and grows by linear hashing. It has one shard at first; when a
///   shard has more than 320 members, the next one in order is split, and when a shard has fewer than 80, the last two
///   are merged. So an id takes less than 9 bytes in a large set of any size. The keys of the shards are `base:1`, then
///   `base:2` and `base:3`, and so on: each split replaces one by two. `base:shards` is the number of shards. An empty
///   set has no keys;
/// * [`compact`](Self::compact) splits by the high bits of ids, for ids that are spread evenly over all of their bits:
///   random ids, UUIDs, hashes. All ids of a shard share those bits, so the store keeps only the others, of which it
///   codes the high ones by their order (see [`intset::Compact`]): less than 6 bytes per id for a million ids. For
///   commands, DUMP and RDB files they are intsets. After a load they are plain intsets, until the next id is added to
///   each. Ids that are not spread evenly fill few shards: the set stays exact, but becomes slow and large.
///
/// Members of the first three forms are hashed by `x` and their text (see [`shard_key`](super::shard_key)).
/// [`add`](Self::add), [`remove`](Self::remove) and [`contains`](Self::contains) are atomic, and find a member after
/// its shard was split or merged. Calls on the whole set visit one shard after the other, each atomically:
/// [`members`](Self::members), and the intersection, union and difference of sets. Members that are in the set during
/// the whole call are visited once, even if shards are split meanwhile.
///
/// # Limits
///
/// The shape of a set that splits depends on the hashes being spread evenly. For a billion members with random hashes,
/// the probability that any shard ever has more than 512, and is a hash table until it is split, is below 10^-20.
/// Members that are added in the order of their hashes make some shards larger for a while. CRC-32 has no secret key: a
/// client that chooses ids with the same hash can fill a single shard. The set stays exact, but becomes slow and large.
///
/// # On a server
///
/// The first two forms accept a `Server` in place of a store, with the features `redis` and `redis2`. Each step is one
/// command: SADD, SREM, SISMEMBER, SCARD, SMEMBERS, SINTER and so on; calls for many members or shards are pipelines.
/// On a cluster intersections, unions and differences need the form tagged: in the first form the shards of several
/// sets are in several slots (`CROSSSLOT`). The last two forms are refused with
/// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument).
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether a member was added. Adding it again is safe, but
/// the returned value may then be `false` for a new member.
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an [`AsyncBackend`].
/// The asynchronous forms of iterators return all members at once.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{ShardedSet, Store};
///
/// let ids = ShardedSet::new(Store::new(), "ids", 10_000, 512);
/// assert!(ids.add(1_234_567)?);
/// assert!(!ids.add(1_234_567)?);
/// assert!(ids.contains(1_234_567)?);
/// assert_eq!(ids.card()?, 1);
/// assert!(ids.remove(1_234_567)?);
///
/// let ids = ShardedSet::splitting(Store::new(), "ids");
/// assert_eq!(ids.add_many(0..1000)?, 1000);
/// assert_eq!(ids.shards()?, 4);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardedSet<B = Store> {
    backend: B,
    shape: Shape,
}

/// The form of a set, with what it needs.
#[derive(Clone, Debug)]
enum Shape {
    Forecast(Fixed),
    Splitting(Splitting),
}

impl<B: Backend> ShardedSet<B> {
    /// Adds a member; returns `true` if it is new. O(shard); once in a few hundred calls a shard is split.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a shard's key holds another type; if the set splits,
    /// also as [`shards`](Self::shards), and for a number of shards that is no integer or cannot grow. Then nothing has
    /// changed. If the split fails, the member has been added.
    #[inline]
    pub fn add(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.add_one(member))
    }

    /// Adds members; returns how many are new. O(shard) per member; up to 256 of them share locks and cache misses. On
    /// a server the members of a shard are one SADD.
    ///
    /// Each addition is atomic, the call as a whole is not: other threads may change the set in between.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), for the first member that fails. Members before and after it may have been added.
    pub fn add_many(&self, members: impl IntoIterator<Item: ToMember>) -> Result<u64, Error> {
        in_batches(members, batch(&self.backend), |members| self.add_batch(members))
            // A server may reply with any integer.
            .try_fold(0, |new, some| Ok(u64::saturating_add(new, some?)))
    }

    /// Removes a member; returns `true` if it was in the set. O(shard); once in a few hundred calls two shards are
    /// merged.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); if the merge fails, the member has been removed.
    pub fn remove(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.remove_one(member))
    }

    /// Returns whether the set has a member. O(log shard).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[inline]
    pub fn contains(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.has(member))
    }

    /// Returns for each member, in order, whether the set has it. O(log shard) per member; up to 256 of them share
    /// locks and cache misses. On a server the members of a shard are one SMISMEMBER.
    ///
    /// Each lookup is atomic, the call as a whole is not.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains), for the first member that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store};
    ///
    /// let ids = ShardedSet::splitting(Store::new(), "ids");
    /// assert_eq!(ids.add_many([1, 2, 3, 2])?, 3);
    /// assert_eq!(ids.contains_many([3, 4, 1])?, [true, false, true]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn contains_many(
        &self,
        members: impl IntoIterator<Item: ToMember>,
    ) -> Result<Vec<bool>, Error> {
        let found = in_batches(members, batch(&self.backend), |members| self.has_each(members));
        found.collect::<Result<Vec<_>, _>>().map(|batches| batches.concat())
    }

    /// Iterates over all members, shard by shard, in no particular order. O(members), and O(shards) if the set is
    /// nearly empty.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn members(&self) -> impl Iterator<Item = Result<Bytes, Error>> {
        match &self.shape {
            Shape::Forecast(set) => {
                let numbers = batches(set.shards, shards_at_once(&self.backend));
                Shards::Fixed(numbers.flat_map(|numbers| each(self.members_of(set, numbers))))
            }
            Shape::Splitting(set) => Shards::Split(set.members(&self.backend)),
        }
    }
}

#[blocking_and_async]
impl<B: Backend> ShardedSet<B> {
    /// Returns the number of shards. O(1).
    ///
    /// # Errors
    ///
    /// If the set splits: [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) or
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key that has the number of shards is no integer or
    /// holds another type.
    pub async fn shards(&self) -> Result<u64, Error> {
        match &self.shape {
            Shape::Forecast(set) => Ok(set.shards),
            Shape::Splitting(set) => set.look(&self.backend).await,
        }
    }

    /// Returns the number of members. O(shards).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub async fn card(&self) -> Result<u64, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                let mut sum = 0_u64;
                for numbers in batches(set.shards, batch(&self.backend)) {
                    let shards: Vec<Text> = numbers.map(|shard| set.base.shard(shard)).collect();
                    let cards: Vec<_> = shards.iter().map(|shard| commands::card(shard)).collect();
                    sum = sum.saturating_add(sum_all(&self.backend, &cards).await?);
                }
                Ok(sum)
            }
            Shape::Splitting(set) => set.card(&self.backend).await,
        }
    }

    #[inline]
    async fn add_one(&self, member: Member<'_>) -> Result<bool, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                self.backend.call(&commands::add(&set.shard_of(member), member)).await
            }
            Shape::Splitting(set) => set.add(&self.backend, member).await,
        }
    }

    async fn add_batch(&self, members: &[Member<'_>]) -> Result<u64, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                let grouped = Grouped::new(set, members);
                let additions: Vec<_> = grouped
                    .groups()
                    .map(|(key, members)| commands::add_all(key, members))
                    .collect();
                sum_all(&self.backend, &additions).await
            }
            Shape::Splitting(set) => set.add_many(&self.backend, members).await,
        }
    }

    #[inline]
    async fn remove_one(&self, member: Member<'_>) -> Result<bool, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                self.backend.call(&commands::remove(&set.shard_of(member), member)).await
            }
            Shape::Splitting(set) => set.remove(&self.backend, member).await,
        }
    }

    #[inline]
    async fn has(&self, member: Member<'_>) -> Result<bool, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                self.backend.call(&commands::contains(&set.shard_of(member), member)).await
            }
            Shape::Splitting(set) => set.contains(&self.backend, member).await,
        }
    }

    async fn has_each(&self, members: &[Member<'_>]) -> Result<Vec<bool>, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                let grouped = Grouped::new(set, members);
                let questions: Vec<_> = (grouped.groups())
                    .map(|(key, members)| commands::contains_all(key, members))
                    .collect();
                let mut found = vec![false; members.len()];
                call_all(&self.backend, &questions, |at, of_group: Vec<bool>| {
                    for (&place, is) in grouped.places(at).iter().zip(of_group) {
                        found[place] = is;
                    }
                })
                .await?;
                Ok(found)
            }
            Shape::Splitting(set) => set.contains_many(&self.backend, members).await,
        }
    }

    /// Returns the members in the shards with these numbers.
    async fn members_of(&self, set: &Fixed, numbers: Range<u64>) -> Result<Vec<Bytes>, Error> {
        let shards: Vec<Text> = numbers.map(|shard| set.base.shard(shard)).collect();
        let all: Vec<_> = shards.iter().map(|key| commands::members(key)).collect();
        concat_all(&self.backend, &all).await
    }
}

/// Returns of how many shards the members are read at once.
fn shards_at_once(backend: &impl Keyspace) -> usize {
    match backend.kind() {
        // More would take memory and save nothing.
        BackendKind::Store => 1,
        BackendKind::Server | BackendKind::Cluster => 64,
    }
}

/// Splits the numbers below `count` into ranges of `at_once`.
fn batches(count: u64, at_once: usize) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..count).step_by(at_once);
    starts.map(move |start| start..count.min(start.saturating_add(at_once as u64)))
}

/// Returns the outputs of many procedures, concatenated.
#[blocking_and_async]
async fn concat_all<P: Procedure<Output = Vec<Bytes>>>(
    backend: &impl Backend,
    procedures: &[P],
) -> Result<Vec<Bytes>, Error> {
    let mut all = vec![Vec::new(); procedures.len()];
    call_all(backend, procedures, |at, members| all[at] = members).await?;
    Ok(all.into_iter().flatten().collect())
}

/// Applies `work` to members, batch by batch.
fn in_batches<M: ToMember, R>(
    members: impl IntoIterator<Item = M>,
    at_once: usize,
    mut work: impl FnMut(&[Member<'_>]) -> Result<R, Error>,
) -> impl Iterator<Item = Result<R, Error>> {
    let mut members = members.into_iter();
    std::iter::from_fn(move || {
        let batch: Vec<M> = members.by_ref().take(at_once).collect();
        (!batch.is_empty()).then(|| each_of(batch.iter()).with_members(&mut work))
    })
}

/// An iterator over the shards of either form.
enum Shards<F, S> {
    Fixed(F),
    Split(S),
}

impl<T, F: Iterator<Item = T>, S: Iterator<Item = T>> Iterator for Shards<F, S> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Fixed(shards) => shards.next(),
            Self::Split(shards) => shards.next(),
        }
    }
}

/// Returns the members of a shard, or its error.
fn each(shard: Result<Vec<Bytes>, Error>) -> impl Iterator<Item = Result<Bytes, Error>> {
    let (members, error) = shard.map_or_else(|error| (Vec::new(), Some(error)), |all| (all, None));
    members.into_iter().map(Ok).chain(error.map(Err))
}
