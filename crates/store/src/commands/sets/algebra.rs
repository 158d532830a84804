//! SINTER, SUNION, SDIFF and their STORE forms.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::ControlFlow;

use bytes::Bytes;
use intset::IntSet;
use listpack::Entry;
use smallvec::SmallVec;

use super::set_at;
use crate::commands::byte_strings::ByteStrings;
use crate::error::Result;
use crate::key::HashedKey;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::scope::View;
use crate::store::slot::Expires;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::{OneAndMany, ToKeys};
use crate::value::{Entries, SetIndex, SetRef, Value};

/// A combination of several sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Inter,
    Union,
    Diff,
}

/// The sets of a call; `None` for a key that does not exist.
type Sets<'v> = SmallVec<[Option<SetRef<'v>>; 4]>;

/// The sets at the keys. All types are checked before anything is done.
fn sets_at<'v>(view: &'v View<'_>, keys: &[HashedKey<'_>]) -> Result<Sets<'v>> {
    view.prefetch(keys);
    keys.iter().map(|&key| set_at(view, key)).collect()
}

/// The members of the result.
pub(crate) fn read(
    view: &View<'_>,
    operation: Operation,
    keys: &[HashedKey<'_>],
) -> Result<Vec<Bytes>> {
    let sets = sets_at(view, keys)?;
    let policy = view.policy();
    // The largest set is part of a union.
    let least = match operation {
        Operation::Union => sets.iter().flatten().map(|set| set.len()).max(),
        Operation::Inter | Operation::Diff => None,
    };
    let mut members = ByteStrings::with_capacity(least.unwrap_or(0));
    match operation {
        Operation::Inter => {
            let _: ControlFlow<()> = common(sets, &policy, |member| {
                members.push(member);
                ControlFlow::Continue(())
            });
        }
        Operation::Diff => difference(&sets, &policy, |member| members.push(member)),
        Operation::Union => union(&sets, &policy, |member| members.push(member)),
    }
    Ok(members.finish())
}

/// The number of members that all sets have, up to a limit unless that is 0.
pub(super) fn count_common(view: &View<'_>, keys: &[HashedKey<'_>], limit: usize) -> Result<usize> {
    let mut count = 0;
    let _ = common(sets_at(view, keys)?, &view.policy(), |_| {
        count += 1;
        if count == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    Ok(count)
}

/// Stores the result at a key.
pub(super) fn store(
    store: &Store<impl Locks>,
    operation: Operation,
    destination: impl ToKey,
    sources: impl ToKeys,
) -> Result<usize> {
    store.write(OneAndMany(destination, sources), |scope, keys| {
        let (destination, sources) = (keys[0], &keys[1..]);
        for &key in sources {
            scope.drop_expired(key);
        }
        let (name, result) = made(scope, operation, sources)?;
        let count = result.as_set().map_or(0, SetRef::len);
        let mut slot = scope.slot(destination);
        if count == 0 {
            slot.delete();
        } else {
            let words = || sources.iter().map(|key| Bytes::copy_from_slice(key.bytes)).collect();
            slot.put(result, Expires::Never, (name, words));
        }
        Ok(count)
    })
}

/// The set of a STORE form, and its name.
fn made(
    view: &View<'_>,
    operation: Operation,
    sources: &[HashedKey<'_>],
) -> Result<(&'static str, Value)> {
    let (sets, policy) = (sets_at(view, sources)?, view.policy());
    Ok(match operation {
        Operation::Inter => ("SINTERSTORE", intersected(sets, &policy)),
        Operation::Union => ("SUNIONSTORE", united(&sets, &policy)),
        Operation::Diff => ("SDIFFSTORE", differed(&sets, &policy)),
    })
}

/// Sets of integers.
type Numbers<'v> = SmallVec<[Cow<'v, IntSet>; 4]>;

/// The sets as intsets, if all of them are intsets.
fn as_numbers<'v>(sets: &[SetRef<'v>]) -> Option<Numbers<'v>> {
    sets.iter().map(|set| as_int_set(*set)).collect()
}

fn as_int_set(set: SetRef<'_>) -> Option<Cow<'_, IntSet>> {
    match set {
        SetRef::IntSet(set) => Some(Cow::Borrowed(set)),
        SetRef::Compact(set) => Some(Cow::Owned(set.to_int_set())),
        SetRef::ListPack(_) | SetRef::HashTable(_) => None,
    }
}

/// Folds `operation` over the sets, from the first on.
fn folded(sets: &[Cow<'_, IntSet>], operation: impl Fn(&IntSet, &IntSet) -> IntSet) -> IntSet {
    match sets {
        [] => IntSet::new(),
        // Members that are added one by one make the set no wider than necessary, for a source of any width.
        [only] => only.iter().collect(),
        [first, second, rest @ ..] => {
            rest.iter().fold(operation(first, second), |made, set| operation(&made, set))
        }
    }
}

/// Calls `visit` with the members that all sets have.
fn common<B>(
    sets: Sets<'_>,
    policy: &EncodingPolicy<'_>,
    mut visit: impl FnMut(Member<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let Some(sets) = all_present(sets) else { return ControlFlow::Continue(()) };
    if let Some(numbers) = as_numbers(&sets) {
        // The merge cannot stop early, but has at most a few hundred members.
        let common = folded(&numbers, |a, b| a & b);
        return common.iter().try_for_each(|number| visit(Member::Int(number)));
    }
    // Iterates over the smallest set and looks its members up in the others.
    let Some((&smallest, others)) = sets.split_first() else { return ControlFlow::Continue(()) };
    let others = indexes(others, smallest.len());
    smallest.try_for_each(|member| {
        if others.iter().all(|set| set.contains(member, None, policy)) {
            visit(member)
        } else {
            ControlFlow::Continue(())
        }
    })
}

/// The sets, the smallest first; `None` if a key does not exist, so that the intersection is empty.
fn all_present(sets: Sets<'_>) -> Option<SmallVec<[SetRef<'_>; 4]>> {
    let mut present = sets.into_iter().collect::<Option<SmallVec<[SetRef<'_>; 4]>>>()?;
    present.sort_by_key(|set| set.len());
    Some(present)
}

/// The sets, prepared for about `count` look-ups.
fn indexes<'v>(sets: &[SetRef<'v>], count: usize) -> SmallVec<[SetIndex<'v>; 4]> {
    sets.iter().map(|set| set.index(count)).collect()
}

/// Calls `visit` with the members that one of the sets has.
fn union(
    sets: &[Option<SetRef<'_>>],
    policy: &EncodingPolicy<'_>,
    mut visit: impl FnMut(Member<'_>),
) {
    let mut sets: SmallVec<[SetRef<'_>; 4]> = sets.iter().flatten().copied().collect();
    if sets.len() > 1
        && let Some(numbers) = as_numbers(&sets)
    {
        folded(&numbers, |a, b| a | b).iter().for_each(|number| visit(Member::Int(number)));
        return;
    }
    // No member of the largest set is looked up.
    sets.sort_by_key(|set| Reverse(set.len()));
    let Some((&largest, others)) = sets.split_first() else { return };
    largest.for_each(&mut visit);
    let Some((&last, between)) = others.split_last() else { return };
    let largest = largest.index(others.iter().map(|set| set.len()).sum());
    let mut seen = Entries::default();
    for set in between {
        set.for_each(|member| {
            if !largest.contains(member, None, policy) && seen.insert(Entry::from(member)) {
                visit(member);
            }
        });
    }
    last.for_each(|member| {
        if !largest.contains(member, None, policy) && !seen.contains(&Entry::from(member)) {
            visit(member);
        }
    });
}

/// The other sets that exist, the largest first, since it is the most likely to have a member.
fn others_present<'v>(sets: &[Option<SetRef<'v>>]) -> SmallVec<[SetRef<'v>; 4]> {
    let mut others: SmallVec<[SetRef<'_>; 4]> = sets.iter().skip(1).flatten().copied().collect();
    others.sort_by_key(|set| Reverse(set.len()));
    others
}

/// Calls `visit` with the members that only the first set has.
fn difference(
    sets: &[Option<SetRef<'_>>],
    policy: &EncodingPolicy<'_>,
    mut visit: impl FnMut(Member<'_>),
) {
    let Some(&Some(first)) = sets.first() else { return };
    let others = others_present(sets);
    if let (Some(first), Some(others)) = (as_int_set(first), as_numbers(&others)) {
        let rest = without(first, others);
        rest.iter().for_each(|number| visit(Member::Int(number)));
        return;
    }
    let others = indexes(&others, first.len());
    first.for_each(|member| {
        if !others.iter().any(|set| set.contains(member, None, policy)) {
            visit(member);
        }
    });
}

/// An intset without the members of others.
fn without<'v>(first: Cow<'v, IntSet>, mut others: Numbers<'v>) -> IntSet {
    others.insert(0, first);
    folded(&others, |a, b| a - b)
}

/// The intersection, in the encoding that Redis's algorithm results in.
fn intersected(sets: Sets<'_>, policy: &EncodingPolicy<'_>) -> Value {
    // An empty set is not stored, so its encoding does not matter.
    let Some(sets) = all_present(sets) else { return Value::empty_table() };
    if let Some(numbers) = as_numbers(&sets) {
        return Value::set_from_intset(folded(&numbers, |a, b| a & b), policy);
    }
    let Some((&smallest, others)) = sets.split_first() else { return Value::empty_table() };
    let others = indexes(others, smallest.len());
    let result = Value::set_of_common(smallest, policy);
    Value::set_of_some(smallest, result, policy, |member, hash| {
        others.iter().all(|set| set.contains(member, hash, policy))
    })
    .settle_common(policy)
}

/// The union, in the encoding that Redis's algorithm results in.
fn united(sets: &[Option<SetRef<'_>>], policy: &EncodingPolicy<'_>) -> Value {
    let mut sets: SmallVec<[SetRef<'_>; 4]> = sets.iter().flatten().copied().collect();
    if let Some(numbers) = as_numbers(&sets) {
        return Value::set_from_intset(folded(&numbers, |a, b| a | b), policy);
    }
    // If one set exceeds all limits, the result is a hash table in any case, and can start as a copy of it. Creating a
    // table of all members at once was measured to be slower: the list of them exceeds the CPU caches.
    let largest = sets.iter().enumerate().max_by_key(|(_, set)| set.len());
    let mut result = match largest {
        Some((at, &SetRef::HashTable(table))) if policy.is_large(table.len()) => {
            sets.remove(at);
            Value::HashTable(Box::new(table.clone()))
        }
        _ => Value::IntSet(IntSet::new()),
    };
    if let Some(mut result) = result.as_set_mut() {
        result.add_all(&sets, policy);
    }
    result
}

/// The difference, in the encoding that Redis's algorithm results in.
fn differed(sets: &[Option<SetRef<'_>>], policy: &EncodingPolicy<'_>) -> Value {
    let result = Value::IntSet(IntSet::new());
    let Some((&Some(first), others)) = sets.split_first() else { return result };
    if others.iter().flatten().any(|other| first.is(*other)) {
        return result;
    }
    // Either look up each member in every other set, or remove the members of the others from a copy: Redis estimates
    // which is less work, and a copy may have another encoding.
    let present = sets.iter().flatten();
    let asking = first.len() * present.clone().count() / 2;
    let taking: usize = present.map(|set| set.len()).sum();
    if asking <= taking {
        let others = others_present(sets);
        if let (Some(first), Some(others)) = (as_int_set(first), as_numbers(&others)) {
            return Value::set_from_intset(without(first, others), policy);
        }
        let others = indexes(&others, first.len());
        return Value::set_of_some(first, result, policy, |member, hash| {
            !others.iter().any(|set| set.contains(member, hash, policy))
        });
    }
    let mut result = Value::set_of_some(first, result, policy, |_, _| true);
    let Some(mut set) = result.as_set_mut() else { return result };
    for other in others.iter().flatten() {
        other.for_each(|member| {
            set.remove(member, policy);
        });
        if set.as_ref().len() == 0 {
            break;
        }
    }
    result
}
