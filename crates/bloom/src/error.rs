//! Why a filter cannot be made, added to, merged or loaded.

use core::fmt;

use crate::settings::{MAX_CAPACITY, MAX_EXPANSION};

/// Why there can be no link of this size, or none that is larger.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeError {
    /// A link for no items, or for more than 64 bits count.
    Capacity {
        /// The items asked for; `None` where they do not fit into 64 bits.
        got: Option<u64>,
    },
    /// The error rate is not between 0 and 1, neither included.
    ErrorRate {
        /// The rate asked for.
        got: f64,
    },
    /// The bits do not fit into the memory of this machine, or into 63 bits.
    OutOfMemory {
        /// Bytes of the bit array, `u64::MAX` where they cannot be counted.
        bytes: u64,
    },
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Capacity { got: Some(got) } => write!(f, "a link cannot be made for {got} items"),
            Self::Capacity { got: None } => {
                f.write_str("the next link would be for more items than 64 bits count")
            }
            Self::ErrorRate { got } => {
                write!(f, "error rate {got:e} is not between 0 and 1, neither included")
            }
            Self::OutOfMemory { bytes } => {
                write!(f, "no memory for a bit array of {bytes} bytes")
            }
        }
    }
}

impl core::error::Error for SizeError {}

/// Why settings make no filter.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingsError {
    /// The capacity is 0 or above [`MAX_CAPACITY`].
    Capacity {
        /// The capacity asked for.
        got: u64,
    },
    /// The expansion is above [`MAX_EXPANSION`].
    Expansion {
        /// The expansion asked for.
        got: u32,
    },
    /// There is no first link of this size.
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

/// Why an item was not added. The filter is as it was.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AddError {
    /// The filter does not scale, and holds what it was made for.
    Full {
        /// Items that it was made for.
        capacity: u64,
    },
    /// The filter is full, and no further link can be made.
    Grow(SizeError),
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Full { capacity } => {
                write!(f, "a filter that does not scale is full with {capacity} items")
            }
            Self::Grow(why) => write!(f, "the filter cannot grow: {why}"),
        }
    }
}

impl core::error::Error for AddError {}

/// Why two filters have no union. Both are as they were.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// The bit arrays of the union are larger than the caller allows.
    OutOfMemory {
        /// The bytes of them.
        bytes: u64,
    },
    /// They were made with other settings, so that the same item has other bits.
    Different,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfMemory { bytes } => {
                write!(f, "the union takes {bytes} bytes, more than allowed")
            }
            Self::Different => f.write_str("the filters were made with different settings"),
        }
    }
}

impl core::error::Error for MergeError {}

/// What is wrong with a header or with the fields of a saved filter, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeError {
    pub(crate) at: usize,
    pub(crate) fault: Fault,
}

impl DecodeError {
    pub(crate) const fn new(at: usize, fault: Fault) -> Self {
        Self { at, fault }
    }

    /// Where: the offset of the byte in a header, the number of the field (from 0) among fields.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// What.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.fault
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.fault, self.at)
    }
}

impl core::error::Error for DecodeError {}

/// What is wrong with a saved filter.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The header or the fields end here.
    Short,
    /// Something follows the last link.
    Tail,
    /// A number where bytes should be, or the like.
    WrongKind,
    /// An encoding version that is not known, or that has other hashes.
    Version {
        /// The version.
        got: u16,
    },
    /// Options other than those of today's filters: other hashes, or sizes that are powers of two.
    Options {
        /// The options.
        got: u64,
    },
    /// An expansion beyond 32 bits.
    Expansion {
        /// The expansion.
        got: u64,
    },
    /// A filter without a link.
    NoLinks,
    /// A link for no items.
    NoEntries,
    /// An error rate that is not between 0 and 1, neither included.
    ErrorRate {
        /// The rate.
        got: f64,
    },
    /// A number of hashes that does not follow from the bits for each item.
    Hashes {
        /// Hashes stored.
        got: u64,
        /// Hashes that follow.
        expected: u32,
    },
    /// Bits for each item that do not follow from the error rate.
    BitsPerItem {
        /// Bits for each item stored.
        got: f64,
        /// Bits for each item that follow.
        expected: f64,
    },
    /// A link for more items than its bits are enough for.
    Capacity {
        /// Items stored.
        got: u64,
        /// Bits stored.
        bits: u64,
    },
    /// A number of bits that the bit array does not have.
    Bits {
        /// Bits stored.
        got: u64,
        /// Bytes of the array.
        bytes: u64,
    },
    /// The bits of a size that is a power of two, which today's filters do not have.
    PowerOfTwo {
        /// The exponent.
        got: u64,
    },
    /// A number of items in a header that is not that of its links together.
    Size {
        /// Items stored.
        got: u64,
    },
    /// More bytes of bit arrays than the caller allows, or the machine has.
    TooLarge {
        /// Bytes of all arrays up to this one.
        bytes: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Short => f.write_str("the filter ends early"),
            Self::Tail => f.write_str("something follows the last link"),
            Self::WrongKind => f.write_str("wrong kind of field"),
            Self::Version { got } => write!(f, "encoding version {got} is not known"),
            Self::Options { got } => write!(f, "options {got} are neither 5 nor 13"),
            Self::Expansion { got } => write!(f, "expansion {got} does not fit into 32 bits"),
            Self::NoLinks => f.write_str("a filter without links"),
            Self::NoEntries => f.write_str("a link for no items"),
            Self::ErrorRate { got } => {
                write!(f, "error rate {got:e} is not between 0 and 1, neither included")
            }
            Self::Hashes { got, expected } => {
                write!(f, "a link of {got} hashes, expected {expected}")
            }
            Self::BitsPerItem { got, expected } => {
                write!(f, "{got} bits for each item, expected {expected}")
            }
            Self::Capacity { got, bits } => write!(f, "a link for {got} items in {bits} bits"),
            Self::Bits { got, bytes } => write!(f, "{got} bits in an array of {bytes} bytes"),
            Self::PowerOfTwo { got } => write!(f, "a size of 2^{got} bits is not supported"),
            Self::Size { got } => write!(f, "{got} items, which is not the sum of the links"),
            Self::TooLarge { bytes } => write!(f, "bit arrays of {bytes} bytes are too large"),
        }
    }
}

/// Why a chunk was not taken. Nothing has changed.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The cursor is too small for a chunk of this length.
    Cursor {
        /// The cursor.
        got: u64,
    },
    /// The chunk starts behind the last bit array.
    PastEnd {
        /// Where the chunk starts.
        at: u64,
    },
    /// The chunk goes on behind the bit array that it starts in.
    CrossesLink {
        /// Where the chunk starts.
        at: u64,
        /// Where the bit array ends.
        end: u64,
    },
    /// The chunk starts behind what has arrived.
    Gap {
        /// Where the chunk starts.
        at: u64,
        /// Where it should start at the latest.
        loaded: u64,
    },
    /// Bytes are still to come.
    Incomplete {
        /// Bytes of bit arrays that have arrived.
        loaded: u64,
        /// Bytes that the header promises.
        total: u64,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cursor { got } => write!(f, "cursor {got} is too small for its chunk"),
            Self::PastEnd { at } => write!(f, "a chunk at {at} is behind the last link"),
            Self::CrossesLink { at, end } => {
                write!(f, "a chunk at {at} goes beyond its link, which ends at {end}")
            }
            Self::Gap { at, loaded } => {
                write!(f, "a chunk at {at} leaves a gap behind the {loaded} bytes before it")
            }
            Self::Incomplete { loaded, total } => {
                write!(f, "{loaded} of {total} bytes have arrived")
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
            (&SizeError::Capacity { got: Some(0) }, "a link cannot be made for 0 items"),
            (
                &SizeError::Capacity { got: None },
                "the next link would be for more items than 64 bits count",
            ),
            (
                &SizeError::ErrorRate { got: 1.0 },
                "error rate 1e0 is not between 0 and 1, neither included",
            ),
            (&SizeError::OutOfMemory { bytes: 9 }, "no memory for a bit array of 9 bytes"),
            (&SettingsError::Capacity { got: 0 }, "capacity 0 is not between 1 and 1073741824"),
            (
                &SettingsError::Expansion { got: 40_000 },
                "expansion 40000 is not between 0 and 32768",
            ),
            (&AddError::Full { capacity: 3 }, "a filter that does not scale is full with 3 items"),
            (
                &AddError::Grow(SizeError::OutOfMemory { bytes: 9 }),
                "the filter cannot grow: no memory for a bit array of 9 bytes",
            ),
            (&MergeError::OutOfMemory { bytes: 16 }, "the union takes 16 bytes, more than allowed"),
            (&MergeError::Different, "the filters were made with different settings"),
            (&DecodeError::new(20, Fault::Short), "the filter ends early at 20"),
            (
                &DecodeError::new(0, Fault::Version { got: 1 }),
                "encoding version 1 is not known at 0",
            ),
            (
                &DecodeError::new(12, Fault::Options { got: 4 }),
                "options 4 are neither 5 nor 13 at 12",
            ),
            (
                &DecodeError::new(60, Fault::Hashes { got: 9, expected: 8 }),
                "a link of 9 hashes, expected 8 at 60",
            ),
            (
                &DecodeError::new(28, Fault::Bits { got: 9, bytes: 1 }),
                "9 bits in an array of 1 bytes at 28",
            ),
            (
                &DecodeError::new(52, Fault::BitsPerItem { got: 9.0, expected: 9.5 }),
                "9 bits for each item, expected 9.5 at 52",
            ),
            (
                &DecodeError::new(64, Fault::Capacity { got: 9, bits: 64 }),
                "a link for 9 items in 64 bits at 64",
            ),
            (
                &DecodeError::new(72, Fault::PowerOfTwo { got: 9 }),
                "a size of 2^9 bits is not supported at 72",
            ),
            (
                &DecodeError::new(0, Fault::Size { got: 9 }),
                "9 items, which is not the sum of the links at 0",
            ),
            (
                &DecodeError::new(20, Fault::TooLarge { bytes: 9 }),
                "bit arrays of 9 bytes are too large at 20",
            ),
            (&LoadError::Cursor { got: 3 }, "cursor 3 is too small for its chunk"),
            (&LoadError::PastEnd { at: 3 }, "a chunk at 3 is behind the last link"),
            (
                &LoadError::CrossesLink { at: 3, end: 8 },
                "a chunk at 3 goes beyond its link, which ends at 8",
            ),
            (
                &LoadError::Gap { at: 9, loaded: 8 },
                "a chunk at 9 leaves a gap behind the 8 bytes before it",
            ),
            (&LoadError::Incomplete { loaded: 1, total: 8 }, "1 of 8 bytes have arrived"),
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
