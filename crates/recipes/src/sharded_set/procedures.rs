//! The procedures of a set that splits.
//!
//! Each goes by a number of shards, and does nothing but say so if the key beside the shards says another: somebody
//! else has split or merged shards.

use bytes::Bytes;
use intset::Prefix;
use smallvec::SmallVec;
use store::{Error, KeyRef, Member, Tx};

use super::commands::{SetOperation, commands, read};
use super::level::{Level, count_at, shards_at};
use super::suffix::HashSuffix;
use crate::counted::{change_and_count, check_counter};
use crate::procedure::Procedure;

/// What became of a member that was to be added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Nothing: it was there already, or was not there.
    Same,
    /// The set changed, and has so many members now.
    Now(u64),
}

impl From<Option<i64>> for Counted {
    fn from(count: Option<i64>) -> Self {
        count.map_or(Self::Same, |count| Self::Now(members_of(count)))
    }
}

/// How many members a count means: none if others have brought it below 0.
fn members_of(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

commands! {
    /// How many shards there are.
    Shards(key: read) -> u64 = |tx| shards_at(tx, key);

    /// How many members are counted.
    Count(key: read) -> u64 = |tx| count_at(tx, key);
}

/// SADD of one member to the shard, and INCR of the count if it is new; `None` if there is another number of shards.
#[derive(Debug)]
pub(super) struct AddAt<'k> {
    pub(super) level: Level<'k>,
    pub(super) shard: &'k [u8],
    pub(super) count: &'k [u8],
    pub(super) member: Member<'k>,
    /// The member as an integer and the high bits that it shares with the others of the shard, if there are any.
    pub(super) within: Option<(i64, Prefix)>,
}

impl Procedure for AddAt<'_> {
    type Output = Option<Counted>;
    type Keys<'p>
        = [KeyRef<'p>; 3]
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> Self::Keys<'_> {
        [read(self.level.key), KeyRef::new(self.count), KeyRef::new(self.shard)]
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        if !self.level.agrees(tx)? {
            return Ok(None);
        }
        let would = || Ok(!tx.sismember(self.shard, self.member)?);
        let change = || {
            tx.with_set(self.shard, |set| match self.within {
                Some((id, prefix)) => set.add_within(id, prefix),
                None => set.add(self.member),
            })
        };
        change_and_count(tx, self.count, 1, would, change).map(|count| Some(count.into()))
    }
}

/// SREM of one member of the shard, and DECR of the count if it was there; `None` if there is another number of shards.
#[derive(Debug)]
pub(super) struct RemoveAt<'k> {
    pub(super) level: Level<'k>,
    pub(super) shard: &'k [u8],
    pub(super) count: &'k [u8],
    pub(super) member: Member<'k>,
}

impl Procedure for RemoveAt<'_> {
    type Output = Option<Counted>;
    type Keys<'p>
        = [KeyRef<'p>; 3]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        [read(self.level.key), KeyRef::new(self.count), KeyRef::new(self.shard)]
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        if !self.level.agrees(tx)? {
            return Ok(None);
        }
        let would = || tx.sismember(self.shard, self.member);
        let change = || tx.with_set(self.shard, |set| Ok(set.remove(self.member)));
        change_and_count(tx, self.count, -1, would, change).map(|count| Some(count.into()))
    }
}

/// SISMEMBER; `None` if there is another number of shards.
#[derive(Debug)]
pub(super) struct ContainsAt<'k> {
    pub(super) level: Level<'k>,
    pub(super) shard: &'k [u8],
    pub(super) member: Member<'k>,
}

impl Procedure for ContainsAt<'_> {
    type Output = Option<bool>;
    type Keys<'p>
        = [KeyRef<'p>; 2]
    where
        Self: 'p;

    #[inline]
    fn keys(&self) -> Self::Keys<'_> {
        [read(self.level.key), read(self.shard)]
    }

    #[inline]
    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        if !self.level.agrees(tx)? {
            return Ok(None);
        }
        tx.sismember(self.shard, self.member).map(Some)
    }
}

/// SINTER, SUNION or SDIFF of shards of several sets; `None` if one of these has another number of shards.
#[derive(Debug)]
pub(super) struct CombineAt<'k> {
    pub(super) levels: &'k [Level<'k>],
    pub(super) operation: SetOperation,
    pub(super) shards: &'k [&'k [u8]],
}

impl Procedure for CombineAt<'_> {
    type Output = Option<Vec<Bytes>>;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        let levels = self.levels.iter().map(|level| &level.key);
        levels.chain(self.shards).map(|key| read(key)).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        if !all_agree(tx, self.levels)? {
            return Ok(None);
        }
        self.operation.members(tx, self.shards).map(Some)
    }
}

/// Replaces the members of a shard that have a hash suffix by those with that suffix that an operation on other
/// shards gives, and corrects the count. Returns how many these are, and the count; `None` if one of the sets has
/// another number of shards.
///
/// A shard that holds something else is overwritten, as if it had been empty.
#[derive(Debug)]
pub(super) struct ReplaceAt<'k> {
    /// Those of the sets, and the target's.
    pub(super) levels: &'k [Level<'k>],
    pub(super) operation: SetOperation,
    pub(super) shards: &'k [&'k [u8]],
    pub(super) target: &'k [u8],
    /// The key of the string that counts the members of all of the target's shards.
    pub(super) count: &'k [u8],
    pub(super) suffix: HashSuffix,
}

impl Procedure for ReplaceAt<'_> {
    type Output = Option<(u64, u64)>;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        let levels = self.levels.iter().map(|level| &level.key);
        let read = levels.chain(self.shards).map(|key| read(key));
        read.chain([self.target, self.count].map(KeyRef::new)).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        let Self { target, count, suffix, .. } = *self;
        if !all_agree(tx, self.levels)? {
            return Ok(None);
        }
        count_at(tx, count)?;
        let mut members = self.operation.members(tx, self.shards)?;
        members.retain(|member| suffix.holds(member));
        let made = members.len();
        // What is there may be no set, and has no members then.
        let old = tx.smembers(target).unwrap_or_default();
        let before = old.len();
        members.extend(old.into_iter().filter(|member| !suffix.holds(member)));
        let change = members.len().cast_signed() as i64 - before.cast_signed() as i64;
        check_counter(tx, count, change)?;
        tx.del([target])?;
        tx.sadd(target, &members)?;
        let now = tx.incr(count, change)?;
        let whole = self.levels.last().and_then(|level| {
            let number = suffix.shard(level.shards)?;
            Some(HashSuffix::of_shard(number, level.shards, level.spread))
        });
        if let Some(whole) = whole {
            compact(tx, target, whole)?;
        }
        Ok(Some((made as u64, members_of(now))))
    }
}

/// Moves the members that have a hash suffix from one shard to another, which is new, and says that there is one shard
/// more; `false` if there was another number of shards.
#[derive(Debug)]
pub(super) struct Split<'k> {
    pub(super) level: Level<'k>,
    pub(super) from: &'k [u8],
    pub(super) to: &'k [u8],
    pub(super) suffix: HashSuffix,
}

impl Procedure for Split<'_> {
    type Output = bool;
    type Keys<'p>
        = [KeyRef<'p>; 3]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        [self.level.key, self.from, self.to].map(KeyRef::new)
    }

    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        let Self { level, from, to, suffix } = *self;
        if !level.agrees(tx)? {
            return Ok(false);
        }
        tx.smove_if(from, to, |member| suffix.holds(member))?;
        compact(tx, from, suffix.sibling())?;
        compact(tx, to, suffix)?;
        // Without a level there is one shard.
        let missing = tx.exists([level.key])? == 0;
        tx.incr(level.key, if missing { 2 } else { 1 })?;
        Ok(true)
    }
}

/// Moves all members of the last shard to another, which has all of a hash suffix then, and says that there is one
/// shard less; `false` if there was another number of shards.
#[derive(Debug)]
pub(super) struct Merge<'k> {
    pub(super) level: Level<'k>,
    pub(super) from: &'k [u8],
    pub(super) to: &'k [u8],
    pub(super) suffix: HashSuffix,
}

impl Procedure for Merge<'_> {
    type Output = bool;
    type Keys<'p>
        = [KeyRef<'p>; 3]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        [self.level.key, self.from, self.to].map(KeyRef::new)
    }

    fn run(&self, tx: &Tx<'_>) -> Result<bool, Error> {
        let Self { level, from, to, suffix } = *self;
        if !level.agrees(tx)? {
            return Ok(false);
        }
        if tx.exists([from])? == 1 {
            tx.sunionstore(to, [to, from])?;
            tx.del([from])?;
            compact(tx, to, suffix)?;
        }
        tx.incr(level.key, -1)?;
        Ok(true)
    }
}

/// DEL of the count and of the level if the set is empty: a count of 0, and one shard.
#[derive(Debug)]
pub(super) struct Forget<'k> {
    pub(super) level: &'k [u8],
    pub(super) count: &'k [u8],
}

impl Procedure for Forget<'_> {
    type Output = ();
    type Keys<'p>
        = [KeyRef<'p>; 2]
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        [self.level, self.count].map(KeyRef::new)
    }

    fn run(&self, tx: &Tx<'_>) -> Result<(), Error> {
        if shards_at(tx, self.level)? == 1 && count_at(tx, self.count)? == 0 {
            tx.del([self.level, self.count])?;
        }
        Ok(())
    }
}

fn all_agree(tx: &Tx<'_>, levels: &[Level<'_>]) -> Result<bool, Error> {
    for level in levels {
        if !level.agrees(tx)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Keeps the ids of a shard compactly if they are spread by their high bits.
fn compact(tx: &Tx<'_>, shard: &[u8], suffix: HashSuffix) -> Result<(), Error> {
    let Some(prefix) = suffix.prefix() else { return Ok(()) };
    tx.with_set(shard, |set| {
        set.compact(prefix);
        Ok(())
    })
}
