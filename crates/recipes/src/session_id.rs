//! Conversion of session ids to the numbers of visitors.

use std::fmt;

use store::{Error, Member};

use crate::errors::invalid;
use crate::visitor_id::{self, hashed_number};

/// How a session id is converted to the number of its visitor.
///
/// Two visitors with the same number are counted as one. Each variant gives the probability that this happens for at
/// least two of n visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SessionIds {
    /// Hashes any bytes: the first 60 bits of XXH3-128, as in [`VisitorId`](crate::VisitorId).
    ///
    /// At least two of n visitors share a number with the probability `p = 1 - e^(-n^2 / 2^61)`: 0.00004 % for a
    /// million, 0.4 % for a hundred million, 2.7 % for 250 million. The hash has no secret key: a client that chooses
    /// its ids can choose two that collide.
    #[default]
    Hashed,
    /// Takes the first 15 hexadecimal digits, 60 bits, as in Redis in Action, for random ids.
    ///
    /// A version-4 UUID fixes 4 of these bits, so 56 are random: `p = 1 - e^(-n^2 / 2^57)`, 0.0007 % for a million,
    /// 0.07 % for ten million, 7 % for a hundred million, and about a third for the book's 250 million a day. The first
    /// digits of a UUID of version 1, 6 or 7 are a timestamp, which ids that are created at the same time share, so
    /// such an id is refused.
    First15,
    /// Takes the first 16 hexadecimal digits, 64 bits, as a signed integer, as a footnote of the book suggests. Of a
    /// version-4 UUID 60 bits are random: `p = 1 - e^(-n^2 / 2^61)`, 2.7 % for 250 million. UUIDs of version 1, 6 and 7
    /// are refused.
    First16,
    /// Parses the id as a decimal integer of 64 bits. No two ids collide.
    Decimal,
}

impl SessionIds {
    /// Returns the number of bits of the numbers.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Hashed => visitor_id::BITS,
            Self::First15 => 60,
            Self::First16 | Self::Decimal => 64,
        }
    }

    /// Converts a session id to the visitor's number. Hyphens between hexadecimal digits are skipped, and an id with
    /// fewer digits is used as a whole.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument), except for [`Hashed`](Self::Hashed), if there
    /// is no digit, or another character among the digits needed; for hexadecimal digits also for a UUID of version 1,
    /// 6 or 7 in its usual form.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::SessionIds;
    ///
    /// let session = "0123abcd-4567-4eef-8001-000000000000";
    /// assert_eq!(SessionIds::First15.id(session)?, 0x0123_abcd_4567_4ee);
    /// assert_eq!(SessionIds::First16.id("ffffffff-ffff-4fff-8001-000000000000")?, -0xb001);
    /// assert!(SessionIds::First15.id("guest-1").is_err());
    /// assert!(SessionIds::First15.id("019a9c5e-7b3a-7cc1-8f00-000000000000").is_err());
    /// assert!(SessionIds::Hashed.id("guest-1").is_ok());
    /// assert_eq!(SessionIds::Decimal.id("17")?, 17);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn id(self, session: impl AsRef<[u8]>) -> Result<i64, Error> {
        let session = session.as_ref();
        match self {
            Self::Hashed => Ok(hashed_number(session)),
            Self::First15 => first_digits(session, 15),
            Self::First16 => first_digits(session, 16),
            Self::Decimal => Member::from(session).as_int().ok_or_else(|| not_decimal(session)),
        }
    }
}

/// Parses the first `wanted` digits, 15 or 16.
#[inline]
fn first_digits(session: &[u8], wanted: u32) -> Result<i64, Error> {
    if let Some(sixteen) = of_uuid(session) {
        // The thirteenth digit is the version, if the seventeenth has the variant of RFC 9562.
        let version = sixteen >> 12 & 0xf;
        if matches!(version, 1 | 6 | 7) && matches!(HEX[usize::from(session[19])], 8..=11) {
            return Err(of_time(session, version));
        }
        return Ok((sixteen >> (4 * (16 - wanted))).cast_signed());
    }
    let mut number: u64 = 0;
    let mut digits = 0;
    for &byte in session {
        if byte == b'-' {
            continue;
        }
        let value = HEX[usize::from(byte)];
        if value > 15 {
            return Err(not_hex(session));
        }
        number = number << 4 | u64::from(value);
        digits += 1;
        if digits == wanted {
            break;
        }
    }
    if digits == 0 {
        return Err(not_hex(session));
    }
    Ok(number.cast_signed())
}

/// Parses the first sixteen digits of a UUID in its usual form, without a branch per digit.
#[inline]
fn of_uuid(session: &[u8]) -> Option<u64> {
    let uuid: &[u8; 36] = session.try_into().ok()?;
    let mut number: u64 = 0;
    let mut faults = 0;
    for (at, &byte) in uuid[..18].iter().enumerate() {
        if at == 8 || at == 13 {
            faults |= byte ^ b'-';
        } else {
            let value = HEX[usize::from(byte)];
            // A character that is not a digit has a value with its high bits set.
            faults |= value & 0xf0;
            number = number << 4 | u64::from(value & 0x0f);
        }
    }
    (faults == 0).then_some(number)
}

/// The value of each hexadecimal digit, and 255 for every other byte.
static HEX: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value as usize];
        table[digit as usize] = value;
        table[digit.to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    table
};

/// Returns the beginning of a session id, for an error message.
fn shown(session: &[u8]) -> impl fmt::Display {
    session[..session.len().min(64)].escape_ascii()
}

#[cold]
fn not_hex(session: &[u8]) -> Error {
    let session = shown(session);
    invalid(format!("ERR session id '{session}' does not begin with hexadecimal digits"))
}

#[cold]
fn not_decimal(session: &[u8]) -> Error {
    invalid(format!("ERR session id '{}' is not an integer of 64 bits", shown(session)))
}

#[cold]
fn of_time(session: &[u8], version: u64) -> Error {
    let session = shown(session);
    invalid(format!(
        "ERR session id '{session}' is a version {version} UUID, whose first digits are a \
         timestamp that other ids share; hash it, with Visitors::new or SessionIds::Hashed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_an_id_that_is_not_a_uuid_are_read_from_the_highest() {
        for (session, first15, first16) in [
            ("7", 0x7, 0x7),
            ("10", 0x10, 0x10),
            ("-1-2--ab-", 0x12ab, 0x12ab),
            ("ABCdef", 0x00ab_cdef, 0x00ab_cdef),
            ("0123456789abcde", 0x0012_3456_789a_bcde, 0x0012_3456_789a_bcde),
            ("123456789abcdef0", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
            ("12-3456789ABCDEF05?", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
            // The length of a UUID, with the hyphens at other positions.
            ("1234567-89abc-def0-5555-555555555555", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
        ] {
            assert_eq!(SessionIds::First15.id(session).unwrap(), first15, "{session}");
            assert_eq!(SessionIds::First16.id(session).unwrap(), first16, "{session}");
        }
    }

    #[test]
    fn a_uuid_that_begins_with_a_time_is_refused() {
        for (uuid, refused) in [
            ("c232ab00-9414-11ec-b3c8-9f6bdeced846", true),
            ("1EC9414C-232A-6B00-B3C8-9F6BDECED846", true),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true),
            ("017f22e2-79b0-7cc3-88c4-dc0c0c07398f", true),
            ("017f22e2-79b0-4cc3-98c4-dc0c0c07398f", false),
            ("017f22e2-79b0-8cc3-98c4-dc0c0c07398f", false),
            // A variant other than that of RFC 9562, so these digits are not a version.
            ("017f22e2-79b0-7cc3-78c4-dc0c0c07398f", false),
            ("017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", false),
            // Not in the usual form of a UUID.
            ("017f22e279b07cc398c4dc0c0c07398f", false),
        ] {
            for ids in [SessionIds::First15, SessionIds::First16] {
                let id = ids.id(uuid);
                assert_eq!(id.is_err(), refused, "{uuid}");
                assert!(id.err().is_none_or(|error| error.to_string().contains("Visitors::new")));
            }
            assert!(SessionIds::Hashed.id(uuid).is_ok());
        }
    }

    #[test]
    fn a_number_in_decimal_is_itself() {
        for (session, id) in [("0", 0), ("-7", -7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(SessionIds::Decimal.id(session).unwrap(), id);
        }
        for session in ["", "+1", "01", "1.0", "9223372036854775808"] {
            assert!(SessionIds::Decimal.id(session).is_err(), "{session}");
        }
    }

    #[test]
    fn other_characters_are_refused_where_digits_are_needed() {
        for session in ["", "-", "g", "12x", "x12", "12345678-9abc-def\u{e9}-5555-555555555555"] {
            assert!(SessionIds::First16.id(session).is_err(), "{session}");
        }
        // Characters after the last digit needed are ignored.
        assert_eq!(SessionIds::First15.id("123456789abcdefx").unwrap(), 0x0123_4567_89ab_cdef);
        assert!(SessionIds::First16.id("123456789abcdefx").is_err());
    }
}
