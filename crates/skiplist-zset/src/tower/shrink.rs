//! Removal of entries, blocks and towers.

use core::ops::Range;

use super::{Order, Path, Run, count_of};
use crate::block::{BLOCK, Block};
use crate::records::{HEAP_MAX, Moves, NONE, Records};

/// A block with fewer entries than these is joined with a neighbour, if both together have no more than the others.
const THIN: usize = BLOCK / 4;
const JOINED_MAX: usize = BLOCK * 5 / 8;
const JOINED_BYTES_MAX: usize = HEAP_MAX * 5 / 8;
/// A heap with more bytes of holes than of records is rebuilt, unless it is smaller than this.
const HOLES_MIN: usize = 128;

impl Order {
    /// Takes entries of the block at the end of a path out. What is left of it is to be [tidied](Self::tidy).
    pub(crate) fn remove(&mut self, path: &Path, entries: Range<usize>, records: &mut Records) {
        let count = count_of(entries.len());
        self.len -= count;
        for level in 0..self.height {
            let (run, step) = path.step(level);
            self.runs[run].spans[step] -= count;
        }
        let block = &mut self.blocks[path.block as usize];
        // The heap of an empty block is released as a whole.
        if entries.len() < block.len() {
            entries.clone().for_each(|at| records.remove(block.record(at)));
        }
        block.remove(entries.clone());
        if entries.start == 0 && block.len() > 0 {
            let key = records.key(block.record(0));
            self.set_first(path, 0, key);
        }
    }

    /// Removes an empty block, merges a nearly empty one with a neighbour, rebuilds a heap that is mostly holes.
    #[inline]
    pub(crate) fn tidy(&mut self, path: &Path, records: &mut Records) -> Moves {
        let len = self.block(path.block).len();
        let (live, dead) = records.bytes_of(path.block);
        if len < THIN {
            return self.thin(path, records);
        }
        if dead > live.max(HOLES_MIN) {
            return self.refill(path.block, records);
        }
        Moves::new()
    }

    #[cold]
    fn thin(&mut self, path: &Path, records: &mut Records) -> Moves {
        if self.block(path.block).len() == 0 {
            records.clear(path.block);
            if self.len > 0 {
                self.remove_block(path);
            }
            return Moves::new();
        }
        if let Some(left) = self.joined(path, records) {
            return self.join(path, left, records);
        }
        let (live, dead) = records.bytes_of(path.block);
        if dead > live.max(HOLES_MIN) { self.refill(path.block, records) } else { Moves::new() }
    }

    /// The place of the left one of two blocks that can be joined.
    fn joined(&self, path: &Path, records: &Records) -> Option<usize> {
        let (number, at) = path.step(0);
        let run = &self.runs[number];
        let fits = |left: usize| {
            let blocks = run.children.get(left..left + 2)?;
            let len: usize = blocks.iter().map(|&block| self.block(block).len()).sum();
            let bytes: usize = blocks.iter().map(|&block| records.bytes_of(block).0).sum();
            (len <= JOINED_MAX && bytes <= JOINED_BYTES_MAX).then_some(left)
        };
        fits(at).or_else(|| fits(at.checked_sub(1)?))
    }

    /// Joins two neighbours in the left one.
    fn join(&mut self, path: &Path, left: usize, records: &mut Records) -> Moves {
        let (number, _) = path.step(0);
        let run = &mut self.runs[number];
        let (into, gone) = (run.children[left], run.children[left + 1]);
        run.spans[left] += run.spans[left + 1];
        run.remove(left + 1);
        let entries: Vec<u32> =
            self.block(into).entries().chain(self.block(gone).entries()).collect();
        let moves = records.refill(into, entries.into_iter());
        records.clear(gone);
        let block = &mut self.blocks[into as usize];
        block.set_records(moves.iter().map(|&(_, new)| new));
        block.scale(records);
        self.unlink_block(gone);
        moves
    }

    /// Takes an empty block out, which is not the only one.
    fn remove_block(&mut self, path: &Path) {
        self.unlink_block(path.block);
        for level in 0..self.height {
            let (number, at) = path.step(level);
            let run = &mut self.runs[number];
            run.remove(at);
            if let Some(&key) = run.keys.first() {
                if at == 0 {
                    self.set_first(path, level + 1, key);
                }
                break;
            }
            self.drop_run(number);
        }
        while self.height > 1 && self.runs[self.root as usize].children.len() == 1 {
            let old = self.root;
            self.root = self.runs[old as usize].children[0];
            self.runs[self.root as usize].above = NONE;
            self.drop_run(old as usize);
            self.height -= 1;
        }
    }

    fn drop_run(&mut self, number: usize) {
        self.runs[number] = Run::new(NONE);
        self.free_runs.push(count_of(number));
    }

    fn unlink_block(&mut self, number: u32) {
        let Block { next, previous, .. } =
            std::mem::replace(&mut self.blocks[number as usize], Block::new(number));
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
}
