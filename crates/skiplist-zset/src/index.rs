//! From a member's hash to its record: an extendible hash table whose buckets are cache lines.
//!
//! # Layout
//!
//! ```text
//! hash       | directory bits ...            | line in the piece | tag |
//!
//! directory    prefix -> piece                                    the first bits of the hash
//! piece        LINES lines, of which the hash chooses one: the home
//! line         | record x 12 | tag x 12 | spilled, entries, depth, - |     one cache line; tag 0: empty
//! ```
//!
//! The record's name is in the line of its tag, so that a look-up waits for memory twice: line, record. An entry whose home is
//! full goes to a next line of its piece, and the home counts it as spilled; only where something has spilled does a look-up go on.
//! A piece with [`FULL`] entries splits by the next bit of the hash, and nothing else moves. Source: Fagin, Nievergelt,
//! Pippenger, Strong, "Extendible Hashing", 1979.
//!
//! Entries whose hashes cannot be parted, which takes a broken hash, end in one list that is searched one by one.

use core::hint::black_box;

use wide::u8x16;

/// Entries of a line.
const SLOTS: usize = 12;
/// Lines of a piece.
const LINES: usize = 5;
/// A piece with so many entries splits before it takes another.
const FULL: usize = 54;
/// Lines are allocated for so many pieces at once.
const SEGMENT: usize = 64;
/// The most bits of the directory.
const DEPTH_MAX: u8 = 32;
/// Where a line keeps how many entries of this home are elsewhere, and the first line how many entries and which depth its piece has.
const SPILLED: usize = SLOTS;
const ENTRIES: usize = SLOTS + 1;
const DEPTH: usize = SLOTS + 2;

#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Line {
    records: [u32; SLOTS],
    tags: [u8; 16],
}

const _: () = assert!(size_of::<Line>() == 64);

/// What an index asks of those whose records it has.
pub(crate) trait Hashed {
    /// The hash of the member of a record.
    fn hash(&self, record: u32) -> u64;

    /// A byte of the record, so that it comes into the cache.
    fn touch(&self, record: u32) -> u8;
}

/// Where an entry is; good until the next insertion or removal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Slot { piece: u32, line: usize, slot: usize },
    Crowd(usize),
}

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// Piece numbers by hash prefix; `1 << depth` of them.
    directory: Vec<u32>,
    depth: u8,
    pieces: u32,
    /// The lines of the pieces. Segments do not move when others are added; the first one grows with small sets.
    segments: Vec<Vec<Line>>,
    /// Records that found no place.
    crowd: Vec<u32>,
}

impl Index {
    /// A table for so many entries.
    pub(crate) fn with_entries(entries: usize) -> Self {
        // The root of the average is its deviation, so that hardly any piece will split.
        const AVERAGE: usize = FULL * 3 / 4;
        let mut depth = 0;
        while depth < DEPTH_MAX && entries >> depth > AVERAGE {
            depth += 1;
        }
        let mut index = Self {
            directory: Vec::new(),
            depth,
            pieces: 0,
            segments: Vec::new(),
            crowd: Vec::new(),
        };
        index.directory = (0..1_usize << depth).map(|_| index.push_piece(depth)).collect();
        index
    }

    /// The record with this hash that `is` the one, and its place.
    #[inline]
    pub(crate) fn locate(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<(At, u32)> {
        let piece = self.piece(hash);
        let lines = self.lines(piece);
        let home = home(hash);
        let tag = tag(hash);
        let mut line = home;
        loop {
            let mut found = equal(&lines[line].tags, tag);
            while found != 0 {
                let slot = found.trailing_zeros() as usize % SLOTS;
                let record = lines[line].records[slot];
                if is(record) {
                    return Some((At::Slot { piece, line, slot }, record));
                }
                found &= found - 1;
            }
            if lines[home].tags[SPILLED] == 0 {
                break;
            }
            line = (line + 1) % LINES;
            if line == home {
                break;
            }
        }
        let at = self.crowd.iter().position(|&record| is(record))?;
        Some((At::Crowd(at), self.crowd[at]))
    }

    /// Adds a record that is not there.
    pub(crate) fn insert(&mut self, hash: u64, record: u32, members: &impl Hashed) {
        let mut piece = self.piece(hash);
        while usize::from(self.lines(piece)[0].tags[ENTRIES]) >= FULL && self.split(hash, members) {
            piece = self.piece(hash);
        }
        if !place(self.lines_mut(piece), hash, record) {
            self.crowd.push(record);
        }
    }

    /// Takes out what is at a place, which was found for this hash.
    pub(crate) fn remove(&mut self, hash: u64, at: At) {
        match at {
            At::Crowd(at) => {
                self.crowd.swap_remove(at);
            }
            At::Slot { piece, line, slot } => {
                let lines = self.lines_mut(piece);
                lines[line].tags[slot] = 0;
                lines[0].tags[ENTRIES] -= 1;
                let home = home(hash);
                if line != home {
                    lines[home].tags[SPILLED] -= 1;
                }
            }
        }
    }

    /// Gives what is at a place another name.
    #[inline]
    pub(crate) fn set(&mut self, at: At, record: u32) {
        match at {
            At::Crowd(at) => self.crowd[at] = record,
            At::Slot { piece, line, slot } => self.lines_mut(piece)[line].records[slot] = record,
        }
    }

    /// Gives records, of which each has the hash beside it, other names: the old one, the new one. A new name may be the old one of
    /// another record.
    pub(crate) fn rename(&mut self, moves: impl Iterator<Item = (u64, u32, u32)> + Clone) {
        // The lines first, so that the waits for them overlap.
        let touched = |all, (hash, _, _)| all | self.lines(self.piece(hash))[home(hash)].tags[0];
        black_box(moves.clone().fold(0, touched));
        let places: Vec<_> = moves
            .filter_map(|(hash, old, new)| {
                let found = self.locate(hash, |other| other == old);
                debug_assert!(found.is_some(), "a record that is not there");
                Some((found?.0, new))
            })
            .collect();
        for (at, new) in places {
            self.set(at, new);
        }
    }

    #[inline]
    fn piece(&self, hash: u64) -> u32 {
        self.directory[prefix(hash, self.depth)]
    }

    #[inline]
    fn lines(&self, piece: u32) -> &[Line; LINES] {
        let segment = &self.segments[piece as usize / SEGMENT];
        &segment.as_chunks::<LINES>().0[piece as usize % SEGMENT]
    }

    #[inline]
    fn lines_mut(&mut self, piece: u32) -> &mut [Line; LINES] {
        let segment = &mut self.segments[piece as usize / SEGMENT];
        &mut segment.as_chunks_mut::<LINES>().0[piece as usize % SEGMENT]
    }

    fn push_piece(&mut self, depth: u8) -> u32 {
        let piece = self.pieces;
        self.pieces += 1;
        if self.segments.len() <= piece as usize / SEGMENT {
            let first = self.segments.is_empty();
            let capacity = if first { LINES } else { SEGMENT * LINES };
            self.segments.push(Vec::with_capacity(capacity));
        }
        let segment = &mut self.segments[piece as usize / SEGMENT];
        if segment.capacity() - segment.len() < LINES {
            let pieces = segment.len() / LINES;
            segment.reserve_exact(LINES * (pieces / 4 + 1).min(SEGMENT - pieces));
        }
        segment.extend([const { Line { records: [0; SLOTS], tags: [0; 16] } }; LINES]);
        self.lines_mut(piece)[0].tags[DEPTH] = depth;
        piece
    }

    /// Splits the piece of this hash; `false` if it may not be split.
    #[cold]
    fn split(&mut self, hash: u64, members: &impl Hashed) -> bool {
        let piece = self.piece(hash);
        let depth = self.lines(piece)[0].tags[DEPTH];
        // With a sound hash the directory stays within a few words a piece.
        let crowded = depth == self.depth && self.directory.len() > 16 * self.pieces as usize;
        if depth >= DEPTH_MAX || crowded {
            return false;
        }
        if depth == self.depth {
            self.directory = self.directory.iter().flat_map(|&word| [word, word]).collect();
            self.depth += 1;
        }
        let new = self.push_piece(depth + 1);
        let old = std::mem::take(self.lines_mut(piece));
        self.lines_mut(piece)[0].tags[DEPTH] = depth + 1;
        let mut moving = [0; LINES * SLOTS];
        let mut count = 0;
        for line in &old {
            for (&record, &tag) in line.records.iter().zip(&line.tags) {
                moving[count] = record;
                count += usize::from(tag != 0);
            }
        }
        // All records first, in few steps, so that the waits for them overlap.
        let moving = &moving[..count];
        black_box(moving.iter().fold(0, |all, &record| all | members.touch(record)));
        for &record in moving {
            let hash = members.hash(record);
            let right = hash << depth >> 63 == 1;
            let placed = place(self.lines_mut(if right { new } else { piece }), hash, record);
            debug_assert!(placed, "no more entries than before");
        }

        // The words whose prefix is this piece's, and whose next bit is 1, now lead to the new piece.
        let below = self.depth - depth - 1;
        let first = (prefix(hash, depth) << 1 | 1) << below;
        self.directory[first..first + (1 << below)].fill(new);
        true
    }

    /// How many first bits the hashes of a piece share, of the one that this hash belongs to.
    pub(crate) fn shared_bits(&self, hash: u64) -> u32 {
        u32::from(self.lines(self.piece(hash))[0].tags[DEPTH])
    }

    /// How many entries the piece of a hash has.
    pub(crate) fn entries(&self, hash: u64) -> usize {
        usize::from(self.lines(self.piece(hash))[0].tags[ENTRIES])
    }

    /// The records of the piece of a hash, and all those that found no place in any.
    pub(crate) fn bucket(&self, hash: u64) -> impl Iterator<Item = u32> {
        let lines = self.lines(self.piece(hash)).iter();
        let slots = lines.flat_map(|line| line.records.iter().zip(&line.tags));
        let placed = slots.filter(|&(_, &tag)| tag != 0).map(|(&record, _)| record);
        placed.chain(self.crowd.iter().copied())
    }

    /// How many entries the pieces have room for.
    pub(crate) fn capacity(&self) -> usize {
        self.pieces as usize * LINES * SLOTS
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let lines: usize = self.segments.iter().map(Vec::capacity).sum();
        lines * size_of::<Line>()
            + self.segments.capacity() * size_of::<Vec<Line>>()
            + (self.directory.capacity() + self.crowd.capacity()) * 4
    }

    /// Checks every piece; gives how many entries there are.
    pub(crate) fn verify(&self, members: &impl Hashed) -> usize {
        let mut all = self.crowd.len();
        assert_eq!(self.directory.len(), 1 << self.depth);
        for run in self.directory.chunk_by(|a, b| a == b) {
            let piece = run[0];
            let lines = self.lines(piece);
            let depth = lines[0].tags[DEPTH];
            assert_eq!(run.len(), 1 << (self.depth - depth), "words of piece {piece}");
            let (mut entries, mut spilled) = (0, [0; LINES]);
            for (number, line) in lines.iter().enumerate() {
                for slot in 0..SLOTS {
                    if line.tags[slot] == 0 {
                        continue;
                    }
                    let hash = members.hash(line.records[slot]);
                    assert_eq!(self.piece(hash), piece, "the piece of a hash");
                    assert_eq!(tag(hash), line.tags[slot], "the tag of a hash");
                    entries += 1;
                    if home(hash) != number {
                        spilled[home(hash)] += 1;
                    }
                }
            }
            assert_eq!(entries, lines[0].tags[ENTRIES]);
            assert_eq!(spilled, std::array::from_fn(|line| lines[line].tags[SPILLED]));
            all += usize::from(entries);
        }
        all
    }
}

/// Puts an entry into a piece that may have room.
fn place(lines: &mut [Line; LINES], hash: u64, record: u32) -> bool {
    let home = home(hash);
    for step in 0..LINES {
        let line = (home + step) % LINES;
        let free = equal(&lines[line].tags, 0);
        if free != 0 {
            let slot = free.trailing_zeros() as usize % SLOTS;
            lines[line].tags[slot] = tag(hash);
            lines[line].records[slot] = record;
            lines[0].tags[ENTRIES] += 1;
            if step > 0 {
                lines[home].tags[SPILLED] += 1;
            }
            return true;
        }
    }
    false
}

/// The first bits of a hash, as a number; 0 for none.
#[inline]
fn prefix(hash: u64, bits: u8) -> usize {
    usize::try_from(hash.checked_shr(64 - u32::from(bits)).unwrap_or(0)).unwrap_or(0)
}

/// The line of a piece where an entry is looked for first.
#[inline]
fn home(hash: u64) -> usize {
    let bits = usize::from(hash.to_le_bytes()[1]) << 8 | usize::from(hash.to_le_bytes()[2]);
    (bits * LINES) >> 16
}

#[inline]
fn tag(hash: u64) -> u8 {
    hash.to_le_bytes()[0].max(1)
}

/// A bit for each of the slots with this tag.
#[inline]
fn equal(tags: &[u8; 16], tag: u8) -> u32 {
    u8x16::new(*tags).simd_eq(u8x16::splat(tag)).to_bitmask() & ((1 << SLOTS) - 1)
}

#[cfg(test)]
mod tests;
