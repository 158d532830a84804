//! Operations on many items at once.
//!
//! # Idea
//!
//! The probes of an item are spread over the bit array, so in a large filter each is a cache miss. One item after the
//! other, the CPU can only look ahead as far as its reorder window, which is two or three items. So the lines of a
//! group of items are prefetched while the previous group is probed: some are always in flight.
//!
//! Most items that were not added fail at the first probes and need no further lines; each line that is prefetched in
//! vain delays others. So a lookup has three steps, and in each round one group does its first step, another its
//! second, and so on:
//!
//! ```text
//! round   ask for 2 lines   probe them, ask for 2   probe them, ask for the rest   probe the rest
//!   1         group 1
//!   2         group 2             group 1
//!   3         group 3             group 2                    group 1
//!   4         group 4             group 3                    group 2                  group 1
//! ```
//!
//! An item that fails leaves its group. Of items that were not added, with half of the bits set, a quarter remains for
//! the second step, and one in sixteen for the third.

use core::array;
use core::cell::Cell;
use core::mem;

use crate::divisor::Places;
use crate::error::AddError;
use crate::filter::BloomFilter;
use crate::hash::ItemHash;
use crate::link::Link;

/// Items whose lines are prefetched together.
const GROUP: usize = 12;

/// Probes of the first and of the second step of a lookup. The third step has the rest.
const FIRST: u32 = 2;
const SECOND: u32 = 2;

/// Items that are hashed together, and for which the older links are probed before the first is added to the newest.
const WINDOW: usize = 256;

impl BloomFilter {
    /// Appends to `answers` the [`BloomFilter::contains`] of each item, in order, as BF.MEXISTS returns it.
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
        let mut hashes = Vec::with_capacity(items.len().min(WINDOW));
        for items in items.chunks(WINDOW) {
            hash_all(items, &mut hashes);
            self.contains_hashes(&hashes, answers);
        }
    }

    /// [`BloomFilter::contains_many`] for items that are already hashed.
    pub fn contains_hashes(&self, hashes: &[ItemHash], answers: &mut Vec<bool>) {
        let before = answers.len();
        answers.resize(before + hashes.len(), false);
        if let Some(answers) = answers.get_mut(before..) {
            find_in(self.links().rev(), hashes, answers);
        }
    }

    /// Adds items in order, as BF.MADD does, and appends to `answers` for each whether it is new.
    ///
    /// # Errors
    ///
    /// As [`BloomFilter::add`], for the first item that fails. The items before it were added, and only these have
    /// answers.
    pub fn add_many<T: AsRef<[u8]>>(
        &mut self,
        items: &[T],
        answers: &mut Vec<bool>,
    ) -> Result<(), AddError> {
        let mut hashes = Vec::with_capacity(items.len().min(WINDOW));
        items.chunks(WINDOW).try_for_each(|items| {
            hash_all(items, &mut hashes);
            self.add_window(&hashes, answers)
        })
    }

    /// [`BloomFilter::add_many`] for items that are already hashed.
    ///
    /// # Errors
    ///
    /// As [`BloomFilter::add_many`].
    pub fn add_hashes(
        &mut self,
        hashes: &[ItemHash],
        answers: &mut Vec<bool>,
    ) -> Result<(), AddError> {
        hashes.chunks(WINDOW).try_for_each(|hashes| self.add_window(hashes, answers))
    }

    fn add_window(&mut self, hashes: &[ItemHash], answers: &mut Vec<bool>) -> Result<(), AddError> {
        let before = answers.len();
        answers.resize(before + hashes.len(), false);
        let new = answers.get_mut(before..).unwrap_or_default();
        // Until an item is processed, its answer says whether an older link has it.
        find_in(self.older.iter().rev(), hashes, new);
        let links = self.older.len();
        let mut ahead = hashes.chunks(GROUP);
        self.ask_for(ahead.next());
        for (group, (hashes, new)) in hashes.chunks(GROUP).zip(new.chunks_mut(GROUP)).enumerate() {
            self.ask_for(ahead.next());
            for (at, (&hash, new)) in hashes.iter().zip(new).enumerate() {
                let added = if self.older.len() != links {
                    // An item of this window has made the filter grow, so the results of the older links are not
                    // complete.
                    self.add_hash(hash)
                } else if *new {
                    Ok(false)
                } else {
                    self.add_to_newest(hash)
                };
                match added {
                    Ok(added) => *new = added,
                    Err(why) => {
                        answers.truncate(before + group * GROUP + at);
                        return Err(why);
                    }
                }
            }
        }
        Ok(())
    }

    /// Prefetches the lines of the newest link that the items will need.
    #[inline]
    fn ask_for(&self, hashes: Option<&[ItemHash]>) {
        if self.newest.is_far() {
            for &hash in hashes.unwrap_or_default() {
                self.newest.prefetch(&mut self.newest.places(hash), self.newest.hashes());
            }
        }
    }
}

fn hash_all<T: AsRef<[u8]>>(items: &[T], hashes: &mut Vec<ItemHash>) {
    hashes.clear();
    hashes.extend(items.iter().map(|item| ItemHash::of(item.as_ref())));
}

/// Sets for each item whether a link has it, link by link. Items that are already found are skipped.
fn find_in<'l>(links: impl Iterator<Item = &'l Link>, hashes: &[ItemHash], found: &mut [bool]) {
    let found = Cell::from_mut(found).as_slice_of_cells();
    for link in links {
        link.find(hashes, found);
    }
}

impl Link {
    /// Looks up all items that were not found before, and sets those that this link has.
    fn find(&self, hashes: &[ItemHash], found: &[Cell<bool>]) {
        let open = |&(at, _): &(usize, _)| found.get(at).is_some_and(|found| !found.get());
        let set = |at, here| {
            if let Some(found) = found.get::<usize>(at) {
                found.set(here);
            }
        };
        let mut asked = hashes.iter().copied().enumerate().filter(open);
        let rest = match self.hashes().checked_sub(FIRST + SECOND) {
            Some(rest) if self.is_far() => rest,
            _ => return asked.for_each(|(at, hash)| set(at, self.contains_hash(hash))),
        };
        let mut groups: [Group; 4] = array::from_fn(|_| Group::default());
        let [coming, here, second, third] = &mut groups;
        let (mut coming, mut here) = (coming, here);
        loop {
            for (at, hash) in asked.by_ref().take(GROUP) {
                let places = self.places(hash);
                self.prefetch(&mut places.clone(), FIRST);
                coming.push(at, places, true);
            }
            for (at, places) in third.iter_mut() {
                set(*at, self.has_all(places, rest));
            }
            self.advance(second, third, SECOND, rest);
            self.advance(here, second, FIRST, SECOND);
            if coming.is_empty() && second.is_empty() && third.is_empty() {
                return;
            }
            mem::swap(&mut here, &mut coming);
        }
    }

    /// Probes the prefetched positions, and prefetches the next ones of the items that have not failed.
    #[inline]
    fn advance(&self, from: &mut Group, to: &mut Group, probes: u32, next: u32) {
        to.clear();
        for (at, places) in from.iter_mut() {
            let open = self.has_all(places, probes);
            to.push(*at, *places, open);
        }
        from.clear();
        for (_, places) in to.iter_mut() {
            self.prefetch(&mut places.clone(), next);
        }
    }
}

/// The items of a group, each with its remaining positions.
#[derive(Default)]
struct Group {
    items: [(usize, Places); GROUP],
    len: usize,
}

impl Group {
    /// Adds an item if `kept`, without a branch.
    #[inline]
    fn push(&mut self, at: usize, places: Places, kept: bool) {
        if let Some(item) = self.items.get_mut(self.len) {
            *item = (at, places);
            self.len += usize::from(kept);
        }
    }

    #[inline]
    fn iter_mut(&mut self) -> impl Iterator<Item = &mut (usize, Places)> {
        self.items.iter_mut().take(self.len)
    }

    const fn is_empty(&self) -> bool {
        self.len == 0
    }

    const fn clear(&mut self) {
        self.len = 0;
    }
}
