//! The bottom of the skip list: blocks of entries in order.
//!
//! # Layout
//!
//! ```text
//! columns   | prefix x room | low half of record x room | high half of record x room |
//! ```
//!
//! A block knows its entries by the names of their records. Beside each name it keeps a *prefix* of the score: the key of the
//! score less the block's base, shifted so that the block's scores spread over 16 bits, and cut at both ends of those. Prefixes
//! never contradict the order, so a search looks at records only where prefixes are equal, which few are.
//!
//! The three columns are one allocation that grows in steps: blocks that are filled at random are two thirds full on average,
//! and what they lack is not allocated.

use core::hint::black_box;

use crate::records::{NONE, Records};

/// The most entries of a block.
pub(crate) const BLOCK: usize = 64;
/// Columns grow by so many entries.
const STEP: usize = 8;
/// Words of a cache line.
const LINE: usize = 64 / size_of::<u16>();
/// A new scale leaves so many bits of the prefix unused, for scores beyond the last.
const SPARE_BITS: u32 = 2;
/// With more equal prefixes than these, a better scale is looked for.
const EQUAL_MAX: usize = 4;

/// Some entries that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    base: u64,
    columns: Box<[u16]>,
    /// The numbers of the neighbours.
    pub(crate) next: u32,
    pub(crate) previous: u32,
    len: u8,
    shift: u8,
}

/// What is looked for among equal keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie<'m> {
    /// The place in front of all of them.
    First,
    /// The place behind all of them.
    Last,
    /// The place of a member.
    Member(&'m [u8]),
}

/// A place in the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'m> {
    pub(crate) key: u64,
    pub(crate) tie: Tie<'m>,
}

impl Block {
    pub(crate) fn new() -> Self {
        Self { base: 0, columns: Box::default(), next: NONE, previous: NONE, len: 0, shift: 48 }
    }

    /// A block of these entries, few enough.
    pub(crate) fn of(entries: &[u32], records: &Records) -> Self {
        let mut block = Self::new();
        block.make_room(entries.len());
        block.len = u8::try_from(entries.len()).unwrap_or(u8::MAX);
        for (at, &record) in entries.iter().enumerate() {
            block.set_record(at, record);
        }
        block.scale(records);
        block
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.into()
    }

    #[inline]
    fn room(&self) -> usize {
        self.columns.len() / 3
    }

    #[inline]
    fn prefixes(&self) -> &[u16] {
        &self.columns[..self.len()]
    }

    /// The record of an entry.
    #[inline]
    pub(crate) fn record(&self, at: usize) -> u32 {
        let room = self.room();
        u32::from(self.columns[2 * room + at]) << 16 | u32::from(self.columns[room + at])
    }

    pub(crate) fn set_record(&mut self, at: usize, record: u32) {
        let room = self.room();
        let [a, b, c, d] = record.to_le_bytes();
        self.columns[room + at] = u16::from_le_bytes([a, b]);
        self.columns[2 * room + at] = u16::from_le_bytes([c, d]);
    }

    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        (0..self.len()).map(|at| self.record(at))
    }

    #[inline]
    fn prefix(&self, key: u64) -> u16 {
        u16::try_from(key.saturating_sub(self.base) >> self.shift).unwrap_or(u16::MAX)
    }

    /// Loads a word of each cache line: which of them is needed is known only step by step, and the waits for all overlap so.
    #[inline]
    fn touch(&self) {
        black_box(self.columns.iter().step_by(LINE).fold(0, |all, &word| all | word));
    }

    /// The entries with the same prefix as a key.
    #[inline]
    fn alike(&self, key: u64) -> (usize, usize) {
        self.touch();
        let prefix = self.prefix(key);
        let prefixes = self.prefixes();
        let from = prefixes.partition_point(|&other| other < prefix);
        let equal = prefixes[from..].iter().take_while(|&&other| other == prefix).count();
        (from, from + equal)
    }

    /// How many entries are in front of a place.
    #[inline]
    pub(crate) fn position(&self, target: Target<'_>, records: &Records) -> usize {
        let (from, to) = self.alike(target.key);
        partition(from, to, |at| is_before(self.record(at), target, records))
    }

    /// The place of a record whose score has this key.
    pub(crate) fn find(&self, key: u64, record: u32) -> Option<usize> {
        let (from, to) = self.alike(key);
        (from..to).find(|&at| self.record(at) == record)
    }

    /// Puts an entry in. The block is not full.
    pub(crate) fn insert(&mut self, at: usize, key: u64, record: u32, records: &Records) {
        let len = self.len();
        if len == self.room() {
            self.make_room(len + 1);
        }
        if len == 0 {
            // The scale of the block from which this one comes is a good guess.
            self.base = key;
        }
        let (room, prefix) = (self.room(), self.prefix(key));
        for column in self.columns.chunks_exact_mut(room) {
            column.copy_within(at..len, at + 1);
        }
        self.columns[at] = prefix;
        self.set_record(at, record);
        self.len += 1;
        let equal = |at: usize| self.prefixes().get(at) == Some(&prefix);
        if len > EQUAL_MAX && (equal(at + EQUAL_MAX) || at >= EQUAL_MAX && equal(at - EQUAL_MAX)) {
            self.improve_scale(records);
        }
    }

    pub(crate) fn remove(&mut self, at: usize) {
        let (room, len) = (self.room(), self.len());
        for column in self.columns.chunks_exact_mut(room) {
            column.copy_within(at + 1..len, at);
        }
        self.len -= 1;
        // One step of slack, so that an entry that comes and goes moves nothing.
        if self.len() + 2 * STEP <= room {
            self.make_room(self.len());
        }
    }

    /// Gives an entry the key of its new score, which leaves it in its place.
    pub(crate) fn set_key(&mut self, at: usize, key: u64) {
        self.columns[at] = self.prefix(key);
    }

    /// The prefix of an entry that had this key, beside those of its neighbours: whether the order surely holds, surely does not, or
    /// is for the records to tell.
    pub(crate) fn holds(&self, at: usize, key: u64) -> Option<bool> {
        let prefix = self.prefix(key);
        let before = at.checked_sub(1).map(|at| self.columns[at]);
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

    /// Moves the entries from `at` on to a new block of the same scale.
    pub(crate) fn split_off(&mut self, at: usize, records: &Records) -> Self {
        let moved = self.len() - at;
        let mut right = Self { columns: Box::default(), len: 0, ..*self };
        right.make_room(moved);
        right.len = u8::try_from(moved).unwrap_or(u8::MAX);
        let (from, to) = (self.room(), right.room());
        for column in 0..3 {
            right.columns[column * to..column * to + moved]
                .copy_from_slice(&self.columns[column * from + at..column * from + at + moved]);
        }
        self.len = u8::try_from(at).unwrap_or(0);
        self.make_room(at);
        for block in [self, &mut right] {
            block.refine_if_coarse(records);
        }
        right
    }

    /// Takes the entries of the next block in; there is room for them.
    pub(crate) fn append(&mut self, right: &Self, records: &Records) {
        let len = self.len();
        let all = len + right.len();
        if all > self.room() {
            self.make_room(all);
        }
        self.len = u8::try_from(all).unwrap_or(u8::MAX);
        for (at, record) in right.entries().enumerate() {
            self.set_record(len + at, record);
        }
        self.scale(records);
    }

    /// Allocates columns for `len` entries and the rest of a step.
    fn make_room(&mut self, len: usize) {
        let (old, new) = (self.room(), len.next_multiple_of(STEP));
        let mut columns = vec![0; 3 * new].into_boxed_slice();
        let kept = self.len();
        for column in 0..3 {
            columns[column * new..column * new + kept]
                .copy_from_slice(&self.columns[column * old..column * old + kept]);
        }
        self.columns = columns;
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

    /// Makes all prefixes anew.
    fn scale(&mut self, records: &Records) {
        (self.base, self.shift) = self.ideal(records);
        for at in 0..self.len() {
            self.columns[at] = self.prefix(records.key(self.record(at)));
        }
    }

    /// A finer scale for entries that use few of the prefixes.
    fn refine_if_coarse(&mut self, records: &Records) {
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

    pub(crate) fn heap_bytes(&self) -> usize {
        self.columns.len() * size_of::<u16>()
    }

    /// Checks the prefixes and the room.
    pub(crate) fn verify(&self, records: &Records) {
        assert!(self.len() <= BLOCK);
        assert!(
            self.room() < self.len() + 2 * STEP + 1,
            "{} in room for {}",
            self.len,
            self.room()
        );
        assert!(self.prefixes().is_sorted());
        for (at, record) in self.entries().enumerate() {
            assert_eq!(self.columns[at], self.prefix(records.key(record)));
        }
    }
}

/// Whether a record is in front of a place.
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

/// The first place from `from` to `to` for which `before` does not hold.
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
