//! A set that is cut into shards small enough to stay intsets.

use bytes::Bytes;
use smallvec::SmallVec;

use super::shard::{set_shard, shard_count};
use crate::commands::SetCommands;
use crate::error::Error;
use crate::member::Member;
use crate::store::Store;

/// The steps that a [`ShardedSet`] needs, each atomic.
pub trait SetSteps {
    /// SADD of one member: whether it is new.
    ///
    /// # Errors
    ///
    /// Whatever SADD answers.
    fn add(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SREM of one member: whether it was there.
    ///
    /// # Errors
    ///
    /// Whatever SREM answers.
    fn remove(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SISMEMBER.
    ///
    /// # Errors
    ///
    /// Whatever SISMEMBER answers.
    fn contains(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error>;

    /// SCARD.
    ///
    /// # Errors
    ///
    /// Whatever SCARD answers.
    fn card(&self, key: &[u8]) -> Result<u64, Error>;

    /// SMEMBERS.
    ///
    /// # Errors
    ///
    /// Whatever SMEMBERS answers.
    fn members(&self, key: &[u8]) -> Result<Vec<Bytes>, Error>;
}

impl SetSteps for Store {
    fn add(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        Ok(self.sadd(key, [member])? == 1)
    }

    fn remove(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        Ok(self.srem(key, [member])? == 1)
    }

    fn contains(&self, key: &[u8], member: Member<'_>) -> Result<bool, Error> {
        self.sismember(key, member)
    }

    fn card(&self, key: &[u8]) -> Result<u64, Error> {
        Ok(self.scard(key)? as u64)
    }

    fn members(&self, key: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.smembers(key)
    }
}

/// A set cut into shards, each small enough to be an intset: Redis in Action, section 9.2.2.
///
/// One set of a million 60-bit ids is a hash table of tens of bytes a member. Cut into shards of a few hundred, it
/// takes little more than the eight bytes of each. The number of shards is fixed by `total_elements`, which is a forecast:
/// the set works whatever its true size, but shards past `set-max-intset-entries` turn into hash tables and cost what
/// sharding was to save.
///
/// Members hash by `x` and their text (see [`shard_key`](super::shard_key)). Each call is atomic; [`card`](Self::card)
/// and [`members`](Self::members) pass one shard after the other.
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
        (0..self.shards).map(|shard| self.steps.card(&self.key(shard))).sum()
    }

    /// All members, shard by shard.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn members(&self) -> impl Iterator<Item = Result<Bytes, Error>> {
        (0..self.shards).flat_map(|shard| match self.steps.members(&self.key(shard)) {
            Ok(members) => members.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    fn key_of(&self, member: Member<'_>) -> ShardKey {
        self.key(set_shard(member, self.shards))
    }

    fn key(&self, shard: u64) -> ShardKey {
        let mut key = ShardKey::from_slice(self.base.as_bytes());
        key.push(b':');
        push_shard(&mut key, shard);
        key
    }
}

/// The key of a shard, short enough to be made without an allocation.
pub(super) type ShardKey = SmallVec<[u8; 48]>;

/// Appends the number of a shard.
#[inline]
pub(super) fn push_shard(key: &mut ShardKey, shard: u64) {
    key.extend_from_slice(itoa::Buffer::new().format(shard).as_bytes());
}
