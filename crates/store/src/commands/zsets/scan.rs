//! ZSCAN.

use skiplist_zset::ScoreText;

use super::zset_at;
use crate::commands::keyspace::ScanOptions;
use crate::error::Result;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use extendible::scan::{self as table_scan, HashRange};

/// How ZSCAN formats a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// As stored in the listpack.
    Packed(ScoreText),
    /// With 17 digits, in any release series.
    Digits17,
}

/// Visits some of the members of the sorted set at a key, starting at a cursor; returns the next cursor, 0 at the end.
/// A listpack is visited in one call, as in Redis.
pub(crate) fn scan(
    view: &View<'_>,
    key: HashedKey<'_>,
    cursor: u64,
    options: &ScanOptions,
    mut visit: impl FnMut(&[u8], f64, Written),
) -> Result<u64> {
    let Some(set) = zset_at(view, key)? else { return Ok(0) };
    let glob = options.glob();
    let matches = |member: &[u8]| glob.is_none_or(|glob| glob.matches(member));
    if set.as_listpack().is_some() {
        let written = Written::Packed(view.policy().profile.score_text());
        for (member, score) in set {
            Member::from(member).with_bytes(|bytes| {
                if matches(bytes) {
                    visit(bytes, score, written);
                }
            });
        }
        return Ok(0);
    }
    let (mut next, mut seen) = (table_scan::from_cursor(cursor), 0);
    while let Some(position) = next
        && seen < options.count()
        && let Some(bucket) = set.bucket(position)
    {
        let range = HashRange::new(
            position,
            bucket.shared_bits(),
            bucket.entries(),
            options.count() - seen,
        );
        bucket.for_each(|hash, member, score| {
            if range.covers(hash) {
                seen += 1;
                if matches(member) {
                    visit(member, score, Written::Digits17);
                }
            }
        });
        next = range.next();
    }
    Ok(table_scan::to_cursor(next))
}
