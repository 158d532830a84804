//! A time as a command gives it: in a unit, from now or from the epoch.

use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Unit {
    Seconds,
    Milliseconds,
}

impl Unit {
    const fn in_ms(self) -> i64 {
        match self {
            Self::Seconds => 1000,
            Self::Milliseconds => 1,
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Time {
    pub(crate) unit: Unit,
    pub(crate) absolute: bool,
    pub(crate) amount: i64,
}

impl Time {
    pub(super) fn new(unit: Unit, absolute: bool, amount: u64) -> Self {
        // A value that does not fit is refused like a negative one.
        Self { unit, absolute, amount: i64::try_from(amount).unwrap_or(-1) }
    }

    /// The time in milliseconds since the epoch, or the error of `command` if it does not fit or is not after the
    /// epoch.
    #[inline]
    pub(crate) fn at_ms(self, now_ms: impl FnOnce() -> i64, command: &str) -> Result<i64> {
        let at =
            Some(self).filter(|time| time.amount > 0).and_then(|time| time.since_epoch(now_ms));
        at.ok_or_else(|| Error::invalid_expire(command))
    }

    /// The time in milliseconds since the epoch, if it fits.
    #[inline]
    pub(crate) fn since_epoch(self, now_ms: impl FnOnce() -> i64) -> Option<i64> {
        let ms = self.amount.checked_mul(self.unit.in_ms())?;
        if self.absolute { Some(ms) } else { ms.checked_add(now_ms()) }
    }
}
