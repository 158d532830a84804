//! Errors of reading a log.

use std::error::Error;
use std::fmt;
use std::io;

/// Why a log cannot be read further, and where. Offsets are in bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The bytes could not be read.
    Io(io::Error),
    /// The input ends inside a command, an annotation or a transaction.
    Torn {
        /// The offset of the command, the annotation or the transaction.
        offset: u64,
        /// The end of the last complete command outside a transaction, where a server truncates the log.
        valid_up_to: u64,
    },
    /// The bytes are malformed.
    Format {
        /// Their offset.
        offset: u64,
        /// The end of the last complete command outside a transaction.
        valid_up_to: u64,
        /// What is malformed.
        damage: Damage,
    },
}

/// What is malformed in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// This byte is at the position of a `*` (a command) or a `#` (an annotation).
    Record(u8),
    /// The number of words is not a decimal number, is 0, or does not fit 31 bits.
    Count,
    /// This byte is at the position of the `$` of a word.
    Word(u8),
    /// The length of a word is not a decimal number or exceeds the limit.
    Length,
    /// A word is not followed by CR LF.
    WordEnd,
    /// An annotation has more than [`LogReader::MAX_ANNOTATION`](crate::LogReader::MAX_ANNOTATION) bytes.
    Annotation,
    /// MULTI is inside a transaction.
    NestedMulti,
    /// EXEC is outside a transaction.
    ExecWithoutMulti,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the log: {error}"),
            Self::Torn { offset, valid_up_to } => write!(
                f,
                "unexpected end of the log in the record at offset {offset}; the log is valid up to \
                 offset {valid_up_to}"
            ),
            Self::Format { offset, damage, .. } => write!(f, "{damage} at offset {offset}"),
        }
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Torn { .. } | Self::Format { .. } => None,
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(byte) => write!(f, "expected '*' or '#', got '{}'", byte.escape_ascii()),
            Self::Count => f.write_str("invalid number of words"),
            Self::Word(byte) => write!(f, "expected '$', got '{}'", byte.escape_ascii()),
            Self::Length => f.write_str("invalid word length"),
            Self::WordEnd => f.write_str("a word is not followed by CR LF"),
            Self::Annotation => f.write_str("an annotation is too long"),
            Self::NestedMulti => f.write_str("MULTI inside a transaction"),
            Self::ExecWithoutMulti => f.write_str("EXEC without MULTI"),
        }
    }
}
