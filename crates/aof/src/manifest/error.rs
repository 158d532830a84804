//! What is wrong with a manifest, or with a file that it is to take.

use std::error::Error;
use std::fmt;

/// Why bytes are no manifest, and in which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManifestError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: ManifestErrorKind,
}

/// What is wrong with a line of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestErrorKind {
    /// There is no line, not even a comment.
    Empty,
    /// The line is longer than [`Manifest::MAX_LINE`](crate::Manifest::MAX_LINE) bytes.
    LineTooLong,
    /// The last line does not end with a line feed.
    Unterminated,
    /// The line contains a NUL.
    Nul,
    /// The quotes do not match.
    UnbalancedQuotes,
    /// The line is not made of pairs, or of less than three.
    Pairs,
    /// There is no `file`, or it is not the name of a file in the folder, or its bytes are too many in quotes for
    /// [`Manifest::MAX_LINE`](crate::Manifest::MAX_LINE).
    Name,
    /// There is no `seq`, or it is 0.
    Sequence,
    /// There is no `type`, or it is none of `b`, `h` and `i`.
    Type,
    /// There is a base already.
    SecondBase,
    /// The sequence number of an increment is not above that of the one before, or not above 0.
    Order,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ManifestErrorKind::Empty => "the manifest is empty",
            ManifestErrorKind::LineTooLong => "the line is too long",
            ManifestErrorKind::Unterminated => "the line does not end with a line feed",
            ManifestErrorKind::Nul => "the line contains a NUL",
            ManifestErrorKind::UnbalancedQuotes => "unbalanced quotes",
            ManifestErrorKind::Pairs => "expected three or more pairs of a key and its value",
            ManifestErrorKind::Name => "expected the name of a file in the same folder",
            ManifestErrorKind::Sequence => "expected a sequence number other than 0",
            ManifestErrorKind::Type => "expected the type b, h or i",
            ManifestErrorKind::SecondBase => "a second base",
            ManifestErrorKind::Order => "the sequence numbers of increments do not ascend",
        };
        write!(f, "{what}, in line {} of the manifest", self.line)
    }
}

impl Error for ManifestError {}

/// Why a manifest does not take a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddError {
    /// It is not the name of a file in the folder.
    Name,
    /// The line would be longer than [`Manifest::MAX_LINE`](crate::Manifest::MAX_LINE) bytes.
    LineTooLong,
    /// No sequence number is left.
    Sequence,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "expected the name of a file, without its folder",
            Self::LineTooLong => "the name of the file is too long for a line of the manifest",
            Self::Sequence => "no sequence number is left for another file",
        })
    }
}

impl Error for AddError {}
