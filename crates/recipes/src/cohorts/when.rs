//! The time of an event.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The time of an event: an instant, or a civil time.
///
/// An instant ([`Timestamp`], [`Zoned`]) is converted to the recipe's time zone, for any zone of its own; a civil time
/// ([`DateTime`], [`Date`] for its midnight) is taken as a time in that zone.
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
    /// A civil time in the recipe's time zone.
    Civil(DateTime),
}

impl When {
    /// Returns the civil time in a time zone.
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
