//! Bits of a byte string, in Redis's order: bit 0 is the high bit of byte 0.
//!
//! The functions here work on any slice; [`Bits`] has them as methods of a borrowed view, and [`Bitmap`](crate::Bitmap)
//! owns its bytes. Offsets and counts of bits are `u64`.
//!
//! ```text
//! byte        0               1
//!       +---------------+---------------+----
//! bit   |0 1 2 3 4 5 6 7|8 9 ...        |        `SETBIT k 1 1` leaves 0100 0000, "@"
//!       +---------------+---------------+----
//! ```
//!
//! # Examples
//!
//! ```
//! use bitpack::bits;
//!
//! let mut week = *b"\0";
//! assert!(!bits::set(&mut week, 1, true));
//! assert_eq!(&week, b"@");
//! assert!(bits::get(&week, 1));
//! assert_eq!(bits::count(b"foobar"), 26);
//! assert_eq!(bits::position(b"\xff\xf0\x00", false), Some(12));
//! ```

mod combine;
mod count;
mod iter;
mod position;
mod view;

pub use combine::{Op, SourcesError, combine, combine_into};
pub use count::{count, count_in};
pub use iter::{Ones, Runs, ones, runs};
pub use position::{position, position_in};
pub use view::Bits;

use core::ops::Range;

/// The number of bits of a string.
///
/// # Examples
///
/// ```
/// assert_eq!(bitpack::bits::len(b"abc"), 24);
/// ```
#[inline]
#[must_use]
pub const fn len(bytes: &[u8]) -> u64 {
    bytes.len() as u64 * 8
}

/// The length in bytes that a string needs to contain a bit; `None` if that does not fit a `usize`.
///
/// # Examples
///
/// ```
/// assert_eq!(bitpack::bits::bytes_for(7), Some(1));
/// assert_eq!(bitpack::bits::bytes_for(8), Some(2));
/// ```
#[inline]
#[must_use]
pub fn bytes_for(offset: u64) -> Option<usize> {
    isize::try_from(offset / 8 + 1).ok().map(isize::unsigned_abs)
}

/// Returns one bit; bits beyond the end are 0. O(1).
///
/// # Examples
///
/// ```
/// assert!(bitpack::bits::get(b"@", 1));
/// assert!(!bitpack::bits::get(b"@", u64::MAX));
/// ```
#[inline]
#[must_use]
pub fn get(bytes: &[u8], offset: u64) -> bool {
    usize::try_from(offset / 8)
        .ok()
        .and_then(|at| bytes.get(at))
        .is_some_and(|byte| byte & bit(offset) != 0)
}

/// Sets or clears one bit and returns its previous value. O(1).
///
/// # Panics
///
/// If the bit is beyond the end of `bytes`: see [`bytes_for`].
///
/// # Examples
///
/// ```
/// let mut bytes = [0, 0];
/// assert!(!bitpack::bits::set(&mut bytes, 9, true));
/// assert!(bitpack::bits::set(&mut bytes, 9, true));
/// assert_eq!(bytes, [0, 0x40]);
/// ```
#[inline]
#[expect(clippy::expect_used, reason = "the panic is documented, as for an index out of bounds")]
pub fn set(bytes: &mut [u8], offset: u64, on: bool) -> bool {
    let byte = usize::try_from(offset / 8).ok().and_then(|at| bytes.get_mut(at));
    let byte = byte.expect("the bit is beyond the end of the string");
    let old = *byte & bit(offset) != 0;
    if on {
        *byte |= bit(offset);
    } else {
        *byte &= !bit(offset);
    }
    old
}

/// The bit's mask in its byte.
#[inline]
const fn bit(offset: u64) -> u8 {
    0x80 >> (offset % 8)
}

/// Where a range of bits lies in a string: the first and the last byte, and which of their bits count.
struct Span {
    first: usize,
    last: usize,
    first_mask: u8,
    last_mask: u8,
}

impl Span {
    /// `None` if the range has no bit in the string.
    #[inline]
    fn new(bytes: &[u8], bits: &Range<u64>) -> Option<Self> {
        let end = bits.end.min(len(bytes));
        if bits.start >= end {
            return None;
        }
        Some(Self {
            first: (bits.start / 8) as usize,
            last: ((end - 1) / 8) as usize,
            first_mask: 0xff >> (bits.start % 8),
            last_mask: 0xff << (7 - (end - 1) % 8),
        })
    }
}
