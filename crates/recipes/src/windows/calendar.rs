//! The calendar of a time zone, cut into buckets.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use store::Error;

use super::bucket::{Name, UvBucket};
use super::level::UvLevel;
use super::spans::{Span, Spans};
use crate::errors::invalid;

/// The minutes, hours, days and months of a time zone.
///
/// Each larger bucket is made up of whole smaller ones, whatever the zone does:
///
/// * A *minute* and an *hour* end early where the clock is set. What it shows for a second time is another bucket: its
///   name ends with the offset, as in `2019102702+0100` for the second hour from 2 to 3 of a night in Berlin. So a day
///   can have 23 hours or 25, and no two instants that lie apart share a minute.
/// * A *day* begins when the clock first reaches its midnight, and ends when it first reaches the next one. Where
///   clocks are set back over midnight, what they show of the old day for a second time belongs to the new one.
/// * A *month* is its days.
///
/// There are buckets for the years 1900 to 2299.
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
    /// The calendar of that zone.
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, spans: Arc::default() }
    }

    /// The calendar of UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self::new(TimeZone::UTC)
    }

    /// The zone.
    #[must_use]
    pub const fn time_zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The bucket of that level in which an instant lies. O(1), and O(log changes of the zone's offset) for days and
    /// months.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an instant that is not of the years 1900
    /// to 2299.
    pub fn bucket(&self, level: UvLevel, at: impl Into<Timestamp>) -> Result<UvBucket, Error> {
        self.bucket_of(level, whole_second(at.into()))
    }

    /// The fewest buckets that together are the range from the minute of `from` to the minute before `to`, in the order
    /// of time. None if `from` is `to`.
    ///
    /// A range that begins or ends inside a minute takes in all of that minute. O(buckets).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) if `from` is after `to`, or for instants that
    /// are not of the years 1900 to 2299.
    pub fn cover(
        &self,
        from: impl Into<Timestamp>,
        to: impl Into<Timestamp>,
    ) -> Result<Vec<UvBucket>, Error> {
        let (from, to) = self.minutes(from.into(), to.into())?;
        cut(from, to, |at| {
            let mut bucket = self.bucket_of(UvLevel::Minute, at)?;
            // What does not begin here or ends too late is part of nothing that does better.
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

    /// Every bucket of one level that has a minute of the range, in the order of time. O(buckets).
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

    /// The buckets of one level from one second to another.
    pub(super) fn parts(&self, level: UvLevel, from: i64, to: i64) -> Result<Vec<UvBucket>, Error> {
        cut(from, to, |at| self.bucket_of(level, at))
    }

    /// The seconds from the first minute of a range to the end of the last.
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

    /// The start of the bucket `count` before the one that begins at `start`, or at which one ends.
    pub(super) fn back(&self, level: UvLevel, start: i64, count: u32) -> Result<i64, Error> {
        let (mut at, mut left) = (start, i64::from(count));
        while left > 0 {
            let before = self.bucket_of(level, at - 1)?;
            (at, left) = (before.start, left - 1);
            if let Some(seconds) = level.seconds() {
                // As far as the clock runs on, they are all of one length.
                let steps = left.min((at - self.span(at)?.start) / seconds);
                (at, left) = (at - steps * seconds, left - steps);
            }
        }
        Ok(at)
    }

    /// The bucket of a second.
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
        // Days go by what the clock has reached, whatever it shows for a second time.
        let wall = level.floor(shown.max(span.reached - 1));
        let spans = self.spans();
        let (start, end) = (spans.reaches(wall), spans.reaches(level.next(wall)));
        Ok(UvBucket { start, end, name: Name { level, wall, again: None } })
    }

    /// The bucket of that name, if there is one.
    pub(super) fn named(&self, text: &[u8]) -> Option<UvBucket> {
        let name = Name::parse(text)?;
        let second = match name.again {
            None => self.spans().reaches(name.wall),
            Some(offset) => {
                // It may begin later, when the clock is set.
                let second = name.wall - offset;
                let span = self.span(second).ok()?;
                if span.offset == offset { second } else { span.end }
            }
        };
        self.bucket_of(name.level, second).ok().filter(|bucket| bucket.name == name)
    }

    /// The span of a second.
    #[inline]
    pub(super) fn span(&self, second: i64) -> Result<Span, Error> {
        self.spans().at(second).ok_or_else(|| out_of_range(second))
    }

    #[inline]
    pub(super) fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| Spans::of(&self.zone))
    }
}

/// The buckets from one second to another, of which each begins where the one before it ends.
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

/// The second of an instant, rounded down.
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
    invalid(format!("ERR second {second} since 1970 is not of the years 1900 to 2299"))
}
