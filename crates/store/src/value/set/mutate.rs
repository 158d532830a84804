//! Changes of a set and of its encoding.

use std::ops::ControlFlow;

use extendible::Extendible;
use intset::{Compact, IntSet};
use listpack::{Entry, ListPack};

use super::SetRef;
use super::index::Entries;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::lookups::is_hashed;
use crate::value::{AT_ONCE, Members, Value};

/// A mutable set, which may change its encoding.
#[derive(Debug)]
pub(crate) struct SetMut<'a>(&'a mut Value);

/// Why an encoding cannot store a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// The member is not an integer, for an intset.
    NotInteger,
    /// The number does not fit a compact set.
    Outside,
    /// The intset exceeds its limit, with the member already added: Redis converts after the insertion.
    Outgrown,
    /// The listpack is full, or the member is too long for it.
    NoRoom,
}

impl Value {
    /// The set, if it is one, mutable.
    #[inline]
    pub(crate) const fn as_set_mut(&mut self) -> Option<SetMut<'_>> {
        if self.as_set().is_some() { Some(SetMut(self)) } else { None }
    }

    /// The empty set for a command that will add `count` members, `first` being the first.
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

    /// The empty set for an SPOP that removes so many members that it creates a new set of the rest, `first` being its
    /// first member.
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

    /// The empty set for SINTERSTORE, `smallest` being the smallest source.
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

    /// Converts the result of SINTERSTORE to an intset, if the profile does so and all members are integers.
    pub(crate) fn settle_common(self, policy: &EncodingPolicy<'_>) -> Self {
        let fits = |set: SetRef<'_>| {
            policy.profile.set_listpacks()
                && !matches!(set, SetRef::IntSet(_) | SetRef::Compact(_))
                && set.len() <= policy.settings.set_max_intset_entries()
        };
        let numbers = self.as_set().filter(|set| fits(*set)).and_then(SetRef::numbers);
        numbers.map_or(self, |numbers| Self::IntSet(numbers.into_iter().collect()))
    }

    /// Adds to `result`, which is empty, those members of a set for which `keep` returns true; it also receives the
    /// hash of a member's text if that is known.
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
                    set.append(member, policy);
                }
            });
            return result;
        };
        // The members of a table are hashed once, for look-ups in other tables and for the insertion.
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
            set.append(Member::Bytes(bytes), policy);
        }
        result
    }

    /// The empty set into which `count` members are loaded.
    pub(crate) fn set_to_load(count: usize, policy: &EncodingPolicy<'_>) -> Self {
        Self::set_to_sample(count, count, policy)
    }

    /// The same for a sample of the members.
    pub(crate) fn set_to_sample(sample: usize, count: usize, policy: &EncodingPolicy<'_>) -> Self {
        if count > policy.settings.set_max_intset_entries() {
            Self::HashTable(Box::new(Members::to_load(0, sample)))
        } else {
            Self::IntSet(IntSet::new())
        }
    }

    /// The set to which an intset is converted when it is loaded with this policy.
    pub(crate) fn set_from_intset(set: IntSet, policy: &EncodingPolicy<'_>) -> Self {
        if set.len() > policy.settings.set_max_intset_entries() {
            hash_table(SetRef::IntSet(&set), policy)
        } else {
            Self::IntSet(set)
        }
    }

    /// The set to which a listpack is converted when it is loaded with this policy; `None` if it has a duplicate
    /// member.
    pub(crate) fn set_from_listpack(list: ListPack, policy: &EncodingPolicy<'_>) -> Option<Self> {
        let mut seen = Entries::default();
        if !list.iter().all(|entry| seen.insert(entry)) {
            return None;
        }
        if list.len() <= policy.listpack_entries() {
            return Some(Self::ListPack(list));
        }
        if policy.profile.set_listpacks() {
            return Some(hash_table(SetRef::ListPack(&list), policy));
        }
        // Servers of this series have no such sets: their rules for loading members decide.
        let mut set = Self::set_to_load(list.len(), policy);
        list.iter().for_each(|entry| {
            SetMut(&mut set).add(entry.into(), policy);
        });
        Some(set)
    }

    /// An empty hash table.
    pub(crate) fn empty_table() -> Self {
        Self::HashTable(Box::new(Extendible::new(0)))
    }
}

impl SetMut<'_> {
    /// The set, read-only.
    #[inline]
    pub(crate) const fn as_ref(&self) -> SetRef<'_> {
        match self.0.as_set() {
            Some(set) => set,
            None => unreachable!(),
        }
    }

    /// Prepares the encoding for a command that will add `count` members.
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

    /// Adds a member; returns whether it is new.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a set")]
    #[inline]
    pub(crate) fn add(&mut self, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        // Each arm returns by itself: one match on all results takes a few instructions more.
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

    /// Adds a member that the set does not have: a listpack is not searched for it.
    #[inline(never)]
    fn append(&mut self, member: Member<'_>, policy: &EncodingPolicy<'_>) {
        if let Value::ListPack(list) = self.0 {
            match push_entry(list, Entry::from(member), policy) {
                Ok(()) => return,
                Err(refused) => self.promote(refused, member, policy),
            }
        }
        self.add(member, policy);
    }

    /// Adds members; returns how many are new.
    #[inline]
    pub(crate) fn add_each(
        &mut self,
        members: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
    ) -> usize {
        if let SetRef::ListPack(list) = self.as_ref()
            // On average, half of the new members are there when one is looked up.
            && is_hashed(list.len() + members.len() / 2, members.len())
        {
            let mut seen: Entries<'_> = list.iter().collect();
            let members = members.iter().copied();
            let new: Vec<Member<'_>> =
                members.filter(|&member| seen.insert(Entry::from(member))).collect();
            for &member in &new {
                self.append(member, policy);
            }
            return new.len();
        }
        self.change_each(members, policy, Self::add)
    }

    /// Adds the members of other sets; this one is empty or a hash table.
    pub(crate) fn add_all(&mut self, sets: &[SetRef<'_>], policy: &EncodingPolicy<'_>) {
        let count = sets.iter().map(|set| set.len()).sum();
        let hashes = is_hashed(count, count);
        // The members, as long as the set is not a hash table: it is not searched for each member.
        let mut seen = Entries::default();
        for set in sets {
            set.for_each(|member| {
                if !hashes || matches!(self.0, Value::HashTable(_)) {
                    self.add(member, policy);
                } else if seen.insert(Entry::from(member)) {
                    self.append(member, policy);
                }
            });
        }
    }

    /// Adds or removes members with `change`; returns how many it has changed.
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

    /// Converts the set to an encoding that can store the member.
    #[cold]
    fn promote(&mut self, why: Refused, member: Member<'_>, policy: &EncodingPolicy<'_>) {
        let next = match (self.as_ref(), why) {
            (SetRef::IntSet(set), Refused::NotInteger) if fits_listpack(set, member, policy) => {
                list_of(set)
            }
            // What an intset cannot store either is refused again.
            (SetRef::Compact(set), Refused::NotInteger | Refused::Outside) => {
                Value::IntSet(set.to_int_set())
            }
            (set, _) => hash_table(set, policy),
        };
        *self.0 = next;
    }

    /// Removes a member; returns whether it existed.
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

/// Adds a member to an intset: refuses one that is not an integer, and reports that the set exceeds its limit with it.
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

/// Adds a member to a compact set: refuses one that is not an integer, does not share the high bits, or exceeds the
/// maximum size.
#[inline]
fn add_sharing(set: &mut Compact, member: Member<'_>) -> Result<bool, Refused> {
    let number = member.as_int().ok_or(Refused::NotInteger)?;
    set.try_insert(number).map_err(|_| Refused::Outside)
}

/// Adds a member to a listpack.
fn add_entry(
    list: &mut ListPack,
    member: Member<'_>,
    policy: &EncodingPolicy<'_>,
) -> Result<bool, Refused> {
    let entry = Entry::from(member);
    if list.contains(entry) { Ok(false) } else { push_entry(list, entry, policy).map(|()| true) }
}

/// Adds an entry that the listpack does not have.
fn push_entry(
    list: &mut ListPack,
    entry: Entry<'_>,
    policy: &EncodingPolicy<'_>,
) -> Result<(), Refused> {
    let fits = list.len() < policy.listpack_entries()
        && entry.text_len() <= policy.settings.set_max_listpack_value();
    if !fits {
        return Err(Refused::NoRoom);
    }
    list.push_back(entry).map_err(|_| Refused::NoRoom)
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

/// Calls `visit` with the members of a table and their hashes, approximately in hash order: look-ups in another table
/// then access its memory in order.
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

/// Returns whether an intset and a member that is not an integer fit in a listpack.
fn fits_listpack(set: &IntSet, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
    let longest = policy.settings.set_max_listpack_value();
    // The longest decimal forms are those of the minimum and the maximum.
    let ends = [set.first(), set.last()];
    set.len() < policy.listpack_entries()
        && Entry::from(member).text_len() <= longest
        && ends.into_iter().flatten().all(|end| Entry::Int(end).text_len() <= longest)
}

fn list_of(set: &IntSet) -> Value {
    let mut list = ListPack::new();
    for number in set {
        // An entry takes at most eleven bytes and an intset has few: a listpack can hold a gigabyte.
        if list.push_back(number).is_err() {
            debug_assert!(false, "an intset fits into a listpack");
        }
    }
    Value::ListPack(list)
}

/// Copies the members to a hash table.
fn hash_table(set: SetRef<'_>, policy: &EncodingPolicy<'_>) -> Value {
    let mut table = Box::new(Extendible::new(0));
    set.for_each(|member| {
        member.with_bytes(|bytes| add_bytes(&mut table, bytes, policy));
    });
    Value::HashTable(table)
}
