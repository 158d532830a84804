//! A bucket of the keyspace: keys, values, and what the store knows of each.

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
    /// Asks for what the entry holds on the heap.
    #[inline]
    pub(crate) fn prefetch_heap(&self) {
        if let Key::Heap(bytes) = &self.key {
            prefetch::byte(bytes, 0);
        }
        self.value.prefetch();
    }

    /// What the allocator holds for the entry beyond its part of the table.
    pub(crate) fn heap_bytes(&self) -> usize {
        allocated(self.key.heap_bytes()) + self.value.heap_bytes()
    }
}

/// A few dozen keys: columns that grow in small steps, and tags that show where a key is.
///
/// A hash table of whole entries would leave about a third of its 48-byte entries empty.
// Two cache lines, of which the first is the tags.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct KeyBucket {
    tags: Tags,
    entries: Vec<Entry>,
    metadata: Metadata,
}

/// Where an entry is inside its bucket; good until the next change of the bucket.
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

    /// When the key expires, in milliseconds since the epoch.
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

    /// Notes the time of an access.
    #[inline]
    pub(crate) fn stamp(&self, position: Position, secs: u32) {
        self.metadata.stamp(position.at(), secs);
    }

    /// When the key was last touched, in seconds modulo 2^31.
    pub(crate) fn accessed(&self, position: Position) -> u32 {
        self.metadata.accessed(position.at())
    }

    /// How many seconds before `now` it was last touched.
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

    /// Asks for where the next key goes, once the lines of the bucket are there.
    pub(crate) fn prefetch_room(&self) {
        if let Some(last) = self.entries.last() {
            prefetch::value(last);
            self.metadata.prefetch(self.entries.len() - 1);
        }
    }

    /// Where a look-up of this hash looks first.
    #[inline]
    pub(crate) fn first(&self, hash: u64) -> Option<Position> {
        self.tags.find(hash, |_| true).map(Position::new)
    }

    /// Asks for what is needed of an entry, but for what it holds on the heap.
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

    /// Makes room for so many keys that are to come.
    pub(crate) fn reserve(&mut self, keys: usize) {
        self.entries.reserve_exact(keys);
        self.metadata.reserve(keys);
    }

    /// Adds a key that is not there.
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

    /// Removes an entry; the last one takes its position.
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

    /// The position of that number; `None` if there are not so many entries.
    pub(crate) fn nth(&self, number: usize) -> Option<Position> {
        (number < self.entries.len()).then(|| Position::new(number))
    }

    /// Where the keys are.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Position> + use<> {
        (0..self.entries.len()).map(Position::new)
    }

    /// Every key with its expiry.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Entry, Option<i64>)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(at, entry)| (entry, self.expires_at(Position::new(at))))
    }

    /// How many keys of this bucket have an expiry.
    pub(crate) fn expiring(&self) -> usize {
        self.metadata.expiring()
    }
}

/// How many rows a full column of so many grows by: a sixteenth, so that columns hold little that they do not use.
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
        // Half of the entries go each way, give or take; the slack keeps either side from growing at once.
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
