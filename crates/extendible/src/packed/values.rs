//! The values of a bucket: none, or values of which the long ones have their own allocations.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::run::number_at;

/// A longer value has its own allocation, so that the run is copied fast.
pub(super) const LONGEST_INLINE: usize = 256;

/// No values: the type of [`MemberBucket`](crate::MemberBucket).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValues;

/// The long values of a bucket, by the numbers in its records. A free number has an empty value.
#[derive(Clone, Default)]
pub struct LongValues(pub(super) Vec<Box<[u8]>>);

impl fmt::Debug for LongValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|value| value.len())).finish()
    }
}

/// The values of a bucket.
#[expect(unnameable_types, reason = "only types of this crate implement it")]
pub trait Values: Clone + fmt::Debug + Default {
    /// The end of the record whose key ends at `key_end`.
    #[doc(hidden)]
    fn record_end(bytes: &[u8], key_end: usize) -> usize;

    /// Drops the value of the record whose key ends at `key_end`.
    #[doc(hidden)]
    fn forget(&mut self, bytes: &[u8], key_end: usize);

    /// Moves the value of such a record from another bucket to this one.
    #[doc(hidden)]
    fn take_from(&mut self, from: &mut Self, bytes: &[u8], key_end: usize);

    #[doc(hidden)]
    fn heap_bytes(&self) -> usize;
}

impl Values for NoValues {
    #[inline]
    fn record_end(_: &[u8], key_end: usize) -> usize {
        key_end
    }

    fn forget(&mut self, _: &[u8], _: usize) {}

    fn take_from(&mut self, _: &mut Self, _: &[u8], _: usize) {}

    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Values for LongValues {
    #[inline]
    fn record_end(bytes: &[u8], key_end: usize) -> usize {
        match value_at(bytes, key_end) {
            Place::Inline(value) => value.end,
            Place::Apart { end, .. } => end,
        }
    }

    fn forget(&mut self, bytes: &[u8], key_end: usize) {
        if let Place::Apart { number, .. } = value_at(bytes, key_end) {
            self.0[number] = Box::default();
            while self.0.last().is_some_and(|last| last.is_empty()) {
                self.0.pop();
            }
        }
    }

    fn take_from(&mut self, from: &mut Self, bytes: &[u8], key_end: usize) {
        if let Place::Apart { number, .. } = value_at(bytes, key_end) {
            if self.0.len() <= number {
                self.0.resize_with(number + 1, Box::default);
            }
            self.0[number] = core::mem::take(&mut from.0[number]);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Box<[u8]>>()
            + self.0.iter().map(|value| value.len()).sum::<usize>()
    }
}

impl LongValues {
    /// Keeps a value; returns its number.
    pub(super) fn keep(&mut self, value: &[u8]) -> usize {
        if let Some(free) = self.0.iter().position(|value| value.is_empty()) {
            self.0[free] = value.into();
            return free;
        }
        self.0.push(value.into());
        self.0.len() - 1
    }
}

/// The location of a value.
pub(super) enum Place {
    /// In the run.
    Inline(Range<usize>),
    /// Outside of the run, under this number; the reference to it ends at `end`.
    Apart { number: usize, end: usize },
}

/// The location of the value whose key ends at `key_end`.
#[inline]
pub(super) fn value_at(bytes: &[u8], key_end: usize) -> Place {
    let (number, at) = number_at(bytes, key_end);
    match number.checked_sub(LONGEST_INLINE + 1) {
        None => Place::Inline(at..at + number),
        Some(number) => Place::Apart { number, end: at },
    }
}
