//! The errors of encoding and decoding frames.

use std::fmt;

use super::kind::Kind;

/// An error of encoding or decoding a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin with the magic bytes of a frame.
    BadMagic,
    /// The format is unknown, possibly that of a later version.
    UnknownFormat(u8),
    /// The frame has a value of another kind.
    Kind {
        /// The kind that was expected.
        expected: Kind,
        /// The number of its kind.
        got: u8,
    },
    /// The value is longer than the limit.
    TooLong {
        /// Its length in bytes.
        len: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The bytes end before the frame does.
    Truncated {
        /// The length of the frame in bytes, or that of the header if it is incomplete.
        need: u64,
        /// The number of bytes that there are.
        got: u64,
    },
    /// Bytes follow the frame.
    Trailing {
        /// The number of bytes after the frame.
        bytes: u64,
    },
    /// The checksum is wrong: the bytes are damaged.
    Checksum {
        /// The checksum in the frame.
        stored: u64,
        /// The checksum of its bytes.
        computed: u64,
    },
    /// The value violates the rules of its type.
    Malformed(Box<str>),
    /// A value cannot be framed.
    Unframed(Box<str>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMagic => f.write_str("not a frame"),
            Self::UnknownFormat(format) => write!(f, "unknown frame format {format}"),
            Self::Kind { expected, got } => match Kind::from_byte(*got) {
                Some(got) => write!(f, "the frame holds a {got}, not a {expected}"),
                None => write!(f, "the frame holds a value of kind {got}, not a {expected}"),
            },
            Self::TooLong { len, limit } => {
                write!(f, "the value has {len} bytes, more than {limit}")
            }
            Self::Truncated { need, got } => {
                write!(f, "the frame is truncated: {got} of {need} bytes")
            }
            Self::Trailing { bytes } => write!(f, "{bytes} trailing bytes after the frame"),
            Self::Checksum { stored, computed } => {
                write!(f, "checksum mismatch: stored {stored:016x}, computed {computed:016x}")
            }
            Self::Malformed(why) => write!(f, "the value is malformed: {why}"),
            Self::Unframed(why) => write!(f, "the value cannot be framed: {why}"),
        }
    }
}

impl std::error::Error for Error {}
