//! The options of SET, GETEX, MSETEX and LCS.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::commands::{Time, Unit};
use crate::member::Member;
use crate::to_expiry::{ToSpan, ToTime};
use crate::to_member::ToMember;

/// The condition of SET on the existence of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExistenceCheck {
    /// Set only if the key does not exist.
    NX,
    /// Set only if the key exists.
    XX,
}

/// The condition of SET and DELIFEQ on the current string.
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
    /// The string equals these bytes. It does not hold if the key does not exist.
    IFEQ(Bytes),
}

impl ValueComparison {
    /// Creates the condition that the string equals this one.
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

/// What SET does with the expiry of a key. A [`Duration`] and a [`SystemTime`] convert into it.
///
/// Numbers must be at least 1, and the time of expiry must fit 63 bits of milliseconds; otherwise the command fails and
/// changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SetExpiry {
    /// Expires that many seconds from now.
    EX(u64),
    /// Expires that many milliseconds from now.
    PX(u64),
    /// Expires at that many seconds since the Unix epoch.
    EXAT(u64),
    /// Expires at that many milliseconds since the Unix epoch.
    PXAT(u64),
    /// Keeps the expiry.
    KEEPTTL,
}

/// What GETEX does with the expiry of a key. A [`Duration`] and a [`SystemTime`] convert into it. The numbers have the
/// range of [`SetExpiry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expiry {
    /// Expires that many seconds from now.
    EX(u64),
    /// Expires that many milliseconds from now.
    PX(u64),
    /// Expires at that many seconds since the Unix epoch.
    EXAT(u64),
    /// Expires at that many milliseconds since the Unix epoch.
    PXAT(u64),
    /// Removes the expiry.
    PERSIST,
}

/// The options of SET, with the names of the `redis` crate.
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

/// Converts to a number for a command; out of range becomes 0, which commands refuse.
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

    /// Sets the key only if its string satisfies the comparison. A key that holds no string is then an error.
    #[must_use]
    pub fn value_comparison(mut self, value_comparison: ValueComparison) -> Self {
        self.comparison = Some(value_comparison);
        self
    }

    /// Sets whether the old string is returned, whether or not the key is set. A key that holds no string is then an
    /// error.
    #[must_use]
    pub const fn get(mut self, get: bool) -> Self {
        self.get = get;
        self
    }

    /// Sets what happens to the expiry. Default: it is removed.
    #[must_use]
    pub fn with_expiration(self, expiration: impl Into<SetExpiry>) -> Self {
        self.ttl(expiration.into().into())
    }

    pub(crate) const fn ttl(mut self, ttl: ExpiryChange) -> Self {
        self.ttl = ttl;
        self
    }
}

/// The options of MSETEX, with the names of the `redis` crate.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MSetOptions {
    pub(super) condition: Option<ExistenceCheck>,
    pub(super) ttl: ExpiryChange,
}

impl MSetOptions {
    /// Sets the keys only if all of them exist, or only if none of them exists.
    #[must_use]
    pub const fn conditional_set(mut self, existence_check: ExistenceCheck) -> Self {
        self.condition = Some(existence_check);
        self
    }

    /// Sets what happens to the expiries. Default: they are removed.
    #[must_use]
    pub fn with_expiration(self, expiration: impl Into<SetExpiry>) -> Self {
        self.ttl(expiration.into().into())
    }

    pub(crate) const fn ttl(mut self, ttl: ExpiryChange) -> Self {
        self.ttl = ttl;
        self
    }
}

/// The result of [`set_options`](crate::Store::set_options).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SetOutcome {
    /// Whether the key was set.
    pub set: bool,
    /// The old string, if [`SetOptions::get`] requested it.
    pub old: Option<Bytes>,
}

/// The positions of a longest common subsequence in both strings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LcsMatches {
    /// The length of the subsequence in bytes, including runs that are too short to be in `matches`.
    pub len: usize,
    /// The runs of consecutive bytes in both strings, the last one first.
    pub matches: Vec<LcsMatch>,
}

/// A run of bytes that both strings contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LcsMatch {
    /// Its range in the first string, in bytes.
    pub a: Range<usize>,
    /// Its range in the second string, in bytes.
    pub b: Range<usize>,
}

/// A change of an expiry.
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
