//! The calendar of a time zone, divided into buckets.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use store::Error;

use super::bucket::{Name, UvBucket};
use super::level::UvLevel;
use super::spans::{Span, Spans};
use crate::errors::invalid;

/// The minutes, hours, days and months of a time zone, as buckets.
///
/// Each larger bucket consists of whole smaller ones, for any changes of the zone's offset:
///
/// * A *minute* and an *hour* end early if the clock is set. When it shows a time for the second time, that is another
///   bucket, whose name ends with the offset, as in `2019102702+0100` for the second hour from 2 to 3 of a night in
///   Berlin. So a day can have 23 or 25 hours, and a minute is always contiguous.
/// * A *day* begins when the clock first reaches its midnight, and ends when it first reaches the next one. If clocks
///   are set back over midnight, the repeated part of the old day belongs to the new one.
/// * A *month* consists of its days.
///
/// The buckets are those of the years 1900 to 2299.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::{Timestamp, tz::TimeZone};
/// use tallis::UvCalendar;
///
/// let berlin = UvCalendar::new(TimeZone::get("Europe/Berlin")?);
/// let names = |from: &str, to: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
///     let cover = berlin.cover(from.parse::<Timestamp>()?, to.parse::<Timestamp>()?)?;
///     Ok(cover.iter().map(|bucket| bucket.to_string()).collect())
/// };
/// assert_eq!(
///     names("2019-10-26T23:59+02", "2019-10-27T03:01+01")?,
///     ["201910262359", "2019102700", "2019102701", "2019102702", "2019102702+0100", "201910270300"]
/// );
/// assert_eq!(names("2019-10-27T00:00+02", "2019-10-28T00:00+01")?, ["20191027"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UvCalendar {
    zone: TimeZone,
    spans: Arc<OnceLock<Spans>>,
}

impl UvCalendar {
    /// Creates the calendar of a time zone.
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, spans: Arc::default() }
    }

    /// Creates the calendar of UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self::new(TimeZone::UTC)
    }

    /// Returns the time zone.
    #[must_use]
    pub const fn time_zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the bucket of a level that contains an instant. O(1), and O(log changes of the zone's offset) for days
    /// and months.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an instant outside of the years 1900 to
    /// 2299.
    pub fn bucket(&self, level: UvLevel, at: impl Into<Timestamp>) -> Result<UvBucket, Error> {
        self.bucket_of(level, whole_second(at.into()))
    }

    /// Returns the fewest buckets that together are the range from the minute of `from` to the minute before `to`, in
    /// order of time. There are none if `from` is `to`.
    ///
    /// A range that begins or ends within a minute includes the whole minute. O(buckets).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) if `from` is after `to`, or for instants
    /// outside of the years 1900 to 2299.
    pub fn cover(
        &self,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<Vec<UvBucket>, Error> {
        let (from, to) = self.minutes(from.into(), to.into())?;
        cut(from, to, |at| {
            let mut bucket = self.bucket_of(UvLevel::Minute, at)?;
            // If a larger bucket does not begin here, or ends too late, no bucket above it fits.
            while let Some(level) = bucket.level().above() {
                let larger = self.bucket_of(level, at)?;
                if larger.start != at || larger.end > to {
                    break;
                }
                bucket = larger;
            }
            Ok(bucket)
        })
    }

    /// Returns every bucket of one level that overlaps the range, in order of time. O(buckets).
    ///
    /// # Errors
    ///
    /// As [`cover`](Self::cover).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::{Timestamp, tz::TimeZone};
    /// use tallis::{UvCalendar, UvLevel};
    ///
    /// let berlin = UvCalendar::new(TimeZone::get("Europe/Berlin")?);
    /// let from: Timestamp = "2019-10-27T00:00+02".parse()?;
    /// let to: Timestamp = "2019-10-28T00:00+01".parse()?;
    /// assert_eq!(berlin.buckets(UvLevel::Hour, from, to)?.len(), 25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn buckets(
        &self,
        level: UvLevel,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<Vec<UvBucket>, Error> {
        let (from, to) = self.minutes(from.into(), to.into())?;
        self.parts(level, from, to)
    }

    /// Returns the buckets of one level from one second to another.
    pub(super) fn parts(&self, level: UvLevel, from: i64, to: i64) -> Result<Vec<UvBucket>, Error> {
        cut(from, to, |at| self.bucket_of(level, at))
    }

    /// Returns the seconds from the first minute of a range to the end of the last.
    fn minutes(&self, from: Timestamp, to: Timestamp) -> Result<(i64, i64), Error> {
        if from > to {
            return Err(turned(from, to));
        }
        let start = self.bucket_of(UvLevel::Minute, whole_second(from))?.start;
        if from == to {
            return Ok((start, start));
        }
        // The last second of the range, which is not before `from`.
        let whole = to.subsec_nanosecond() == 0;
        let last = whole_second(to) - i64::from(whole);
        Ok((start, self.bucket_of(UvLevel::Minute, last)?.end))
    }

    /// Returns the start of the bucket that is `count` buckets before the one that begins, or ends, at `start`.
    pub(super) fn back(&self, level: UvLevel, start: i64, count: u32) -> Result<i64, Error> {
        let (mut at, mut left) = (start, i64::from(count));
        while left > 0 {
            let before = self.bucket_of(level, at - 1)?;
            (at, left) = (before.start, left - 1);
            if let Some(seconds) = level.seconds() {
                // Within a span all buckets have the same length.
                let steps = left.min((at - self.span(at)?.start) / seconds);
                (at, left) = (at - steps * seconds, left - steps);
            }
        }
        Ok(at)
    }

    /// Returns the bucket of a second.
    pub(super) fn bucket_of(&self, level: UvLevel, second: i64) -> Result<UvBucket, Error> {
        let span = self.span(second)?;
        let shown = second + span.offset;
        if let Some(seconds) = level.seconds() {
            let wall = level.floor(shown);
            let again = (wall < span.reached).then_some(span.offset);
            let [start, end] = [wall, wall + seconds].map(|wall| wall - span.offset);
            let name = Name { level, wall, again };
            return Ok(UvBucket { start: start.max(span.start), end: end.min(span.end), name });
        }
        // Days follow the latest time that the clock has reached, even while it shows an earlier one again.
        let wall = level.floor(shown.max(span.reached - 1));
        let spans = self.spans();
        let (start, end) = (spans.reaches(wall), spans.reaches(level.next(wall)));
        Ok(UvBucket { start, end, name: Name { level, wall, again: None } })
    }

    /// Returns the bucket with this name, if it exists.
    pub(super) fn named(&self, text: &[u8]) -> Option<UvBucket> {
        let name = Name::parse(text)?;
        let second = match name.again {
            None => self.spans().reaches(name.wall),
            Some(offset) => {
                // It begins later if the clock is set forward over its beginning.
                let second = name.wall - offset;
                let span = self.span(second).ok()?;
                if span.offset == offset { second } else { span.end }
            }
        };
        self.bucket_of(name.level, second).ok().filter(|bucket| bucket.name == name)
    }

    /// Returns the span of a second.
    #[inline]
    pub(super) fn span(&self, second: i64) -> Result<Span, Error> {
        self.spans().at(second).ok_or_else(|| out_of_range(second))
    }

    #[inline]
    pub(super) fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| Spans::of(&self.zone))
    }
}

/// Returns the consecutive buckets from one second to another.
fn cut(
    from: i64,
    to: i64,
    bucket_at: impl Fn(i64) -> Result<UvBucket, Error>,
) -> Result<Vec<UvBucket>, Error> {
    let (mut buckets, mut at) = (Vec::new(), from);
    while at < to {
        let bucket = bucket_at(at)?;
        at = bucket.end;
        buckets.push(bucket);
    }
    Ok(buckets)
}

/// Returns the second of an instant, rounded down.
#[inline]
pub(super) fn whole_second(at: Timestamp) -> i64 {
    // Before 1970 both parts are negative.
    at.as_second() - i64::from(at.subsec_nanosecond() < 0)
}

#[cold]
fn turned(from: Timestamp, to: Timestamp) -> Error {
    invalid(format!("ERR the range from {from} to {to} ends before it begins"))
}

#[cold]
pub(super) fn out_of_range(second: i64) -> Error {
    invalid(format!("ERR second {second} since 1970 is not in the years 1900 to 2299"))
}
