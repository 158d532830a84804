//! Parsing scores from the texts in listpacks.

use core::cmp::Ordering;
use core::str;

use listpack::Entry;

/// The score that an entry of a listpack stands for; `None` if it is not a number.
#[inline]
pub(crate) fn of_entry(entry: Entry<'_>) -> Option<f64> {
    match entry {
        #[expect(clippy::cast_precision_loss, reason = "rounded to nearest, as in C")]
        Entry::Int(value) => Some(value as f64),
        Entry::Str(text) => match Decimal::read(text) {
            Some(decimal) if decimal.digits <= EXACT_MAX => Some(decimal.rounded()),
            _ => of_text(text),
        },
    }
}

#[inline(never)]
fn of_text(text: &[u8]) -> Option<f64> {
    let score: f64 = str::from_utf8(text).ok()?.parse().ok()?;
    (!score.is_nan()).then_some(score)
}

/// How the score that an entry stands for compares to another one; `None` if it is not a number, or the other is none.
///
/// A text of many digits is read in full only if it is close to the other score.
#[inline]
pub(crate) fn compare(entry: Entry<'_>, score: f64) -> Option<Ordering> {
    // Both the digits and the quotient are rounded, each by half of the last of 53 bits.
    const ERROR: f64 = 1e-15;
    if let Entry::Str(text) = entry
        && let Some(decimal) = Decimal::read(text)
    {
        let about = decimal.rounded();
        if (about - score).abs() > about.abs() * ERROR {
            return about.partial_cmp(&score);
        }
    }
    of_entry(entry)?.partial_cmp(&score)
}

/// Integers up to here are exact in 64 bits of floating point.
const EXACT_MAX: u64 = 1 << f64::MANTISSA_DIGITS;

/// A text of digits with a point or an exponent.
struct Decimal {
    is_negative: bool,
    /// All digits, as if there were no point.
    digits: u64,
    /// The exponent of ten of the last one.
    exponent: i32,
}

impl Decimal {
    /// The powers of ten that 64 bits of floating point have exactly.
    const TENS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    /// More digits might not fit.
    const DIGITS_MAX: usize = 19;

    /// Reads a text as the listpacks of servers have them, of up to 19 digits and with a small exponent; `None` for all
    /// others, be they numbers or not.
    #[inline]
    fn read(text: &[u8]) -> Option<Self> {
        let (is_negative, text) = match text {
            [b'-', text @ ..] => (true, text),
            text => (false, text),
        };
        // An exponent is short, and so it is looked for from the end.
        let (text, exponent) = match text {
            [text @ .., b'e', sign @ (b'+' | b'-'), digit] => {
                (text, of_exponent(*sign, &[*digit])?)
            }
            [text @ .., b'e', sign @ (b'+' | b'-'), tens, digit] => {
                (text, of_exponent(*sign, &[*tens, *digit])?)
            }
            text => (text, 0),
        };
        let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
        let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
        if whole.is_empty() || whole.len() + fraction.len() > Self::DIGITS_MAX {
            return None;
        }
        let digits = append_digits(append_digits(0, whole)?, fraction)?;
        let exponent = exponent - i32::try_from(fraction.len()).ok()?;
        let is_small = exponent.unsigned_abs() < 23;
        is_small.then_some(Self { is_negative, digits, exponent })
    }

    /// The nearest number if the digits are exact, else one close to it.
    #[inline]
    fn rounded(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the rounding is documented above")]
        let digits = self.digits as f64;
        let ten = Self::TENS[self.exponent.unsigned_abs() as usize];
        let value = if self.exponent < 0 { digits / ten } else { digits * ten };
        if self.is_negative { -value } else { value }
    }
}

fn of_exponent(sign: u8, digits: &[u8]) -> Option<i32> {
    let exponent = i32::try_from(append_digits(0, digits)?).ok()?;
    Some(if sign == b'-' { -exponent } else { exponent })
}

/// A number with the digits of a text behind its own; `None` if there is something else in it.
#[inline]
fn append_digits(number: u64, text: &[u8]) -> Option<u64> {
    let (eights, rest) = text.as_chunks::<8>();
    let mut number = number;
    for eight in eights {
        number = number * 100_000_000 + eight_digits(*eight)?;
    }
    for &byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number)
}

/// The number of eight digits, the first of which is the lowest byte: pairs, fours and eight are joined side by side.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(text).wrapping_sub(ONES * u64::from(b'0'));
    // A digit has nothing in its upper half, also when six is added.
    if (digits | digits.wrapping_add(ONES * 6)) & (ONES * 0xf0) != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff)
}
