//! Commands on the expiry of keys.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::commands::persist;
use crate::error::{Error, Result};
use crate::store::stripe::Found;
use crate::store::{Locks, Store};
use crate::to_expiry::{ToSpan, ToTime};
use crate::to_key::ToKey;

/// Commands on the expiry of keys.
///
/// An expired key is not visible to any command, to the millisecond of the store's [`Clock`](crate::Clock). Its memory
/// is released when a write accesses it, or by [`Store::sweep`](crate::Store::sweep).
///
/// # Errors
///
/// In a transaction, all of them return [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) for a key that was
/// not named.
impl<L: Locks> Store<L> {
    /// EXPIRE: sets the key to expire `seconds` from now, or after a [`Duration`]; returns `false` if the key does not
    /// exist. O(1).
    ///
    /// Zero or a negative number deletes the key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the time of expiry does not fit 64 bits of milliseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert!(store.expire("k", 60)?);
    /// assert_eq!(store.ttl("k")?.secs(), 60);
    /// assert!(!store.expire("other", 60)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn expire(&self, key: impl ToKey, seconds: impl ToSpan) -> Result<bool> {
        self.expire_if(key, seconds, ExpireOption::Always)
    }

    /// PEXPIRE: as [`expire`](Self::expire), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire(&self, key: impl ToKey, milliseconds: impl ToSpan) -> Result<bool> {
        self.pexpire_if(key, milliseconds, ExpireOption::Always)
    }

    /// EXPIREAT: sets the key to expire at that many seconds since the Unix epoch, or at a [`SystemTime`]; returns
    /// `false` if the key does not exist. O(1).
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn expire_at(&self, key: impl ToKey, seconds: impl ToTime) -> Result<bool> {
        self.expire_at_if(key, seconds, ExpireOption::Always)
    }

    /// PEXPIREAT: as [`expire_at`](Self::expire_at), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_at(&self, key: impl ToKey, milliseconds: impl ToTime) -> Result<bool> {
        self.pexpire_at_if(key, milliseconds, ExpireOption::Always)
    }

    /// EXPIRE with NX, XX, GT or LT: as [`expire`](Self::expire), and returns `false` too if the condition does not
    /// hold.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ExpireOption, Store};
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert!(store.expire_if("k", 60, ExpireOption::Nx)?);
    /// assert!(!store.expire_if("k", 30, ExpireOption::Gt)?);
    /// assert_eq!(store.ttl("k")?.secs(), 60);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn expire_if(
        &self,
        key: impl ToKey,
        seconds: impl ToSpan,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, seconds.to_span_ms(1000), true, option, "expire")
    }

    /// PEXPIRE with an option: as [`expire_if`](Self::expire_if), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_if(
        &self,
        key: impl ToKey,
        milliseconds: impl ToSpan,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, milliseconds.to_span_ms(1), true, option, "pexpire")
    }

    /// EXPIREAT with an option: as [`expire_at`](Self::expire_at), and returns `false` too if the condition does not
    /// hold.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn expire_at_if(
        &self,
        key: impl ToKey,
        seconds: impl ToTime,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, seconds.to_time_ms(1000), false, option, "expireat")
    }

    /// PEXPIREAT with an option: as [`expire_at_if`](Self::expire_at_if), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_at_if(
        &self,
        key: impl ToKey,
        milliseconds: impl ToTime,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, milliseconds.to_time_ms(1), false, option, "pexpireat")
    }

    /// PERSIST: removes the expiry; returns `false` if there was none. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    pub fn persist(&self, key: impl ToKey) -> Result<bool> {
        self.write(key, |scope, keys| Ok(persist(&mut scope.slot(keys[0]))))
    }

    /// TTL and PTTL: returns the time until the key expires, with millisecond precision. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Store, Ttl};
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert_eq!(store.ttl("k")?, Ttl::Never);
    /// store.expire("k", 60)?;
    /// assert_eq!(store.ttl("k")?.secs(), 60);
    /// assert_eq!(store.ttl("none")?, Ttl::NoKey);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn ttl(&self, key: impl ToKey) -> Result<Ttl> {
        self.read(key, |view, keys| {
            Ok(match view.find(keys[0]).map(Found::expires_at) {
                None => Ttl::NoKey,
                Some(None) => Ttl::Never,
                Some(Some(at)) => {
                    let left = at.saturating_sub(view.now_ms());
                    Ttl::In(Duration::from_millis(left.unsigned_abs()))
                }
            })
        })
    }

    /// EXPIRETIME and PEXPIRETIME: returns the time at which the key expires, with millisecond precision. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
    pub fn expire_time(&self, key: impl ToKey) -> Result<ExpireTime> {
        self.read(key, |view, keys| {
            Ok(match view.find(keys[0]).map(Found::expires_at) {
                None => ExpireTime::NoKey,
                Some(at) => at.and_then(system_time).map_or(ExpireTime::Never, ExpireTime::At),
            })
        })
    }
}

/// The time of that many milliseconds since the epoch, if the platform can represent it.
pub(super) fn system_time(at_ms: i64) -> Option<SystemTime> {
    let since = Duration::from_millis(at_ms.unsigned_abs());
    if at_ms < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) }
}

/// The time until a key expires: see [`Store::ttl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ttl {
    /// The key does not exist.
    NoKey,
    /// The key has no expiry.
    Never,
    /// The key expires after this time.
    In(Duration),
}

impl Ttl {
    /// Returns the time to live, if the key has an expiry.
    #[must_use]
    pub const fn duration(self) -> Option<Duration> {
        match self {
            Self::NoKey | Self::Never => None,
            Self::In(left) => Some(left),
        }
    }

    /// Returns milliseconds, as PTTL does: -1 if the key has no expiry, -2 if it does not exist.
    #[must_use]
    pub fn millis(self) -> i64 {
        match self {
            Self::NoKey => NO_KEY,
            Self::Never => NEVER,
            Self::In(left) => left.as_millis().try_into().unwrap_or(i64::MAX),
        }
    }

    /// Returns seconds, rounded, as TTL does: -1 if the key has no expiry, -2 if it does not exist.
    #[must_use]
    pub fn secs(self) -> i64 {
        rounded(self.millis())
    }
}

/// The time at which a key expires: see [`Store::expire_time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExpireTime {
    /// The key does not exist.
    NoKey,
    /// The key has no expiry, or one that the platform cannot represent.
    Never,
    /// The key expires at this time.
    At(SystemTime),
}

impl ExpireTime {
    /// Returns the time, if the key has an expiry.
    #[must_use]
    pub const fn time(self) -> Option<SystemTime> {
        match self {
            Self::NoKey | Self::Never => None,
            Self::At(time) => Some(time),
        }
    }

    /// Returns milliseconds since the Unix epoch, as PEXPIRETIME does: -1 if the key has no expiry, -2 if it does not
    /// exist.
    #[must_use]
    pub fn millis(self) -> i64 {
        match self {
            Self::NoKey => NO_KEY,
            Self::Never => NEVER,
            Self::At(time) => time.to_time_ms(1).unwrap_or(i64::MAX),
        }
    }

    /// Returns seconds since the Unix epoch, rounded, as EXPIRETIME does: -1 if the key has no expiry, -2 if it does
    /// not exist.
    #[must_use]
    pub fn secs(self) -> i64 {
        rounded(self.millis())
    }
}

/// Redis's reply for a key without an expiry.
const NEVER: i64 = -1;

/// Redis's reply for a key that does not exist.
const NO_KEY: i64 = -2;

/// Rounds milliseconds to the nearest second; negative values are returned unchanged.
const fn rounded(ms: i64) -> i64 {
    secs_of(ms, 500)
}

/// Converts milliseconds to seconds after adding `more` to round them; negative values are returned unchanged.
pub(super) const fn secs_of(ms: i64, more: i64) -> i64 {
    // In two parts, because the sum of the largest ones does not fit.
    if ms < 0 { ms } else { ms / 1000 + (ms % 1000 + more) / 1000 }
}

/// The condition of EXPIRE and similar commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExpireOption {
    /// No condition.
    #[default]
    Always,
    /// NX: only if the key has no expiry.
    Nx,
    /// XX: only if the key has an expiry.
    Xx,
    /// GT: only if the new expiry is later. A key without an expiry counts as one that expires last.
    Gt,
    /// LT: only if the new expiry is earlier, or the key has none.
    Lt,
    /// XX and LT: only if the key has an expiry, and the new one is earlier.
    XxLt,
}

impl ExpireOption {
    /// Returns whether a key that expires at `old` may be set to expire at `new`.
    pub(crate) const fn allows(self, old: Option<i64>, new: i64) -> bool {
        match (self, old) {
            (Self::Always, _) | (Self::Nx | Self::Lt, None) | (Self::Xx, Some(_)) => true,
            (Self::Gt, Some(old)) => new > old,
            (Self::Lt | Self::XxLt, Some(old)) => new < old,
            (Self::Nx, Some(_)) | (Self::Xx | Self::Gt | Self::XxLt, None) => false,
        }
    }
}

fn expire(
    store: &Store<impl Locks>,
    key: impl ToKey,
    ms: Option<i64>,
    from_now: bool,
    option: ExpireOption,
    command: &str,
) -> Result<bool> {
    store.write(key, |scope, keys| {
        let base = if from_now { scope.now_ms() } else { 0 };
        let at =
            ms.and_then(|ms| base.checked_add(ms)).ok_or_else(|| Error::invalid_expire(command))?;
        let mut slot = scope.slot(keys[0]);
        let allowed = slot.exists() && option.allows(slot.expires_at_ms(), at);
        if allowed {
            slot.expire_at_ms(at);
        }
        Ok(allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::ExpireOption::{Always, Gt, Lt, Nx, Xx, XxLt};
    use super::secs_of;

    #[test]
    fn milliseconds_are_rounded_to_seconds() {
        let cases = [(-2, -2), (0, 0), (499, 0), (500, 1), (1_499, 1), (1_500, 2)];
        for (ms, secs) in cases {
            assert_eq!(secs_of(ms, 500), secs, "{ms}");
        }
        assert_eq!([1_000, 1_001, 2_000].map(|ms| secs_of(ms, 999)), [1, 2, 2]);
        let large = [i64::MAX - 500, i64::MAX - 307, i64::MAX];
        assert_eq!(large.map(|ms| secs_of(ms, 500) - i64::MAX / 1000), [0, 1, 1]);
    }

    #[test]
    fn options_allow_what_redis_allows() {
        // Whether it is allowed if the key has no expiry, and if it expires before, at and after the new time.
        for (option, allowed) in [
            (Always, [true, true, true, true]),
            (Nx, [true, false, false, false]),
            (Xx, [false, true, true, true]),
            (Gt, [false, true, false, false]),
            (Lt, [true, false, false, true]),
            (XxLt, [false, false, false, true]),
        ] {
            let found = [None, Some(9), Some(10), Some(11)].map(|old| option.allows(old, 10));
            assert_eq!(found, allowed, "{option:?}");
        }
    }
}
