//! Commands on the time at which keys expire.

use crate::error::{Error, Result};
use crate::store::stripe::Found;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// Commands on the time at which keys expire.
///
/// A key that has expired is never seen again, to the millisecond of the store's [`Clock`](crate::Clock); its memory is
/// released when a write finds it, or by [`Store::sweep`](crate::Store::sweep).
///
/// # Errors
///
/// In a transaction, all of them fail on a key that it did not name.
impl<L: Locks> Store<L> {
    /// EXPIRE: lets the key expire in `seconds` from now; `false` if there is no such key. O(1).
    ///
    /// With zero or less the key is gone at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the time of expiry does not fit into 64 bits of milliseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert!(store.expire("k", 60)?);
    /// assert_eq!(store.ttl("k")?, 60);
    /// assert!(!store.expire("other", 60)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn expire(&self, key: impl ToKey, seconds: i64) -> Result<bool> {
        self.expire_if(key, seconds, ExpireOption::Always)
    }

    /// PEXPIRE: as [`expire`](Self::expire), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire(&self, key: impl ToKey, milliseconds: i64) -> Result<bool> {
        self.pexpire_if(key, milliseconds, ExpireOption::Always)
    }

    /// EXPIREAT: lets the key expire at that many seconds since the Unix epoch; `false` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn expire_at(&self, key: impl ToKey, seconds: i64) -> Result<bool> {
        self.expire_at_if(key, seconds, ExpireOption::Always)
    }

    /// PEXPIREAT: as [`expire_at`](Self::expire_at), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_at(&self, key: impl ToKey, at_ms: i64) -> Result<bool> {
        self.pexpire_at_if(key, at_ms, ExpireOption::Always)
    }

    /// EXPIRE with NX, XX, GT or LT: as [`expire`](Self::expire), but `false` too if the option forbids it.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{ExpireOption, Store};
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert!(store.expire_if("k", 60, ExpireOption::Nx)?);
    /// assert!(!store.expire_if("k", 30, ExpireOption::Gt)?);
    /// assert_eq!(store.ttl("k")?, 60);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn expire_if(&self, key: impl ToKey, seconds: i64, option: ExpireOption) -> Result<bool> {
        expire(self, key, seconds.checked_mul(1000), true, option, "expire")
    }

    /// PEXPIRE with an option: as [`expire_if`](Self::expire_if), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_if(
        &self,
        key: impl ToKey,
        milliseconds: i64,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, Some(milliseconds), true, option, "pexpire")
    }

    /// EXPIREAT with an option: as [`expire_at`](Self::expire_at), but `false` too if the option forbids it.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn expire_at_if(
        &self,
        key: impl ToKey,
        seconds: i64,
        option: ExpireOption,
    ) -> Result<bool> {
        expire(self, key, seconds.checked_mul(1000), false, option, "expireat")
    }

    /// PEXPIREAT with an option: as [`expire_at_if`](Self::expire_at_if), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    pub fn pexpire_at_if(&self, key: impl ToKey, at_ms: i64, option: ExpireOption) -> Result<bool> {
        expire(self, key, Some(at_ms), false, option, "pexpireat")
    }

    /// PERSIST: takes the expiry away; `false` if there was none. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn persist(&self, key: impl ToKey) -> Result<bool> {
        self.write(key, |scope, keys| Ok(scope.slot(keys[0]).persist()))
    }

    /// TTL: the seconds until the key expires, rounded; -1 if it never does, -2 if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn ttl(&self, key: impl ToKey) -> Result<i64> {
        let ms = self.pttl(key)?;
        Ok(if ms < 0 { ms } else { ms.saturating_add(500) / 1000 })
    }

    /// PTTL: as [`ttl`](Self::ttl), in milliseconds.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn pttl(&self, key: impl ToKey) -> Result<i64> {
        self.read(key, |view, keys| {
            Ok(match view.find(keys[0]).map(Found::expires_at) {
                None => -2,
                Some(None) => -1,
                Some(Some(at)) => at.saturating_sub(view.now_ms()),
            })
        })
    }

    /// EXPIRETIME: the second since the Unix epoch at which the key expires, rounded; -1 if it never does, -2 if there
    /// is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn expire_time(&self, key: impl ToKey) -> Result<i64> {
        let ms = self.pexpire_time(key)?;
        Ok(if ms < 0 { ms } else { ms.saturating_add(500) / 1000 })
    }

    /// PEXPIRETIME: as [`expire_time`](Self::expire_time), in milliseconds.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn pexpire_time(&self, key: impl ToKey) -> Result<i64> {
        self.read(key, |view, keys| {
            Ok(match view.find(keys[0]).map(Found::expires_at) {
                None => -2,
                Some(at) => at.unwrap_or(-1),
            })
        })
    }
}

/// When EXPIRE and the like set a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpireOption {
    /// Whatever is there.
    #[default]
    Always,
    /// NX: only if the key does not expire yet.
    Nx,
    /// XX: only if it does.
    Xx,
    /// GT: only if it expires earlier. A key that never expires does not.
    Gt,
    /// LT: only if it expires later, or never.
    Lt,
    /// XX and LT: only if it expires, and later.
    XxLt,
}

impl ExpireOption {
    /// Whether a key that expires at `old` may expire at `new`.
    const fn allows(self, old: Option<i64>, new: i64) -> bool {
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

    #[test]
    fn options_allow_what_redis_allows() {
        // Allowed when the key never expires, and when it expires before, at and after the new time.
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
