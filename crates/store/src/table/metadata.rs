//! The metadata of the entries of a bucket: time of the last access, snapshot mark, and expiry.
//!
//! ```text
//! no entry expires     | accessed | accessed | ...
//! any entry expires    | accessed | expiry, low | expiry, high | accessed | ...
//!
//! accessed             | mark: 1 bit | seconds: 31 bits |
//! ```
//!
//! A command on a key with an expiry needs both, and has one cache miss if they are adjacent. Few buckets hold keys of
//! both kinds, so one column is either narrow or wide.

use std::sync::atomic::{AtomicU32, Ordering};

/// The value that represents no expiry: a time so early that no key has it.
const NEVER: i64 = i64::MIN;

/// Words of a row with an expiry.
const WIDE: usize = 3;

/// The mark bit of a row: the other bits are the time of the last access, modulo 2^31 seconds.
const MARK: u32 = 1 << 31;

/// A row for each entry, in the order of the entries.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    /// Atomic, because readers set access times too.
    words: Vec<AtomicU32>,
    /// The number of rows with an expiry; the rows are wide if there is any.
    expiring: u32,
}

impl Metadata {
    /// Creates an empty column with capacity for `rows` rows of the same width as another.
    pub(super) fn like(other: &Self, rows: usize) -> Self {
        let mut words = Vec::new();
        words.reserve_exact(rows * other.width());
        Self { words, expiring: 0 }
    }

    /// Reserves capacity for that many more rows, of the current width.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.words.reserve_exact(rows * self.width());
    }

    #[inline]
    const fn width(&self) -> usize {
        if self.expiring == 0 { 1 } else { WIDE }
    }

    fn rows(&self) -> usize {
        self.words.len() / self.width()
    }

    /// The number of rows with an expiry.
    pub(super) const fn expiring(&self) -> usize {
        self.expiring as usize
    }

    /// Sets the time of the last access, in seconds.
    #[inline]
    pub(super) fn stamp(&self, at: usize, secs: u32) {
        let accessed = &self.words[at * self.width()];
        let word = accessed.load(Ordering::Relaxed);
        // A key in frequent use already has this second's time. If it were written again, the release of the lock would
        // wait for the cache line, whereas a read overlaps with that of the entry.
        if (word ^ secs) & !MARK != 0 {
            // Readers do this concurrently, and none of them changes the mark.
            accessed.store(word & MARK | secs & !MARK, Ordering::Relaxed);
        }
    }

    /// Prefetches a row.
    #[inline]
    pub(super) fn prefetch(&self, at: usize) {
        if let Some(word) = self.words.get(at * self.width()) {
            prefetch::value(word);
        }
    }

    /// The time of the last access, in seconds modulo 2^31.
    pub(super) fn accessed(&self, at: usize) -> u32 {
        self.words[at * self.width()].load(Ordering::Relaxed) & !MARK
    }

    /// The time of an access that many seconds before `now`, at most 34 years.
    pub(crate) fn accessed_before(now: u32, idle: u64) -> u32 {
        let most = MARK / 2 - 1;
        now.wrapping_sub(u32::try_from(idle).map_or(most, |idle| idle.min(most)))
    }

    /// The number of seconds between the last access and `now`; 0 if the access is later.
    pub(super) fn idle_secs(&self, at: usize, now: u32) -> u32 {
        let idle = now.wrapping_sub(self.accessed(at)) & !MARK;
        // More than half of the range of the word: the clock was set back.
        if idle >= MARK / 2 { 0 } else { idle }
    }

    /// The mark of an entry.
    #[inline]
    pub(super) fn mark(&self, at: usize) -> bool {
        self.words[at * self.width()].load(Ordering::Relaxed) & MARK != 0
    }

    /// Sets the mark of an entry.
    pub(super) fn set_mark(&mut self, at: usize, mark: bool) {
        let width = self.width();
        let word = self.words[at * width].get_mut();
        *word = (*word & !MARK) | (u32::from(mark) * MARK);
    }

    /// The expiry of the entry, in milliseconds.
    #[inline]
    pub(super) fn expires_at(&self, at: usize) -> Option<i64> {
        if self.expiring == 0 {
            return None;
        }
        let [_, low, high] = self.words.as_chunks::<WIDE>().0.get(at)?;
        Some(joined(low.load(Ordering::Relaxed), high.load(Ordering::Relaxed)))
            .filter(|&at| at != NEVER)
    }

    /// Sets or clears an expiry.
    #[inline]
    pub(super) fn set_expiry(&mut self, at: usize, at_ms: Option<i64>) {
        if self.expiring == 0 {
            if at_ms.is_none() {
                return;
            }
            self.widen();
        }
        let new = at_ms.map_or(NEVER, |at| at.max(NEVER + 1));
        let [_, low, high] = &mut self.words.as_chunks_mut::<WIDE>().0[at];
        let old = joined(*low.get_mut(), *high.get_mut());
        (*low.get_mut(), *high.get_mut()) = parted(new);
        self.expiring -= u32::from(old != NEVER);
        self.expiring += u32::from(new != NEVER);
        if self.expiring == 0 {
            self.narrow();
        }
    }

    /// Converts all rows to wide ones without an expiry. The caller then sets one.
    #[cold]
    fn widen(&mut self) {
        let rows = self.words.len();
        self.words.reserve_exact(rows * (WIDE - 1));
        self.words.resize_with(rows * WIDE, AtomicU32::default);
        // From the end, so that no row is overwritten.
        for at in (0..rows).rev() {
            self.words.swap(at, at * WIDE);
        }
        let (low, high) = parted(NEVER);
        for row in self.words.as_chunks_mut::<WIDE>().0 {
            (*row[1].get_mut(), *row[2].get_mut()) = (low, high);
        }
    }

    /// Converts all rows to narrow ones, once none has an expiry.
    #[cold]
    fn narrow(&mut self) {
        let rows = self.words.len() / WIDE;
        for at in 0..rows {
            self.words.swap(at, at * WIDE);
        }
        self.words.truncate(rows);
        self.words.shrink_to_fit();
    }

    /// Adds a row without an expiry.
    pub(super) fn push(&mut self, accessed: u32, mark: bool) {
        let width = self.width();
        if self.words.capacity() - self.words.len() < width {
            self.words.reserve_exact(super::keys::step(self.rows()) * width);
        }
        self.words.push(AtomicU32::new((accessed & !MARK) | (u32::from(mark) * MARK)));
        if width == WIDE {
            let (low, high) = parted(NEVER);
            self.words.extend([AtomicU32::new(low), AtomicU32::new(high)]);
        }
    }

    /// Removes a row; the last one moves to its position.
    pub(super) fn swap_remove(&mut self, at: usize) {
        self.set_expiry(at, None);
        let width = self.width();
        for word in (at * width..(at + 1) * width).rev() {
            // The last word first: it is the last one of the last row.
            self.words.swap_remove(word);
        }
    }

    /// Releases the memory of all but that many rows.
    pub(super) fn shrink_to(&mut self, rows: usize) {
        self.words.shrink_to(rows * self.width());
    }

    /// The heap memory, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.words.capacity() * size_of::<AtomicU32>()
    }
}

/// Splits a time into two words.
#[inline]
const fn parted(at_ms: i64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = at_ms.to_le_bytes();
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

#[inline]
const fn joined(low: u32, high: u32) -> i64 {
    ((high as u64) << 32 | low as u64).cast_signed()
}

#[cfg(test)]
mod tests {
    use testkit::rng::Rng;

    use super::*;

    #[test]
    fn times_are_split_and_joined() {
        for time in [0, 1, -1, 1 << 31, 1 << 32, i64::MAX, i64::MIN, 0x1234_5678_9abc_def0] {
            let (low, high) = parted(time);
            assert_eq!(joined(low, high), time);
        }
        assert_eq!(parted(0x1_0000_0002), (2, 1));
    }

    #[test]
    fn rows_are_returned_as_stored() {
        let mut rng = Rng::new(5);
        for round in 0..60 {
            let (mut metadata, mut plain) =
                (Metadata::default(), Vec::<(u32, bool, Option<i64>)>::new());
            // How often an expiry is set, from rarely to always.
            let often = [1, 20, 50, 100][round % 4];
            for secs in 0..400 {
                let at = rng.index(plain.len().max(1));
                match rng.below(6) {
                    0 if !plain.is_empty() => {
                        metadata.swap_remove(at);
                        plain.swap_remove(at);
                    }
                    1 if !plain.is_empty() => {
                        metadata.stamp(at, secs);
                        plain[at].0 = secs;
                    }
                    2 | 3 if !plain.is_empty() => {
                        let ends = [i64::MIN, i64::MIN + 1, i64::MAX, -1, 0, i64::from(secs) << 20];
                        let expires = (rng.below(100) < often).then(|| *rng.pick(&ends).unwrap());
                        metadata.set_expiry(at, expires);
                        // The value that represents none is replaced by the next one.
                        plain[at].2 = expires.map(|at| at.max(i64::MIN + 1));
                    }
                    4 if !plain.is_empty() => {
                        plain[at].1 = rng.below(2) == 0;
                        metadata.set_mark(at, plain[at].1);
                    }
                    _ => {
                        let mark = rng.below(2) == 0;
                        metadata.push(secs, mark);
                        plain.push((secs, mark, None));
                    }
                }
                let rows = |at| (metadata.accessed(at), metadata.mark(at), metadata.expires_at(at));
                assert_eq!((0..plain.len()).map(rows).collect::<Vec<_>>(), plain);
                let expiring = plain.iter().filter(|row| row.2.is_some()).count();
                assert_eq!(metadata.expiring(), expiring);
                assert_eq!(metadata.words.len(), plain.len() * if expiring > 0 { 3 } else { 1 });
            }
            metadata.shrink_to(plain.len());
            assert!(metadata.heap_bytes() >= plain.len() * 4);
        }
    }

    #[test]
    fn seconds_are_counted_beyond_31_bits() {
        let mut metadata = Metadata::default();
        metadata.push(0x8000_0005, true);
        assert_eq!((metadata.accessed(0), metadata.mark(0)), (5, true));
        assert_eq!(metadata.idle_secs(0, 0x8000_0007), 2);
        // The clock was set back.
        assert_eq!(metadata.idle_secs(0, 0x8000_0004), 0);
        metadata.stamp(0, 0x7fff_ffff);
        assert_eq!((metadata.accessed(0), metadata.mark(0)), (0x7fff_ffff, true));
        assert_eq!(metadata.idle_secs(0, 0x8000_0001), 2);
        assert_eq!(metadata.idle_secs(0, 0x7fff_ffff + (1 << 30) - 1), (1 << 30) - 1);
        assert_eq!(metadata.idle_secs(0, 0x7fff_ffff + (1 << 30)), 0);
        for (idle, counted) in [(7, 7), (1 << 29, 1 << 29), (u64::MAX, (1 << 30) - 1)] {
            metadata.stamp(0, Metadata::accessed_before(5, idle));
            assert_eq!(metadata.idle_secs(0, 5), counted);
        }
    }

    #[test]
    fn room_is_made_for_rows_of_the_same_width() {
        let mut metadata = Metadata::default();
        metadata.push(1, false);
        assert_eq!(Metadata::like(&metadata, 10).heap_bytes(), 40);
        metadata.set_expiry(0, Some(1));
        let mut like = Metadata::like(&metadata, 10);
        assert_eq!(like.heap_bytes(), 120);
        // Filled with rows that expire, it needs no more memory.
        for at in 0..10 {
            like.push(at, true);
            like.set_expiry(at as usize, Some(5));
        }
        assert_eq!(like.heap_bytes(), 120);
    }
}
