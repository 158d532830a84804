//! Why a log cannot be read on.

use std::error::Error;
use std::fmt;
use std::io;

/// Why a log cannot be read on, and where. Offsets are in bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The bytes could not be read.
    Io(io::Error),
    /// The input ends inside a command, an annotation or a transaction.
    Torn {
        /// Where the command, the annotation or the transaction begins.
        offset: u64,
        /// The end of the last whole command that is outside a transaction, where a server cuts the log.
        valid_up_to: u64,
    },
    /// The bytes are none that a log has.
    Format {
        /// Where they are.
        offset: u64,
        /// The end of the last whole command that is outside a transaction.
        valid_up_to: u64,
        /// What is wrong with them.
        damage: Damage,
    },
}

/// What is wrong with the bytes of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// This byte is where a `*`, of a command, or a `#`, of an annotation, should be.
    Record(u8),
    /// The number of words is not in decimal, is 0, or does not fit into 31 bits.
    Count,
    /// This byte is where the `$` of a word should be.
    Word(u8),
    /// The length of a word is not in decimal, or is above the limit.
    Length,
    /// A word is not followed by CR LF.
    WordEnd,
    /// An annotation has more than [`LogReader::MAX_ANNOTATION`](crate::LogReader::MAX_ANNOTATION) bytes.
    Annotation,
    /// A MULTI between MULTI and EXEC.
    NestedMulti,
    /// An EXEC without MULTI.
    ExecWithoutMulti,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the log: {error}"),
            Self::Torn { offset, valid_up_to } => write!(
                f,
                "the log ends inside what begins at offset {offset}; it is valid up to offset {valid_up_to}"
            ),
            Self::Format { offset, damage, .. } => write!(f, "{damage}, at offset {offset}"),
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
            Self::Length => f.write_str("invalid length of a word"),
            Self::WordEnd => f.write_str("a word is not followed by CR LF"),
            Self::Annotation => f.write_str("an annotation is too long"),
            Self::NestedMulti => f.write_str("MULTI inside a transaction"),
            Self::ExecWithoutMulti => f.write_str("EXEC without MULTI"),
        }
    }
}
