//! Sizes in bytes, as in settings.

/// Parses a number of bytes with or without a unit: `3000`, `3k` (3000), `3kb` (3072), up to `gb`. Without digits it is
/// 0.
pub(crate) fn parse(text: &[u8]) -> Option<u64> {
    // The size of the buffer to which Redis copies the digits.
    const DIGITS_MAX: usize = 127;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, unit) = text.split_at(digits);
    let factor = match &unit.to_ascii_lowercase()[..] {
        b"" | b"b" => 1,
        b"k" => 1000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    if digits.len() > DIGITS_MAX {
        return None;
    }
    let number = digits.iter().fold(0_u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    // As in C: the digits saturate, the product wraps around.
    Some(number.wrapping_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_values_have_units() {
        let cases: &[(&str, Option<u64>)] = &[
            ("", Some(0)),
            ("kb", Some(0)),
            ("0", Some(0)),
            ("007", Some(7)),
            ("12B", Some(12)),
            ("3k", Some(3000)),
            ("3Kb", Some(3072)),
            ("2m", Some(2_000_000)),
            ("2mb", Some(2 << 20)),
            ("1g", Some(1_000_000_000)),
            ("1GB", Some(1 << 30)),
            ("18446744073709551616", Some(u64::MAX)),
            ("-1", None),
            ("+1", None),
            (" 1", None),
            ("1.5k", None),
            ("1kib", None),
            ("1t", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse(text.as_bytes()), *bytes, "{text}");
        }
        assert_eq!(parse(&[b'0'; 127]), Some(0));
        assert_eq!(parse(&[b'0'; 128]), None);
    }
}
