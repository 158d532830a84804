//! The 64-bit floating point numbers of command lines: scores, weights, positions.

use super::float::{Digits, Format, Magnitude, Rounded, scan};
use crate::error::{Error, Result};
use crate::profile::Profile;

const FORMAT: Format = Format { precision: 53, min_exponent: -1074, max_exponent: 971 };

/// A score, a weight, a coordinate: a number as Redis's `string2d` takes it, else "value is not a valid float".
pub(crate) fn float(text: &[u8], profile: Profile) -> Result<f64> {
    parse_in(text, profile).ok_or_else(Error::not_a_float)
}

/// As [`parse`], but for numbers that the profile does not take.
pub(crate) fn parse_in(text: &[u8], profile: Profile) -> Option<f64> {
    (profile.hexadecimal_scores() || is_plain(text)).then(|| parse(text)).flatten()
}

/// The whole of a text as a number. What rounds to zero or to infinity without saying so is none, nor is NaN.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    let (number, digits) = read(text)?;
    let lost = match digits {
        Some(digits) => number.is_infinite() || number == 0.0 && !digits.is_zero(),
        None => false,
    };
    (!lost).then_some(number)
}

/// Whether a text has no white space before it, and is no hexadecimal number.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    !matches!(digits, [b' ' | b'\t'..=b'\r', ..] | [b'0', b'x' | b'X', ..])
}

/// The end of a range of scores: a text as C has it, whatever it is rounded to.
pub(crate) fn parse_end(text: &[u8]) -> Option<f64> {
    read_c(text).map(|(number, _)| number)
}

/// Which texts are weights of SORT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// Those of C, but what is too great for a double, or too small, is none.
    OfC,
    /// What is [plain](is_plain), whatever it is rounded to.
    Rounded,
    /// What is plain and no empty text, and rounds neither to zero nor to infinity.
    Plain,
}

/// A weight of SORT.
pub(crate) fn parse_weight(text: &[u8], weights: Weights) -> Option<f64> {
    match weights {
        Weights::OfC => {}
        Weights::Rounded => return is_plain(text).then(|| parse_end(text)).flatten(),
        Weights::Plain => {
            let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
            return is_plain(text).then(|| parse(text)).flatten();
        }
    }
    let (number, digits) = read_c(text)?;
    let lost = digits.is_some_and(|digits| {
        number.is_infinite() || number.is_subnormal() || number == 0.0 && !digits.is_zero()
    });
    (!lost).then_some(number)
}

/// What C's `strtod` makes of the text up to a NUL, white space before it skipped and nothing at all being zero. NaN is
/// none.
fn read_c(text: &[u8]) -> Option<(f64, Option<Digits<'_>>)> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Some((0.0, None));
    }
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    read(&text[spaces..])
}

/// A number, and the digits that it comes from if there are any.
fn read(text: &[u8]) -> Option<(f64, Option<Digits<'_>>)> {
    let scanned = scan(text)?;
    let (magnitude, digits) = match scanned.magnitude {
        Magnitude::Infinite => (f64::INFINITY, None),
        // The grammar is a part of Rust's own, which rounds as C does.
        Magnitude::Decimal(digits) => {
            let unsigned = text.strip_prefix(b"-").unwrap_or(text);
            (str::from_utf8(unsigned).ok()?.parse().ok()?, Some(digits))
        }
        Magnitude::Hexadecimal(digits) => {
            (from_rounded(FORMAT.round_hexadecimal(&digits)), Some(digits))
        }
    };
    Some((if scanned.negative { -magnitude } else { magnitude }, digits))
}

/// The number itself: the bits of a format are those of a double.
fn from_rounded(rounded: Rounded) -> f64 {
    match rounded {
        Rounded::Zero => 0.0,
        Rounded::Infinite => f64::INFINITY,
        Rounded::Finite { significand, exponent } => {
            const HIDDEN: u64 = 1 << 52;
            // Without its upper bit a significand is that of the smallest exponent, which is written as zero.
            let exponent = if significand & HIDDEN == 0 { 0 } else { exponent + 1075 };
            f64::from_bits(u64::from(exponent.unsigned_abs()) << 52 | significand & (HIDDEN - 1))
        }
    }
}

#[cfg(test)]
mod tests;
