//! The procedures of a set that splits.
//!
//! Most go by a number of shards, and do nothing but return `None` if the key beside the shards says another: somebody
//! else has split or merged shards.

use bytes::Bytes;
use intset::Prefix;
use store::{Error, KeyRef, Member, ToKeys, Tx};

use super::commands::SetOperation;
use super::level::{Level, count_at, shards_at};
use super::suffix::HashSuffix;
use crate::counted::{change_and_count, check_counter};
use crate::procedure::{Backend, Keys, Procedure, read, step};

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

/// How many shards there are.
pub(super) fn shards(key: KeyRef<'_>) -> impl Procedure<Output = u64> {
    step([key.read()], move |tx| shards_at(tx, key))
}

/// How many members are counted.
pub(super) fn count(key: KeyRef<'_>) -> impl Procedure<Output = u64> {
    step([key.read()], move |tx| count_at(tx, key))
}

/// A step that goes by a number of shards.
#[inline]
fn at<R>(
    level: Level<'_>,
    keys: impl ToKeys + Copy,
    run: impl Fn(&Tx<'_>) -> Result<R, Error>,
) -> impl Procedure<Output = Option<R>> {
    step(keys, move |tx| if level.agrees(tx)? { run(tx).map(Some) } else { Ok(None) })
}

/// SADD of one member to the shard, and INCR of the count if it is new.
///
/// `within` is the member as an integer and the high bits that it shares with the others of the shard, if there are
/// any.
#[inline]
pub(super) fn add<'k>(
    level: Level<'k>,
    shard: &'k [u8],
    count: KeyRef<'k>,
    member: Member<'k>,
    within: Option<(i64, Prefix)>,
) -> impl Procedure<Output = Option<Counted>> {
    at(level, [level.key.read(), count, KeyRef::new(shard)], move |tx| {
        level.until.check(tx)?;
        let would = || Ok(!tx.sismember(shard, member)?);
        let change = || {
            tx.with_set(shard, |set| {
                let new = match within {
                    Some((id, prefix)) => set.add_within(id, prefix)?,
                    None => set.add(member)?,
                };
                level.until.begin_set(set);
                Ok(new)
            })
        };
        let counted = change_and_count(tx, count, 1, would, change)?;
        if counted == Some(1) {
            level.until.begin_keys(tx, [count.as_bytes()])?;
        }
        Ok(Counted::from(counted))
    })
}

/// SREM of one member of the shard, and DECR of the count if it was there.
pub(super) fn remove<'k>(
    level: Level<'k>,
    shard: &'k [u8],
    count: KeyRef<'k>,
    member: Member<'k>,
) -> impl Procedure<Output = Option<Counted>> {
    at(level, [level.key.read(), count, KeyRef::new(shard)], move |tx| {
        let would = || tx.sismember(shard, member);
        let change = || tx.with_set(shard, |set| Ok(set.remove(member)));
        change_and_count(tx, count, -1, would, change).map(Counted::from)
    })
}

/// SISMEMBER.
#[inline]
pub(super) fn contains<'k>(
    level: Level<'k>,
    shard: &'k [u8],
    member: Member<'k>,
) -> impl Procedure<Output = Option<bool>> {
    at(level, [level.key.read(), read(shard)], move |tx| tx.sismember(shard, member))
}

/// SINTER, SUNION or SDIFF of shards of several sets.
pub(super) fn combine(
    backend: &impl Backend,
    levels: &[Level<'_>],
    operation: SetOperation,
    shards: &[&[u8]],
) -> Result<Option<Vec<Bytes>>, Error> {
    backend.call(&step(&*levels_and(levels, shards), |tx| {
        if all_agree(tx, levels)? { operation.members(tx, shards).map(Some) } else { Ok(None) }
    }))
}

/// What members of a target's shard are to be replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'k> {
    pub(super) shard: &'k [u8],
    /// The key of the string that counts the members of all of the target's shards.
    pub(super) count: KeyRef<'k>,
    pub(super) suffix: HashSuffix,
}

/// Replaces the members of a shard that have a hash suffix by those with that suffix that an operation on other
/// shards gives, and corrects the count. Returns how many these are, and the count; the levels are those of the sets,
/// and the target's.
///
/// A shard that holds something else is overwritten, as if it had been empty.
pub(super) fn replace(
    backend: &impl Backend,
    levels: &[Level<'_>],
    operation: SetOperation,
    shards: &[&[u8]],
    target: Target<'_>,
) -> Result<Option<(u64, u64)>, Error> {
    let Target { shard: target, count, suffix } = target;
    let mut keys = levels_and(levels, shards);
    keys.extend([KeyRef::new(target), count]);
    backend.call(&step(&*keys, |tx| {
        if !all_agree(tx, levels)? {
            return Ok(None);
        }
        count_at(tx, count)?;
        let mut members = operation.members(tx, shards)?;
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
        let whole = levels.last().and_then(|level| {
            let number = suffix.shard(level.shards)?;
            Some(HashSuffix::of_shard(number, level.shards, level.spread))
        });
        if let Some(whole) = whole {
            compact(tx, target, whole)?;
        }
        Ok(Some((made as u64, members_of(now))))
    }))
}

/// Moves the members that have a hash suffix from one shard to another, which is new, and says that there is one shard
/// more.
pub(super) fn split<'k>(
    level: Level<'k>,
    from: &'k [u8],
    to: &'k [u8],
    suffix: HashSuffix,
) -> impl Procedure<Output = Option<()>> {
    at(level, [level.key, KeyRef::new(from), KeyRef::new(to)], move |tx| {
        tx.smove_if(from, to, |member| suffix.holds(member))?;
        compact(tx, from, suffix.sibling())?;
        compact(tx, to, suffix)?;
        // Without a level there is one shard.
        let missing = !tx.exists(level.key)?;
        tx.incr(level.key, if missing { 2 } else { 1 })?;
        level.until.begin_keys(tx, [to, level.key.as_bytes()])
    })
}

/// Moves all members of the last shard to another, which has all of a hash suffix then, and says that there is one
/// shard less.
pub(super) fn merge<'k>(
    level: Level<'k>,
    from: &'k [u8],
    to: &'k [u8],
    suffix: HashSuffix,
) -> impl Procedure<Output = Option<()>> {
    at(level, [level.key, KeyRef::new(from), KeyRef::new(to)], move |tx| {
        if tx.exists(from)? {
            tx.sunionstore(to, [to, from])?;
            tx.del([from])?;
            compact(tx, to, suffix)?;
            level.until.begin_keys(tx, [to])?;
        }
        tx.incr(level.key, -1).map(drop)
    })
}

/// DEL of the count and of the level if the set is empty: a count of 0, and one shard.
pub(super) fn forget<'k>(level: KeyRef<'k>, count: KeyRef<'k>) -> impl Procedure<Output = ()> {
    step([level, count], move |tx| {
        if shards_at(tx, level)? == 1 && count_at(tx, count)? == 0 {
            tx.del([level, count])?;
        }
        Ok(())
    })
}

/// The keys of levels and of shards, which are only read.
fn levels_and<'k>(levels: &[Level<'k>], shards: &[&'k [u8]]) -> Keys<'k> {
    levels.iter().map(|level| level.key.read()).chain(shards.iter().map(|key| read(key))).collect()
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
