//! The records: each member once, with its score, near its neighbours in the order.
//!
//! # Layout
//!
//! ```text
//! name      | block: 22 bits | place: 10 bits, in units of UNIT |
//! heap      | record | record | ...                             up to HEAP_MAX bytes, one heap a block
//! record    | score: f64 | len: u8      | member ...        |   to a multiple of UNIT
//!           | score: f64 | 0xff         | number: u32       |   a member of 255 bytes or more: elsewhere
//! hole      | next: u16  | size: u16    | ...               |   what a removed record leaves
//! ```
//!
//! Each block of the order has one heap, so a scan over neighbours stays within a page or two, and the name of a record
//! includes its block. In return, a record whose block is split or joined gets another name, and the index must be
//! updated.
//!
//! A hole is reused by the next record of its size. If a heap has no room and many holes, it is
//! [rebuilt](Records::refill) in order and without holes.

mod heap;

use crate::score;
use heap::{Heap, room_for};

/// Records begin at multiples of this.
const UNIT: usize = 2;
/// Bits of a name for the position in the heap.
const PLACE_BITS: u32 = 10;
/// The maximum bytes of a heap.
pub(crate) const HEAP_MAX: usize = UNIT << PLACE_BITS;
/// How many blocks there may be: the last one is left out, for the names of none. So many are too many for a test.
pub(crate) const BLOCKS_MAX: usize =
    if cfg!(test) { 1000 } else { (1 << (u32::BITS - PLACE_BITS)) - 1 };
const SCORE: usize = size_of::<f64>();
/// Members from this length on have their own allocations.
const LONG: usize = 0xff;
/// The bytes of a record with a long member.
const LONG_RECORD: usize = (SCORE + 1 + 4).next_multiple_of(UNIT);
/// Bytes of a cache line.
const LINE: usize = 64;
/// Members of up to about this length are prefetched completely.
const SHORT: usize = 24;

/// No record, no block, no run.
pub(crate) const NONE: u32 = u32::MAX;

/// Renamed records: the old name and the new one.
pub(crate) type Moves = Vec<(u32, u32)>;

/// All records of a set.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    heaps: Vec<Heap>,
    /// The members that are too long for a heap, by number; empty ones are free.
    long: Vec<Box<[u8]>>,
    free_long: Vec<u32>,
}

/// The content of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'m> {
    /// A member without a record.
    New(&'m [u8]),
    /// The number of a long member whose record was removed.
    Long(u32),
}

impl Records {
    pub(crate) const fn new() -> Self {
        Self { heaps: Vec::new(), long: Vec::new(), free_long: Vec::new() }
    }

    /// The score of a record.
    #[inline]
    pub(crate) fn score(&self, record: u32) -> f64 {
        score_of(self.from(record))
    }

    /// The key of the score.
    #[inline]
    pub(crate) fn key(&self, record: u32) -> u64 {
        score::key(self.score(record))
    }

    #[inline]
    pub(crate) fn member(&self, record: u32) -> &[u8] {
        self.member_of(self.from(record))
    }

    #[inline]
    pub(crate) fn get(&self, record: u32) -> (&[u8], f64) {
        let bytes = self.from(record);
        (self.member_of(bytes), score_of(bytes))
    }

    pub(crate) fn set_score(&mut self, record: u32, score: f64) {
        let at = place_of(record);
        let bytes = &mut self.heaps[block_of(record) as usize].bytes;
        bytes[at..at + SCORE].copy_from_slice(&score.to_le_bytes());
    }

    /// Prefetches the header of a block's heap.
    #[inline]
    pub(crate) fn prefetch_heap(&self, block: u32) {
        prefetch::value(&self.heaps[block as usize]);
    }

    /// Prefetches all records of a block.
    #[inline]
    pub(crate) fn prefetch_all(&self, block: u32) {
        let heap = &self.heaps[block as usize];
        heap.bytes[..usize::from(heap.used)].chunks(LINE).for_each(|line| prefetch::byte(line, 0));
    }

    /// Prefetches a record.
    #[inline]
    pub(crate) fn prefetch(&self, record: u32) {
        let (heap, at) = (&self.heaps[block_of(record) as usize].bytes, place_of(record));
        prefetch::byte(heap, at);
        // A short member may end on the next line.
        prefetch::byte(heap, at + SCORE + SHORT);
    }

    /// Prefetches the position where the next record of a block may be added.
    #[inline]
    pub(crate) fn prefetch_room(&self, block: u32) {
        self.heaps[block as usize].prefetch_room();
    }

    /// The heap of a block.
    #[inline]
    pub(crate) fn heap(&self, block: u32) -> &[u8] {
        &self.heaps[block as usize].bytes
    }

    /// Member and score of the record at a place of a heap, in units.
    #[inline]
    pub(crate) fn read<'r>(&'r self, heap: &'r [u8], place: u16) -> (&'r [u8], f64) {
        let bytes = &heap[usize::from(place) * UNIT..];
        (self.member_of(bytes), score_of(bytes))
    }

    /// The bytes from a record on.
    #[inline]
    fn from(&self, record: u32) -> &[u8] {
        &self.heaps[block_of(record) as usize].bytes[place_of(record)..]
    }

    #[inline]
    fn member_of<'r>(&'r self, record: &'r [u8]) -> &'r [u8] {
        let len = usize::from(record[SCORE]);
        let rest = &record[SCORE + 1..];
        if len < LONG { &rest[..len] } else { &self.long[long_of(rest) as usize] }
    }

    /// The number of the member of a record, if it is a long one.
    pub(crate) fn long(&self, record: u32) -> Option<u32> {
        let record = self.from(record);
        (usize::from(record[SCORE]) == LONG).then(|| long_of(&record[SCORE + 1..]))
    }

    /// Creates an empty heap for a block with this number, which is the next one or one whose heap has been
    /// [cleared](Self::clear).
    pub(crate) fn open(&mut self, block: u32) {
        if block as usize == self.heaps.len() {
            grow_by_little(&mut self.heaps);
            self.heaps.push(Heap::new());
        }
    }

    /// Releases the heap of a block.
    pub(crate) fn clear(&mut self, block: u32) {
        self.heaps[block as usize] = Heap::new();
    }

    /// Reserves room for this many bytes in the empty heap of a block.
    pub(crate) fn reserve(&mut self, block: u32, bytes: usize) {
        self.heaps[block as usize].bytes = vec![0; bytes].into_boxed_slice();
    }

    /// Whether a record of `size` can be added to the heap of a block without refilling it.
    #[inline]
    pub(crate) fn has_room(&self, block: u32, size: usize) -> bool {
        let heap = &self.heaps[block as usize];
        usize::from(heap.used) + size <= HEAP_MAX || heap.fitting(size).is_some()
    }

    /// Bytes of the records and of the holes of a block.
    pub(crate) fn bytes_of(&self, block: u32) -> (usize, usize) {
        let Heap { used, dead, .. } = self.heaps[block as usize];
        (usize::from(used - dead), usize::from(dead))
    }

    /// Adds a record to the heap of a block, which has room for it.
    pub(crate) fn add(&mut self, block: u32, score: f64, body: Body<'_>) -> u32 {
        let size = size(body);
        let heap = &mut self.heaps[block as usize];
        let at = heap.take(size);
        let (head, rest) = heap.bytes[at..at + size].split_at_mut(SCORE + 1);
        head[..SCORE].copy_from_slice(&score.to_le_bytes());
        let number = match body {
            Body::New(member) if member.len() < LONG => {
                head[SCORE] = u8::try_from(member.len()).unwrap_or(0);
                rest[..member.len()].copy_from_slice(member);
                return name(block, at);
            }
            Body::Long(number) => number,
            Body::New(member) => {
                let number = self.free_long.pop().unwrap_or(count(self.long.len()));
                if number as usize == self.long.len() {
                    self.long.push(Box::default());
                }
                self.long[number as usize] = member.into();
                number
            }
        };
        head[SCORE] = 0xff;
        rest[..4].copy_from_slice(&number.to_le_bytes());
        name(block, at)
    }

    /// Makes a hole of a record. A long member stays.
    pub(crate) fn remove(&mut self, record: u32) {
        let size = size_of_record(self.from(record));
        self.heaps[block_of(record) as usize].give_back(place_of(record), size);
    }

    /// Releases a long member.
    pub(crate) fn remove_long(&mut self, number: u32) {
        self.long[number as usize] = Box::default();
        self.free_long.push(number);
    }

    /// Replaces the heap of a block by one of these records, which may be from other blocks, in this order and without
    /// holes.
    pub(crate) fn refill(&mut self, block: u32, records: impl Iterator<Item = u32>) -> Moves {
        let mut moves = Moves::with_capacity(records.size_hint().0);
        let mut bytes = Vec::with_capacity(HEAP_MAX);
        for old in records {
            let record = self.from(old);
            moves.push((old, name(block, bytes.len())));
            bytes.extend_from_slice(&record[..size_of_record(record)]);
        }
        let used = bytes.len();
        let mut exact = Vec::with_capacity(room_for(used));
        exact.extend_from_slice(&bytes);
        exact.resize(room_for(used), 0);
        let used = u16::try_from(used).unwrap_or(u16::MAX);
        self.heaps[block as usize] =
            Heap { bytes: exact.into_boxed_slice(), used, dead: 0, hole: heap::NO_HOLE };
        moves
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let heaps: usize = self.heaps.iter().map(|heap| heap.bytes.len()).sum();
        let long: usize = self.long.iter().map(|member| member.len()).sum();
        heaps
            + long
            + self.heaps.capacity() * size_of::<Heap>()
            + self.long.capacity() * size_of::<Box<[u8]>>()
            + self.free_long.capacity() * 4
    }

    /// Checks the heap of a block, and that these are its records; counts those whose members are long.
    pub(crate) fn verify(&self, block: u32, records: impl Iterator<Item = u32>) -> usize {
        let heap = &self.heaps[block as usize];
        let mut long = 0;
        let mut pieces: Vec<(usize, usize)> = records
            .map(|record| {
                assert_eq!(block_of(record), block, "the block of a record");
                if let Some(number) = self.long(record) {
                    assert!(self.long[number as usize].len() >= LONG);
                    long += 1;
                }
                (place_of(record), size_of_record(self.from(record)))
            })
            .collect();
        let (mut at, mut dead) = (heap.hole, 0);
        while at != heap::NO_HOLE {
            let (next, units) = heap.hole_at(at);
            pieces.push((usize::from(at) * UNIT, usize::from(units) * UNIT));
            dead += usize::from(units) * UNIT;
            at = next;
        }
        assert_eq!(dead, usize::from(heap.dead), "bytes of holes");
        pieces.sort_unstable();
        let end = pieces.iter().fold(0, |end, &(at, size)| {
            assert_eq!(at, end, "records and holes fill the heap");
            at + size
        });
        assert_eq!(end, usize::from(heap.used));
        assert!(end <= heap.bytes.len() && heap.bytes.len() <= HEAP_MAX);
        long
    }

    /// Checks how many long members and heaps there are.
    pub(crate) fn verify_counts(&self, long: usize, blocks: usize) {
        assert_eq!(self.long.len() - self.free_long.len(), long, "long members");
        assert_eq!(self.heaps.len(), blocks, "heaps");
        assert!(self.free_long.iter().all(|&number| self.long[number as usize].is_empty()));
    }
}

/// The bytes of a new record.
#[inline]
pub(crate) fn size(body: Body<'_>) -> usize {
    match body {
        Body::New(member) if member.len() < LONG => size_with(member.len()),
        Body::New(_) | Body::Long(_) => LONG_RECORD,
    }
}

#[inline]
fn size_with(len: usize) -> usize {
    (SCORE + 1 + len).next_multiple_of(UNIT)
}

fn size_of_record(record: &[u8]) -> usize {
    let len = usize::from(record[SCORE]);
    if len < LONG { size_with(len) } else { LONG_RECORD }
}

#[inline]
pub(crate) fn block_of(record: u32) -> u32 {
    record >> PLACE_BITS
}

/// The offset of a record in its heap.
#[inline]
fn place_of(record: u32) -> usize {
    (record & ((1 << PLACE_BITS) - 1)) as usize * UNIT
}

fn name(block: u32, at: usize) -> u32 {
    name_of(block, in_16(at / UNIT))
}

/// The name of the record of a block at a place, in units.
#[inline]
pub(crate) fn name_of(block: u32, place: u16) -> u32 {
    block << PLACE_BITS | u32::from(place)
}

/// The place of a record in units.
#[inline]
pub(crate) fn units_of(record: u32) -> u16 {
    in_16(place_of(record) / UNIT)
}

/// Bytes of a heap, or units, which fit.
#[inline]
fn in_16(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Grows a vector in small steps, because there are many of them.
pub(crate) fn grow_by_little<T>(all: &mut Vec<T>) {
    if all.len() == all.capacity() {
        all.reserve_exact(all.len() / 32 + 1);
    }
}

#[inline]
fn score_of(record: &[u8]) -> f64 {
    record.first_chunk().map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes))
}

#[inline]
fn long_of(rest: &[u8]) -> u32 {
    rest.first_chunk().map_or(NONE, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
