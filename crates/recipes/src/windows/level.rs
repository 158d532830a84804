//! The sizes of buckets.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp, tz::Offset};

/// The size of a bucket.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::UvLevel;
///
/// assert!(UvLevel::Minute < UvLevel::Month);
/// assert_eq!(UvLevel::ALL.len(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UvLevel {
    /// A minute: `yyyyMMddHHmm`.
    Minute,
    /// An hour: `yyyyMMddHH`.
    Hour,
    /// A day: `yyyyMMdd`.
    Day,
    /// A month: `yyyyMM`.
    Month,
}

impl UvLevel {
    /// Every level, the smallest first.
    pub const ALL: [Self; 4] = [Self::Minute, Self::Hour, Self::Day, Self::Month];

    /// Returns the number of digits in a bucket's name.
    pub(super) const fn digits(self) -> usize {
        match self {
            Self::Minute => 12,
            Self::Hour => 10,
            Self::Day => 8,
            Self::Month => 6,
        }
    }

    /// Returns the level whose names have this number of digits.
    pub(super) fn of_digits(digits: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.digits() == digits)
    }

    /// Returns the next larger level.
    pub(super) fn above(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// Returns the next smaller level.
    pub(super) fn below(self) -> Option<Self> {
        (self as usize).checked_sub(1).map(|at| Self::ALL[at])
    }

    /// Returns the seconds of a minute or of an hour; a day and a month have no fixed length.
    pub(super) const fn seconds(self) -> Option<i64> {
        match self {
            Self::Minute => Some(60),
            Self::Hour => Some(3600),
            Self::Day | Self::Month => None,
        }
    }

    /// Returns the wall time at which the unit that contains `wall` began: seconds, as if it were UTC.
    pub(super) fn floor(self, wall: i64) -> i64 {
        if let Some(seconds) = self.seconds() {
            return wall - wall.rem_euclid(seconds);
        }
        let day = wall - wall.rem_euclid(DAY);
        match self {
            Self::Month => day - DAY * i64::from(civil(day).day() - 1),
            Self::Minute | Self::Hour | Self::Day => day,
        }
    }

    /// Returns the wall time at which the unit that began at `floor` ends.
    pub(super) fn next(self, floor: i64) -> i64 {
        match self {
            Self::Minute | Self::Hour => floor + self.seconds().unwrap_or(0),
            Self::Day => floor + DAY,
            Self::Month => {
                let next = civil(floor).saturating_add(Span::new().months(1));
                seconds(next)
            }
        }
    }
}

/// The seconds of a day on which the clock is not set.
pub(super) const DAY: i64 = 86_400;

/// Converts seconds of wall time, as if it were UTC, to a civil time, clamped to the calendar.
pub(super) fn civil(wall: i64) -> DateTime {
    let shown = Timestamp::from_second(wall);
    let end = if wall < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Offset::UTC.to_datetime(shown.unwrap_or(end))
}

/// Converts a civil time to seconds, as if it were UTC.
pub(super) fn seconds(time: DateTime) -> i64 {
    Offset::UTC.to_timestamp(time).map_or(0, Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn units_begin_and_end_with_the_calendar() {
        let time =
            |month, day, hour, minute| seconds(date(2016, month, day).at(hour, minute, 0, 0));
        let now = time(2, 29, 23, 59) + 59;
        for (level, floor, next) in [
            (UvLevel::Minute, time(2, 29, 23, 59), time(3, 1, 0, 0)),
            (UvLevel::Hour, time(2, 29, 23, 0), time(3, 1, 0, 0)),
            (UvLevel::Day, time(2, 29, 0, 0), time(3, 1, 0, 0)),
            (UvLevel::Month, time(2, 1, 0, 0), time(3, 1, 0, 0)),
        ] {
            assert_eq!((level.floor(now), level.next(floor)), (floor, next), "{level:?}");
            assert_eq!(level.floor(floor), floor);
            assert_eq!(level.floor(next), next);
            assert_eq!(UvLevel::of_digits(level.digits()), Some(level));
            assert_eq!(level.above().and_then(UvLevel::below), level.above().map(|_| level));
        }
        let december = seconds(date(1999, 12, 1).at(0, 0, 0, 0));
        assert_eq!(UvLevel::Month.next(december), seconds(date(2000, 1, 1).at(0, 0, 0, 0)));
        assert_eq!(UvLevel::Day.floor(-1), -DAY);
    }
}
