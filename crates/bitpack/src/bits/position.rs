//! Searching for the first 0 or 1 bit.

use core::ops::Range;

use super::Span;
use crate::{arch, word};

/// Returns the offset of the first bit that equals `bit`, or `None` if there is none. O(n), with vector instructions if
/// available.
///
/// A string of ones has no 0 bit: BITPOS without an end replies with the length in bits then, which is left to the
/// caller.
///
/// # Examples
///
/// ```
/// use bitpack::bits::position;
///
/// assert_eq!(position(b"\x00\xff\xf0", true), Some(8));
/// assert_eq!(position(b"\xff\xf0\x00", false), Some(12));
/// assert_eq!(position(b"\xff", false), None);
/// ```
#[must_use]
pub fn position(bytes: &[u8], bit: bool) -> Option<u64> {
    position_in(bytes, bit, 0..u64::MAX)
}

/// Returns the offset, from the start of the string, of the first bit in a range that equals `bit`; the range is cut at
/// the end of the string.
///
/// # Examples
///
/// ```
/// use bitpack::bits::position_in;
///
/// assert_eq!(position_in(b"\x00\xff\xf0", true, 7..15), Some(8));
/// assert_eq!(position_in(b"\x00\xff\xf0", false, 8..20), None);
/// assert_eq!(position_in(b"\x00\xff\xf0", false, 8..u64::MAX), Some(20));
/// ```
#[must_use]
pub fn position_in(bytes: &[u8], bit: bool, bits: Range<u64>) -> Option<u64> {
    let Span { first, last, first_mask, last_mask } = Span::new(bytes, &bits)?;
    // The byte of which every bit is the other kind.
    let other = if bit { 0 } else { 0xff };
    let found = |at: usize, mask: u8| {
        let hits = (bytes[at] ^ other) & mask;
        (hits != 0).then(|| at as u64 * 8 + u64::from(hits.leading_zeros()))
    };
    if first == last {
        return found(first, first_mask & last_mask);
    }
    let between = &bytes[first + 1..last];
    // Most searches among mixed bits end in the first bytes, before a call would pay.
    found(first, first_mask)
        .or_else(|| {
            let hits = word::from_bytes(*between.first_chunk()?) ^ word::from_bytes([other; 8]);
            (hits != 0).then(|| (first + 1) as u64 * 8 + u64::from(hits.leading_zeros()))
        })
        .or_else(|| {
            let at = first + 1 + arch::skip(between, other);
            if at < last { found(at, 0xff) } else { found(last, last_mask) }
        })
}
