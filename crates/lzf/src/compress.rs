//! Compression.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, mem};

use crate::{LONG_COPY, MAX_COPY, MAX_LITERAL, MIN_COPY, WINDOW};

/// Bits of a table index, as in Redis's compressor: another size would find other repetitions.
const TABLE_BITS: u32 = 16;
/// Bytes that must be left where a copy begins, as in Redis.
const ROOM_FOR_COPY: usize = 5;
/// Bytes that must be left for the last bytes of the string, as in Redis.
const ROOM_FOR_END: usize = 3;
/// The first position of all: further than a window after 0, which the entries of an empty table are.
#[expect(clippy::cast_possible_truncation, reason = "a window has 13 bits")]
const FIRST_BASE: u32 = WINDOW as u32 + 1;
/// A copy ends this many bytes before the end of the string, unless it has the minimum length.
const KEPT_BACK: usize = 2;

/// A compressor with a reusable table.
///
/// The table maps a hash of three bytes to their last position. Each string has its own range of positions, further than
/// a window after those of earlier strings, so the table need not be cleared. The stream depends only on the string.
pub struct Compressor {
    table: Box<[u32; 1 << TABLE_BITS]>,
    /// Position of the first byte of the next string.
    base: u32,
}

impl Compressor {
    /// Creates a compressor with an empty table (256 KiB).
    #[must_use]
    pub fn new() -> Self {
        let table = vec![0; 1 << TABLE_BITS].into_boxed_slice().try_into();
        let table = table.unwrap_or_else(|_| unreachable!("the lengths are the same"));
        Self { table, base: FIRST_BASE }
    }

    /// Compresses `plain` into `out`, which is cleared first, and returns whether the stream is shorter than `limit`
    /// bytes.
    ///
    /// If it returns false, the content of `out` is unspecified. As in Redis, a few bytes of room are required, so a
    /// stream that would just fit may be refused. O(length of `plain`).
    pub fn compress(&mut self, plain: &[u8], limit: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.resize(limit.min(max_stream_len(plain.len())), 0);
        let len = self.write(plain, Stream::new(out));
        out.truncate(len.unwrap_or_default());
        len.is_some()
    }

    /// Writes the tokens of `plain` and returns the length of the stream; `None` if there is no room for it.
    fn write(&mut self, plain: &[u8], mut stream: Stream<'_>) -> Option<usize> {
        let base = self.take_range(plain.len())?;
        let mut at = 0;
        // Redis never copies from the first byte on, so the table does not get its position.
        if let (Some(&first), Some(_)) = (plain.first(), word_at(plain, 0)) {
            stream.push_literal(first)?;
            at = 1;
        }
        while let Some(word) = word_at(plain, at) {
            let now = position(base, at);
            let distance = (now - mem::replace(self.slot(word), now)) as usize;
            let from = at.wrapping_sub(distance);
            if distance <= WINDOW && word_at(plain, from) == Some(word) {
                let len = copy_len(plain, from, at);
                stream.push_copy(distance, len)?;
                at += len;
                // The next repetition most likely begins just before the next token.
                for last in [at - 2, at - 1] {
                    if let Some(word) = word_at(plain, last) {
                        *self.slot(word) = position(base, last);
                    }
                }
            } else {
                let [.., first, _] = word.to_le_bytes();
                stream.push_literal(first)?;
                at += 1;
            }
        }
        stream.end(plain.get(at..).unwrap_or_default())
    }

    /// Reserves positions for a string of `len` bytes; `None` if it is too long for the table.
    fn take_range(&mut self, len: usize) -> Option<u32> {
        let positions = u32::try_from(len.checked_add(WINDOW)?).ok()?;
        if self.base.checked_add(positions).is_none() {
            self.table.fill(0);
            self.base = FIRST_BASE;
        }
        let base = self.base;
        self.base = base.checked_add(positions)?;
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

/// A stream that is being written to a buffer, whose length is the limit.
///
/// As in Redis, the first byte of the next literal token is reserved before it is known whether there is one. So a check
/// for the end of the buffer fails exactly where it fails there.
struct Stream<'a> {
    bytes: &'a mut [u8],
    at: usize,
    /// The number of bytes of the last literal token, which ends at `at`.
    literals: usize,
}

impl<'a> Stream<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 1, literals: 0 }
    }

    fn push_literal(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.at)? = byte;
        self.at += 1;
        self.literals += 1;
        if self.literals == MAX_LITERAL {
            self.end_literals()?;
            self.at += 1;
        }
        Some(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a window has 13 bits, a length is at most 264"
    )]
    fn push_copy(&mut self, distance: usize, len: usize) -> Option<()> {
        debug_assert!((1..=WINDOW).contains(&distance) && (MIN_COPY..=MAX_COPY).contains(&len));
        self.end_literals()?;
        let token = self.bytes.get_mut(self.at..)?.first_chunk_mut::<ROOM_FOR_COPY>()?;
        let [low, high] = ((distance - 1) as u16).to_le_bytes();
        if len < LONG_COPY {
            [token[0], token[1]] = [((len - 2) as u8) << 5 | high, low];
            self.at += 2 + 1;
        } else {
            [token[0], token[1], token[2]] = [7 << 5 | high, (len - LONG_COPY) as u8, low];
            self.at += 3 + 1;
        }
        Some(())
    }

    /// Completes the last literal token, or releases its first byte if it has no other.
    #[expect(clippy::cast_possible_truncation, reason = "a literal token has at most 32 bytes")]
    fn end_literals(&mut self) -> Option<()> {
        let first = self.at - self.literals - 1;
        if self.literals == 0 {
            self.at = first;
        } else {
            *self.bytes.get_mut(first)? = (self.literals - 1) as u8;
            self.literals = 0;
        }
        Some(())
    }

    /// Pushes the last bytes and returns the length of the stream.
    fn end(mut self, rest: &[u8]) -> Option<usize> {
        if self.at + ROOM_FOR_END > self.bytes.len() {
            return None;
        }
        rest.iter().try_for_each(|&byte| self.push_literal(byte))?;
        self.end_literals()?;
        Some(self.at)
    }
}

/// The length of the buffer from which on a larger one makes no difference: that of literals alone, and the room that
/// tokens must leave.
const fn max_stream_len(plain: usize) -> usize {
    plain.saturating_add(plain / MAX_LITERAL + 1 + ROOM_FOR_COPY)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_begin_again_before_they_overflow() {
        let plain = b"abcabcabc".repeat(20);
        let mut expected = Vec::new();
        assert!(Compressor::new().compress(&plain, plain.len(), &mut expected));
        let positions = u32::try_from(plain.len() + WINDOW).unwrap();
        for left in [0, 1, positions - 1, positions, positions + 1] {
            let mut compressor = Compressor { base: u32::MAX - left, ..Compressor::new() };
            // Entries that are inside the window if they are not cleared.
            compressor.table.fill(FIRST_BASE + 5);
            let fits = left >= positions;
            let mut stream = Vec::new();
            for _ in 0..2 {
                assert!(compressor.compress(&plain, plain.len(), &mut stream));
                assert_eq!(stream, expected, "{left} positions left");
            }
            assert_eq!(compressor.base < u32::MAX / 2, !fits || left < 2 * positions);
        }
    }
}
