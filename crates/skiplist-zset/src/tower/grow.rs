//! Insertion of entries, blocks and towers.

use super::{FAN, LEVELS, Order, Path, Run, count_of};
use crate::block::{BLOCK, Block};
use crate::records::{BLOCKS_MAX, Body, HEAP_MAX, Moves, Records, grow_by_little};

/// Blocks that one insertion takes at most: each split leaves half of the entries.
const SPLITS: usize = BLOCK;

impl Order {
    /// Whether one more entry surely finds a block.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.len() - self.free_blocks.len() + SPLITS < BLOCKS_MAX
    }

    /// Whether an entry with a record of `size` can be put into a block as it is.
    #[inline]
    pub(crate) fn has_room(&self, block: u32, size: usize, records: &Records) -> bool {
        self.block(block).len() < BLOCK && records.has_room(block, size)
    }

    /// Puts an entry at a place of a block that has room; gives its record.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        path: &Path,
        at: usize,
        (key, score, body): (u64, f64, Body<'_>),
        records: &mut Records,
    ) -> u32 {
        let record = records.add(path.block, score, body);
        self.blocks[path.block as usize].insert(at, key, record, records);
        self.len += 1;
        for level in 0..self.height {
            let (run, step) = path.step(level);
            self.runs[run].spans[step] += 1;
        }
        if at == 0 {
            self.set_first(path, 0, key);
        }
        record
    }

    /// Makes room in a full block for an entry at `at`: splits the block, or rebuilds its heap.
    #[cold]
    pub(crate) fn make_room(&mut self, path: &Path, at: usize, records: &mut Records) -> Moves {
        let number = path.block;
        let len = self.block(number).len();
        let (_, dead) = records.bytes_of(number);
        // Where there are too few entries to part, all else is holes.
        if len < BLOCK && dead >= HEAP_MAX / 4 {
            return self.refill(number, records);
        }
        // At the ends of the order hardly anything is moved, so that what comes sorted fills its blocks.
        if number == self.first && at == 0 {
            return self.split_front(path, records);
        }
        let middle = if number == self.last && at == len { len - 1 } else { len / 2 };
        self.split(path, middle, records)
    }

    /// Rebuilds the heap of a block.
    pub(super) fn refill(&mut self, number: u32, records: &mut Records) -> Moves {
        let moves = records.refill(number, self.block(number).entries());
        self.blocks[number as usize].set_records(moves.iter().map(|&(_, new)| new));
        moves
    }

    /// Moves the entries from `middle` on to a new block.
    fn split(&mut self, path: &Path, middle: usize, records: &mut Records) -> Moves {
        let new = self.add_block(records);
        let left = &mut self.blocks[path.block as usize];
        let mut moves = records.refill(new, left.entries().skip(middle));
        let mut right = left.split_off(middle, new, moves.iter().map(|&(_, new)| new));
        left.refine_if_coarse(records);
        right.refine_if_coarse(records);
        for &(old, _) in &moves {
            records.remove(old);
        }
        let (live, dead) = records.bytes_of(path.block);
        if dead > live / 4 {
            moves.append(&mut self.refill(path.block, records));
        }
        let key = records.key(right.record(0));
        right.previous = path.block;
        right.next = std::mem::replace(&mut self.blocks[path.block as usize].next, new);
        match self.blocks.get_mut(right.next as usize) {
            Some(next) => next.previous = new,
            None => self.last = new,
        }
        let span = count_of(right.len());
        self.blocks[new as usize] = right;
        self.raise_tower(path, key, new, span);
        moves
    }

    /// Moves the first entry of all to a new block in front, which takes the first tower of each level.
    fn split_front(&mut self, path: &Path, records: &mut Records) -> Moves {
        let new = self.add_block(records);
        let old = path.block;
        let right = &mut self.blocks[old as usize];
        let moves = records.refill(new, right.entries().take(1));
        let (gone, _) = moves[0];
        let mut left = Block::new(new);
        left.insert(0, records.key(gone), moves[0].1, records);
        right.remove(0..1);
        records.remove(gone);
        let (key, span) = (records.key(right.record(0)), count_of(right.len()));
        self.blocks[new as usize] = left;
        self.put_in_front(path, new);
        self.raise_tower(path, key, old, span);
        moves
    }

    /// A block with an empty heap, for entries at either end of the order.
    pub(crate) fn open_block(&mut self, records: &mut Records) -> u32 {
        if self.len == 0 { self.first } else { self.add_block(records) }
    }

    /// Puts a block that was [opened](Self::open_block) behind all others, or in front, with these records of its heap.
    pub(crate) fn close_block(
        &mut self,
        number: u32,
        entries: &[u32],
        in_front: bool,
        records: &Records,
    ) {
        let block = &mut self.blocks[number as usize];
        block.set_records(entries.iter().copied());
        block.scale(records);
        let (key, span) = (records.key(block.record(0)), count_of(block.len()));
        let is_only = self.len == 0;
        self.len += span;
        let neighbour = if in_front { self.first } else { self.last };
        let path = self.path_of(neighbour);
        for level in 0..self.height {
            let (run, at) = path.step(level);
            self.runs[run].spans[at] += span;
        }
        if is_only {
            self.set_first(&path, 0, key);
        } else if in_front {
            let old = self.block(neighbour);
            let (old_key, old_span) = (records.key(old.record(0)), count_of(old.len()));
            self.set_first(&path, 0, key);
            self.put_in_front(&path, number);
            self.raise_tower(&path, old_key, neighbour, old_span);
        } else {
            self.blocks[neighbour as usize].next = number;
            self.blocks[number as usize].previous = neighbour;
            self.last = number;
            self.raise_tower(&path, key, number, span);
        }
    }

    /// Puts a block in front of the first one, whose place under the towers it takes.
    fn put_in_front(&mut self, path: &Path, new: u32) {
        let (run, at) = path.step(0);
        self.blocks[path.block as usize].previous = new;
        let block = &mut self.blocks[new as usize];
        (block.next, block.run) = (path.block, count_of(run));
        self.runs[run].children[at] = new;
        self.first = new;
    }

    /// An empty block that is nowhere yet.
    fn add_block(&mut self, records: &mut Records) -> u32 {
        let number = self.free_blocks.pop().unwrap_or(count_of(self.blocks.len()));
        if number as usize == self.blocks.len() {
            grow_by_little(&mut self.blocks);
            self.blocks.push(Block::new(number));
        }
        records.open(number);
        number
    }

    /// Gives a block, whose entries the spans of a path count already, a tower behind the place of that path.
    fn raise_tower(&mut self, path: &Path, key: u64, block: u32, span: u32) {
        let levels = self.draw_levels();
        let (mut child, mut moved) = (block, span);
        for level in 0..levels {
            // A new root counts what the old one has kept.
            let raised = level == self.height;
            let (run, at) = if raised { (self.raise(), 0) } else { path.step(level) };
            let here = &mut self.runs[run];
            if !raised {
                here.spans[at] -= moved;
            }
            here.insert(at + 1, key, child, moved);
            self.set_above(level, child, count_of(run));
            if level + 1 < levels {
                let rest = self.runs[run].split_off(at + 1);
                moved = rest.spans.iter().sum();
                child = self.add_run(rest);
                for at in 0..self.runs[child as usize].children.len() {
                    self.set_above(level, self.runs[child as usize].children[at], child);
                }
            }
        }
    }

    /// Notes in which run a child of this level is.
    fn set_above(&mut self, level: usize, child: u32, run: u32) {
        if level == 0 {
            self.blocks[child as usize].run = run;
        } else {
            self.runs[child as usize].above = run;
        }
    }

    fn draw_levels(&mut self) -> usize {
        let bits = self.random.bits().trailing_zeros();
        // One level more at most than there are, so that a run of luck costs nothing.
        (1 + (bits / FAN.trailing_zeros()) as usize).min(self.height + 1).min(LEVELS)
    }

    /// Adds a level above the root; gives the new root.
    fn raise(&mut self) -> usize {
        let root = &self.runs[self.root as usize];
        let span = root.spans.iter().sum();
        let mut above = Run::new(crate::records::NONE);
        above.insert(0, root.keys[0], self.root, span);
        let new = self.add_run(above);
        self.runs[self.root as usize].above = new;
        self.root = new;
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
}
