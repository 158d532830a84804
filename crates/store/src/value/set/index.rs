//! Look-ups of many members in one set.

use std::collections::HashSet;

use ahash::RandomState;
use listpack::Entry;

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::lookups::is_hashed;

/// Entries of listpacks, or members as such entries, by hash.
pub(crate) type Entries<'a> = HashSet<Entry<'a>, RandomState>;

/// A set in which many members are looked up.
#[derive(Debug)]
pub(crate) enum SetIndex<'a> {
    /// The set itself.
    Set(SetRef<'a>),
    /// The entries of a listpack.
    Entries(Entries<'a>),
}

impl<'a> SetRef<'a> {
    /// Prepares about `count` look-ups.
    pub(crate) fn index(self, count: usize) -> SetIndex<'a> {
        match self {
            Self::ListPack(list) if is_hashed(list.len(), count) => {
                SetIndex::Entries(list.iter().collect())
            }
            Self::IntSet(_) | Self::Compact(_) | Self::ListPack(_) | Self::HashTable(_) => {
                SetIndex::Set(self)
            }
        }
    }
}

impl SetIndex<'_> {
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
