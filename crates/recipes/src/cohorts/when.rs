//! When an event happened.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// When an event happened: an instant, or what the calendar and the clock showed.
///
/// An instant ([`Timestamp`], [`Zoned`]) is shown by the clock of the recipe's time zone, whatever its own zone; a
/// civil time ([`DateTime`], [`Date`] for its midnight) is taken as that clock shows it.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::{Timestamp, civil::date, tz};
/// use tallis::{Cohorts, Period, Store};
///
/// let tokyo = Cohorts::new(Store::new()).time_zone(tz::TimeZone::fixed(tz::offset(9)));
/// tokyo.mark("active", 1, "2015-05-17T20:00:00Z".parse::<Timestamp>()?)?;
/// assert!(tokyo.has("active", Period::day(date(2015, 5, 18)), 1)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum When {
    /// An instant.
    Timestamp(Timestamp),
    /// What the calendar and the clock of the recipe's time zone show.
    Civil(DateTime),
}

impl When {
    /// What the clock of that zone shows.
    #[inline]
    pub(super) fn in_zone(self, zone: &TimeZone) -> DateTime {
        match self {
            Self::Timestamp(at) => zone.to_datetime(at),
            Self::Civil(time) => time,
        }
    }
}

impl From<Timestamp> for When {
    fn from(at: Timestamp) -> Self {
        Self::Timestamp(at)
    }
}

impl From<Zoned> for When {
    fn from(time: Zoned) -> Self {
        Self::Timestamp(time.timestamp())
    }
}

impl From<&Zoned> for When {
    fn from(time: &Zoned) -> Self {
        Self::Timestamp(time.timestamp())
    }
}

impl From<DateTime> for When {
    fn from(time: DateTime) -> Self {
        Self::Civil(time)
    }
}

impl From<Date> for When {
    fn from(day: Date) -> Self {
        Self::Civil(day.into())
    }
}
