//! From a session id to the number that stands for the visitor.

use store::Error;

use crate::errors::invalid;

/// How many hexadecimal digits of a session id make the visitor's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionIds {
    /// The first 15 digits, 60 bits: the form of Redis in Action.
    ///
    /// A version-4 UUID fixes 4 of these bits, so 56 are random, and among n visitors some two share a number with
    /// the probability `p = 1 - e^(-n^2 / 2^57)`: 0.0007 % for a million, 0.07 % for ten million, 7 % for a
    /// hundred million, and about a third for the book's 250 million a day.
    #[default]
    First15,
    /// The first 16 digits, 64 bits, kept as a signed number as the book's footnote suggests. Of a version-4 UUID 60
    /// bits are random: `p = 1 - e^(-n^2 / 2^61)`, 2.7 % for 250 million.
    First16,
}

impl SessionIds {
    const fn digits(self) -> u32 {
        match self {
            Self::First15 => 15,
            Self::First16 => 16,
        }
    }

    /// How many bits the numbers have.
    pub(crate) const fn bits(self) -> u32 {
        4 * self.digits()
    }

    /// The visitor's number: the first digits of the session id without its dashes. An id of fewer digits is used
    /// whole.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) if there is no digit, or something else among
    /// those needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::SessionIds;
    ///
    /// let session = "0123abcd-4567-4eef-8001-000000000000";
    /// assert_eq!(SessionIds::First15.id(session)?, 0x0123_abcd_4567_4ee);
    /// assert_eq!(SessionIds::First16.id("ffffffff-ffff-4fff-8001-000000000000")?, -0xb001);
    /// assert!(SessionIds::First15.id("guest-1").is_err());
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn id(self, session: impl AsRef<[u8]>) -> Result<i64, Error> {
        let session = session.as_ref();
        if let Some(number) = self.of_uuid(session) {
            return Ok(number.cast_signed());
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
            if digits == self.digits() {
                break;
            }
        }
        if digits == 0 {
            return Err(not_hex(session));
        }
        Ok(number.cast_signed())
    }

    /// The same for a UUID in its usual form, without a branch for each digit.
    #[inline]
    fn of_uuid(self, session: &[u8]) -> Option<u64> {
        let uuid: &[u8; 36] = session.try_into().ok()?;
        let mut number: u64 = 0;
        let mut faults = 0;
        for (at, &byte) in uuid[..18].iter().enumerate() {
            if at == 8 || at == 13 {
                faults |= byte ^ b'-';
            } else {
                let value = HEX[usize::from(byte)];
                // Anything but a digit has a value with its high bits set.
                faults |= value & 0xf0;
                number = number << 4 | u64::from(value & 0x0f);
            }
        }
        let first15 = self.digits() == 15;
        (faults == 0).then_some(if first15 { number >> 4 } else { number })
    }
}

/// The value of each hexadecimal digit, 255 for every other byte.
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

#[cold]
fn not_hex(session: &[u8]) -> Error {
    let shown = session[..session.len().min(64)].escape_ascii();
    invalid(format!("ERR session id '{shown}' does not begin with hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_an_id_that_is_no_uuid_are_read_from_the_highest() {
        for (session, first15, first16) in [
            ("7", 0x7, 0x7),
            ("10", 0x10, 0x10),
            ("-1-2--ab-", 0x12ab, 0x12ab),
            ("ABCdef", 0x00ab_cdef, 0x00ab_cdef),
            ("0123456789abcde", 0x0012_3456_789a_bcde, 0x0012_3456_789a_bcde),
            ("123456789abcdef0", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
            ("12-3456789ABCDEF05?", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
            // As long as a UUID, with the dashes elsewhere.
            ("1234567-89abc-def0-5555-555555555555", 0x0123_4567_89ab_cdef, 0x1234_5678_9abc_def0),
        ] {
            assert_eq!(SessionIds::First15.id(session).unwrap(), first15, "{session}");
            assert_eq!(SessionIds::First16.id(session).unwrap(), first16, "{session}");
        }
    }

    #[test]
    fn what_is_no_digit_is_refused_where_it_would_count() {
        for session in ["", "-", "g", "12x", "x12", "12345678-9abc-def\u{e9}-5555-555555555555"] {
            assert!(SessionIds::First16.id(session).is_err(), "{session}");
        }
        // Behind the last digit anything may come.
        assert_eq!(SessionIds::First15.id("123456789abcdefx").unwrap(), 0x0123_4567_89ab_cdef);
        assert!(SessionIds::First16.id("123456789abcdefx").is_err());
    }
}
