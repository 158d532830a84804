//! From a stream to plain bytes.

use std::fmt;

use super::{LONG_COPY, MAX_COPY};

/// Why a stream is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The stream ends inside a token.
    Truncated,
    /// A copy begins before the first plain byte.
    BadDistance {
        /// How far back it reaches.
        distance: usize,
        /// How many plain bytes there are.
        plain: usize,
    },
    /// The stream does not give as many plain bytes as it should.
    WrongLength {
        /// How many there should be.
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

impl std::error::Error for Error {}

enum Token<'a> {
    Literal(&'a [u8]),
    Copy { distance: usize, len: usize },
}

/// Splits the first token off the stream; `None` at its end.
#[inline]
fn next_token<'a>(stream: &mut &'a [u8]) -> Result<Option<Token<'a>>, Error> {
    let Some((&first, rest)) = stream.split_first() else { return Ok(None) };
    let high = usize::from(first & 0x1f);
    let (token, rest) = match first >> 5 {
        0 => {
            let (literal, rest) = rest.split_at_checked(high + 1).ok_or(Error::Truncated)?;
            (Token::Literal(literal), rest)
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

/// The most plain bytes that a stream of this many bytes can give.
#[must_use]
pub const fn max_plain_len(stream: u64) -> u64 {
    // The best token takes three bytes for the longest copy.
    stream.saturating_mul((MAX_COPY as u64).div_ceil(3))
}

/// Expands a stream that gives `plain_len` bytes.
///
/// # Errors
/// A stream that is malformed or gives another number of bytes. Nothing is allocated if no stream
/// of this size can give as many.
pub fn decompress(stream: &[u8], plain_len: u64) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    decompress_into(stream, plain_len, &mut plain)?;
    Ok(plain)
}

/// Expands a stream that gives `plain_len` bytes into `plain`, which is cleared first.
///
/// # Errors
/// As [`decompress`]; then `plain` holds nothing of use.
pub fn decompress_into(
    mut stream: &[u8],
    plain_len: u64,
    plain: &mut Vec<u8>,
) -> Result<(), Error> {
    plain.clear();
    let expected = checked_len(stream, plain_len)?;
    plain.reserve_exact(expected);
    while let Some(token) = next_token(&mut stream)? {
        let left = expected - plain.len();
        match token {
            Token::Literal(literal) => {
                if literal.len() > left {
                    return Err(Error::WrongLength { expected: plain_len });
                }
                plain.extend_from_slice(literal);
            }
            Token::Copy { distance, len } => {
                let from = plain.len().checked_sub(distance);
                let from = from.ok_or(Error::BadDistance { distance, plain: plain.len() })?;
                if len > left {
                    return Err(Error::WrongLength { expected: plain_len });
                }
                copy(plain, from, distance, len);
            }
        }
    }
    if plain.len() == expected { Ok(()) } else { Err(Error::WrongLength { expected: plain_len }) }
}

/// Appends `len` bytes that begin at `from`, which is `distance` before the end.
#[inline]
fn copy(plain: &mut Vec<u8>, from: usize, distance: usize, len: usize) {
    if len <= distance {
        plain.extend_from_within(from..from + len);
        return;
    }
    // The copy repeats what it writes: each pass may take all that stands from `from` on, which doubles.
    let end = plain.len() + len;
    while plain.len() < end {
        let take = (plain.len() - from).min(end - plain.len());
        plain.extend_from_within(from..from + take);
    }
}

/// Checks that a stream is well formed and gives `plain_len` bytes, without expanding it.
///
/// # Errors
/// As [`decompress`].
pub fn check(mut stream: &[u8], plain_len: u64) -> Result<(), Error> {
    let expected = checked_len(stream, plain_len)?;
    let mut plain = 0_usize;
    while let Some(token) = next_token(&mut stream)? {
        let len = match token {
            Token::Literal(literal) => literal.len(),
            Token::Copy { distance, .. } if distance > plain => {
                return Err(Error::BadDistance { distance, plain });
            }
            Token::Copy { len, .. } => len,
        };
        if len > expected - plain {
            return Err(Error::WrongLength { expected: plain_len });
        }
        plain += len;
    }
    if plain == expected { Ok(()) } else { Err(Error::WrongLength { expected: plain_len }) }
}

/// The length that the stream should give, if it possibly can.
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
