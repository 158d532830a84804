//! A time as a command gives it: of a unit, from now or from the epoch on.

use crate::error::{Error, Result};
use crate::execute::{int, one_of, take_with};

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
        // What does not fit is refused like what is below zero.
        Self { unit, absolute, amount: i64::try_from(amount).unwrap_or(-1) }
    }

    /// The milliseconds, as far as there is a number for them.
    pub(crate) const fn in_ms(self) -> i64 {
        self.amount.saturating_mul(self.unit.in_ms())
    }

    /// The time in milliseconds since the epoch, or what `command` says to one that is none.
    #[inline]
    pub(crate) fn at_ms(self, now_ms: impl FnOnce() -> i64, command: &str) -> Result<i64> {
        let ms = Some(self.amount).filter(|&amount| amount > 0);
        let ms = ms.and_then(|amount| amount.checked_mul(self.unit.in_ms()));
        let at = ms.and_then(|ms| if self.absolute { Some(ms) } else { ms.checked_add(now_ms()) });
        at.ok_or_else(|| Error::invalid_expire(command))
    }
}

/// The names of the times, each with its unit and whether it counts from the epoch on.
const NAMES: [(&str, (Unit, bool)); 4] = [
    ("EX", (Unit::Seconds, false)),
    ("PX", (Unit::Milliseconds, false)),
    ("EXAT", (Unit::Seconds, true)),
    ("PXAT", (Unit::Milliseconds, true)),
];

/// A time whose number is not read yet: Redis reads some of them late.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenTime<'a> {
    pub(super) unit: Unit,
    pub(super) absolute: bool,
    amount: &'a [u8],
}

impl<'a> GivenTime<'a> {
    /// Whether a word is the name of one.
    pub(super) fn is_name(word: &[u8]) -> bool {
        one_of(word, NAMES).is_some()
    }

    /// Takes the next two words, if they are EX, PX, EXAT or PXAT and a number.
    pub(super) fn take(words: &mut &[&'a [u8]]) -> Option<Self> {
        NAMES.into_iter().find_map(|(name, (unit, absolute))| {
            let [amount] = take_with(words, name)?;
            Some(Self { unit, absolute, amount })
        })
    }

    /// Whether it has the name of another.
    pub(super) fn is_named_as(&self, other: &Self) -> bool {
        (self.unit, self.absolute) == (other.unit, other.absolute)
    }

    /// The time, once its number is to be read.
    pub(super) fn read(self) -> Result<Time> {
        let Self { unit, absolute, amount } = self;
        Ok(Time { unit, absolute, amount: int(amount)? })
    }
}
