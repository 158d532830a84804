//! The form of large sets: records, an index from member to record, and the skip list over them.

use core::hash::BuildHasher;

use crate::block::{Target, Tie};
use crate::error::{BuildError, Refused};
use crate::index::Index;
use crate::records::Records;
use crate::score;
use crate::set::Change;
use crate::tower::{Cursor, Order};

/// When so small a part of what the index, or the list of blocks, has room for is in use, both are built anew.
const IDLE: usize = 8;
/// Not worth it below so many entries.
const SMALL: usize = 1024;
/// The most members: ranks and spans have 32 bits.
const MEMBERS_MAX: usize = u32::MAX as usize - 1;
/// What is hashed for the seed of the towers.
const SEED: &str = "towers";

#[derive(Clone)]
pub(crate) struct Large<S> {
    records: Records,
    index: Index,
    order: Order,
    hasher: S,
}

impl<S: BuildHasher> Large<S> {
    pub(crate) fn new(hasher: S) -> Self {
        let order = Order::new(hasher.hash_one(SEED));
        Self { records: Records::new(), index: Index::with_entries(0), order, hasher }
    }

    /// The set of these members, in any order.
    pub(crate) fn of<M: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (M, f64)>,
        hasher: S,
    ) -> Result<Self, BuildError> {
        let mut set = Self::new(hasher);
        let mut all = Vec::new();
        for (index, (member, score)) in entries.into_iter().enumerate() {
            if score.is_nan() {
                return Err(BuildError::NotANumber { index });
            }
            let record = set.records.add(score, member.as_ref()).filter(|_| index < MEMBERS_MAX);
            all.push(record.ok_or(BuildError::Full { index })?);
        }
        set.index_all(&all)?;
        let records = &set.records;
        let is_before = |a: &u32, b: &u32| {
            let ((a, low), (b, high)) = (records.get(*a), records.get(*b));
            (score::key(low), a) < (score::key(high), b)
        };
        if !all.is_sorted_by(is_before) {
            if all.is_sorted_by(|a, b| is_before(b, a)) {
                all.reverse();
            } else {
                all.sort_unstable_by(|&a, &b| {
                    let ((a, low), (b, high)) = (records.get(a), records.get(b));
                    (score::key(low), a).cmp(&(score::key(high), b))
                });
            }
        }
        set.order_all(&all);
        Ok(set)
    }

    /// Builds the index anew, of members that may be there twice.
    fn index_all(&mut self, entries: &[u32]) -> Result<(), BuildError> {
        let Self { records, index, hasher, .. } = self;
        let rehash = |record: u32| hasher.hash_one(records.member(record));
        *index = Index::with_entries(entries.len());
        for (number, &record) in entries.iter().enumerate() {
            let member = records.member(record);
            let hash = rehash(record);
            if index.find(hash, |other| records.member(other) == member).is_some() {
                return Err(BuildError::Duplicate { index: number });
            }
            index.insert(hash, record, &rehash);
        }
        Ok(())
    }

    /// Builds the order anew.
    fn order_all(&mut self, entries: &[u32]) {
        self.order = Order::of_sorted(entries, self.hasher.hash_one(SEED), &self.records);
    }

    /// Builds index and order anew.
    fn link(&mut self, entries: &[u32]) {
        let all_differ = self.index_all(entries);
        debug_assert!(all_differ.is_ok(), "members were looked for before they came in");
        self.order_all(entries);
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    #[inline]
    pub(crate) fn hash(&self, member: &[u8]) -> u64 {
        self.hasher.hash_one(member)
    }

    pub(crate) const fn order(&self) -> &Order {
        &self.order
    }

    /// Member and score of a record.
    #[inline]
    pub(crate) fn get(&self, record: u32) -> (&[u8], f64) {
        self.records.get(record)
    }

    /// The score of a record.
    #[inline]
    pub(crate) fn score_of(&self, record: u32) -> f64 {
        self.records.score(record)
    }

    /// How many entries of a block are in front of a place.
    #[inline]
    pub(crate) fn position(&self, block: u32, target: Target<'_>) -> usize {
        self.order.block(block).position(target, &self.records)
    }

    #[inline]
    fn find(&self, member: &[u8]) -> (u64, Option<u32>) {
        let hash = self.hasher.hash_one(member);
        (hash, self.index.find(hash, |record| self.records.member(record) == member))
    }

    #[inline]
    pub(crate) fn score(&self, member: &[u8]) -> Option<f64> {
        Some(self.records.score(self.find(member).1?))
    }

    #[inline]
    pub(crate) fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        let record = self.find(member).1?;
        let score = self.records.score(record);
        Some((self.order.rank_of(score::key(score), record, &self.records), score))
    }

    /// How many members have a score below, or up to, this one.
    pub(crate) fn count_below(&self, score: f64, with_equal: bool) -> usize {
        let tie = if with_equal { Tie::Last } else { Tie::First };
        self.order.rank(Target { key: score::key(score), tie }, &self.records)
    }

    /// The first entry that is not in front of a place.
    #[inline]
    pub(crate) fn seek(&self, target: Target<'_>) -> Cursor {
        self.order.seek(target, &self.records)
    }

    /// How many first members `before` holds for.
    pub(crate) fn count_members(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        self.order.rank_by(|record| before(self.records.member(record)))
    }

    /// Lets `choose` decide on the new score of a member from the old one; `None` leaves all as it is.
    pub(crate) fn update(
        &mut self,
        member: &[u8],
        choose: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Result<Change, Refused> {
        let (hash, found) = self.find(member);
        let old = found.map(|record| (record, self.records.score(record)));
        let Some(score) = choose(old.map(|(_, score)| score)) else { return Ok(Change::Unchanged) };
        if score.is_nan() {
            return Err(Refused::NotANumber);
        }
        let Some((record, old)) = old else {
            if self.len() >= MEMBERS_MAX {
                return Err(Refused::Full);
            }
            let record = self.records.add(score, member).ok_or(Refused::Full)?;
            let Self { records, index, hasher, .. } = self;
            index.insert(hash, record, &|record| hasher.hash_one(records.member(record)));
            self.order.insert(record, &self.records);
            self.tidy();
            return Ok(Change::Added);
        };
        let (from, to) = (score::key(old), score::key(score));
        if from == to {
            return Ok(Change::Unchanged);
        }
        let stays = self.order.try_move(from, to, record, &self.records);
        self.records.set_score(record, score);
        if !stays {
            self.order.insert(record, &self.records);
        }
        Ok(Change::Updated)
    }

    /// Takes a member out and gives its score.
    pub(crate) fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let (hash, found) = self.find(member);
        let record = found?;
        let score = self.records.score(record);
        self.remove_record(hash, record);
        Some(score)
    }

    fn remove_record(&mut self, hash: u64, record: u32) {
        self.order.remove(self.records.key(record), record, &self.records);
        self.index.remove(hash, record);
        self.records.remove(record);
        self.tidy();
        self.shrink();
    }

    /// Takes the entry of a rank out, which there is.
    pub(crate) fn remove_rank(&mut self, rank: usize) {
        if let Some(record) = self.record_at(rank) {
            self.remove_record(self.hasher.hash_one(self.records.member(record)), record);
        }
    }

    pub(crate) fn record_at(&self, rank: usize) -> Option<u32> {
        if rank >= self.len() {
            return None;
        }
        let rank = u32::try_from(rank).ok()?;
        let path = self.order.path_to_rank(rank);
        Some(self.order.block(path.block).record((rank - path.rank) as usize))
    }

    /// Takes out a run of entries.
    pub(crate) fn remove_range(&mut self, rank: usize, count: usize) {
        if count > self.len() / 2 {
            // The rest is less work.
            let mut entries = self.order.entries();
            for record in entries.drain(rank..rank + count) {
                self.records.remove(record);
            }
            self.link(&entries);
            self.tidy();
            return;
        }
        for _ in 0..count {
            self.remove_rank(rank);
        }
    }

    /// Empties the chunks of records that are more than half dead.
    fn tidy(&mut self) {
        while let Some(chunk) = self.records.take_sparse() {
            for old in self.records.live(chunk) {
                let new = self.records.relocate(old).expect("room for the records of a chunk");
                let hash = self.hasher.hash_one(self.records.member(old));
                self.index.rename(hash, old, new);
                self.order.rename(old, new, &self.records);
            }
            self.records.release(chunk);
        }
    }

    /// Builds index and order anew if they have room for far more than there is.
    fn shrink(&mut self) {
        let len = self.len().max(SMALL);
        let (blocks, room) = self.order.block_counts();
        if len * IDLE < self.index.capacity() || blocks.max(SMALL) * IDLE < room {
            self.link(&self.order.entries());
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Self>()
            + self.records.heap_bytes()
            + self.index.heap_bytes()
            + self.order.heap_bytes()
    }

    /// Panics unless records, index and order are whole and agree.
    pub(crate) fn verify(&self) {
        let mut ordered = self.order.verify(&self.records);
        let mut live = self.records.verify();
        ordered.sort_unstable();
        live.sort_unstable();
        assert_eq!(ordered, live, "the records that live are those in the order");
        let rehash = |record: u32| self.hasher.hash_one(self.records.member(record));
        assert_eq!(self.index.verify(&rehash), live.len(), "entries of the index");
        for &record in &live {
            assert_eq!(self.find(self.records.member(record)).1, Some(record));
        }
    }
}
