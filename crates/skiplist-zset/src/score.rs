//! Scores: their order, and their texts.
//!
//! # The texts
//!
//! | form | written by | 0.1 | 3.0 | 1e17 | 1e21 | -0.0 |
//! |---|---|---|---|---|---|---|
//! | [`ScoreText::Digits17`] | replies of 7.0 | `0.10000000000000001` | `3` | `1e+17` | `1e+21` | `-0` |
//! | [`ScoreText::Shortest`] | 7.2 and later, everywhere | `0.1` | `3` | `100000000000000000` | `1e+21` | `-0` |
//!
//! In a listpack an integral score of up to 62 bits is an integer in either form, zero has no sign, and all other
//! scores are text. Infinity is `inf`.

mod read;

use core::str;
use std::io::Write;

use listpack::Entry;

use crate::grisu;
pub(crate) use read::{compare, of_entry};

/// Integral scores up to this magnitude are printed as integers: Redis uses half of the 64-bit range.
const WHOLE_MAX: f64 = 4_611_686_018_427_387_904.0;

/// The text form of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ScoreText {
    /// 17 significant digits without trailing zeros, as C's `%.17g`: Redis up to 7.0.
    Digits17,
    /// Few digits that parse to the same number: Redis from 7.2 on, and Valkey.
    #[default]
    Shortest,
}

impl ScoreText {
    /// Appends the text that a reply uses.
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

    /// Appends the text that DEBUG DIGEST uses: that of a reply, except that integers with many trailing zeros have an
    /// exponent.
    ///
    /// ```
    /// use skiplist_zset::ScoreText;
    ///
    /// let mut text = Vec::new();
    /// ScoreText::Shortest.push_digest(3.0, &mut text);
    /// text.push(b' ');
    /// ScoreText::Shortest.push_digest(1e17, &mut text);
    /// assert_eq!(text, b"3 1e+17");
    /// ```
    pub fn push_digest(self, score: f64, text: &mut Vec<u8>) {
        if self == Self::Digits17 || !score.is_finite() || score == 0.0 {
            return self.push(score, text);
        }
        let mut own = Text { bytes: [0; TEXT_MAX], len: 0 };
        push_digits(score, &mut own);
        text.extend_from_slice(own.as_bytes());
    }

    /// Appends the text that a listpack has for a score: that of a reply, except for integers beyond 17 digits and the
    /// sign of zero.
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

    /// Calls `put` with the entry that a listpack has for a score.
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

/// An integer key with the order of the scores: both zeros have the same key; that of NaN has no meaning.
#[inline]
pub(crate) fn key(score: f64) -> u64 {
    // Adding zero removes the sign of a negative zero and changes nothing else.
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The score as an integer, if it is one of up to 62 bits.
fn whole(score: f64) -> Option<i64> {
    let is_whole = (-WHOLE_MAX..=WHOLE_MAX).contains(&score) && score.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, reason = "the score is an integer of up to 62 bits")]
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
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "at most 18")]
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
