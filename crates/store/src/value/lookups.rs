//! Many look-ups in a table.

use extendible::{Bucket, CACHED, Extendible};

use super::AT_ONCE;
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// Asks for what look-ups of some members or fields, [`AT_ONCE`] at most, will read, so that their cache misses
/// overlap. The hashes of their texts, or `None` if the table is not too large for the caches.
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
