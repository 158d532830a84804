//! Why a file is refused.

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::persist::value::Fault;

/// Why a file was refused, and the offset.
#[derive(Debug)]
pub(super) struct LoadError {
    key: Option<Box<[u8]>>,
    offset: u64,
    fault: FileFault,
}

#[derive(Debug)]
enum FileFault {
    Value(Fault),
    TwiceInFile,
}

impl LoadError {
    /// The error of the value of a key, which begins at that offset.
    pub(super) fn at(key: &[u8], offset: u64, fault: Fault) -> Self {
        let offset = if let Fault::Bytes(error) = &fault { error.offset() } else { offset };
        Self { key: Some(key.into()), offset, fault: FileFault::Value(fault) }
    }

    /// The error of a duplicate key, at that offset.
    pub(super) fn twice(key: &[u8], offset: u64) -> Self {
        Self { key: Some(key.into()), offset, fault: FileFault::TwiceInFile }
    }

    /// The offset in the file, in bytes.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Converts to the error of a caller that tried to load `what`.
    pub(super) fn into_error(self, what: &str) -> Error {
        let kind = match &self.fault {
            FileFault::Value(Fault::Bytes(error)) if is_io(error) => ErrorKind::Io,
            FileFault::Value(_) | FileFault::TwiceInFile => ErrorKind::Corrupt,
        };
        Error::caused(kind, format!("{what}: {self}"), self)
    }
}

fn is_io(error: &rdb::Error) -> bool {
    matches!(error.kind(), rdb::ErrorKind::Io(_))
}

impl From<rdb::Error> for LoadError {
    fn from(error: rdb::Error) -> Self {
        let (offset, key) = (error.offset(), error.key().map(Box::from));
        Self { key, offset, fault: FileFault::Value(Fault::Bytes(error)) }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(key) = &self.key {
            write!(f, "key '{}': ", key.escape_ascii())?;
        }
        match &self.fault {
            // It has its own offset.
            FileFault::Value(Fault::Bytes(error)) => write!(f, "{error}"),
            FileFault::Value(fault) => write!(f, "{fault} at offset {}", self.offset),
            FileFault::TwiceInFile => {
                write!(f, "duplicate key at offset {}", self.offset)
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            FileFault::Value(Fault::Bytes(error)) => Some(error),
            FileFault::Value(Fault::IntSet(error)) => Some(error),
            FileFault::Value(Fault::ListPack(error)) => Some(error),
            FileFault::Value(Fault::Bloom(error)) => Some(error),
            FileFault::Value(_) | FileFault::TwiceInFile => None,
        }
    }
}
