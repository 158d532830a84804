//! The options of SET, GETEX, MSETEX and LCS.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::commands::{Time, Unit};
use crate::member::Member;
use crate::to_expiry::{ToSpan, ToTime};
use crate::to_member::ToMember;

/// Whether SET asks for a key that exists, or for one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExistenceCheck {
    /// Only a key that does not exist yet.
    NX,
    /// Only a key that exists.
    XX,
}

/// What the string at a key has to be for SET and DELIFEQ to change it.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{SetOptions, Store, ValueComparison};
///
/// let store = Store::new();
/// store.set("lock", "me")?;
/// let options = SetOptions::default().value_comparison(ValueComparison::ifeq("me"));
/// assert!(store.set_options("lock", "you", options.clone())?.set);
/// assert!(!store.set_options("lock", "you", options)?.set);
/// assert!(store.del_ex("lock", &ValueComparison::ifeq("you"))?);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ValueComparison {
    /// These bytes. Where there is no key it does not hold.
    IFEQ(Bytes),
}

impl ValueComparison {
    /// The string is equal to this one.
    #[must_use]
    pub fn ifeq(value: impl ToMember) -> Self {
        value.with_member(|value| Self::IFEQ(value.to_bytes()))
    }

    pub(super) fn holds(&self, string: Option<Member<'_>>) -> bool {
        match self {
            Self::IFEQ(other) => {
                string.is_some_and(|string| string.with_bytes(|bytes| bytes == other))
            }
        }
    }
}

/// What happens to a key's expiry in SET. A [`Duration`] and a [`SystemTime`] are one too.
///
/// Each number must be at least 1 and the time of expiry must fit into 63 bits of milliseconds, else the command fails
/// and changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SetExpiry {
    /// So many seconds from now.
    EX(u64),
    /// So many milliseconds from now.
    PX(u64),
    /// At so many seconds since the Unix epoch.
    EXAT(u64),
    /// At so many milliseconds since the Unix epoch.
    PXAT(u64),
    /// It stays as it is.
    KEEPTTL,
}

/// What happens to a key's expiry in GETEX. A [`Duration`] and a [`SystemTime`] are one too. The numbers are those of [`SetExpiry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expiry {
    /// So many seconds from now.
    EX(u64),
    /// So many milliseconds from now.
    PX(u64),
    /// At so many seconds since the Unix epoch.
    EXAT(u64),
    /// At so many milliseconds since the Unix epoch.
    PXAT(u64),
    /// It is taken away.
    PERSIST,
}

/// The options of SET, under the names of the `redis` crate.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{ExistenceCheck, SetExpiry, SetOptions, Store};
///
/// let store = Store::new();
/// let options = SetOptions::default()
///     .conditional_set(ExistenceCheck::NX)
///     .get(true)
///     .with_expiration(SetExpiry::EX(60));
/// let first = store.set_options("lock", "me", options.clone())?;
/// assert!(first.set && first.old.is_none());
/// assert_eq!(store.ttl("lock")?.secs(), 60);
/// let second = store.set_options("lock", "you", options)?;
/// assert!(!second.set);
/// assert_eq!(second.old.as_deref(), Some(&b"me"[..]));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SetOptions {
    pub(super) condition: Option<ExistenceCheck>,
    pub(super) comparison: Option<ValueComparison>,
    pub(super) get: bool,
    pub(super) ttl: ExpiryChange,
}

impl From<Duration> for SetExpiry {
    /// PX, rounded up.
    fn from(after: Duration) -> Self {
        Self::PX(milliseconds(after.to_span_ms(1)))
    }
}

impl From<SystemTime> for SetExpiry {
    /// PXAT, rounded up.
    fn from(at: SystemTime) -> Self {
        Self::PXAT(milliseconds(at.to_time_ms(1)))
    }
}

impl From<Duration> for Expiry {
    /// PX, rounded up.
    fn from(after: Duration) -> Self {
        Self::PX(milliseconds(after.to_span_ms(1)))
    }
}

impl From<SystemTime> for Expiry {
    /// PXAT, rounded up.
    fn from(at: SystemTime) -> Self {
        Self::PXAT(milliseconds(at.to_time_ms(1)))
    }
}

/// A number that a command takes; what it refuses is 0.
fn milliseconds(ms: Option<i64>) -> u64 {
    ms.and_then(|ms| ms.try_into().ok()).unwrap_or(0)
}

impl SetOptions {
    /// Sets the key only if it exists, or only if it does not.
    #[must_use]
    pub const fn conditional_set(mut self, existence_check: ExistenceCheck) -> Self {
        self.condition = Some(existence_check);
        self
    }

    /// Sets the key only if it holds such a string. Then a key that holds no string is an error.
    #[must_use]
    pub fn value_comparison(mut self, value_comparison: ValueComparison) -> Self {
        self.comparison = Some(value_comparison);
        self
    }

    /// Whether to give the old string back, set or not. Then a key that holds no string is an error.
    #[must_use]
    pub const fn get(mut self, get: bool) -> Self {
        self.get = get;
        self
    }

    /// What happens to the expiry; without this it is removed.
    #[must_use]
    pub fn with_expiration(self, expiration: impl Into<SetExpiry>) -> Self {
        self.ttl(expiration.into().into())
    }

    pub(crate) const fn ttl(mut self, ttl: ExpiryChange) -> Self {
        self.ttl = ttl;
        self
    }
}

/// The options of MSETEX, under the names of the `redis` crate.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MSetOptions {
    pub(super) condition: Option<ExistenceCheck>,
    pub(super) ttl: ExpiryChange,
}

impl MSetOptions {
    /// Sets the keys only if all of them exist, or only if none of them does.
    #[must_use]
    pub const fn conditional_set(mut self, existence_check: ExistenceCheck) -> Self {
        self.condition = Some(existence_check);
        self
    }

    /// What happens to the expiries; without this they are removed.
    #[must_use]
    pub fn with_expiration(self, expiration: impl Into<SetExpiry>) -> Self {
        self.ttl(expiration.into().into())
    }

    pub(crate) const fn ttl(mut self, ttl: ExpiryChange) -> Self {
        self.ttl = ttl;
        self
    }
}

/// What became of [`set_options`](crate::Store::set_options).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SetOutcome {
    /// Whether the key was set.
    pub set: bool,
    /// The string that was there, if [`SetOptions::get`] asked for it.
    pub old: Option<Bytes>,
}

/// A longest common subsequence by its place in both strings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LcsMatches {
    /// How many bytes the subsequence has, the short runs included that were not asked for.
    pub len: usize,
    /// The runs of bytes that follow each other in both strings, the last one first.
    pub matches: Vec<LcsMatch>,
}

/// A run of bytes that is in both strings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LcsMatch {
    /// Where it is in the first string, in bytes.
    pub a: Range<usize>,
    /// Where it is in the second string, in bytes.
    pub b: Range<usize>,
}

/// What happens to an expiry.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum ExpiryChange {
    #[default]
    Clear,
    Keep,
    Until(Time),
}

impl From<SetExpiry> for ExpiryChange {
    fn from(expiry: SetExpiry) -> Self {
        match expiry {
            SetExpiry::EX(seconds) => Self::Until(Time::new(Unit::Seconds, false, seconds)),
            SetExpiry::PX(ms) => Self::Until(Time::new(Unit::Milliseconds, false, ms)),
            SetExpiry::EXAT(seconds) => Self::Until(Time::new(Unit::Seconds, true, seconds)),
            SetExpiry::PXAT(ms) => Self::Until(Time::new(Unit::Milliseconds, true, ms)),
            SetExpiry::KEEPTTL => Self::Keep,
        }
    }
}

impl From<Expiry> for ExpiryChange {
    fn from(expiry: Expiry) -> Self {
        match expiry {
            Expiry::EX(seconds) => Self::Until(Time::new(Unit::Seconds, false, seconds)),
            Expiry::PX(ms) => Self::Until(Time::new(Unit::Milliseconds, false, ms)),
            Expiry::EXAT(seconds) => Self::Until(Time::new(Unit::Seconds, true, seconds)),
            Expiry::PXAT(ms) => Self::Until(Time::new(Unit::Milliseconds, true, ms)),
            Expiry::PERSIST => Self::Clear,
        }
    }
}
