//! An owned string of bits.

use alloc::vec::Vec;

use crate::bitfield::{self, FieldType, Overflow};
use crate::bits::{self, Bits};

/// An owned string of bits that grows with zeros, as a string value does under SETBIT and BITFIELD.
///
/// Two are equal if their bytes are: zeros at the end count, as in Redis.
///
/// # Limits
///
/// The string grows to wherever a bit is written. Validate offsets from untrusted input first: Redis limits them to 512
/// MiB.
///
/// # Examples
///
/// ```
/// use bitpack::Bitmap;
///
/// let mut seen = Bitmap::new();
/// assert!(!seen.set(9, true));
/// assert!(seen.set(9, true));
/// assert_eq!(seen.as_bytes(), [0, 0x40]);
/// assert_eq!(seen.bits().count(), 1);
///
/// let members: Bitmap = [3, 1, 4, 1, 5].into_iter().collect();
/// assert!(members.bits().ones().eq([1, 3, 4, 5]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitmap {
    bytes: Vec<u8>,
}

impl Bitmap {
    /// Creates an empty bitmap, without heap memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Creates a bitmap of these bytes, without a copy.
    #[must_use]
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A borrowed view, which counts, searches and iterates.
    #[inline]
    #[must_use]
    pub fn bits(&self) -> Bits<'_> {
        Bits::new(&self.bytes)
    }

    /// Returns one bit; bits beyond the end are 0. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, offset: u64) -> bool {
        bits::get(&self.bytes, offset)
    }

    /// Sets or clears one bit and returns its previous value. The string grows to hold the bit, even a cleared one, as
    /// under SETBIT.
    ///
    /// # Panics
    ///
    /// If the string would be longer than `isize::MAX` bytes.
    #[inline]
    pub fn set(&mut self, offset: u64, on: bool) -> bool {
        self.grow(bits::bytes_for(offset));
        bits::set(&mut self.bytes, offset, on)
    }

    /// Reads the integer in a field; bits beyond the end are 0. See [`bitfield::get`].
    #[inline]
    #[must_use]
    pub fn field(&self, field: FieldType, offset: u64) -> i64 {
        bitfield::get(&self.bytes, field, offset)
    }

    /// Writes a field and returns its previous value, or `None` if the value does not fit and the overflow mode is
    /// [`Overflow::Fail`]. The string grows to hold the field even then, as under BITFIELD. See [`bitfield::set`].
    ///
    /// # Panics
    ///
    /// If the string would be longer than `isize::MAX` bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::{Bitmap, bitfield::{FieldType, Overflow}};
    ///
    /// let mut levels = Bitmap::new();
    /// let u4 = FieldType::parse(b"u4")?;
    /// assert_eq!(levels.set_field(u4, 4, 100, Overflow::Sat), Some(0));
    /// assert_eq!(levels.set_field(u4, 8, 100, Overflow::Fail), None);
    /// assert_eq!(levels.as_bytes(), [0x0f, 0x00]);
    /// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
    /// ```
    #[inline]
    pub fn set_field(
        &mut self,
        field: FieldType,
        offset: u64,
        value: i64,
        overflow: Overflow,
    ) -> Option<i64> {
        self.grow(field.bytes_for(offset));
        bitfield::set(&mut self.bytes, field, offset, value, overflow)
    }

    /// Adds to a field and returns its new value, or `None` if that does not fit and the overflow mode is
    /// [`Overflow::Fail`]. The string grows to hold the field even then, as under BITFIELD. See [`bitfield::add`].
    ///
    /// # Panics
    ///
    /// If the string would be longer than `isize::MAX` bytes.
    #[inline]
    pub fn add_field(
        &mut self,
        field: FieldType,
        offset: u64,
        by: i64,
        overflow: Overflow,
    ) -> Option<i64> {
        self.grow(field.bytes_for(offset));
        bitfield::add(&mut self.bytes, field, offset, by, overflow)
    }

    #[inline]
    #[expect(clippy::expect_used, reason = "the panic is documented, as for a capacity overflow")]
    fn grow(&mut self, len: Option<usize>) {
        let len = len.expect("the string would be longer than isize::MAX bytes");
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
        }
    }
}

impl AsRef<[u8]> for Bitmap {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Vec<u8>> for Bitmap {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from_bytes(bytes)
    }
}

impl From<Bitmap> for Vec<u8> {
    fn from(bitmap: Bitmap) -> Self {
        bitmap.into_bytes()
    }
}

/// Sets the bits at these offsets.
impl Extend<u64> for Bitmap {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, offsets: I) {
        for offset in offsets {
            self.set(offset, true);
        }
    }
}

/// The bits at these offsets, set.
impl FromIterator<u64> for Bitmap {
    fn from_iter<I: IntoIterator<Item = u64>>(offsets: I) -> Self {
        let mut bitmap = Self::new();
        bitmap.extend(offsets);
        bitmap
    }
}
