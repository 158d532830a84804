//! Bulk construction of large sets.
//!
//! Ascending or descending entries are appended to blocks as they arrive, without searching or moving. From the first
//! entry that is out of order on, the rest is collected and sorted.

use core::cmp::Ordering;
use core::hash::BuildHasher;

use crate::block::BLOCK;
use crate::error::{BuildError, Refused};
use crate::index::Index;
use crate::large::Large;
use crate::records::{self, Body, HEAP_MAX, Records};
use crate::score;
use crate::set::Change;

/// Entries and bytes of a block in bulk construction: some room is left, or the first new member would split it.
const BUILT: usize = BLOCK * 7 / 8;
const BUILT_BYTES: usize = HEAP_MAX * 7 / 8;

/// A member, its score, and the index of the entry.
struct Given<M> {
    member: M,
    score: f64,
    index: usize,
}

impl<M: AsRef<[u8]>> Given<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (key, others) = (score::key(self.score), score::key(other.score));
        key.cmp(&others).then_with(|| self.member.as_ref().cmp(other.member.as_ref()))
    }
}

/// Entries for one block.
struct Batch<M> {
    entries: Vec<Given<M>>,
    bytes: usize,
}

impl<S: BuildHasher> Large<S> {
    /// The set of these members, in any order.
    pub(crate) fn of<M: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (M, f64)>,
        hasher: S,
    ) -> Result<Self, BuildError> {
        let entries = entries.into_iter();
        let mut set = Self::new(hasher, entries.size_hint().0);
        let mut given = entries.enumerate().map(|(index, (member, score))| {
            if score.is_nan() {
                return Err(BuildError::NotANumber { index });
            }
            Ok(Given { member, score, index })
        });
        let mut batch = Batch { entries: Vec::with_capacity(BUILT), bytes: 0 };
        let mut direction = None;
        while let Some(next) = given.next().transpose()? {
            if let Some(last) = batch.entries.last() {
                let step = last.cmp(&next);
                if direction.is_some_and(|direction| direction != step) {
                    let rest = std::mem::take(&mut batch.entries).into_iter().chain([next]);
                    let mut rest: Vec<_> = rest.map(Ok).chain(given).collect::<Result<_, _>>()?;
                    rest.sort_unstable_by(Given::cmp);
                    set.add_sorted(rest)?;
                    return Ok(set);
                }
                direction = Some(step);
            }
            batch.add(next, |full| set.add_block(full, direction == Some(Ordering::Greater)))?;
        }
        set.add_block(&mut batch.entries, direction == Some(Ordering::Greater))?;
        Ok(set)
    }

    /// Adds entries in order, to a set that may have others.
    fn add_sorted<M: AsRef<[u8]>>(&mut self, entries: Vec<Given<M>>) -> Result<(), BuildError> {
        if self.len() == 0 {
            let mut batch = Batch { entries: Vec::with_capacity(BUILT), bytes: 0 };
            for next in entries {
                batch.add(next, |full| self.add_block(full, false))?;
            }
            return self.add_block(&mut batch.entries, false);
        }
        for Given { member, score, index } in entries {
            match self.update(member.as_ref(), |old| old.is_none().then_some(score)) {
                Ok(Change::Added) => {}
                Ok(Change::Updated | Change::Unchanged) => {
                    return Err(BuildError::Duplicate { index });
                }
                Err(Refused::NotANumber) => return Err(BuildError::NotANumber { index }),
                Err(Refused::Full) => return Err(BuildError::Full { index }),
            }
        }
        Ok(())
    }

    /// Adds the entries of one block, which are all after the existing ones; or all before them, with the last one
    /// first. If they are refused the set is incomplete.
    fn add_block<M: AsRef<[u8]>>(
        &mut self,
        entries: &mut Vec<Given<M>>,
        in_front: bool,
    ) -> Result<(), BuildError> {
        let Some(first) = entries.first() else { return Ok(()) };
        if !self.order.has_blocks() {
            return Err(BuildError::Full { index: first.index });
        }
        if in_front {
            entries.reverse();
        }
        let block = self.order.open_block(&mut self.records);
        let sizes = entries.iter().map(|given| records::size(Body::New(given.member.as_ref())));
        self.records.reserve(block, sizes.sum());
        let mut names = Vec::with_capacity(entries.len());
        for given in &*entries {
            let member = given.member.as_ref();
            let hash = self.hasher.hash_one(member);
            if self.find(hash, member).is_some() {
                let twice = entries.iter().filter(|other| other.member.as_ref() == member);
                let index = twice.map(|other| other.index).max().unwrap_or(given.index);
                return Err(BuildError::Duplicate { index });
            }
            let record = self.records.add(block, given.score, Body::New(member));
            self.note(hash, record);
            names.push(record);
        }
        entries.clear();
        self.order.close_block(block, &names, in_front, &self.records);
        Ok(())
    }

    /// Rebuilds the set from the `len` entries whose ranks are kept.
    pub(crate) fn rebuild(&mut self, keep: impl Fn(usize) -> bool, len: usize) {
        let mut records = Records::new();
        let order = self.new_order(&mut records);
        let old_order = std::mem::replace(&mut self.order, order);
        let old = std::mem::replace(&mut self.records, records);
        self.index = Index::with_entries(len);
        let kept = old_order.entries().enumerate().filter(|&(rank, _)| keep(rank));
        let mut batch = Batch { entries: Vec::with_capacity(BUILT), bytes: 0 };
        let mut add = |full: &mut Vec<Given<&[u8]>>| {
            let added = self.add_block(full, false);
            debug_assert!(added.is_ok(), "the members of a set fit and are distinct");
            added
        };
        for (index, record) in kept {
            let (member, score) = old.get(record);
            let _ = batch.add(Given { member, score, index }, &mut add);
        }
        let _ = add(&mut batch.entries);
    }
}

impl<M: AsRef<[u8]>> Batch<M> {
    /// Adds an entry; if the batch is full, `take` first receives its entries and empties it.
    ///
    /// The last entry is kept, to compare the next one with it.
    fn add<R>(
        &mut self,
        next: Given<M>,
        take: impl FnOnce(&mut Vec<Given<M>>) -> Result<(), R>,
    ) -> Result<(), R> {
        let size = records::size(Body::New(next.member.as_ref()));
        if self.entries.len() == BUILT || self.bytes + size > BUILT_BYTES {
            take(&mut self.entries)?;
            self.bytes = 0;
        }
        self.bytes += size;
        self.entries.push(next);
        Ok(())
    }
}
