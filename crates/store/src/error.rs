//! What can go wrong, in Redis's own words where Redis has words for it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What nearly everything here returns.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the store.
///
/// [`kind`](Self::kind) is the kind of error; the text is Redis's own, word for word, wherever a command of Redis
/// would answer it. Two errors are equal if both are.
#[derive(Clone)]
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
    /// The store does not know the script, and has no Lua to run another (`NOSCRIPT`).
    NoScript,
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
    /// The operating system refused a read or a write, or the connection to a server broke: then it is not known
    /// whether what was sent was done.
    Io,
    /// A server replied with an error of a sort that no store has.
    Server,
    /// A type cannot hold what a command has replied.
    Conversion,
}

#[derive(Clone, Debug)]
struct Repr {
    kind: ErrorKind,
    text: Cow<'static, str>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of that sort, for a procedure that refuses something. Redis's texts begin with a code: `ERR`,
    /// `WRONGTYPE`.
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

    /// An error that another one has caused.
    #[cold]
    pub fn caused(
        kind: ErrorKind,
        text: impl Into<Cow<'static, str>>,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { repr: Box::new(Repr { kind, text: text.into(), source: Some(Arc::new(source)) }) }
    }

    /// A time that is zero, or does not fit.
    #[cold]
    pub(crate) fn invalid_expire(command: &str) -> Self {
        Self::new(ErrorKind::Syntax, format!("ERR invalid expire time in '{command}' command"))
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

/// The errors that have one text each: a function for each.
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
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }
}
