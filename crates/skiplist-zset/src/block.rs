//! The bottom of the skip list: blocks of entries in order.
//!
//! # Layout
//!
//! ```text
//! | base | numbers of itself, its neighbours, its run | len, shift | prefix x 64 | place x 64 |
//! ```
//!
//! A block has the positions of its entries' records in its heap. With each position it has a *prefix* of the score:
//! the key of the score less the block's base, shifted so that the block's scores spread over 16 bits, and saturated at
//! both ends. Prefixes never contradict the order, so a search reads records only where prefixes are equal, which is
//! rare.
//!
//! All of it is in one allocation, whose cache misses overlap: a block that is one third empty takes no more memory
//! than one of exact size with its pointers.

use core::ops::Range;

use crate::records::{NONE, Records, name_of, units_of};

/// The most entries of a block.
pub(crate) const BLOCK: usize = 64;
/// A new scale leaves this many bits of the prefix unused, for scores beyond the last.
const SPARE_BITS: u32 = 2;
/// With more equal prefixes than this, a better scale is computed.
const EQUAL_MAX: usize = 4;

/// No record has this place.
const NO_PLACE: u16 = u16::MAX;

/// A run of consecutive entries.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    base: u64,
    number: u32,
    /// The numbers of the neighbours.
    pub(crate) next: u32,
    pub(crate) previous: u32,
    /// The run of the lowest level in which this block is.
    pub(crate) run: u32,
    len: u8,
    shift: u8,
    /// The greatest value where there is no entry, so a search does not need their number.
    prefixes: [u16; BLOCK],
    /// Where there is no entry it is none.
    places: [u16; BLOCK],
}

/// The target among equal keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie<'m> {
    /// The position before all entries.
    First,
    /// The position after all entries.
    Last,
    /// The position of a member.
    Member(&'m [u8]),
}

/// A place in the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'m> {
    pub(crate) key: u64,
    pub(crate) tie: Tie<'m>,
}

impl Block {
    pub(crate) fn new(number: u32) -> Self {
        Self {
            base: 0,
            number,
            next: NONE,
            previous: NONE,
            run: NONE,
            len: 0,
            shift: 48,
            prefixes: [u16::MAX; BLOCK],
            places: [NO_PLACE; BLOCK],
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.into()
    }

    /// Prefetches each cache line.
    #[inline]
    pub(crate) fn prefetch(&self) {
        self.prefetch_places();
        prefetch_column(&self.prefixes);
    }

    /// Prefetches all but the prefixes.
    #[inline]
    pub(crate) fn prefetch_places(&self) {
        prefetch::value(&self.base);
        prefetch_column(&self.places);
    }

    #[inline]
    fn prefixes(&self) -> &[u16] {
        &self.prefixes[..self.len()]
    }

    /// The record of an entry.
    #[inline]
    pub(crate) fn record(&self, at: usize) -> u32 {
        name_of(self.number, self.places[at])
    }

    /// The places of the records.
    #[inline]
    pub(crate) fn places(&self) -> &[u16] {
        &self.places[..self.len()]
    }

    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        self.places().iter().map(|&place| name_of(self.number, place))
    }

    #[inline]
    fn prefix(&self, key: u64) -> u16 {
        u16::try_from(key.saturating_sub(self.base) >> self.shift).unwrap_or(u16::MAX)
    }

    /// The entries with the same prefix as a key.
    ///
    /// All prefixes are compared: the end of a search is not predictable, and vector instructions compare this many in
    /// a few steps.
    #[inline]
    fn alike(&self, key: u64) -> (usize, usize) {
        let prefix = self.prefix(key);
        let (mut below, mut equal) = (0_u16, 0_u16);
        for &other in &self.prefixes {
            below += u16::from(other < prefix);
            equal += u16::from(other == prefix);
        }
        let from = usize::from(below);
        (from, (from + usize::from(equal)).min(self.len()))
    }

    /// The number of entries before a target.
    #[inline]
    pub(crate) fn position(&self, target: Target<'_>, records: &Records) -> usize {
        let (from, to) = self.alike(target.key);
        partition(from, to, |at| is_before(self.record(at), target, records))
    }

    /// The position of a record of the block's heap, found without reading records.
    #[inline]
    pub(crate) fn find(&self, record: u32) -> Option<usize> {
        let place = units_of(record);
        let mut found = 0;
        for (at, &other) in (0_u16..).zip(&self.places) {
            found |= if other == place { at + 1 } else { 0 };
        }
        usize::from(found).checked_sub(1)
    }

    /// Inserts an entry. The block must not be full.
    pub(crate) fn insert(&mut self, at: usize, key: u64, record: u32, records: &Records) {
        let len = self.len();
        if len == 0 {
            // The scale of the block from which this one comes is a good guess.
            self.base = key;
        }
        let prefix = self.prefix(key);
        self.prefixes.copy_within(at..len, at + 1);
        self.places.copy_within(at..len, at + 1);
        self.prefixes[at] = prefix;
        self.places[at] = units_of(record);
        self.len += 1;
        let equal = |at: usize| self.prefixes().get(at) == Some(&prefix);
        if len > EQUAL_MAX && (equal(at + EQUAL_MAX) || at >= EQUAL_MAX && equal(at - EQUAL_MAX)) {
            self.improve_scale(records);
        }
    }

    pub(crate) fn remove(&mut self, entries: Range<usize>) {
        let (len, rest) = (self.len(), self.len() - entries.len());
        self.prefixes.copy_within(entries.end..len, entries.start);
        self.places.copy_within(entries.end..len, entries.start);
        self.prefixes[rest..len].fill(u16::MAX);
        self.places[rest..len].fill(NO_PLACE);
        self.len = u8::try_from(rest).unwrap_or(0);
    }

    /// Sets the key of an entry to that of its new score, which does not change its position.
    pub(crate) fn set_key(&mut self, at: usize, key: u64) {
        self.prefixes[at] = self.prefix(key);
    }

    /// Compares the prefix that an entry would have with this key with those of its neighbours: whether the order
    /// holds, does not hold, or depends on the records.
    pub(crate) fn holds(&self, at: usize, key: u64) -> Option<bool> {
        let prefix = self.prefix(key);
        let before = at.checked_sub(1).map(|at| self.prefixes[at]);
        let after = self.prefixes().get(at + 1).copied();
        if before.is_some_and(|before| before > prefix) || after.is_some_and(|after| after < prefix)
        {
            Some(false)
        } else if before.is_some_and(|before| before < prefix)
            && after.is_some_and(|after| after > prefix)
        {
            Some(true)
        } else {
            None
        }
    }

    /// Moves the entries from `at` on to a new block of the same scale, where they have these records.
    pub(crate) fn split_off(
        &mut self,
        at: usize,
        number: u32,
        records: impl ExactSizeIterator<Item = u32>,
    ) -> Self {
        let moved = records.len();
        let mut right = Self { base: self.base, shift: self.shift, ..Self::new(number) };
        right.prefixes[..moved].copy_from_slice(&self.prefixes[at..at + moved]);
        right.set_records(records);
        self.prefixes[at..].fill(u16::MAX);
        self.places[at..].fill(NO_PLACE);
        self.len = u8::try_from(at).unwrap_or(0);
        right
    }

    /// Gives the entries other records; there may be more than before, whose prefixes [`scale`](Self::scale) is to
    /// make.
    pub(crate) fn set_records(&mut self, records: impl ExactSizeIterator<Item = u32>) {
        self.len = u8::try_from(records.len()).unwrap_or(u8::MAX);
        for (place, record) in self.places.iter_mut().zip(records) {
            *place = units_of(record);
        }
    }

    /// The scale that fits the entries.
    fn ideal(&self, records: &Records) -> (u64, u8) {
        let Some(last) = self.len().checked_sub(1) else { return (self.base, self.shift) };
        let base = records.key(self.record(0));
        let spread = records.key(self.record(last)).saturating_sub(base);
        let bits = u64::BITS - spread.leading_zeros();
        let shift = (bits + SPARE_BITS).saturating_sub(u16::BITS);
        (base, u8::try_from(shift.min(u64::BITS - 1)).unwrap_or(0))
    }

    /// Computes all prefixes again.
    pub(crate) fn scale(&mut self, records: &Records) {
        (self.base, self.shift) = self.ideal(records);
        for at in 0..self.len() {
            self.prefixes[at] = self.prefix(records.key(self.record(at)));
        }
    }

    /// A finer scale for entries that use few of the prefixes.
    pub(crate) fn refine_if_coarse(&mut self, records: &Records) {
        let (Some(first), Some(last)) = (self.prefixes().first(), self.prefixes().last()) else {
            return;
        };
        if last - first < 1 << 10 {
            self.improve_scale(records);
        }
    }

    /// A new scale if it is a finer or wider one.
    #[cold]
    fn improve_scale(&mut self, records: &Records) {
        let (_, shift) = self.ideal(records);
        let cut = self.prefixes().last() == Some(&u16::MAX) && shift >= self.shift;
        let below = self.len > 1 && records.key(self.record(0)) < self.base;
        if shift < self.shift || cut && shift > self.shift || below {
            self.scale(records);
        }
    }

    /// Checks the prefixes.
    pub(crate) fn verify(&self, records: &Records) {
        assert!(self.prefixes().is_sorted());
        assert!(self.prefixes[self.len()..].iter().all(|&prefix| prefix == u16::MAX));
        assert!(self.places[self.len()..].iter().all(|&place| place == NO_PLACE));
        for (&prefix, record) in self.prefixes.iter().zip(self.entries()) {
            assert_eq!(prefix, self.prefix(records.key(record)));
        }
    }
}

/// Prefetches the cache lines of a column.
#[inline]
fn prefetch_column(column: &[u16; BLOCK]) {
    prefetch::value(&column[0]);
    prefetch::value(&column[BLOCK / 2]);
    prefetch::value(&column[BLOCK - 1]);
}

/// Whether a record is before a target.
#[inline]
pub(crate) fn is_before(record: u32, target: Target<'_>, records: &Records) -> bool {
    let (member, score) = records.get(record);
    let key = crate::score::key(score);
    if key != target.key {
        return key < target.key;
    }
    match target.tie {
        Tie::First => false,
        Tie::Last => true,
        Tie::Member(wanted) => member < wanted,
    }
}

/// The first position from `from` to `to` for which `before` returns false.
#[inline]
pub(crate) fn partition(mut from: usize, mut to: usize, before: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = usize::midpoint(from, to);
        if before(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

#[cfg(test)]
mod tests;
