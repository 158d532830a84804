//! Integers in commands, and their errors.

use std::ops::RangeInclusive;

use crate::error::{Error, ErrorKind, Result};
use crate::value::parse_int;

/// The error of scans for a cursor that is not valid.
pub(crate) const INVALID_CURSOR: &str = "ERR invalid cursor";

/// Parses an integer in canonical decimal form, as most commands require.
pub(crate) fn integer(text: &[u8]) -> Result<i64> {
    parse_int(text).ok_or_else(Error::not_integer)
}

/// Parses an integer of at least 0, such as the count of SPOP. Other texts get the same error as a negative integer.
pub(crate) fn positive(text: &[u8]) -> Result<u64> {
    parse_int(text).and_then(|number| u64::try_from(number).ok()).ok_or_else(|| {
        Error::new(ErrorKind::NotInteger, "ERR value is out of range, must be positive")
    })
}

/// Parses an integer in `range`: the count of SRANDMEMBER is in `-i64::MAX..=i64::MAX`.
pub(crate) fn within(text: &[u8], range: RangeInclusive<i64>) -> Result<i64> {
    let number = integer(text)?;
    if range.contains(&number) {
        return Ok(number);
    }
    let (first, last) = range.into_inner();
    Err(Error::new(
        ErrorKind::NotInteger,
        format!("ERR value is out of range, value must between {first} and {last}"),
    ))
}

/// Parses the cursor of SCAN and similar commands by newer rules: those of `strtoull`, without an empty text, and
/// without a number that is negative in its canonical form.
pub(crate) fn unsigned_cursor(text: &[u8]) -> Option<u64> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() || parse_int(text).is_some_and(|number| number < 0) {
        return None;
    }
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    cursor(&text[spaces..]).filter(|_| spaces < text.len())
}

/// Parses the cursor of SCAN and similar commands: an unsigned 64-bit number, by the rules of C's `strtoul`.
///
/// So it may have a sign (`-1` is the last cursor) and leading zeros, the empty text is 0, and bytes after a NUL are
/// ignored.
pub(crate) fn cursor(text: &[u8]) -> Option<u64> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let (negative, digits) = match text {
        [] => return Some(0),
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })?;
    Some(if negative { number.wrapping_neg() } else { number })
}

#[cfg(test)]
mod tests {
    use redis::{ConnectionLike, Value};
    use testkit::live::{command, error_text, server};
    use testkit::rng::Rng;

    use super::{INVALID_CURSOR, cursor, integer, positive, unsigned_cursor, within};

    #[test]
    fn a_cursor_of_newer_servers_is_neither_empty_nor_negative() {
        for (text, number) in [
            (&b""[..], None),
            (b"-1", None),
            (b" 0", Some(0)),
            (b"+7", Some(7)),
            (b"-0", Some(0)),
            (b" -1", Some(u64::MAX)),
            (b"18446744073709551615", Some(u64::MAX)),
            (b"18446744073709551616", None),
            (b"0 ", None),
            (b"\0", None),
            (b"5\0x", Some(5)),
            (b" ", None),
        ] {
            assert_eq!(unsigned_cursor(text), number, "{text:?}");
        }
    }

    /// Texts that some parsers accept as numbers and others do not.
    const ODD: [&[u8]; 40] = [
        b"",
        b"0",
        b"00",
        b"-0",
        b"+0",
        b"-",
        b"+",
        b"--1",
        b"+-1",
        b"-1",
        b"+5",
        b"007",
        b" 1",
        b"1 ",
        b"\t1",
        b"1\n",
        b"\x0b1",
        b"1\0",
        b"1\0x",
        b"\0",
        b"\x001",
        b"-\0",
        b"0x10",
        b"1e3",
        b"1.0",
        b"abc",
        b"1a",
        b"\xb2",
        b"9223372036854775807",
        b"9223372036854775808",
        b"-9223372036854775807",
        b"-9223372036854775808",
        b"-9223372036854775809",
        b"18446744073709551615",
        b"18446744073709551616",
        b"-18446744073709551615",
        b"-18446744073709551616",
        b"00000000000000000000000000000000000000000007",
        b"-00000000000000000000000000000000000000000007",
        b"99999999999999999999999999999999999999999999",
    ];

    #[test]
    fn cursors_are_parsed_like_by_strtoul() {
        for (text, number) in [
            (&b""[..], Some(0)),
            (b"-0", Some(0)),
            (b"+5", Some(5)),
            (b"007", Some(7)),
            (b"-1", Some(u64::MAX)),
            (b"-18446744073709551615", Some(1)),
            (b"18446744073709551615", Some(u64::MAX)),
            (b"1\0x", Some(1)),
            (b"-", None),
            (b" 1", None),
            (b"18446744073709551616", None),
            (b"-18446744073709551616", None),
            (b"0x10", None),
        ] {
            assert_eq!(cursor(text), number, "{text:?}");
        }
    }

    #[test]
    fn a_live_server_replies_the_same_to_unusual_texts() {
        let Some(server) = server() else { return };
        let mut connection = server.connect();
        for text in ODD {
            let args = |name: &'static str| [name.as_bytes(), b"none", text];
            let scan = command(&mut connection, &[&b"SCAN"[..], text]);
            match cursor(text) {
                Some(_) => assert!(scan.is_ok(), "{text:?}: {scan:?}"),
                None => assert_eq!(scan, Err(INVALID_CURSOR.to_owned()), "{text:?}"),
            }
            let theirs = command(&mut connection, &[&b"GETRANGE"[..], b"none", text, b"0"]).err();
            assert_eq!(integer(text).err().map(|error| error.to_string()), theirs, "{text:?}");
            let theirs = command(&mut connection, &args("SPOP")).err();
            assert_eq!(positive(text).err().map(|error| error.to_string()), theirs, "{text:?}");
            let theirs = command(&mut connection, &args("SRANDMEMBER")).err();
            let ours = within(text, -i64::MAX..=i64::MAX);
            assert_eq!(ours.err().map(|error| error.to_string()), theirs, "{text:?}");
        }
    }

    #[test]
    fn a_live_server_takes_the_same_random_texts() {
        let Some(server) = server() else { return };
        let mut connection = server.connect();
        let mut rng = Rng::new(12);
        let alphabet = b"0011889+-. \0\txe";
        let texts: Vec<Vec<u8>> = (0..4000)
            .map(|_| {
                let mut text: Vec<u8> =
                    (0..rng.below(4)).map(|_| alphabet[rng.index(15)]).collect();
                if rng.chance(1, 3) {
                    text.extend_from_slice(rng.u64().to_string().as_bytes());
                }
                if rng.chance(1, 6) {
                    text.push(alphabet[rng.index(15)]);
                }
                text
            })
            .collect();
        let mut pipe = redis::pipe();
        for text in &texts {
            pipe.cmd("SCAN").arg(text).cmd("GETRANGE").arg("none").arg(text).arg(0);
        }
        let replies = connection
            .req_packed_commands(&pipe.get_packed_pipeline(), 0, 2 * texts.len())
            .unwrap();
        for (text, replies) in texts.iter().zip(replies.chunks(2)) {
            let refused = |reply: &Value| {
                if let Value::ServerError(error) = reply { Some(error_text(error)) } else { None }
            };
            let ours = cursor(text).is_none().then(|| INVALID_CURSOR.to_owned());
            assert_eq!(ours, refused(&replies[0]), "{text:?}");
            let ours = integer(text).err().map(|error| error.to_string());
            assert_eq!(ours, refused(&replies[1]), "{text:?}");
        }
    }
}
