//! The type of a field: signed or unsigned, and the number of bits.

use core::fmt;
use core::str::FromStr;

/// The type of a field: signed of 1 to 64 bits, or unsigned of 1 to 63.
///
/// Every value of every type fits an `i64`; that is why there is no `u64`.
///
/// # Examples
///
/// ```
/// use bitpack::bitfield::FieldType;
///
/// let i5 = FieldType::parse(b"i5")?;
/// assert_eq!((i5.min(), i5.max()), (-16, 15));
/// assert_eq!(Ok(i5), FieldType::signed(5));
/// assert_eq!(i5.to_string(), "i5");
/// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldType {
    signed: bool,
    /// 1 to 64, or 1 to 63.
    bits: u8,
}

/// Why a field type is not valid.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldTypeError {
    /// The text does not start with `i` or `u`.
    NoSign,
    /// The letter is not followed by a canonical decimal integer of 64 bits.
    NoWidth,
    /// A signed field has 1 to 64 bits, an unsigned one 1 to 63.
    WrongWidth {
        /// Whether the type is signed.
        signed: bool,
        /// The number of bits.
        got: i64,
    },
}

impl fmt::Display for FieldTypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSign => f.write_str("a field type starts with i or u"),
            Self::NoWidth => f.write_str("the width at offset 1 of a field type is not a number"),
            Self::WrongWidth { signed: true, got } => {
                write!(f, "a signed field has 1 to 64 bits, got {got}")
            }
            Self::WrongWidth { signed: false, got } => {
                write!(f, "an unsigned field has 1 to 63 bits, got {got}")
            }
        }
    }
}

impl core::error::Error for FieldTypeError {}

impl FieldType {
    /// A single bit: unsigned, 0 or 1.
    pub const BIT: Self = Self { signed: false, bits: 1 };

    /// A signed type of 1 to 64 bits.
    ///
    /// # Errors
    ///
    /// [`FieldTypeError::WrongWidth`] if `bits` is not 1 to 64.
    pub fn signed(bits: u32) -> Result<Self, FieldTypeError> {
        Self::new(true, bits.into())
    }

    /// An unsigned type of 1 to 63 bits.
    ///
    /// # Errors
    ///
    /// [`FieldTypeError::WrongWidth`] if `bits` is not 1 to 63.
    pub fn unsigned(bits: u32) -> Result<Self, FieldTypeError> {
        Self::new(false, bits.into())
    }

    fn new(signed: bool, got: i64) -> Result<Self, FieldTypeError> {
        let most = if signed { 64 } else { 63 };
        match u8::try_from(got) {
            Ok(bits) if (1..=most).contains(&bits) => Ok(Self { signed, bits }),
            _ => Err(FieldTypeError::WrongWidth { signed, got }),
        }
    }

    /// Parses a type as BITFIELD writes it, such as `i16` or `u8`.
    ///
    /// Accepts exactly what Redis accepts: a lower-case letter and a decimal number without a leading zero, plus sign
    /// or space. Redis reads the name as a C string, so bytes from a NUL on are ignored.
    ///
    /// # Errors
    ///
    /// If the text is not such a name, or the width is out of range.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::bitfield::FieldType;
    ///
    /// assert_eq!(FieldType::parse(b"u63"), FieldType::unsigned(63));
    /// for wrong in ["u64", "i65", "u0", "u08", "U8", "u+8", " u8", "u8 ", "u", "8", ""] {
    ///     assert!(FieldType::parse(wrong.as_bytes()).is_err());
    /// }
    /// ```
    pub fn parse(name: &[u8]) -> Result<Self, FieldTypeError> {
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let (signed, width) = match name {
            [b'i', width @ ..] => (true, width),
            [b'u', width @ ..] => (false, width),
            _ => return Err(FieldTypeError::NoSign),
        };
        Self::new(signed, decimal(width).ok_or(FieldTypeError::NoWidth)?)
    }

    /// Whether values may be negative.
    #[inline]
    #[must_use]
    pub const fn is_signed(self) -> bool {
        self.signed
    }

    /// The number of bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits as u32
    }

    /// The least value that fits.
    #[inline]
    #[must_use]
    pub const fn min(self) -> i64 {
        if self.signed { i64::MIN >> self.spare() } else { 0 }
    }

    /// The greatest value that fits.
    #[inline]
    #[must_use]
    pub const fn max(self) -> i64 {
        (u64::MAX >> self.spare() >> self.signed as u32).cast_signed()
    }

    /// The bits of a word that a field does not have.
    #[inline]
    pub(super) const fn spare(self) -> u32 {
        64 - self.bits()
    }

    /// The value that the low bits of `value` represent in this type.
    #[inline]
    #[must_use]
    pub const fn wrap(self, value: i64) -> i64 {
        self.top((value << self.spare()).cast_unsigned())
    }

    /// The number that the top bits of a word are.
    #[inline]
    pub(super) const fn top(self, word: u64) -> i64 {
        if self.signed {
            word.cast_signed() >> self.spare()
        } else {
            (word >> self.spare()).cast_signed()
        }
    }

    /// The bits that differ between two numbers, at the top of a word.
    #[inline]
    pub(super) const fn changes(self, old: i64, new: i64) -> u64 {
        (old ^ new).cast_unsigned() << self.spare()
    }

    /// The length in bytes that a string needs to contain a field at `offset`, in bits; `None` if that does not fit a
    /// `usize`.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::bitfield::FieldType;
    ///
    /// let u4 = FieldType::parse(b"u4")?;
    /// assert_eq!((u4.bytes_for(4), u4.bytes_for(6)), (Some(1), Some(2)));
    /// assert_eq!(u4.bytes_for(u64::MAX), None);
    /// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn bytes_for(self, offset: u64) -> Option<usize> {
        crate::bits::bytes_for(offset.checked_add(u64::from(self.bits) - 1)?)
    }

    /// The offset in bits of the field with this index in an array of such fields, which BITFIELD writes as `#index`;
    /// `None` if it does not fit 64 bits.
    ///
    /// Redis 7.0 multiplies without a check: `GET u8 #2305843009213693952` reads the field at offset 0 there.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::bitfield::FieldType;
    ///
    /// let u12 = FieldType::parse(b"u12")?;
    /// assert_eq!(u12.nth(3), Some(36));
    /// assert_eq!(u12.nth(u64::MAX / 2), None);
    /// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn nth(self, index: u64) -> Option<u64> {
        index.checked_mul(self.bits as u64)
    }
}

/// A number in the one form that Redis takes: no plus, no leading zero, no space.
fn decimal(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if plain { str::from_utf8(text).ok()?.parse().ok() } else { None }
}

impl FromStr for FieldType {
    type Err = FieldTypeError;

    fn from_str(name: &str) -> Result<Self, FieldTypeError> {
        Self::parse(name.as_bytes())
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_the_server_reads_them() {
        let wrong = |signed, got| Err(FieldTypeError::WrongWidth { signed, got });
        let cases: [(&[u8], Result<FieldType, FieldTypeError>); 28] = [
            (b"u8", FieldType::unsigned(8)),
            (b"i16", FieldType::signed(16)),
            (b"u1", FieldType::unsigned(1)),
            (b"i1", FieldType::signed(1)),
            (b"u63", FieldType::unsigned(63)),
            (b"i64", FieldType::signed(64)),
            (b"u8\0x", FieldType::unsigned(8)),
            (b"i64\0\0zz", FieldType::signed(64)),
            (b"u64", wrong(false, 64)),
            (b"i65", wrong(true, 65)),
            (b"u0", wrong(false, 0)),
            (b"i0", wrong(true, 0)),
            (b"u-8", wrong(false, -8)),
            (b"i9223372036854775807", wrong(true, i64::MAX)),
            (b"i9223372036854775808", Err(FieldTypeError::NoWidth)),
            (b"u08", Err(FieldTypeError::NoWidth)),
            (b"i00", Err(FieldTypeError::NoWidth)),
            (b"u-0", Err(FieldTypeError::NoWidth)),
            (b"u+8", Err(FieldTypeError::NoWidth)),
            (b"u8 ", Err(FieldTypeError::NoWidth)),
            (b"u 8", Err(FieldTypeError::NoWidth)),
            (b"u\0", Err(FieldTypeError::NoWidth)),
            (b"u", Err(FieldTypeError::NoWidth)),
            (b"u8\n", Err(FieldTypeError::NoWidth)),
            (b"U8", Err(FieldTypeError::NoSign)),
            (b" u8", Err(FieldTypeError::NoSign)),
            (b"\0u8", Err(FieldTypeError::NoSign)),
            (b"", Err(FieldTypeError::NoSign)),
        ];
        for (name, field) in cases {
            assert_eq!(FieldType::parse(name), field, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn names_come_back() {
        for signed in [false, true] {
            for bits in 1..=if signed { 64 } else { 63 } {
                let field = FieldType::new(signed, bits).unwrap();
                assert_eq!(field.to_string().parse(), Ok(field));
                let (min, max) = (i128::from(field.min()), i128::from(field.max()));
                let least = if signed { -1 << (bits - 1) } else { 0 };
                assert_eq!((min, max - min), (least, (1 << bits) - 1), "{field}");
            }
        }
    }

    #[test]
    fn messages_say_what_and_where() {
        let message = |name: &str| name.parse::<FieldType>().unwrap_err().to_string();
        assert_eq!(message("x8"), "a field type starts with i or u");
        assert_eq!(message("u08"), "the width at offset 1 of a field type is not a number");
        assert_eq!(message("u64"), "an unsigned field has 1 to 63 bits, got 64");
        assert_eq!(message("i65"), "a signed field has 1 to 64 bits, got 65");
        assert!(size_of::<FieldTypeError>() <= 16);
    }
}
