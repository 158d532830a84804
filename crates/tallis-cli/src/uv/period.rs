//! The length and the end of a window, on the command line.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::Timestamp;

use crate::number::unsigned;

/// The minutes of the calendar of windows, since 1970: the years 1900 to 2299.
pub(super) const FIRST_MINUTE: i64 = -36_816_480;
/// See [`FIRST_MINUTE`].
pub(super) const END_MINUTE: i64 = 173_563_200;

/// The units of a length, in minutes.
const UNITS: [(char, u32); 3] = [('m', 1), ('h', 60), ('d', 24 * 60)];

/// The length of a window: a number of minutes, hours of 60 minutes, or days of 24 hours.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::WindowLength;
///
/// let minutes = |text: &str| text.parse().map(WindowLength::minutes);
/// assert_eq!((minutes("15m"), minutes("24h"), minutes("7d")), (Ok(15), Ok(1_440), Ok(10_080)));
/// assert!(minutes("0m").is_err() && minutes("90").is_err() && minutes("1.5h").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLength(u32);

/// The end of a window: a minute of UTC, excluded.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::WindowEnd;
///
/// let end: WindowEnd = "2015-05-20T23:05:59.9+02:00".parse()?;
/// assert_eq!(end.to_string(), "2015-05-20T21:05:00Z");
/// # Ok::<(), tallis_cli::uv::WindowEndError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowEnd(i64);

/// Why a text is not a valid length of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WindowLengthError {
    /// It is not an integer with one of the units.
    Shape,
    /// It is less than a minute.
    Empty,
    /// It is longer than the calendar of the windows.
    TooLong,
}

/// Why a text is not a valid end of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WindowEndError {
    /// It is not a date, a time and an offset from UTC.
    Shape,
    /// It is outside of the calendar of windows.
    OutOfCalendar,
}

impl WindowLength {
    /// The longest length: 400 years, the whole calendar.
    const MOST: u32 = 146_097 * 24 * 60;

    /// Returns the number of minutes, at least one.
    #[must_use]
    pub const fn minutes(self) -> u32 {
        self.0
    }
}

impl FromStr for WindowLength {
    type Err = WindowLengthError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let split = |(unit, minutes)| Some((text.strip_suffix(unit)?, minutes));
        let (digits, unit) = UNITS.into_iter().find_map(split).ok_or(WindowLengthError::Shape)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(WindowLengthError::Shape);
        }
        // A number that does not fit into 64 bits is too long.
        let minutes = unsigned(digits).and_then(|number| number.checked_mul(unit.into()));
        match minutes.and_then(|minutes| u32::try_from(minutes).ok()) {
            Some(0) => Err(WindowLengthError::Empty),
            Some(minutes) if minutes <= Self::MOST => Ok(Self(minutes)),
            Some(_) | None => Err(WindowLengthError::TooLong),
        }
    }
}

impl WindowEnd {
    /// Returns the minute of UTC, counted from the beginning of 1970.
    pub(super) const fn minute(self) -> i64 {
        self.0
    }
}

impl FromStr for WindowEnd {
    type Err = WindowEndError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let timestamp: Timestamp = text.parse().map_err(|_| WindowEndError::Shape)?;
        // Rounded down, before 1970 too.
        let second = timestamp.as_second() - i64::from(timestamp.subsec_nanosecond() < 0);
        let minute = second.div_euclid(60);
        let ends: RangeInclusive<i64> = FIRST_MINUTE..=END_MINUTE;
        if ends.contains(&minute) { Ok(Self(minute)) } else { Err(WindowEndError::OutOfCalendar) }
    }
}

impl fmt::Display for WindowEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        timestamp(self.0).fmt(f)
    }
}

/// Returns when a minute of the calendar begins.
pub(super) fn timestamp(minute: i64) -> Timestamp {
    // Every minute of the calendar is a valid timestamp.
    Timestamp::from_second(minute * 60).unwrap_or_default()
}

impl fmt::Display for WindowLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shape => "expected an integer followed by m, h or d, such as 15m, 24h or 7d",
            Self::Empty => "it must be at least 1m",
            Self::TooLong => "it must be at most 146097d, which is 400 years",
        })
    }
}

impl std::error::Error for WindowLengthError {}

impl fmt::Display for WindowEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shape => {
                "expected a date, a time and an offset from UTC, such as 2015-05-20T21:06:00Z or \
                 2015-05-20T23:06:00+02:00"
            }
            Self::OutOfCalendar => "it must be in the years 1900 to 2299",
        })
    }
}

impl std::error::Error for WindowEndError {}

#[cfg(test)]
mod tests {
    use tallis::{UvCalendar, UvLevel};

    use super::*;

    #[test]
    fn lengths_are_whole_minutes() {
        for (text, want) in [
            ("1m", 1),
            ("15m", 15),
            ("0015m", 15),
            ("90m", 90),
            ("1h", 60),
            ("24h", 1_440),
            ("1d", 1_440),
            ("7d", 10_080),
            ("146097d", 210_379_680),
            ("210379680m", 210_379_680),
        ] {
            let length: WindowLength = text.parse().unwrap();
            assert_eq!(length.minutes(), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_refused_and_says_why() {
        let error = |text: &str| text.parse::<WindowLength>().unwrap_err();
        for text in [
            "", "m", "d", "15", "1.5h", "-1h", "+1h", "1 h", " 1h", "1h ", "1w", "1H", "1s", "1hm",
            "1h30m", "1_000m", "1e3m", "\u{661}m", "1\u{e9}", "h1",
        ] {
            assert_eq!(error(text), WindowLengthError::Shape, "{text}");
        }
        for text in ["0m", "00h", "0d"] {
            assert_eq!(error(text), WindowLengthError::Empty, "{text}");
        }
        for text in [
            "146098d",
            "210379681m",
            "4294967297m",
            "18446744073709551615h",
            "18446744073709551616m",
            "99999999999999999999999d",
        ] {
            assert_eq!(error(text), WindowLengthError::TooLong, "{text}");
        }
    }

    #[test]
    fn an_end_is_rounded_down_to_its_minute_of_utc() {
        for (text, want) in [
            ("2015-05-20T21:06:00Z", "2015-05-20T21:06:00Z"),
            ("2015-05-20T21:06:59.999999999Z", "2015-05-20T21:06:00Z"),
            ("2015-05-20T23:06:30+02:00", "2015-05-20T21:06:00Z"),
            ("2015-05-20T13:36:30-07:30", "2015-05-20T21:06:00Z"),
            ("2015-05-20 21:06:01z", "2015-05-20T21:06:00Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:00Z"),
            ("1969-12-31T23:58:59.999Z", "1969-12-31T23:58:00Z"),
            ("1900-01-01T00:00:00Z", "1900-01-01T00:00:00Z"),
            ("2300-01-01T00:00:59Z", "2300-01-01T00:00:00Z"),
        ] {
            let end: WindowEnd = text.parse().unwrap();
            assert_eq!(end.to_string(), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_end_is_refused_and_says_why() {
        let error = |text: &str| text.parse::<WindowEnd>().unwrap_err();
        for text in
            ["", "now", "2015-05-20", "2015-05-20T21:06:00", "21:06:00Z", "2015-02-30T00:00:00Z"]
        {
            assert_eq!(error(text), WindowEndError::Shape, "{text}");
        }
        for text in ["1899-12-31T23:59:59Z", "2300-01-01T00:01:00Z", "9999-01-01T00:00:00Z"] {
            assert_eq!(error(text), WindowEndError::OutOfCalendar, "{text}");
        }
    }

    #[test]
    fn the_calendar_ends_where_that_of_windows_does() {
        let calendar = UvCalendar::utc();
        let known = |minute| calendar.bucket(UvLevel::Minute, timestamp(minute)).is_ok();
        assert!(known(FIRST_MINUTE) && !known(FIRST_MINUTE - 1));
        assert!(known(END_MINUTE - 1) && !known(END_MINUTE));
        assert_eq!(END_MINUTE - FIRST_MINUTE, i64::from(WindowLength::MOST));
    }
}
