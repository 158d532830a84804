//! The steps of a set that splits, on the store.

use bytes::Bytes;
use intset::{IntSet, Prefix};
use smallvec::SmallVec;

use super::level::{count_in, shards_in};
use super::part::Part;
use super::split_steps::{Counted, Level, Replaced, SetOperation, SplitSteps};
use crate::commands::{
    KeyCommands, Operation, SetCommands, StringCommands, add_members, add_members_to, combined,
    increment, remove_members, set_at, string_at,
};
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
use crate::store::slot::Slot;
use crate::store::{Store, Tx};
use crate::value::{SetRef, Value};

/// The keys of one step.
type Keys<'k> = SmallVec<[&'k [u8]; 8]>;

impl SplitSteps for Store {
    fn value(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.get(key)
    }

    #[inline]
    fn add_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
        count: &[u8],
    ) -> Result<Option<Counted>, Error> {
        let add = |scope: &mut Scope<'_>, shard: HashedKey<'_>| match level.prefix_of(member) {
            None => add_members(scope, shard, &[member]),
            Some(prefix) => {
                add_members_to(scope, shard, &[member], |slot| keep_compact(slot, prefix))
            }
        };
        let remove =
            |scope: &mut Scope<'_>, shard: HashedKey<'_>| remove_members(scope, shard, &[member]);
        self.write(&[shard, count, level.key], |scope, keys| {
            change_at(scope, keys, level, (add, 1), remove)
        })
    }

    fn remove_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
        count: &[u8],
    ) -> Result<Option<Counted>, Error> {
        let add =
            |scope: &mut Scope<'_>, shard: HashedKey<'_>| add_members(scope, shard, &[member]);
        let remove =
            |scope: &mut Scope<'_>, shard: HashedKey<'_>| remove_members(scope, shard, &[member]);
        self.write(&[shard, count, level.key], |scope, keys| {
            change_at(scope, keys, level, (remove, -1), add)
        })
    }

    #[inline]
    fn contains_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
    ) -> Result<Option<bool>, Error> {
        self.read(&[shard, level.key], |view, keys| {
            if shards_at(view, keys[1])? != level.shards {
                return Ok(None);
            }
            let set = set_at(view, keys[0])?;
            Ok(Some(set.is_some_and(|set| set.contains(member, &view.rules()))))
        })
    }

    fn combined_at(
        &self,
        levels: &[Level<'_>],
        operation: SetOperation,
        shards: &[&[u8]],
    ) -> Result<Option<Vec<Bytes>>, Error> {
        let named: Keys<'_> =
            shards.iter().copied().chain(levels.iter().map(|level| level.key)).collect();
        self.read(&named, |view, keys| {
            let (shards, keys) = keys.split_at(shards.len());
            for (level, &key) in levels.iter().zip(keys) {
                if shards_at(view, key)? != level.shards {
                    return Ok(None);
                }
            }
            combined(view, operation.into(), shards).map(Some)
        })
    }

    fn replace_at(
        &self,
        levels: &[Level<'_>],
        operation: SetOperation,
        shards: &[&[u8]],
        target: Replaced<'_>,
    ) -> Result<Option<(u64, u64)>, Error> {
        let named = shards
            .iter()
            .copied()
            .chain(levels.iter().map(|level| level.key))
            .chain([target.shard, target.count]);
        self.transaction(named, |tx| replace(tx, levels, operation, shards, target))
    }

    fn split(&self, level: Level<'_>, from: &[u8], to: &[u8], part: Part) -> Result<bool, Error> {
        self.write(&[from, to, level.key], |scope, keys| {
            if shards_at(&scope.view(), keys[2])? != level.shards {
                return Ok(false);
            }
            move_part(scope, keys[0], keys[1], part)?;
            compact_at(scope, keys[0], part.sibling());
            compact_at(scope, keys[1], part);
            // Without a level there is one shard.
            let missing = scope.view().find(keys[2]).is_none();
            increment(scope, keys[2], if missing { 2 } else { 1 })?;
            Ok(true)
        })
    }

    fn merge(&self, level: Level<'_>, from: &[u8], to: &[u8], part: Part) -> Result<bool, Error> {
        self.transaction([from, to, level.key], |tx| {
            if !agrees(tx, level)? {
                return Ok(false);
            }
            if tx.exists([from])? == 1 {
                tx.sunionstore(to, [to, from])?;
                tx.del([from])?;
                compact_in(tx, to, part)?;
            }
            tx.incr(level.key, -1)?;
            Ok(true)
        })
    }

    fn forget(&self, level: Level<'_>, count: &[u8]) -> Result<(), Error> {
        self.transaction([level.key, count], |tx| {
            if agrees(tx, Level { shards: 1, ..level })? && count_in(tx.get(count)?, count)? == 0 {
                tx.del([level.key, count])?;
            }
            Ok(())
        })
    }
}

impl From<SetOperation> for Operation {
    fn from(operation: SetOperation) -> Self {
        match operation {
            SetOperation::Inter => Self::Inter,
            SetOperation::Union => Self::Union,
            SetOperation::Diff => Self::Diff,
        }
    }
}

/// Changes a shard, and the count by so much if there was anything to change; a count that cannot be changed undoes it. The keys are
/// those of the shard, the count and the level.
#[inline]
fn change_at(
    scope: &mut Scope<'_>,
    keys: &[HashedKey<'_>],
    level: Level<'_>,
    (change, by): (impl FnOnce(&mut Scope<'_>, HashedKey<'_>) -> Result<usize, Error>, i64),
    undo: impl FnOnce(&mut Scope<'_>, HashedKey<'_>) -> Result<usize, Error>,
) -> Result<Option<Counted>, Error> {
    let &[shard, count, key] = keys else { return Ok(None) };
    if shards_at(&scope.view(), key)? != level.shards {
        return Ok(None);
    }
    if change(scope, shard)? == 0 {
        return Ok(Some(Counted::Same));
    }
    match increment(scope, count, by) {
        Ok(now) => Ok(Some(Counted::Now(members_of(now)))),
        Err(error) => {
            undo(scope, shard)?;
            Err(error)
        }
    }
}

/// How many members a count means: none if others have brought it below 0.
fn members_of(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// How many shards the key says there are.
#[inline]
fn shards_at(view: &View<'_>, key: HashedKey<'_>) -> Result<u64, Error> {
    let Some(string) = string_at(view, key)? else { return Ok(1) };
    shards_in(string.as_int(), key.bytes)
}

fn agrees(tx: &Tx<'_>, level: Level<'_>) -> Result<bool, Error> {
    tx.read(&[level.key], |view, keys| Ok(shards_at(view, keys[0])? == level.shards))
}

fn replace(
    tx: &Tx<'_>,
    levels: &[Level<'_>],
    operation: SetOperation,
    shards: &[&[u8]],
    target: Replaced<'_>,
) -> Result<Option<(u64, u64)>, Error> {
    for &level in levels {
        if !agrees(tx, level)? {
            return Ok(None);
        }
    }
    // What may fail comes first: then nothing is half done.
    count_in(tx.get(target.count)?, target.count)?;
    let mut members = tx.read(shards, |view, keys| combined(view, operation.into(), keys))?;
    members.retain(|member| target.part.holds(member));
    let made = members.len();
    // What is there may be no set, and has no members then.
    let old = tx.smembers(target.shard).unwrap_or_default();
    let before = old.len();
    members.extend(old.into_iter().filter(|member| !target.part.holds(member)));
    tx.del([target.shard])?;
    tx.sadd(target.shard, &members)?;
    let change = members.len().cast_signed() as i64 - before.cast_signed() as i64;
    let count = tx.incr(target.count, change)?;
    let whole = levels.last().and_then(|level| {
        let number = target.part.shard(level.shards)?;
        Some(Part::of_shard(number, level.shards, level.spread))
    });
    if let Some(whole) = whole {
        compact_in(tx, target.shard, whole)?;
    }
    Ok(Some((made as u64, members_of(count))))
}

/// Moves the members of a part of one shard to another.
fn move_part(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    part: Part,
) -> Result<(), Error> {
    let view = scope.view();
    let free = set_at(&view, to)?.is_none();
    match set_at(&view, from)? {
        None => Ok(()),
        Some(SetRef::IntSet(set)) => {
            let (moved, kept) = halves(set.iter(), part);
            // An intset that loses its widest members stays as wide: then they go one by one.
            let at_once = free && kept.width() == set.width();
            move_numbers(scope, (from, kept), (to, &moved), at_once)
        }
        Some(SetRef::Compact(set)) => {
            let (moved, kept) = halves(set.iter(), part);
            move_numbers(scope, (from, kept), (to, &moved), free)
        }
        Some(set @ (SetRef::ListPack(_) | SetRef::HashTable(_))) => {
            let mut moved = Vec::new();
            set.for_each(|member| {
                if part.holds(member) {
                    moved.push(member.to_bytes());
                }
            });
            let moved: Vec<Member<'_>> = moved.iter().map(Member::from).collect();
            move_members(scope, from, to, &moved)
        }
    }
}

/// What moves and what is kept.
fn halves(numbers: impl Iterator<Item = i64>, part: Part) -> (Vec<i64>, IntSet) {
    let (moved, kept): (Vec<i64>, Vec<i64>) = numbers.partition(|&id| part.holds(id));
    (moved, kept.into_iter().collect())
}

/// SREM and SADD, or both sets put in their places at once, with the same effects: where the result is the same.
fn move_numbers(
    scope: &mut Scope<'_>,
    (from, kept): (HashedKey<'_>, IntSet),
    (to, moved): (HashedKey<'_>, &[i64]),
    at_once: bool,
) -> Result<(), Error> {
    if !at_once || kept.is_empty() || moved.is_empty() {
        let moved: Vec<Member<'_>> = moved.iter().copied().map(Member::Int).collect();
        return move_members(scope, from, to, &moved);
    }
    let rules = scope.rules();
    let args = || moved.iter().map(|&id| Member::Int(id).to_bytes()).collect();
    scope.change(from, |slot| {
        slot.put(Value::set_from_intset(kept, &rules));
        slot.changed("SREM", args);
    });
    scope.change(to, |slot| {
        slot.put(Value::set_from_intset(moved.iter().copied().collect(), &rules));
        slot.changed("SADD", args);
    });
    Ok(())
}

/// Makes an intset that SADD is about to meet a compact one, if it can be.
fn keep_compact(slot: &mut Slot<'_, '_, '_>, prefix: Prefix) {
    // A hash table waits for its turn to be split, so that not each addition looks through it.
    if let Some(value @ Value::IntSet(_)) = slot.value_mut() {
        value.compact(prefix);
    }
}

/// Makes the set of a part a compact one, if it can be.
fn compact_at(scope: &mut Scope<'_>, key: HashedKey<'_>, part: Part) {
    let Some(prefix) = part.prefix() else { return };
    scope.change(key, |slot| {
        if let Some(value) = slot.value_mut() {
            value.compact(prefix);
        }
    });
}

fn compact_in(tx: &Tx<'_>, key: &[u8], part: Part) -> Result<(), Error> {
    tx.write(&[key], |scope, keys| {
        compact_at(scope, keys[0], part);
        Ok(())
    })
}

fn move_members(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    moved: &[Member<'_>],
) -> Result<(), Error> {
    remove_members(scope, from, moved)?;
    add_members(scope, to, moved).map(|_| ())
}
