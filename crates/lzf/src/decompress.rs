//! Decompression.

use alloc::vec::Vec;
use core::{error, fmt};

use crate::{LONG_COPY, MAX_COPY, MAX_LITERAL};

/// Why a stream is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The stream ends inside a token.
    Truncated,
    /// A copy begins before the first plain byte.
    BadDistance {
        /// Its distance, in bytes.
        distance: usize,
        /// The number of plain bytes so far.
        plain: usize,
    },
    /// The stream does not decompress to the expected number of bytes.
    WrongLength {
        /// The expected number.
        expected: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the stream ends inside a token"),
            Self::BadDistance { distance, plain } => {
                write!(f, "a copy from {distance} back after {plain} bytes")
            }
            Self::WrongLength { expected } => {
                write!(f, "the stream does not give {expected} bytes")
            }
        }
    }
}

impl error::Error for Error {}

enum Token<'a> {
    /// The first `len` bytes of the rest of the stream, which may continue after them.
    Literal {
        from: &'a [u8],
        len: usize,
    },
    Copy {
        distance: usize,
        len: usize,
    },
}

/// Splits the first token off the stream; `None` at its end.
#[inline]
fn next_token<'a>(stream: &mut &'a [u8]) -> Result<Option<Token<'a>>, Error> {
    let Some((&first, rest)) = stream.split_first() else { return Ok(None) };
    let high = usize::from(first & 0x1f);
    let (token, rest) = match first >> 5 {
        0 => {
            let len = high + 1;
            (Token::Literal { from: rest, len }, rest.get(len..).ok_or(Error::Truncated)?)
        }
        7 => {
            let ([more, low], rest) = rest.split_first_chunk().ok_or(Error::Truncated)?;
            let distance = (high << 8 | usize::from(*low)) + 1;
            (Token::Copy { distance, len: usize::from(*more) + LONG_COPY }, rest)
        }
        short => {
            let ([low], rest) = rest.split_first_chunk().ok_or(Error::Truncated)?;
            let distance = (high << 8 | usize::from(*low)) + 1;
            (Token::Copy { distance, len: usize::from(short) + 2 }, rest)
        }
    };
    *stream = rest;
    Ok(Some(token))
}

/// Returns the maximum number of plain bytes of a stream of `stream` bytes.
#[must_use]
pub const fn max_plain_len(stream: u64) -> u64 {
    // The best token takes three bytes for the longest copy.
    stream.saturating_mul((MAX_COPY as u64).div_ceil(3))
}

/// Decompresses a stream to exactly `plain_len` bytes. O(`plain_len`).
///
/// # Errors
/// [`Error`] if the stream is malformed or decompresses to another number of bytes. Nothing is allocated if a stream of
/// this size cannot have `plain_len` bytes.
pub fn decompress(stream: &[u8], plain_len: u64) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    decompress_into(stream, plain_len, &mut plain)?;
    Ok(plain)
}

/// Decompresses a stream to exactly `plain_len` bytes into `plain`, which is cleared first.
///
/// # Errors
/// As [`decompress`]; the content of `plain` is unspecified then.
pub fn decompress_into(
    mut stream: &[u8],
    plain_len: u64,
    plain: &mut Vec<u8>,
) -> Result<(), Error> {
    plain.clear();
    let expected = checked_len(stream, plain_len)?;
    plain.resize(expected, 0);
    let plain = plain.as_mut_slice();
    let mut at = 0;
    while let Some(token) = next_token(&mut stream)? {
        let (Token::Literal { len, .. } | Token::Copy { len, .. }) = token;
        if let Token::Copy { distance, .. } = token
            && distance > at
        {
            return Err(Error::BadDistance { distance, plain: at });
        }
        if len > expected - at {
            return Err(Error::WrongLength { expected: plain_len });
        }
        match token {
            Token::Literal { from, len } => put_literal(plain, at, from, len),
            Token::Copy { distance, len } => put_copy(plain, at, distance, len),
        }
        at += len;
    }
    if at == expected { Ok(()) } else { Err(Error::WrongLength { expected: plain_len }) }
}

/// Bytes that are copied at once if there is room, even if fewer are needed: the next token overwrites the excess. A
/// copy of a fixed size is a few instructions, one of any size is a call.
const STEP: usize = 16;

/// Writes `len` bytes from the front of `from`.
#[inline]
fn put_literal(plain: &mut [u8], at: usize, from: &[u8], len: usize) {
    let to = plain.get_mut(at..).unwrap_or_default();
    if let (Some(to), Some(from)) =
        (to.first_chunk_mut::<MAX_LITERAL>(), from.first_chunk::<MAX_LITERAL>())
    {
        *to = *from;
    } else if let (Some(to), Some(from)) = (to.get_mut(..len), from.get(..len)) {
        to.copy_from_slice(from);
    }
}

/// Writes `len` bytes from `distance` before `at`.
#[inline]
fn put_copy(plain: &mut [u8], at: usize, distance: usize, len: usize) {
    let from = at - distance;
    let end = at + len;
    if distance >= STEP && end + STEP <= plain.len() {
        let mut done = 0;
        while done < len {
            let step = plain.get(from + done..).and_then(<[u8]>::first_chunk::<STEP>).copied();
            let to = plain.get_mut(at + done..).and_then(<[u8]>::first_chunk_mut::<STEP>);
            if let (Some(to), Some(step)) = (to, step) {
                *to = step;
            }
            done += STEP;
        }
        return;
    }
    // The copy repeats its own output: each pass can copy all bytes from `from` on, which doubles them.
    let mut to = at;
    while to < end {
        let take = (to - from).min(end - to);
        plain.copy_within(from..from + take, to);
        to += take;
    }
}

/// Validates that a stream is well formed and decompresses to `plain_len` bytes, without decompressing it. O(length of
/// the stream).
///
/// # Errors
/// As [`decompress`].
pub fn check(mut stream: &[u8], plain_len: u64) -> Result<(), Error> {
    let expected = checked_len(stream, plain_len)?;
    let mut plain = 0_usize;
    while let Some(token) = next_token(&mut stream)? {
        let len = match token {
            Token::Copy { distance, .. } if distance > plain => {
                return Err(Error::BadDistance { distance, plain });
            }
            Token::Literal { len, .. } | Token::Copy { len, .. } => len,
        };
        if len > expected - plain {
            return Err(Error::WrongLength { expected: plain_len });
        }
        plain += len;
    }
    if plain == expected { Ok(()) } else { Err(Error::WrongLength { expected: plain_len }) }
}

/// The expected plain length, if a stream of this size can have it.
fn checked_len(stream: &[u8], plain_len: u64) -> Result<usize, Error> {
    if stream.is_empty() {
        // No server writes an empty stream, and liblzf reads past its end.
        return Err(Error::Truncated);
    }
    usize::try_from(plain_len)
        .ok()
        .filter(|_| plain_len <= max_plain_len(stream.len() as u64))
        .ok_or(Error::WrongLength { expected: plain_len })
}
