//! The steps of a set that splits, on the store.

use bytes::Bytes;
use intset::IntSet;
use smallvec::SmallVec;

use super::level::{count_in, shards_in};
use super::part::Part;
use super::split_steps::{Counted, Level, Replaced, SetOperation, SplitSteps};
use crate::commands::{
    KeyCommands, Operation, SetCommands, StringCommands, add_members, combined, increment,
    remove_members, set_at, string_at,
};
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
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
    ) -> Result<Counted, Error> {
        self.write(&[shard, count, level.key], |scope, keys| {
            if shards_at(&scope.view(), keys[2])? != level.shards {
                return Ok(Counted::Moved);
            }
            if add_members(scope, keys[0], &[member])? == 0 {
                return Ok(Counted::Same);
            }
            match increment(scope, keys[1], 1) {
                Ok(now) => Ok(Counted::Now(now)),
                Err(error) => {
                    remove_members(scope, keys[0], &[member])?;
                    Err(error)
                }
            }
        })
    }

    fn remove_at(
        &self,
        level: Level<'_>,
        shard: &[u8],
        member: Member<'_>,
        count: &[u8],
    ) -> Result<Counted, Error> {
        self.write(&[shard, count, level.key], |scope, keys| {
            if shards_at(&scope.view(), keys[2])? != level.shards {
                return Ok(Counted::Moved);
            }
            if remove_members(scope, keys[0], &[member])? == 0 {
                return Ok(Counted::Same);
            }
            match increment(scope, keys[1], -1) {
                Ok(now) => Ok(Counted::Now(now)),
                Err(error) => {
                    add_members(scope, keys[0], &[member])?;
                    Err(error)
                }
            }
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
    ) -> Result<Option<(u64, i64)>, Error> {
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
            // Without a level there is one shard.
            let missing = scope.view().find(keys[2]).is_none();
            increment(scope, keys[2], if missing { 2 } else { 1 })?;
            Ok(true)
        })
    }

    fn merge(&self, level: Level<'_>, from: &[u8], to: &[u8]) -> Result<bool, Error> {
        self.transaction([from, to, level.key], |tx| {
            if !agrees(tx, level)? {
                return Ok(false);
            }
            if tx.exists([from])? == 1 {
                tx.sunionstore(to, [to, from])?;
                tx.del([from])?;
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
) -> Result<Option<(u64, i64)>, Error> {
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
    Ok(Some((made as u64, count)))
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
            let (moved, kept): (Vec<i64>, Vec<i64>) = set.iter().partition(|&id| part.holds(id));
            let kept: IntSet = kept.into_iter().collect();
            // An intset that loses its widest members stays as wide: then they go one by one.
            if free && !kept.is_empty() && !moved.is_empty() && kept.width() == set.width() {
                move_numbers(scope, from, to, kept, &moved);
                return Ok(());
            }
            let moved: Vec<Member<'_>> = moved.into_iter().map(Member::Int).collect();
            move_members(scope, from, to, &moved)
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

/// SREM and SADD in one go, with the same result and the same effects.
fn move_numbers(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    kept: IntSet,
    moved: &[i64],
) {
    let rules = scope.rules();
    let args = || moved.iter().map(|&id| Member::Int(id).to_bytes()).collect();
    scope.change(from, |slot| {
        slot.put(Value::IntSet(kept));
        slot.changed("SREM", args);
    });
    scope.change(to, |slot| {
        slot.put(Value::set_from_intset(moved.iter().copied().collect(), &rules));
        slot.changed("SADD", args);
    });
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
