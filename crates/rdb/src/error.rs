//! Errors of reading, and their offsets.

use std::{fmt, io};

use crate::version::Version;

/// Why a file or a payload was refused, and the offset of the error.
///
/// The offset counts bytes from the start of the file (of the payload, for DUMP), and is that of the first byte of what
/// is wrong, such as a length that is too large or a type byte that is unknown.
///
/// ```
/// let error = rdb::Reader::new(&b"REDIX0010"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "not an RDB file at offset 0");
/// ```
#[derive(Debug)]
pub struct Error {
    offset: u64,
    kind: ErrorKind,
    key: Option<Box<[u8]>>,
}

impl Error {
    #[cold]
    pub(crate) fn new(offset: u64, kind: ErrorKind) -> Self {
        Self { offset, kind, key: None }
    }

    /// The offset of the error, in bytes from the start of the input.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The error of a value that was skipped.
    #[cold]
    pub(crate) fn in_value_of(self, key: Vec<u8>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// The key whose value is malformed, if the error was found while cutting a [batch](crate::Reader::next_batch);
    /// else `None`, because a caller that reads a value knows its key.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the kind of error, by value.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.kind
    }
}

/// The kind of an error in a file or a payload.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading from the source failed.
    Io(io::Error),
    /// The bytes end too early.
    Truncated,
    /// A length is larger than the number of bytes that remain.
    TooLong {
        /// The length.
        len: u64,
        /// Bytes that remain.
        left: u64,
    },
    /// The file does not begin with a known magic and a decimal version.
    BadMagic,
    /// The version is 0 or not supported.
    UnsupportedVersion(Version),
    /// The byte is not a known opcode.
    UnknownOpcode(u8),
    /// The byte is not a known value type of this version. The end of such a value is not known, so reading stops.
    UnknownType {
        /// The byte.
        byte: u8,
        /// The key of the value, if it can be read.
        key: Option<Vec<u8>>,
    },
    /// The opcode or value type was written only by pre-release servers, in a form that cannot be skipped.
    PreRelease(u8),
    /// The first byte of a length is not valid.
    BadLength(u8),
    /// A string has an unknown special form.
    BadString(u8),
    /// A compressed string is malformed.
    Lzf(lzf::Error),
    /// A part of a module's value has this unknown tag.
    BadModulePart(u64),
    /// The expiry of a hash field is not valid.
    FieldExpiry,
    /// A node of a list has this unknown container number.
    BadNode(u64),
    /// The database number is out of range.
    BadDatabase(u64),
    /// The checksum does not match the bytes.
    Checksum {
        /// The stored checksum.
        stored: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// Bytes follow the value of a payload.
    Trailing {
        /// The number of bytes.
        left: u64,
    },
    /// There is no value to read: no key was read, or its value was already read.
    NoValue,
    /// An earlier error has stopped the reader.
    Failed,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read: {error}"),
            Self::Truncated => f.write_str("unexpected end of input"),
            Self::TooLong { len, left } => {
                write!(f, "length {len} exceeds the {left} bytes that remain")
            }
            Self::BadMagic => f.write_str("not an RDB file"),
            Self::UnsupportedVersion(version) => write!(f, "unsupported version {version}"),
            Self::UnknownOpcode(byte) => write!(f, "unknown opcode {byte}"),
            Self::UnknownType { byte, key: None } => write!(f, "unknown type {byte}"),
            Self::UnknownType { byte, key: Some(key) } => {
                write!(f, "unknown type {byte} of key '{}'", key.escape_ascii())
            }
            Self::PreRelease(byte) => write!(f, "pre-release form {byte} is not supported"),
            Self::BadLength(byte) => write!(f, "a length cannot begin with byte {byte:#04x}"),
            Self::BadString(byte) => write!(f, "a string cannot begin with byte {byte:#04x}"),
            Self::Lzf(error) => write!(f, "invalid compressed string: {error}"),
            Self::BadNode(container) => {
                write!(f, "list node has unknown container {container}")
            }
            Self::FieldExpiry => f.write_str("invalid expiry time of a hash field"),
            Self::BadModulePart(tag) => write!(f, "unknown tag {tag} in a module value"),
            Self::BadDatabase(number) => write!(f, "database number {number} is out of range"),
            Self::Checksum { stored, computed } => {
                write!(f, "checksum mismatch: stored {stored:016x}, computed {computed:016x}")
            }
            Self::Trailing { left } => write!(f, "{left} trailing bytes after the value"),
            Self::NoValue => f.write_str("no value to read"),
            Self::Failed => f.write_str("reading stopped after an earlier error"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.kind, self.offset)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only two kinds wrap another error")]
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            ErrorKind::Lzf(error) => Some(error),
            _ => None,
        }
    }
}
