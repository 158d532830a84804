//! Why a set does not change, and why bytes or entries are not a set.

use core::{error, fmt};

/// Why a set does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The score, or the sum, is not a number.
    NotANumber,
    /// The set has as many blocks as it can name: some 180 million members of 16 bytes.
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
    /// They are not a listpack.
    ListPack(listpack::DecodeError),
    /// The last member has no score.
    Odd {
        /// How many entries there are.
        entries: usize,
    },
    /// An entry in the place of a score is not a number.
    NotAScore {
        /// The offset of the entry in the blob.
        offset: usize,
    },
    /// A member is not behind the one in front of it.
    NotSorted {
        /// The offset of the member in the blob.
        offset: usize,
    },
    /// A member is there twice.
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
                write!(f, "sorted set has {entries} entries, and so a member without a score")
            }
            Self::NotAScore { offset } => {
                write!(f, "sorted set has a score at offset {offset} that is not a number")
            }
            Self::NotSorted { offset } => {
                write!(f, "sorted set has a member at offset {offset} that is out of order")
            }
            Self::Duplicate { offset } => {
                write!(f, "sorted set has the member at offset {offset} twice")
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

/// Why entries cannot be built into a set at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildError {
    /// A score is not a number.
    NotANumber {
        /// Which of the entries, from 0.
        index: usize,
    },
    /// A member is there twice.
    Duplicate {
        /// Which of the entries has a member that another has too.
        index: usize,
    },
    /// The set holds as much as it can name.
    Full {
        /// Which of the entries is too much.
        index: usize,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { index } => {
                write!(f, "entry {index} has a score that is not a number")
            }
            Self::Duplicate { index } => write!(f, "entry {index} has the member of another"),
            Self::Full { index } => write!(f, "entry {index} is more than a sorted set holds"),
        }
    }
}

impl error::Error for BuildError {}
