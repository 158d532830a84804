//! Many look-ups in a table together.

use extendible::{Bucket, CACHED, Extendible};

use super::AT_ONCE;
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// The number of entries of a listpack that are scanned in the time in which one is hashed.
const ENTRY: usize = 16;
/// The same for a look-up by hash.
const LOOK_UP: usize = 24;

/// Returns whether `count` look-ups in a listpack take less time if its entries are hashed first than if they are
/// scanned for each look-up.
pub(super) const fn is_hashed(entries: usize, count: usize) -> bool {
    entries.saturating_mul(count) >= ENTRY * entries + LOOK_UP * count
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
