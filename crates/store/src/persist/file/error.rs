//! Errors in a value of a file, with their offset.

use std::fmt;

use rdb::{CopyError, Target, ValueType, WriteError};

use crate::persist::value::Fault;

/// Why a value of a file was refused, with the offset in the file.
#[derive(Debug)]
pub struct ValueError {
    /// The offset of the value.
    at: u64,
    fault: Fault,
}

impl ValueError {
    #[cold]
    pub(super) const fn new(at: u64, fault: Fault) -> Self {
        Self { at, fault }
    }

    /// Returns the offset in the file: of malformed bytes, or else of the value with invalid contents.
    #[must_use]
    pub fn offset(&self) -> u64 {
        if let Fault::Bytes(error) = &self.fault { error.offset() } else { self.at }
    }

    /// Returns the reason, without the offset.
    #[must_use]
    pub fn reason(&self) -> String {
        if let Fault::Bytes(error) = &self.fault {
            error.kind().to_string()
        } else {
            self.fault.to_string()
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.reason(), self.offset())
    }
}

impl std::error::Error for ValueError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Fault::Bytes(error) = &self.fault { Some(error) } else { None }
    }
}

impl From<rdb::Error> for ValueError {
    fn from(error: rdb::Error) -> Self {
        Self::new(error.offset(), Fault::Bytes(error))
    }
}

/// Why a value could not be [rewritten](super::Rewrite::value).
#[derive(Debug)]
#[non_exhaustive]
pub enum RewriteError {
    /// It is not valid for its type.
    Value(ValueError),
    /// The target version has neither its type nor an older form without loss. Nothing was written.
    NoForm {
        /// The type.
        kind: ValueType,
        /// The target version.
        target: Target,
    },
    /// Writing failed.
    Write(WriteError),
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(error) => write!(f, "{error}"),
            Self::NoForm { kind, target } => {
                let (name, byte) = (kind.type_name(), kind.byte());
                write!(f, "version {target} has no encoding for a {name} of type {byte}")
            }
            Self::Write(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RewriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value(error) => Some(error),
            Self::NoForm { .. } => None,
            Self::Write(error) => Some(error),
        }
    }
}

impl From<ValueError> for RewriteError {
    fn from(error: ValueError) -> Self {
        Self::Value(error)
    }
}

impl From<rdb::Error> for RewriteError {
    fn from(error: rdb::Error) -> Self {
        Self::Value(error.into())
    }
}

impl From<WriteError> for RewriteError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl From<CopyError> for RewriteError {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Write(error) => Self::Write(error),
            CopyError::Read(error) => error.into(),
            // There are no others; an unknown one ends the copying.
            _ => Self::Write(WriteError::Failed),
        }
    }
}
