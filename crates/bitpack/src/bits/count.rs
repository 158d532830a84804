//! Counting set bits.

use core::ops::Range;

use super::Span;
use crate::arch;

/// Counts the set bits. O(n), with vector instructions if available.
///
/// # Examples
///
/// ```
/// assert_eq!(bitpack::bits::count(b"foobar"), 26);
/// // A range of bytes is a slice.
/// assert_eq!(bitpack::bits::count(&b"foobar"[1..=1]), 6);
/// ```
#[inline]
#[must_use]
pub fn count(bytes: &[u8]) -> u64 {
    arch::count(bytes)
}

/// Counts the set bits in a range of bits; bits beyond the end are 0. O(n) for the bytes of the range.
///
/// # Examples
///
/// ```
/// assert_eq!(bitpack::bits::count_in(b"foobar", 5..31), 17);
/// assert_eq!(bitpack::bits::count_in(b"foobar", 40..u64::MAX), 4);
/// ```
#[must_use]
pub fn count_in(bytes: &[u8], bits: Range<u64>) -> u64 {
    let Some(Span { first, last, first_mask, last_mask }) = Span::new(bytes, &bits) else {
        return 0;
    };
    if first == last {
        return (bytes[first] & first_mask & last_mask).count_ones().into();
    }
    let ends = (bytes[first] & first_mask).count_ones() + (bytes[last] & last_mask).count_ones();
    u64::from(ends) + arch::count(&bytes[first + 1..last])
}
