//! Errors, with Redis's texts where Redis has them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The result type of nearly all functions here.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the store.
///
/// [`kind`](Self::kind) is the kind of error; the text is Redis's own if a command of Redis would reply with it. Two
/// errors are equal if kind and text are equal.
#[derive(Clone)]
pub struct Error {
    // One word, so that `Result<usize, Error>` stays in registers.
    repr: Box<Repr>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The key holds a value of another type (`WRONGTYPE`).
    WrongType,
    /// The string at the key is not a HyperLogLog, or a damaged one.
    InvalidHll,
    /// A value is not a number, or the result does not fit 64 bits.
    NotInteger,
    /// The arguments of a command are wrong in number, syntax or range.
    Syntax,
    /// The key does not exist, and the command requires it.
    NoSuchKey,
    /// The key exists, and the command must not replace it (`BUSYKEY`).
    KeyExists,
    /// The command does not exist.
    UnknownCommand,
    /// The script is not registered with the store, which has no Lua interpreter (`NOSCRIPT`).
    NoScript,
    /// A transaction accessed a key that it did not name, or wrote one that it named for reading only.
    KeyNotNamed,
    /// The call was made inside a transaction, an entry or a sink of the same store, and would wait for its own locks.
    Locked,
    /// A session id or a parameter of a recipe is not valid.
    InvalidArgument,
    /// The counts of a recipe for this time are no longer kept.
    NotKept,
    /// A Bloom filter that does not scale is full.
    FilterFull,
    /// A Bloom filter would exceed the available memory, or its [`Limits`](crate::Limits).
    OutOfMemory,
    /// A file or payload does not conform to its format.
    Corrupt,
    /// The operating system returned an error for a read or a write, or the connection to a server failed: then it is
    /// not known whether the request was executed.
    Io,
    /// A server replied with an error that a store does not have.
    Server,
    /// A type cannot represent the reply of a command.
    Conversion,
}

#[derive(Clone, Debug)]
struct Repr {
    kind: ErrorKind,
    text: Cow<'static, str>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of that kind, for procedures that refuse a call. Redis's texts begin with a code: `ERR`,
    /// `WRONGTYPE`.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { repr: Box::new(Repr { kind, text: text.into(), source: None }) }
    }

    /// Creates an error that quotes words of the caller: line breaks become spaces, as in Redis, and are removed at
    /// both ends.
    #[cold]
    pub(crate) fn showing(kind: ErrorKind, parts: &[&[u8]]) -> Self {
        const ENDS: [char; 2] = ['\r', '\n'];
        let text = parts.concat();
        let text = String::from_utf8_lossy(&text);
        Self::new(kind, text.trim_matches(ENDS).replace(ENDS, " "))
    }

    /// Creates an error with another error as its source.
    #[cold]
    pub fn caused(
        kind: ErrorKind,
        text: impl Into<Cow<'static, str>>,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { repr: Box::new(Repr { kind, text: text.into(), source: Some(Arc::new(source)) }) }
    }

    /// The error for an expiry that is zero or does not fit.
    #[cold]
    pub(crate) fn invalid_expire(command: &str) -> Self {
        Self::new(ErrorKind::Syntax, format!("ERR invalid expire time in '{command}' command"))
    }

    /// Appends the name by which the command was called, if the text ends where it belongs.
    #[cold]
    pub(crate) fn about(self, name: &[u8]) -> Self {
        if !self.repr.text.ends_with(" can be specified for ") {
            return self;
        }
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        Self::showing(self.kind(), &[self.repr.text.as_bytes(), name])
    }

    /// Returns the kind of this error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.repr.kind
    }
}

/// Defines a function for each error with a constant text.
macro_rules! texts {
    ($($name:ident: $kind:ident $text:literal,)*) => {
        impl Error {
            $(#[cold]
            pub(crate) fn $name() -> Self {
                Self::new(ErrorKind::$kind, $text)
            })*
        }
    };
}

texts! {
    wrong_type: WrongType "WRONGTYPE Operation against a key holding the wrong kind of value",
    no_strings: WrongType "ERR The specified keys must contain string values",
    no_such_key: NoSuchKey "ERR no such key",
    busy_key: KeyExists "BUSYKEY Target key name already exists.",
    index_out_of_range: InvalidArgument "ERR index out of range",
    same_object: InvalidArgument "ERR source and destination objects are the same",
    syntax: Syntax "ERR syntax error",
    too_long: Syntax "ERR string exceeds maximum allowed size (proto-max-bulk-len)",
    bit_out_of_range: Syntax "ERR bit offset is not an integer or out of range",
    not_integer: NotInteger "ERR value is not an integer or out of range",
    out_of_range: NotInteger "ERR value is out of range",
    hash_not_integer: NotInteger "ERR hash value is not an integer",
    hash_not_a_float: NotInteger "ERR hash value is not a float",
    not_finite: NotInteger "ERR value is NaN or Infinity",
    overflow: NotInteger "ERR increment or decrement would overflow",
    decr_overflow: NotInteger "ERR decrement would overflow",
    not_a_float: NotInteger "ERR value is not a valid float",
    not_a_weight: NotInteger "ERR One or more scores can't be converted into double",
    not_a_number: NotInteger "ERR resulting score is not a number (NaN)",
    undecodable: InvalidArgument "ERR could not decode requested zset member",
    not_hll: InvalidHll "WRONGTYPE Key is not a valid HyperLogLog string value.",
    corrupt_hll: InvalidHll "INVALIDOBJ Corrupted HLL object detected",
    not_sparse: InvalidHll "ERR HLL encoding is not sparse",
    no_filter: NoSuchKey "ERR not found",
    filter_exists: KeyExists "ERR item exists",
    filter_full: FilterFull "ERR non scaling filter is full",
    filter_grows: OutOfMemory "ERR problem inserting into filter",
    error_rate_range: InvalidArgument "ERR error rate must be in the range (0.000000, 1.000000)",
    capacity_range: InvalidArgument "ERR capacity must be in the range [1, 1073741824]",
    expansion_range: InvalidArgument "ERR expansion must be in the range [0, 32768]",
    wrong_footer: Corrupt "ERR DUMP payload version or checksum are wrong",
    bad_format: Corrupt "ERR Bad data format",
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repr.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.repr.kind)
            .field("text", &self.repr.text)
            .field("source", &self.repr.source)
            .finish()
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), &self.repr.text) == (other.kind(), &other.repr.text)
    }
}

impl Eq for Error {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.repr.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_size_of_a_pointer() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }
}
