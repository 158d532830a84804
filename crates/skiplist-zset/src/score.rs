//! Scores: their order, and their texts.
//!
//! # The texts
//!
//! | form | who writes so | 0.1 | 3.0 | 1e17 | 1e21 | -0.0 |
//! |---|---|---|---|---|---|---|
//! | [`ScoreText::Digits17`] | replies of 7.0 | `0.10000000000000001` | `3` | `1e+17` | `1e+21` | `-0` |
//! | [`ScoreText::Shortest`] | 7.2 and later, everywhere | `0.1` | `3` | `100000000000000000` | `1e+21` | `-0` |
//!
//! In a listpack a whole number of up to 62 bits is an integer in either form, zero has no sign, and all else is text.
//! Infinity is `inf`.

use core::cmp::Ordering;
use core::str;
use std::io::Write;

use listpack::Entry;

use crate::grisu;

/// Up to here either way, whole numbers are printed as integers: Redis halves the range of 64 bits to be on the safe
/// side.
const WHOLE_MAX: f64 = 4_611_686_018_427_387_904.0;

/// How a score is written as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScoreText {
    /// 17 significant digits without zeros at the end, as C's `%.17g`: Redis up to 7.0.
    Digits17,
    /// Few digits that read back as the same number: Redis from 7.2 on, and Valkey.
    #[default]
    Shortest,
}

impl ScoreText {
    /// Appends the text that a reply has.
    ///
    /// ```
    /// use skiplist_zset::ScoreText;
    ///
    /// let mut text = Vec::new();
    /// ScoreText::Digits17.push(0.1, &mut text);
    /// text.push(b' ');
    /// ScoreText::Shortest.push(0.1, &mut text);
    /// assert_eq!(text, b"0.10000000000000001 0.1");
    /// ```
    pub fn push(self, score: f64, text: &mut Vec<u8>) {
        text.extend_from_slice(self.text_of(score).as_bytes());
    }

    fn text_of(self, score: f64) -> Text {
        let mut text = Text { bytes: [0; TEXT_MAX], len: 0 };
        match self {
            _ if !score.is_finite() || score == 0.0 => push_special(score, &mut text),
            Self::Digits17 => push_17(score, &mut text),
            Self::Shortest => match whole(score) {
                Some(whole) => text.push(itoa::Buffer::new().format(whole).as_bytes()),
                None => push_digits(score, &mut text),
            },
        }
        text
    }

    /// Appends the text of the entry that a listpack has for a score: that of a reply, but for whole numbers beyond 17 digits and for
    /// the sign of zero.
    ///
    /// ```
    /// use skiplist_zset::ScoreText;
    ///
    /// let mut text = Vec::new();
    /// ScoreText::Digits17.push_packed(1e17, &mut text);
    /// text.push(b' ');
    /// ScoreText::Digits17.push_packed(0.5, &mut text);
    /// assert_eq!(text, b"100000000000000000 0.5");
    /// ```
    pub fn push_packed(self, score: f64, text: &mut Vec<u8>) {
        self.with_entry(score, |entry| entry.with_bytes(|bytes| text.extend_from_slice(bytes)));
    }

    /// Lends the entry that a listpack has for a score.
    #[inline]
    pub(crate) fn with_entry<R>(self, score: f64, put: impl FnOnce(Entry<'_>) -> R) -> R {
        match whole(score) {
            Some(whole) => put(Entry::Int(whole)),
            None => put(Entry::Str(self.text_of(score).as_bytes())),
        }
    }
}

/// The longest text has a sign, 18 digits, and a point with zeros or an exponent.
const TEXT_MAX: usize = 32;

/// A text that is being written.
struct Text {
    bytes: [u8; TEXT_MAX],
    len: usize,
}

impl Text {
    fn push(&mut self, text: &[u8]) {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    fn push_zeros(&mut self, count: usize) {
        self.bytes[self.len..self.len + count].fill(b'0');
        self.len += count;
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The score that an entry of a listpack stands for; `None` if it is not a number.
#[inline]
pub(crate) fn of_entry(entry: Entry<'_>) -> Option<f64> {
    match entry {
        #[expect(clippy::cast_precision_loss, reason = "as C rounds it, to the nearest")]
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

/// Whole numbers up to here are the same in 64 bits of floating point.
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

    /// Reads a text as the listpacks of servers have them, of up to 19 digits and with a small exponent; `None` for all others, be
    /// they numbers or not.
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
        #[expect(clippy::cast_precision_loss, reason = "what is said above")]
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

/// A number whose order is that of the scores: both zeros have the same, NaN none that means anything.
#[inline]
pub(crate) fn key(score: f64) -> u64 {
    // Adding zero takes the sign off a negative zero and changes nothing else.
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The integer that a score of up to 62 bits is, if it is one.
fn whole(score: f64) -> Option<i64> {
    let is_whole = (-WHOLE_MAX..=WHOLE_MAX).contains(&score) && score.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 62 bits")]
    is_whole.then_some(score as i64)
}

/// Appends `%.17g`: 17 significant digits without zeros at the end, and an exponent below 10^-4 and from 10^17 on.
fn push_17(score: f64, text: &mut Text) {
    // Exact, and rounded to the even of two, as C does.
    let mut scientific = [0u8; 32];
    let mut left = &mut scientific[..];
    let _ = write!(left, "{:.16e}", score.abs());
    let written = 32 - left.len();
    let [first, b'.', rest @ ..] = &scientific[..written] else { return };
    let mut digits = [*first; 17];
    digits[1..].copy_from_slice(&rest[..16]);
    let exponent = str::from_utf8(&rest[17..]).ok().and_then(|exponent| exponent.parse().ok());
    let exponent: i32 = exponent.unwrap_or_default();
    let used = digits.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
    if score < 0.0 {
        text.push(b"-");
    }
    if (-4..17).contains(&exponent) {
        push_plain(&digits[..used], exponent, text);
    } else {
        push_scientific(&digits[..used], exponent, 2, text);
    }
}

/// Appends few digits of a number that is neither zero nor infinite, with an exponent where that is shorter.
fn push_digits(score: f64, text: &mut Text) {
    if score < 0.0 {
        text.push(b"-");
    }
    let mut buffer = [0; grisu::DIGITS_MAX];
    let (digits, last) = grisu::digits(score.abs(), &mut buffer);
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "18 at most")]
    let first = last + digits.len() as i32 - 1;
    let zeros = usize::try_from(last);
    match zeros {
        Ok(zeros) if zeros <= 7 => {
            text.push(digits);
            text.push_zeros(zeros);
        }
        Err(_) if last > -7 || first.abs() < 4 => push_plain(digits, first, text),
        _ => push_scientific(digits, first, 1, text),
    }
}

/// Appends zeros, infinities and NaN.
fn push_special(score: f64, text: &mut Text) {
    if score.is_nan() {
        text.push(b"nan");
        return;
    }
    if score.is_sign_negative() {
        text.push(b"-");
    }
    text.push(if score == 0.0 { b"0" } else { b"inf" });
}

/// Appends digits whose first one counts `10^first`, with a point where it belongs and without an exponent.
fn push_plain(digits: &[u8], first: i32, text: &mut Text) {
    let Ok(first) = usize::try_from(first) else {
        text.push(b"0.");
        text.push_zeros(first.unsigned_abs() as usize - 1);
        text.push(digits);
        return;
    };
    if digits.len() <= first + 1 {
        text.push(digits);
        text.push_zeros(first + 1 - digits.len());
        return;
    }
    let (whole, fraction) = digits.split_at(first + 1);
    text.push(whole);
    text.push(b".");
    text.push(fraction);
}

/// Appends digits whose first one counts `10^first`, with an exponent of at least `width` digits.
fn push_scientific(digits: &[u8], first: i32, width: usize, text: &mut Text) {
    let (whole, fraction) = digits.split_at(1);
    text.push(whole);
    if !fraction.is_empty() {
        text.push(b".");
        text.push(fraction);
    }
    text.push(if first < 0 { b"e-" } else { b"e+" });
    let mut buffer = itoa::Buffer::new();
    let exponent = buffer.format(first.unsigned_abs()).as_bytes();
    text.push_zeros(width.saturating_sub(exponent.len()));
    text.push(exponent);
}

#[cfg(test)]
mod tests;
