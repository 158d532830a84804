//! The index from a member's hash to its record: an [extendible](extendible) table whose buckets are a few cache lines
//! of tags and record names.
//!
//! # Layout
//!
//! ```text
//! hash       | directory bits ...            | line of the bucket | tag |
//!
//! bucket       LINES lines, of which the hash chooses one: the home
//! line         | record x 12 | tag x 12 | spilled, entries, -, - |     one cache line; tag 0: empty
//! ```
//!
//! The record's name is in the cache line of its tag, so a lookup has two cache misses: line, record. An entry whose
//! home line is full goes to a following line of its bucket, and the home line counts it as spilled; a lookup continues
//! to further lines only if something has spilled. A bucket with [`FULL`] entries splits before it takes another.
//!
//! Entries whose hashes cannot be separated by splits, which only happens with a broken hash function, go to one list
//! that is searched linearly.

use extendible::{Bucket, BucketId, Extendible, Rehash, equal};

/// Entries of a line.
const SLOTS: usize = 12;
/// Lines of a bucket.
const LINES: usize = 5;
/// A bucket with this many entries splits before it takes another.
const FULL: usize = 54;
/// The slot where a line has the number of spilled entries of this home, and the first line the number of entries of
/// its bucket.
const SPILLED: usize = SLOTS;
const ENTRIES: usize = SLOTS + 1;

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line {
    records: [u32; SLOTS],
    tags: [u8; 16],
}

/// The lines of a bucket.
#[derive(Clone, Debug, Default)]
struct Lines([Line; LINES]);

const _: () = assert!(size_of::<Lines>() == LINES * 64);

/// The location of an entry; valid until the next insertion or removal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Line { bucket: BucketId, line: usize, at: usize },
    Crowd(usize),
}

/// The table. The hash function of records is passed in, because only the caller has the members: see [`Rehash`].
#[derive(Clone, Debug)]
pub(crate) struct Index {
    table: Extendible<Lines>,
    /// Records that did not fit in their bucket.
    crowd: Vec<u32>,
}

impl Index {
    /// Creates a table for this many entries.
    pub(crate) fn with_entries(entries: usize) -> Self {
        Self { table: Extendible::with_room(0, entries), crowd: Vec::new() }
    }

    /// The record with this hash for which `is` returns true, and its location.
    #[inline]
    pub(crate) fn locate(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<(At, u32)> {
        let bucket = self.table.locate(hash);
        // The table has no bucket if it is empty, while the crowd may not be.
        if let Some(Lines(lines)) = self.table.get(bucket) {
            let home = home(hash);
            let tag = tag(hash);
            let mut line = home;
            loop {
                let mut found = equal_in_line(&lines[line], tag);
                while found != 0 {
                    let at = found.trailing_zeros() as usize % SLOTS;
                    let record = lines[line].records[at];
                    if is(record) {
                        return Some((At::Line { bucket, line, at }, record));
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
        }
        let at = self.crowd.iter().position(|&record| is(record))?;
        Some((At::Crowd(at), self.crowd[at]))
    }

    /// Prefetches the line where the record of a hash is.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(lines) = self.table.bucket(hash) {
            prefetch::value(&lines.0[home(hash)]);
        }
    }

    /// The record that a lookup of a hash compares first.
    #[inline]
    pub(crate) fn first(&self, hash: u64) -> Option<u32> {
        let line = &self.table.bucket(hash)?.0[home(hash)];
        let found = equal_in_line(line, tag(hash));
        (found != 0).then(|| line.records[found.trailing_zeros() as usize % SLOTS])
    }

    /// Adds a record that is not present.
    pub(crate) fn insert(&mut self, hash: u64, record: u32, members: &impl Rehash<u32>) {
        let (_, placed) = self.table.insert(hash, members, |lines| lines.place(hash, record));
        if !placed {
            self.table.removed();
            self.crowd.push(record);
        }
    }

    /// Removes the entry that was found for this hash.
    pub(crate) fn remove(&mut self, hash: u64, at: At) {
        match at {
            At::Crowd(at) => {
                self.crowd.swap_remove(at);
            }
            At::Line { bucket, line, at } => {
                let Some(Lines(lines)) = self.table.get_mut(bucket) else { return };
                lines[line].tags[at] = 0;
                lines[0].tags[ENTRIES] -= 1;
                let home = home(hash);
                if line != home {
                    lines[home].tags[SPILLED] -= 1;
                }
                self.table.removed();
            }
        }
    }

    /// Gives an entry another record.
    #[inline]
    pub(crate) fn set(&mut self, at: At, record: u32) {
        match at {
            At::Crowd(at) => self.crowd[at] = record,
            At::Line { bucket, line, at } => {
                if let Some(Lines(lines)) = self.table.get_mut(bucket) {
                    lines[line].records[at] = record;
                }
            }
        }
    }

    /// Renames records, each given as hash, old name and new name. A new name may be the old one of another record.
    pub(crate) fn rename(&mut self, moves: impl Iterator<Item = (u64, u32, u32)> + Clone) {
        // The lines first, so that the cache misses overlap.
        moves.clone().for_each(|(hash, _, _)| self.prefetch(hash));
        let places: Vec<_> = moves
            .filter_map(|(hash, old, new)| {
                let found = self.locate(hash, |other| other == old);
                debug_assert!(found.is_some(), "the record is not in the index");
                Some((found?.0, new))
            })
            .collect();
        for (at, new) in places {
            self.set(at, new);
        }
    }

    /// The number of leading bits that the hashes of this hash's bucket share.
    pub(crate) fn shared_bits(&self, hash: u64) -> u32 {
        self.table.shared_bits(hash)
    }

    /// The number of entries of a hash's bucket.
    pub(crate) fn entries(&self, hash: u64) -> usize {
        self.table.bucket(hash).map_or(0, Lines::len)
    }

    /// The records of a hash's bucket, and all those that did not fit in their buckets.
    pub(crate) fn bucket(&self, hash: u64) -> impl Iterator<Item = u32> {
        let records = self.table.bucket(hash).into_iter().flat_map(Lines::records);
        records.chain(self.crowd.iter().copied())
    }

    /// The number of entries that the buckets have room for.
    pub(crate) fn capacity(&self) -> usize {
        self.table.bucket_count() * LINES * SLOTS
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.table.heap_bytes() + self.crowd.capacity() * size_of::<u32>()
    }

    /// Checks every bucket; returns how many entries there are.
    pub(crate) fn verify(&self, members: &impl Rehash<u32>) -> usize {
        self.table.verify();
        for bucket in self.table.buckets() {
            let mut spilled = [0; LINES];
            for (number, line) in bucket.0.iter().enumerate() {
                for (record, _) in line.records.iter().zip(line.tags).filter(|(_, tag)| *tag > 0) {
                    let hash = members.hash(record);
                    let of = self.table.bucket(hash);
                    assert!(of.is_some_and(|of| core::ptr::eq(of, bucket)), "the bucket of a hash");
                    let found = self.locate(hash, |other| other == *record);
                    assert!(found.is_some(), "the tag of a hash");
                    if home(hash) != number {
                        spilled[home(hash)] += 1;
                    }
                }
            }
            assert_eq!(bucket.records().count(), bucket.len());
            assert_eq!(spilled, core::array::from_fn(|line| bucket.0[line].tags[SPILLED]));
        }
        self.table.len() + self.crowd.len()
    }
}

impl Lines {
    /// Adds an entry; `false` if all lines are full.
    fn place(&mut self, hash: u64, record: u32) -> bool {
        let Self(lines) = self;
        let home = home(hash);
        for step in 0..LINES {
            let line = (home + step) % LINES;
            let free = equal_in_line(&lines[line], 0);
            if free != 0 {
                let at = free.trailing_zeros() as usize % SLOTS;
                lines[line].tags[at] = tag(hash);
                lines[line].records[at] = record;
                lines[0].tags[ENTRIES] += 1;
                if step > 0 {
                    lines[home].tags[SPILLED] += 1;
                }
                return true;
            }
        }
        false
    }

    /// The records of all entries.
    fn records(&self) -> impl Iterator<Item = u32> {
        let entries = self.0.iter().flat_map(|line| line.records.iter().zip(&line.tags));
        entries.filter(|&(_, &tag)| tag != 0).map(|(&record, _)| record)
    }
}

impl Bucket for Lines {
    type Key = u32;

    const FULL: usize = FULL;

    #[inline]
    fn len(&self) -> usize {
        self.0[0].tags[ENTRIES].into()
    }

    fn split(&mut self, bit: u64, members: &impl Rehash<u32>) -> Self {
        let old = core::mem::take(self);
        let mut new = Self::default();
        let mut moving = [0; LINES * SLOTS];
        let mut count = 0;
        for line in &old.0 {
            for (&record, &tag) in line.records.iter().zip(&line.tags) {
                moving[count] = record;
                count += usize::from(tag != 0);
            }
        }
        // All records first, in few steps, so that the cache misses overlap.
        let moving = &moving[..count];
        for record in moving {
            members.prefetch(record);
        }
        for record in moving {
            let hash = members.hash(record);
            let to = if hash & bit == 0 { &mut *self } else { &mut new };
            let placed = to.place(hash, *record);
            debug_assert!(placed, "no more entries than before");
        }
        new
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}

/// The line of a bucket where an entry is searched for first.
#[inline]
fn home(hash: u64) -> usize {
    let bits = usize::from(hash.to_le_bytes()[1]) << 8 | usize::from(hash.to_le_bytes()[2]);
    (bits * LINES) >> 16
}

#[inline]
fn tag(hash: u64) -> u8 {
    hash.to_le_bytes()[0].max(1)
}

/// A bit for each of the entries with this tag.
#[inline]
fn equal_in_line(line: &Line, tag: u8) -> u32 {
    equal(&line.tags, tag) & ((1 << SLOTS) - 1)
}

#[cfg(test)]
mod tests;
