//! What can go wrong, in Redis's own words where Redis has words for it.

use std::borrow::Cow;
use std::fmt;

/// What nearly everything here returns.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the store.
///
/// [`kind`](Self::kind) is the kind of error; the text is Redis's own, word for word, wherever a command of Redis
/// would answer it.
pub struct Error {
    // One word, so that `Result<usize, Error>` stays in registers.
    repr: Box<Repr>,
}

/// The sorts of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The key holds a value of another type (`WRONGTYPE`).
    WrongType,
    /// The string at the key is no HyperLogLog, or a damaged one.
    InvalidHll,
    /// A number was expected and something else was there, or the result would not fit into 64 bits.
    NotInteger,
    /// The arguments of a command are wrong in number, form or range.
    Syntax,
    /// There is no such key, and the command needs one.
    NoSuchKey,
    /// The key is there already, and the command would have to replace it (`BUSYKEY`).
    KeyExists,
    /// There is no such command.
    UnknownCommand,
    /// A transaction touched a key that it had not named, or wrote one that it had named to be read.
    KeyNotNamed,
    /// The call comes from inside a transaction, an entry or a sink of the same store, whose locks it would wait for.
    Locked,
    /// A session id or a recipe's parameter cannot be used.
    InvalidArgument,
    /// A time that a recipe is asked about, or is to record, lies so far back that its counts are not kept any more.
    NotKept,
    /// A Bloom filter that does not scale holds all that it was made for.
    FilterFull,
    /// A Bloom filter would take more memory than there is, or than [`Limits`](crate::Limits) allow.
    OutOfMemory,
    /// A file or payload is not what its format asks for.
    Corrupt,
    /// The operating system refused a read or a write.
    Io,
}

#[derive(Debug)]
struct Repr {
    kind: ErrorKind,
    text: Cow<'static, str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of that sort, for a procedure that refuses something. Redis's texts begin with a code: `ERR`, `WRONGTYPE`.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { repr: Box::new(Repr { kind, text: text.into(), source: None }) }
    }

    /// An error that shows words of the caller's: line ends become spaces, as in Redis, and none stands at the ends.
    #[cold]
    pub(crate) fn showing(kind: ErrorKind, parts: &[&[u8]]) -> Self {
        const ENDS: [char; 2] = ['\r', '\n'];
        let text = parts.concat();
        let text = String::from_utf8_lossy(&text);
        Self::new(kind, text.trim_matches(ENDS).replace(ENDS, " "))
    }

    #[cold]
    pub(crate) fn caused(
        kind: ErrorKind,
        text: impl Into<Cow<'static, str>>,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { repr: Box::new(Repr { kind, text: text.into(), source: Some(Box::new(source)) }) }
    }

    #[cold]
    pub(crate) fn wrong_type() -> Self {
        Self::new(
            ErrorKind::WrongType,
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        )
    }

    #[cold]
    pub(crate) fn no_such_key() -> Self {
        Self::new(ErrorKind::NoSuchKey, "ERR no such key")
    }

    #[cold]
    pub(crate) fn busy_key() -> Self {
        Self::new(ErrorKind::KeyExists, "BUSYKEY Target key name already exists.")
    }

    #[cold]
    pub(crate) fn syntax() -> Self {
        Self::new(ErrorKind::Syntax, "ERR syntax error")
    }

    #[cold]
    pub(crate) fn not_integer() -> Self {
        Self::new(ErrorKind::NotInteger, "ERR value is not an integer or out of range")
    }

    #[cold]
    pub(crate) fn overflow() -> Self {
        Self::new(ErrorKind::NotInteger, "ERR increment or decrement would overflow")
    }

    #[cold]
    pub(crate) fn not_hll() -> Self {
        Self::new(ErrorKind::InvalidHll, "WRONGTYPE Key is not a valid HyperLogLog string value.")
    }

    #[cold]
    pub(crate) fn corrupt_hll() -> Self {
        Self::new(ErrorKind::InvalidHll, "INVALIDOBJ Corrupted HLL object detected")
    }

    /// The error with the name by which its command was called, if its text ends where that belongs.
    #[cold]
    pub(crate) fn about(self, name: &[u8]) -> Self {
        if !self.repr.text.ends_with(" can be specified for ") {
            return self;
        }
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        Self::showing(self.kind(), &[self.repr.text.as_bytes(), name])
    }

    /// What sort of error this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.repr.kind
    }
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.repr.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }
}
