//! Why a snapshot cannot be written.

use std::{fmt, io};

use rdb::{Target, WriteError};

/// The error, and the key at which it occurred.
#[derive(Debug)]
pub(crate) struct SaveError {
    key: Option<Box<[u8]>>,
    fault: WriteError,
}

impl SaveError {
    pub(super) fn at(key: &[u8], fault: WriteError) -> Self {
        Self { key: Some(key.into()), fault }
    }

    /// The error for a value whose type byte is in no version, or not in that one.
    pub(super) fn not_in(target: Target, key: &[u8], byte: u8) -> Self {
        Self::at(key, WriteError::NotInVersion { byte, target })
    }

    pub(super) fn into_io(self) -> io::Error {
        if let WriteError::Io(error) = self.fault { error } else { io::Error::other(self) }
    }
}

impl From<WriteError> for SaveError {
    fn from(fault: WriteError) -> Self {
        Self { key: None, fault }
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            // A full disk does not depend on the key.
            Some(key) if !matches!(self.fault, WriteError::Io(_)) => {
                write!(f, "key '{}': {}", key.escape_ascii(), self.fault)
            }
            Some(_) | None => self.fault.fmt(f),
        }
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}
