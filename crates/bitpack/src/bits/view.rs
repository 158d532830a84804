//! The operations on bits, as methods of a borrowed string.

use core::ops::Range;

use super::{Ones, Runs};
use crate::bitfield::{self, FieldType};

/// A borrowed string of bits.
///
/// # Examples
///
/// ```
/// use bitpack::Bits;
///
/// let bits = Bits::new(b"foobar");
/// assert_eq!(bits.len(), 48);
/// assert_eq!(bits.count(), 26);
/// assert_eq!(bits.count_bytes(1..2), 6);
/// assert_eq!(bits.count_in(5..31), 17);
/// assert_eq!(bits.position(true), Some(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits<'a> {
    bytes: &'a [u8],
}

impl<'a> Bits<'a> {
    /// Creates a view of these bytes.
    #[inline]
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The bytes.
    #[inline]
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The number of bits, set or not: eight per byte.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u64 {
        super::len(self.bytes)
    }

    /// Whether the string is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns one bit; bits beyond the end are 0. O(1).
    #[inline]
    #[must_use]
    pub fn get(self, offset: u64) -> bool {
        super::get(self.bytes, offset)
    }

    /// Counts the set bits; see [`count`](super::count()).
    #[inline]
    #[must_use]
    pub fn count(self) -> u64 {
        super::count(self.bytes)
    }

    /// Counts the set bits in a range of bits; bits beyond the end are 0.
    #[inline]
    #[must_use]
    pub fn count_in(self, bits: Range<u64>) -> u64 {
        super::count_in(self.bytes, bits)
    }

    /// Counts the set bits in a range of bytes; bytes beyond the end are 0.
    #[must_use]
    pub fn count_bytes(self, bytes: Range<usize>) -> u64 {
        let end = bytes.end.min(self.bytes.len());
        self.bytes.get(bytes.start..end).map_or(0, super::count)
    }

    /// Returns the offset of the first bit that equals `bit`; see [`position`](super::position).
    #[inline]
    #[must_use]
    pub fn position(self, bit: bool) -> Option<u64> {
        super::position(self.bytes, bit)
    }

    /// Returns the offset, from the start of the string, of the first bit in a range of bits that equals `bit`.
    #[inline]
    #[must_use]
    pub fn position_in(self, bit: bool, bits: Range<u64>) -> Option<u64> {
        super::position_in(self.bytes, bit, bits)
    }

    /// Returns the offset, from the start of the string, of the first bit in a range of bytes that equals `bit`.
    #[must_use]
    pub fn position_bytes(self, bit: bool, bytes: Range<usize>) -> Option<u64> {
        let first = |at: usize| (at as u64).saturating_mul(8);
        super::position_in(self.bytes, bit, first(bytes.start)..first(bytes.end))
    }

    /// Iterates over the offsets of the set bits, in ascending order.
    #[inline]
    #[must_use]
    pub fn ones(self) -> Ones<'a> {
        super::ones(self.bytes)
    }

    /// Iterates over the maximal runs of set bits, in ascending order.
    #[inline]
    #[must_use]
    pub fn runs(self) -> Runs<'a> {
        super::runs(self.bytes)
    }

    /// Reads the integer in a field; bits beyond the end are 0. See [`bitfield::get`].
    #[inline]
    #[must_use]
    pub fn field(self, field: FieldType, offset: u64) -> i64 {
        bitfield::get(self.bytes, field, offset)
    }
}
