//! What a set that splits asks of whoever holds its shards.

use bytes::Bytes;
use intset::Prefix;

use super::part::{Part, shard_of};
use super::spread::Spread;
use super::steps::SetSteps;
use crate::error::Error;
use crate::member::Member;

/// The number of shards that a step goes by.
#[derive(Clone, Copy, Debug)]
pub struct Level<'k> {
    /// The key of a string that says how many shards there are; without the key there is one.
    pub key: &'k [u8],
    /// How many the caller believes there are.
    pub shards: u64,
    /// By what members are spread over them.
    pub spread: Spread,
}

impl Level<'_> {
    /// The high bits that the numbers in the shard of `member` share, if it is one and numbers are spread by these.
    pub(super) fn prefix_of(&self, member: Member<'_>) -> Option<Prefix> {
        if self.spread == Spread::Crc32 || member.as_int().is_none() {
            return None;
        }
        let number = shard_of(self.spread.hash(member), self.shards);
        Part::of_shard(number, self.shards, self.spread).prefix()
    }
}

/// What became of a member that was to be added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Nothing: it was there already, or was not there.
    Same,
    /// The set changed, and has so many members now.
    Now(u64),
}

/// An operation on sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// What all of them have.
    Inter,
    /// What any of them has.
    Union,
    /// What the first has and no other.
    Diff,
}

/// A shard whose members of one part are to be replaced.
#[derive(Clone, Copy, Debug)]
pub struct Replaced<'k> {
    /// The shard's key.
    pub shard: &'k [u8],
    /// The key of the string that counts the members of all shards.
    pub count: &'k [u8],
    /// Which of its members.
    pub part: Part,
}

/// The further steps that a [`ShardedSet`](super::ShardedSet) needs that splits its shards.
///
/// Each is atomic: all of it happens or nothing, and nobody sees it half done. Each goes by a number of shards, and does
/// nothing but say so if the key beside the shards says another: somebody else has split a shard. A server that has no such
/// command does it in a script, or between WATCH and EXEC.
pub trait SplitSteps: SetSteps {
    /// GET.
    ///
    /// # Errors
    ///
    /// Whatever GET answers.
    fn value(&self, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// SADD of one member to the shard, and INCR of `count` if it is new; `None` if there is another number of shards.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer; a level that is no number of shards.
    fn add_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
        count: &[u8],
    ) -> Result<Option<Counted>, Error>;

    /// SREM of one member of the shard, and DECR of `count` if it was there; `None` if there is another number of shards.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn remove_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
        count: &[u8],
    ) -> Result<Option<Counted>, Error>;

    /// SISMEMBER; `None` if there is another number of shards.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn contains_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
    ) -> Result<Option<bool>, Error>;

    /// SINTER, SUNION or SDIFF of shards of several sets; `None` if one of these has another number of shards.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn combined_at(
        &self,
        levels: &[Level<'_>],
        operation: SetOperation,
        shards: &[&[u8]],
    ) -> Result<Option<Vec<Bytes>>, Error>;

    /// Replaces the members of a part of a shard by those of that part that an operation on other shards gives, and corrects the
    /// count. Returns how many these are, and the count; `None` if one of the sets has another number of shards.
    ///
    /// A shard that holds something else is overwritten, as if it had been empty.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn replace_at(
        &self,
        levels: &[Level<'_>],
        operation: SetOperation,
        shards: &[&[u8]],
        target: Replaced<'_>,
    ) -> Result<Option<(u64, u64)>, Error>;

    /// Moves the members of `part` from one shard to another, which is new, and says that there is one shard more;
    /// `false` if there was another number of shards.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn split(&self, level: Level<'_>, from: &[u8], to: &[u8], part: Part) -> Result<bool, Error>;

    /// Moves all members of the last shard to another, which has all of `part` then, and says that there is one shard less; `false`
    /// if there was another number of shards.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn merge(&self, level: Level<'_>, from: &[u8], to: &[u8], part: Part) -> Result<bool, Error>;

    /// DEL of the count and of the level if the set is empty: a count of 0, and one shard.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    fn forget(&self, level: Level<'_>, count: &[u8]) -> Result<(), Error>;
}
