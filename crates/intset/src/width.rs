use core::fmt;

/// The number of bytes per member.
///
/// The order of the variants is the order of the widths, so that `Width::of(value) > set.width()` says that a value
/// does not fit.
///
/// ```
/// use intset::Width;
///
/// assert_eq!(Width::of(32_767), Width::W16);
/// assert_eq!(Width::of(32_768), Width::W32);
/// assert!(Width::of(i64::MIN) > Width::W32);
/// assert_eq!(Width::W64.bytes(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Width {
    /// Two bytes: -32,768 to 32,767.
    W16,
    /// Four bytes: -2,147,483,648 to 2,147,483,647.
    W32,
    /// Eight bytes: every `i64`.
    W64,
}

impl Width {
    /// The narrowest width that holds `value`. O(1).
    #[inline]
    #[must_use]
    pub fn of(value: i64) -> Self {
        if i16::try_from(value).is_ok() {
            Self::W16
        } else if i32::try_from(value).is_ok() {
            Self::W32
        } else {
            Self::W64
        }
    }

    /// The number of bytes per member: 2, 4 or 8.
    #[inline]
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::W16 => 2,
            Self::W32 => 4,
            Self::W64 => 8,
        }
    }

    /// The width whose number in the header is `tag`.
    #[inline]
    pub(crate) const fn from_tag(tag: u32) -> Option<Self> {
        match tag {
            2 => Some(Self::W16),
            4 => Some(Self::W32),
            8 => Some(Self::W64),
            _ => None,
        }
    }

    /// The number of this width in the header: the bytes of a member.
    #[inline]
    pub(crate) const fn tag(self) -> u32 {
        match self {
            Self::W16 => 2,
            Self::W32 => 4,
            Self::W64 => 8,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits", 8 * self.bytes())
    }
}
