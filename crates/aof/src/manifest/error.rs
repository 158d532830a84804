//! Errors of parsing a manifest and of adding files.

use std::error::Error;
use std::fmt;

/// Why bytes are not a valid manifest, and in which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManifestError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The kind of error.
    pub kind: ManifestErrorKind,
}

/// The kind of an error in a line of a manifest.
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
    /// The line does not consist of pairs, or has fewer than three.
    Pairs,
    /// `file` is missing, is not the name of a file in the directory, or is too long, when quoted, for
    /// [`Manifest::MAX_LINE`](crate::Manifest::MAX_LINE).
    Name,
    /// `seq` is missing or 0.
    Sequence,
    /// `type` is missing or not one of `b`, `h` and `i`.
    Type,
    /// There is a second base.
    SecondBase,
    /// The sequence number of an increment is not greater than the previous one, or not greater than 0.
    Order,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ManifestErrorKind::Empty => "the manifest is empty",
            ManifestErrorKind::LineTooLong => "the line is too long",
            ManifestErrorKind::Unterminated => "the line does not end with a line feed",
            ManifestErrorKind::Nul => "the line contains a NUL byte",
            ManifestErrorKind::UnbalancedQuotes => "unbalanced quotes",
            ManifestErrorKind::Pairs => "expected three or more key-value pairs",
            ManifestErrorKind::Name => "expected the name of a file in the same directory",
            ManifestErrorKind::Sequence => "expected a nonzero sequence number",
            ManifestErrorKind::Type => "expected type b, h or i",
            ManifestErrorKind::SecondBase => "more than one base file",
            ManifestErrorKind::Order => {
                "the sequence numbers of incremental files are not in ascending order"
            }
        };
        write!(f, "line {} of the manifest: {what}", self.line)
    }
}

impl Error for ManifestError {}

/// Why a file cannot be added to a manifest. The manifest is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddError {
    /// The name is not that of a file in the directory.
    Name,
    /// The line would be longer than [`Manifest::MAX_LINE`](crate::Manifest::MAX_LINE) bytes.
    LineTooLong,
    /// No sequence number is left.
    Sequence,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "expected a file name without a directory",
            Self::LineTooLong => "the file name is too long for a line of the manifest",
            Self::Sequence => "no sequence number is left",
        })
    }
}

impl Error for AddError {}
