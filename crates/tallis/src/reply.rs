//! What a command answers.

use bytes::Bytes;

/// The reply of a command of the command door, in the shapes of RESP2 and RESP3.
///
/// A reply is a tree of plain values: `redis-cli`, a RESP encoder and a test each walk it their own way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A short status, `OK` above all.
    Status(&'static str),
    /// An error: its code is the first word (`ERR`, `WRONGTYPE`, ...), word for word as Redis says it.
    Error(String),
    /// A whole number.
    Int(i64),
    /// A byte string.
    Bulk(Bytes),
    /// Nothing: the key or member does not exist.
    Nil,
    /// A list of replies, in order.
    Array(Vec<Reply>),
    /// A list of replies without an order. RESP2 shows it as an array.
    Set(Vec<Reply>),
}

impl Reply {
    /// The status `OK`.
    pub const OK: Self = Self::Status("OK");

    /// Whether this is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}

impl From<i64> for Reply {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<Bytes> for Reply {
    fn from(bytes: Bytes) -> Self {
        Self::Bulk(bytes)
    }
}

impl From<Option<Bytes>> for Reply {
    fn from(bytes: Option<Bytes>) -> Self {
        bytes.map_or(Self::Nil, Self::Bulk)
    }
}
