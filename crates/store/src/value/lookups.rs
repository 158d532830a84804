//! Many look-ups in a table together.

use extendible::{Bucket, CACHED, Extendible};

use super::AT_ONCE;
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// From so many look-ups in a listpack of so many elements on, hashing the elements takes less time than scanning them
/// for each look-up.
const MANY: usize = 32;

/// Returns whether a listpack of that many elements should be hashed for `count` look-ups.
pub(super) const fn is_hashed(len: usize, count: usize) -> bool {
    len >= MANY && count >= MANY
}

/// Prefetches look-ups of some members or fields, at most [`AT_ONCE`], so that their cache misses overlap. Returns the
/// hashes of their texts, or `None` if the table fits in the CPU caches.
pub(super) fn prefetch_in_table<'m, B: Bucket>(
    table: &Extendible<B>,
    members: impl ExactSizeIterator<Item = Member<'m>>,
    policy: &EncodingPolicy<'_>,
) -> Option<[u64; AT_ONCE]> {
    if table.len() < CACHED {
        return None;
    }
    let count = members.len().min(AT_ONCE);
    let mut hashes = [0; AT_ONCE];
    for (hash, member) in hashes.iter_mut().zip(members) {
        *hash = member.with_bytes(|bytes| policy.hash(bytes));
    }
    table.prefetch(&hashes[..count]);
    Some(hashes)
}
