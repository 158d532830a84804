//! A run of strings and numbers, one after the other.

use alloc::vec::Vec;
use core::ops::Range;

/// The maximum bytes of a number: 32 bits, seven per byte.
pub(super) const NUMBER_MAX: usize = 5;

/// How many bytes a number takes.
pub(super) const fn number_bytes(number: usize) -> usize {
    (number | 1).ilog2() as usize / 7 + 1
}

fn low_seven(number: usize) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or(0)
}

#[inline]
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(low_seven(number) | 0x80);
        number >>= 7;
    }
    bytes.push(low_seven(number));
}

/// A length and the bytes.
#[inline]
pub(super) fn push_string(bytes: &mut Vec<u8>, string: &[u8]) {
    push_number(bytes, string.len());
    bytes.extend_from_slice(string);
}

/// Returns the number at `at` and its end.
#[inline]
pub(super) fn number_at(bytes: &[u8], mut at: usize) -> (usize, usize) {
    // Nearly all numbers are of one byte.
    if bytes[at] < 0x80 {
        return (usize::from(bytes[at]), at + 1);
    }
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[at];
        at += 1;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return (number, at);
        }
        shift += 7;
    }
}

/// The range of the bytes of the string at `at`.
#[inline]
pub(super) fn range_from(bytes: &[u8], at: usize) -> Range<usize> {
    let (len, at) = number_at(bytes, at);
    at..at + len
}
