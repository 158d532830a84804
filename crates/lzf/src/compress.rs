//! Compression.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::hint;
use core::ops::Range;

use crate::{LONG_COPY, MAX_COPY, MAX_LITERAL, MIN_COPY, WINDOW};

/// Bits of a table index, as in Redis's compressor: another size would find other repetitions.
const TABLE_BITS: u32 = 16;
/// Room that must be left at the start of a copy; otherwise the string counts as incompressible.
const ROOM_FOR_COPY: usize = 4;
/// Room that must be left for the last bytes of the string.
const ROOM_FOR_END: usize = 3;
/// A copy ends this many bytes before the end of the string, unless it has the minimum length.
const KEPT_BACK: usize = 2;

/// A compressor with a reusable table.
///
/// The table maps a hash of three bytes to their last position. Each string has its own range of positions, so entries
/// of earlier strings are known to be stale and the table need not be cleared. The stream depends only on the string.
pub struct Compressor {
    table: Box<[u32; 1 << TABLE_BITS]>,
    /// Position of the first byte of the next string; lower positions in the table are stale.
    base: u32,
}

impl Compressor {
    /// Creates a compressor with an empty table (256 KiB).
    #[must_use]
    pub fn new() -> Self {
        let table = vec![0; 1 << TABLE_BITS].into_boxed_slice().try_into();
        let table = table.unwrap_or_else(|_| unreachable!("the lengths are the same"));
        Self { table, base: 1 }
    }

    /// Compresses `plain` into `out`, which is cleared first, and returns whether the stream is shorter than `limit`
    /// bytes.
    ///
    /// If it returns false, the content of `out` is unspecified. As in Redis, a few bytes of room are required, so a
    /// stream that would just fit may be refused. O(length of `plain`).
    pub fn compress(&mut self, plain: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        let Some(base) = self.take_range(plain.len()) else { return false };
        out.reserve(limit.min(plain.len()) + MAX_LITERAL);
        let mut literals = 0; // where the bytes begin that no token holds yet
        let mut at = 0;
        let words = (plain.len() + 1).saturating_sub(MIN_COPY);
        loop {
            let full = literals + literals_within(limit, out.len());
            let Some(repeat) = self.next_repeat(plain, base, at..words.min(full)) else {
                if full < words {
                    return false;
                }
                break;
            };
            let Repeat { at: found, distance } = repeat;
            let open = usize::from(!(found - literals).is_multiple_of(MAX_LITERAL));
            if end_with(out.len(), found - literals) - 1 + open + ROOM_FOR_COPY >= limit {
                return false;
            }
            let len = copy_len(plain, found - distance, found);
            if !put_literals(out, plain.get(literals..found).unwrap_or_default(), limit) {
                return false;
            }
            put_copy(out, distance, len);
            at = found + len;
            literals = at;
            // The next repetition most likely begins just before the next token.
            for last in [at - 2, at - 1] {
                if let Some(word) = word_at(plain, last) {
                    *self.slot(word) = position(base, last);
                }
            }
        }
        let rest = plain.get(literals..).unwrap_or_default();
        end_with(out.len(), words.max(literals) - literals) + ROOM_FOR_END <= limit
            && put_literals(out, rest, limit)
            && out.len() <= limit
    }

    /// The first position in `range` whose three bytes occur earlier, within the window.
    fn next_repeat(&mut self, plain: &[u8], base: u32, range: Range<usize>) -> Option<Repeat> {
        for at in range {
            let word = word_at(plain, at)?;
            let position = position(base, at);
            let seen = core::mem::replace(self.slot(word), position);
            // Redis uses 0 for an empty slot, so it never copies from the first byte on. Stale positions are further
            // away.
            let distance = (position - seen) as usize;
            let is_near = distance <= WINDOW.min(at.saturating_sub(1));
            let from = hint::select_unpredictable(is_near, at.wrapping_sub(distance), at);
            let differ = word_at(plain, from)? ^ word;
            if differ | u32::from(!is_near) == 0 {
                return Some(Repeat { at, distance });
            }
        }
        None
    }

    /// Reserves positions for a string of `len` bytes; `None` if it is too long for the table.
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
        let index = (word >> (24 - TABLE_BITS)).wrapping_sub(word.wrapping_mul(5));
        let index = (index & ((1 << TABLE_BITS) - 1)) as usize;
        #[expect(clippy::indexing_slicing, reason = "the mask leaves TABLE_BITS bits")]
        &mut self.table[index]
    }
}

/// Appends literal tokens for `plain` to a stream: uncompressed, with one extra byte per 32.
///
/// The concatenation of streams is a stream of the concatenated plain bytes, so a long string can be compressed in
/// parts, and this function adds the parts that do not compress.
///
/// ```
/// let mut stream = Vec::new();
/// lzf::push_literals(b"abc", &mut stream);
/// lzf::push_literals(b"def", &mut stream);
/// assert_eq!(lzf::decompress(&stream, 6).unwrap(), b"abcdef");
/// ```
pub fn push_literals(plain: &[u8], stream: &mut Vec<u8>) {
    for run in plain.chunks(MAX_LITERAL) {
        // A run has 1 to 32 bytes.
        stream.push(u8::try_from(run.len() - 1).unwrap_or_default());
        stream.extend_from_slice(run);
    }
}

/// Three bytes that also occur earlier.
struct Repeat {
    at: usize,
    distance: usize,
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

/// The next output position of Redis's compressor, if the tokens so far have `tokens` bytes and `literals` bytes are
/// pending: after these and the first byte of each of their tokens, including the current one.
const fn end_with(tokens: usize, literals: usize) -> usize {
    tokens + literals + literals / MAX_LITERAL + 1
}

/// The number of literals that may be pending before [`end_with`] reaches `limit`.
const fn literals_within(limit: usize, tokens: usize) -> usize {
    let room = limit.saturating_sub(tokens + 1);
    room / (MAX_LITERAL + 1) * MAX_LITERAL + room % (MAX_LITERAL + 1)
}

/// The table's value for a position in the string whose positions begin at `base`.
fn position(base: u32, at: usize) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "take_range refuses what does not fit")]
    let at = at as u32;
    base + at
}

/// The three bytes at `at` as a number, the first one highest.
fn word_at(plain: &[u8], at: usize) -> Option<u32> {
    let rest = plain.get(at..)?;
    // Four bytes are a single load.
    if let Some(bytes) = rest.first_chunk::<4>() {
        return Some(u32::from_le_bytes(*bytes).swap_bytes() >> 8);
    }
    let &[first, second, third] = rest.first_chunk::<3>()?;
    Some(u32::from_le_bytes([third, second, first, 0]))
}

/// The number of equal bytes at `from` and at `at`, of which at least `MIN_COPY` are equal.
fn copy_len(plain: &[u8], from: usize, at: usize) -> usize {
    // Redis compares the first bytes without checking for the end: if 19 are left, all of them.
    let max = match MAX_COPY.min(plain.len() - at - KEPT_BACK) {
        max @ 0..=16 => max.max(MIN_COPY),
        max => max.max(19),
    };
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

/// Writes literals; returns false if they exceed the limit.
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
