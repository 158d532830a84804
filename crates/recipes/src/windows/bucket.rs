//! A calendar bucket, and its name.

use std::fmt;

use jiff::Timestamp;

use super::level::{UvLevel, seconds};
use super::spans::digits;
use crate::text::{Text, concat};

/// A minute, an hour, a day or a month of a [`UvCalendar`](super::UvCalendar). Its text is the suffix of its key.
///
/// Buckets are ordered by start, then by size.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::Timestamp;
/// use tallis::{UvCalendar, UvLevel};
///
/// let calendar = UvCalendar::utc();
/// let at: Timestamp = "2019-09-28T19:11:30Z".parse()?;
/// let hour = calendar.bucket(UvLevel::Hour, at)?;
/// assert_eq!(hour.to_string(), "2019092819");
/// assert_eq!(hour.start(), "2019-09-28T19:00:00Z".parse()?);
/// assert_eq!(hour.end(), "2019-09-28T20:00:00Z".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UvBucket {
    /// The first second.
    pub(super) start: i64,
    /// The first second after it.
    pub(super) end: i64,
    pub(super) name: Name,
}

/// The name of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name {
    pub(super) level: UvLevel,
    /// The wall time at which the unit begins, in seconds as if it were UTC.
    pub(super) wall: i64,
    /// The offset from UTC in seconds, if the clock has shown the unit before.
    pub(super) again: Option<i64>,
}

impl UvBucket {
    /// Returns its level, which is its size.
    #[must_use]
    pub const fn level(&self) -> UvLevel {
        self.name.level
    }

    /// Returns its beginning.
    #[must_use]
    pub fn start(&self) -> Timestamp {
        timestamp(self.start)
    }

    /// Returns its end: the first instant after it.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        timestamp(self.end)
    }

    /// Returns whether a second is in it.
    #[inline]
    pub(super) const fn has(&self, second: i64) -> bool {
        self.start <= second && second < self.end
    }

    /// Returns whether another bucket is entirely in it.
    pub(super) const fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Returns the timestamp of a second; jiff has one for every second of a bucket.
fn timestamp(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}

impl fmt::Display for UvBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.name.text()))
    }
}

impl Name {
    /// Returns the key with this prefix. The digits are those of the wall time to the minute.
    #[inline]
    pub(super) fn key(self, prefix: &[u8], digits: &[u8; 12]) -> Text {
        let key = concat([prefix, &digits[..self.level.digits()]]);
        match self.again {
            Some(offset) => concat([&key, offset_text(offset).as_bytes()]),
            None => key,
        }
    }

    /// Returns the suffix of the key.
    fn text(self) -> Text {
        self.key(b"", &digits(self.wall))
    }

    /// Parses a name, in exactly the form that it is written in, whether or not the bucket exists in the time zone.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        let (digits, offset) = text.split_at(end);
        let level = UvLevel::of_digits(digits.len())?;
        let mut pairs = digits.as_chunks().0.iter().map(|&pair| number(pair));
        let year = i16::from(pairs.next()?) * 100 + i16::from(pairs.next()?);
        let mut part = |or| pairs.next().unwrap_or(or);
        let date = jiff::civil::Date::new(year, part(1), part(1)).ok()?;
        let time = jiff::civil::Time::new(part(0), part(0), 0, 0).ok()?;
        let again = if offset.is_empty() { None } else { Some(parse_offset(offset)?) };
        let name = Self { level, wall: seconds(date.to_datetime(time)), again };
        (name.text().as_slice() == text).then_some(name)
    }
}

/// Parses two digits.
fn number([tens, ones]: [u8; 2]) -> i8 {
    ((tens - b'0') * 10 + ones - b'0').cast_signed()
}

/// Formats an offset as in ISO 8601, without colons, and with seconds only if they are not zero.
fn offset_text(offset: i64) -> String {
    let (sign, offset) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    let [hours, minutes, seconds] = [offset / 3600, offset / 60 % 60, offset % 60];
    let seconds = if seconds > 0 { format!("{seconds:02}") } else { String::new() };
    format!("{sign}{hours:02}{minutes:02}{seconds}")
}

fn parse_offset(text: &[u8]) -> Option<i64> {
    let (&sign, digits) = text.split_first()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() > 3 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut seconds = 0;
    for (pair, unit) in pairs.iter().zip([3600, 60, 1]) {
        seconds += unit * i64::from(number(*pair));
    }
    match sign {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn names_are_written_and_parsed() {
        let wall = seconds(date(2019, 9, 8).at(7, 6, 0, 0));
        for (level, text) in [
            (UvLevel::Minute, "201909080706"),
            (UvLevel::Hour, "2019090807"),
            (UvLevel::Day, "20190908"),
            (UvLevel::Month, "201909"),
        ] {
            for (again, end) in [
                (None, ""),
                (Some(3600), "+0100"),
                (Some(-12_600), "-0330"),
                (Some(0), "+0000"),
                (Some(-12_652), "-033052"),
                (Some(93_599), "+255959"),
            ] {
                let name = Name { level, wall: level.floor(wall), again };
                assert_eq!(name.text().as_slice(), format!("{text}{end}").as_bytes());
                assert_eq!(Name::parse(&name.text()), Some(name));
            }
        }
        for text in [
            "",
            "2019",
            "20190",
            "2019090",
            "201913",
            "201900",
            "20190931",
            "2019090824",
            "201909080760",
            "2019090807061",
            "201909x",
            "201909+",
            "201909+01",
            "201909+1",
            "201909+010",
            "201909+01000000",
            "201909*0100",
            "201909+0100 ",
            " 201909",
            "-201909",
            "201909+0160",
            "201909-0000",
            "201909+010000",
            "20190908070",
            "open",
        ] {
            assert_eq!(Name::parse(text.as_bytes()), None, "{text}");
        }
    }
}
