//! The options of the commands on bits: ranges, and the operations of BITFIELD.

use std::fmt;

use bitpack::bitfield::{FieldType, Overflow};

/// The unit of a [`BitRange`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BitUnit {
    /// Bytes.
    #[default]
    Byte,
    /// Bits.
    Bit,
}

/// A range of a string for BITCOUNT and BITPOS, in bytes or bits, both ends included; negative numbers count from the
/// end. Offsets beyond the ends are clamped.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{BitRange, Store};
///
/// let store = Store::new();
/// store.set("k", "foobar")?;
/// assert_eq!(store.bitcount_in("k", BitRange::bytes(1, 1))?, 6);
/// assert_eq!(store.bitcount_in("k", BitRange::bits(5, 30))?, 17);
/// assert_eq!(store.bitcount_in("k", BitRange::bytes_from(-2))?, 7);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BitRange {
    start: i64,
    end: Option<i64>,
    unit: BitUnit,
}

impl BitRange {
    /// Creates a range in the given unit.
    #[must_use]
    pub const fn new(start: i64, end: i64, unit: BitUnit) -> Self {
        Self { start, end: Some(end), unit }
    }

    /// Creates a range of bytes.
    #[must_use]
    pub const fn bytes(start: i64, end: i64) -> Self {
        Self::new(start, end, BitUnit::Byte)
    }

    /// Creates a range of bits.
    #[must_use]
    pub const fn bits(start: i64, end: i64) -> Self {
        Self::new(start, end, BitUnit::Bit)
    }

    /// Creates a range from a byte to the end. A search for a 0 bit continues after the end of the string, where all
    /// bits are 0.
    #[must_use]
    pub const fn bytes_from(start: i64) -> Self {
        Self { start, end: None, unit: BitUnit::Byte }
    }

    /// Returns whether the range has no explicit end.
    pub(super) const fn is_open(self) -> bool {
        self.end.is_none()
    }

    /// Returns whether both ends count from the end of the string and are in the wrong order, so that the range is
    /// empty for any length.
    pub(super) fn is_inverted(self) -> bool {
        self.end.is_some_and(|end| self.start < 0 && end < 0 && self.start > end)
    }

    /// The range of bits in a string of `len` bytes; `None` if it is empty.
    pub(super) fn resolve(self, len: usize) -> Option<std::ops::Range<u64>> {
        let scale = if self.unit == BitUnit::Bit { 1 } else { 8 };
        let total = len as u64 * 8 / scale;
        let from_start = |index: i64| {
            let distance = index.unsigned_abs();
            if index < 0 { total.saturating_sub(distance) } else { distance }
        };
        let first = from_start(self.start);
        let last = from_start(self.end.unwrap_or(-1)).min(total.checked_sub(1)?);
        (first <= last).then(|| first * scale..(last + 1) * scale)
    }
}

/// An operation of BITFIELD: reads, writes or increments an integer of some bits at a bit offset.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{BitFieldOp, FieldType, Overflow, Store};
///
/// let store = Store::new();
/// let u4 = FieldType::unsigned(4).unwrap();
/// let operations = [
///     BitFieldOp::set(u4, 0, 15),
///     BitFieldOp::incr_by(u4, 0, 1),
///     BitFieldOp::incr_by(u4, 4, 100).overflow(Overflow::Sat),
///     BitFieldOp::incr_by(u4, 4, 1).overflow(Overflow::Fail),
///     BitFieldOp::get(u4, 4),
/// ];
/// assert_eq!(store.bitfield("k", operations)?, [Some(0), Some(0), Some(15), None, Some(15)]);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BitFieldOp {
    pub(super) field: FieldType,
    pub(super) offset: u64,
    pub(super) action: Action,
    pub(super) overflow: Overflow,
}

/// The action of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Action {
    Get,
    Set(i64),
    IncrBy(i64),
}

impl BitFieldOp {
    /// GET: reads the integer at `offset`, in bits.
    #[must_use]
    pub const fn get(field: FieldType, offset: u64) -> Self {
        Self::new(field, offset, Action::Get)
    }

    /// SET: writes an integer; the result is the old one.
    #[must_use]
    pub const fn set(field: FieldType, offset: u64, value: i64) -> Self {
        Self::new(field, offset, Action::Set(value))
    }

    /// INCRBY: adds to an integer; the result is the new one.
    #[must_use]
    pub const fn incr_by(field: FieldType, offset: u64, increment: i64) -> Self {
        Self::new(field, offset, Action::IncrBy(increment))
    }

    /// OVERFLOW: sets what happens if the result does not fit; default: wrap around. The result of an operation that
    /// fails is `None`.
    #[must_use]
    pub const fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    const fn new(field: FieldType, offset: u64, action: Action) -> Self {
        Self { field, offset, action, overflow: Overflow::Wrap }
    }

    /// Returns whether the operation may write.
    pub(crate) const fn writes(&self) -> bool {
        !matches!(self.action, Action::Get)
    }
}

/// Formats the operation as BITFIELD takes it.
impl fmt::Display for BitFieldOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.overflow {
            Overflow::Wrap => {}
            Overflow::Sat => f.write_str("OVERFLOW SAT ")?,
            Overflow::Fail => f.write_str("OVERFLOW FAIL ")?,
        }
        let Self { field, offset, .. } = self;
        match self.action {
            Action::Get => write!(f, "GET {field} {offset}"),
            Action::Set(value) => write!(f, "SET {field} {offset} {value}"),
            Action::IncrBy(by) => write!(f, "INCRBY {field} {offset} {by}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BitRange;

    #[test]
    fn ranges_are_cut_to_the_string() {
        let max = i64::MAX;
        let min = i64::MIN;
        for (start, end, len, bits) in [
            (0, -1, 3, Some(0..24)),
            (1, 1, 3, Some(8..16)),
            (-2, -2, 3, Some(8..16)),
            (2, 1, 3, None),
            (-1, -2, 3, None),
            (-99, -100, 3, Some(0..8)),
            (min, max, 3, Some(0..24)),
            (max, max, 3, None),
            (min, min, 3, Some(0..8)),
            (0, -1, 0, None),
            (3, 9, 3, None),
        ] {
            assert_eq!(BitRange::bytes(start, end).resolve(len), bits, "{start} {end} of {len}");
        }
        for (start, end, len, bits) in [
            (0, -1, 3, Some(0..24)),
            (5, 9, 3, Some(5..10)),
            (-5, -5, 3, Some(19..20)),
            (23, max, 3, Some(23..24)),
            (24, max, 3, None),
            (0, 0, 0, None),
        ] {
            assert_eq!(BitRange::bits(start, end).resolve(len), bits, "{start} {end} of {len}");
        }
        assert_eq!(BitRange::bytes_from(-1).resolve(3), Some(16..24));
        assert!(BitRange::bytes_from(0).is_open() && !BitRange::bytes(0, -1).is_open());
        assert!(BitRange::bits(-99, -100).is_inverted() && !BitRange::bits(2, 1).is_inverted());
    }
}
