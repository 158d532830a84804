//! A set that is cut into shards small enough to stay intsets.

mod algebra;
mod steps;

use bytes::Bytes;
use smallvec::SmallVec;

use super::shard::{set_shard, shard_count};
use crate::error::Error;
use crate::member::Member;
use crate::store::Store;

pub use steps::SetSteps;

/// A set cut into shards, each small enough to be an intset: Redis in Action, section 9.2.2.
///
/// One set of a million 60-bit ids is a hash table of tens of bytes a member. Cut into shards of a few hundred, it
/// takes little more than the eight bytes of each. The number of shards is fixed by `total_elements`, which is a forecast:
/// the set works whatever its true size, but shards past `set-max-intset-entries` turn into hash tables and cost what
/// sharding was to save.
///
/// Members hash by `x` and their text (see [`shard_key`](super::shard_key)). [`add`](Self::add), [`remove`](Self::remove)
/// and [`contains`](Self::contains) are atomic. What looks at the whole set passes one shard after the other, each of them
/// atomic: [`card`](Self::card), [`members`](Self::members), and the intersection, union and difference of sets of one shape.
///
/// # Examples
///
/// ```
/// use tallis::{ShardedSet, Store};
///
/// let ids = ShardedSet::new(Store::new(), "ids", 10_000, 512);
/// assert!(ids.add(1_234_567)?);
/// assert!(!ids.add(1_234_567)?);
/// assert!(ids.contains(1_234_567)?);
/// assert_eq!(ids.card()?, 1);
/// assert!(ids.remove(1_234_567)?);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardedSet<S = Store> {
    steps: S,
    base: String,
    shards: u64,
}

impl<S: SetSteps> ShardedSet<S> {
    /// The sharded set at `base`, spread over `2 * total_elements / shard_size` shards, at least one.
    ///
    /// The same three numbers name the same keys, so they are part of the set: whoever opens it must give the same.
    /// A `shard_size` of 0 is taken as 1.
    #[must_use]
    pub fn new(steps: S, base: impl Into<String>, total_elements: u64, shard_size: u64) -> Self {
        let shards = shard_count(u128::from(total_elements), shard_size);
        Self { steps, base: base.into(), shards }
    }

    /// Over how many shards the set is spread.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.shards
    }

    /// Adds a member; `true` if it is new.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a shard's key holds something else.
    pub fn add<'a>(&self, member: impl Into<Member<'a>>) -> Result<bool, Error> {
        let member = member.into();
        self.steps.add(&self.key_of(member), member)
    }

    /// Removes a member; `true` if it was there.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn remove<'a>(&self, member: impl Into<Member<'a>>) -> Result<bool, Error> {
        let member = member.into();
        self.steps.remove(&self.key_of(member), member)
    }

    /// Whether the set has this member.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn contains<'a>(&self, member: impl Into<Member<'a>>) -> Result<bool, Error> {
        let member = member.into();
        self.steps.contains(&self.key_of(member), member)
    }

    /// How many members the set has. O(shards).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn card(&self) -> Result<u64, Error> {
        let mut keys = ShardKeys::of(self);
        (0..self.shards).map(|shard| self.steps.card(keys.shard(shard))).sum()
    }

    /// All members, shard by shard.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn members(&self) -> impl Iterator<Item = Result<Bytes, Error>> {
        let mut keys = ShardKeys::of(self);
        (0..self.shards).flat_map(move |shard| each(self.steps.members(keys.shard(shard))))
    }

    fn key_of(&self, member: Member<'_>) -> ShardKey {
        let mut keys = ShardKeys::of(self);
        keys.shard(set_shard(member, self.shards));
        keys.key
    }
}

/// The keys of a sharded set, of which one is held at a time.
struct ShardKeys {
    key: ShardKey,
    /// The length of what all of them begin with.
    base: usize,
}

impl ShardKeys {
    fn of<S>(set: &ShardedSet<S>) -> Self {
        let mut key = ShardKey::from_slice(set.base.as_bytes());
        key.push(b':');
        Self { base: key.len(), key }
    }

    /// The key of the shard of that number.
    fn shard(&mut self, number: u64) -> &[u8] {
        self.key.truncate(self.base);
        push_shard(&mut self.key, number);
        &self.key
    }
}

/// The members of a shard, or the error in their place.
fn each(shard: Result<Vec<Bytes>, Error>) -> impl Iterator<Item = Result<Bytes, Error>> {
    let (members, error) = match shard {
        Ok(members) => (members, None),
        Err(error) => (Vec::new(), Some(Err(error))),
    };
    members.into_iter().map(Ok).chain(error)
}

/// The key of a shard, short enough to be made without an allocation.
pub(super) type ShardKey = SmallVec<[u8; 48]>;

/// Appends the number of a shard.
#[inline]
pub(super) fn push_shard(key: &mut ShardKey, shard: u64) {
    key.extend_from_slice(itoa::Buffer::new().format(shard).as_bytes());
}
