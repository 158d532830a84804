//! The nine bytes from the one on that a field starts in: enough for 64 bits at any bit of a byte.
//!
//! ```text
//!           byte at                               at + 7    at + 8
//!          +--------+--------+--   ...   --+--------+--------+
//!          |      ##|########|##   ...   ##|########|###     |     #: the 64 bits from `shift` (6) on
//!          +--------+--------+--   ...   --+--------+--------+
//! ```

use super::FieldType;
use crate::word;

const LEN: usize = word::BYTES + 1;

pub(super) struct Window {
    /// Where the first of the bytes lies in the string.
    at: usize,
    /// The bits of the first byte before the field.
    shift: u32,
    word: u64,
    last: u8,
}

impl Window {
    /// Bytes beyond the end of the string are zeros.
    #[inline]
    pub(super) fn load(bytes: &[u8], offset: u64) -> Self {
        let at = usize::try_from(offset / 8).unwrap_or(usize::MAX);
        let rest = bytes.get(at..).unwrap_or_default();
        let (word, last) = match rest.first_chunk::<LEN>() {
            Some(&[a, b, c, d, e, f, g, h, last]) => {
                (word::from_bytes([a, b, c, d, e, f, g, h]), last)
            }
            None => (word::first(rest), 0),
        };
        Self { at, shift: (offset % 8) as u32, word, last }
    }

    /// The number in a field that starts at the window's first bit.
    #[inline]
    pub(super) fn get(&self, field: FieldType) -> i64 {
        field.top(self.word << self.shift | u64::from(self.last) >> (8 - self.shift))
    }

    /// Puts a number in its place; it fits the field.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bits that the last byte has of the field"
    )]
    pub(super) fn put(&mut self, field: FieldType, value: i64) {
        let mask = u64::MAX << field.spare();
        let value = value.cast_unsigned() << field.spare();
        self.word = self.word & !(mask >> self.shift) | value >> self.shift;
        let low = |word: u64| (word << (8 - self.shift)) as u8;
        self.last = self.last & !low(mask) | low(value);
    }

    /// Writes the bytes back, as many as the string has.
    #[inline]
    pub(super) fn store(&self, bytes: &mut [u8]) {
        let rest = &mut bytes[self.at..];
        if let Some([to @ .., last]) = rest.first_chunk_mut::<LEN>() {
            *to = word::to_bytes(self.word);
            *last = self.last;
        } else {
            word::put_first(rest, self.word);
        }
    }
}
