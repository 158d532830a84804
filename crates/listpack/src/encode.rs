//! Encoding an entry.

use crate::Entry;

/// Tags, the first byte of an entry. The table of the crate lists the ranges of tags.
pub(crate) const INT_7: u8 = 0x00;
pub(crate) const STR_6: u8 = 0x80;
pub(crate) const INT_13: u8 = 0xc0;
pub(crate) const STR_12: u8 = 0xe0;
pub(crate) const STR_32: u8 = 0xf0;
pub(crate) const INT_16: u8 = 0xf1;
pub(crate) const INT_24: u8 = 0xf2;
pub(crate) const INT_32: u8 = 0xf3;
pub(crate) const INT_64: u8 = 0xf4;
/// The byte behind the last entry.
pub(crate) const END: u8 = 0xff;

/// The most bytes of a length at the end of an entry.
pub(crate) const LONGEST_BACKLEN: usize = 5;

/// An entry in its narrowest encoding, ready to be written.
#[derive(Clone, Copy)]
pub(crate) struct Encoded<'a> {
    tag: u8,
    /// The length or the value behind the tag: its lowest `rest_len` bytes, the lowest first.
    rest: u64,
    rest_len: usize,
    /// The text of a string.
    text: &'a [u8],
}

impl<'a> Encoded<'a> {
    /// The text of a string has less than 2^32 bytes, or is never written: see [`crate::MAX_BYTES`].
    #[inline]
    pub(crate) fn of(entry: Entry<'a>) -> Self {
        match entry.canonical() {
            Entry::Int(value) => Self::int(value),
            Entry::Str(text) => Self::string(text),
        }
    }

    #[inline]
    fn int(value: i64) -> Self {
        let rest = value.cast_unsigned();
        let [low, high, ..] = value.to_le_bytes();
        let (tag, rest_len) = match value {
            0..=0x7f => (INT_7 | low, 0),
            // The only integer with its high bits in front.
            -0x1000..=0xfff => (INT_13 | (high & 0x1f), 1),
            -0x8000..=0x7fff => (INT_16, 2),
            -0x80_0000..=0x7f_ffff => (INT_24, 3),
            -0x8000_0000..=0x7fff_ffff => (INT_32, 4),
            _ => (INT_64, 8),
        };
        Self { tag, rest, rest_len, text: &[] }
    }

    #[inline]
    fn string(text: &'a [u8]) -> Self {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let [low, high, ..] = len.to_le_bytes();
        let (tag, rest_len) = match len {
            0..0x40 => (STR_6 | low, 0),
            0x40..0x1000 => (STR_12 | high, 1),
            _ => (STR_32, 4),
        };
        Self { tag, rest: len.into(), rest_len, text }
    }

    /// The first byte.
    #[inline]
    pub(crate) fn tag(&self) -> u8 {
        self.tag
    }

    /// The bytes of the entry, without the length at its end.
    #[inline]
    fn len(&self) -> usize {
        1 + self.rest_len + self.text.len()
    }

    /// The bytes of the whole entry, with its length at the end.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        let len = self.len();
        len + backlen_size(len)
    }

    /// Writes the entry into the first [`size`](Self::size) bytes of `to`, and gives the rest.
    #[inline]
    pub(crate) fn write<'t>(&self, to: &'t mut [u8]) -> &'t mut [u8] {
        let len = self.len();
        let (head, to) = to.split_at_mut(1 + self.rest_len);
        // Of known sizes, so that none is a call.
        match head {
            [tag] => *tag = self.tag,
            [tag, byte] => (*tag, *byte) = (self.tag, self.rest.to_le_bytes()[0]),
            [tag, rest @ ..] => {
                *tag = self.tag;
                rest.iter_mut().zip(self.rest.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
            [] => {}
        }
        let (text, to) = to.split_at_mut(self.text.len());
        text.copy_from_slice(self.text);
        let (backlen, rest) = to.split_at_mut(backlen_size(len));
        write_backlen(backlen, len);
        rest
    }
}

/// The bytes that the length of an entry of `len` bytes takes at its end.
///
/// From the second on, each limit is one lower than seven bits a byte allow: that is how Redis draws it.
#[inline]
pub(crate) const fn backlen_size(len: usize) -> usize {
    if len <= 0x7f {
        1
    } else if len < 0x3fff {
        2
    } else if len < 0x1f_ffff {
        3
    } else if len < 0xfff_ffff {
        4
    } else {
        LONGEST_BACKLEN
    }
}

/// Fills `to` with `len`: seven bits a byte, the highest first; all but the first byte are marked, for a reader that
/// comes from behind.
#[inline]
fn write_backlen(to: &mut [u8], len: usize) {
    let mut rest = len as u64;
    if let [byte] = to {
        *byte = rest.to_le_bytes()[0];
        return;
    }
    for byte in to.iter_mut().rev() {
        *byte = rest.to_le_bytes()[0] | 0x80;
        rest >>= 7;
    }
    if let Some(first) = to.first_mut() {
        *first &= 0x7f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlen(len: usize) -> Vec<u8> {
        let mut bytes = vec![0; backlen_size(len)];
        write_backlen(&mut bytes, len);
        bytes
    }

    /// The limits that are one lower than seven bits a byte allow, too.
    #[test]
    fn lengths_at_the_end_have_their_bytes() {
        let table: [(usize, &[u8]); 11] = [
            (1, &[1]),
            (127, &[127]),
            (128, &[1, 0x80]),
            (16_382, &[127, 0xfe]),
            (16_383, &[0, 0xff, 0xff]),
            (16_384, &[1, 0x80, 0x80]),
            (2_097_150, &[127, 0xff, 0xfe]),
            (2_097_151, &[0, 0xff, 0xff, 0xff]),
            (268_435_454, &[127, 0xff, 0xff, 0xfe]),
            (268_435_455, &[0, 0xff, 0xff, 0xff, 0xff]),
            (1 << 30, &[4, 0x80, 0x80, 0x80, 0x80]),
        ];
        for (len, bytes) in table {
            assert_eq!(backlen(len), bytes, "{len}");
            let read = crate::decode::backlen_before(&backlen(len), bytes.len());
            assert_eq!(read, Some(len), "{len}");
        }
    }
}
