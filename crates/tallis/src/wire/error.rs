//! Why a value is not framed, or a frame not read.

use std::fmt;

use super::kind::Kind;

/// Why a value is not framed, or a frame not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin as a frame does.
    BadMagic,
    /// The format is of a later version, or of none.
    UnknownFormat(u8),
    /// The frame holds something else.
    Kind {
        /// What was asked for.
        expected: Kind,
        /// The number of what it is.
        got: u8,
    },
    /// The value is longer than allowed.
    TooLong {
        /// How many bytes it has.
        len: u64,
        /// How many it may have.
        limit: u64,
    },
    /// The bytes end before the frame does.
    Truncated {
        /// How many bytes the frame has; of one whose header is not there, how many that has.
        need: u64,
        /// How many there are.
        got: u64,
    },
    /// Bytes follow the frame.
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// The bytes are not those that were written.
    Checksum {
        /// What the frame says.
        stored: u64,
        /// What its bytes give.
        computed: u64,
    },
    /// The value breaks the rules of its type.
    Malformed(Box<str>),
    /// A value cannot be framed.
    Unframed(Box<str>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMagic => f.write_str("not a frame"),
            Self::UnknownFormat(format) => write!(f, "frames of format {format} are unknown"),
            Self::Kind { expected, got } => match Kind::from_byte(*got) {
                Some(got) => write!(f, "the frame holds a {got}, not a {expected}"),
                None => write!(f, "the frame holds a value of kind {got}, not a {expected}"),
            },
            Self::TooLong { len, limit } => {
                write!(f, "the value has {len} bytes, more than {limit}")
            }
            Self::Truncated { need, got } => {
                write!(f, "the frame is cut off: {got} bytes of {need}")
            }
            Self::Trailing { bytes } => write!(f, "{bytes} bytes follow the frame"),
            Self::Checksum { stored, computed } => {
                write!(f, "the checksum is {computed:016x}, not {stored:016x}")
            }
            Self::Malformed(why) => write!(f, "the value is malformed: {why}"),
            Self::Unframed(why) => write!(f, "the value cannot be framed: {why}"),
        }
    }
}

impl std::error::Error for Error {}
