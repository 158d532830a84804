//! Changing a set, and with it its encoding.

use std::collections::HashSet;
use std::ops::ControlFlow;

use ahash::RandomState;
use extendible::Extendible;
use intset::{Compact, IntSet};
use listpack::{Entry, ListPack};

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::{AT_ONCE, Members, Value};

/// A set, to be changed: it may turn into another encoding.
#[derive(Debug)]
pub(crate) struct SetMut<'a>(&'a mut Value);

/// Why an encoding does not take a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// A text, for an intset.
    NotInteger,
    /// A number that a compact set does not hold.
    Outside,
    /// An intset is over its limit, with the member in it already: Redis converts after the insert.
    Outgrown,
    /// A listpack is full, or the member is too long for one.
    NoRoom,
}

impl Value {
    /// The set, if it is one, to be changed.
    #[inline]
    pub(crate) const fn as_set_mut(&mut self) -> Option<SetMut<'_>> {
        if self.as_set().is_some() { Some(SetMut(self)) } else { None }
    }

    /// The empty set with which a command begins that is about to add `count` members, `first` the first of them.
    pub(crate) fn set_for(first: Member<'_>, count: usize, policy: &EncodingPolicy<'_>) -> Self {
        let hint = policy.size_hint(count);
        if first.as_int().is_some()
            && hint.is_none_or(|n| n <= policy.settings.set_max_intset_entries())
        {
            Self::IntSet(IntSet::new())
        } else if hint.is_some_and(|n| n <= policy.listpack_entries()) {
            Self::ListPack(ListPack::new())
        } else {
            Self::empty_table()
        }
    }

    /// The empty set with which SPOP begins when it takes out so much of a set that it makes a new one, `first` the
    /// first member of that.
    pub(crate) fn set_of_rest(
        from: SetRef<'_>,
        first: Member<'_>,
        policy: &EncodingPolicy<'_>,
    ) -> Self {
        if !policy.profile.set_listpacks() {
            return Self::set_for(first, 1, policy);
        }
        match from {
            SetRef::IntSet(_) | SetRef::Compact(_) => Self::IntSet(IntSet::new()),
            SetRef::ListPack(_) | SetRef::HashTable(_) => Self::ListPack(ListPack::new()),
        }
    }

    /// The empty set with which SINTERSTORE begins, `smallest` the smallest of its sources.
    pub(crate) fn set_of_common(smallest: SetRef<'_>, policy: &EncodingPolicy<'_>) -> Self {
        match smallest {
            SetRef::ListPack(_) | SetRef::HashTable(_) if policy.profile.set_listpacks() => {
                Self::ListPack(ListPack::new())
            }
            SetRef::IntSet(_) | SetRef::Compact(_) | SetRef::ListPack(_) | SetRef::HashTable(_) => {
                Self::IntSet(IntSet::new())
            }
        }
    }

    /// Makes an intset of a set that SINTERSTORE has built, if the profile does so and all members are integers.
    pub(crate) fn settle_common(self, policy: &EncodingPolicy<'_>) -> Self {
        let fits = |set: SetRef<'_>| {
            policy.profile.set_listpacks()
                && !matches!(set, SetRef::IntSet(_) | SetRef::Compact(_))
                && set.len() <= policy.settings.set_max_intset_entries()
        };
        let numbers = self.as_set().filter(|set| fits(*set)).and_then(SetRef::numbers);
        numbers.map_or(self, |numbers| Self::IntSet(numbers.into_iter().collect()))
    }

    /// Adds to `result`, which is empty, those members of a set that `keep` is for; it gets the hash of a member's text
    /// where that is known.
    pub(crate) fn set_of_some<'a>(
        of: SetRef<'a>,
        mut result: Self,
        policy: &EncodingPolicy<'_>,
        mut keep: impl FnMut(Member<'a>, Option<u64>) -> bool,
    ) -> Self {
        let SetRef::HashTable(table) = of else {
            let mut set = SetMut(&mut result);
            of.for_each(|member| {
                if keep(member, None) {
                    set.add(member, policy);
                }
            });
            return result;
        };
        // The members of a table are hashed once: to ask other tables for them, and to put them into one.
        let mut kept: Vec<(u64, &[u8])> = Vec::new();
        for_each_hashed(table, policy, |hashed, bytes| {
            if keep(Member::Bytes(bytes), Some(hashed)) {
                kept.push((hashed, bytes));
            }
        });
        if policy.is_large(kept.len()) {
            return Self::HashTable(Box::new(Members::of_hashed(&kept)));
        }
        let mut set = SetMut(&mut result);
        for (_, bytes) in kept {
            set.add(Member::Bytes(bytes), policy);
        }
        result
    }

    /// The empty set with which the loading of `count` members begins.
    pub(crate) fn set_to_load(count: usize, policy: &EncodingPolicy<'_>) -> Self {
        Self::set_to_sample(count, count, policy)
    }

    /// The same for a sample of so many of the members.
    pub(crate) fn set_to_sample(sample: usize, count: usize, policy: &EncodingPolicy<'_>) -> Self {
        if count > policy.settings.set_max_intset_entries() {
            Self::HashTable(Box::new(Members::to_load(0, sample)))
        } else {
            Self::IntSet(IntSet::new())
        }
    }

    /// The set that an intset becomes when it is loaded under this policy.
    pub(crate) fn set_from_intset(set: IntSet, policy: &EncodingPolicy<'_>) -> Self {
        if set.len() > policy.settings.set_max_intset_entries() {
            hash_table(SetRef::IntSet(&set), policy)
        } else {
            Self::IntSet(set)
        }
    }

    /// The set that a listpack becomes when it is loaded under this policy; `None` if it has a member twice.
    pub(crate) fn set_from_listpack(list: ListPack, policy: &EncodingPolicy<'_>) -> Option<Self> {
        let mut seen: HashSet<Entry<'_>, RandomState> = HashSet::default();
        if !list.iter().all(|entry| seen.insert(entry)) {
            return None;
        }
        if list.len() <= policy.listpack_entries() {
            return Some(Self::ListPack(list));
        }
        if policy.profile.set_listpacks() {
            return Some(hash_table(SetRef::ListPack(&list), policy));
        }
        // Servers of this line have no such sets: their own way of loading members decides.
        let mut set = Self::set_to_load(list.len(), policy);
        list.iter().for_each(|entry| {
            SetMut(&mut set).add(entry.into(), policy);
        });
        Some(set)
    }

    /// The empty hash table.
    pub(crate) fn empty_table() -> Self {
        Self::HashTable(Box::new(Extendible::new(0)))
    }
}

impl SetMut<'_> {
    /// The set, to be read.
    #[inline]
    pub(crate) const fn as_ref(&self) -> SetRef<'_> {
        match self.0.as_set() {
            Some(set) => set,
            None => unreachable!(),
        }
    }

    /// Gets ready for a command that is about to add `count` members.
    #[inline]
    pub(crate) fn expect(&mut self, count: usize, policy: &EncodingPolicy<'_>) {
        let Some(hint) = policy.size_hint(count) else { return };
        let outgrown = match self.as_ref() {
            SetRef::IntSet(_) => hint > policy.settings.set_max_intset_entries(),
            SetRef::ListPack(_) => hint > policy.listpack_entries(),
            SetRef::Compact(_) | SetRef::HashTable(_) => false,
        };
        if outgrown {
            *self.0 = hash_table(self.as_ref(), policy);
        }
    }

    /// Adds a member; `true` if it is new.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a set")]
    #[inline]
    pub(crate) fn add(&mut self, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        // Each arm returns by itself: one match on what all of them give takes a few instructions more.
        let refused = match self.0 {
            Value::IntSet(set) => match add_int(set, member, policy) {
                Ok(added) => return added,
                Err(refused) => refused,
            },
            Value::Compact(set) => match add_sharing(set, member) {
                Ok(added) => return added,
                Err(refused) => refused,
            },
            Value::ListPack(list) => match add_entry(list, member, policy) {
                Ok(added) => return added,
                Err(refused) => refused,
            },
            Value::HashTable(table) => {
                return member.with_bytes(|bytes| add_bytes(table, bytes, policy));
            }
            _ => return false,
        };
        self.promote(refused, member, policy);
        refused == Refused::Outgrown || self.add(member, policy)
    }

    /// Adds or removes members, as `change` does; returns how many it has changed.
    #[inline]
    pub(crate) fn change_each(
        &mut self,
        members: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
        change: impl Fn(&mut Self, Member<'_>, &EncodingPolicy<'_>) -> bool,
    ) -> usize {
        if let [member] = members {
            return change(self, *member, policy).into();
        }
        let mut changed = 0;
        for members in members.chunks(AT_ONCE) {
            self.as_ref().prefetch(members, policy);
            changed += members.iter().filter(|&&member| change(self, member, policy)).count();
        }
        changed
    }

    /// Turns the set into an encoding that takes the member.
    #[cold]
    fn promote(&mut self, why: Refused, member: Member<'_>, policy: &EncodingPolicy<'_>) {
        let next = match (self.as_ref(), why) {
            (SetRef::IntSet(set), Refused::NotInteger) if fits_listpack(set, member, policy) => {
                list_of(set)
            }
            // What an intset does not take either is refused again.
            (SetRef::Compact(set), Refused::NotInteger | Refused::Outside) => {
                Value::IntSet(set.to_int_set())
            }
            (set, _) => hash_table(set, policy),
        };
        *self.0 = next;
    }

    /// Removes a member; `true` if it was there.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a set")]
    pub(crate) fn remove(&mut self, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        match self.0 {
            Value::IntSet(set) => member.as_int().is_some_and(|number| set.remove(number)),
            Value::Compact(set) => member.as_int().is_some_and(|number| set.remove(number)),
            Value::ListPack(list) => {
                list.find(Entry::from(member)).is_some_and(|found| list.delete(found))
            }
            Value::HashTable(table) => member.with_bytes(|bytes| {
                table.remove(policy.hash(bytes), bytes, &|bytes| policy.hash(bytes))
            }),
            _ => false,
        }
    }
}

/// Adds a member to an intset: refuses what is no integer, and reports when the set has outgrown the limit by this
/// member.
#[inline]
fn add_int(
    set: &mut IntSet,
    member: Member<'_>,
    policy: &EncodingPolicy<'_>,
) -> Result<bool, Refused> {
    let number = member.as_int().ok_or(Refused::NotInteger)?;
    if !set.insert(number) {
        return Ok(false);
    }
    if set.len() > policy.settings.set_max_intset_entries() {
        Err(Refused::Outgrown)
    } else {
        Ok(true)
    }
}

/// A member for a compact set: refuses what is no integer, does not share the high bits, or is one too many.
#[inline]
fn add_sharing(set: &mut Compact, member: Member<'_>) -> Result<bool, Refused> {
    let number = member.as_int().ok_or(Refused::NotInteger)?;
    set.try_insert(number).map_err(|_| Refused::Outside)
}

/// A member for a listpack.
fn add_entry(
    list: &mut ListPack,
    member: Member<'_>,
    policy: &EncodingPolicy<'_>,
) -> Result<bool, Refused> {
    let entry = Entry::from(member);
    if list.contains(entry) {
        return Ok(false);
    }
    let fits = list.len() < policy.listpack_entries()
        && entry.text_len() <= policy.settings.set_max_listpack_value();
    if !fits {
        return Err(Refused::NoRoom);
    }
    list.push_back(entry).map(|()| true).map_err(|_| Refused::NoRoom)
}

fn add_bytes(table: &mut Members, bytes: &[u8], policy: &EncodingPolicy<'_>) -> bool {
    let hashed = policy.hash(bytes);
    if table.bucket(hashed).is_some_and(|bucket| bucket.contains(hashed, bytes)) {
        return false;
    }
    let rehash = |bytes: &[u8]| policy.hash(bytes);
    table.insert(hashed, &rehash, |bucket| bucket.insert(hashed, bytes));
    true
}

/// Hands over the members of a table with their hashes, and nearly in their order: another table that is asked for them
/// is asked in the order of its memory.
fn for_each_hashed<'t>(
    table: &'t Members,
    policy: &EncodingPolicy<'_>,
    mut visit: impl FnMut(u64, &'t [u8]),
) {
    for bucket in table.buckets_by_hash() {
        let _: ControlFlow<()> = bucket.try_for_each(&mut |bytes| {
            visit(policy.hash(bytes), bytes);
            ControlFlow::Continue(())
        });
    }
}

/// Whether an intset and a text together make a listpack.
fn fits_listpack(set: &IntSet, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
    let longest = policy.settings.set_max_listpack_value();
    // The longest texts of integers are those of the least and the greatest.
    let ends = [set.first(), set.last()];
    set.len() < policy.listpack_entries()
        && Entry::from(member).text_len() <= longest
        && ends.into_iter().flatten().all(|end| Entry::Int(end).text_len() <= longest)
}

fn list_of(set: &IntSet) -> Value {
    let mut list = ListPack::new();
    for number in set {
        // An entry takes eleven bytes at most and an intset has few: a listpack holds a gigabyte.
        if list.push_back(number).is_err() {
            debug_assert!(false, "an intset fits into a listpack");
        }
    }
    Value::ListPack(list)
}

/// The same members in a hash table.
fn hash_table(set: SetRef<'_>, policy: &EncodingPolicy<'_>) -> Value {
    let mut table = Box::new(Extendible::new(0));
    set.for_each(|member| {
        member.with_bytes(|bytes| add_bytes(&mut table, bytes, policy));
    });
    Value::HashTable(table)
}
