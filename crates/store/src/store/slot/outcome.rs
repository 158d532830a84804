//! The results of an edit, for the value and for the expiry.

use crate::store::handover::Large;
use crate::value::Value;

/// A value that is being moved from one key to another.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) value: Value,
    pub(crate) expires_at: Option<i64>,
    /// The state of a snapshot of the value, if that has begun.
    pub(crate) large: Option<Box<Large>>,
}

impl Taken {
    /// Wraps a new value, which no key has had.
    pub(crate) const fn new(value: Value, expires_at: Option<i64>) -> Self {
        Self { value, expires_at, large: None }
    }
}

/// The result of an edit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The value is unchanged.
    Same,
    /// The value has changed.
    Changed,
    /// The value has the same elements in another encoding, or a command failed part-way: sinks need the effect, but
    /// the change is not visible to sessions that watch the key, as in Redis.
    Reformed,
    /// The value has changed and is empty, so the key is removed.
    Emptied,
    /// The value was created for the edit and is still empty, so no key is created.
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
    /// The expiry is kept.
    Keep,
    /// The expiry is removed.
    Never,
    /// The expiry is set, in milliseconds since the epoch.
    At(i64),
}

impl From<Option<i64>> for Expires {
    fn from(at_ms: Option<i64>) -> Self {
        at_ms.map_or(Self::Never, Self::At)
    }
}
