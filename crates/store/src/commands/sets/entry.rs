//! The entry of a set.

use std::collections::HashSet;

use ahash::RandomState;
use bytes::Bytes;
use intset::Prefix;

use crate::commands::{checked, entry_of};
use crate::error::Result;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::Random;
use crate::store::slot::{Entry, Expires, Outcome, args_of};
use crate::to_member::ToMember;
use crate::value::{Extracted, SetMut, SetRef, Value};

/// The set at a key, with one look-up and one type check: see [`Store::with_set`](crate::Store::with_set).
///
/// A key that does not exist is an empty set, and the key is removed with the last member.
pub type SetEntry<'e> = Entry<'e, SetKind>;

entry_of!(SetEntry, SetKind, with_set, "set", |value| value.as_set().is_some());

impl SetEntry<'_> {
    #[inline]
    fn value_ref(&self) -> Option<SetRef<'_>> {
        self.value().and_then(Value::as_set)
    }

    /// Returns the number of members. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.value_ref().map_or(0, SetRef::len)
    }

    /// Returns whether there are no members. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether this is a member. O(1) in a hash table, O(log members) in an intset.
    #[must_use]
    pub fn contains(&self, member: impl ToMember) -> bool {
        member.with_member(|member| {
            self.value_ref().is_some_and(|set| set.contains(member, &self.policy()))
        })
    }

    /// Calls `visit` with each member, in ascending order for an intset. O(members).
    pub fn for_each(&self, visit: impl FnMut(Member<'_>)) {
        if let Some(set) = self.value_ref() {
            set.for_each(visit);
        }
    }

    /// Adds a member; returns whether it is new. O(1) in a hash table, O(members) in an intset of at most 512.
    ///
    /// # Errors
    ///
    /// The member exceeds 512 MiB.
    #[inline]
    pub fn add(&mut self, member: impl ToMember) -> Result<bool> {
        member.with_member(|member| Ok(self.add_all(&[checked(member)?]) == 1))
    }

    /// Adds members; returns the number of new ones.
    #[inline]
    pub(crate) fn add_all(&mut self, members: &[Member<'_>]) -> usize {
        let Some(&first) = members.first() else { return 0 };
        let policy = &self.policy();
        self.announce_members(members.iter().copied());
        let added = self.edit_or_make(
            || Value::set_for(first, members.len(), policy),
            |value| {
                let Some(mut set) = value.as_set_mut() else { return (0, Outcome::Same) };
                set.expect(members.len(), policy);
                let added = set.add_each(members, policy);
                (added, Outcome::changed(added > 0))
            },
            |_| ("SADD", words(members)),
        );
        added.unwrap_or(0)
    }

    /// Removes a member; returns whether it existed. O(1) in a hash table, O(members) in an intset.
    pub fn remove(&mut self, member: impl ToMember) -> bool {
        member.with_member(|member| self.remove_all(&[member]) == 1)
    }

    /// Removes members; returns how many existed.
    #[inline]
    pub(crate) fn remove_all(&mut self, members: &[Member<'_>]) -> usize {
        let policy = self.policy();
        self.announce_members(members.iter().copied());
        let removed = self.edit(
            |value| {
                let Some(mut set) = value.as_set_mut() else { return (0, Outcome::Same) };
                let removed = set.change_each(members, &policy, SetMut::remove);
                (removed, outcome(removed, set.as_ref().len()))
            },
            |_| ("SREM", words(members)),
        );
        removed.unwrap_or(0)
    }

    /// Adds an id that shares the high bits of `prefix`; returns whether it is new. An intset becomes
    /// [compact](Self::compact) first, if all of its members share them.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[inline]
    pub fn add_within(&mut self, id: i64, prefix: Prefix) -> Result<bool> {
        // A hash table is not converted: otherwise each addition would scan it.
        if matches!(self.value(), Some(Value::IntSet(_))) {
            self.compact(prefix);
        }
        self.add(id)
    }

    /// Stores a set of ids that all share the high bits of `prefix` as a [`Compact`](intset::Compact), which takes less
    /// memory; returns `false` if that is not possible. Commands, DUMP and files show an intset. A member that does not
    /// fit converts it back to an intset. O(members).
    pub fn compact(&mut self, prefix: Prefix) -> bool {
        // The same members in an encoding that only this process knows: there is no change to report.
        let compacted = self.edit(
            |value| {
                value.compact(prefix);
                (matches!(value, Value::Compact(_)), Outcome::Same)
            },
            |_| ("", Vec::new()),
        );
        compacted.unwrap_or(false)
    }

    /// Removes the members for which `chosen` returns true, and returns them.
    pub(super) fn extract_if(&mut self, chosen: impl FnMut(Member<'_>) -> bool) -> Extracted {
        let policy = self.policy();
        let extraction = self.value().and_then(|value| value.to_extract(chosen));
        let Some(extraction) = extraction.filter(|extraction| extraction.extracted.len() > 0)
        else {
            return Extracted::default();
        };
        if extraction.left == 0 {
            self.remove_key(("SREM", || words(&extraction.extracted.members())));
            return extraction.extracted;
        }
        self.announce_members(extraction.extracted.members());
        let extracted = self.edit(
            |value| (value.extract(extraction, &policy), Outcome::Changed),
            |extracted| ("SREM", words(&extracted.members())),
        );
        extracted.unwrap_or_default()
    }

    /// Adds members that were removed from another set.
    pub(super) fn append(&mut self, extracted: &Extracted) {
        let members = extracted.members();
        match extracted {
            Extracted::Numbers(numbers) if !numbers.is_empty() && !self.exists() => {
                let set = Value::set_from_intset(numbers.iter().copied().collect(), &self.policy());
                self.put(set, Expires::Keep, ("SADD", || words(&members)));
            }
            Extracted::Numbers(_) | Extracted::Members(_) => {
                self.add_all(&members);
            }
        }
    }

    /// Removes `count` random members, or all; returns them.
    pub(crate) fn pop(&mut self, count: usize) -> Vec<Bytes> {
        let policy = self.policy();
        let random = self.shared().random();
        let Some(set) = self.value_ref().filter(|_| count > 0) else { return Vec::new() };
        let len = set.len();
        let drawn: Vec<Bytes> =
            set.sample(count, random).into_iter().map(Member::to_bytes).collect();
        let left = len - drawn.len();
        if left == 0 {
            self.remove_key(("SREM", || drawn.clone()));
        } else if left * REBUILD <= count {
            let rest = rest(set, &drawn, random, &policy);
            self.put(rest, Expires::Keep, ("SREM", || drawn.clone()));
        } else {
            self.announce_members(drawn.iter().map(Member::from));
            self.edit(
                |value| {
                    let Some(mut set) = value.as_set_mut() else { return ((), Outcome::Same) };
                    for member in &drawn {
                        set.remove(Member::from(member), &policy);
                    }
                    ((), Outcome::Changed)
                },
                |()| ("SREM", drawn.clone()),
            );
        }
        drawn
    }
}

fn words(members: &[Member<'_>]) -> Vec<Bytes> {
    args_of(members.iter().map(|member| member.to_bytes()))
}

/// The outcome of removing that many members from a set that has so many left.
const fn outcome(removed: usize, left: usize) -> Outcome {
    if left == 0 { Outcome::Emptied } else { Outcome::changed(removed > 0) }
}

/// If this many times the rest is not more than the number of removed members, Redis creates a new set of the rest,
/// with the encoding of a new set.
const REBUILD: usize = 5;

/// A new set of the members that were not drawn, in the encoding that Redis's algorithm results in.
fn rest(set: SetRef<'_>, drawn: &[Bytes], random: &Random, policy: &EncodingPolicy<'_>) -> Value {
    let drawn: HashSet<&[u8], RandomState> = drawn.iter().map(|member| &**member).collect();
    let mut kept = Vec::new();
    set.for_each(|member| {
        if !member.with_bytes(|bytes| drawn.contains(bytes)) {
            kept.push(member);
        }
    });
    if matches!(set, SetRef::HashTable(_)) {
        // Redis draws them at random too, and the initial encoding may depend on the first.
        let first = random.below(kept.len());
        kept.swap(0, first);
    }
    let mut new = Value::set_of_rest(set, kept[0], policy);
    if let Some(mut new) = new.as_set_mut() {
        for member in kept {
            new.add(member, policy);
        }
    }
    new
}
