//! A piece of the keyspace: keys, values, and what the store knows of each.

use super::marks::Marks;
use super::tags::Tags;
use super::{Fill, PIECE_MAX, Piece};
use crate::key::{HashedKey, Key};
use crate::value::{Value, allocated};

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

impl Entry {
    /// What the allocator holds for the entry beyond its slot in the table.
    pub(crate) fn heap_bytes(&self) -> usize {
        allocated(self.key.heap_bytes()) + self.value.heap_bytes()
    }
}

/// A few dozen keys: columns that grow in small steps, of which the tags tell where a key is.
///
/// A hash table of whole entries would leave about a third of its 48-byte slots empty.
#[derive(Debug, Default)]
pub(crate) struct KeyPiece {
    tags: Tags,
    entries: Vec<Entry>,
    marks: Marks,
}

/// Where an entry is inside its piece; good until the next change of the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u16);

impl Place {
    /// A piece splits long before its places run out; it could only fail to with 65,536 keys that agree in half of a
    /// keyed hash.
    fn new(at: usize) -> Self {
        Self(u16::try_from(at).expect("a piece has fewer than 65,536 entries"))
    }

    const fn at(self) -> usize {
        self.0 as usize
    }
}

impl KeyPiece {
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Place> {
        let found = self.tags.find(key.hash, |at| {
            self.entries.get(at).is_some_and(|entry| entry.key.as_bytes() == key.bytes)
        });
        found.map(Place::new)
    }

    #[inline]
    pub(crate) fn entry(&self, place: Place) -> &Entry {
        &self.entries[place.at()]
    }

    #[inline]
    pub(crate) fn value_mut(&mut self, place: Place) -> &mut Value {
        &mut self.entries[place.at()].value
    }

    /// When the key expires, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(&self, place: Place) -> Option<i64> {
        self.marks.expires_at(place.at())
    }

    /// Sets or clears the expiry.
    #[inline]
    pub(crate) fn set_expiry(&mut self, place: Place, at_ms: Option<i64>) {
        self.marks.set_expiry(place.at(), at_ms);
    }

    /// Notes the time of an access.
    #[inline]
    pub(crate) fn stamp(&self, place: Place, secs: u32) {
        self.marks.stamp(place.at(), secs);
    }

    pub(crate) fn accessed(&self, place: Place) -> u32 {
        self.marks.accessed(place.at())
    }

    /// Adds a key that is not there.
    pub(crate) fn insert(&mut self, hash: u64, entry: Entry, accessed: u32) -> Place {
        let place = Place::new(self.entries.len());
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(step(self.entries.len()));
        }
        self.tags.push(hash);
        self.entries.push(entry);
        self.marks.push(accessed);
        place
    }

    /// Removes an entry; the last one takes its place.
    pub(crate) fn remove(&mut self, place: Place, rehash: &impl Fn(&[u8]) -> u64) -> Value {
        let last = self.entries.last();
        self.tags.swap_remove(place.at(), || last.map_or(0, |last| rehash(last.key.as_bytes())));
        let entry = self.entries.swap_remove(place.at());
        self.marks.swap_remove(place.at());
        self.give_back();
        entry.value
    }

    /// Gives memory back once three quarters of it lie idle.
    fn give_back(&mut self) {
        let len = self.entries.len();
        if self.entries.capacity() > 16 && len < self.entries.capacity() / 4 {
            self.entries.shrink_to(len * 2);
            self.marks.shrink_to(len * 2);
        }
    }

    /// The entry at the `number`th place.
    pub(crate) fn nth(&self, number: usize) -> Option<Place> {
        (number < self.entries.len()).then(|| Place::new(number))
    }

    /// Every key with its expiry.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Entry, Option<i64>)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(at, entry)| (entry, self.expires_at(Place::new(at))))
    }

    /// How many keys of this piece have an expiry.
    pub(crate) fn expiring(&self) -> usize {
        self.marks.expiring()
    }
}

/// How many rows a full column of so many grows by: a sixteenth, so that columns hold little that they do not use.
pub(super) fn step(rows: usize) -> usize {
    (rows / 16).max(3)
}

impl Piece for KeyPiece {
    fn fill(&self) -> Fill {
        match self.entries.len() {
            0..PIECE_MAX => Fill::Room,
            PIECE_MAX..60_000 => Fill::Full,
            _ => Fill::Overfull,
        }
    }

    fn split(&mut self, mask: u64, hash: &impl Fn(&[u8]) -> u64) -> Self {
        let old = std::mem::take(self);
        let mut new = Self::default();
        // Half of the entries go each way, give or take; the slack keeps either side from growing at once.
        let half = old.entries.len() / 2 + 8;
        for piece in [&mut *self, &mut new] {
            piece.entries.reserve_exact(half);
            piece.marks = Marks::like(&old.marks, half);
        }
        for (at, entry) in old.entries.into_iter().enumerate() {
            let hashed = hash(entry.key.as_bytes());
            let to = if hashed & mask == 0 { &mut *self } else { &mut new };
            let place = to.insert(hashed, entry, old.marks.accessed(at));
            to.set_expiry(place, old.marks.expires_at(at));
        }
        new
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn places(&self) -> usize {
        self.entries.len()
    }

    fn table_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.marks.heap_bytes()
    }
}
