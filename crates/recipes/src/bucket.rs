//! The periods for which visitors are counted.

use std::fmt;

#[cfg(feature = "calendar")]
use jiff::{
    ToSpan,
    civil::{Date, DateTime},
    tz::TimeZone,
};

/// A calendar period for which visitors are counted together; its text is the suffix of its keys.
///
/// Days and hours need the feature `calendar`.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::Bucket;
///
/// let day = Bucket::from(date(2015, 3, 1));
/// assert_eq!(day.to_string(), "2015-03-01");
/// assert_eq!(day.previous().unwrap().to_string(), "2015-02-28");
/// let hour = Bucket::hour(date(2015, 3, 1), 0);
/// assert_eq!(hour.to_string(), "2015-03-01T00");
/// assert_eq!(hour.previous().unwrap().to_string(), "2015-02-28T23");
/// assert_eq!(Bucket::All.to_string(), "all");
/// assert_eq!(Bucket::All.previous(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bucket {
    /// A day: `YYYY-MM-DD`.
    #[cfg(feature = "calendar")]
    Day(Date),
    /// The hour that begins at this time: `YYYY-MM-DDTHH`. Create it with [`Bucket::hour`].
    #[cfg(feature = "calendar")]
    Hour(DateTime),
    /// All time: `all`.
    All,
}

impl Bucket {
    /// Returns an hour of a day. `hour` is clamped to 0 to 23.
    #[cfg(feature = "calendar")]
    #[must_use]
    pub fn hour(day: Date, hour: i8) -> Self {
        Self::Hour(day.at(hour.clamp(0, 23), 0, 0, 0))
    }

    /// Returns the bucket just before this one in the calendar; `None` for [`All`](Self::All) and for the first bucket
    /// of the calendar.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        match self {
            #[cfg(feature = "calendar")]
            Self::Day(day) => day.yesterday().ok().map(Self::Day),
            #[cfg(feature = "calendar")]
            Self::Hour(hour) => hour.checked_sub(1.hour()).ok().map(Self::Hour),
            Self::All => None,
        }
    }
}

impl Bucket {
    /// Returns the end of the bucket in UTC, in milliseconds since the epoch; `None` if it has none, or if it is
    /// outside of the calendar.
    pub(crate) fn end_ms(self) -> Option<i64> {
        match self {
            #[cfg(feature = "calendar")]
            Self::Day(day) => in_utc_ms(day.tomorrow().ok()?.at(0, 0, 0, 0)),
            #[cfg(feature = "calendar")]
            Self::Hour(hour) => in_utc_ms(hour.checked_add(1.hour()).ok()?),
            Self::All => None,
        }
    }
}

#[cfg(feature = "calendar")]
fn in_utc_ms(time: DateTime) -> Option<i64> {
    time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp().as_millisecond())
}

#[cfg(feature = "calendar")]
impl From<Date> for Bucket {
    fn from(day: Date) -> Self {
        Self::Day(day)
    }
}

impl Bucket {
    /// Parses the text of a bucket, in exactly the form that it is printed in.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let bucket = match text {
            "all" => Self::All,
            #[cfg(feature = "calendar")]
            _ => match text.split_once('T') {
                Some((day, hour)) => Self::hour(day.parse().ok()?, hour.parse().ok()?),
                None => Self::Day(text.parse().ok()?),
            },
            #[cfg(not(feature = "calendar"))]
            _ => return None,
        };
        (bucket.to_string() == text).then_some(bucket)
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "calendar")]
            Self::Day(day) => write!(f, "{day}"),
            #[cfg(feature = "calendar")]
            Self::Hour(hour) => write!(f, "{}T{:02}", hour.date(), hour.hour()),
            Self::All => f.write_str("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_written_and_parsed() {
        assert_eq!(Bucket::parse(b"all"), Some(Bucket::All));
        for text in ["", "All", "all ", "2015", "x", "\u{e9}"] {
            assert_eq!(Bucket::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Bucket::parse(b"\xff"), None);
    }

    #[cfg(feature = "calendar")]
    #[test]
    fn days_and_hours_are_written_and_parsed() {
        let day = jiff::civil::date(2015, 5, 17);
        for bucket in [Bucket::Day(day), Bucket::hour(day, 0), Bucket::hour(day, 23)] {
            assert_eq!(Bucket::parse(bucket.to_string().as_bytes()), Some(bucket));
        }
        for text in
            ["2015-5-17", "2015-05-17T", "2015-05-17T3", "2015-05-17T24", "20150517", "2015-05-32"]
        {
            assert_eq!(Bucket::parse(text.as_bytes()), None, "{text}");
        }
    }
}
