//! The limits that determine the nodes of a list.

/// The bytes of a node, by the negative values of `list-max-listpack-size`: -1 first.
const BYTES: [usize; 5] = [4096, 8192, 16_384, 32_768, 65_536];

/// The maximum bytes of a node of several elements if their number is limited.
const SAFE_BYTES: usize = 8192;

/// The assumed overhead of an element in addition to its text, in bytes: more than it needs.
const ELEMENT_OVERHEAD: usize = 8;

/// The maximum size of a node: Redis's `list-max-listpack-size`.
///
/// ```
/// use quicklist::Fill;
///
/// assert_eq!(Fill::default(), Fill::new(-2));
/// assert_eq!(Fill::new(-2).limits(), (Some(8192), None));
/// assert_eq!(Fill::new(128).limits(), (None, Some(128)));
/// assert_eq!(Fill::new(-9), Fill::new(-5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "i64", into = "i64"))]
pub struct Fill(i16);

impl Fill {
    /// Creates a fill from a value of `list-max-listpack-size`: -1 to -5 for 4, 8, 16, 32 and 64 KiB per node, a
    /// positive number for that many elements per node. A value out of range counts as the nearest one, 0 as 1.
    #[must_use]
    pub const fn new(size: i64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the value is between the two limits")]
        match size {
            ..=-5 => Self(-5),
            0 => Self(1),
            -4..=0x7fff => Self(size as i16),
            _ => Self(i16::MAX),
        }
    }

    /// The value of `list-max-listpack-size`.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0 as i64
    }

    /// The maximum bytes of a node and the maximum elements; exactly one of the two is set.
    #[must_use]
    pub fn limits(self) -> (Option<usize>, Option<usize>) {
        match usize::try_from(self.0) {
            Ok(elements) => (None, Some(elements)),
            Err(_) => (self.bytes(), None),
        }
    }

    /// Returns whether a listpack of this many bytes and elements exceeds the limit of a node.
    ///
    /// If elements are limited, more than 8,192 bytes also exceed the limit.
    #[must_use]
    pub fn is_exceeded(self, bytes: usize, elements: usize) -> bool {
        bytes > self.most_bytes() || usize::try_from(self.0).is_ok_and(|most| elements > most)
    }

    /// The most bytes of a node of several elements.
    pub(crate) fn most_bytes(self) -> usize {
        self.bytes().unwrap_or(SAFE_BYTES)
    }

    /// The maximum bytes of a node, if they are limited.
    fn bytes(self) -> Option<usize> {
        let level = usize::try_from(-1 - i32::from(self.0)).ok()?;
        BYTES.get(level).copied()
    }
}

impl Default for Fill {
    fn default() -> Self {
        Self::new(-2)
    }
}

impl From<i64> for Fill {
    fn from(size: i64) -> Self {
        Self::new(size)
    }
}

impl From<Fill> for i64 {
    fn from(fill: Fill) -> Self {
        fill.get()
    }
}

/// The limits that determine the nodes of a list. A list keeps the limits that it was created with, as on a server.
///
/// ```
/// use quicklist::{Fill, Limits};
///
/// let limits = Limits { fill: Fill::new(128), depth: 1, ..Limits::default() };
/// assert_eq!(limits.plain_from, 1 << 30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// The maximum size of a node: `list-max-listpack-size`.
    pub fill: Fill,
    /// The number of nodes at either end that stay uncompressed: `list-compress-depth`. 0 disables compression.
    pub depth: u16,
    /// Elements of at least this many bytes have a plain node each: 1 GiB before 7.4. 0, as from 7.4 on, means elements
    /// that are larger than a node may be. On a server, DEBUG QUICKLIST-PACKED-THRESHOLD changes it.
    pub plain_from: u32,
    /// Whether two nodes are merged only if their bytes fit the limit exactly, as from 7.2 on. Before, they may exceed
    /// it by 4 bytes.
    pub exact_merge: bool,
    /// Whether nodes are merged around an element that replaced a smaller one and has its own node, as from 7.2 on.
    pub merge_replaced: bool,
}

impl Default for Limits {
    /// The configuration that a server of 7.2 starts with.
    fn default() -> Self {
        Self {
            fill: Fill::default(),
            depth: 0,
            plain_from: 1 << 30,
            exact_merge: true,
            merge_replaced: true,
        }
    }
}

impl Limits {
    /// Whether an element of `len` bytes is stored in a plain node.
    pub(crate) fn is_large(&self, len: usize) -> bool {
        match self.plain_from {
            0 => len > self.fill.most_bytes(),
            from => len as u64 >= u64::from(from),
        }
    }

    /// Whether a listpack of this many bytes and elements takes another element of `len` bytes.
    pub(crate) fn allow_push(&self, bytes: usize, elements: usize, len: usize) -> bool {
        let bytes = bytes.saturating_add(len).saturating_add(ELEMENT_OVERHEAD);
        // Without a limit of its own, a large element exceeds that of the node.
        let is_large = self.plain_from > 0 && self.is_large(len);
        !is_large && !self.fill.is_exceeded(bytes, elements + 1)
    }

    /// Whether two listpacks with this many bytes and elements in total are merged.
    pub(crate) fn allow_merge(&self, bytes: usize, elements: usize) -> bool {
        // One header and one end marker are saved: seven bytes.
        let shared = if self.exact_merge { 7 } else { 11 };
        !self.fill.is_exceeded(bytes.saturating_sub(shared), elements)
    }
}
