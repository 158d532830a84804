//! Scanning a table in steps, between which it may change.
//!
//! # Idea
//!
//! The cursor is a hash, and a step returns the entries whose hashes are between two of them. The hash of an entry
//! never changes, so an entry that is present from the first step to the last is visited exactly once, whatever splits
//! happen in between. A bucket with more entries than a step should return is scanned in parts: each part examines all
//! of its entries, which is cheap for a few dozen and requires no order among them.
//!
//! # Example
//!
//! ```
//! use std::hash::{BuildHasher, RandomState};
//! use std::ops::ControlFlow;
//! use extendible::{Extendible, MemberBucket, scan};
//!
//! let state = RandomState::new();
//! let hash = |member: &[u8]| state.hash_one(member);
//! let mut table: Extendible<MemberBucket> = Extendible::new(0);
//! for number in 0..500_u32 {
//!     let member = number.to_le_bytes();
//!     table.insert(hash(&member), &hash, |bucket| bucket.insert(hash(&member), &member));
//! }
//!
//! let (mut cursor, mut seen) = (0, 0);
//! loop {
//!     let from = scan::from_cursor(cursor).expect("a cursor that was returned");
//!     let step = table.step(from, 10);
//!     let _: ControlFlow<()> = step.bucket.expect("not empty").try_for_each(&mut |member| {
//!         seen += u32::from(step.covers(hash(member)));
//!         ControlFlow::Continue(())
//!     });
//!     cursor = scan::to_cursor(step.next());
//!     if cursor == 0 {
//!         break;
//!     }
//! }
//! assert_eq!(seen, 500);
//! ```

use crate::bucket::Bucket;
use crate::table::Extendible;

/// A step begins at a multiple of this, so that a cursor has 48 bits, which an `f64` also represents.
const GRAIN_BITS: u32 = 16;

/// One step of a scan: the entries to return, and the start of the next step.
#[derive(Clone, Copy, Debug)]
pub struct Step<'t, B> {
    /// The bucket of the entries; `None` in an empty table.
    pub bucket: Option<&'t B>,
    /// The hashes of the entries that belong to the step.
    range: HashRange,
}

impl<B> Step<'_, B> {
    /// Returns whether an entry with this hash belongs to the step.
    #[inline]
    #[must_use]
    pub fn covers(&self, hash: u64) -> bool {
        self.range.covers(hash)
    }

    /// The start of the next step; `None` after the last hash.
    #[must_use]
    pub const fn next(&self) -> Option<u64> {
        self.range.next()
    }
}

/// The hashes of one step.
#[derive(Clone, Copy, Debug)]
pub struct HashRange {
    from: u64,
    to: Option<u64>,
}

impl HashRange {
    /// Creates the range that begins at a hash, for a group of `len` entries whose hashes share their first
    /// `shared_bits` bits, to be returned in steps of about `want` entries.
    #[must_use]
    pub fn new(from: u64, shared_bits: u32, len: usize, want: usize) -> Self {
        let parts = (len / want.max(1)).max(1);
        let part_bits = (64 - shared_bits).saturating_sub(parts.ilog2());
        // A shift by 64 is the case of all hashes in one part.
        let to = 1_u64
            .checked_shl(part_bits.max(GRAIN_BITS))
            .and_then(|part| (from & !(part - 1)).checked_add(part));
        Self { from, to }
    }

    /// Returns whether an entry with this hash belongs to the step.
    #[inline]
    #[must_use]
    pub fn covers(self, hash: u64) -> bool {
        hash >= self.from && self.to.is_none_or(|to| hash < to)
    }

    /// The start of the next step; `None` after the last hash.
    #[must_use]
    pub const fn next(self) -> Option<u64> {
        self.to
    }
}

impl<B: Bucket> Extendible<B> {
    /// Returns the step that begins at a hash, with about `want` entries, or the remaining ones of the bucket.
    #[must_use]
    pub fn step(&self, from: u64, want: usize) -> Step<'_, B> {
        let bucket = self.bucket(from);
        let len = bucket.map_or(0, B::len);
        Step { bucket, range: HashRange::new(from, self.shared_bits(from), len, want) }
    }
}

/// Converts the start of a step to a cursor as of SCAN; 0 for the end.
#[must_use]
pub const fn to_cursor(next: Option<u64>) -> u64 {
    match next {
        Some(hash) => hash >> GRAIN_BITS,
        None => 0,
    }
}

/// Converts a cursor as of SCAN to the start of a step; `None` for a cursor that no scan returns.
#[must_use]
pub const fn from_cursor(cursor: u64) -> Option<u64> {
    if cursor >> (64 - GRAIN_BITS) == 0 { Some(cursor << GRAIN_BITS) } else { None }
}
