//! Strings: keys, values, members and packed blobs.
//!
//! ```text
//! length, bytes                          as they are
//! c0 + 1, c1 + 2, c2 + 4 bytes           an integer that stands for its decimal text
//! c3, length, plain length, stream       compressed, see `lzf`
//! ```

use std::io::{Read, Write};

use crate::{
    error::{Error, ErrorKind},
    length::{self, Prefix, SPECIAL},
    sink::Sink,
    source::Source,
    writer::WriteError,
};

const INT_8: u8 = 0;
const INT_16: u8 = 1;
const INT_32: u8 = 2;
const LZF: u8 = 3;

/// The longest text that can be an integer form: `-2147483648`.
const MAX_INT_TEXT: usize = 11;
/// Compression is tried for strings longer than this ...
const MIN_COMPRESSED: usize = 20;
/// ... and kept if the stream is shorter by this many bytes.
const MIN_SAVING: usize = 4;

/// Bytes of a long string that are skipped between two pauses.
const CHUNK: u64 = 64 << 10;

/// A string value, as it was stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StringValue {
    /// Stored as an integer of at most 32 bits; the string is its decimal text.
    Int(i64),
    /// Stored as bytes. These may be decimal text too: servers store wider integers so.
    Bytes(Vec<u8>),
}

impl StringValue {
    /// Returns the bytes of the string.
    ///
    /// ```
    /// assert_eq!(rdb::StringValue::Int(-7).into_bytes(), b"-7");
    /// ```
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Int(int) => itoa::Buffer::new().format(int).as_bytes().to_vec(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// How a string is stored.
#[derive(Clone, Copy, Debug)]
enum Form {
    Plain(u64),
    Int(i32),
    Lzf { stream: u64, plain: u64 },
}

/// Reads up to the string's bytes; their number is checked against what remains.
#[inline]
fn read_form<R: Read>(source: &mut Source<R>) -> Result<Form, Error> {
    let at = source.offset();
    Ok(match length::read_prefix(source)? {
        Prefix::Length(len) => {
            source.check_len(len, at)?;
            Form::Plain(len)
        }
        Prefix::Special(INT_8) => Form::Int(i32::from(i8::from_le_bytes(source.array()?))),
        Prefix::Special(INT_16) => Form::Int(i32::from(i16::from_le_bytes(source.array()?))),
        Prefix::Special(INT_32) => Form::Int(i32::from_le_bytes(source.array()?)),
        Prefix::Special(LZF) => {
            let at = source.offset();
            let stream = length::read(source)?;
            let plain = length::read(source)?;
            source.check_len(stream, at)?;
            Form::Lzf { stream, plain }
        }
        Prefix::Special(form) => {
            return Err(Error::new(at, ErrorKind::BadString(SPECIAL | form)));
        }
    })
}

/// Passes a stream to `work`, whose error is placed at the stream's start.
fn with_stream<R: Read>(
    source: &mut Source<R>,
    len: u64,
    work: impl FnOnce(&[u8]) -> Result<(), lzf::Error>,
) -> Result<(), Error> {
    let at = source.offset();
    source.lend(len, work)?.map_err(|error| Error::new(at, ErrorKind::Lzf(error)))
}

/// Reads a string and keeps an integer form apart.
pub(crate) fn read_value<R: Read>(source: &mut Source<R>) -> Result<StringValue, Error> {
    let mut bytes = Vec::new();
    match read_form(source)? {
        Form::Int(int) => return Ok(StringValue::Int(i64::from(int))),
        Form::Plain(len) => source.append(len, &mut bytes)?,
        Form::Lzf { stream, plain } => {
            with_stream(source, stream, |stream| lzf::decompress_into(stream, plain, &mut bytes))?;
        }
    }
    Ok(StringValue::Bytes(bytes))
}

/// Reads a string as bytes.
pub(crate) fn read<R: Read>(source: &mut Source<R>) -> Result<Vec<u8>, Error> {
    read_value(source).map(StringValue::into_bytes)
}

/// Reads a string into `out`, which is cleared first.
#[inline]
pub(crate) fn read_into<R: Read>(source: &mut Source<R>, out: &mut Vec<u8>) -> Result<(), Error> {
    out.clear();
    match read_form(source)? {
        Form::Int(int) => {
            out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes());
            Ok(())
        }
        Form::Plain(len) => source.append(len, out),
        Form::Lzf { stream, plain } => {
            with_stream(source, stream, |stream| lzf::decompress_into(stream, plain, out))
        }
    }
}

/// Skips a string; a compressed one is validated, not decompressed.
#[inline]
pub(crate) fn scan<R: Read>(source: &mut Source<R>) -> Result<(), Error> {
    match read_form(source)? {
        Form::Int(_) => Ok(()),
        Form::Plain(len) => source.skip(len),
        Form::Lzf { stream, .. } if !source.checks_lzf => source.skip(stream),
        Form::Lzf { stream, plain } => {
            with_stream(source, stream, |stream| lzf::check(stream, plain))
        }
    }
}

/// The number of bytes of the string that begins with `head`, as far as `head` determines it; 0 for an integer.
pub(crate) fn peek_len(head: &[u8]) -> u64 {
    match head {
        [first, rest @ ..] if *first == SPECIAL | LZF => length::peek(rest),
        head => length::peek(head),
    }
}

/// As [`scan`], with a pause after each chunk of a long string; returns how many bytes the string has.
#[inline]
pub(crate) fn scan_with<R: Read, E: From<Error>>(
    source: &mut Source<R>,
    pause: &mut impl FnMut(&mut Source<R>) -> Result<(), E>,
) -> Result<u64, E> {
    let len = match read_form(source)? {
        Form::Int(int) => itoa::Buffer::new().format(int).len() as u64,
        Form::Plain(len) => {
            let mut left = len;
            while left > CHUNK {
                source.skip(CHUNK)?;
                left -= CHUNK;
                pause(source)?;
            }
            source.skip(left)?;
            len
        }
        Form::Lzf { stream, plain } if !source.checks_lzf => {
            source.skip(stream)?;
            plain
        }
        Form::Lzf { stream, plain } => {
            with_stream(source, stream, |stream| lzf::check(stream, plain))?;
            plain
        }
    };
    pause(source)?;
    Ok(len)
}

/// Writes a string in the form that a server would choose.
#[inline]
pub(crate) fn write<W: Write>(sink: &mut Sink<W>, bytes: &[u8]) -> Result<(), WriteError> {
    if let Some(int) = canonical_int(bytes) {
        return write_small_int(sink, int);
    }
    if sink.compression && bytes.len() > MIN_COMPRESSED && write_compressed(sink, bytes)? {
        return Ok(());
    }
    length::write(sink, bytes.len() as u64)?;
    sink.put(bytes)
}

/// Writes the decimal text of an integer.
pub(crate) fn write_int<W: Write>(sink: &mut Sink<W>, int: i64) -> Result<(), WriteError> {
    if let Ok(int) = i32::try_from(int) {
        return write_small_int(sink, int);
    }
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(int).as_bytes();
    length::write(sink, text.len() as u64)?;
    sink.put(text)
}

fn write_small_int<W: Write>(sink: &mut Sink<W>, int: i32) -> Result<(), WriteError> {
    if let Ok(int) = i8::try_from(int) {
        let [a] = int.to_le_bytes();
        sink.put(&[SPECIAL | INT_8, a])
    } else if let Ok(int) = i16::try_from(int) {
        let [a, b] = int.to_le_bytes();
        sink.put(&[SPECIAL | INT_16, a, b])
    } else {
        let [a, b, c, d] = int.to_le_bytes();
        sink.put(&[SPECIAL | INT_32, a, b, c, d])
    }
}

/// Writes the compressed form, if it saves enough.
fn write_compressed<W: Write>(sink: &mut Sink<W>, bytes: &[u8]) -> Result<bool, WriteError> {
    let mut stream = std::mem::take(&mut sink.compressed);
    let kept = lzf::compress(bytes, bytes.len() - MIN_SAVING, &mut stream);
    if kept {
        write_stream(sink, &stream, bytes.len() as u64)?;
    }
    sink.compressed = stream;
    Ok(kept)
}

/// Returns an error unless the stream decompresses to this many bytes.
pub(crate) fn check_stream(stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
    lzf::check(stream, plain_len)
        .map_err(|error| WriteError::Malformed(Error::new(0, ErrorKind::Lzf(error))))
}

/// Writes a string as its stream.
pub(crate) fn write_stream<W: Write>(
    sink: &mut Sink<W>,
    stream: &[u8],
    plain_len: u64,
) -> Result<(), WriteError> {
    sink.put(&[SPECIAL | LZF])?;
    length::write(sink, stream.len() as u64)?;
    length::write(sink, plain_len)?;
    sink.put(stream)
}

/// The integer of at most 32 bits whose canonical text this is.
fn canonical_int(text: &[u8]) -> Option<i32> {
    if text.len() > MAX_INT_TEXT {
        return None;
    }
    i32::try_from(listpack::parse_int(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8], compression: bool) -> Vec<u8> {
        let mut sink = Sink::new(Vec::new(), compression, false);
        write(&mut sink, bytes).unwrap();
        sink.into_inner().unwrap()
    }

    fn check_both_ways(plain: &[u8], stored: &[u8]) {
        assert_eq!(written(plain, true), stored, "{:?}", plain.escape_ascii().to_string());
        let length = Some(stored.len() as u64);
        assert_eq!(read(&mut Source::new(stored, length, false)).unwrap(), plain);
        let mut scanned = Source::new(stored, length, false);
        scan(&mut scanned).unwrap();
        assert_eq!(scanned.left(), Some(0));
    }

    #[test]
    fn integer_forms_at_every_boundary() {
        check_both_ways(b"0", &[0xc0, 0]);
        check_both_ways(b"127", &[0xc0, 0x7f]);
        check_both_ways(b"-128", &[0xc0, 0x80]);
        check_both_ways(b"128", &[0xc1, 0x80, 0]);
        check_both_ways(b"32767", &[0xc1, 0xff, 0x7f]);
        check_both_ways(b"-32768", &[0xc1, 0, 0x80]);
        check_both_ways(b"32768", &[0xc2, 0, 0x80, 0, 0]);
        check_both_ways(b"2147483647", &[0xc2, 0xff, 0xff, 0xff, 0x7f]);
        check_both_ways(b"-2147483648", &[0xc2, 0, 0, 0, 0x80]);
        check_both_ways(b"2147483648", b"\x0a2147483648");
        check_both_ways(b"-2147483649", b"\x0b-2147483649");
        check_both_ways(b"99999999999", b"\x0b99999999999");
    }

    #[test]
    fn text_that_is_not_canonical_stays_text() {
        for text in ["", "-", "-0", "007", "+1", " 1", "1 ", "1.0", "--1", "1e3", "0x1", "00"] {
            let mut stored = vec![u8::try_from(text.len()).unwrap()];
            stored.extend_from_slice(text.as_bytes());
            check_both_ways(text.as_bytes(), &stored);
        }
    }

    #[test]
    fn an_integer_and_its_text_are_written_alike() {
        let edges = [0, 1, -1, 127, 128, -129, 40_000, 1 << 31, (1 << 31) - 1, -(1 << 31) - 1];
        for int in edges.into_iter().chain([i64::MIN, i64::MAX]) {
            let mut sink = Sink::new(Vec::new(), true, false);
            write_int(&mut sink, int).unwrap();
            assert_eq!(sink.into_inner().unwrap(), written(int.to_string().as_bytes(), true));
        }
    }

    #[test]
    fn compression_begins_at_its_length_and_must_save() {
        assert_eq!(written(&[b'a'; 20], true)[0], 20);
        assert_eq!(written(&[b'a'; 21], true)[0], 0xc3);
        assert_eq!(written(&[b'a'; 21], false)[0], 21);
        let no_repeat = b"abcdefghijklmnopqrstuvwxyz";
        assert_eq!(written(no_repeat, true)[0], 26);
        for len in [21, 64, 300, 20_000] {
            let plain = b"abcabcab".repeat(len / 8 + 1);
            check_both_ways(&plain, &written(&plain, true));
        }
    }

    #[test]
    fn unknown_forms_are_refused() {
        for form in 0xc4..=0xff_u8 {
            let error = read(&mut Source::new(&[form; 20][..], None, false)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadString(byte) if *byte == form));
        }
    }

    #[test]
    fn a_length_beyond_the_end_is_refused_before_anything_is_allocated() {
        let stored = [0x81, 0x7f, 255, 255, 255, 255, 255, 255, 255, b'a'];
        let error = read(&mut Source::new(&stored[..], Some(10), false)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLong { left: 1, .. }), "{error}");
        let error = read(&mut Source::new(&stored[..], None, false)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Truncated), "{error}");
    }
}
