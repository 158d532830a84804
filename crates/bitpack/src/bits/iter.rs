//! Iterators over set bits and over runs of them.

use core::iter::FusedIterator;
use core::ops::Range;

use super::{len, position_in};
use crate::{arch, word};

/// Words of zeros that are passed one by one before the kernel is asked to look further.
const PATIENCE: usize = 4;

/// Iterates over the offsets of the set bits, in ascending order.
///
/// # Examples
///
/// ```
/// assert!(bitpack::bits::ones(b"\x81\x00\x01").eq([0, 7, 23]));
/// ```
#[inline]
#[must_use]
pub fn ones(bytes: &[u8]) -> Ones<'_> {
    Ones { bytes, at: 0, word: 0, base: 0 }
}

/// Iterates over the maximal runs of set bits, as ranges of offsets, in ascending order.
///
/// # Examples
///
/// ```
/// assert!(bitpack::bits::runs(b"\x0f\xf0\x01").eq([4..12, 23..24]));
/// ```
#[inline]
#[must_use]
pub fn runs(bytes: &[u8]) -> Runs<'_> {
    Runs { bytes, at: 0 }
}

/// The iterator of [`ones`]. Words without a set bit are skipped fast.
#[derive(Clone, Debug)]
pub struct Ones<'a> {
    bytes: &'a [u8],
    /// The byte after the word.
    at: usize,
    /// The bits not yet returned of eight bytes, or of fewer at the end; the first bit is the lowest, because the
    /// lowest set bit is found and cleared in fewer steps than the highest.
    word: u64,
    /// The offset of the word's first bit.
    base: u64,
}

impl Ones<'_> {
    /// Goes on to the next word that has a set bit; false if there is none.
    fn advance(&mut self) -> bool {
        for _ in 0..PATIENCE {
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return false;
            }
            self.word = word::first(rest).reverse_bits();
            self.base = self.at as u64 * 8;
            self.at += rest.len().min(word::BYTES);
            if self.word != 0 {
                return true;
            }
        }
        self.at += arch::skip(&self.bytes[self.at..], 0);
        // What it stopped at has a set bit, unless it is the end.
        let rest = &self.bytes[self.at..];
        self.word = word::first(rest).reverse_bits();
        self.base = self.at as u64 * 8;
        self.at += rest.len().min(word::BYTES);
        self.word != 0
    }
}

impl Iterator for Ones<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.word == 0 && !self.advance() {
            return None;
        }
        let place = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.base + u64::from(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let now = self.word.count_ones() as usize;
        (now, (self.bytes.len() - self.at).checked_mul(8).and_then(|rest| rest.checked_add(now)))
    }

    fn count(self) -> usize {
        self.word.count_ones() as usize
            + usize::try_from(arch::count(&self.bytes[self.at..])).unwrap_or(usize::MAX)
    }

    fn fold<B, F: FnMut(B, u64) -> B>(mut self, init: B, mut f: F) -> B {
        let mut value = init;
        loop {
            while self.word != 0 {
                let place = self.word.trailing_zeros();
                self.word &= self.word - 1;
                value = f(value, self.base + u64::from(place));
            }
            if !self.advance() {
                return value;
            }
        }
    }
}

impl FusedIterator for Ones<'_> {}

/// The iterator of [`runs`].
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    bytes: &'a [u8],
    /// The bit after the last run.
    at: u64,
}

impl Iterator for Runs<'_> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let end = len(self.bytes);
        let Some(first) = position_in(self.bytes, true, self.at..end) else {
            self.at = end;
            return None;
        };
        self.at = position_in(self.bytes, false, first + 1..end).unwrap_or(end);
        Some(first..self.at)
    }
}

impl FusedIterator for Runs<'_> {}
