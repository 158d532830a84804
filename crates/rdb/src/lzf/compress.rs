//! From plain bytes to a stream.

use std::fmt;

use super::{LONG_COPY, MAX_COPY, MAX_LITERAL, MIN_COPY, WINDOW};

/// Bits of a table index: the table has a slot for each byte of the window.
const TABLE_BITS: u32 = 13;
/// After each run of this many misses (as a power of two) the search steps one byte further, so
/// that bytes that do not compress cost little.
const PATIENCE_BITS: usize = 5;

/// A compressor, which keeps its table from one string to the next.
///
/// The table maps a hash of three bytes to where they were last seen. Each string gets a range of
/// positions of its own, so that what an earlier string left is known to be stale and the table
/// need not be cleared. The stream depends on the string alone.
pub struct Compressor {
    table: Box<[u32; 1 << TABLE_BITS]>,
    /// Position of the first byte of the next string; what the table holds below it is stale.
    base: u32,
}

impl Compressor {
    /// A compressor with an empty table (32 KiB).
    #[must_use]
    pub fn new() -> Self {
        let table = vec![0; 1 << TABLE_BITS].into_boxed_slice().try_into();
        let table = table.unwrap_or_else(|_| unreachable!("the lengths are the same"));
        Self { table, base: 1 }
    }

    /// Compresses `plain` into `out`, which is cleared first, if the stream has at most `limit`
    /// bytes.
    ///
    /// Returns whether it has; if not, `out` holds nothing of use. Time is linear in `plain`.
    pub fn compress(&mut self, plain: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        let Some(base) = self.take_range(plain.len()) else { return false };
        out.reserve(limit.min(plain.len()) + MAX_LITERAL);
        let mut literals = 0; // where the bytes begin that no token holds yet
        let mut at = 0;
        let mut misses = 0_usize;
        while let Some(word) = word_at(plain, at) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "take_range refuses what does not fit"
            )]
            let position = base + at as u32;
            let seen = std::mem::replace(self.slot(word), position);
            let from = seen.checked_sub(base).map(|from| from as usize);
            let Some(from) =
                from.filter(|from| at - from <= WINDOW && word_at(plain, *from) == Some(word))
            else {
                at += 1 + (misses >> PATIENCE_BITS);
                misses += 1;
                continue;
            };
            misses = 0;
            let len = copy_len(plain, from, at);
            if !put_literals(out, plain.get(literals..at).unwrap_or_default(), limit) {
                return false;
            }
            put_copy(out, at - from, len);
            at += len;
            literals = at;
            // What the next repeat begins with most likely stands just before the next token.
            for last in [at - 2, at - 1] {
                if let Some(word) = word_at(plain, last) {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "take_range refuses what does not fit"
                    )]
                    let position = base + last as u32;
                    *self.slot(word) = position;
                }
            }
        }
        put_literals(out, plain.get(literals..).unwrap_or_default(), limit) && out.len() <= limit
    }

    /// Sets positions apart for a string of `len` bytes; `None` if it is too long for the table.
    fn take_range(&mut self, len: usize) -> Option<u32> {
        let len = u32::try_from(len).ok()?;
        if self.base.checked_add(len).is_none() {
            self.table.fill(0);
            self.base = 1;
        }
        let base = self.base;
        self.base = base.checked_add(len)?;
        Some(base)
    }

    fn slot(&mut self, word: u32) -> &mut u32 {
        // Fibonacci hashing: the top bits of the product depend on all bits of the word.
        let index = (word.wrapping_mul(0x9e37_79b1) >> (32 - TABLE_BITS)) as usize;
        #[expect(clippy::indexing_slicing, reason = "the shift leaves TABLE_BITS bits")]
        &mut self.table[index]
    }
}

impl Default for Compressor {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}

/// The three bytes at `at` as a number. Asks for four, as one load; so the last three bytes never
/// begin a copy.
fn word_at(plain: &[u8], at: usize) -> Option<u32> {
    let bytes = plain.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes) & 0x00ff_ffff)
}

/// How far the bytes at `from` and at `at` agree, given that `MIN_COPY` of them do.
fn copy_len(plain: &[u8], from: usize, at: usize) -> usize {
    let max = MAX_COPY.min(plain.len() - at);
    let mut len = MIN_COPY;
    while let (Some(ahead), Some(behind)) = (eight_at(plain, at + len), eight_at(plain, from + len))
    {
        let differ = ahead ^ behind;
        if differ != 0 {
            return max.min(len + differ.trailing_zeros() as usize / 8);
        }
        len += 8;
        if len >= max {
            return max;
        }
    }
    let ahead = plain.get(at + len..at + max).unwrap_or_default();
    let behind = plain.get(from + len..).unwrap_or_default();
    len + ahead.iter().zip(behind).take_while(|(a, b)| a == b).count()
}

fn eight_at(plain: &[u8], at: usize) -> Option<u64> {
    plain.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Writes literals; `false` if that passes the limit.
fn put_literals(out: &mut Vec<u8>, literals: &[u8], limit: usize) -> bool {
    if out.len() + literals.len() > limit {
        return false;
    }
    for run in literals.chunks(MAX_LITERAL) {
        #[expect(clippy::cast_possible_truncation, reason = "a run has 1 to 32 bytes")]
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
    true
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the window has 13 bits and the length is at most 264"
)]
fn put_copy(out: &mut Vec<u8>, distance: usize, len: usize) {
    debug_assert!((1..=WINDOW).contains(&distance) && (MIN_COPY..=MAX_COPY).contains(&len));
    let [low, high] = ((distance - 1) as u16).to_le_bytes();
    if len < LONG_COPY {
        out.extend_from_slice(&[((len - 2) as u8) << 5 | high, low]);
    } else {
        out.extend_from_slice(&[7 << 5 | high, (len - LONG_COPY) as u8, low]);
    }
}
