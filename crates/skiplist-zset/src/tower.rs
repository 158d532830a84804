//! The skip list: blocks of entries below, towers of the blocks above, unrolled.
//!
//! # Layout
//!
//! ```text
//! level 3    [ a                               ]            one run: the root
//! level 2    [ a           e       ] [ h       ]            h is three levels high
//! level 1    [ a  b  c  d ] [ e  f  g ] [ h  i ]            e and h are two levels high
//! blocks       aaa bbb cc dddd ee ffff gg hhh ii            a to i: the first entries of the blocks
//! ```
//!
//! A new block draws the height of its tower from a seeded RNG: each further level has a probability of one in [`FAN`].
//! A skip list links the towers at each level; here the links of a level that are reached from the same tower above are
//! stored together in one *run*: the key of the block's first entry, the child (a block, or a run of the level below),
//! and the *span*, how many entries the child has. A search reads one run per level, and adds up the spans that it
//! skips for the rank. Blocks and runs refer to the run above them, so the rank of an entry whose block is known is
//! computed bottom-up.
//!
//! If the first entry of a block is removed, its right neighbour takes over the tower.
//!
//! Sources: Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", 1990; for towers unrolled into blocks:
//! Luo, Hao, Wheatman, Pandey, Xu, "Bridging Cache-Friendliness and Concurrency: A Locality-Optimized In-Memory
//! B-Skiplist", 2025.

mod grow;
mod run;
mod shrink;
mod verify;

use extendible::SplitMix64;

use crate::block::{Block, Target, Tie, is_before, partition};
use crate::records::{NONE, Records, block_of};
use run::Run;

/// One tower in this many is a level higher.
const FAN: u32 = 64;
/// The maximum number of levels: even blocks of one entry each need no more.
const LEVELS: usize = 8;

/// The path to a block: the run of each level and the position in it, the lowest level first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    steps: [(u32, u32); LEVELS],
    /// The block.
    pub(crate) block: u32,
}

/// The position of an entry: its block and its index in it. The position after the last entry is the end of the last
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) block: u32,
    pub(crate) at: usize,
}

/// The entries in order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    blocks: Vec<Block>,
    free_blocks: Vec<u32>,
    runs: Vec<Run>,
    free_runs: Vec<u32>,
    root: u32,
    /// Levels of runs.
    height: usize,
    first: u32,
    last: u32,
    len: u32,
    /// The RNG for the heights of the towers.
    random: SplitMix64,
}

impl Order {
    /// An order without entries, whose first block has a heap in `records`; `seed` decides the heights of its towers.
    pub(crate) fn new(seed: u64, records: &mut Records) -> Self {
        let mut root = Run::new(NONE);
        root.insert(0, 0, 0, 0);
        records.open(0);
        let mut block = Block::new(0);
        block.run = 0;
        Self {
            blocks: vec![block],
            free_blocks: Vec::new(),
            runs: vec![root],
            free_runs: Vec::new(),
            root: 0,
            height: 1,
            first: 0,
            last: 0,
            len: 0,
            random: SplitMix64::new(seed),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) fn block(&self, block: u32) -> &Block {
        &self.blocks[block as usize]
    }

    /// The path to the block of a target: the last one whose first entry is the target or before it.
    #[inline]
    pub(crate) fn path(&self, target: Target<'_>, records: &Records) -> Path {
        let mut path = Path { steps: [(0, 0); LEVELS], block: self.root };
        path.block = self.descend(|number, run, level| {
            let at = self.place_in(run, level, target, records);
            path.steps[level] = (number, count_of(at));
            at
        });
        path
    }

    /// The entry of this rank, which is not beyond the end.
    #[inline]
    pub(crate) fn cursor(&self, rank: u32) -> Cursor {
        let mut left = rank;
        let block = self.descend(|_, run, _| {
            let (at, passed) = run.place_of_rank(left);
            left -= passed;
            at
        });
        Cursor { block, at: left as usize }
    }

    /// As [`cursor`](Self::cursor), with how many entries there are from there to the end of the block, and the block
    /// behind it if its run has it: none of which waits for the block.
    #[inline]
    pub(crate) fn cursor_ahead(&self, rank: u32) -> (Cursor, u32, Option<u32>) {
        let (mut left, mut last) = (rank, (0, 0));
        let block = self.descend(|number, run, _| {
            let (at, passed) = run.place_of_rank(left);
            left -= passed;
            last = (number, at);
            at
        });
        let run = &self.runs[last.0 as usize];
        let cursor = Cursor { block, at: left as usize };
        (cursor, run.spans[last.1].saturating_sub(left), run.children.get(last.1 + 1).copied())
    }

    /// The block that is reached from the root by the position that `choose` returns for the run of each level.
    #[inline]
    fn descend(&self, mut choose: impl FnMut(u32, &Run, usize) -> usize) -> u32 {
        let mut number = self.root;
        for level in (0..self.height).rev() {
            let run = &self.runs[number as usize];
            number = run.children[choose(number, run, level)];
        }
        number
    }

    /// Calls `visit` with the run of each level above a block and the position in it, the lowest level first.
    #[inline]
    fn climb(&self, block: u32, mut visit: impl FnMut(usize, u32, usize)) {
        let (mut child, mut number) = (block, self.block(block).run);
        for level in 0..self.height {
            let run = &self.runs[number as usize];
            visit(level, number, run.place_of_child(child));
            (child, number) = (number, run.above);
        }
    }

    /// The path to a block, found bottom-up.
    #[inline]
    pub(crate) fn path_of(&self, block: u32) -> Path {
        let mut path = Path { steps: [(0, 0); LEVELS], block };
        self.climb(block, |level, number, at| path.steps[level] = (number, count_of(at)));
        path
    }

    /// The approximate blocks of entries with these keys: for each the last block whose first key is less. All searches
    /// descend level by level together, so that their cache misses overlap.
    pub(crate) fn blocks_of(&self, keys: &[u64]) -> Vec<u32> {
        let mut all = vec![self.root; keys.len()];
        for _ in 0..self.height {
            for (number, &key) in all.iter_mut().zip(keys) {
                *number = self.runs[*number as usize].child_below(key);
            }
        }
        all
    }

    /// The last child of a run of this level whose first entry is the target or before it; the first one if there is
    /// none.
    #[inline]
    fn place_in(&self, run: &Run, level: usize, target: Target<'_>, records: &Records) -> usize {
        let (from, to) = run.alike(target.key);
        if from == to {
            return from - 1;
        }
        let before = |at: usize| {
            let first = self.first_of(level, run.children[at]);
            match target.tie {
                Tie::First => false,
                Tie::Last => true,
                Tie::Member(member) => records.member(first) <= member,
            }
        };
        partition(from, to, before) - 1
    }

    /// The first record below a child of a run of this level.
    fn first_of(&self, level: usize, child: u32) -> u32 {
        let block = (0..level).fold(child, |run, _| self.runs[run as usize].children[0]);
        self.block(block).record(0)
    }

    /// The number of entries before a target.
    #[inline]
    pub(crate) fn rank(&self, target: Target<'_>, records: &Records) -> usize {
        let mut rank = 0;
        let block = self.descend(|_, run, level| {
            let at = self.place_in(run, level, target, records);
            rank += run.entries_before(at);
            at
        });
        rank as usize + self.block(block).position(target, records)
    }

    /// The first entry that is not before a target, or the end.
    #[inline]
    pub(crate) fn seek(&self, target: Target<'_>, records: &Records) -> Cursor {
        let block = self.descend(|_, run, level| self.place_in(run, level, target, records));
        self.settled(block, self.block(block).position(target, records))
    }

    /// Normalizes a position in a block: the end of a block that is not the last one becomes the beginning of the next.
    #[inline]
    fn settled(&self, number: u32, at: usize) -> Cursor {
        let block = self.block(number);
        if at == block.len() && block.next != NONE {
            return Cursor { block: block.next, at: 0 };
        }
        Cursor { block: number, at }
    }

    /// The entry at a position, and the next position.
    #[inline]
    pub(crate) fn step(&self, place: Cursor) -> Option<(u32, Cursor)> {
        let block = self.block(place.block);
        (place.at < block.len())
            .then(|| (block.record(place.at), self.settled(place.block, place.at + 1)))
    }

    /// The entry before a position, and its position.
    #[inline]
    pub(crate) fn step_back(&self, place: Cursor) -> Option<(u32, Cursor)> {
        let (mut number, mut at) = (place.block, place.at);
        if at == 0 {
            number = self.block(number).previous;
            at = self.blocks.get(number as usize)?.len();
        }
        at = at.checked_sub(1)?;
        Some((self.block(number).record(at), Cursor { block: number, at }))
    }

    /// The rank of a record.
    #[inline]
    pub(crate) fn rank_of(&self, record: u32) -> usize {
        let Cursor { block, at } = self.place_of(record);
        let mut before = 0;
        self.climb(block, |_, number, at| before += self.runs[number as usize].entries_before(at));
        before as usize + at
    }

    /// The place of a record.
    #[inline]
    pub(crate) fn place_of(&self, record: u32) -> Cursor {
        let block = block_of(record);
        let at = self.block(block).find(record);
        Cursor { block, at: at.expect("a record that the index has is in the order") }
    }

    /// The number of entries for which `before` returns true; it must be monotone.
    pub(crate) fn rank_by(&self, before: impl Fn(u32) -> bool) -> usize {
        let mut rank = 0;
        let block = self.descend(|_, run, level| {
            let is_before = |at: usize| before(self.first_of(level, run.children[at]));
            let at = partition(1, run.children.len(), is_before) - 1;
            rank += run.entries_before(at);
            at
        });
        let block = self.block(block);
        rank as usize + partition(0, block.len(), |at| before(block.record(at)))
    }

    /// Whether a record can have the score with this key at its current position.
    pub(crate) fn stays(&self, place: Cursor, key: u64, records: &Records) -> bool {
        let (block, at) = (self.block(place.block), place.at);
        block.holds(at, key).unwrap_or_else(|| {
            let target = Target { key, tie: Tie::Member(records.member(block.record(at))) };
            let before = self.step_back(place).map(|(before, _)| before);
            let after =
                self.step(place).and_then(|(_, next)| self.step(next)).map(|(after, _)| after);
            before.is_none_or(|before| is_before(before, target, records))
                && after.is_none_or(|after| !is_before(after, target, records))
        })
    }

    /// Sets the key of a record to that of its new score, which does not change its position.
    pub(crate) fn set_key(&mut self, place: Cursor, key: u64) {
        self.blocks[place.block as usize].set_key(place.at, key);
        if place.at == 0 {
            let path = self.path_of(place.block);
            self.set_first(&path, 0, key);
        }
    }

    /// Sets the key of the first entry of a block in the towers above it, from `level` on.
    fn set_first(&mut self, path: &Path, level: usize, key: u64) {
        for level in level..self.height {
            let (run, at) = path.step(level);
            self.runs[run].keys[at] = key;
            if at > 0 {
                return;
            }
        }
    }

    /// How many blocks there are, and how many there have been at most.
    pub(crate) fn block_counts(&self) -> (usize, usize) {
        (self.blocks.len() - self.free_blocks.len(), self.blocks.len())
    }

    /// All entries in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = u32> {
        let next = |block: &&Block| self.blocks.get(block.next as usize);
        std::iter::successors(self.blocks.get(self.first as usize), next).flat_map(Block::entries)
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let runs: usize = self.runs.iter().map(Run::heap_bytes).sum();
        runs + self.blocks.capacity() * size_of::<Block>()
            + self.runs.capacity() * size_of::<Run>()
            + (self.free_blocks.capacity() + self.free_runs.capacity()) * 4
    }
}

impl Path {
    #[inline]
    fn step(&self, level: usize) -> (usize, usize) {
        let (run, at) = self.steps[level];
        (run as usize, at as usize)
    }
}

/// A count of entries, blocks or runs, which fits.
#[inline]
fn count_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
