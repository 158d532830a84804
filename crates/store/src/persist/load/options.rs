//! Options for loading a file, and the report.

use std::path::PathBuf;

use super::super::save::default_threads;
use crate::error::Error;

/// Options of [`Store::load_with`](crate::Store::load_with) and [`Store::load_from`](crate::Store::load_from).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoadOptions {
    /// Whether the keys before an error are loaded if a file is damaged or has a value of an unknown type. Default:
    /// `false`, the file is then refused and the store is unchanged.
    pub salvage: bool,
    /// Whether the checksum is verified. Default: `true`.
    pub checksum: bool,
    /// The number of threads that decode values, including the calling one, for files of 1 MiB and more. Default: 2, or
    /// 1 on a single CPU. With `salvage` it is always 1.
    pub threads: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { salvage: false, checksum: true, threads: default_threads() }
    }
}

/// The report of loading a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadReport {
    /// The number of keys that the store has now.
    pub keys: u64,
    /// The number of keys that were skipped because they have expired.
    pub expired: u64,
    /// The number of keys that were skipped because they are empty: servers do not write these, and skip those of other
    /// programs.
    pub empty: u64,
    /// The number of commands of a log that were run.
    pub commands: u64,
    /// The error, with its offset, at which a salvaged file ended early.
    pub damage: Option<Error>,
    /// The file of a log that is damaged.
    pub damaged_file: Option<PathBuf>,
}

impl LoadReport {
    pub(super) fn add(&mut self, other: &Self) {
        self.keys += other.keys;
        self.expired += other.expired;
        self.empty += other.empty;
    }
}
