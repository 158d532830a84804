//! What was found when a store was opened.

use std::path::PathBuf;

/// What was found in the directory of a store: see [`Store::open_report`](crate::Store::open_report).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OpenReport {
    /// The files that were read, in their order.
    pub files: Vec<PathBuf>,
    /// Keys that were read from a snapshot.
    pub snapshot_keys: u64,
    /// Commands of the log that were run.
    pub commands: u64,
    /// What was cut off the end of the log.
    pub cut: Option<CutTail>,
}

/// A command or transaction at the end of a log that was not whole, and was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CutTail {
    /// The file.
    pub file: PathBuf,
    /// How long it is now, in bytes.
    pub offset: u64,
    /// How many bytes were cut off.
    pub bytes: u64,
}
