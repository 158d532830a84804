//! A piece of the keyspace: keys, values, and what the store knows of each.

use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;

use super::{Fill, PIECE_MAX, Piece, grow_tightly, inner_hash};
use crate::key::{HashedKey, Key};
use crate::value::{Value, allocated};

/// The expiry column's word for "never": a time so long gone that no key ever has it.
const NEVER: i64 = i64::MIN;

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

/// A few hundred keys: an index of two-byte places over columns that grow in small steps.
///
/// A `hashbrown` table of whole entries would leave about a third of its 48-byte slots empty; an index leaves two-byte slots empty.
#[derive(Debug, Default)]
pub(crate) struct KeyPiece {
    index: HashTable<u16>,
    entries: Vec<Entry>,
    /// Seconds of the last access. Readers stamp it too, so it is atomic.
    accessed: Vec<AtomicU32>,
    /// Milliseconds since the epoch. Empty until the first key of this piece gets an expiry.
    expires: Vec<i64>,
    /// How many of `expires` are not [`NEVER`].
    expiring: u16,
}

/// Where an entry is inside its piece; good until the next change of the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u16);

impl Place {
    const fn at(self) -> usize {
        self.0 as usize
    }
}

impl KeyPiece {
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Place> {
        let found = self.index.find(inner_hash(key.hash), |&at| {
            self.entries[usize::from(at)].key.as_bytes() == key.bytes
        });
        found.map(|&at| Place(at))
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
        self.expires.get(place.at()).copied().filter(|&at| at != NEVER)
    }

    /// Sets or clears the expiry.
    pub(crate) fn set_expiry(&mut self, place: Place, at_ms: Option<i64>) {
        if self.expires.is_empty() {
            if at_ms.is_none() {
                return;
            }
            self.expires = vec![NEVER; self.entries.len()];
        }
        let new = at_ms.map_or(NEVER, |at| at.max(NEVER + 1));
        let old = std::mem::replace(&mut self.expires[place.at()], new);
        self.expiring -= u16::from(old != NEVER);
        self.expiring += u16::from(self.expires[place.at()] != NEVER);
    }

    /// Notes the time of an access.
    #[inline]
    pub(crate) fn stamp(&self, place: Place, secs: u32) {
        let accessed = &self.accessed[place.at()];
        // A key that is in use has this second's stamp already. Writing it again would make the lock that is given back
        // next wait for the line, where a read is done beside that of the entry.
        if accessed.load(Ordering::Relaxed) != secs {
            accessed.store(secs, Ordering::Relaxed);
        }
    }

    pub(crate) fn accessed(&self, place: Place) -> u32 {
        self.accessed[place.at()].load(Ordering::Relaxed)
    }

    /// Adds a key that is not there.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        entry: Entry,
        accessed: u32,
        rehash: &impl Fn(&[u8]) -> u64,
    ) -> Place {
        // A piece splits long before its places run out; it could only fail to with 65,536 keys that agree in half of
        // a keyed hash.
        let at = u16::try_from(self.entries.len()).expect("a piece has fewer than 65,536 entries");
        self.make_room();
        self.entries.push(entry);
        self.accessed.push(AtomicU32::new(accessed));
        if !self.expires.is_empty() {
            self.expires.push(NEVER);
        }
        let entries = &self.entries;
        self.index.insert_unique(inner_hash(hash), at, |&at| {
            inner_hash(rehash(entries[usize::from(at)].key.as_bytes()))
        });
        Place(at)
    }

    fn make_room(&mut self) {
        grow_tightly(&mut self.entries);
        grow_tightly(&mut self.accessed);
        if !self.expires.is_empty() {
            grow_tightly(&mut self.expires);
        }
    }

    /// Removes an entry; the last one takes its place.
    pub(crate) fn remove(&mut self, place: Place, rehash: &impl Fn(&[u8]) -> u64) -> Value {
        self.set_expiry(place, None);
        let last = Place(u16::try_from(self.entries.len() - 1).unwrap_or(0));
        self.unindex(place, rehash);
        if place != last {
            self.unindex(last, rehash);
        }
        let entry = self.entries.swap_remove(place.at());
        self.accessed.swap_remove(place.at());
        if !self.expires.is_empty() {
            self.expires.swap_remove(place.at());
        }
        if place != last {
            self.reindex(place, rehash);
        }
        self.give_back(rehash);
        entry.value
    }

    fn hash_at(&self, place: Place, rehash: &impl Fn(&[u8]) -> u64) -> u64 {
        inner_hash(rehash(self.entries[place.at()].key.as_bytes()))
    }

    fn unindex(&mut self, place: Place, rehash: &impl Fn(&[u8]) -> u64) {
        let hash = self.hash_at(place, rehash);
        if let Ok(found) = self.index.find_entry(hash, |&at| at == place.0) {
            found.remove();
        }
    }

    fn reindex(&mut self, place: Place, rehash: &impl Fn(&[u8]) -> u64) {
        let hash = self.hash_at(place, rehash);
        let entries = &self.entries;
        self.index.insert_unique(hash, place.0, |&at| {
            inner_hash(rehash(entries[usize::from(at)].key.as_bytes()))
        });
    }

    /// Gives memory back once three quarters of it lie idle.
    fn give_back(&mut self, rehash: &impl Fn(&[u8]) -> u64) {
        let len = self.entries.len();
        if self.entries.capacity() > 16 && len < self.entries.capacity() / 4 {
            self.entries.shrink_to(len * 2);
            self.accessed.shrink_to(len * 2);
            self.expires.shrink_to(len * 2);
            let entries = &self.entries;
            self.index.shrink_to(len * 2, |&at| {
                inner_hash(rehash(entries[usize::from(at)].key.as_bytes()))
            });
        }
        if self.expiring == 0 {
            self.expires = Vec::new();
        }
    }

    /// The entry at the `number`th place.
    pub(crate) fn nth(&self, number: usize) -> Option<Place> {
        (number < self.entries.len()).then(|| u16::try_from(number).ok().map(Place)).flatten()
    }

    /// Every key with its expiry.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Entry, Option<i64>)> {
        self.entries.iter().enumerate().map(|(at, entry)| {
            let expires = self.expires.get(at).copied().filter(|&at| at != NEVER);
            (entry, expires)
        })
    }

    /// How many keys of this piece have an expiry.
    pub(crate) fn expiring(&self) -> usize {
        usize::from(self.expiring)
    }
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
            piece.accessed.reserve_exact(half);
        }
        let mut expires = old.expires.into_iter();
        for (entry, accessed) in old.entries.into_iter().zip(old.accessed) {
            let expiry = expires.next().filter(|&at| at != NEVER);
            let hashed = hash(entry.key.as_bytes());
            let to = if hashed & mask == 0 { &mut *self } else { &mut new };
            let place = to.insert(hashed, entry, accessed.into_inner(), hash);
            to.set_expiry(place, expiry);
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
        self.index.allocation_size()
            + self.entries.capacity() * size_of::<Entry>()
            + self.accessed.capacity() * size_of::<AtomicU32>()
            + self.expires.capacity() * size_of::<i64>()
    }
}
