//! Errors of creating, adding, merging and loading.

use core::fmt;

use crate::settings::{MAX_CAPACITY, MAX_EXPANSION};

/// Why a link of this size cannot be created.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeError {
    /// The capacity is 0 or does not fit 64 bits.
    Capacity {
        /// The requested capacity; `None` if it does not fit 64 bits.
        got: Option<u64>,
    },
    /// The error rate is not between 0 and 1, neither included.
    ErrorRate {
        /// The requested rate.
        got: f64,
    },
    /// The bit array does not fit into memory, or its length into 63 bits.
    OutOfMemory {
        /// Bytes of the bit array, `u64::MAX` if that does not fit.
        bytes: u64,
    },
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Capacity { got: Some(got) } => write!(f, "cannot create a link for {got} items"),
            Self::Capacity { got: None } => {
                f.write_str("the capacity of the next link does not fit in 64 bits")
            }
            Self::ErrorRate { got } => {
                write!(f, "error rate {got:e} is not between 0 and 1 (exclusive)")
            }
            Self::OutOfMemory { bytes } => {
                write!(f, "cannot allocate a bit array of {bytes} bytes")
            }
        }
    }
}

impl core::error::Error for SizeError {}

/// Why [`Settings`](crate::Settings) are not valid.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingsError {
    /// The capacity is 0 or above [`MAX_CAPACITY`].
    Capacity {
        /// The requested capacity.
        got: u64,
    },
    /// The expansion is above [`MAX_EXPANSION`].
    Expansion {
        /// The requested expansion.
        got: u32,
    },
    /// The first link cannot be created.
    Size(SizeError),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Capacity { got } => {
                write!(f, "capacity {got} is not between 1 and {MAX_CAPACITY}")
            }
            Self::Expansion { got } => {
                write!(f, "expansion {got} is not between 0 and {MAX_EXPANSION}")
            }
            Self::Size(why) => why.fmt(f),
        }
    }
}

impl core::error::Error for SettingsError {}

impl From<SizeError> for SettingsError {
    fn from(why: SizeError) -> Self {
        Self::Size(why)
    }
}

/// Why an item was not added. The filter is unchanged.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AddError {
    /// The filter does not scale and is full.
    Full {
        /// The capacity of the filter, in items.
        capacity: u64,
    },
    /// The filter is full, and a further link cannot be created.
    Grow(SizeError),
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Full { capacity } => {
                write!(f, "the filter does not scale and is full with {capacity} items")
            }
            Self::Grow(why) => write!(f, "the filter cannot grow: {why}"),
        }
    }
}

impl core::error::Error for AddError {}

/// Why two filters cannot be merged. Both are unchanged.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// The bit arrays of the union are larger than allowed.
    OutOfMemory {
        /// Their bytes.
        bytes: u64,
    },
    /// The filters have different settings, so the same item has different bits.
    Different,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfMemory { bytes } => {
                write!(f, "the union requires {bytes} bytes, more than allowed")
            }
            Self::Different => f.write_str("the filters have different settings"),
        }
    }
}

impl core::error::Error for MergeError {}

/// An error in a header or in the fields of a saved filter, and its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeError {
    pub(crate) at: usize,
    pub(crate) fault: Fault,
}

impl DecodeError {
    pub(crate) const fn new(at: usize, fault: Fault) -> Self {
        Self { at, fault }
    }

    /// The position: the offset of the byte in a header, or the index of the field (from 0).
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The kind of error.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.fault
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.fault, self.at)
    }
}

impl core::error::Error for DecodeError {}

/// The kind of an error in a saved filter.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The header or the fields end too early.
    Short,
    /// Data follow the last link.
    Tail,
    /// A field has the wrong type, such as a number instead of bytes.
    WrongKind,
    /// The encoding version is unknown, or one with other hashes.
    Version {
        /// The version.
        got: u16,
    },
    /// The options are not those of current filters: other hashes, or sizes that are powers of two.
    Options {
        /// The options.
        got: u64,
    },
    /// The expansion does not fit 32 bits.
    Expansion {
        /// The expansion.
        got: u64,
    },
    /// The filter has no link.
    NoLinks,
    /// A link has capacity 0.
    NoEntries,
    /// The error rate is not between 0 and 1, neither included.
    ErrorRate {
        /// The rate.
        got: f64,
    },
    /// The number of hashes is not the one that follows from the bits per item.
    Hashes {
        /// Stored hashes.
        got: u64,
        /// Expected hashes.
        expected: u32,
    },
    /// The bits per item are not those that follow from the error rate.
    BitsPerItem {
        /// Stored bits per item.
        got: f64,
        /// Expected bits per item.
        expected: f64,
    },
    /// A link's capacity is larger than its bits allow.
    Capacity {
        /// Stored number of items.
        got: u64,
        /// Stored number of bits.
        bits: u64,
    },
    /// The number of bits is not that of the bit array.
    Bits {
        /// Stored number of bits.
        got: u64,
        /// Bytes of the array.
        bytes: u64,
    },
    /// The size is stored as a power of two, which current filters do not have.
    PowerOfTwo {
        /// The exponent.
        got: u64,
    },
    /// The number of items in the header is not the sum of those of its links.
    Size {
        /// Stored number of items.
        got: u64,
    },
    /// The bit arrays are larger than allowed, or than the memory.
    TooLarge {
        /// Bytes of all arrays up to and including this one.
        bytes: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Short => f.write_str("unexpected end of the filter"),
            Self::Tail => f.write_str("trailing data after the last link"),
            Self::WrongKind => f.write_str("unexpected field type"),
            Self::Version { got } => write!(f, "unknown encoding version {got}"),
            Self::Options { got } => write!(f, "options are {got}, expected 5 or 13"),
            Self::Expansion { got } => write!(f, "expansion {got} does not fit in 32 bits"),
            Self::NoLinks => f.write_str("the filter has no links"),
            Self::NoEntries => f.write_str("a link has capacity 0"),
            Self::ErrorRate { got } => {
                write!(f, "error rate {got:e} is not between 0 and 1 (exclusive)")
            }
            Self::Hashes { got, expected } => {
                write!(f, "a link has {got} hashes, expected {expected}")
            }
            Self::BitsPerItem { got, expected } => {
                write!(f, "a link has {got} bits per item, expected {expected}")
            }
            Self::Capacity { got, bits } => {
                write!(f, "link capacity {got} is too large for {bits} bits")
            }
            Self::Bits { got, bytes } => {
                write!(f, "a link has {got} bits in an array of {bytes} bytes")
            }
            Self::PowerOfTwo { got } => write!(f, "a size of 2^{got} bits is not supported"),
            Self::Size { got } => {
                write!(f, "item count {got} is not the sum of the item counts of the links")
            }
            Self::TooLarge { bytes } => write!(f, "bit arrays of {bytes} bytes are too large"),
        }
    }
}

/// Why a chunk was not loaded. Nothing has changed.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The cursor is too small for a chunk of this length.
    Cursor {
        /// The cursor.
        got: u64,
    },
    /// The chunk starts after the last bit array.
    PastEnd {
        /// Offset at which the chunk starts.
        at: u64,
    },
    /// The chunk crosses the end of the bit array that it starts in.
    CrossesLink {
        /// Offset at which the chunk starts.
        at: u64,
        /// Offset at which the bit array ends.
        end: u64,
    },
    /// The chunk starts after a gap.
    Gap {
        /// Offset at which the chunk starts.
        at: u64,
        /// Offset up to which bytes have arrived.
        loaded: u64,
    },
    /// Bytes are missing.
    Incomplete {
        /// Bytes of bit arrays that have arrived.
        loaded: u64,
        /// Bytes of bit arrays according to the header.
        total: u64,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cursor { got } => write!(f, "cursor {got} is too small for its chunk"),
            Self::PastEnd { at } => {
                write!(f, "the chunk at offset {at} starts after the last link")
            }
            Self::CrossesLink { at, end } => {
                write!(
                    f,
                    "the chunk at offset {at} extends beyond its link, which ends at offset {end}"
                )
            }
            Self::Gap { at, loaded } => {
                write!(
                    f,
                    "the chunk at offset {at} leaves a gap after the {loaded} bytes loaded so far"
                )
            }
            Self::Incomplete { loaded, total } => {
                write!(f, "only {loaded} of {total} bytes are loaded")
            }
        }
    }
}

impl core::error::Error for LoadError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_and_where() {
        let cases: [(&dyn fmt::Display, &str); 25] = [
            (&SizeError::Capacity { got: Some(0) }, "cannot create a link for 0 items"),
            (
                &SizeError::Capacity { got: None },
                "the capacity of the next link does not fit in 64 bits",
            ),
            (
                &SizeError::ErrorRate { got: 1.0 },
                "error rate 1e0 is not between 0 and 1 (exclusive)",
            ),
            (&SizeError::OutOfMemory { bytes: 9 }, "cannot allocate a bit array of 9 bytes"),
            (&SettingsError::Capacity { got: 0 }, "capacity 0 is not between 1 and 1073741824"),
            (
                &SettingsError::Expansion { got: 40_000 },
                "expansion 40000 is not between 0 and 32768",
            ),
            (&AddError::Full { capacity: 3 }, "the filter does not scale and is full with 3 items"),
            (
                &AddError::Grow(SizeError::OutOfMemory { bytes: 9 }),
                "the filter cannot grow: cannot allocate a bit array of 9 bytes",
            ),
            (
                &MergeError::OutOfMemory { bytes: 16 },
                "the union requires 16 bytes, more than allowed",
            ),
            (&MergeError::Different, "the filters have different settings"),
            (&DecodeError::new(20, Fault::Short), "unexpected end of the filter at position 20"),
            (
                &DecodeError::new(0, Fault::Version { got: 1 }),
                "unknown encoding version 1 at position 0",
            ),
            (
                &DecodeError::new(12, Fault::Options { got: 4 }),
                "options are 4, expected 5 or 13 at position 12",
            ),
            (
                &DecodeError::new(60, Fault::Hashes { got: 9, expected: 8 }),
                "a link has 9 hashes, expected 8 at position 60",
            ),
            (
                &DecodeError::new(28, Fault::Bits { got: 9, bytes: 1 }),
                "a link has 9 bits in an array of 1 bytes at position 28",
            ),
            (
                &DecodeError::new(52, Fault::BitsPerItem { got: 9.0, expected: 9.5 }),
                "a link has 9 bits per item, expected 9.5 at position 52",
            ),
            (
                &DecodeError::new(64, Fault::Capacity { got: 9, bits: 64 }),
                "link capacity 9 is too large for 64 bits at position 64",
            ),
            (
                &DecodeError::new(72, Fault::PowerOfTwo { got: 9 }),
                "a size of 2^9 bits is not supported at position 72",
            ),
            (
                &DecodeError::new(0, Fault::Size { got: 9 }),
                "item count 9 is not the sum of the item counts of the links at position 0",
            ),
            (
                &DecodeError::new(20, Fault::TooLarge { bytes: 9 }),
                "bit arrays of 9 bytes are too large at position 20",
            ),
            (&LoadError::Cursor { got: 3 }, "cursor 3 is too small for its chunk"),
            (&LoadError::PastEnd { at: 3 }, "the chunk at offset 3 starts after the last link"),
            (
                &LoadError::CrossesLink { at: 3, end: 8 },
                "the chunk at offset 3 extends beyond its link, which ends at offset 8",
            ),
            (
                &LoadError::Gap { at: 9, loaded: 8 },
                "the chunk at offset 9 leaves a gap after the 8 bytes loaded so far",
            ),
            (&LoadError::Incomplete { loaded: 1, total: 8 }, "only 1 of 8 bytes are loaded"),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn errors_stay_small() {
        assert!(size_of::<DecodeError>() <= 32);
        assert!(size_of::<AddError>() <= 24);
        assert!(size_of::<LoadError>() <= 24);
    }
}
