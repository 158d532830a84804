//! The 64-bit floating point numbers in commands: scores, weights, positions.

use super::float::{Digits, Format, Magnitude, Rounded, scan};
use crate::error::{Error, Result};
use crate::profile::Profile;

const FORMAT: Format = Format { precision: 53, min_exponent: -1074, max_exponent: 971 };

/// Parses a score, a weight or a coordinate: a number as Redis's `string2d` accepts it, or the error "value is not a
/// valid float".
pub(crate) fn float(text: &[u8], profile: Profile) -> Result<f64> {
    parse_in(text, profile).ok_or_else(Error::not_a_float)
}

/// As [`parse`], without numbers that the profile does not accept.
pub(crate) fn parse_in(text: &[u8], profile: Profile) -> Option<f64> {
    (profile.hexadecimal_scores() || is_plain(text)).then(|| parse(text)).flatten()
}

/// Parses the whole of a text as a number. A number that would overflow or underflow to zero is refused, and so is NaN.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    let (number, digits) = read(text)?;
    let lost = match digits {
        Some(digits) => number.is_infinite() || number == 0.0 && !digits.is_zero(),
        None => false,
    };
    (!lost).then_some(number)
}

/// Returns whether a text has no leading white space, and is not a hexadecimal number.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    !matches!(digits, [b' ' | b'\t'..=b'\r', ..] | [b'0', b'x' | b'X', ..])
}

/// Parses the end of a range of scores: as C does, with overflow and underflow.
pub(crate) fn parse_end(text: &[u8]) -> Option<f64> {
    read_c(text).map(|(number, _)| number)
}

/// Which texts are valid weights of SORT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// As in C, but overflow and underflow are refused.
    OfC,
    /// [Plain](is_plain) numbers, with overflow and underflow.
    Rounded,
    /// Plain, non-empty numbers, without overflow and underflow.
    Plain,
}

/// Parses a weight of SORT.
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

/// Parses the text up to a NUL as C's `strtod` does, with leading white space skipped and an empty text as zero. NaN is
/// refused.
fn read_c(text: &[u8]) -> Option<(f64, Option<Digits<'_>>)> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Some((0.0, None));
    }
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    read(&text[spaces..])
}

/// Parses a number; also returns its digits, if it has any.
fn read(text: &[u8]) -> Option<(f64, Option<Digits<'_>>)> {
    let scanned = scan(text)?;
    let (magnitude, digits) = match scanned.magnitude {
        Magnitude::Infinite => (f64::INFINITY, None),
        // The grammar is a subset of Rust's, which rounds as C does.
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

/// The rounded number: its bits are those of an `f64`.
fn from_rounded(rounded: Rounded) -> f64 {
    match rounded {
        Rounded::Zero => 0.0,
        Rounded::Infinite => f64::INFINITY,
        Rounded::Finite { significand, exponent } => {
            const HIDDEN: u64 = 1 << 52;
            // A significand without its upper bit has the minimum exponent, which is encoded as zero.
            let exponent = if significand & HIDDEN == 0 { 0 } else { exponent + 1075 };
            f64::from_bits(u64::from(exponent.unsigned_abs()) << 52 | significand & (HIDDEN - 1))
        }
    }
}

#[cfg(test)]
mod tests;
