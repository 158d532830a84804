//! A set: an intset while it is small and has only integers, a listpack while it is small, then a hash table.
//!
//! # Transitions
//!
//! | from | trigger | to |
//! |---|---|---|
//! | intset | a member that is not an integer, with fewer members than `set-max-listpack-entries` and none longer than `set-max-listpack-value` | listpack |
//! | intset | any other member that is not an integer | hash table |
//! | intset | more members than `set-max-intset-entries` | hash table |
//! | listpack | more members than `set-max-listpack-entries` | hash table |
//! | listpack | a member longer than `set-max-listpack-value` | hash table |
//! | compact | a member that is not an integer, or does not share the high bits, or exceeds the size [`Compact::MOST`] | intset, and further as above |
//!
//! The encoding never changes back in place: a command that builds a new set (SINTERSTORE, RESTORE, an SPOP that leaves
//! few members) chooses it again. [`Profile::Redis70`](crate::Profile::Redis70) has no listpacks.
//!
//! No command creates a compact set: only recipes do, which know the high bits that the members of a key share
//! ([`Value::compact`]). Every command sees an intset, though it may have more members than `set-max-intset-entries`:
//! sequential ids fill some shards before these are split.

mod compact;
mod extract;
mod index;
mod mutate;
mod random;
mod visit;

pub(crate) use extract::Extracted;
pub(crate) use index::{Entries, SetIndex};
use intset::{Compact, IntSet};
use listpack::{Entry, ListPack};
pub(crate) use mutate::SetMut;

use super::lookups::prefetch_in_table;
use super::{AT_ONCE, Members, Value, parse_int};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A set, read-only.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SetRef<'a> {
    /// Integers.
    IntSet(&'a IntSet),
    /// Integers that share their high bits.
    Compact(&'a Compact),
    /// A few members.
    ListPack(&'a ListPack),
    /// Any number of members.
    HashTable(&'a Members),
}

impl Value {
    /// The set, if it is one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a set")]
    #[inline]
    pub(crate) const fn as_set(&self) -> Option<SetRef<'_>> {
        match self {
            Self::IntSet(set) => Some(SetRef::IntSet(set)),
            Self::Compact(set) => Some(SetRef::Compact(set)),
            Self::ListPack(set) => Some(SetRef::ListPack(set)),
            Self::HashTable(table) => Some(SetRef::HashTable(table)),
            _ => None,
        }
    }
}

impl SetRef<'_> {
    /// The number of members.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::IntSet(set) => set.len(),
            Self::Compact(set) => set.len(),
            Self::ListPack(list) => list.len(),
            Self::HashTable(table) => table.len(),
        }
    }

    /// Returns whether both are the same set.
    pub(crate) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::IntSet(a), Self::IntSet(b)) => std::ptr::eq(a, b),
            (Self::Compact(a), Self::Compact(b)) => std::ptr::eq(a, b),
            (Self::ListPack(a), Self::ListPack(b)) => std::ptr::eq(a, b),
            (Self::HashTable(a), Self::HashTable(b)) => std::ptr::eq(a, b),
            (Self::IntSet(_) | Self::Compact(_) | Self::ListPack(_) | Self::HashTable(_), _) => {
                false
            }
        }
    }

    /// The name of the encoding in OBJECT ENCODING.
    pub(crate) const fn encoding(self) -> &'static str {
        match self {
            Self::IntSet(_) | Self::Compact(_) => "intset",
            Self::ListPack(_) => "listpack",
            Self::HashTable(_) => "hashtable",
        }
    }

    #[inline]
    pub(crate) fn contains(self, member: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        match self {
            Self::IntSet(set) => member.as_int().is_some_and(|number| set.contains(number)),
            Self::Compact(set) => member.as_int().is_some_and(|number| set.contains(number)),
            Self::ListPack(list) => list.contains(Entry::from(member)),
            Self::HashTable(table) => member.with_bytes(|bytes| {
                let hashed = policy.hash(bytes);
                table.bucket(hashed).is_some_and(|bucket| bucket.contains(hashed, bytes))
            }),
        }
    }

    /// Returns for each of these whether it is a member.
    pub(crate) fn contains_each(
        self,
        members: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
    ) -> Vec<bool> {
        let mut found = Vec::with_capacity(members.len());
        if let SetIndex::Entries(entries) = self.index(members.len()) {
            found.extend(members.iter().map(|&member| entries.contains(&Entry::from(member))));
            return found;
        }
        for members in members.chunks(AT_ONCE) {
            match self.prefetch(members, policy) {
                Some(hashes) => found.extend(
                    members
                        .iter()
                        .zip(hashes)
                        .map(|(member, hash)| self.contains_hashed(*member, Some(hash), policy)),
                ),
                None => found.extend(members.iter().map(|member| self.contains(*member, policy))),
            }
        }
        found
    }

    /// Prefetches look-ups of some members, at most [`AT_ONCE`]. Returns the hashes of their texts, or `None` if this
    /// is not a hash table larger than the CPU caches.
    fn prefetch(
        self,
        members: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
    ) -> Option<[u64; AT_ONCE]> {
        let Self::HashTable(table) = self else { return None };
        prefetch_in_table(table, members.iter().copied(), policy)
    }

    /// As [`contains`](Self::contains), for a caller that may know the hash of the member's text.
    #[inline]
    pub(crate) fn contains_hashed(
        self,
        member: Member<'_>,
        hash: Option<u64>,
        policy: &EncodingPolicy<'_>,
    ) -> bool {
        match (self, hash) {
            (Self::HashTable(table), Some(hashed)) => member.with_bytes(|bytes| {
                table.bucket(hashed).is_some_and(|bucket| bucket.contains(hashed, bytes))
            }),
            (Self::IntSet(_) | Self::Compact(_) | Self::ListPack(_) | Self::HashTable(_), _) => {
                self.contains(member, policy)
            }
        }
    }
}

impl EncodingPolicy<'_> {
    /// The maximum number of members of a listpack.
    fn listpack_entries(&self) -> usize {
        if self.profile.set_listpacks() { self.settings.set_max_listpack_entries() } else { 0 }
    }

    /// Returns whether a set of that many members is a hash table in any case.
    pub(crate) fn is_large(&self, members: usize) -> bool {
        members > self.settings.set_max_intset_entries() && members > self.listpack_entries()
    }

    /// The number of members that a command will add, if it influences the encoding.
    fn size_hint(&self, count: usize) -> Option<usize> {
        if self.profile.sizes_ahead() { Some(count) } else { None }
    }
}

/// Conversion of a member to an integer.
impl Member<'_> {
    /// Returns the integer, if the member is one or its canonical decimal text.
    #[must_use]
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        match *self {
            Self::Int(number) => Some(number),
            Self::Bytes(bytes) => parse_int(bytes),
        }
    }
}

/// Bytes stay bytes, even if they are an integer: a listpack finds out when it searches for them or adds them.
impl<'a> From<Member<'a>> for Entry<'a> {
    #[inline]
    fn from(member: Member<'a>) -> Self {
        match member {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => Self::Str(bytes),
        }
    }
}

impl<'a> From<Entry<'a>> for Member<'a> {
    #[inline]
    fn from(entry: Entry<'a>) -> Self {
        match entry {
            Entry::Int(number) => Self::Int(number),
            Entry::Str(bytes) => Self::Bytes(bytes),
        }
    }
}
