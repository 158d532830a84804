//! Lengths: of strings, of lists of members, and other numbers that are never negative.
//!
//! The top two bits of the first byte choose the form:
//!
//! ```text
//! 00nnnnnn                     0 to 63
//! 01nnnnnn nnnnnnnn            0 to 16383, big-endian
//! 10000000 + 4 bytes           u32, big-endian
//! 10000001 + 8 bytes           u64, big-endian
//! 11ffffff                     no length: form f of a string, see `string`
//! ```
#![expect(clippy::big_endian_bytes, reason = "lengths are the only big-endian part of the format")]

use std::io::{Read, Write};

use crate::{
    error::{Error, ErrorKind},
    sink::Sink,
    source::Source,
    writer::WriteError,
};

const LEN_32: u8 = 0x80;
const LEN_64: u8 = 0x81;
/// The top bits of a string form.
pub(crate) const SPECIAL: u8 = 0xc0;

/// What a length prefix says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Length(u64),
    /// The low six bits of a special form.
    Special(u8),
}

#[inline]
pub(crate) fn read_prefix<R: Read>(source: &mut Source<R>) -> Result<Prefix, Error> {
    let at = source.offset();
    let first = source.byte()?;
    Ok(match first {
        0..0x40 => Prefix::Length(u64::from(first)),
        0x40..LEN_32 => Prefix::Length(u64::from(first & 0x3f) << 8 | u64::from(source.byte()?)),
        LEN_32 => Prefix::Length(u64::from(u32::from_be_bytes(source.array()?))),
        LEN_64 => Prefix::Length(u64::from_be_bytes(source.array()?)),
        SPECIAL.. => Prefix::Special(first & !SPECIAL),
        _ => return Err(Error::new(at, ErrorKind::BadLength(first))),
    })
}

/// Reads a length where nothing else may stand.
#[inline]
pub(crate) fn read<R: Read>(source: &mut Source<R>) -> Result<u64, Error> {
    let at = source.offset();
    match read_prefix(source)? {
        Prefix::Length(len) => Ok(len),
        Prefix::Special(form) => Err(Error::new(at, ErrorKind::BadLength(SPECIAL | form))),
    }
}

/// The most bytes that a length takes.
pub(crate) const MOST_BYTES: usize = 9;

/// The length that bytes begin with; 0 if they begin with none.
pub(crate) fn peek(bytes: &[u8]) -> u64 {
    match *bytes {
        [first @ 0..0x40, ..] => u64::from(first),
        [first @ 0x40..LEN_32, second, ..] => u64::from(first & 0x3f) << 8 | u64::from(second),
        [LEN_32, a, b, c, d, ..] => u64::from(u32::from_be_bytes([a, b, c, d])),
        [LEN_64, a, b, c, d, e, f, g, h, ..] => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// Writes a length in its shortest form, as servers do.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "each form is chosen by the range of its lengths"
)]
pub(crate) fn write<W: Write>(sink: &mut Sink<W>, len: u64) -> Result<(), WriteError> {
    if len < 1 << 6 {
        sink.put(&[len as u8])
    } else if len < 1 << 14 {
        sink.put(&(0x4000 | len as u16).to_be_bytes())
    } else if let Ok(len) = u32::try_from(len) {
        sink.put(&[LEN_32])?;
        sink.put(&len.to_be_bytes())
    } else {
        sink.put(&[LEN_64])?;
        sink.put(&len.to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_at_every_boundary() {
        let table: [(u64, &[u8]); 10] = [
            (0, &[0]),
            (63, &[0x3f]),
            (64, &[0x40, 0x40]),
            (300, &[0x41, 0x2c]),
            (16_383, &[0x7f, 0xff]),
            (16_384, &[0x80, 0, 0, 0x40, 0]),
            (0xffff_fffe, &[0x80, 0xff, 0xff, 0xff, 0xfe]),
            (0xffff_ffff, &[0x80, 0xff, 0xff, 0xff, 0xff]),
            (0x1_0000_0000, &[0x81, 0, 0, 0, 1, 0, 0, 0, 0]),
            (u64::MAX, &[0x81, 255, 255, 255, 255, 255, 255, 255, 255]),
        ];
        for (len, bytes) in table {
            let mut sink = Sink::new(Vec::new(), false, false);
            write(&mut sink, len).unwrap();
            assert_eq!(sink.into_inner().unwrap(), bytes);
            assert_eq!(read(&mut Source::new(bytes, None, false)).unwrap(), len);
            assert_eq!(peek(bytes), len);
            assert_eq!(peek(&[bytes, b"x"].concat()), len);
        }
    }

    #[test]
    fn invalid_lengths_are_refused() {
        for first in (0x82..=0xff_u8).filter(|first| *first != LEN_64) {
            let error = read(&mut Source::new(&[first; 9][..], None, false)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadLength(byte) if *byte == first));
            assert_eq!(error.offset(), 0);
            assert_eq!(peek(&[first; 9]), 0);
        }
    }
}
