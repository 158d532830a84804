//! The times of JSON logs.
//!
//! # Representation
//!
//! ```text
//! 2015-05-17T10:05:03.123456789+02:00    RFC 3339: T, t or a space between, any or no fraction, Z, z or an offset
//! 17/May/2015:10:05:03 +0200             Common Log Format
//! 1431849903.123    "1431849903.123"     seconds since 1970, in UTC
//! 1431849903123                          milliseconds, and so on: see [`Stamp::from_integer`]
//! ```

use jiff::Timestamp;
use jiff::tz::Offset;

use super::stamp::{STAMP_LEN, Stamp, StampError, two_digits};

/// The first number that is not seconds but milliseconds: as seconds it would be in the year 5138, as milliseconds it
/// is in 1973.
const MILLISECONDS: u64 = 100_000_000_000;

/// Nanoseconds per second.
const NANOSECONDS: u64 = 1_000_000_000;

impl Stamp {
    /// Parses the time of a JSON log that is a string.
    ///
    /// # Errors
    ///
    /// [`StampError::Text`] for any other format, and for invalid dates and times.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Stamp, StampError};
    ///
    /// let stamp = Stamp::from_text("2016-02-29T23:05:03.25-07:30")?;
    /// assert_eq!(stamp, Stamp::parse(b"29/Feb/2016:23:05:03 -0730")?);
    /// assert_eq!(stamp, Stamp::from_text("29/Feb/2016:23:05:03 -0730")?);
    /// assert!(Stamp::from_text("2015-02-29T23:05:03Z").is_err());
    /// # Ok::<(), StampError>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Self, StampError> {
        let bytes = text.as_bytes();
        match bytes.get(2) {
            Some(b'/') if bytes.len() == STAMP_LEN => return Self::parse(bytes),
            _ => {}
        }
        if bytes.get(4) == Some(&b'-') && bytes.first().is_some_and(u8::is_ascii_digit) {
            return rfc3339(bytes);
        }
        // Other texts that `parse` accepts, such as inf and 1e9, are not seconds.
        if !bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-')) {
            return Err(StampError::Text);
        }
        match text.parse() {
            Ok(number) => Self::from_integer(number),
            Err(_) => Self::from_number(text.parse().map_err(|_| StampError::Text)?),
        }
    }

    /// Returns the time of a number of seconds since 1970. From 100,000,000,000 on it is taken as milliseconds, from a
    /// thousand times that on as microseconds, and from a thousand times that on as nanoseconds. The offset from UTC is
    /// 0.
    ///
    /// # Errors
    ///
    /// [`StampError::Number`] for times outside of the years 1 to 9999.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Stamp, StampError};
    ///
    /// let stamp = Stamp::parse(b"17/May/2015:10:05:03 +0000")?;
    /// for number in [1_431_857_103, 1_431_857_103_900, 1_431_857_103_900_000] {
    ///     assert_eq!(Stamp::from_integer(number)?, stamp);
    /// }
    /// # Ok::<(), StampError>(())
    /// ```
    pub fn from_integer(number: i64) -> Result<Self, StampError> {
        let mut of_second = 1;
        while of_second < NANOSECONDS && number.unsigned_abs() >= MILLISECONDS * of_second {
            of_second *= 1000;
        }
        of_seconds(number.div_euclid(of_second.cast_signed()))
    }

    /// As [`from_integer`](Self::from_integer), for a number with a fraction.
    ///
    /// # Errors
    ///
    /// As [`from_integer`](Self::from_integer).
    pub fn from_number(number: f64) -> Result<Self, StampError> {
        let mut of_second = 1.0;
        // Microseconds have more digits than an `f64` with a fraction holds.
        #[expect(clippy::cast_precision_loss, reason = "a power of ten with few digits")]
        if number.abs() >= MILLISECONDS as f64 {
            of_second = 1000.0;
        }
        let seconds = (number / of_second).floor();
        if seconds.is_nan() {
            return Err(StampError::Number);
        }
        // The conversion saturates for numbers that are out of range anyway.
        #[expect(clippy::cast_possible_truncation, reason = "an integer, or out of range")]
        of_seconds(seconds as i64)
    }
}

/// Returns the time of a number of seconds since 1970.
fn of_seconds(seconds: i64) -> Result<Stamp, StampError> {
    let time = Timestamp::from_second(seconds).map_err(|_| StampError::Number)?;
    let time = Offset::UTC.to_datetime(time);
    if time.year() < 1 {
        return Err(StampError::Number);
    }
    Ok(Stamp {
        year: time.year().unsigned_abs(),
        month: time.month().unsigned_abs(),
        day: time.day().unsigned_abs(),
        hour: time.hour().unsigned_abs(),
        minute: time.minute().unsigned_abs(),
        second: time.second().unsigned_abs(),
        offset: 0,
    })
}

fn rfc3339(text: &[u8]) -> Result<Stamp, StampError> {
    let (time, rest) = text.split_first_chunk::<19>().ok_or(StampError::Text)?;
    let marks = [time[4], time[7], time[13], time[16]];
    if marks != *b"--::" || !matches!(time[10], b'T' | b't' | b' ') {
        return Err(StampError::Text);
    }
    let pair = |at: usize| two_digits(time[at], time[at + 1]).ok_or(StampError::Text);
    let stamp = Stamp {
        year: u16::from(pair(0)?) * 100 + u16::from(pair(2)?),
        month: pair(5)?,
        day: pair(8)?,
        hour: pair(11)?,
        minute: pair(14)?,
        second: pair(17)?,
        offset: offset(fraction_end(rest)?)?,
    };
    if !(1..=12).contains(&stamp.month) {
        return Err(StampError::Month);
    }
    stamp.check()?;
    Ok(stamp)
}

/// Skips the fraction of a second, if there is one, and returns the rest.
fn fraction_end(text: &[u8]) -> Result<&[u8], StampError> {
    let [b'.' | b',', rest @ ..] = text else { return Ok(text) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { Err(StampError::Text) } else { Ok(&rest[digits..]) }
}

/// Parses the minutes east of UTC.
fn offset(text: &[u8]) -> Result<i16, StampError> {
    let (sign, digits) = match *text {
        [b'Z' | b'z'] => return Ok(0),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] | [sign @ (b'+' | b'-'), a, b, c, d] => {
            (sign, [(a, b), (c, d)])
        }
        _ => return Err(StampError::Text),
    };
    let [hours, minutes] = digits.map(|(tens, ones)| two_digits(tens, ones));
    let (hours, minutes) = (hours.ok_or(StampError::Text)?, minutes.ok_or(StampError::Text)?);
    if hours > 23 || minutes > 59 {
        return Err(StampError::Offset);
    }
    let east = i16::from(hours) * 60 + i16::from(minutes);
    Ok(if sign == b'+' { east } else { -east })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_time_is_the_same_time() {
        let want = Stamp::parse(b"17/May/2015:10:05:03 +0000").unwrap();
        for text in [
            "2015-05-17T10:05:03Z",
            "2015-05-17t10:05:03z",
            "2015-05-17 10:05:03+00:00",
            "2015-05-17T10:05:03.123456789Z",
            "2015-05-17T10:05:03,1-00:00",
            "2015-05-17T10:05:03+0000",
            "17/May/2015:10:05:03 +0000",
            "1431857103",
            "1431857103.999",
            "1431857103999",
            "1431857103999999",
            "1431857103999999999",
        ] {
            assert_eq!(Stamp::from_text(text), Ok(want), "{text}");
        }
        let east = Stamp::from_text("2015-05-17T10:05:03+05:30").unwrap();
        assert_eq!(east, Stamp::parse(b"17/May/2015:10:05:03 +0530").unwrap());
        let leap = Stamp::from_text("2016-12-31T23:59:60Z").unwrap();
        assert_eq!(leap.second, 60);
    }

    #[test]
    fn numbers_are_taken_down_to_their_second() {
        for (number, want) in [
            (0.0, "01/Jan/1970:00:00:00 +0000"),
            (-0.5, "31/Dec/1969:23:59:59 +0000"),
            (99_999_999_999.0, "16/Nov/5138:09:46:39 +0000"),
            (100_000_000_000.9, "03/Mar/1973:09:46:40 +0000"),
            (-62_135_596_800.0, "01/Jan/0001:00:00:00 +0000"),
        ] {
            let want = Stamp::parse(want.as_bytes()).unwrap();
            assert_eq!(Stamp::from_number(number), Ok(want), "{number}");
        }
        for number in [f64::NAN, f64::INFINITY, -62_135_596_801.0, 1e30, f64::MIN] {
            assert_eq!(Stamp::from_number(number), Err(StampError::Number), "{number}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_and_says_why() {
        for (text, want) in [
            ("", StampError::Text),
            ("now", StampError::Text),
            ("inf", StampError::Text),
            ("1e9", StampError::Text),
            ("2015-05-17", StampError::Text),
            ("2015-05-17T10:05:03", StampError::Text),
            ("2015-05-17T10:05:03.Z", StampError::Text),
            ("2015-05-17T10:05:03Zx", StampError::Text),
            ("2015-05-17T10:05:03+5:30", StampError::Text),
            ("2015-05-17x10:05:03Z", StampError::Text),
            ("2015-13-17T10:05:03Z", StampError::Month),
            ("2015-00-17T10:05:03Z", StampError::Month),
            ("2015-02-29T10:05:03Z", StampError::Day { day: 29, month: 2, year: 2015 }),
            ("2015-05-17T24:05:03Z", StampError::Hour(24)),
            ("2015-05-17T10:05:03+24:00", StampError::Offset),
            ("0000-05-17T10:05:03Z", StampError::Year),
            ("17/May/2015:10:05:03 0000", StampError::Text),
            ("17/Mai/2015:10:05:03 +0000", StampError::Month),
            ("2015-05-17T10:05:03\u{e9}", StampError::Text),
        ] {
            assert_eq!(Stamp::from_text(text), Err(want), "{text}");
        }
    }
}
