//! The options of the commands on bits: ranges, and what BITFIELD does.

use std::fmt;

use bitpack::bitfield::{FieldType, Overflow};

/// What the ends of a [`BitRange`] count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BitUnit {
    /// Bytes.
    #[default]
    Byte,
    /// Bits.
    Bit,
}

/// A part of a string for BITCOUNT and BITPOS: from one byte or bit to another, both included; negative numbers count
/// from the end. What lies outside is cut off.
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
    /// From one to another of a unit.
    #[must_use]
    pub const fn new(start: i64, end: i64, unit: BitUnit) -> Self {
        Self { start, end: Some(end), unit }
    }

    /// From one byte to another.
    #[must_use]
    pub const fn bytes(start: i64, end: i64) -> Self {
        Self::new(start, end, BitUnit::Byte)
    }

    /// From one bit to another.
    #[must_use]
    pub const fn bits(start: i64, end: i64) -> Self {
        Self::new(start, end, BitUnit::Bit)
    }

    /// From one byte on. A search for a 0 goes on behind the end of the string, where there are only such.
    #[must_use]
    pub const fn bytes_from(start: i64) -> Self {
        Self { start, end: None, unit: BitUnit::Byte }
    }

    /// Whether it ends where the string does, wherever that is.
    pub(super) const fn is_open(self) -> bool {
        self.end.is_none()
    }

    /// Whether both ends count from the end of the string and are in the wrong order, so that nothing is meant however
    /// long the string is.
    pub(super) fn is_inverted(self) -> bool {
        self.end.is_some_and(|end| self.start < 0 && end < 0 && self.start > end)
    }

    /// The bits of a string of `len` bytes that are meant; `None` if there are none.
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

/// An operation of BITFIELD: reads, writes or adds to a number of some bits at some bit.
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

/// What is done to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Action {
    Get,
    Set(i64),
    IncrBy(i64),
}

impl BitFieldOp {
    /// GET: the number at `offset`, in bits.
    #[must_use]
    pub const fn get(field: FieldType, offset: u64) -> Self {
        Self::new(field, offset, Action::Get)
    }

    /// SET: writes a number; the answer is the old one.
    #[must_use]
    pub const fn set(field: FieldType, offset: u64, value: i64) -> Self {
        Self::new(field, offset, Action::Set(value))
    }

    /// INCRBY: adds to a number; the answer is the new one.
    #[must_use]
    pub const fn incr_by(field: FieldType, offset: u64, increment: i64) -> Self {
        Self::new(field, offset, Action::IncrBy(increment))
    }

    /// OVERFLOW: what happens to a number that does not fit; without this its low bits are kept. The answer of an
    /// operation that fails is `None`.
    #[must_use]
    pub const fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    const fn new(field: FieldType, offset: u64, action: Action) -> Self {
        Self { field, offset, action, overflow: Overflow::Wrap }
    }

    /// Whether it may write.
    pub(crate) const fn writes(&self) -> bool {
        !matches!(self.action, Action::Get)
    }
}

/// As BITFIELD takes it.
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
