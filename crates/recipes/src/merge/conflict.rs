//! Conflicts and errors of a merge.

use std::fmt;

use store::Error;

/// A key that cannot be merged, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The number of the database.
    pub db: u32,
    /// The key.
    pub key: Box<[u8]>,
    /// Its type, as TYPE returns it; if the types differ, both.
    pub kind: Box<str>,
    /// The reason.
    pub why: Box<str>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key '{}'", self.key.escape_ascii())?;
        if self.db > 0 {
            write!(f, " of database {}", self.db)?;
        }
        write!(f, " ({}): {}", self.kind, self.why)
    }
}

/// The error of a merge.
#[derive(Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// Keys that both stores have and that cannot be merged.
    Conflicts(Vec<Conflict>),
    /// The store refused a command.
    Store(Error),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflicts(conflicts) => match conflicts.as_slice() {
                [] => f.write_str("no key can be merged"),
                [one] => one.fmt(f),
                [first, others @ ..] => write!(f, "{first}; and {} more keys", others.len()),
            },
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MergeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Conflicts(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}
