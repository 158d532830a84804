//! Scanning a table with a cursor.

use extendible::scan::{self, Step};
use extendible::{Bucket, Extendible};

/// Calls `visit` with buckets, starting at a cursor, until it has taken about `want` entries; it returns how many
/// entries it has taken in the range of each step. Returns the next cursor, 0 at the end.
pub(super) fn scan_table<'t, B: Bucket>(
    table: &'t Extendible<B>,
    cursor: u64,
    want: usize,
    mut visit: impl FnMut(&'t B, &Step<'t, B>) -> usize,
) -> u64 {
    let mut next = scan::from_cursor(cursor);
    let mut seen = 0;
    while let Some(from) = next
        && seen < want
    {
        let step = table.step(from, want - seen);
        if let Some(bucket) = step.bucket {
            seen += visit(bucket, &step);
        }
        next = step.next();
    }
    scan::to_cursor(next)
}
