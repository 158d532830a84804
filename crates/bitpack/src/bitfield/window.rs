//! The nine bytes from the one on that a field starts in: enough for 64 bits at any bit of a byte.
//!
//! ```text
//!           byte 0                          byte 7   byte 8
//!          +--------+--------+--   ...   --+--------+--------+
//!          |      ##|########|##   ...   ##|########|###     |     #: the 64 bits from `shift` (6) on
//!          +--------+--------+--   ...   --+--------+--------+
//! ```
//!
//! A field is changed by an XOR with the bits in which the new value differs from the old one: this needs no mask, and
//! the bits around the field stay unchanged.

use super::FieldType;
use crate::word;

/// Bytes of a window.
pub(super) const LEN: usize = word::BYTES + 1;

/// A window and the bits of its first byte before the field.
#[derive(Clone, Copy)]
pub(super) struct Window {
    word: u64,
    last: u8,
    shift: u32,
}

impl Window {
    /// Of nine bytes, and a field at `offset` in the string.
    #[inline]
    pub(super) fn new(&[a, b, c, d, e, f, g, h, last]: &[u8; LEN], offset: u64) -> Self {
        let word = word::from_bytes([a, b, c, d, e, f, g, h]);
        Self { word, last, shift: (offset % 8) as u32 }
    }

    /// Of the end of a string, up to eight bytes; zeros follow.
    #[inline]
    pub(super) fn at_end(bytes: &[u8], offset: u64) -> Self {
        Self { word: word::first(bytes), last: 0, shift: (offset % 8) as u32 }
    }

    /// Whether the field reaches into the last byte.
    #[inline]
    fn reaches_last(self, field: FieldType) -> bool {
        self.shift > field.spare()
    }

    /// The field at the top of a word; what follows it there is not of the field.
    #[inline]
    pub(super) fn top(self, field: FieldType) -> u64 {
        let top = self.word << self.shift;
        if self.reaches_last(field) { top | u64::from(self.last) >> (8 - self.shift) } else { top }
    }

    /// The word, with these bits of the field changed; they are given at the top.
    #[inline]
    pub(super) fn word_with(self, changes: u64) -> u64 {
        self.word ^ changes >> self.shift
    }

    /// Writes the bytes with these bits of the field changed; the last byte only where the field reaches it.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "keeps the bits of the field that are in the last byte"
    )]
    pub(super) fn put(self, bytes: &mut [u8; LEN], field: FieldType, changes: u64) {
        let [a, b, c, d, e, f, g, h, last] = bytes;
        [*a, *b, *c, *d, *e, *f, *g, *h] = word::to_bytes(self.word_with(changes));
        if self.reaches_last(field) {
            *last = self.last ^ (changes << (8 - self.shift)) as u8;
        }
    }
}
