//! The value of an entry, independent of its encoding.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::encode::Encoded;

/// The bytes of the longest text of an `i64`: `-9223372036854775808`.
const LONGEST_INT: usize = 20;

/// One entry of a list: an integer, or any bytes.
///
/// An integer is the same entry as its decimal text: [`Int(7)`](Entry::Int) and `Str(b"7")` are equal, and `==`, order
/// and hash use the text. Conversions from bytes return the integer if the bytes are the canonical text of one, as in
/// Redis, and a list stores entries in that form.
///
/// ```
/// use listpack::Entry;
///
/// assert!(matches!(Entry::from("-7"), Entry::Int(-7)));
/// for text in ["007", "-0", "+1", "1.0", "", "9223372036854775808"] {
///     assert!(matches!(Entry::from(text), Entry::Str(_)), "{text}");
/// }
/// assert_eq!(Entry::Int(7), Entry::Str(b"7"));
/// assert!(Entry::Int(10) < Entry::Int(9), "the order is that of the texts");
/// ```
#[derive(Clone, Copy)]
pub enum Entry<'a> {
    /// An integer.
    Int(i64),
    /// Bytes.
    Str(&'a [u8]),
}

impl Entry<'_> {
    /// Returns the entry as [`Int`](Entry::Int) if its bytes are the canonical text of an integer. O(1).
    #[inline]
    #[must_use]
    pub fn canonical(self) -> Self {
        match self {
            Self::Int(_) => self,
            Self::Str(bytes) => parse_int(bytes).map_or(self, Self::Int),
        }
    }

    /// Returns the integer, if the entry is one or is the canonical text of one. O(1).
    #[inline]
    #[must_use]
    pub fn as_int(self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Str(bytes) => parse_int(bytes),
        }
    }

    /// Calls `read` with the text: the bytes, or the decimal digits of the integer.
    ///
    /// ```
    /// assert_eq!(listpack::Entry::Int(-12).with_bytes(<[u8]>::len), 3);
    /// ```
    #[inline]
    pub fn with_bytes<R>(self, read: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Int(value) => read(itoa::Buffer::new().format(value).as_bytes()),
            Self::Str(bytes) => read(bytes),
        }
    }

    /// Returns the text as a vector.
    #[must_use]
    pub fn to_vec(self) -> Vec<u8> {
        self.with_bytes(<[u8]>::to_vec)
    }

    /// The length of the text, in bytes. O(1).
    #[inline]
    #[must_use]
    pub fn text_len(self) -> usize {
        match self {
            Self::Int(value) => int_len(value),
            Self::Str(bytes) => bytes.len(),
        }
    }

    /// The bytes that the entry takes in a list, with the length at its end. O(1).
    ///
    /// ```
    /// use listpack::Entry;
    ///
    /// assert_eq!(Entry::from("abc").encoded_len(), 1 + 3 + 1);
    /// assert_eq!(Entry::from("1000").encoded_len(), 2 + 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn encoded_len(self) -> usize {
        Encoded::of(self).size()
    }
}

/// The bytes that the decimal text of `value` takes.
#[inline]
pub(crate) fn int_len(value: i64) -> usize {
    let digits = value.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
    digits + usize::from(value < 0)
}

/// Parses an integer in canonical decimal form; returns `None` for any other text. O(1).
///
/// The canonical form has no plus sign, leading zero or space, and no minus zero. Redis stores such texts as integers.
///
/// ```
/// assert_eq!(listpack::parse_int(b"-7"), Some(-7));
/// assert_eq!(listpack::parse_int(b"007"), None);
/// ```
#[inline]
#[must_use]
pub fn parse_int(text: &[u8]) -> Option<i64> {
    // Most texts end here, at their first byte. One comparison: of the signs and digits and the two bytes between.
    let first = text.first()?.wrapping_sub(b'-');
    if first > b'9' - b'-' || text.len() > LONGEST_INT { None } else { parse_digits(text) }
}

#[inline(never)]
fn parse_digits(text: &[u8]) -> Option<i64> {
    // Signs come in no order, so nothing branches on them.
    let negative = text.first() == Some(&b'-');
    let mut digits = text.get(usize::from(negative)..)?;
    match digits.first()? {
        b'1'..=b'9' if digits.len() < LONGEST_INT => {}
        b'0' => return (text.len() == 1).then_some(0),
        _ => return None,
    }
    // Nineteen digits are below 2^64.
    let mut magnitude = 0_u64;
    while let Some((eight, rest)) = digits.split_first_chunk() {
        magnitude = magnitude * 100_000_000 + parse_eight(*eight)?;
        digits = rest;
    }
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        magnitude = magnitude * 10 + u64::from(digit - b'0');
    }
    let limit = i64::MAX.unsigned_abs() + u64::from(negative);
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    (magnitude <= limit).then_some(value.cast_signed())
}

/// The number that eight digits are: neighbours are joined to pairs, pairs to fours, and fours to the whole, each in
/// one multiplication that weighs the one in front and adds the one behind.
#[inline]
fn parse_eight(digits: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(digits);
    let low = word & 0x0f0f_0f0f_0f0f_0f0f;
    // The high half of each byte is 3, also when 6 is added: no byte is above '9'.
    let high = 0xf0f0_f0f0_f0f0_f0f0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606);
    if word & high != 0x3030_3030_3030_3030 || carried & high != 0x3030_3030_3030_3030 {
        return None;
    }
    let pairs = (low.wrapping_mul((10 << 8) + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul((10_000 << 32) + 1) >> 32)
}

impl From<i64> for Entry<'_> {
    #[inline]
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<'a> From<&'a [u8]> for Entry<'a> {
    #[inline]
    fn from(bytes: &'a [u8]) -> Self {
        Self::Str(bytes).canonical()
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Entry<'a> {
    #[inline]
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<'a> From<&'a str> for Entry<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl<'a> From<&'a Vec<u8>> for Entry<'a> {
    #[inline]
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl PartialEq for Entry<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Int(value), Self::Str(text)) | (Self::Str(text), Self::Int(value)) => {
                parse_int(text) == Some(value)
            }
        }
    }
}

impl Eq for Entry<'_> {}

/// By the texts, byte by byte, as Redis orders the members of a sorted set.
impl Ord for Entry<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.with_bytes(|a| other.with_bytes(|b| a.cmp(b)))
    }
}

impl PartialOrd for Entry<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Entry<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.canonical() {
            Self::Int(value) => value.hash(state),
            Self::Str(bytes) => bytes.hash(state),
        }
    }
}

/// The text; bytes that are not ASCII, and quotes, as escapes.
impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Str(bytes) => bytes.escape_ascii().fmt(f),
        }
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Str(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_texts_are_integers() {
        let integers = [
            0,
            1,
            -1,
            9,
            10,
            -10,
            99,
            100,
            1_000_000_000_000_000_000,
            i64::MAX,
            i64::MIN,
            i64::MIN + 1,
        ];
        for value in integers {
            let text = value.to_string();
            assert_eq!(parse_int(text.as_bytes()), Some(value));
            assert_eq!(int_len(value), text.len());
            assert_eq!(Entry::Int(value).to_vec(), text.as_bytes());
        }
        let texts: [&[u8]; 18] = [
            b"",
            b"-",
            b"--1",
            b"+1",
            b"00",
            b"01",
            b"-0",
            b"-01",
            b" 1",
            b"1 ",
            b"1.0",
            b"1e3",
            b"0x1",
            b"9223372036854775808",
            b"-9223372036854775809",
            b"18446744073709551616",
            b"99999999999999999999",
            b"1\0",
        ];
        for text in texts {
            assert_eq!(parse_int(text), None, "{}", text.escape_ascii());
        }
    }

    /// The standard library takes more: signs and zeros in front.
    #[test]
    fn any_text_parses_as_the_standard_library_says() {
        let mut rng = testkit::rng::Rng::new(1);
        let mut integers = 0;
        for _ in 0..200_000 {
            let mut text = (rng.i64() >> rng.below(64)).to_string().into_bytes();
            // Every other one with a byte that is nearly a digit, or is one.
            if rng.chance(1, 2) {
                let at = rng.index(text.len());
                text[at] = *rng.pick(b"/0123456789:-+ @p\x00\xb0\xff").unwrap();
            }
            let expected = core::str::from_utf8(&text)
                .ok()
                .and_then(|text| Some((text, text.parse::<i64>().ok()?)))
                .and_then(|(text, value)| (value.to_string() == text).then_some(value));
            assert_eq!(parse_int(&text), expected, "{}", text.escape_ascii());
            integers += u32::from(expected.is_some());
        }
        assert!((120_000..190_000).contains(&integers), "{integers}");
    }

    #[test]
    fn equality_order_and_hash_go_by_the_text() {
        use core::hash::BuildHasher;
        let state = std::hash::RandomState::new();
        for (a, b) in [(Entry::Int(-5), Entry::Str(b"-5")), (Entry::Int(0), Entry::Str(b"0"))] {
            assert_eq!(a, b);
            assert_eq!(a.cmp(&b), Ordering::Equal);
            assert_eq!(state.hash_one(a), state.hash_one(b));
        }
        assert_ne!(Entry::Int(0), Entry::Str(b"-0"));
        assert_ne!(Entry::Int(7), Entry::Str(b"07"));
        assert!(Entry::Str(b"a") > Entry::Int(99));
        assert_eq!(format!("{:?} {}", Entry::Str(b"a\"\xff"), Entry::Int(3)), r#""a\"\xff" 3"#);
    }
}
