//! Damage in a file.

use std::fmt;
use std::path::Path;

use tallis::file::ValueError;
use tallis::rdb;

use super::scan::Key;
use crate::failure::Failure;

/// Damage in a file, with its position.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    /// The reason, with the key that it concerns, if there is one.
    pub(crate) reason: String,
    /// The offset in bytes from the start of the file.
    pub(crate) offset: u64,
}

impl Damage {
    /// Returns the damage of a key.
    pub(crate) fn of(key: &Key, reason: &str, offset: u64) -> Self {
        let (name, kind) = (key.name.escape_ascii(), key.kind.type_name());
        Self { reason: format!("key '{name}' ({kind}): {reason}"), offset }
    }

    /// Returns the damage of the value of a key.
    pub(crate) fn of_value(key: &Key, error: &ValueError) -> Self {
        Self::of(key, &error.reason(), error.offset())
    }

    /// Converts it to the failure of a run.
    pub(crate) fn of_file(&self, path: &Path) -> Failure {
        Failure::Trouble(format!("{}: {self}", path.display()))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.reason, self.offset)
    }
}

impl From<rdb::Error> for Damage {
    fn from(error: rdb::Error) -> Self {
        Self { reason: error.kind().to_string(), offset: error.offset() }
    }
}
