//! The procedures of sets that split.
//!
//! The name of a shard determines its hash suffix, so to add a member to an existing shard, or to look one up, a
//! procedure need not know the number of shards. If the shard does not exist, and to split or merge, a procedure
//! assumes a number of shards, and only returns `None` if the key of the number of shards differs: another client has
//! split or merged shards.

use bytes::Bytes;
use intset::Prefix;
use macros::blocking_and_async;
use store::{Error, KeyRef, Member, SetEntry, ToKeys, Tx};

use super::commands::SetOperation;
use super::level::{Level, shards_at};
use super::suffix::HashSuffix;
use crate::backend::{AsyncBackend, Backend};
use crate::kept::KeptUntil;
use crate::procedure::{self, Keys, Procedure, Step, StoreOnly, read};

/// The outcome of adding a member to a shard or of removing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    /// Nothing has changed: the member was already there, or was not.
    Same,
    /// The shard has changed, and has this number of members now.
    Now(u64),
}

impl Changed {
    #[inline]
    fn of(changed: bool, set: &SetEntry<'_>) -> Self {
        if changed { Self::Now(set.len() as u64) } else { Self::Same }
    }
}

/// What a server cannot do, for an error: the steps read values and write depending on them.
const SPLITTING: &str = "splitting the shards of a set as it grows; use ShardedSet::new or ShardedSet::tagged \
                         there, and for visitors VisitorsForm::Forecast or VisitorsForm::Tagged";

/// Builds a step on a set that splits.
#[inline]
fn step<K, R, F>(keys: K, run: F) -> Step<'static, K, F, StoreOnly>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
{
    procedure::step(keys, run).on_a_store_only(SPLITTING)
}

/// As [`step`], with a lookup of this member.
#[inline]
fn step_on<K, R, F>(keys: K, member: Member<'_>, run: F) -> Step<'_, K, F, StoreOnly>
where
    K: ToKeys + Copy,
    F: Fn(&Tx<'_>) -> Result<R, Error>,
{
    procedure::step_on(keys, member, run).on_a_store_only(SPLITTING)
}

/// Returns the number of shards.
pub(super) fn shards(key: KeyRef<'_>) -> impl Procedure<Output = u64> {
    step([key.read()], move |tx| shards_at(tx, key))
}

/// Builds a step that assumes a number of shards.
#[inline]
fn at<R>(
    level: Level<'_>,
    keys: impl ToKeys + Copy,
    run: impl Fn(&Tx<'_>) -> Result<R, Error>,
) -> impl Procedure<Output = Option<R>> {
    step(keys, move |tx| if level.agrees(tx)? { run(tx).map(Some) } else { Ok(None) })
}

/// A member to be added: as an integer, with the high bits that it shares with the other members of its shard, if there
/// are any.
pub(super) type Within = Option<(i64, Prefix)>;

#[inline]
fn add_to(
    set: &mut SetEntry<'_>,
    member: Member<'_>,
    within: Within,
    until: KeptUntil,
) -> Result<Changed, Error> {
    let new = match within {
        Some((id, prefix)) => set.add_within(id, prefix)?,
        None => set.add(member)?,
    };
    until.begin_set(set);
    Ok(Changed::of(new, set))
}

/// SADD of one member to a shard; `None` if the shard does not exist.
#[inline]
pub(super) fn add<'k>(
    shard: &'k [u8],
    member: Member<'k>,
    within: Within,
    until: KeptUntil,
) -> impl Procedure<Output = Option<Changed>> {
    step_on([shard], member, move |tx| {
        until.check(tx)?;
        tx.with_set(shard, |set| {
            if set.exists() { add_to(set, member, within, until).map(Some) } else { Ok(None) }
        })
    })
}

/// SADD of one member to a shard that does not exist.
pub(super) fn add_first<'k>(
    level: Level<'k>,
    shard: &'k [u8],
    member: Member<'k>,
    within: Within,
) -> impl Procedure<Output = Option<Changed>> {
    at(level, [level.key.read(), KeyRef::new(shard)], move |tx| {
        level.until.check(tx)?;
        tx.with_set(shard, |set| add_to(set, member, within, level.until))
    })
}

/// SREM of one member of a shard; `None` if the shard does not exist.
pub(super) fn remove<'k>(
    shard: &'k [u8],
    member: Member<'k>,
) -> impl Procedure<Output = Option<Changed>> {
    step([shard], move |tx| {
        tx.with_set(shard, |set| {
            let removed = set.remove(member);
            Ok((removed || set.exists()).then(|| Changed::of(removed, set)))
        })
    })
}

/// SISMEMBER; `None` if the shard does not exist.
#[inline]
pub(super) fn contains<'k>(
    shard: &'k [u8],
    member: Member<'k>,
) -> impl Procedure<Output = Option<bool>> {
    step_on([read(shard)], member, move |tx| {
        if tx.sismember(shard, member)? {
            return Ok(Some(true));
        }
        Ok(tx.exists(shard)?.then_some(false))
    })
}

/// SCARD.
#[inline]
pub(super) fn card<'k>(level: Level<'k>, shard: &'k [u8]) -> impl Procedure<Output = Option<u64>> {
    at(level, [level.key.read(), read(shard)], move |tx| Ok(tx.scard(shard)? as u64))
}

/// SINTER, SUNION or SDIFF of shards of several sets.
#[blocking_and_async]
pub(super) async fn combine(
    backend: &impl Backend,
    levels: &[Level<'_>],
    operation: SetOperation,
    shards: &[&[u8]],
) -> Result<Option<Vec<Bytes>>, Error> {
    let keys = levels_and(levels, shards);
    let combine = step(&*keys, |tx| {
        if all_agree(tx, levels)? { operation.members(tx, shards).map(Some) } else { Ok(None) }
    });
    backend.call(&combine).await
}

/// Replaces the members of a target's shard with this hash suffix by the members with this suffix of the result of an
/// operation on other shards. Returns how many these are; the levels are those of the sets and of the target.
///
/// A shard of another type is overwritten as if it were empty.
#[blocking_and_async]
pub(super) async fn replace(
    backend: &impl Backend,
    levels: &[Level<'_>],
    operation: SetOperation,
    shards: &[&[u8]],
    target: &[u8],
    suffix: HashSuffix,
) -> Result<Option<u64>, Error> {
    let mut keys = levels_and(levels, shards);
    keys.push(KeyRef::new(target));
    let replace = step(&*keys, |tx| {
        if !all_agree(tx, levels)? {
            return Ok(None);
        }
        let mut members = operation.members(tx, shards)?;
        members.retain(|member| suffix.holds(member));
        let made = members.len() as u64;
        // A value of another type has no members.
        let old = tx.smembers(target).unwrap_or_default();
        members.extend(old.into_iter().filter(|member| !suffix.holds(member)));
        tx.del([target])?;
        tx.sadd(target, &members)?;
        if let Some(whole) = levels.last().and_then(|level| suffix.shard(level.shards)) {
            compact(tx, target, whole)?;
        }
        Ok(Some(made))
    });
    backend.call(&replace).await
}

/// A shard, and the two shards that it is split into or that are merged into it: their keys, and their hash suffixes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fork<'k> {
    pub(super) whole: (&'k [u8], HashSuffix),
    pub(super) halves: [(&'k [u8], HashSuffix); 2],
}

impl<'k> Fork<'k> {
    fn keys(self, level: Level<'k>) -> [KeyRef<'k>; 4] {
        let [(even, _), (odd, _)] = self.halves;
        [level.key, KeyRef::new(self.whole.0), KeyRef::new(even), KeyRef::new(odd)]
    }
}

/// Moves the members of a shard to two new shards, and increments the number of shards; returns `false`, without a
/// change, if it has at most `at_most` members.
pub(super) fn split<'k>(
    level: Level<'k>,
    fork: Fork<'k>,
    at_most: Option<u64>,
) -> impl Procedure<Output = Option<bool>> {
    at(level, fork.keys(level), move |tx| {
        let (whole, [even, odd]) = (fork.whole.0, fork.halves);
        let members = tx.scard(whole)? as u64;
        // The new keys do not exist yet; a key of another type is refused before anything has changed.
        tx.scard(even.0)?;
        tx.scard(odd.0)?;
        if at_most.is_some_and(|most| members <= most) {
            return Ok(false);
        }
        if members > 0 {
            tx.rename(whole, even.0)?;
            tx.smove_if(even.0, odd.0, |member| odd.1.holds(member))?;
            compact(tx, even.0, even.1)?;
            compact(tx, odd.0, odd.1)?;
        }
        // Without the key of the number there is one shard.
        let missing = !tx.exists(level.key)?;
        tx.incr(level.key, if missing { 2 } else { 1 })?;
        level.until.begin_keys(tx, [odd.0, level.key.as_bytes()])?;
        Ok(true)
    })
}

/// The outcome of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merged {
    /// Not merged: two shards have too many members together.
    Nothing,
    /// Merged two shards, at least one of which had members.
    Members,
    /// Merged two shards that did not exist.
    Empty,
}

/// Moves the members of two shards to one, and decrements the number of shards, unless they have more than `at_most`
/// members together.
pub(super) fn merge<'k>(
    level: Level<'k>,
    fork: Fork<'k>,
    at_most: Option<u64>,
) -> impl Procedure<Output = Option<Merged>> {
    at(level, fork.keys(level), move |tx| {
        let (whole, [even, odd]) = (fork.whole.0, fork.halves.map(|half| half.0));
        let members = (tx.scard(even)? + tx.scard(odd)?) as u64;
        tx.scard(whole)?;
        if at_most.is_some_and(|most| members > most) {
            return Ok(Merged::Nothing);
        }
        if members > 0 {
            tx.sunionstore(whole, [even, odd])?;
            tx.del([even, odd])?;
            compact(tx, whole, fork.whole.1)?;
            level.until.begin_keys(tx, [whole])?;
        }
        tx.incr(level.key, -1)?;
        Ok(if members > 0 { Merged::Members } else { Merged::Empty })
    })
}

/// DEL of the number of shards if the set is empty: it has one shard, which does not exist.
pub(super) fn forget<'k>(level: KeyRef<'k>, shard: &'k [u8]) -> impl Procedure<Output = ()> {
    step([level, read(shard)], move |tx| {
        if shards_at(tx, level)? == 1 && !tx.exists(shard)? {
            tx.del(level)?;
        }
        Ok(())
    })
}

/// Returns the keys of levels and of shards, for reading only.
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

/// Stores the ids of a shard compactly if they are spread by their high bits.
fn compact(tx: &Tx<'_>, shard: &[u8], suffix: HashSuffix) -> Result<(), Error> {
    let Some(prefix) = suffix.prefix() else { return Ok(()) };
    tx.with_set(shard, |set| {
        set.compact(prefix);
        Ok(())
    })
}
