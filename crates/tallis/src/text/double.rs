//! 64-bit floating point numbers as texts: scores, and the doubles of RESP3.
//!
//! # The forms
//!
//! | function | who writes so | 0.1 | 3.0 | 1e17 | 1e21 | -0.0 |
//! |---|---|---|---|---|---|---|
//! | [`push_17`] | replies of 7.0 | `0.10000000000000001` | `3` | `1e+17` | `1e+21` | `-0` |
//! | [`push_stored_17`] | 7.0 inside a listpack | `0.10000000000000001` | `3` | `100000000000000000` | `1e+21` | `-0` |
//! | [`push_short`] | 7.2, everywhere | `0.1` | `3` | `100000000000000000` | `1e+21` | `-0` |
//!
//! Infinity is `inf`, and NaN `nan`, which no command lets into a value.

use std::io::Write;
use std::str;

use super::float::{Digits, Format, Magnitude, Rounded, scan};
use super::grisu;

const FORMAT: Format = Format { precision: 53, min_exponent: -1074, max_exponent: 971 };

/// A text longer than this is cut to the digits that decide before it is read.
const PLAIN_MAX: usize = 1000;

/// So many digits, and whether one that is not zero follows, decide every rounding to 64 bits.
const DECIDING: usize = 800;

/// Up to here either way, whole numbers are printed as integers: Redis halves the range of 64 bits to be on the safe
/// side.
const WHOLE_MAX: f64 = 4_611_686_018_427_387_904.0;

/// Reads a text as Redis does (ZADD, GEOADD); `None` is "ERR value is not a valid float" or what the command says instead.
///
/// Hexadecimal forms and `inf` are read. A text that rounds to zero or infinity without saying so is refused.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    let scanned = scan(text)?;
    let magnitude = match scanned.magnitude {
        Magnitude::Infinite => f64::INFINITY,
        Magnitude::Decimal(digits) => decimal(text, &digits)?,
        Magnitude::Hexadecimal(digits) => match FORMAT.round_hexadecimal(&digits) {
            Rounded::Zero if !digits.is_zero() => return None,
            Rounded::Zero => 0.0,
            Rounded::Infinite => return None,
            Rounded::Finite { significand, exponent } => assemble(significand, exponent),
        },
    };
    Some(if scanned.negative { -magnitude } else { magnitude })
}

/// The number that the decimal digits of `text` say, `None` if it is too large or too small.
fn decimal(text: &[u8], digits: &Digits<'_>) -> Option<f64> {
    let number = if text.len() <= PLAIN_MAX {
        str::from_utf8(text).ok()?.parse::<f64>().ok()?.abs()
    } else {
        let (all, count, exponent) = digits.significant();
        let kept = count.min(DECIDING);
        let mut short: Vec<u8> = all.clone().take(kept).collect();
        let rest = all.skip(kept).any(|digit| digit != b'0');
        short.push(if rest { b'1' } else { b'0' });
        let exponent = exponent + (count - kept).cast_signed() as i64 - 1;
        write!(short, "e{}", exponent.clamp(-9999, 9999)).ok()?;
        str::from_utf8(&short).ok()?.parse::<f64>().ok()?
    };
    (number.is_finite() && (number != 0.0 || digits.is_zero())).then_some(number)
}

fn assemble(significand: u64, exponent: i32) -> f64 {
    const HIDDEN: u64 = 1 << 52;
    if significand < HIDDEN {
        return f64::from_bits(significand);
    }
    let biased = u64::from((exponent + 1075).unsigned_abs());
    f64::from_bits(biased << 52 | (significand - HIDDEN))
}

/// Appends `%.17g`: 17 significant digits without zeros at the end, and an exponent below 10^-4 and from 10^17 on.
pub(crate) fn push_17(value: f64, text: &mut Vec<u8>) {
    if !value.is_finite() || value == 0.0 {
        push_special(value, text);
        return;
    }
    // Exact, and rounded to the even of two, as C does.
    let mut scientific = [0u8; 32];
    let mut left = &mut scientific[..];
    let _ = write!(left, "{:.16e}", value.abs());
    let written = 32 - left.len();
    let [first, b'.', rest @ ..] = &scientific[..written] else { return };
    let mut digits = [*first; 17];
    digits[1..].copy_from_slice(&rest[..16]);
    let exponent = str::from_utf8(&rest[17..]).ok().and_then(|exponent| exponent.parse().ok());
    let exponent: i32 = exponent.unwrap_or_default();
    let used = digits.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
    if value < 0.0 {
        text.push(b'-');
    }
    if (-4..17).contains(&exponent) {
        push_plain(&digits[..used], exponent, text);
    } else {
        push_scientific(&digits[..used], exponent, 2, text);
    }
}

/// Appends what 7.0 keeps of a score in a listpack: an integer where it is one, else [`push_17`].
pub(crate) fn push_stored_17(value: f64, text: &mut Vec<u8>) {
    if !push_whole(value, text) {
        push_17(value, text);
    }
}

/// Appends the text of 7.2: an integer where it is one, else few digits that read back as the same number, with an
/// exponent where that is shorter.
pub(crate) fn push_short(value: f64, text: &mut Vec<u8>) {
    if !value.is_finite() || value == 0.0 {
        push_special(value, text);
        return;
    }
    if push_whole(value, text) {
        return;
    }
    push_digits(value, text);
}

/// Appends few digits of a number that is neither zero nor infinite.
fn push_digits(value: f64, text: &mut Vec<u8>) {
    if value < 0.0 {
        text.push(b'-');
    }
    let mut buffer = [0; grisu::DIGITS_MAX];
    let (digits, last) = grisu::digits(value.abs(), &mut buffer);
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "18 at most")]
    let first = last + digits.len() as i32 - 1;
    let zeros = usize::try_from(last);
    match zeros {
        Ok(zeros) if zeros <= 7 => {
            text.extend_from_slice(digits);
            text.resize(text.len() + zeros, b'0');
        }
        Err(_) if last > -7 || first.abs() < 4 => push_plain(digits, first, text),
        _ => push_scientific(digits, first, 1, text),
    }
}

/// Appends zeros, infinities and NaN.
fn push_special(value: f64, text: &mut Vec<u8>) {
    if value.is_nan() {
        text.extend_from_slice(b"nan");
        return;
    }
    if value.is_sign_negative() {
        text.push(b'-');
    }
    text.extend_from_slice(if value == 0.0 { b"0" } else { b"inf" });
}

/// Appends a whole number of up to 62 bits and says whether it was one. Zero is left to others, for its sign.
fn push_whole(value: f64, text: &mut Vec<u8>) -> bool {
    if value == 0.0 || !(-WHOLE_MAX..=WHOLE_MAX).contains(&value) || value.fract() != 0.0 {
        return false;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 62 bits")]
    let whole = value as i64;
    text.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    true
}

/// Appends digits whose first one counts `10^first`, with a point where it belongs and without an exponent.
fn push_plain(digits: &[u8], first: i32, text: &mut Vec<u8>) {
    let Ok(first) = usize::try_from(first) else {
        text.extend_from_slice(b"0.");
        text.resize(text.len() + first.unsigned_abs() as usize - 1, b'0');
        text.extend_from_slice(digits);
        return;
    };
    if digits.len() <= first + 1 {
        text.extend_from_slice(digits);
        text.resize(text.len() + first + 1 - digits.len(), b'0');
        return;
    }
    let (whole, fraction) = digits.split_at(first + 1);
    text.extend_from_slice(whole);
    text.push(b'.');
    text.extend_from_slice(fraction);
}

/// Appends digits whose first one counts `10^first`, with an exponent of at least `width` digits.
fn push_scientific(digits: &[u8], first: i32, width: usize, text: &mut Vec<u8>) {
    let (whole, fraction) = digits.split_at(1);
    text.extend_from_slice(whole);
    if !fraction.is_empty() {
        text.push(b'.');
        text.extend_from_slice(fraction);
    }
    text.extend_from_slice(if first < 0 { b"e-" } else { b"e+" });
    let mut buffer = itoa::Buffer::new();
    let exponent = buffer.format(first.unsigned_abs()).as_bytes();
    text.resize(text.len() + width.saturating_sub(exponent.len()), b'0');
    text.extend_from_slice(exponent);
}

#[cfg(test)]
mod tests;
