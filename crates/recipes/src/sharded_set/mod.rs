//! A set that is cut into shards small enough to stay intsets.

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
use crate::shard::shard_count;
use crate::text::Text;
pub(crate) use commands::{get, members};
pub(crate) use ends::Ends;
use grouped::Grouped;
pub(crate) use keys::{Base, Fixed, InShard, of_each_shard};
pub(crate) use splitting::Splitting;
pub(crate) use spread::Spread;

/// How a set is cut into shards.
///
/// There may be more forms one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ShardForm {
    /// Into a number of shards that a forecast fixes, as the book does.
    #[default]
    Forecast,
    /// The same, but that the number of a shard is the hash tag of its key: shards of one number of several sets are in
    /// one slot of a cluster.
    Tagged,
    /// Into one shard at first; when one has more than 320 members, the next one in order is split.
    Splitting,
    /// The same, by the ids' high bits, which all ids of a shard share: the store keeps the rest of them in less
    /// memory. For ids that are spread evenly over all their bits.
    Compact,
}

/// A set cut into shards, each small enough to be an intset: Redis in Action, section 9.2.2.
///
/// One set of a million 60-bit ids is a hash table of tens of bytes a member. Cut into shards of a few hundred, it
/// takes little more than the eight bytes of each. There are four forms:
///
/// * [`new`](Self::new) has the book's. The number of shards is fixed by `total_elements`, which is a forecast: the
///   set works whatever its true size, but shards past `set-max-intset-entries` turn into hash tables and cost what
///   sharding was to save, and nearly empty ones cost more than their members.
/// * [`tagged`](Self::tagged) has the same with other keys: on a Redis Cluster, shards of one number of several sets
///   lie in one slot.
/// * [`splitting`](Self::splitting) needs no forecast, and grows by linear hashing. There is one shard at first; when
///   one has more than 320 members, the next one in order is split, and when one has fewer than 80, the last two are
///   merged. So an id takes less than 9 bytes as long as a large set grows, however large that is. The keys of the
///   shards are `base:1`, then `base:2` and `base:3`, and so on: each split replaces one by two. Beside them is
///   `base:shards`, how many there are. An empty set has no keys.
/// * [`compact`](Self::compact) splits by the high bits of ids, and is for those that are spread evenly over all of
///   them: random ones, UUIDs, hashes. All ids of a shard share those bits, so the store keeps the others alone, and
///   of these it codes the higher ones by their order (see [`intset::Compact`]): less than 6 bytes an id of a
///   million, in intsets as far as commands, DUMP and RDB files show. Read from a file they are intsets, until the
///   next id comes to each. Ids that are not spread evenly fill few shards: all stays exact, but slow and large.
///
/// Members of the first three hash by `x` and their text (see [`shard_key`](super::shard_key)). [`add`](Self::add),
/// [`remove`](Self::remove) and [`contains`](Self::contains) are atomic, and find a member wherever it has been
/// moved. What looks at the whole set visits one shard after the other, each of them atomic:
/// [`members`](Self::members), and the intersection, union and difference of sets. Members that are there from
/// beginning to end are visited once, whatever is split meanwhile.
///
/// # Limits
///
/// A set that splits keeps its shape by chance: hashes spread members evenly, and with a billion of them the chance that
/// any shard ever has more than 512, and is a hash table until its turn comes, is below 10^-20. Members that come in the
/// order of their hashes make some shards larger for a while. Whoever chooses ids so that their hashes agree can fill one
/// shard alone, for CRC-32 has no secret: all stays exact, but slow and large.
///
/// # On a server
///
/// The first two forms take a `Server` in place of a store, with the features `redis` and `redis2`. Each step is one
/// command: SADD, SREM, SISMEMBER, SCARD, SMEMBERS, SINTER and so on; calls for many members or shards are pipelines. On
/// a cluster intersections, unions and differences need the form tagged: of the first the shards of several sets lie in
/// several slots (`CROSSSLOT`). The last two forms are refused with
/// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument).
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) a member was added or not; to do it again is right, but for what it
/// returns.
///
/// Each call that asks the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`]. Those of the calls that are iterators return all members at once.
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

/// The form of a set, and what there is to know of it.
#[derive(Clone, Debug)]
enum Shape {
    Forecast(Fixed),
    Splitting(Splitting),
}

impl<B: Keyspace> ShardedSet<B> {
    /// The sharded set at `base`, spread over `2 * total_elements / shard_size` shards, at least one.
    ///
    /// The same three numbers name the same keys, so they are part of the set: every handle on it must give the same.
    /// A `shard_size` of 0 is taken as 1.
    #[must_use]
    pub fn new(backend: B, base: impl Into<String>, total_elements: u64, shard_size: u64) -> Self {
        let shards = shard_count(u128::from(total_elements), shard_size);
        let base = Base::new(base.into().as_bytes());
        Self { backend, shape: Shape::Forecast(Fixed { base, shards }) }
    }

    /// As [`new`](Self::new), but the key of shard 17 is `base:{17}`: on a Redis Cluster the shards of one number of all
    /// such sets lie in one slot (see [`key_slot`](super::key_slot)), so that an intersection of shards is one command
    /// on one node.
    ///
    /// A base with a hash tag of its own, as `{x}` has, keeps all shards in the slot of that.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store, key_slot};
    ///
    /// let store = Store::new();
    /// let [monday, tuesday] =
    ///     ["monday", "tuesday"].map(|day| ShardedSet::tagged(store.clone(), day, 10_000, 512));
    /// monday.add_many([1, 2, 3])?;
    /// tuesday.add_many([2, 3, 4])?;
    /// assert!(store.sismember("monday:{19}", 3)?);
    /// assert_eq!(key_slot("monday:{19}"), key_slot("tuesday:{19}"));
    /// assert_eq!(monday.inter_card([&tuesday])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn tagged(
        backend: B,
        base: impl Into<String>,
        total_elements: u64,
        shard_size: u64,
    ) -> Self {
        let shards = shard_count(u128::from(total_elements), shard_size);
        let base = Base::tagged(base.into().as_bytes());
        Self { backend, shape: Shape::Forecast(Fixed { base, shards }) }
    }

    /// The set at `base` that splits its shards as it grows, and merges them as it shrinks.
    #[must_use]
    pub fn splitting(backend: B, base: impl Into<String>) -> Self {
        Self::by(backend, base, Spread::Crc32)
    }

    /// The set at `base` that splits its shards as it grows, and merges them as it shrinks, by the high bits of its
    /// members: integers of `bits` bits, from 0 on, or signed if it is 64.
    ///
    /// How many bits is part of the set: it is opened with the same number. A member that has more bits, or is no
    /// integer, may come too, and is kept as exactly as any; its shard costs what another set does, then.
    ///
    /// # Panics
    ///
    /// If `bits` is 0 or above 64.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{ShardedSet, Store};
    ///
    /// let store = Store::new();
    /// let ids = ShardedSet::compact(store.clone(), "ids", 60);
    /// assert!(ids.add(0x0123_abcd_4567_4eef_i64)?);
    /// assert!(ids.contains(0x0123_abcd_4567_4eef_i64)?);
    /// assert_eq!(store.object_encoding("ids:1")?, Some("intset"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn compact(backend: B, base: impl Into<String>, bits: u32) -> Self {
        assert!((1..=u64::BITS).contains(&bits), "numbers of {bits} bits");
        Self::by(backend, base, Spread::HighBits { of: bits })
    }

    fn by(backend: B, base: impl Into<String>, spread: Spread) -> Self {
        let set = Splitting::new(&backend, base.into().as_bytes(), spread);
        Self { backend, shape: Shape::Splitting(set) }
    }

    /// The form of the set.
    #[must_use]
    pub const fn form(&self) -> ShardForm {
        match &self.shape {
            Shape::Forecast(set) if set.base.is_tagged() => ShardForm::Tagged,
            Shape::Forecast(_) => ShardForm::Forecast,
            Shape::Splitting(set) => match set.spread() {
                Spread::Crc32 => ShardForm::Splitting,
                Spread::HighBits { .. } => ShardForm::Compact,
            },
        }
    }
}

impl<B: Backend> ShardedSet<B> {
    /// Adds a member; `true` if it is new. O(shard), and once in a few hundred times a shard is split.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a shard's key holds something else; if the set
    /// splits, also as [`shards`](Self::shards), and for a count that is no integer or full. Then nothing has
    /// changed. When it is the splitting that fails, the member has been added.
    #[inline]
    pub fn add(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.add_one(member))
    }

    /// Adds members; returns how many were new. O(shard) a member; up to 256 of them share locks and
    /// cache misses. On a server those of a shard are one SADD.
    ///
    /// Each addition is atomic, all together are not: what other threads do may come between.
    ///
    /// # Errors
    ///
    /// The first that [`add`](Self::add) would return. Members before and after that one may have been added.
    pub fn add_many(&self, members: impl IntoIterator<Item: ToMember>) -> Result<u64, Error> {
        in_batches(members, batch(&self.backend), |members| self.add_batch(members))
            // A server may reply with any number.
            .try_fold(0, |new, some| Ok(u64::saturating_add(new, some?)))
    }

    /// Removes a member; `true` if it was there. O(shard), and once in a few hundred times two shards are merged.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); when it is the merging that fails, the member has been removed.
    pub fn remove(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.remove_one(member))
    }

    /// Whether the set has this member. O(log shard).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[inline]
    pub fn contains(&self, member: impl ToMember) -> Result<bool, Error> {
        member.with_member(|member| self.has(member))
    }

    /// Whether the set has each of some members, in their order. O(log shard) a member; up to 256 of them share locks and
    /// cache misses. On a server those of a shard are one SMISMEMBER.
    ///
    /// Each question is atomic, all together are not.
    ///
    /// # Errors
    ///
    /// The first that [`contains`](Self::contains) would return.
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

    /// All members, shard by shard, in no order. O(members), and O(shards) if the set is nearly empty.
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
    /// Over how many shards the set is spread. O(1).
    ///
    /// # Errors
    ///
    /// If the set splits: [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) or
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if one of the keys beside the shards holds something else.
    pub async fn shards(&self) -> Result<u64, Error> {
        match &self.shape {
            Shape::Forecast(set) => Ok(set.shards),
            Shape::Splitting(set) => set.look(&self.backend).await,
        }
    }

    /// How many members the set has. O(shards).
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

    /// The members in the shards of those numbers.
    async fn members_of(&self, set: &Fixed, numbers: Range<u64>) -> Result<Vec<Bytes>, Error> {
        let shards: Vec<Text> = numbers.map(|shard| set.base.shard(shard)).collect();
        let all: Vec<_> = shards.iter().map(|key| commands::members(key)).collect();
        concat_all(&self.backend, &all).await
    }
}

/// The members of how many shards are read at once.
fn shards_at_once(backend: &impl Keyspace) -> usize {
    match backend.kind() {
        // It takes memory, and nothing is saved.
        BackendKind::Store => 1,
        BackendKind::Server | BackendKind::Cluster => 64,
    }
}

/// The numbers below `count`, so many at once.
fn batches(count: u64, at_once: usize) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..count).step_by(at_once);
    starts.map(move |start| start..count.min(start.saturating_add(at_once as u64)))
}

/// What many procedures return, one after the other.
#[blocking_and_async]
async fn concat_all<P: Procedure<Output = Vec<Bytes>>>(
    backend: &impl Backend,
    procedures: &[P],
) -> Result<Vec<Bytes>, Error> {
    let mut all = vec![Vec::new(); procedures.len()];
    call_all(backend, procedures, |at, members| all[at] = members).await?;
    Ok(all.into_iter().flatten().collect())
}

/// What `work` makes of members, batch by batch.
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

/// What comes from the shards of either form.
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

/// The members of a shard, or the error in their place.
fn each(shard: Result<Vec<Bytes>, Error>) -> impl Iterator<Item = Result<Bytes, Error>> {
    let (members, error) = shard.map_or_else(|error| (Vec::new(), Some(error)), |all| (all, None));
    members.into_iter().map(Ok).chain(error.map(Err))
}
