//! Many items at once.
//!
//! # Idea
//!
//! The probes of an item lie anywhere in the bit array, so in a large filter each waits for memory. One by one, the processor can
//! only look as far ahead as its own window reaches. So the items of a window are hashed first and their lines are asked for; when
//! the first of them is probed, the lines of all are on their way.

use crate::error::AddError;
use crate::filter::BloomFilter;
use crate::hash::ItemHash;
use crate::link::Link;

/// Items that are under way together.
const WINDOW: usize = 32;

/// Arrays up to this many bytes stay in the nearer caches, where asking beforehand gains nothing.
const NEAR: usize = 1 << 20;

/// Probes that a question asks for beforehand: strangers seldom need more.
const LOOK: u32 = 4;

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
            let hashes = Window::of(items);
            let mut open = hashes.all();
            let mut found = 0;
            for link in self.links().rev() {
                found |= link.find(&hashes, open);
                open &= !found;
                if open == 0 {
                    break;
                }
            }
            answers.extend((0..items.len()).map(|at| found >> at & 1 == 1));
        }
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
        for items in items.chunks(WINDOW) {
            let hashes = Window::of(items);
            if is_far(&self.newest) {
                hashes.iter().for_each(|&hash| self.newest.prefetch(hash, u32::MAX));
            }
            let mut known = 0;
            for link in self.older.iter().rev() {
                known |= link.find(&hashes, hashes.all() & !known);
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
        }
        Ok(())
    }
}

fn is_far(link: &Link) -> bool {
    link.as_bytes().len() > NEAR
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
        self.iter().copied().enumerate().filter(move |&(at, _)| set >> at & 1 == 1)
    }
}

impl Link {
    /// Those of the items asked for that are here.
    #[inline]
    fn find(&self, hashes: &Window, asked: u32) -> u32 {
        if is_far(self) {
            hashes.each(asked).for_each(|(_, hash)| self.prefetch(hash, LOOK));
        }
        let here = |(at, hash)| u32::from(self.contains_hash(hash)) << at;
        hashes.each(asked).map(here).fold(0, |found, bit| found | bit)
    }
}
