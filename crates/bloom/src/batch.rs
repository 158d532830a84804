//! Many items at once.
//!
//! # Idea
//!
//! The probes of an item lie anywhere in the bit array, so in a large filter each waits for memory. One by one, the processor can
//! only look as far ahead as its own window reaches. So the items of a window are hashed first and their lines are asked for; when
//! the first of them is probed, the lines of all are on their way.

use crate::divisor::Remainders;
use crate::error::AddError;
use crate::filter::BloomFilter;
use crate::hash::ItemHash;
use crate::link::Link;

/// Items that are under way together.
const WINDOW: usize = 32;

/// Probes of the first stage of a question. Each further stage has twice as many.
const FIRST_STAGE: u32 = 2;

impl BloomFilter {
    /// [`BloomFilter::contains`] of each item, in order, as BF.MEXISTS tells it; the answers are appended.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut filter = bloom::BloomFilter::default();
    /// let mut answers = Vec::new();
    /// filter.add_many(&["user4", "user5", "user6"], &mut answers)?;
    /// assert_eq!(answers, [true, true, true]);
    /// answers.clear();
    /// filter.contains_many(&["user4", "user5", "user6", "user7"], &mut answers);
    /// assert_eq!(answers, [true, true, true, false]);
    /// # Ok::<(), bloom::AddError>(())
    /// ```
    pub fn contains_many<T: AsRef<[u8]>>(&self, items: &[T], answers: &mut Vec<bool>) {
        answers.reserve(items.len());
        for items in items.chunks(WINDOW) {
            self.find_window(&Window::of(items), answers);
        }
    }

    /// [`BloomFilter::contains_many`] of items that are hashed already.
    pub fn contains_hashes(&self, hashes: &[ItemHash], answers: &mut Vec<bool>) {
        answers.reserve(hashes.len());
        for hashes in hashes.chunks(WINDOW) {
            self.find_window(&Window::of_hashes(hashes), answers);
        }
    }

    fn find_window(&self, hashes: &Window, answers: &mut Vec<bool>) {
        let mut open = hashes.all();
        let mut found = 0;
        for link in self.links().rev() {
            found |= link.find(hashes, open);
            open &= !found;
            if open == 0 {
                break;
            }
        }
        answers.extend((0..hashes.len).map(|at| found >> at & 1 == 1));
    }

    /// [`BloomFilter::add`] of each item, in order, as BF.MADD does it; the answers are appended.
    ///
    /// # Errors
    ///
    /// As of [`BloomFilter::add`]. The items before were added, and there are answers for these only.
    pub fn add_many<T: AsRef<[u8]>>(
        &mut self,
        items: &[T],
        answers: &mut Vec<bool>,
    ) -> Result<(), AddError> {
        answers.reserve(items.len());
        items.chunks(WINDOW).try_for_each(|items| self.add_window(&Window::of(items), answers))
    }

    /// [`BloomFilter::add_many`] of items that are hashed already.
    ///
    /// # Errors
    ///
    /// As of [`BloomFilter::add_many`].
    pub fn add_hashes(
        &mut self,
        hashes: &[ItemHash],
        answers: &mut Vec<bool>,
    ) -> Result<(), AddError> {
        answers.reserve(hashes.len());
        let mut windows = hashes.chunks(WINDOW).map(Window::of_hashes);
        windows.try_for_each(|hashes| self.add_window(&hashes, answers))
    }

    fn add_window(&mut self, hashes: &Window, answers: &mut Vec<bool>) -> Result<(), AddError> {
        if self.newest.is_far() {
            hashes.iter().for_each(|&hash| self.newest.prefetch(hash));
        }
        let mut known = 0;
        for link in self.older.iter().rev() {
            known |= link.find(hashes, hashes.all() & !known);
        }
        let links = self.older.len();
        for (at, &hash) in hashes.iter().enumerate() {
            let new = if known >> at & 1 == 1 {
                false
            } else if self.older.len() == links {
                self.add_to_newest(hash)?
            } else {
                // An item of this window has made the link grow, which what is known does not cover.
                self.add_hash(hash)?
            };
            answers.push(new);
        }
        Ok(())
    }
}

/// The hashes of up to [`WINDOW`] items.
struct Window {
    hashes: [ItemHash; WINDOW],
    len: usize,
}

impl Window {
    #[inline]
    fn of<T: AsRef<[u8]>>(items: &[T]) -> Self {
        let mut hashes = [ItemHash::default(); WINDOW];
        for (hash, item) in hashes.iter_mut().zip(items) {
            *hash = ItemHash::of(item.as_ref());
        }
        Self { hashes, len: items.len().min(WINDOW) }
    }

    #[inline]
    fn of_hashes(given: &[ItemHash]) -> Self {
        let mut hashes = [ItemHash::default(); WINDOW];
        for (hash, given) in hashes.iter_mut().zip(given) {
            *hash = *given;
        }
        Self { hashes, len: given.len().min(WINDOW) }
    }

    fn iter(&self) -> impl Iterator<Item = &ItemHash> {
        self.hashes.iter().take(self.len)
    }

    /// A bit for each item, the first in the lowest.
    fn all(&self) -> u32 {
        u32::MAX >> (WINDOW - self.len)
    }

    /// The items of a set.
    #[inline]
    fn each(&self, set: u32) -> impl Iterator<Item = (usize, ItemHash)> {
        Members::new(set).filter_map(|at| Some((at, *self.hashes.get(at)?)))
    }
}

impl Link {
    /// Those of the items asked for that are here.
    ///
    /// In stages, because most strangers fail at once: each stage asks for the lines of some more probes of all items that are
    /// still open, and then probes them.
    fn find(&self, hashes: &Window, asked: u32) -> u32 {
        if !self.is_far() {
            let here = |(at, hash)| u32::from(self.contains_hash(hash)) << at;
            return hashes.each(asked).map(here).fold(0, |found, bit| found | bit);
        }
        let mut states = [Remainders::default(); WINDOW];
        for (at, hash) in hashes.each(asked) {
            if let Some(state) = states.get_mut(at) {
                *state = self.places(hash);
            }
        }
        let mut open = asked;
        let (mut done, mut stage) = (0, FIRST_STAGE);
        while open != 0 && done < self.hashes() {
            stage = stage.min(self.hashes() - done);
            for state in Members::new(open).filter_map(|at| states.get(at)) {
                let mut ahead = *state;
                (0..stage).for_each(|_| self.prefetch_bit(ahead.take()));
            }
            for at in Members::new(open) {
                if let Some(state) = states.get_mut(at) {
                    let mut all = true;
                    (0..stage).for_each(|_| all &= self.bit(state.take()));
                    open &= !(u32::from(!all) << at);
                }
            }
            done += stage;
            stage *= 2;
        }
        open
    }
}

/// The members of a set of places, in order.
struct Members(u32);

impl Members {
    const fn new(set: u32) -> Self {
        Self(set)
    }
}

impl Iterator for Members {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(at as usize)
    }
}
