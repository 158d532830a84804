//! Errors of changes, of decoding and of building.

use core::{error, fmt};

/// Why a change is refused. The set is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The score, or the sum, is NaN.
    NotANumber,
    /// The set has the maximum number of blocks: some 180 million members of 16 bytes.
    Full,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "the score is not a number",
            Self::Full => "the sorted set is full",
        })
    }
}

impl error::Error for Refused {}

/// Why bytes are not the listpack of a sorted set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes are not a listpack.
    ListPack(listpack::DecodeError),
    /// The last member has no score.
    Odd {
        /// The number of entries.
        entries: usize,
    },
    /// An entry at the position of a score is not a number.
    NotAScore {
        /// The offset of the entry in the blob.
        offset: usize,
    },
    /// A member does not sort after the previous one.
    NotSorted {
        /// The offset of the member in the blob.
        offset: usize,
    },
    /// A member occurs twice.
    Duplicate {
        /// The offset of the second one in the blob.
        offset: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ListPack(error) => error.fmt(f),
            Self::Odd { entries } => {
                write!(
                    f,
                    "sorted set has an odd number of entries, {entries}: the last member has no score"
                )
            }
            Self::NotAScore { offset } => {
                write!(f, "sorted set score at offset {offset} is not a number")
            }
            Self::NotSorted { offset } => {
                write!(f, "sorted set member at offset {offset} is out of order")
            }
            Self::Duplicate { offset } => {
                write!(f, "sorted set has a duplicate member at offset {offset}")
            }
        }
    }
}

impl error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::ListPack(error) => Some(error),
            Self::Odd { .. }
            | Self::NotAScore { .. }
            | Self::NotSorted { .. }
            | Self::Duplicate { .. } => None,
        }
    }
}

impl From<listpack::DecodeError> for DecodeError {
    fn from(error: listpack::DecodeError) -> Self {
        Self::ListPack(error)
    }
}

/// Why a set cannot be built from entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildError {
    /// A score is NaN.
    NotANumber {
        /// The index of the entry, from 0.
        index: usize,
    },
    /// A member occurs twice.
    Duplicate {
        /// The index of an entry with a duplicate member.
        index: usize,
    },
    /// The set is full: see [`Refused::Full`].
    Full {
        /// The index of the first entry that does not fit.
        index: usize,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { index } => {
                write!(f, "score of entry {index} is not a number")
            }
            Self::Duplicate { index } => write!(f, "entry {index} has a duplicate member"),
            Self::Full { index } => write!(f, "entry {index} exceeds the capacity of a sorted set"),
        }
    }
}

impl error::Error for BuildError {}
