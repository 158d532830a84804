//! A bucket of the keyspace: keys, values, and their metadata.

use extendible::{Bucket, Fill, LINE, Rehash, Tags};

use super::metadata::Metadata;
use crate::key::{HashedKey, Key};
use crate::store::scope::Needs;
use crate::value::{Value, allocated};

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

impl Entry {
    /// Prefetches the heap memory of the entry.
    #[inline]
    pub(crate) fn prefetch_heap(&self) {
        if let Key::Heap(bytes) = &self.key {
            prefetch::byte(bytes, 0);
        }
        self.value.prefetch();
    }

    /// The memory of the entry in addition to its part of the table, in bytes, including the allocator's overhead.
    pub(crate) fn heap_bytes(&self) -> usize {
        allocated(self.key.heap_bytes()) + self.value.heap_bytes()
    }
}

/// A few dozen keys: columns that grow in small steps, and tags to find a key.
///
/// A hash table of whole entries would leave about a third of its 48-byte entries empty.
// Two cache lines, the first of which is the tags.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct KeyBucket {
    tags: Tags,
    entries: Vec<Entry>,
    metadata: Metadata,
}

/// The position of an entry in its bucket; valid until the bucket changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position(u16);

impl Position {
    /// A bucket splits long before its positions run out; it could only fail to with 65,536 keys that agree in half of
    /// a keyed hash.
    fn new(at: usize) -> Self {
        Self(u16::try_from(at).expect("a bucket has fewer than 65,536 entries"))
    }

    const fn at(self) -> usize {
        self.0 as usize
    }
}

impl KeyBucket {
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Position> {
        let found = self.tags.find(key.hash, |at| {
            self.entries.get(at).is_some_and(|entry| entry.key.as_bytes() == key.bytes)
        });
        found.map(Position::new)
    }

    #[inline]
    pub(crate) fn entry(&self, position: Position) -> &Entry {
        &self.entries[position.at()]
    }

    #[inline]
    pub(crate) fn value_mut(&mut self, position: Position) -> &mut Value {
        &mut self.entries[position.at()].value
    }

    /// The expiry of the key, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(&self, position: Position) -> Option<i64> {
        self.metadata.expires_at(position.at())
    }

    /// Sets or clears the expiry.
    #[inline]
    pub(crate) fn set_expiry(&mut self, position: Position, at_ms: Option<i64>) {
        self.metadata.set_expiry(position.at(), at_ms);
    }

    /// The time of an access that many seconds before `now`.
    pub(crate) fn accessed_before(now: u32, idle: u64) -> u32 {
        Metadata::accessed_before(now, idle)
    }

    /// Sets the time of the last access.
    #[inline]
    pub(crate) fn stamp(&self, position: Position, secs: u32) {
        self.metadata.stamp(position.at(), secs);
    }

    /// The time of the last access, in seconds modulo 2^31.
    pub(crate) fn accessed(&self, position: Position) -> u32 {
        self.metadata.accessed(position.at())
    }

    /// The number of seconds between the last access and `now`.
    pub(crate) fn idle_secs(&self, position: Position, now: u32) -> u32 {
        self.metadata.idle_secs(position.at(), now)
    }

    /// The mark of a key (see [`Keyspace`](crate::store::keyspace::Keyspace)).
    #[inline]
    pub(crate) fn mark(&self, position: Position) -> bool {
        self.metadata.mark(position.at())
    }

    /// Sets the mark of a key.
    pub(crate) fn set_mark(&mut self, position: Position, mark: bool) {
        self.metadata.set_mark(position.at(), mark);
    }

    /// Prefetches the memory for the next key. The lines of the bucket are already in the cache.
    pub(crate) fn prefetch_room(&self) {
        if let Some(last) = self.entries.last() {
            prefetch::value(last);
            self.metadata.prefetch(self.entries.len() - 1);
        }
    }

    /// The first candidate of a look-up of this hash.
    #[inline]
    pub(crate) fn first(&self, hash: u64) -> Option<Position> {
        self.tags.find(hash, |_| true).map(Position::new)
    }

    /// Prefetches the parts of an entry that are needed, without its heap memory.
    #[inline]
    pub(crate) fn prefetch_at(&self, position: Position, needs: Needs) {
        let entry = self.entry(position);
        prefetch::value(&entry.key);
        if needs == Needs::Value {
            prefetch::value(&entry.value);
        }
        if needs == Needs::Value || self.metadata.expiring() > 0 {
            self.metadata.prefetch(position.at());
        }
    }

    /// Reserves space for that many more keys.
    pub(crate) fn reserve(&mut self, keys: usize) {
        self.entries.reserve_exact(keys);
        self.metadata.reserve(keys);
    }

    /// Adds a key that is not present.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        entry: Entry,
        accessed: u32,
        mark: bool,
    ) -> Position {
        let position = Position::new(self.entries.len());
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(step(self.entries.len()));
        }
        self.tags.push(hash);
        self.entries.push(entry);
        self.metadata.push(accessed, mark);
        position
    }

    /// Removes an entry; the last one moves to its position.
    pub(crate) fn remove(&mut self, position: Position, rehash: &impl Fn(&[u8]) -> u64) -> Value {
        let last = self.entries.last();
        self.tags.swap_remove(position.at(), || last.map_or(0, |last| rehash(last.key.as_bytes())));
        let entry = self.entries.swap_remove(position.at());
        self.metadata.swap_remove(position.at());
        self.release();
        entry.value
    }

    /// Releases memory once three quarters of it are unused.
    fn release(&mut self) {
        let len = self.entries.len();
        if self.entries.capacity() > 16 && len < self.entries.capacity() / 4 {
            self.entries.shrink_to(len * 2);
            self.metadata.shrink_to(len * 2);
        }
    }

    /// The position with that number; `None` if there are not as many entries.
    pub(crate) fn nth(&self, number: usize) -> Option<Position> {
        (number < self.entries.len()).then(|| Position::new(number))
    }

    /// Iterates over the positions of the keys.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Position> + use<> {
        (0..self.entries.len()).map(Position::new)
    }

    /// Iterates over the keys with their expiries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Entry, Option<i64>)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(at, entry)| (entry, self.expires_at(Position::new(at))))
    }

    /// The number of keys of this bucket with an expiry.
    pub(crate) fn expiring(&self) -> usize {
        self.metadata.expiring()
    }
}

/// The number of rows by which a full column grows: a sixteenth, to limit unused space.
pub(super) fn step(rows: usize) -> usize {
    (rows / 16).max(3)
}

impl Bucket for KeyBucket {
    type Key = [u8];

    const FULL: usize = LINE;

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn fill(&self) -> Fill {
        match self.entries.len() {
            0..Self::FULL => Fill::Room,
            Self::FULL..60_000 => Fill::Full,
            _ => Fill::Overfull,
        }
    }

    fn split(&mut self, bit: u64, rehash: &impl Rehash<[u8]>) -> Self {
        let old = std::mem::take(self);
        let mut new = Self::default();
        // About half of the entries go to each side; the slack prevents an immediate growth of either.
        let half = old.entries.len() / 2 + 8;
        for bucket in [&mut *self, &mut new] {
            bucket.entries.reserve_exact(half);
            bucket.metadata = Metadata::like(&old.metadata, half);
        }
        for (at, entry) in old.entries.into_iter().enumerate() {
            let hash = rehash.hash(entry.key.as_bytes());
            let to = if hash & bit == 0 { &mut *self } else { &mut new };
            let (accessed, mark) = (old.metadata.accessed(at), old.metadata.mark(at));
            let position = to.insert(hash, entry, accessed, mark);
            to.set_expiry(position, old.metadata.expires_at(at));
        }
        new
    }

    #[inline]
    fn prefetch(&self) {
        self.tags.prefetch();
        prefetch::value(&self.entries);
    }

    fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.metadata.heap_bytes()
    }
}
