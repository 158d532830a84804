use core::fmt;

/// The values of one shard: all `i64` that share all but their `width` low bits.
///
/// ```
/// use intset::Prefix;
///
/// let shard = Prefix::new(0x0123_4567, 8);
/// assert_eq!((shard.first(), shard.last()), (0x0123_4500, 0x0123_45ff));
/// assert!(shard.contains(0x0123_4567) && !shard.contains(0x0123_4600));
///
/// assert_eq!(Prefix::spanning(0x0123_4510, 0x0123_453f), Prefix::new(0x0123_4500, 6));
/// assert_eq!(Prefix::spanning(-1, 0).width(), 64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prefix {
    first: i64,
    width: u32,
}

impl Prefix {
    /// The values that share all but their `width` low bits with `value`; with a width of 64, all values.
    ///
    /// # Panics
    ///
    /// If `width` is above 64.
    #[inline]
    #[must_use]
    pub const fn new(value: i64, width: u32) -> Self {
        assert!(width <= i64::BITS, "an i64 has 64 bits");
        // Of all 64 bits the least value is the one with the sign.
        let first = if width == i64::BITS { i64::MIN } else { value & (-1 << width) };
        Self { first, width }
    }

    /// The longest prefix that `a` and `b` share. The least and the greatest member of a set give the
    /// prefix of the set.
    #[inline]
    #[must_use]
    pub const fn spanning(a: i64, b: i64) -> Self {
        Self::new(a, i64::BITS - (a ^ b).leading_zeros())
    }

    /// The number of low bits that are free: 0 to 64.
    #[inline]
    #[must_use]
    pub const fn width(self) -> u32 {
        self.width
    }

    /// The least value.
    #[inline]
    #[must_use]
    pub const fn first(self) -> i64 {
        self.first
    }

    /// The greatest value.
    #[inline]
    #[must_use]
    pub const fn last(self) -> i64 {
        match self.width {
            i64::BITS => i64::MAX,
            width => self.first | !(-1 << width),
        }
    }

    /// Whether `value` has this prefix.
    #[inline]
    #[must_use]
    pub const fn contains(self, value: i64) -> bool {
        self.first <= value && value <= self.last()
    }
}

/// As the range it is.
impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefix({}..={})", self.first, self.last())
    }
}
