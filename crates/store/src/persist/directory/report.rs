//! The report of opening a store.

use std::path::PathBuf;

/// What was read from the directory of a store: see [`Store::open_report`](crate::Store::open_report).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OpenReport {
    /// The files that were read, in order.
    pub files: Vec<PathBuf>,
    /// The number of keys that were read from a snapshot.
    pub snapshot_keys: u64,
    /// The number of commands of the log that were run.
    pub commands: u64,
    /// The end of the log that was truncated, if it was incomplete.
    pub cut: Option<CutTail>,
}

/// An incomplete command or transaction at the end of a log, which was truncated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CutTail {
    /// The file.
    pub file: PathBuf,
    /// The length of the file after truncation, in bytes.
    pub offset: u64,
    /// The number of bytes that were removed.
    pub bytes: u64,
}
