//! The members' records: each member once, with its score, in byte runs of a few pages.
//!
//! # Layout
//!
//! ```text
//! live    | score: f64       | len: varint | member ...      | to a multiple of UNIT
//! dead    | next: u32 | NaN, high half: 0xfff8, units | previous: u32 | ...
//! ```
//!
//! A record is named by the number of its chunk and its place in it, in units. The name lasts as long as the record, unless
//! its chunk is emptied. A dead record is on the list of the dead ones of its size and is the first choice for a new one of that size.
//! Scores are never NaN, so that a walk tells the dead from the living.
//!
//! A chunk that is more than half dead is *sparse*: whoever owns the records moves the living out, and the chunk goes.

use crate::score;

/// Records begin at multiples of this.
const UNIT: usize = 2;
/// The bytes of a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
const CHUNK_BITS: u32 = 14;
/// Bits of a name that say the place inside the chunk.
const PLACE_BITS: u32 = CHUNK_BITS - UNIT.trailing_zeros();
/// How many chunks there may be.
const CHUNKS_MAX: usize = 1 << (u32::BITS - PLACE_BITS);
/// A longer record has a chunk of its own.
const SHARED_MAX: usize = CHUNK / 8;
/// The first chunk begins with so many bytes, for sets that have just left the listpack.
const FIRST: usize = 1 << 10;
const SCORE: usize = size_of::<f64>();
/// What marks a dead record, above its size in units.
const DEAD: u32 = 0xfff8_0000;
const UNITS_MASK: u32 = 0xffff;
/// The bytes that a dead record needs.
const LEAST: usize = 12;

/// No record: no chunk is so large that its last unit is the beginning of one.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// Bytes of dead records.
    dead: u32,
}

/// All records of a set.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    chunks: Vec<Chunk>,
    /// The chunk that is being filled.
    open: Option<u32>,
    /// Numbers of chunks that have gone.
    gone: Vec<u32>,
    /// The first dead record by size in units.
    holes: Vec<u32>,
    sparse: Vec<u32>,
}

impl Records {
    pub(crate) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            open: None,
            gone: Vec::new(),
            holes: Vec::new(),
            sparse: Vec::new(),
        }
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
        member_of(self.from(record))
    }

    #[inline]
    pub(crate) fn get(&self, record: u32) -> (&[u8], f64) {
        let bytes = self.from(record);
        (member_of(bytes), score_of(bytes))
    }

    pub(crate) fn set_score(&mut self, record: u32, score: f64) {
        let (chunk, at) = place(record);
        self.chunks[chunk].bytes[at..at + SCORE].copy_from_slice(&score.to_le_bytes());
    }

    /// The bytes from a record on.
    #[inline]
    fn from(&self, record: u32) -> &[u8] {
        let (chunk, at) = place(record);
        &self.chunks[chunk].bytes[at..]
    }

    /// Whether there is surely room for one more record, or for those of one chunk.
    pub(crate) fn has_room(&self) -> bool {
        self.chunks.len() < CHUNKS_MAX - 1 || !self.gone.is_empty()
    }

    /// Adds a record; `None` if there are too many.
    pub(crate) fn add(&mut self, score: f64, member: &[u8]) -> Option<u32> {
        let size = size(member.len());
        if size <= SHARED_MAX
            && let Some(hole) = self.take_hole(size / UNIT)
        {
            let (chunk, at) = place(hole);
            let chunk = &mut self.chunks[chunk];
            chunk.dead -= bytes_u32(size);
            let record = &mut chunk.bytes[at..at + size];
            let len_bytes = encode_len(member.len());
            let (head, rest) = record.split_at_mut(SCORE);
            head.copy_from_slice(&score.to_le_bytes());
            let (len, rest) = rest.split_at_mut(len_bytes.1);
            len.copy_from_slice(&len_bytes.0[..len_bytes.1]);
            rest[..member.len()].copy_from_slice(member);
            return Some(hole);
        }
        let chunk = self.chunk_for(size)?;
        let bytes = &mut self.chunks[chunk as usize].bytes;
        let at = bytes.len();
        bytes.extend_from_slice(&score.to_le_bytes());
        let (len, len_bytes) = encode_len(member.len());
        bytes.extend_from_slice(&len[..len_bytes]);
        bytes.extend_from_slice(member);
        bytes.resize(at + size, 0);
        Some(name(chunk, at))
    }

    /// A chunk with room for a record of `size`.
    fn chunk_for(&mut self, size: usize) -> Option<u32> {
        if size > SHARED_MAX {
            let chunk = self.new_chunk()?;
            self.chunks[chunk as usize].bytes.reserve_exact(size);
            return Some(chunk);
        }
        if let Some(open) = self.open {
            let bytes = &mut self.chunks[open as usize].bytes;
            if bytes.len() + size <= CHUNK {
                if bytes.capacity() - bytes.len() < size {
                    let more = bytes.len().max(FIRST).max(size).min(CHUNK - bytes.len());
                    bytes.reserve_exact(more);
                }
                return Some(open);
            }
            self.open = None;
            self.note_if_sparse(open);
        }
        let chunk = self.new_chunk()?;
        let first = self.chunks.len() == 1;
        let capacity = if first { FIRST.max(size) } else { CHUNK };
        self.chunks[chunk as usize].bytes.reserve_exact(capacity);
        self.open = Some(chunk);
        Some(chunk)
    }

    fn new_chunk(&mut self) -> Option<u32> {
        if let Some(chunk) = self.gone.pop() {
            return Some(chunk);
        }
        // The last number is left out for NONE.
        if self.chunks.len() >= CHUNKS_MAX - 1 {
            return None;
        }
        self.chunks.push(Chunk::default());
        u32::try_from(self.chunks.len() - 1).ok()
    }

    /// Takes a record out.
    pub(crate) fn remove(&mut self, record: u32) {
        let size = size(self.member(record).len());
        let chunk = chunk_of(record);
        if size > SHARED_MAX {
            self.release(chunk);
            return;
        }
        self.add_hole(record, size / UNIT);
        let dead = &mut self.chunks[chunk as usize].dead;
        *dead += bytes_u32(size);
        self.note_if_sparse(chunk);
    }

    fn note_if_sparse(&mut self, chunk: u32) {
        let Chunk { bytes, dead } = &self.chunks[chunk as usize];
        if self.open != Some(chunk)
            && *dead as usize * 2 > bytes.len()
            && self.sparse.last() != Some(&chunk)
        {
            self.sparse.push(chunk);
        }
    }

    /// A chunk to be emptied, if there is one; its dead records are taken off their lists. What lives in it is to be
    /// [moved](Self::relocate), and the chunk to be [released](Self::release).
    pub(crate) fn take_sparse(&mut self) -> Option<u32> {
        while self.has_room()
            && let Some(chunk) = self.sparse.pop()
        {
            // It may have been filled again since, or gone.
            let Chunk { bytes, dead } = &self.chunks[chunk as usize];
            if self.open != Some(chunk) && *dead as usize * 2 > bytes.len() {
                for (record, live) in self.walk(chunk) {
                    if !live {
                        self.unlink(record);
                    }
                }
                return Some(chunk);
            }
        }
        None
    }

    /// The records of a chunk that live.
    pub(crate) fn live(&self, chunk: u32) -> Vec<u32> {
        self.walk(chunk).into_iter().filter_map(|(record, live)| live.then_some(record)).collect()
    }

    /// Every record of a shared chunk, and whether it lives.
    fn walk(&self, chunk: u32) -> Vec<(u32, bool)> {
        let bytes = &self.chunks[chunk as usize].bytes;
        let (mut at, mut records) = (0, Vec::new());
        while at < bytes.len() {
            let record = name(chunk, at);
            let (_, mark, _) = self.hole(record);
            let live = mark & DEAD != DEAD;
            records.push((record, live));
            at += if live {
                size(member_of(&bytes[at..]).len())
            } else {
                (mark & UNITS_MASK) as usize * UNIT
            };
        }
        records
    }

    /// Copies a record of a chunk that is being emptied to elsewhere.
    pub(crate) fn relocate(&mut self, record: u32) -> Option<u32> {
        let (member, score) = self.get(record);
        let member = member.to_vec();
        self.add(score, &member)
    }

    /// Gives the memory of a chunk back.
    pub(crate) fn release(&mut self, chunk: u32) {
        self.chunks[chunk as usize] = Chunk::default();
        self.gone.push(chunk);
    }

    /// A dead record of this size, taken off its list.
    fn take_hole(&mut self, units: usize) -> Option<u32> {
        let hole = *self.holes.get(units)?;
        if hole == NONE {
            return None;
        }
        self.unlink(hole);
        Some(hole)
    }

    fn add_hole(&mut self, record: u32, units: usize) {
        if self.holes.len() <= units {
            self.holes.resize(units + 1, NONE);
        }
        let next = std::mem::replace(&mut self.holes[units], record);
        self.set_hole(record, next, DEAD | bytes_u32(units), NONE);
        if next != NONE {
            let (after, mark, _) = self.hole(next);
            self.set_hole(next, after, mark, record);
        }
    }

    fn unlink(&mut self, hole: u32) {
        let (next, mark, previous) = self.hole(hole);
        if previous == NONE {
            self.holes[(mark & UNITS_MASK) as usize] = next;
        } else {
            let (_, mark, before) = self.hole(previous);
            self.set_hole(previous, next, mark, before);
        }
        if next != NONE {
            let (after, mark, _) = self.hole(next);
            self.set_hole(next, after, mark, previous);
        }
    }

    /// The first three words of a record, as those of a dead one.
    fn hole(&self, record: u32) -> (u32, u32, u32) {
        let words = &self.from(record)[..LEAST];
        let word = |at: usize| {
            u32::from_le_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]])
        };
        (word(0), word(4), word(8))
    }

    fn set_hole(&mut self, record: u32, next: u32, mark: u32, previous: u32) {
        let (chunk, at) = place(record);
        let words = &mut self.chunks[chunk].bytes[at..at + LEAST];
        for (word, value) in words.chunks_exact_mut(4).zip([next, mark, previous]) {
            word.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.bytes.capacity()).sum();
        chunks
            + self.chunks.capacity() * size_of::<Chunk>()
            + (self.gone.capacity() + self.holes.capacity() + self.sparse.capacity()) * 4
    }

    /// Checks chunks and lists, and gives every record that lives.
    pub(crate) fn verify(&self) -> Vec<u32> {
        let (mut all, mut holes) = (Vec::new(), 0);
        for number in 0..bytes_u32(self.chunks.len()) {
            let Chunk { bytes, dead } = &self.chunks[number as usize];
            if bytes.len() > CHUNK || (bytes.len() > SHARED_MAX && self.walk_is_single(number)) {
                assert_eq!(*dead, 0, "a record of its own goes at once");
                all.push(name(number, 0));
                continue;
            }
            let records = self.walk(number);
            let dead_bytes: usize = records
                .iter()
                .filter(|(_, live)| !live)
                .map(|&(record, _)| (self.hole(record).1 & UNITS_MASK) as usize * UNIT)
                .sum();
            assert_eq!(dead_bytes, *dead as usize, "dead bytes of chunk {number}");
            let settled = self.open == Some(number) || 2 * dead_bytes <= bytes.len();
            assert!(settled || !self.has_room(), "chunk {number} is sparse");
            holes += records.iter().filter(|(_, live)| !live).count();
            all.extend(records.iter().filter(|(_, live)| *live).map(|&(record, _)| record));
        }
        let mut listed = 0;
        for (units, &first) in self.holes.iter().enumerate() {
            let (mut at, mut before) = (first, NONE);
            while at != NONE {
                let (next, mark, previous) = self.hole(at);
                assert_eq!(mark, DEAD | bytes_u32(units));
                assert_eq!(previous, before);
                listed += 1;
                (at, before) = (next, at);
            }
        }
        assert_eq!(listed, holes, "dead records on the lists");
        all
    }

    fn walk_is_single(&self, chunk: u32) -> bool {
        let first = name(chunk, 0);
        self.hole(first).1 & DEAD != DEAD
            && size(self.member(first).len()) == self.chunks[chunk as usize].bytes.len()
    }
}

/// The bytes of a record.
fn size(len: usize) -> usize {
    (SCORE + encode_len(len).1 + len).max(LEAST).next_multiple_of(UNIT)
}

#[inline]
fn chunk_of(record: u32) -> u32 {
    record >> PLACE_BITS
}

#[inline]
fn place(record: u32) -> (usize, usize) {
    let at = record & ((1 << PLACE_BITS) - 1);
    (chunk_of(record) as usize, at as usize * UNIT)
}

fn name(chunk: u32, at: usize) -> u32 {
    chunk << PLACE_BITS | bytes_u32(at / UNIT)
}

/// A number below the size of a chunk, or a count of chunks.
fn bytes_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[inline]
fn score_of(record: &[u8]) -> f64 {
    record.first_chunk().map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes))
}

#[inline]
fn member_of(record: &[u8]) -> &[u8] {
    let first = record[SCORE];
    if first < 0x80 {
        return &record[SCORE + 1..][..first.into()];
    }
    let (mut at, mut len, mut shift) = (SCORE, 0, 0);
    loop {
        let byte = record[at];
        at += 1;
        len |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return &record[at..at + len];
        }
        shift += 7;
    }
}

/// A length, seven bits a byte, low bits first, the high bit set on all but the last; and how many bytes that takes.
#[inline]
fn encode_len(len: usize) -> ([u8; 10], usize) {
    let mut bytes = [0; 10];
    let (mut left, mut count) = (len, 0);
    loop {
        let low = u8::try_from(left & 0x7f).unwrap_or(0);
        left >>= 7;
        bytes[count] = if left == 0 { low } else { low | 0x80 };
        count += 1;
        if left == 0 {
            return (bytes, count);
        }
    }
}
