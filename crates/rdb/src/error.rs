//! What can be wrong with the bytes, and where.

use std::{fmt, io};

use crate::version::Version;

/// Why a file or a payload was refused, and the offset at which it went wrong.
///
/// The offset counts bytes from the start of the file (of the payload, for DUMP), and points at the
/// first byte of the thing that is wrong: the length that promises too much, the type byte that is
/// unknown.
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

    /// Bytes from the start of the input to what is wrong.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The error of a value that was passed over.
    #[cold]
    pub(crate) fn in_value_of(self, key: Vec<u8>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// The key whose value is wrong, if it was passed over in search of the end of a
    /// [batch](crate::Reader::next_batch). Whoever reads a value knows its key.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Takes the error apart.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.kind
    }
}

/// What is wrong with the bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source failed.
    Io(io::Error),
    /// The bytes end in the middle of something.
    Truncated,
    /// A length promises more bytes than remain.
    TooLong {
        /// Bytes promised.
        len: u64,
        /// Bytes that remain.
        left: u64,
    },
    /// The file does not begin with a known magic and a version in digits.
    BadMagic,
    /// The version is zero or one that this crate does not know.
    UnsupportedVersion(Version),
    /// A byte that is no known opcode, where one stands.
    UnknownOpcode(u8),
    /// A byte that is no known value type of this version. Where such a value ends is not known, so reading ends there.
    UnknownType {
        /// The byte.
        byte: u8,
        /// The key before the value, if it can be read.
        key: Option<Vec<u8>>,
    },
    /// An opcode or value type that only pre-release servers wrote, in a form that cannot be
    /// passed over.
    PreRelease(u8),
    /// A length begins with a byte that means none.
    BadLength(u8),
    /// A string begins with a special form that is not known.
    BadString(u8),
    /// A compressed string is malformed.
    Lzf(lzf::Error),
    /// A part of a module's value has an unknown tag.
    BadModulePart(u64),
    /// A field of a hash expires at a time that is none.
    FieldExpiry,
    /// A node of a list is in a container of an unknown number.
    BadNode(u64),
    /// The number of a database is out of range.
    BadDatabase(u64),
    /// The checksum does not match the bytes.
    Checksum {
        /// What is stored.
        stored: u64,
        /// What the bytes give.
        computed: u64,
    },
    /// Bytes remain behind the value of a payload.
    Trailing {
        /// How many.
        left: u64,
    },
    /// A value was asked for where none is next: before a key, or a second time.
    NoValue,
    /// An earlier error ended the reading.
    Failed,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read: {error}"),
            Self::Truncated => f.write_str("the bytes end too early"),
            Self::TooLong { len, left } => write!(f, "a length of {len} where {left} bytes remain"),
            Self::BadMagic => f.write_str("not an RDB file"),
            Self::UnsupportedVersion(version) => write!(f, "unsupported version {version}"),
            Self::UnknownOpcode(byte) => write!(f, "unknown opcode {byte}"),
            Self::UnknownType { byte, key: None } => write!(f, "unknown type {byte}"),
            Self::UnknownType { byte, key: Some(key) } => {
                write!(f, "unknown type {byte} of the key '{}'", key.escape_ascii())
            }
            Self::PreRelease(byte) => write!(f, "pre-release form {byte} is not supported"),
            Self::BadLength(byte) => write!(f, "no length begins with byte {byte:#04x}"),
            Self::BadString(byte) => write!(f, "no string begins with byte {byte:#04x}"),
            Self::Lzf(error) => write!(f, "bad compressed string: {error}"),
            Self::BadNode(container) => {
                write!(f, "node of a list in unknown container {container}")
            }
            Self::FieldExpiry => f.write_str("a field expires at a time that is none"),
            Self::BadModulePart(tag) => write!(f, "unknown tag {tag} in a module's value"),
            Self::BadDatabase(number) => write!(f, "no database can have number {number}"),
            Self::Checksum { stored, computed } => {
                write!(f, "checksum {stored:016x} is stored, but the bytes give {computed:016x}")
            }
            Self::Trailing { left } => write!(f, "{left} bytes behind the value"),
            Self::NoValue => f.write_str("there is no value to read here"),
            Self::Failed => f.write_str("reading ended with an earlier error"),
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
