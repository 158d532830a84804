//! Errors of copying a value.

use std::fmt;

use crate::{error::Error, writer::WriteError};

/// Why a value could not be [copied](crate::Reader::copy_value).
#[derive(Debug)]
#[non_exhaustive]
pub enum CopyError {
    /// The value is malformed.
    Read(Error),
    /// The value cannot be written.
    Write(WriteError),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "{error}"),
            Self::Write(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Write(error) => Some(error),
        }
    }
}

impl From<Error> for CopyError {
    fn from(error: Error) -> Self {
        Self::Read(error)
    }
}

impl From<WriteError> for CopyError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}
