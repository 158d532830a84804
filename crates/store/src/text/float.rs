//! The common parts of parsing floating point numbers of any width: the grammar, and the rounding.
//!
//! # The grammar
//!
//! That of C's `strtod`, of which Redis accepts what uses the whole text and has no leading white space:
//!
//! ```text
//! [+-] digits [. digits] [e [+-] digits]             one digit at least beside the point
//! [+-] 0x hexdigits [. hexdigits] [p [+-] digits]    likewise; the exponent is one of 2
//! [+-] inf | infinity                                in any case
//! ```
//!
//! `nan` is in the grammar too, but no command accepts it.

/// A parsed text, before rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scanned<'t> {
    pub(super) negative: bool,
    pub(super) magnitude: Magnitude<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magnitude<'t> {
    Infinite,
    Decimal(Digits<'t>),
    Hexadecimal(Digits<'t>),
}

/// The digits before and after the decimal point, and the exponent as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits<'t> {
    pub(super) whole: &'t [u8],
    pub(super) fraction: &'t [u8],
    pub(super) exponent: i64,
}

/// Exponents are limited to this. No digits that fit in memory compensate for it.
const EXPONENT_MAX: i64 = 1 << 60;

/// Parses the whole of `text`.
pub(super) fn scan(text: &[u8]) -> Option<Scanned<'_>> {
    let (negative, text) = match text {
        [b'-', text @ ..] => (true, text),
        [b'+', text @ ..] | text => (false, text),
    };
    let magnitude = match text {
        [b'0', b'x' | b'X', text @ ..] => {
            Magnitude::Hexadecimal(digits(text, u8::is_ascii_hexdigit, b'p')?)
        }
        [b'0'..=b'9' | b'.', ..] => Magnitude::Decimal(digits(text, u8::is_ascii_digit, b'e')?),
        _ if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") => {
            Magnitude::Infinite
        }
        _ => return None,
    };
    Some(Scanned { negative, magnitude })
}

fn digits(text: &[u8], is_digit: fn(&u8) -> bool, mark: u8) -> Option<Digits<'_>> {
    let end = |text: &[u8]| text.iter().position(|byte| !is_digit(byte)).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end(text));
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at(end(rest)),
        rest => (&[][..], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match rest {
        [] => 0,
        [letter, rest @ ..] if letter.eq_ignore_ascii_case(&mark) => exponent(rest)?,
        _ => return None,
    };
    Some(Digits { whole, fraction, exponent })
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number: i64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.saturating_mul(10).saturating_add(i64::from(digit)).min(EXPONENT_MAX);
    }
    Some(if negative { -number } else { number })
}

impl<'t> Digits<'t> {
    /// Returns whether all digits are zeros.
    pub(super) fn is_zero(&self) -> bool {
        self.whole.iter().chain(self.fraction).all(|&digit| digit == b'0')
    }

    /// All digits from the first one that is not zero, as one integer, with the exponent of the last one.
    pub(super) fn significant(&self) -> (impl Iterator<Item = u8> + Clone + use<'t>, usize, i64) {
        let strip = |digits: &'t [u8]| {
            let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
            &digits[zeros..]
        };
        let whole = strip(self.whole);
        let fraction = if whole.is_empty() { strip(self.fraction) } else { self.fraction };
        // A slice is shorter than 2^63.
        let exponent = self.exponent - self.fraction.len().cast_signed() as i64;
        (whole.iter().chain(fraction).copied(), whole.len() + fraction.len(), exponent)
    }
}

/// A binary format, whose numbers are `significand * 2^exponent`, with a significand of up to `precision` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) precision: u32,
    /// The exponent of subnormal numbers, and of the smallest normal ones.
    pub(super) min_exponent: i32,
    pub(super) max_exponent: i32,
}

/// A number rounded to a [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounded {
    Zero,
    Finite { significand: u64, exponent: i32 },
    Infinite,
}

impl Format {
    /// Rounds `significand * 2^exponent`, plus less than one unit in the last place if `rest`, to the nearest number of
    /// the format, ties to even.
    ///
    /// With a `rest`, the significand must have bits beyond the precision. The result has its first bit set if the
    /// exponent allows it.
    pub(super) fn round(self, significand: u128, exponent: i64, rest: bool) -> Rounded {
        if significand == 0 {
            return Rounded::Zero;
        }
        let precision = i64::from(self.precision);
        let bits = i64::from(u128::BITS - significand.leading_zeros());
        let drop = (bits - precision).max(i64::from(self.min_exponent).saturating_sub(exponent));
        let (kept, exponent) = match u32::try_from(drop) {
            Ok(0) => (significand, exponent),
            // The rest is below half of the last place.
            Ok(129..) => return Rounded::Zero,
            Ok(drop) => {
                let kept = significand.checked_shr(drop).unwrap_or(0);
                let half = 1 << (drop - 1);
                let dropped = significand & ((half - 1) | half);
                let up = dropped > half || dropped == half && (rest || kept & 1 == 1);
                let kept = kept + u128::from(up);
                let carried = kept >> self.precision;
                (kept >> carried, exponent + i64::from(drop) + i64::from(carried != 0))
            }
            Err(_) if drop > 0 => return Rounded::Zero,
            Err(_) => (significand << drop.unsigned_abs(), exponent + drop),
        };
        debug_assert!(!rest || drop > 0, "the bits for rounding are missing");
        match (u64::try_from(kept), i32::try_from(exponent)) {
            (Ok(0), _) => Rounded::Zero,
            (Ok(significand), Ok(exponent)) if exponent <= self.max_exponent => {
                Rounded::Finite { significand, exponent }
            }
            _ => Rounded::Infinite,
        }
    }

    /// Rounds hexadecimal digits.
    pub(super) fn round_hexadecimal(self, digits: &Digits<'_>) -> Rounded {
        let (all, count, _) = digits.significant();
        let fraction = digits.fraction.len().cast_signed() as i64;
        let mut significand: u128 = 0;
        // Thirty-two digits fill the number; of the others it only matters whether one is not zero.
        let kept = count.min(32);
        for digit in all.clone().take(kept) {
            let value = (digit | 0x20).wrapping_sub(b'0');
            significand = significand << 4 | u128::from(if value > 9 { value - 39 } else { value });
        }
        let rest = all.skip(kept).any(|digit| digit != b'0');
        let dropped = (count - kept).cast_signed() as i64;
        let exponent = digits.exponent.saturating_add(4 * (dropped - fraction));
        self.round(significand, exponent, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::{Digits, Format, Magnitude, Rounded, scan};

    #[test]
    fn the_grammar_takes_whole_texts_only() {
        for text in [
            "",
            " 1",
            "1 ",
            "+",
            "-",
            ".",
            "e5",
            "1e",
            "1e+",
            "1e-",
            "1e5.",
            "1.2.3",
            "0x",
            "0x.",
            "0xp1",
            "0x1p",
            "0x1p+",
            "0x1e+1",
            "1p3",
            "--1",
            "+-1",
            "nan",
            "NaN(1)",
            "infinit",
            "infinityx",
            "in",
            "1\0",
            "\x001",
            "1_000",
            "1,5",
            "x1",
            "1e1e1",
            "\t1",
        ] {
            assert_eq!(scan(text.as_bytes()), None, "{text:?}");
        }
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5e-3",
            "1E5",
            "0x1",
            "0X.8",
            "0x1.P-3",
            "0xabcDEF",
            "iNf",
            "-INFINITY",
            "1e99999999999999999999999999",
            "0x1p-99999999999999999999",
            "00000.0",
        ] {
            assert!(scan(text.as_bytes()).is_some(), "{text:?}");
        }
        let digits = Digits { whole: b"12", fraction: b"30", exponent: -4 };
        let scanned = scan(b"-12.30e-4").unwrap();
        assert_eq!((scanned.negative, scanned.magnitude), (true, Magnitude::Decimal(digits)));
        let (all, count, exponent) = digits.significant();
        assert_eq!((all.collect::<Vec<_>>(), count, exponent), (b"1230".to_vec(), 4, -6));
    }

    #[test]
    fn rounding_is_to_the_nearest_and_then_to_the_even() {
        let format = Format { precision: 3, min_exponent: -4, max_exponent: 2 };
        let finite = |significand, exponent| Rounded::Finite { significand, exponent };
        for (significand, exponent, rest, rounded) in [
            (0, 0, false, Rounded::Zero),
            (1, 0, false, finite(4, -2)),
            (7, 0, false, finite(7, 0)),
            (0b1001, 0, false, finite(0b100, 1)),
            (0b1001, 0, true, finite(0b101, 1)),
            (0b1011, 0, false, finite(0b110, 1)),
            (0b1111, 0, false, finite(0b100, 2)),
            (0b11101, 0, false, finite(0b111, 2)),
            (0b11110, 0, false, Rounded::Infinite),
            (0b111, 3, false, Rounded::Infinite),
            // Below the minimum exponent: not all bits fit.
            (1, -4, false, finite(1, -4)),
            (1, -5, false, Rounded::Zero),
            (1, -5, true, finite(1, -4)),
            (3, -5, false, finite(2, -4)),
            (0b1111, -5, false, finite(0b100, -3)),
            (1, -200, false, Rounded::Zero),
            (u128::MAX, -132, false, finite(1, -4)),
            (1 << 127, -132, false, Rounded::Zero),
            (u128::MAX, -133, false, Rounded::Zero),
            (u128::MAX, i64::MIN / 2, false, Rounded::Zero),
            (1, i64::MAX / 2, false, Rounded::Infinite),
        ] {
            assert_eq!(
                format.round(significand, exponent, rest),
                rounded,
                "{significand} {exponent}"
            );
        }
    }
}
