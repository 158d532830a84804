//! SINTER, SUNION, SDIFF and their STORE forms.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use bytes::Bytes;
use intset::{Each, IntSet};
use smallvec::SmallVec;

use super::set_at;
use crate::commands::gathered::Gathered;
use crate::commands::slices;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::rules::Rules;
use crate::store::door::{Door, View};
use crate::value::{SetRef, Value};

/// What is made of several sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Inter,
    Union,
    Diff,
}

/// The sets of a call; `None` for a key that is not there.
type Sets<'v> = SmallVec<[Option<SetRef<'v>>; 4]>;

/// The sets at the keys, all of which are looked at before anything is done.
fn sets_at<'v>(view: &View<'v>, keys: &[HashedKey<'_>]) -> Result<Sets<'v>, Error> {
    keys.iter().map(|&key| set_at(view, key)).collect()
}

/// Members of the result.
pub(super) fn read(
    view: &View<'_>,
    operation: Operation,
    keys: &[HashedKey<'_>],
) -> Result<Vec<Bytes>, Error> {
    let sets = sets_at(view, keys)?;
    let rules = view.rules();
    let mut gathered = Gathered::with_capacity(0);
    match operation {
        Operation::Inter => {
            let _: ControlFlow<()> = common(sets, &rules, |member| {
                gathered.push(member);
                ControlFlow::Continue(())
            });
        }
        Operation::Diff => difference(&sets, &rules, |member| gathered.push(member)),
        Operation::Union => {
            match sets.iter().flatten().copied().collect::<SmallVec<[_; 4]>>()[..] {
                [] => {}
                [only] => only.for_each(|member| gathered.push(member)),
                _ => {
                    let united = united(&sets, &rules);
                    united
                        .as_set()
                        .into_iter()
                        .for_each(|set| set.for_each(|member| gathered.push(member)));
                }
            }
        }
    }
    Ok(gathered.finish())
}

/// How many members all sets have, up to a limit that is not 0.
pub(super) fn count_common(
    view: &View<'_>,
    keys: &[HashedKey<'_>],
    limit: usize,
) -> Result<usize, Error> {
    let mut count = 0;
    let _ = common(sets_at(view, keys)?, &view.rules(), |_| {
        count += 1;
        if count == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    Ok(count)
}

/// Puts the result at a key.
pub(super) fn store<K: AsRef<[u8]>>(
    door: &(impl Door + ?Sized),
    operation: Operation,
    destination: &[u8],
    of: &[K],
) -> Result<usize, Error> {
    let mut all = slices(of);
    all.insert(0, destination);
    door.write(&all, |scope, keys| {
        let Some((&destination, sources)) = keys.split_first() else { return Ok(0) };
        // Through the door, so that a source that has expired is dropped for the sinks too.
        for &key in sources {
            scope.change(key, |_| ());
        }
        let (name, result) = made(&scope.view(), operation, sources)?;
        let count = result.as_set().map_or(0, SetRef::len);
        scope.change(destination, |slot| {
            if count == 0 {
                if slot.remove() {
                    slot.changed("DEL", Vec::new);
                }
            } else {
                slot.put(result);
                slot.set_expiry(None);
                slot.changed(name, || {
                    sources.iter().map(|key| Bytes::copy_from_slice(key.bytes)).collect()
                });
            }
        });
        Ok(count)
    })
}

/// The set that a STORE form makes, and its name.
fn made(
    view: &View<'_>,
    operation: Operation,
    sources: &[HashedKey<'_>],
) -> Result<(&'static str, Value), Error> {
    let (sets, rules) = (sets_at(view, sources)?, view.rules());
    Ok(match operation {
        Operation::Inter => ("SINTERSTORE", intersected(sets, &rules)),
        Operation::Union => ("SUNIONSTORE", united(&sets, &rules)),
        Operation::Diff => ("SDIFFSTORE", differed(&sets, &rules)),
    })
}

/// Hands over the members that all sets have.
fn common<B>(
    sets: Sets<'_>,
    rules: &Rules<'_>,
    mut visit: impl FnMut(Member<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let Some(mut sets) = sets.into_iter().collect::<Option<SmallVec<[SetRef<'_>; 4]>>>() else {
        return ControlFlow::Continue(());
    };
    // The smallest is gone through, the others are asked.
    sets.sort_by_key(|set| set.len());
    let Some((&smallest, others)) = sets.split_first() else { return ControlFlow::Continue(()) };
    if let (SetRef::IntSet(a), &[SetRef::IntSet(b)]) = (smallest, others) {
        return try_common_numbers(a, b, |number| visit(Member::Int(number)));
    }
    smallest.try_for_each(|member| {
        if others.iter().all(|set| set.contains(member, rules)) {
            visit(member)
        } else {
            ControlFlow::Continue(())
        }
    })
}

/// The merge of two intsets does not stop half way, which is for at most a few hundred members.
fn try_common_numbers<B>(
    a: &IntSet,
    b: &IntSet,
    mut visit: impl FnMut(i64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut flow = ControlFlow::Continue(());
    a.intersection(
        b,
        &mut Each(|number| {
            if flow.is_continue() {
                flow = visit(number);
            }
        }),
    );
    flow
}

/// Hands over the members that the first set has and no other.
fn difference(sets: &[Option<SetRef<'_>>], rules: &Rules<'_>, mut visit: impl FnMut(Member<'_>)) {
    let Some((&Some(first), others)) = sets.split_first() else { return };
    let mut others: SmallVec<[SetRef<'_>; 4]> = others.iter().flatten().copied().collect();
    if let (SetRef::IntSet(a), &[SetRef::IntSet(b)]) = (first, &others[..]) {
        a.difference(b, &mut Each(|number| visit(Member::Int(number))));
        return;
    }
    // The largest first: it is the likeliest to have the member.
    others.sort_by_key(|set| Reverse(set.len()));
    first.for_each(|member| {
        if !others.iter().any(|set| set.contains(member, rules)) {
            visit(member);
        }
    });
}

/// The set of what all sets have, in the encoding that Redis comes to.
fn intersected(sets: Sets<'_>, rules: &Rules<'_>) -> Value {
    let smallest = sets.iter().flatten().min_by_key(|set| set.len());
    let Some(&smallest) = smallest else { return Value::empty_table() };
    let mut result = Value::set_of_common(smallest, rules);
    if let Some(mut set) = result.as_set_mut() {
        let _: ControlFlow<()> = common(sets, rules, |member| {
            set.add(member, rules);
            ControlFlow::Continue(())
        });
    }
    result.settle_common(rules)
}

/// The set of what any set has, in the encoding that Redis comes to.
fn united(sets: &[Option<SetRef<'_>>], rules: &Rules<'_>) -> Value {
    let mut sets: SmallVec<[SetRef<'_>; 4]> = sets.iter().flatten().copied().collect();
    // With one set that is past all limits the result is a hash table whatever comes first, and can begin as a copy.
    let largest = sets.iter().enumerate().max_by_key(|(_, set)| set.len());
    let mut result = match largest {
        Some((at, &SetRef::HashTable(table))) if rules.is_large(table.len()) => {
            sets.remove(at);
            Value::HashTable(Box::new(table.clone()))
        }
        _ => Value::IntSet(IntSet::new()),
    };
    if let (Value::IntSet(union), [SetRef::IntSet(a), SetRef::IntSet(b)]) = (&mut result, &sets[..])
        && a.len() + b.len() <= rules.limits.set_max_intset_entries
    {
        a.union(b, union);
        return result;
    }
    if let Some(mut result) = result.as_set_mut() {
        for set in sets {
            set.for_each(|member| {
                result.add(member, rules);
            });
        }
    }
    result
}

/// The set of what the first set has and no other, in the encoding that Redis comes to.
fn differed(sets: &[Option<SetRef<'_>>], rules: &Rules<'_>) -> Value {
    let mut result = Value::IntSet(IntSet::new());
    let Some((&Some(first), others)) = sets.split_first() else { return result };
    let Some(mut set) = result.as_set_mut() else { return result };
    if others.iter().flatten().any(|other| same(first, *other)) {
        return result;
    }
    // Asking every other set for each member, or taking the members of the others out of a copy: Redis estimates which is
    // less work, and a copy may have another encoding.
    let present = sets.iter().flatten();
    let asking = first.len() * present.clone().count() / 2;
    let taking: usize = present.map(|set| set.len()).sum();
    if asking <= taking {
        difference(sets, rules, |member| {
            set.add(member, rules);
        });
        return result;
    }
    first.for_each(|member| {
        set.add(member, rules);
    });
    for other in others.iter().flatten() {
        other.for_each(|member| {
            set.remove(member, rules);
        });
        if set.as_ref().len() == 0 {
            break;
        }
    }
    result
}

/// Whether these are one and the same set.
fn same(a: SetRef<'_>, b: SetRef<'_>) -> bool {
    match (a, b) {
        (SetRef::IntSet(a), SetRef::IntSet(b)) => std::ptr::eq(a, b),
        (SetRef::ListPack(a), SetRef::ListPack(b)) => std::ptr::eq(a, b),
        (SetRef::HashTable(a), SetRef::HashTable(b)) => std::ptr::eq(a, b),
        (SetRef::IntSet(_) | SetRef::ListPack(_) | SetRef::HashTable(_), _) => false,
    }
}
