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
//! A block that is made draws the height of its tower: each level more with a chance of one in [`FAN`], by a generator with a
//! seed. A skip list links the towers at each level; here the links of a level that one reaches from the same tower above lie side by
//! side in one *run*: key and record of the block's first entry, the child (a block, or a run of the level below), and the *span*, how many
//! entries the child has. A search goes through one run a level, and sums the spans that it passes for the rank.
//!
//! When the first entry of a block goes, its right neighbour takes the tower over.
//!
//! Sources: Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", 1990; for towers unrolled into blocks: Luo, Hao,
//! Wheatman, Pandey, Xu, "Bridging Cache-Friendliness and Concurrency: A Locality-Optimized In-Memory B-Skiplist", 2025.

use crate::block::{BLOCK, Block, Target, Tie, is_before, partition};
use crate::records::{NONE, Records};

/// One tower in so many is a level higher.
const FAN: u32 = 32;
/// The most levels: even blocks of one entry each fill no more.
const LEVELS: usize = 8;
/// A block with fewer entries than these is joined with a neighbour, if both together have no more than the others.
const THIN: usize = BLOCK / 4;
const JOINED_MAX: usize = BLOCK * 5 / 8;
/// Entries of a block that is built at once.
const BUILT: usize = BLOCK * 7 / 8;

/// The part of a level below one tower.
#[derive(Clone, Debug, Default)]
struct Run {
    keys: Vec<u64>,
    records: Vec<u32>,
    children: Vec<u32>,
    spans: Vec<u32>,
}

/// The way down to a block: of each level the run and the place in it, the lowest level first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    steps: [(u32, u32); LEVELS],
    /// The block.
    pub(crate) block: u32,
    /// Entries in front of the block.
    pub(crate) rank: u32,
}

/// An entry: its block and its place in it. Behind the last entry is the end of the last block.
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
    /// The state of the generator.
    chance: u64,
}

impl Order {
    /// An order without entries; `seed` decides the heights of its towers.
    pub(crate) fn new(seed: u64) -> Self {
        let root = Run { keys: vec![0], records: vec![NONE], children: vec![0], spans: vec![0] };
        Self {
            blocks: vec![Block::new()],
            free_blocks: Vec::new(),
            runs: vec![root],
            free_runs: Vec::new(),
            root: 0,
            height: 1,
            first: 0,
            last: 0,
            len: 0,
            chance: seed,
        }
    }

    /// The order of entries that are in order.
    pub(crate) fn of_sorted(entries: &[u32], seed: u64, records: &Records) -> Self {
        let mut order = Self::new(seed);
        let count = entries.len().div_ceil(BUILT);
        order.blocks.reserve_exact(count.saturating_sub(1));
        for (number, entries) in entries.chunks(BUILT).enumerate() {
            let block = Block::of(entries, records);
            let span = count_of(entries.len());
            order.len += span;
            let key = records.key(entries[0]);
            if number == 0 {
                order.blocks[0] = block;
                order.runs[0].spans[0] = span;
                let path = order.path_to_rank(0);
                order.set_first(&path, 0, key, entries[0]);
                continue;
            }
            let path = order.path_to_rank(u32::MAX);
            for level in 1..order.height {
                let (run, at) = path.step(level);
                order.runs[run].spans[at] += span;
            }
            let (run, at) = path.step(0);
            order.runs[run].spans[at] += span;
            order.add_block(&path, block, key, entries[0]);
        }
        order
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) fn block(&self, block: u32) -> &Block {
        &self.blocks[block as usize]
    }

    /// The way to the block of a place: the last one whose first entry is the target or in front of it.
    #[inline]
    fn path(&self, target: Target<'_>, records: &Records) -> Path {
        self.descend(|run| run.step_to(target, records))
    }

    /// The way to the block with the entry of this rank, or to the last block.
    #[inline]
    pub(crate) fn path_to_rank(&self, rank: u32) -> Path {
        let mut left = rank;
        self.descend(|run| {
            let mut at = 0;
            let last = run.spans.len() - 1;
            while at < last && run.spans[at] <= left {
                left -= run.spans[at];
                at += 1;
            }
            at
        })
    }

    #[inline]
    fn descend(&self, mut choose: impl FnMut(&Run) -> usize) -> Path {
        let mut path = Path { steps: [(0, 0); LEVELS], block: self.root, rank: 0 };
        for level in (0..self.height).rev() {
            let number = path.block;
            let run = &self.runs[number as usize];
            let at = choose(run);
            path.rank += run.spans[..at].iter().sum::<u32>();
            path.block = run.children[at];
            path.steps[level] = (number, count_of(at));
        }
        path
    }

    /// How many entries are in front of a place.
    #[inline]
    pub(crate) fn rank(&self, target: Target<'_>, records: &Records) -> usize {
        let path = self.path(target, records);
        path.rank as usize + self.block(path.block).position(target, records)
    }

    /// The first entry that is not in front of a place, or the end.
    #[inline]
    pub(crate) fn seek(&self, target: Target<'_>, records: &Records) -> Cursor {
        let mut number = self.root;
        for _ in 0..self.height {
            let run = &self.runs[number as usize];
            number = run.children[run.step_to(target, records)];
        }
        self.settled(number, self.block(number).position(target, records))
    }

    /// A place in a block; the end of a block that is not the last is the beginning of the next.
    #[inline]
    fn settled(&self, number: u32, at: usize) -> Cursor {
        let block = self.block(number);
        if at == block.len() && block.next != NONE {
            return Cursor { block: block.next, at: 0 };
        }
        Cursor { block: number, at }
    }

    /// The entry at a place, and the place behind it.
    #[inline]
    pub(crate) fn step(&self, place: Cursor) -> Option<(u32, Cursor)> {
        let block = self.block(place.block);
        (place.at < block.len())
            .then(|| (block.record(place.at), self.settled(place.block, place.at + 1)))
    }

    /// The entry in front of a place, and its place.
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

    /// The rank of a record whose score has this key.
    #[inline]
    pub(crate) fn rank_of(&self, key: u64, record: u32, records: &Records) -> usize {
        let (path, at) = self.find(key, record, records);
        path.rank as usize + at
    }

    /// How many entries `before` holds for, which it does for some first ones only.
    pub(crate) fn rank_by(&self, before: impl Fn(u32) -> bool) -> usize {
        let path =
            self.descend(|run| partition(1, run.records.len(), |at| before(run.records[at])) - 1);
        let block = self.block(path.block);
        path.rank as usize + partition(0, block.len(), |at| before(block.record(at)))
    }

    fn find(&self, key: u64, record: u32, records: &Records) -> (Path, usize) {
        let target = Target { key, tie: Tie::Member(records.member(record)) };
        let path = self.path(target, records);
        let at = self.block(path.block).find(key, record);
        (path, at.expect("a record that the index has is in the order"))
    }

    /// Puts a record in. There are fewer than `u32::MAX`.
    pub(crate) fn insert(&mut self, record: u32, records: &Records) {
        let (member, score) = records.get(record);
        let key = crate::score::key(score);
        let target = Target { key, tie: Tie::Member(member) };
        let mut path = self.path(target, records);
        let mut at = self.block(path.block).position(target, records);
        if self.block(path.block).len() == BLOCK {
            self.split(&path, at, records);
            path = self.path(target, records);
            at = self.block(path.block).position(target, records);
        }
        self.blocks[path.block as usize].insert(at, key, record, records);
        self.len += 1;
        for level in 0..self.height {
            let (run, step) = path.step(level);
            self.runs[run].spans[step] += 1;
        }
        if at == 0 {
            self.set_first(&path, 0, key, record);
        }
    }

    /// Takes a record out whose score has this key.
    pub(crate) fn remove(&mut self, key: u64, record: u32, records: &Records) {
        let (path, at) = self.find(key, record, records);
        self.remove_at(&path, at, records);
    }

    fn remove_at(&mut self, path: &Path, at: usize, records: &Records) {
        self.len -= 1;
        for level in 0..self.height {
            let (run, step) = path.step(level);
            self.runs[run].spans[step] -= 1;
        }
        let block = &mut self.blocks[path.block as usize];
        block.remove(at);
        if block.len() == 0 {
            if self.len > 0 {
                self.remove_block(path);
            }
            return;
        }
        if at == 0 {
            let first = block.record(0);
            self.set_first(path, 0, records.key(first), first);
        }
        if self.block(path.block).len() < THIN {
            self.join(path, records);
        }
    }

    /// Gives a record, which has its old score still, the key of its new one if its place stays the same; else takes it out, and
    /// says false.
    pub(crate) fn try_move(&mut self, old: u64, new: u64, record: u32, records: &Records) -> bool {
        let (path, at) = self.find(old, record, records);
        let block = self.block(path.block);
        let holds = block.holds(at, new).unwrap_or_else(|| {
            let target = Target { key: new, tie: Tie::Member(records.member(record)) };
            let before = match at.checked_sub(1) {
                Some(at) => Some(block.record(at)),
                None => {
                    self.blocks.get(block.previous as usize).and_then(|b| b.entries().next_back())
                }
            };
            let after = if at + 1 < block.len() {
                Some(block.record(at + 1))
            } else {
                self.blocks.get(block.next as usize).map(|b| b.record(0))
            };
            before.is_none_or(|before| is_before(before, target, records))
                && after.is_none_or(|after| !is_before(after, target, records))
        });
        if holds {
            self.blocks[path.block as usize].set_key(at, new);
            if at == 0 {
                self.set_first(&path, 0, new, record);
            }
        } else {
            self.remove_at(&path, at, records);
        }
        holds
    }

    /// Gives a record another name. Both have the score and the member.
    pub(crate) fn rename(&mut self, old: u32, new: u32, records: &Records) {
        let key = records.key(old);
        let (path, at) = self.find(key, old, records);
        self.blocks[path.block as usize].set_record(at, new);
        if at == 0 {
            self.set_first(&path, 0, key, new);
        }
    }

    /// Parts a full block, so that it has room for an entry at `at`.
    ///
    /// At the ends of the order nothing is moved, so that what comes sorted fills its blocks.
    #[cold]
    fn split(&mut self, path: &Path, at: usize, records: &Records) {
        let number = path.block;
        let middle = if number == self.last && at == BLOCK {
            BLOCK - 1
        } else if number == self.first && at == 0 {
            1
        } else {
            BLOCK / 2
        };
        let right = self.blocks[number as usize].split_off(middle, records);
        let first = right.record(0);
        self.add_block(path, right, records.key(first), first);
    }

    /// Adds a block behind the one of a path, whose spans count its entries already.
    fn add_block(&mut self, path: &Path, mut block: Block, key: u64, record: u32) {
        let span = count_of(block.len());
        let number = self.free_blocks.pop().unwrap_or(count_of(self.blocks.len()));
        let left = &mut self.blocks[path.block as usize];
        block.previous = path.block;
        block.next = std::mem::replace(&mut left.next, number);
        match self.blocks.get_mut(block.next as usize) {
            Some(next) => next.previous = number,
            None => self.last = number,
        }
        if (number as usize) < self.blocks.len() {
            self.blocks[number as usize] = block;
        } else {
            if self.blocks.len() == self.blocks.capacity() {
                self.blocks.reserve_exact(self.blocks.len() / 16 + 1);
            }
            self.blocks.push(block);
        }

        let levels = self.draw_levels();
        let (mut child, mut moved) = (number, span);
        for level in 0..levels {
            // A new root counts what the old one has kept.
            let raised = level == self.height;
            let (run, at) = if raised { (self.raise(), 0) } else { path.step(level) };
            let here = &mut self.runs[run];
            if !raised {
                here.spans[at] -= moved;
            }
            here.insert(at + 1, key, record, child, moved);
            if level + 1 < levels {
                let rest = here.split_off(at + 1);
                moved = rest.spans.iter().sum();
                child = self.add_run(rest);
            }
        }
    }

    fn draw_levels(&mut self) -> usize {
        // SplitMix64.
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (mixed ^ (mixed >> 31)).trailing_zeros();
        // One level more at most than there are, so that a run of luck costs nothing.
        (1 + (bits / FAN.trailing_zeros()) as usize).min(self.height + 1).min(LEVELS)
    }

    /// Adds a level above the root; gives the new root.
    fn raise(&mut self) -> usize {
        let root = &self.runs[self.root as usize];
        let span = root.spans.iter().sum();
        let mut above = Run::default();
        above.insert(0, root.keys[0], root.records[0], self.root, span);
        self.root = self.add_run(above);
        self.height += 1;
        self.root as usize
    }

    fn add_run(&mut self, run: Run) -> u32 {
        if let Some(number) = self.free_runs.pop() {
            self.runs[number as usize] = run;
            return number;
        }
        self.runs.push(run);
        count_of(self.runs.len() - 1)
    }

    /// Tells the towers above a block, from `level` on, what its first entry is.
    fn set_first(&mut self, path: &Path, level: usize, key: u64, record: u32) {
        for level in level..self.height {
            let (run, at) = path.step(level);
            self.runs[run].keys[at] = key;
            self.runs[run].records[at] = record;
            if at > 0 {
                return;
            }
        }
    }

    /// Takes an empty block out, which is not the only one.
    fn remove_block(&mut self, path: &Path) {
        self.unlink_block(path.block);
        for level in 0..self.height {
            let (number, at) = path.step(level);
            let run = &mut self.runs[number];
            run.remove(at);
            if let (Some(&key), Some(&record)) = (run.keys.first(), run.records.first()) {
                if at == 0 {
                    self.set_first(path, level + 1, key, record);
                }
                break;
            }
            self.runs[number] = Run::default();
            self.free_runs.push(count_of(number));
        }
        while self.height > 1 && self.runs[self.root as usize].children.len() == 1 {
            let old = self.root;
            self.root = self.runs[old as usize].children[0];
            self.runs[old as usize] = Run::default();
            self.free_runs.push(old);
            self.height -= 1;
        }
    }

    fn unlink_block(&mut self, number: u32) {
        let Block { next, previous, .. } =
            std::mem::replace(&mut self.blocks[number as usize], Block::new());
        match self.blocks.get_mut(next as usize) {
            Some(next) => next.previous = previous,
            None => self.last = previous,
        }
        match self.blocks.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => self.first = next,
        }
        self.free_blocks.push(number);
    }

    /// Joins a thin block with a neighbour under the same tower, if that gives no full one.
    fn join(&mut self, path: &Path, records: &Records) {
        let (number, at) = path.step(0);
        let run = &mut self.runs[number];
        let joined = |left: usize| {
            let spans = run.spans.get(left..left + 2)?;
            (spans[0] + spans[1] <= count_of(JOINED_MAX)).then_some(left)
        };
        let Some(left) = joined(at).or_else(|| joined(at.checked_sub(1)?)) else { return };
        let (into, gone) = (run.children[left], run.children[left + 1]);
        run.spans[left] += run.spans[left + 1];
        run.remove(left + 1);
        let right = std::mem::replace(&mut self.blocks[gone as usize], Block::new());
        self.blocks[into as usize].append(&right, records);
        self.blocks[gone as usize].next = right.next;
        self.blocks[gone as usize].previous = right.previous;
        self.unlink_block(gone);
    }

    /// How many blocks there are, and how many there have been at most.
    pub(crate) fn block_counts(&self) -> (usize, usize) {
        (self.blocks.len() - self.free_blocks.len(), self.blocks.len())
    }

    /// All entries in order.
    pub(crate) fn entries(&self) -> Vec<u32> {
        let mut entries = Vec::with_capacity(self.len());
        let mut at = self.first;
        while let Some(block) = self.blocks.get(at as usize) {
            entries.extend(block.entries());
            at = block.next;
        }
        entries
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(Block::heap_bytes).sum();
        let runs: usize = self.runs.iter().map(Run::heap_bytes).sum();
        blocks
            + runs
            + self.blocks.capacity() * size_of::<Block>()
            + self.runs.capacity() * size_of::<Run>()
            + (self.free_blocks.capacity() + self.free_runs.capacity()) * 4
    }

    /// Checks blocks, towers, spans, links and order; gives all entries.
    pub(crate) fn verify(&self, records: &Records) -> Vec<u32> {
        let entries = self.entries();
        assert_eq!(entries.len(), self.len());
        let in_order = |a: &u32, b: &u32| {
            let target = Target { key: records.key(*b), tie: Tie::Member(records.member(*b)) };
            is_before(*a, target, records)
        };
        assert!(entries.is_sorted_by(in_order), "the order of the entries");
        let mut level: Vec<u32> = vec![self.root];
        let (mut runs, mut expected) = (0, vec![self.len]);
        for height in (0..self.height).rev() {
            let (mut below, mut spans) = (Vec::new(), Vec::new());
            runs += level.len();
            for (&number, &span) in level.iter().zip(&expected) {
                let run = &self.runs[number as usize];
                assert!(!run.keys.is_empty(), "a run of level {height} is empty");
                assert_eq!(run.spans.iter().sum::<u32>(), span, "span of a run of level {height}");
                assert_eq!(run.keys.len(), run.records.len());
                below.extend_from_slice(&run.children);
                spans.extend_from_slice(&run.spans);
                for (at, &child) in run.children.iter().enumerate() {
                    let (key, record) = if height > 0 {
                        let child = &self.runs[child as usize];
                        (child.keys[0], child.records[0])
                    } else if self.len == 0 {
                        continue;
                    } else {
                        let first = self.block(child).record(0);
                        (records.key(first), first)
                    };
                    assert_eq!((run.keys[at], run.records[at]), (key, record), "head of a tower");
                }
            }
            (level, expected) = (below, spans);
        }
        assert_eq!(runs + self.free_runs.len(), self.runs.len(), "runs");
        assert_eq!(level.len() + self.free_blocks.len(), self.blocks.len(), "blocks");
        let mut previous = NONE;
        for (at, (&number, &span)) in level.iter().zip(&expected).enumerate() {
            let block = self.block(number);
            block.verify(records);
            assert_eq!(block.len(), span as usize, "span of block {number}");
            assert!(block.len() > 0 || self.len == 0);
            assert_eq!(block.previous, previous);
            assert_eq!(block.next, level.get(at + 1).copied().unwrap_or(NONE));
            previous = number;
        }
        assert_eq!((Some(&self.first), Some(&self.last)), (level.first(), level.last()));
        entries
    }
}

impl Path {
    fn step(&self, level: usize) -> (usize, usize) {
        let (run, at) = self.steps[level];
        (run as usize, at as usize)
    }
}

impl Run {
    /// The last place whose first entry is the target or in front of it; the first place if none is.
    #[inline]
    fn step_to(&self, target: Target<'_>, records: &Records) -> usize {
        // What is in front of the first place is sought there too.
        let keys = &self.keys[1..];
        let from = keys.partition_point(|&key| key < target.key);
        if keys.get(from) != Some(&target.key) {
            return from;
        }
        let equal = keys[from..].partition_point(|&key| key == target.key);
        match target.tie {
            Tie::First => from,
            Tie::Last => from + equal,
            Tie::Member(member) => {
                partition(from, from + equal, |at| records.member(self.records[at + 1]) <= member)
            }
        }
    }

    fn insert(&mut self, at: usize, key: u64, record: u32, child: u32, span: u32) {
        self.keys.insert(at, key);
        self.records.insert(at, record);
        self.children.insert(at, child);
        self.spans.insert(at, span);
    }

    fn remove(&mut self, at: usize) {
        self.keys.remove(at);
        self.records.remove(at);
        self.children.remove(at);
        self.spans.remove(at);
    }

    fn split_off(&mut self, at: usize) -> Self {
        Self {
            keys: self.keys.split_off(at),
            records: self.records.split_off(at),
            children: self.children.split_off(at),
            spans: self.spans.split_off(at),
        }
    }

    fn heap_bytes(&self) -> usize {
        self.keys.capacity() * 8
            + (self.records.capacity() + self.children.capacity() + self.spans.capacity()) * 4
    }
}

/// A count of entries, blocks or runs, which fits.
#[inline]
fn count_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
