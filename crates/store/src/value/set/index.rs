//! Look-ups of many members in one set.

use std::collections::HashSet;

use ahash::RandomState;
use listpack::Entry;

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// From so many look-ups in so many entries on, hashing the entries takes less time than scanning them for each
/// member.
pub(super) const MANY: usize = 32;

/// Entries of listpacks, or members as such entries, by hash.
pub(crate) type Entries<'a> = HashSet<Entry<'a>, RandomState>;

/// A set in which many members are looked up.
#[derive(Debug)]
pub(crate) enum Index<'a> {
    /// The set itself.
    Set(SetRef<'a>),
    /// The entries of a listpack.
    Entries(Entries<'a>),
}

impl<'a> SetRef<'a> {
    /// Prepares about `count` look-ups.
    pub(crate) fn index(self, count: usize) -> Index<'a> {
        match self {
            Self::ListPack(list) if list.len() >= MANY && count >= MANY => {
                Index::Entries(list.iter().collect())
            }
            Self::IntSet(_) | Self::Compact(_) | Self::ListPack(_) | Self::HashTable(_) => {
                Index::Set(self)
            }
        }
    }
}

impl Index<'_> {
    /// Returns whether the set has the member, whose hash the caller may know.
    #[inline]
    pub(crate) fn contains(
        &self,
        member: Member<'_>,
        hash: Option<u64>,
        policy: &EncodingPolicy<'_>,
    ) -> bool {
        match self {
            Self::Set(set) => set.contains_hashed(member, hash, policy),
            Self::Entries(entries) => entries.contains(&Entry::from(member)),
        }
    }
}
