//! The offsets of a time zone as consecutive spans of time.

use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::level::{DAY, civil};

/// The first second of the calendar: the year 1900, in seconds since the epoch.
pub(super) const FIRST: i64 = -2_208_988_800;

/// The first second after the calendar: the year 2300.
pub(super) const END: i64 = 10_413_792_000;

/// A span of time in which the clock is not set.
///
/// All times are in seconds: since the epoch, or wall time as if it were UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first second.
    pub(super) start: i64,
    /// The first second after it.
    pub(super) end: i64,
    /// The offset from UTC.
    pub(super) offset: i64,
    /// Before this span, the clock had reached all times below this. A lower wall time may be a repetition.
    pub(super) reached: i64,
}

/// All spans of a time zone from [`FIRST`] to [`END`].
#[derive(Debug)]
pub(super) struct Spans {
    all: Vec<Span>,
    /// Where the last search ended: times arrive in order, and nearly all of them are in one span.
    near: AtomicUsize,
    /// The last day that was formatted, in one word so that it is read and written atomically: its number since the
    /// epoch in the upper half, its eight digits in the lower half, four bits each.
    day: AtomicU64,
}

/// A number that no day of the calendar has.
const NO_DAY: u64 = (i32::MAX as u64) << 32;

impl Spans {
    /// Computes the spans of a time zone. O(changes of its offset), some hundreds.
    pub(super) fn of(zone: &TimeZone) -> Self {
        let first = Timestamp::from_second(FIRST).unwrap_or(Timestamp::MIN);
        let offset = i64::from(zone.to_offset(first).seconds());
        let mut last = Span { start: FIRST, end: END, offset, reached: i64::MIN / 2 };
        let mut all = Vec::new();
        for change in zone.following(first) {
            let (at, offset) = (change.timestamp().as_second(), change.offset().seconds().into());
            if at >= END {
                break;
            }
            // Some changes are of the zone's name only.
            if offset != last.offset {
                let reached = last.reached.max(at + last.offset);
                all.push(Span { end: at, ..last });
                last = Span { start: at, end: END, offset, reached };
            }
        }
        all.push(last);
        Self { all, near: AtomicUsize::new(0), day: AtomicU64::new(NO_DAY) }
    }

    /// Returns the span of a second, if it is in the calendar. O(1) near the last one that was searched for, otherwise
    /// O(log spans).
    #[inline]
    pub(super) fn at(&self, second: i64) -> Option<Span> {
        let holds = |span: &&Span| (span.start..span.end).contains(&second);
        let near = self.all.get(self.near.load(Ordering::Relaxed));
        near.filter(holds).copied().or_else(|| self.search(second))
    }

    #[cold]
    fn search(&self, second: i64) -> Option<Span> {
        if !(FIRST..END).contains(&second) {
            return None;
        }
        let at = self.all.partition_point(|span| span.end <= second);
        self.near.store(at, Ordering::Relaxed);
        self.all.get(at).copied()
    }

    /// Returns the digits of the wall time, year to minute. The date is computed once per day.
    #[inline]
    pub(super) fn digits(&self, wall: i64) -> [u8; 12] {
        let number = wall.div_euclid(DAY).cast_unsigned() << 32;
        let mut day = self.day.load(Ordering::Relaxed);
        if (day ^ number) >> 32 != 0 {
            day = number | packed_date(wall);
            self.day.store(day, Ordering::Relaxed);
        }
        written(day & 0xffff_ffff, wall)
    }

    /// Returns the first second at which the clock has reached `wall`: it shows that, or was set beyond it.
    pub(super) fn reaches(&self, wall: i64) -> i64 {
        let after = self.all.partition_point(|span| span.reached <= wall);
        let span = &self.all[after.saturating_sub(1)];
        span.start.max(wall - span.offset)
    }
}

/// Returns the digits of a wall time, to the minute. No year of a bucket has a sign.
pub(super) fn digits(wall: i64) -> [u8; 12] {
    written(packed_date(wall), wall)
}

/// Returns the digits of a date and of a time of its day.
#[inline]
fn written(date: u64, wall: i64) -> [u8; 12] {
    let second = wall.rem_euclid(DAY).cast_unsigned();
    let time = packed_pair(second / 3600) << 8 | packed_pair(second / 60 % 60);
    let mut digits = [0; 12];
    digits[..8].copy_from_slice(&spread(date));
    digits[8..].copy_from_slice(&spread(time << 16)[..4]);
    digits
}

/// Returns the digits of a date, four bits each, the first one highest.
#[cold]
fn packed_date(wall: i64) -> u64 {
    let date = civil(wall).date();
    let [year, month, day] =
        [i64::from(date.year()), date.month().into(), date.day().into()].map(i64::cast_unsigned);
    let [century, year] = [packed_pair(year / 100), packed_pair(year % 100)];
    century << 24 | year << 16 | packed_pair(month) << 8 | packed_pair(day)
}

/// Returns two digits, four bits each.
#[inline]
const fn packed_pair(number: u64) -> u64 {
    ((number / 10) << 4) + number % 10
}

/// Converts eight digits of four bits each to text, the highest first.
#[inline]
const fn spread(packed: u64) -> [u8; 8] {
    let pairs = (packed | packed << 16) & 0x0000_ffff_0000_ffff;
    let bytes = (pairs | pairs << 8) & 0x00ff_00ff_00ff_00ff;
    let digits = (bytes | bytes << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    (digits | 0x3030_3030_3030_3030).swap_bytes().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::{self, TimeZone};

    use super::super::level::seconds;
    use super::*;

    #[test]
    fn the_ends_are_the_ends_of_years() {
        assert_eq!(FIRST, seconds(date(1900, 1, 1).at(0, 0, 0, 0)));
        assert_eq!(END, seconds(date(2300, 1, 1).at(0, 0, 0, 0)));
    }

    #[test]
    fn spans_are_consecutive_and_have_the_offset() {
        for name in ["Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"] {
            let zone = TimeZone::get(name).unwrap();
            let spans = Spans::of(&zone);
            assert!(spans.all.len() > 5, "{name}");
            assert_eq!((spans.all[0].start, spans.all.last().unwrap().end), (FIRST, END));
            for pair in spans.all.windows(2) {
                assert_eq!(pair[0].end, pair[1].start);
                assert_ne!(pair[0].offset, pair[1].offset);
                assert!(pair[0].reached < pair[1].reached);
            }
            let mut rng = testkit::rng::Rng::new(1);
            for _ in 0..20_000 {
                let second = rng.range(FIRST..=END - 1);
                let offset = zone.to_offset(Timestamp::from_second(second).unwrap()).seconds();
                let span = spans.at(second).unwrap();
                assert_eq!(span.offset, offset.into(), "{name} {second}");
                assert!(span.start <= second && second < span.end);
            }
            assert_eq!((spans.at(FIRST - 1), spans.at(END)), (None, None));
        }
        let fixed = Spans::of(&TimeZone::fixed(tz::offset(-3)));
        assert_eq!(fixed.all.len(), 1);
        assert_eq!(fixed.at(0).unwrap().offset, -10_800);
    }

    #[test]
    fn digits_are_those_of_the_calendar() {
        let mut rng = testkit::rng::Rng::new(1);
        let spans = Spans::of(&TimeZone::UTC);
        for wall in [0, -1, -DAY, DAY - 1, FIRST, END - 1] {
            let text = civil(wall).strftime("%Y%m%d%H%M").to_string();
            assert_eq!(spans.digits(wall), text.as_bytes(), "{wall}");
        }
        for _ in 0..20_000 {
            let wall = rng.range(FIRST..=END - 1);
            for wall in [wall, wall + 60, wall + 4000] {
                let text = civil(wall).strftime("%Y%m%d%H%M").to_string();
                assert_eq!(spans.digits(wall), text.as_bytes(), "{wall}");
            }
        }
    }

    #[test]
    fn a_wall_time_is_reached_once() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let spans = Spans::of(&zone);
        let wall = |day, hour, minute| seconds(date(2019, 10, day).at(hour, minute, 0, 0));
        let summer = 7200;
        // 02:30 occurs twice; it is reached at the first. After the second hour, the clock shows winter time.
        assert_eq!(spans.reaches(wall(27, 2, 30)), wall(27, 2, 30) - summer);
        assert_eq!(spans.reaches(wall(27, 2, 59)), wall(27, 2, 59) - summer);
        assert_eq!(spans.reaches(wall(27, 3, 0)), wall(27, 3, 0) - 3600);
        // 02:30 does not occur; the clock is set from 2 to 3.
        let spring = seconds(date(2019, 3, 31).at(2, 0, 0, 0)) - 3600;
        assert_eq!(spans.reaches(spring + 3600), spring);
        assert_eq!(spans.reaches(spring + 3600 + 1800), spring);
        assert_eq!(spans.reaches(spring + 2 * 3600), spring);
        assert_eq!(spans.reaches(spring + 2 * 3600 + 60), spring + 60);
    }
}
