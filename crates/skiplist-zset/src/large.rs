//! The encoding of large sets: records, an index from member to record, and the skip list over them.

use core::hash::BuildHasher;
use core::ops::{Bound, Range};

use extendible::{CACHED, Rehash};

use crate::block::{Target, Tie};
use crate::error::Refused;
use crate::index::{At, Index};
use crate::records::{self, Body, NONE, Records, block_of};
use crate::score;
use crate::set::Change;
use crate::tower::{Cursor, Order};

/// If less than one part in this many of the index, or of the list of blocks, is in use, both are rebuilt.
const IDLE: usize = 4;
/// Below this many entries, it is not worth it.
const SMALL: usize = 1024;
/// If at least this many entries of a block will be read, all of its records are prefetched.
const MANY: usize = 6;
/// The value that is hashed for the seed of the towers.
const SEED: &str = "towers";

#[derive(Clone)]
pub(crate) struct Large<S> {
    pub(crate) records: Records,
    pub(crate) index: Index,
    pub(crate) order: Order,
    pub(crate) hasher: S,
}

/// The members, hashed for the index.
struct Members<'s, S> {
    records: &'s Records,
    hasher: &'s S,
}

impl<S: BuildHasher> Rehash<u32> for Members<'_, S> {
    #[inline]
    fn hash(&self, record: &u32) -> u64 {
        self.hasher.hash_one(self.records.member(*record))
    }

    #[inline]
    fn prefetch(&self, record: &u32) {
        self.records.prefetch(*record);
    }
}

impl<S: BuildHasher> Large<S> {
    pub(crate) fn new(hasher: S, entries: usize) -> Self {
        let mut records = Records::new();
        let order = Order::new(hasher.hash_one(SEED), &mut records);
        Self { records, index: Index::with_entries(entries), order, hasher }
    }

    /// Creates an order without entries, over empty records.
    pub(crate) fn new_order(&self, records: &mut Records) -> Order {
        Order::new(self.hasher.hash_one(SEED), records)
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
    pub(crate) fn get(&self, record: u32) -> (&[u8], f64) {
        (self.records.member(record), self.records.score(record))
    }

    /// The heap of a block.
    #[inline]
    pub(crate) fn heap(&self, block: u32) -> &[u8] {
        self.records.heap(block)
    }

    /// Member and score of the record at a place of a heap.
    #[inline]
    pub(crate) fn read<'r>(&'r self, heap: &'r [u8], place: u16) -> (&'r [u8], f64) {
        self.records.read(heap, place)
    }

    /// The score of a record.
    #[inline]
    pub(crate) fn score_of(&self, record: u32) -> f64 {
        self.records.score(record)
    }

    /// The number of entries of a block before a target.
    #[inline]
    pub(crate) fn position(&self, block: u32, target: Target<'_>) -> usize {
        self.order.block(block).position(target, &self.records)
    }

    #[inline]
    pub(crate) fn find(&self, hash: u64, member: &[u8]) -> Option<(At, u32)> {
        self.index.locate(hash, |record| are_equal(self.records.member(record), member))
    }

    /// Prefetches what lookups of these hashes will read: first the lines of the index, then the records, so that the
    /// cache misses overlap.
    pub(crate) fn prefetch(&self, hashes: &[u64]) {
        if self.len() < CACHED {
            return;
        }
        for &hash in hashes {
            self.index.prefetch(hash);
        }
        let records = || hashes.iter().filter_map(|&hash| self.index.first(hash));
        records().for_each(|record| self.records.prefetch_heap(block_of(record)));
        records().for_each(|record| self.records.prefetch(record));
    }

    /// As [`prefetch`](Self::prefetch), and also what updates of the members to these scores need: the blocks that they
    /// leave, those that they move to, and the heaps of the latter.
    pub(crate) fn prefetch_updates(&self, updates: &[(u64, f64)]) {
        if self.len() < CACHED {
            return;
        }
        for &(hash, _) in updates {
            self.index.prefetch(hash);
        }
        let records = || updates.iter().filter_map(|&(hash, _)| self.index.first(hash));
        for block in records().map(block_of) {
            self.records.prefetch_heap(block);
            self.order.block(block).prefetch();
        }
        records().for_each(|record| self.records.prefetch(record));
        let keys: Vec<u64> = updates.iter().map(|&(_, score)| score::key(score)).collect();
        let blocks = self.order.blocks_of(&keys);
        for &block in &blocks {
            self.order.block(block).prefetch();
            self.records.prefetch_heap(block);
        }
        for block in blocks {
            self.records.prefetch_room(block);
        }
    }

    /// Prefetches a block of which this many entries will be read, and its records. Their positions are not known
    /// before the block is read, but many records are on most lines of the heap, so all lines are prefetched; for few
    /// records it is not worth it.
    #[inline]
    pub(crate) fn prefetch_block(&self, block: u32, entries: usize) {
        if self.len() < CACHED {
            return;
        }
        self.order.block(block).prefetch_places();
        if entries < MANY {
            self.records.prefetch_heap(block);
        } else {
            self.records.prefetch_all(block);
        }
    }

    #[inline]
    pub(crate) fn score(&self, member: &[u8]) -> Option<f64> {
        self.score_hashed(member, self.hash(member))
    }

    #[inline]
    pub(crate) fn score_hashed(&self, member: &[u8], hash: u64) -> Option<f64> {
        Some(self.records.score(self.find(hash, member)?.1))
    }

    #[inline]
    pub(crate) fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        let record = self.find(self.hasher.hash_one(member), member)?.1;
        let score = self.records.score(record);
        Some((self.order.rank_of(record), score))
    }

    /// The number of members with a score below, or up to, this one.
    pub(crate) fn count_below(&self, score: f64, with_equal: bool) -> usize {
        let tie = if with_equal { Tie::Last } else { Tie::First };
        self.order.rank(Target { key: score::key(score), tie }, &self.records)
    }

    /// The first entry that is not before a target.
    #[inline]
    pub(crate) fn seek(&self, target: Target<'_>) -> Cursor {
        self.order.seek(target, &self.records)
    }

    /// The number of members before a range of members.
    pub(crate) fn count_before(&self, min: Bound<&[u8]>) -> usize {
        match min {
            Bound::Unbounded => 0,
            Bound::Included(min) => self.count_members(|member| member < min),
            Bound::Excluded(min) => self.count_members(|member| member <= min),
        }
    }

    /// The number of members up to the end of a range of members.
    pub(crate) fn count_up_to(&self, max: Bound<&[u8]>) -> usize {
        match max {
            Bound::Unbounded => self.len(),
            Bound::Included(max) => self.count_members(|member| member <= max),
            Bound::Excluded(max) => self.count_members(|member| member < max),
        }
    }

    /// The number of first members for which `before` returns true.
    fn count_members(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        self.order.rank_by(|record| before(self.records.member(record)))
    }

    /// Sets the score of a member to the result of `choose` for the old one; `None` changes nothing.
    pub(crate) fn update(
        &mut self,
        member: &[u8],
        choose: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Result<Change, Refused> {
        let hash = self.hasher.hash_one(member);
        let found = self.find(hash, member);
        let old = found.map(|(_, record)| self.records.score(record));
        let Some(score) = choose(old) else { return Ok(Change::Unchanged) };
        if score.is_nan() {
            return Err(Refused::NotANumber);
        }
        if !self.order.has_blocks() {
            return Err(Refused::Full);
        }
        let (Some((entry, record)), Some(old)) = (found, old) else {
            let record = self.place(member, score, Body::New(member));
            self.note(hash, record);
            return Ok(Change::Added);
        };
        let (from, to) = (score::key(old), score::key(score));
        if from == to {
            return Ok(Change::Unchanged);
        }
        let place = self.order.place_of(record);
        if self.order.stays(place, to, &self.records) {
            self.order.set_key(place, to);
            self.records.set_score(record, score);
            return Ok(Change::Updated);
        }
        // Its name may belong to another record before it has a new one.
        self.index.set(entry, NONE);
        let body = self.records.long(record).map_or(Body::New(member), Body::Long);
        self.take_out(place.block, place.at..place.at + 1);
        let record = self.place(member, score, body);
        self.index.set(entry, record);
        Ok(Change::Updated)
    }

    /// Adds a record to the index.
    #[inline]
    pub(crate) fn note(&mut self, hash: u64, record: u32) {
        let Self { records, index, hasher, .. } = self;
        index.insert(hash, record, &Members { records, hasher });
    }

    /// Inserts an entry into the order, in which there is room for it; returns its record, which is not in the index.
    #[inline]
    fn place(&mut self, member: &[u8], score: f64, body: Body<'_>) -> u32 {
        let key = score::key(score);
        let target = Target { key, tie: Tie::Member(member) };
        loop {
            let path = self.order.path(target, &self.records);
            let at = self.order.block(path.block).position(target, &self.records);
            if self.order.has_room(path.block, records::size(body), &self.records) {
                return self.order.insert(&path, at, (key, score, body), &mut self.records);
            }
            let moves = self.order.make_room(&path, at, &mut self.records);
            self.rename(&moves);
        }
    }

    /// Removes entries of one block and their records, which are no longer in the index, from the order.
    #[inline]
    fn take_out(&mut self, block: u32, entries: Range<usize>) {
        let path = self.order.path_of(block);
        self.order.remove(&path, entries, &mut self.records);
        let moves = self.order.tidy(&path, &mut self.records);
        if !moves.is_empty() {
            self.rename(&moves);
        }
    }

    /// Renames records in the index.
    fn rename(&mut self, moves: &records::Moves) {
        let Self { records, index, hasher, .. } = self;
        index.rename(
            moves.iter().map(|&(old, new)| (hasher.hash_one(records.member(new)), old, new)),
        );
    }

    /// Removes a member and returns its score.
    pub(crate) fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let hash = self.hasher.hash_one(member);
        let (entry, record) = self.find(hash, member)?;
        let score = self.records.score(record);
        let Cursor { block, at } = self.order.place_of(record);
        self.forget(hash, entry, record);
        self.take_out(block, at..at + 1);
        self.shrink();
        Some(score)
    }

    /// Removes a record from the index, and its member if it is a long one.
    #[inline]
    fn forget(&mut self, hash: u64, entry: At, record: u32) {
        self.index.remove(hash, entry);
        if let Some(long) = self.records.long(record) {
            self.records.remove_long(long);
        }
    }

    /// The place of a rank.
    #[inline]
    pub(crate) fn cursor(&self, rank: usize) -> Cursor {
        self.order.cursor(u32::try_from(rank).unwrap_or(u32::MAX))
    }

    /// The place of a rank, from which this many entries will be read.
    #[inline]
    pub(crate) fn cursor_ahead(&self, rank: usize, entries: usize) -> Cursor {
        let (cursor, here, next) = self.order.cursor_ahead(u32::try_from(rank).unwrap_or(u32::MAX));
        self.prefetch_block(cursor.block, entries.min(here as usize));
        if let Some(next) = next
            && entries > here as usize
        {
            self.prefetch_block(next, entries - here as usize);
        }
        cursor
    }

    /// Removes a run of entries.
    pub(crate) fn remove_range(&mut self, rank: usize, count: usize) {
        if count > self.len() / 2 {
            // The rest is less work.
            self.rebuild(|at| !(rank..rank + count).contains(&at), self.len() - count);
            return;
        }
        let mut left = count;
        while left > 0 {
            left -= self.remove_run(self.cursor(rank), left);
        }
        self.shrink();
    }

    /// Removes entries from a place on, at most `count` and no more than the block has; returns how many.
    fn remove_run(&mut self, place: Cursor, count: usize) -> usize {
        let Cursor { block, at } = place;
        let entries = at..self.order.block(block).len().min(at + count);
        let hash = |set: &Self, record| set.hash(set.records.member(record));
        if entries.len() > 1 {
            // The lines of the index first, so that the cache misses overlap.
            self.prefetch_block(block, entries.len());
            for at in entries.clone() {
                self.index.prefetch(hash(self, self.order.block(block).record(at)));
            }
        }
        for at in entries.clone() {
            let record = self.order.block(block).record(at);
            let hash = hash(self, record);
            let found = self.index.locate(hash, |other| other == record);
            debug_assert!(found.is_some(), "the record is not in the index");
            if let Some((entry, _)) = found {
                self.forget(hash, entry, record);
            }
        }
        self.take_out(block, entries.clone());
        entries.len()
    }

    /// Rebuilds the set if most of its capacity is unused.
    fn shrink(&mut self) {
        let len = self.len().max(SMALL);
        let (blocks, room) = self.order.block_counts();
        if len * IDLE < self.index.capacity() || blocks.max(SMALL / 32) * IDLE < room {
            self.rebuild(|_| true, self.len());
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Self>()
            + self.records.heap_bytes()
            + self.index.heap_bytes()
            + self.order.heap_bytes()
    }

    /// Panics unless records, index and order agree.
    pub(crate) fn verify(&self) {
        let entries = self.order.verify(&self.records);
        let members = Members { records: &self.records, hasher: &self.hasher };
        assert_eq!(self.index.verify(&members), entries.len(), "entries of the index");
        for &record in &entries {
            let found = self.find(members.hash(&record), self.records.member(record));
            assert_eq!(found.map(|(_, record)| record), Some(record));
        }
    }
}

/// Whether two members are equal, compared by words, because most are too short to be worth the call of a slice
/// comparison.
#[inline]
fn are_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let ((words, rest), (others, other_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut words = words.iter().zip(others);
    words.all(|(word, other)| u64::from_le_bytes(*word) == u64::from_le_bytes(*other))
        && rest.iter().zip(other_rest).all(|(byte, other)| byte == other)
}

#[cfg(test)]
mod tests;
