//! Many members at once.

use alloc::vec::Vec;
use core::{error, fmt};

use crate::codec::{EMPTY, HEADER, encode_header};
use crate::slot::{Slot, with_slots};
use crate::{IntSet, Width};

/// The panic message of a set that cannot grow.
pub(crate) const COUNT_LIMIT: &str = "an intset cannot have 2^32 members or more";

/// The values given to [`IntSet::from_sorted`] are not strictly increasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderError {
    /// The index of the value that is out of order.
    pub index: usize,
    /// The value before it.
    pub previous: i64,
    /// The value.
    pub got: i64,
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "value {} at index {} is not greater than {}",
            self.got, self.index, self.previous
        )
    }
}

impl error::Error for OrderError {}

impl IntSet {
    /// Creates a set, without slack, from strictly increasing values. O(n).
    ///
    /// # Errors
    ///
    /// [`OrderError`] with the first value that is not greater than the one before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use intset::IntSet;
    ///
    /// let squares = IntSet::from_sorted((0..10).map(|n| n * n))?;
    /// assert_eq!(squares.last(), Some(81));
    /// assert!(IntSet::from_sorted([1, 1]).is_err());
    /// # Ok::<(), intset::OrderError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` values.
    pub fn from_sorted(values: impl IntoIterator<Item = i64>) -> Result<Self, OrderError> {
        let values = values.into_iter();
        let mut packer = Packer::with_capacity(values.size_hint().0);
        let mut last = None;
        for (index, got) in values.enumerate() {
            if let Some(previous) = last
                && got <= previous
            {
                return Err(OrderError { index, previous, got });
            }
            packer.push(got);
            last = Some(got);
        }
        Ok(packer.finish())
    }

    /// Adds values that strictly increase, in one pass from the back and without a second copy of the set. O(n + m).
    fn insert_sorted(&mut self, batch: &[i64]) {
        let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return };
        let (width, len) = self.header();
        let wide = width.max(Width::of(*first)).max(Width::of(*last));
        let fresh = with_slots!(self.view(), slots => count_fresh(slots, batch));
        if fresh == 0 {
            return;
        }
        let grown = u32::try_from(len as usize + fresh).expect(COUNT_LIMIT);
        self.reserve(HEADER + grown as usize * wide.bytes());
        let payload = self.payload_mut();
        if width < wide {
            widen(payload, len, width, wide, 0);
        }
        match wide {
            Width::W16 => merge::<[u8; 2]>(Slot::slots_mut(payload), len, fresh, batch),
            Width::W32 => merge::<[u8; 4]>(Slot::slots_mut(payload), len, fresh, batch),
            Width::W64 => merge::<[u8; 8]>(Slot::slots_mut(payload), len, fresh, batch),
        }
        self.set_header(wide, grown);
    }
}

/// Rewrites `len` members in a greater width, `shift` slots further back.
pub(crate) fn widen(payload: &mut [u8], len: u32, from: Width, to: Width, shift: usize) {
    fn rewrite<A: Slot, B: Slot>(payload: &mut [u8], len: u32, shift: usize) {
        // From the back, so that no member is overwritten before it is read.
        for index in (0..len as usize).rev() {
            let value = A::slots(payload)[index].get();
            B::slots_mut(payload)[index + shift] = B::put(value);
        }
    }
    match (from, to) {
        (Width::W16, Width::W32) => rewrite::<[u8; 2], [u8; 4]>(payload, len, shift),
        (Width::W16, Width::W64) => rewrite::<[u8; 2], [u8; 8]>(payload, len, shift),
        (Width::W32, Width::W64) => rewrite::<[u8; 4], [u8; 8]>(payload, len, shift),
        (Width::W16, Width::W16) | (Width::W32 | Width::W64, _) => {
            debug_assert!(false, "members are never converted from {from} to {to}");
        }
    }
}

/// The number of values of `batch` that are not members, counted from the back exactly as [`merge`] does, so that the
/// two agree even if members are out of order.
fn count_fresh<S: Slot>(slots: &[S], batch: &[i64]) -> usize {
    let (mut i, mut fresh) = (slots.len(), 0);
    for &value in batch.iter().rev() {
        while i > 0 && slots[i - 1].get() > value {
            i -= 1;
        }
        fresh += usize::from(i == 0 || slots[i - 1].get() != value);
    }
    fresh
}

/// Merges `batch` into the first `len` of `slots`, which have room for `fresh` more.
///
/// At any time, `gap` values of the batch remain to be placed, so the write position stays after the read position.
fn merge<S: Slot>(slots: &mut [S], len: u32, fresh: usize, batch: &[i64]) {
    let (mut i, mut gap) = (len as usize, fresh);
    for &value in batch.iter().rev() {
        while i > 0 && slots[i - 1].get() > value {
            i -= 1;
            slots[i + gap] = slots[i];
        }
        if i == 0 || slots[i - 1].get() != value {
            gap -= 1;
            slots[i + gap] = S::put(value);
        }
    }
    debug_assert_eq!(gap, 0);
}

/// Appends increasing values to a blob that is not a set yet.
struct Packer {
    width: Width,
    len: u32,
    blob: Vec<u8>,
}

impl Packer {
    /// Reserves for at least this many values; assuming the narrowest width costs at most two reallocations.
    fn with_capacity(values: usize) -> Self {
        let mut blob = Vec::with_capacity(HEADER + values.saturating_mul(Width::W16.bytes()));
        blob.extend_from_slice(&EMPTY);
        Self { width: Width::W16, len: 0, blob }
    }

    #[inline]
    fn push(&mut self, value: i64) {
        let wide = Width::of(value);
        if wide > self.width {
            let size = HEADER + self.len as usize * wide.bytes();
            self.blob.resize(size, 0);
            widen(&mut self.blob[HEADER..], self.len, self.width, wide, 0);
            self.width = wide;
        }
        self.blob.extend_from_slice(&value.to_le_bytes()[..self.width.bytes()]);
        self.len = self.len.checked_add(1).expect(COUNT_LIMIT);
    }

    fn finish(mut self) -> IntSet {
        if self.len == 0 {
            return IntSet::new();
        }
        self.blob[..HEADER].copy_from_slice(&encode_header(self.width, self.len));
        IntSet::from_capacity(self.blob.into())
    }
}

/// Below this part of the set, values are inserted one by one.
const BULK_DIVISOR: usize = 16;

/// Takes values in any order, with repetitions. Holds them in a vector of their own while it runs.
///
/// # Panics
///
/// If the set would have more than `u32::MAX` members.
impl Extend<i64> for IntSet {
    fn extend<I: IntoIterator<Item = i64>>(&mut self, values: I) {
        let mut batch: Vec<i64> = values.into_iter().collect();
        if batch.len() < self.len() / BULK_DIVISOR {
            for value in batch {
                self.insert(value);
            }
        } else {
            batch.sort_unstable();
            batch.dedup();
            self.insert_sorted(&batch);
        }
    }
}

/// Takes values in any order, with repetitions; the set has no slack.
impl FromIterator<i64> for IntSet {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut set = Self::new();
        set.extend(values);
        set.shrink_to_fit();
        set
    }
}
