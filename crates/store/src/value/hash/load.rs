//! Loading of hashes.

use std::collections::HashSet;

use ahash::RandomState;
use listpack::{Entry, ListPack};

use super::{Fields, Lasting, Pair};
use crate::policy::EncodingPolicy;

impl Lasting {
    /// Creates an empty hash, in the encoding for the `count` fields that will be loaded.
    pub(crate) fn to_load(count: usize, policy: &EncodingPolicy<'_>) -> Self {
        Self::to_sample(count, count, policy)
    }

    /// Like [`to_load`](Self::to_load), with room for only `sample` of the fields.
    pub(crate) fn to_sample(sample: usize, count: usize, policy: &EncodingPolicy<'_>) -> Self {
        if count > policy.settings.hash_max_listpack_entries() {
            return Self::Table(Box::new(Fields::to_load(0, sample)));
        }
        Self::new()
    }

    /// Creates a hash from a listpack, or returns `None` if a field is duplicate or has no value. As in servers, the
    /// number of fields is checked against the limits of a listpack, and their lengths are not.
    pub(crate) fn from_listpack(list: ListPack, policy: &EncodingPolicy<'_>) -> Option<Self> {
        let len = list.len();
        let mut seen: HashSet<Entry<'_>, RandomState> = HashSet::default();
        if !len.is_multiple_of(2) || !list.iter().step_by(2).all(|field| seen.insert(field)) {
            return None;
        }
        let mut hash = Self::ListPack(list);
        if len / 2 > policy.settings.hash_max_listpack_entries() {
            hash.make_table(policy);
        }
        Some(hash)
    }

    /// Creates a hash from fields and values, or returns `None` if a field is duplicate.
    pub(crate) fn from_pairs<'a>(
        pairs: impl ExactSizeIterator<Item = Pair<'a>>,
        policy: &EncodingPolicy<'_>,
    ) -> Option<Self> {
        let mut hash = Self::to_load(pairs.len(), policy);
        for pair in pairs {
            if !hash.set(pair, policy) {
                return None;
            }
        }
        Some(hash)
    }
}
