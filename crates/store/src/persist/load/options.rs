//! How a file is read, and what came of it.

use std::path::PathBuf;

use super::super::save::default_threads;
use crate::error::Error;

/// How [`Store::load_with`](crate::Store::load_with) and [`Store::load_from`](crate::Store::load_from) read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoadOptions {
    /// Whether the keys before an error are loaded, where a file is damaged or holds a value of an unknown type. `false`
    /// by default: the file is then refused and the store is unchanged.
    pub salvage: bool,
    /// Whether the checksum is computed and compared. `true` by default.
    pub checksum: bool,
    /// How many threads decode values, the calling one among them, from 1 MiB of the file on. By default 2, or 1 where
    /// there is one processor. A file that is salvaged is read by one.
    pub threads: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { salvage: false, checksum: true, threads: default_threads() }
    }
}

/// What was read from a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadReport {
    /// Keys that the store has now.
    pub keys: u64,
    /// Keys that were left out because they have expired.
    pub expired: u64,
    /// Keys that were left out because they have no members: servers write none, and skip those that others wrote.
    pub empty: u64,
    /// Commands of a log that were run.
    pub commands: u64,
    /// What ended the reading of a file that was salvaged before its end, with its offset.
    pub damage: Option<Error>,
    /// The file of a log that the damage is in.
    pub damaged_file: Option<PathBuf>,
}

impl LoadReport {
    pub(super) fn add(&mut self, other: &Self) {
        self.keys += other.keys;
        self.expired += other.expired;
        self.empty += other.empty;
    }
}
