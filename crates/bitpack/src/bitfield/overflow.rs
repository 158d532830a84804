//! What happens to a value that does not fit its field.

use super::FieldType;

/// What happens to a value that does not fit its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Overflow {
    /// The value wraps around: its low bits are stored.
    #[default]
    Wrap,
    /// The value saturates: the least or the greatest value that fits is stored.
    Sat,
    /// Nothing is written.
    Fail,
}

impl FieldType {
    /// The value that a field of this type holds after `value` is written to it, or `None` if it does not fit and
    /// `overflow` is [`Overflow::Fail`].
    ///
    /// As in Redis, an unsigned field treats a negative value as a large one, so it saturates to the greatest value.
    /// Redis also saturates a signed field of n bits below 64 to its *greatest* value for the 2^(n-1) least values of
    /// an `i64`, because its comparison overflows; this function does the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::bitfield::{FieldType, Overflow};
    ///
    /// let [u4, i4] = [FieldType::parse(b"u4")?, FieldType::parse(b"i4")?];
    /// assert_eq!(u4.fit(100, Overflow::Wrap), Some(4));
    /// assert_eq!(u4.fit(100, Overflow::Sat), Some(15));
    /// assert_eq!(u4.fit(-1, Overflow::Sat), Some(15));
    /// assert_eq!(u4.fit(100, Overflow::Fail), None);
    /// assert_eq!(i4.fit(-100, Overflow::Sat), Some(-8));
    /// assert_eq!(i4.fit(i64::MIN, Overflow::Sat), Some(7));
    /// # Ok::<(), bitpack::bitfield::FieldTypeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn fit(self, value: i64, overflow: Overflow) -> Option<i64> {
        let wrapped = self.wrap(value);
        match overflow {
            Overflow::Wrap => Some(wrapped),
            _ if wrapped == value => Some(value),
            Overflow::Sat => {
                let (min, max) = (self.min(), self.max());
                let up = !self.is_signed() || value > max || max.wrapping_sub(value) < 0;
                Some(if up { max } else { min })
            }
            Overflow::Fail => None,
        }
    }

    /// What a field that holds `old` holds after an addition; `None` if the overflow is to fail.
    #[inline]
    pub(super) fn sum(self, old: i64, by: i64, overflow: Overflow) -> Option<i64> {
        let (sum, over) = old.overflowing_add(by);
        let wrapped = self.wrap(sum);
        match overflow {
            Overflow::Wrap => Some(wrapped),
            _ if wrapped == sum && !over => Some(sum),
            Overflow::Sat => Some(if by > 0 { self.max() } else { self.min() }),
            Overflow::Fail => None,
        }
    }
}
