//! The time of a log line: `17/May/2015:10:05:03 +0000`.

use std::fmt;

use jiff::civil::Date;

/// The length of the time between its brackets, in bytes.
pub const STAMP_LEN: usize = "17/May/2015:10:05:03 +0000".len();

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The day from which days are counted.
const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// A time as in a log: a local time and its offset from UTC.
///
/// The fields are those of the text, and are not converted to another time zone, so the day of a stamp is the log's
/// day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to the length of the month.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59, or 60 in a leap second: the last minute of a day in UTC.
    pub second: u8,
    /// Minutes east of UTC, -1439 to 1439.
    pub offset: i16,
}

/// Why a text is not a valid time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StampError {
    /// The text does not have the format `dd/Mon/yyyy:HH:MM:SS +hhmm`.
    Shape,
    /// The month is none of `Jan` to `Dec`.
    Month,
    /// The year is 0000.
    Year,
    /// The month does not have this day.
    Day {
        /// The day as written.
        day: u8,
        /// The month, 1 to 12.
        month: u8,
        /// The year.
        year: u16,
    },
    /// The hour is above 23.
    Hour(u8),
    /// The minute is above 59.
    Minute(u8),
    /// The second is above 59, and is not a leap second.
    Second(u8),
    /// The text has none of the formats of times in JSON logs.
    Text,
    /// The time is outside of the years 1 to 9999.
    Number,
    /// The offset from UTC is above 23 hours and 59 minutes, or has more than 59 minutes.
    Offset,
}

impl Stamp {
    /// Parses the text between the brackets.
    ///
    /// # Errors
    ///
    /// A [`StampError`] for any other format, and for invalid dates and times (31 February, 24 o'clock).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Stamp, StampError};
    ///
    /// let stamp = Stamp::parse(b"29/Feb/2016:23:05:03 -0730")?;
    /// assert_eq!((stamp.year, stamp.month, stamp.day, stamp.offset), (2016, 2, 29, -450));
    /// assert!(Stamp::parse(b"29/Feb/2015:23:05:03 -0730").is_err());
    /// # Ok::<(), StampError>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Self, StampError> {
        let text: &[u8; STAMP_LEN] = text.try_into().map_err(|_| StampError::Shape)?;
        let marks = [text[2], text[6], text[11], text[14], text[17], text[20]];
        if marks != *b"//::: " {
            return Err(StampError::Shape);
        }
        let east = match text[21] {
            b'+' => true,
            b'-' => false,
            _ => return Err(StampError::Shape),
        };
        let pair = |at: usize| two_digits(text[at], text[at + 1]).ok_or(StampError::Shape);
        let stamp = Self {
            year: u16::from(pair(7)?) * 100 + u16::from(pair(9)?),
            month: month([text[3], text[4], text[5]]).ok_or(StampError::Month)?,
            day: pair(0)?,
            hour: pair(12)?,
            minute: pair(15)?,
            second: pair(18)?,
            offset: {
                let (hours, minutes) = (pair(22)?, pair(24)?);
                if hours > 23 || minutes > 59 {
                    return Err(StampError::Offset);
                }
                let minutes = i16::from(hours) * 60 + i16::from(minutes);
                if east { minutes } else { -minutes }
            },
        };
        stamp.check()?;
        Ok(stamp)
    }

    /// Returns the date.
    #[must_use]
    pub fn date(&self) -> Date {
        // A valid date of the years 1 to 9999, which `Date` can hold.
        Date::new(self.year.cast_signed(), self.month.cast_signed(), self.day.cast_signed())
            .unwrap_or_default()
    }

    /// Returns the minute of UTC, counted from the beginning of 1970. A leap second is in the last minute of its day.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Stamp, StampError};
    ///
    /// let stamp = Stamp::parse(b"01/Jan/1970:02:05:03 +0130")?;
    /// assert_eq!(stamp.minute_of_utc(), 35);
    /// # Ok::<(), StampError>(())
    /// ```
    #[must_use]
    pub fn minute_of_utc(&self) -> i64 {
        let days = self.date().duration_since(EPOCH).as_hours() / 24;
        (days * 24 + i64::from(self.hour)) * 60 + i64::from(self.minute) - i64::from(self.offset)
    }

    pub(super) fn check(&self) -> Result<(), StampError> {
        let Self { year, month, day, hour, minute, second, .. } = *self;
        if year == 0 {
            return Err(StampError::Year);
        }
        if day == 0 || day > days_in(year, month) {
            return Err(StampError::Day { day, month, year });
        }
        if hour > 23 {
            return Err(StampError::Hour(hour));
        }
        if minute > 59 {
            return Err(StampError::Minute(minute));
        }
        if second > 59 && !(second == 60 && self.minute_of_utc_day() == 24 * 60 - 1) {
            return Err(StampError::Second(second));
        }
        Ok(())
    }

    fn minute_of_utc_day(&self) -> i16 {
        (i16::from(self.hour) * 60 + i16::from(self.minute) - self.offset).rem_euclid(24 * 60)
    }
}

pub(super) fn two_digits(tens: u8, ones: u8) -> Option<u8> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| tens * 10 + ones)
}

fn month(name: [u8; 3]) -> Option<u8> {
    Some(match &name {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// Returns the number of days of a month in the Gregorian calendar.
fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for StampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shape => f.write_str("not dd/Mon/yyyy:HH:MM:SS +hhmm"),
            Self::Text => f.write_str(
                "not yyyy-mm-ddTHH:MM:SS with Z or +hh:mm, dd/Mon/yyyy:HH:MM:SS +hhmm, or a number",
            ),
            Self::Number => f.write_str("the number is not a time in the years 1 to 9999"),
            Self::Month => f.write_str("the month is not one of Jan to Dec"),
            Self::Year => f.write_str("year 0000"),
            Self::Day { day, month, year } => {
                let name = MONTHS.get(usize::from(month).wrapping_sub(1)).unwrap_or(&"the month");
                write!(f, "day {day:02} in {name} {year:04}")
            }
            Self::Hour(hour) => write!(f, "hour {hour:02}"),
            Self::Minute(minute) => write!(f, "minute {minute:02}"),
            Self::Second(second) => write!(f, "second {second:02}"),
            Self::Offset => f.write_str("the offset from UTC is out of range"),
        }
    }
}

impl std::error::Error for StampError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Stamp, StampError> {
        Stamp::parse(text.as_bytes())
    }

    #[test]
    fn reads_every_field() {
        let stamp = parse("17/May/2015:10:05:03 +0130").unwrap();
        let Stamp { year, month, day, hour, minute, second, offset } = stamp;
        assert_eq!((year, month, day, hour, minute, second, offset), (2015, 5, 17, 10, 5, 3, 90));
    }

    #[test]
    fn every_month_has_its_days_and_no_more() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (index, (name, length)) in MONTHS.iter().zip(lengths).enumerate() {
            for day in 0..=99_u8 {
                let stamp = parse(&format!("{day:02}/{}/2015:00:00:00 +0000", &name[..3]));
                if (1..=length).contains(&day) {
                    assert_eq!(usize::from(stamp.unwrap().month), index + 1);
                } else {
                    let error = stamp.unwrap_err();
                    assert!(matches!(error, StampError::Day { .. }), "{error}");
                }
            }
        }
    }

    #[test]
    fn leap_years_follow_the_gregorian_rule() {
        for (year, leap) in
            [(1900, false), (2000, true), (2015, false), (2016, true), (2100, false)]
        {
            assert_eq!(parse(&format!("29/Feb/{year}:00:00:00 +0000")).is_ok(), leap, "{year}");
        }
    }

    #[test]
    fn limits_of_the_clock() {
        let cases = [
            ("01/Jan/2015:23:59:59 +0000", Ok(())),
            ("01/Jan/2015:24:00:00 +0000", Err(StampError::Hour(24))),
            ("01/Jan/2015:00:60:00 +0000", Err(StampError::Minute(60))),
            ("01/Jan/2015:00:00:60 +0000", Err(StampError::Second(60))),
            ("01/Jan/2015:23:59:61 +0000", Err(StampError::Second(61))),
            ("01/Jan/2015:00:00:00 +2359", Ok(())),
            ("01/Jan/2015:00:00:00 -2359", Ok(())),
            ("01/Jan/2015:00:00:00 +2400", Err(StampError::Offset)),
            ("01/Jan/2015:00:00:00 +0060", Err(StampError::Offset)),
            ("01/Jan/0000:00:00:00 +0000", Err(StampError::Year)),
            ("01/Jan/9999:00:00:00 +0000", Ok(())),
        ];
        for (text, want) in cases {
            assert_eq!(parse(text).map(drop), want, "{text}");
        }
    }

    #[test]
    fn a_leap_second_ends_a_day_of_utc() {
        for text in [
            "31/Dec/2016:23:59:60 +0000",
            "01/Jan/2017:00:59:60 +0100",
            "31/Dec/2016:18:59:60 -0500",
            "01/Jan/2017:05:29:60 +0530",
        ] {
            assert_eq!(parse(text).unwrap().second, 60, "{text}");
        }
        assert_eq!(parse("31/Dec/2016:23:59:60 +0100"), Err(StampError::Second(60)));
    }

    #[test]
    fn minutes_of_utc_are_those_of_the_calendar() {
        for text in [
            "17/May/2015:10:05:03 +0000",
            "17/May/2015:23:59:59 -0730",
            "01/Jan/2016:00:29:00 +0530",
            "29/Feb/2000:12:00:00 +2359",
            "31/Dec/1969:23:59:59 +0000",
            "31/Dec/1969:23:59:59 -0001",
            "01/Mar/1900:00:00:00 +0000",
            "31/Dec/9998:23:59:59 -2359",
        ] {
            let timestamp = jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).unwrap();
            let minute = timestamp.to_timestamp().unwrap().as_second().div_euclid(60);
            assert_eq!(parse(text).unwrap().minute_of_utc(), minute, "{text}");
        }
        // At the limits of jiff's timestamps.
        let first = parse("01/Jan/0001:00:00:00 +0000").unwrap().minute_of_utc();
        let last = parse("31/Dec/9999:23:59:00 +0000").unwrap().minute_of_utc();
        assert_eq!(last - first, 3_652_059 * 24 * 60 - 1);
        let leap = parse("31/Dec/2016:18:59:60 -0500").unwrap().minute_of_utc();
        assert_eq!(leap + 1, parse("01/Jan/2017:00:00:00 +0000").unwrap().minute_of_utc());
    }

    #[test]
    fn any_other_byte_in_a_mark_or_a_digit_is_refused() {
        let good = b"17/May/2015:10:05:03 +0000";
        for at in 0..good.len() {
            let mut bad = *good;
            bad[at] = b'x';
            let error = Stamp::parse(&bad).unwrap_err();
            assert!(matches!(error, StampError::Shape | StampError::Month), "{at}: {error}");
            assert_eq!(Stamp::parse(&good[..at]), Err(StampError::Shape));
        }
        assert_eq!(parse("17/may/2015:10:05:03 +0000"), Err(StampError::Month));
    }
}
