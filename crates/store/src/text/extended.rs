//! The 80-bit floating point numbers of INCRBYFLOAT: `long double` on x86-64.
//!
//! # Idea
//!
//! Redis parses, adds and prints in the widest format of the x87, so its results differ from those of 64-bit numbers:
//! 0.1 + 0.2 is `0.3`. The same is computed here with integers, so that all machines return the same results.
//!
//! # Representation
//!
//! ```text
//! value = significand * 2^exponent        64 bits, exponent -16445 ..= 16320
//! ```
//!
//! The upper bit of the significand is set, except for zero (exponent 0) and numbers with the minimum exponent.
//!
//! # Complexity
//!
//! Up to 19 digits and an exponent between -27 and 27, a few instructions. Otherwise parsing is quadratic in the digits
//! and printing in the exponent; both are bounded, since a text has at most [`TEXT_MAX`] bytes.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use super::float::{Digits, Format, Magnitude, Rounded, scan};

/// The maximum length of a number as text. Redis copies it into a buffer of 5 KiB with a NUL.
const TEXT_MAX: usize = 5 * 1024 - 1;

const FORMAT: Format = Format { precision: 64, min_exponent: -16_445, max_exponent: 16_320 };

/// Decimal numbers from `10^MAGNITUDE_MAX` on are infinite.
const MAGNITUDE_MAX: i64 = 4933;

/// Decimal numbers below `10^MAGNITUDE_MIN` round to zero.
const MAGNITUDE_MIN: i64 = -4951;

/// The exponent of the largest power of five that fits 64 bits.
const POWER: i64 = 27;

/// The error for a text that is not a number, or is out of range.
pub(crate) const NOT_A_FLOAT: &str = "ERR value is not a valid float";

/// The error of INCRBYFLOAT for a sum that is not finite.
pub(crate) const NOT_FINITE: &str = "ERR increment would produce NaN or Infinity";

/// An 80-bit number, possibly infinite, never NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extended {
    negative: bool,
    magnitude: Rounded,
}

impl Extended {
    /// Parses a text as Redis does; `None` is [`NOT_A_FLOAT`].
    ///
    /// Hexadecimal forms and `inf` are accepted. A number that would overflow or underflow to zero is refused.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if text.len() > TEXT_MAX {
            return None;
        }
        let scanned = scan(text)?;
        let (magnitude, digits) = match scanned.magnitude {
            Magnitude::Infinite => {
                return Some(Self { negative: scanned.negative, magnitude: Rounded::Infinite });
            }
            Magnitude::Decimal(digits) => (round_decimal(&digits), digits),
            Magnitude::Hexadecimal(digits) => (FORMAT.round_hexadecimal(&digits), digits),
        };
        match magnitude {
            Rounded::Zero if !digits.is_zero() => None,
            Rounded::Infinite => None,
            magnitude @ (Rounded::Zero | Rounded::Finite { .. }) => {
                Some(Self { negative: scanned.negative, magnitude })
            }
        }
    }

    /// Returns whether it is finite.
    pub(crate) const fn is_finite(self) -> bool {
        !matches!(self.magnitude, Rounded::Infinite)
    }

    /// The sum, rounded; `None` is [`NOT_FINITE`].
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let (a, b) = match (self.magnitude, other.magnitude) {
            (Rounded::Infinite, _) | (_, Rounded::Infinite) => return None,
            (Rounded::Zero, Rounded::Zero) => {
                let negative = self.negative && other.negative;
                return Some(Self { negative, magnitude: Rounded::Zero });
            }
            (Rounded::Zero, _) => return Some(other),
            (_, Rounded::Zero) => return Some(self),
            (
                Rounded::Finite { significand: a, exponent: ea },
                Rounded::Finite { significand: b, exponent: eb },
            ) => ((self.negative, a, ea), (other.negative, b, eb)),
        };
        // The number with the larger exponent is the larger one, since the others have their upper bit set or the
        // minimum exponent.
        let ((negative, large, exponent), (small_negative, small, small_exponent)) =
            if (a.2, a.1) >= (b.2, b.1) { (a, b) } else { (b, a) };
        // There is a bit for the carry above, and 63 bits below for rounding.
        let large = u128::from(large) << 63;
        let (small, rest) = shift_right(u128::from(small) << 63, exponent.abs_diff(small_exponent));
        let sum = if negative == small_negative {
            large + small
        } else {
            // The rest is subtracted too: one less, with a rest again.
            large - small - u128::from(rest)
        };
        let magnitude = FORMAT.round(sum, i64::from(exponent) - 63, rest);
        match magnitude {
            Rounded::Infinite => None,
            // The difference of equal numbers is positive zero.
            Rounded::Zero => Some(Self { negative: false, magnitude }),
            Rounded::Finite { .. } => Some(Self { negative, magnitude }),
        }
    }

    /// The text that INCRBYFLOAT returns and stores: all digits before the decimal point, at most 17 after it, rounded
    /// to nearest, ties to even, without trailing zeros. A number that rounds to zero is `0`, without a sign.
    pub(crate) fn to_text(self) -> Vec<u8> {
        let (significand, exponent) = match self.magnitude {
            Rounded::Infinite => return if self.negative { b"-inf" } else { &b"inf"[..] }.to_vec(),
            Rounded::Zero => return b"0".to_vec(),
            Rounded::Finite { significand, exponent } => (significand, exponent),
        };
        let mut text = Vec::with_capacity(40);
        if self.negative {
            text.push(b'-');
        }
        if let Ok(exponent) = u32::try_from(exponent) {
            let whole = BigUint::from(significand) << exponent;
            text.extend_from_slice(whole.to_string().as_bytes());
            return text;
        }
        let scaled = scaled(significand, exponent.unsigned_abs());
        if scaled == 0 {
            return b"0".to_vec();
        }
        push_scaled(scaled, &mut text);
        text
    }
}

impl From<i64> for Extended {
    fn from(number: i64) -> Self {
        let magnitude = FORMAT.round(u128::from(number.unsigned_abs()), 0, false);
        Self { negative: number < 0, magnitude }
    }
}

fn shift_right(number: u128, count: u32) -> (u128, bool) {
    let shifted = number.checked_shr(count).unwrap_or(0);
    (shifted, shifted.checked_shl(count).unwrap_or(0) != number)
}

/// Rounds decimal digits, correctly and once.
fn round_decimal(digits: &Digits<'_>) -> Rounded {
    let (all, count, exponent) = digits.significant();
    if count == 0 {
        return Rounded::Zero;
    }
    // The number is in 10^(magnitude - 1) .. 10^magnitude.
    let magnitude = exponent + count.cast_signed() as i64;
    if magnitude > MAGNITUDE_MAX {
        return Rounded::Infinite;
    }
    if magnitude <= MAGNITUDE_MIN {
        return Rounded::Zero;
    }
    if count <= 19 && exponent.abs() <= POWER {
        let number = all.fold(0u64, |number, digit| number * 10 + u64::from(digit - b'0'));
        return round_small(number, exponent);
    }
    let digits: Vec<u8> = all.map(|digit| digit - b'0').collect();
    let number = BigUint::from_radix_be(&digits, 10).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "the magnitude and the length limit it")]
    let power = BigUint::from(5_u32).pow(exponent.unsigned_abs() as u32);
    let (quotient, last, rest) = if exponent >= 0 {
        (number * power, exponent, false)
    } else {
        // So that the quotient has one or two bits more than are kept, for rounding.
        let more = power.bits() + u64::from(FORMAT.precision + 1);
        let shift = more.saturating_sub(number.bits());
        let (quotient, rest) = (number << shift).div_rem(&power);
        (quotient, exponent - shift.cast_signed(), !rest.is_zero())
    };
    let below = quotient.bits().saturating_sub(u128::BITS.into());
    let dropped = below > 0 && quotient.trailing_zeros().is_some_and(|zeros| zeros < below);
    let top = u128::try_from(quotient >> below).unwrap_or(u128::MAX);
    FORMAT.round(top, last + below.cast_signed(), rest || dropped)
}

/// Rounds `number * 10^exponent` for the exponents whose power of five has 64 bits.
fn round_small(number: u64, exponent: i64) -> Rounded {
    #[expect(clippy::cast_possible_truncation, reason = "at most 27")]
    let power = u128::from(5u64.pow(exponent.unsigned_abs() as u32));
    if exponent >= 0 {
        return FORMAT.round(u128::from(number) * power, exponent, false);
    }
    // With its upper bit set, the dividend is at least 2^127 and the quotient has 65 bits or more.
    let shift = 64 + number.leading_zeros();
    let dividend = u128::from(number) << shift;
    FORMAT.round(dividend / power, exponent - i64::from(shift), !dividend.is_multiple_of(power))
}

/// `significand / 2^shift`, times `10^17`, rounded to nearest, ties to even.
fn scaled(significand: u64, shift: u32) -> u128 {
    // Less than 2^121, so the result is zero from a shift of 123 on.
    let product = u128::from(significand) * 10u128.pow(17);
    if shift >= 123 {
        return 0;
    }
    let (kept, half) = (product >> shift, 1 << (shift - 1));
    let dropped = product & ((half << 1) - 1);
    kept + u128::from(dropped > half || dropped == half && kept & 1 == 1)
}

/// Formats `scaled / 10^17` without trailing zeros.
fn push_scaled(scaled: u128, text: &mut Vec<u8>) {
    let unit = 10u128.pow(17);
    text.extend_from_slice(itoa::Buffer::new().format(scaled / unit).as_bytes());
    let mut fraction = scaled % unit;
    if fraction == 0 {
        return;
    }
    let mut digits = [0; 17];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
    let used = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    text.push(b'.');
    text.extend_from_slice(&digits[..used]);
}

#[cfg(test)]
mod tests;
