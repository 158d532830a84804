//! What comes of the value and the expiry of a key.

use crate::store::handover::Large;
use crate::value::Value;

/// A value on its way from one key to another.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) value: Value,
    pub(crate) expires_at: Option<i64>,
    /// What a snapshot has of it, if that is begun.
    pub(crate) large: Option<Box<Large>>,
}

impl Taken {
    /// A value that no key has had.
    pub(crate) const fn new(value: Value, expires_at: Option<i64>) -> Self {
        Self { value, expires_at, large: None }
    }
}

/// What an edit made of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The value is what it was.
    Same,
    /// It has changed.
    Changed,
    /// It holds the same in another form, or a command failed half-way: sinks need the effect, and sessions that watch
    /// the key see nothing, as in Redis.
    Reformed,
    /// It has changed and has no members any more, so that the key goes.
    Emptied,
    /// It was made for the edit, which put nothing into it, so that there is still no key.
    Unmade,
}

impl Outcome {
    /// The outcome of an edit that may have changed the value.
    pub(crate) const fn changed(changed: bool) -> Self {
        if changed { Self::Changed } else { Self::Same }
    }
}

/// What happens to the expiry when a value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expires {
    /// It stays as it is.
    Keep,
    /// The key never expires.
    Never,
    /// It expires at that many milliseconds since the epoch.
    At(i64),
}

impl From<Option<i64>> for Expires {
    fn from(at_ms: Option<i64>) -> Self {
        at_ms.map_or(Self::Never, Self::At)
    }
}
