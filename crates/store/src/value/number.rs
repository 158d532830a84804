//! Strings that are whole numbers.

/// The number of which `bytes` is the canonical decimal form: what Redis keeps as an integer.
///
/// `007`, `-0`, `+1` and anything beyond 64 bits are text.
pub(crate) fn parse_int(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut number: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // Nineteen digits stay below 10^19, which fits.
        number = number * 10 + u64::from(digit);
    }
    if negative { 0i64.checked_sub_unsigned(number) } else { i64::try_from(number).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_decimals_are_integers() {
        for number in [0, 1, -1, 9, 10, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1] {
            assert_eq!(parse_int(number.to_string().as_bytes()), Some(number));
        }
        for text in [
            "",
            "-",
            "-0",
            "+1",
            "00",
            "007",
            "1 ",
            " 1",
            "1a",
            "1.0",
            "0x1",
            "9223372036854775808",
            "-9223372036854775809",
            "10000000000000000000",
            "99999999999999999999",
            "-01",
        ] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
    }
}
