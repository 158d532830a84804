//! A piece of the keyspace: keys, values, and what the store knows of each.

use std::sync::atomic::{AtomicU32, Ordering};

use super::tags::Tags;
use super::{Fill, PIECE_MAX, Piece};
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

/// A few dozen keys: columns that grow in small steps, of which the tags tell where a key is.
///
/// A hash table of whole entries would leave about a third of its 48-byte slots empty.
#[derive(Debug, Default)]
pub(crate) struct KeyPiece {
    tags: Tags,
    entries: Vec<Entry>,
    /// Seconds of the last access. Readers stamp it too, so it is atomic.
    accessed: Vec<AtomicU32>,
    /// `None` until the first key of this piece gets an expiry.
    expires: Option<Box<Expiries>>,
}

/// When the keys of a piece expire.
#[derive(Debug, Default)]
struct Expiries {
    /// Milliseconds since the epoch, or [`NEVER`], for each entry.
    at: Vec<i64>,
    /// How many are not [`NEVER`].
    count: usize,
}

impl Expiries {
    fn get(&self, place: Place) -> Option<i64> {
        self.at.get(place.at()).copied().filter(|&at| at != NEVER)
    }
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
        self.expires.as_ref()?.get(place)
    }

    /// Sets or clears the expiry.
    pub(crate) fn set_expiry(&mut self, place: Place, at_ms: Option<i64>) {
        if self.expires.is_none() && at_ms.is_none() {
            return;
        }
        let expires = self.expires.get_or_insert_default();
        expires.at.resize(self.entries.len(), NEVER);
        let new = at_ms.map_or(NEVER, |at| at.max(NEVER + 1));
        let old = std::mem::replace(&mut expires.at[place.at()], new);
        expires.count -= usize::from(old != NEVER);
        expires.count += usize::from(new != NEVER);
        if expires.count == 0 {
            self.expires = None;
        }
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
    pub(crate) fn insert(&mut self, hash: u64, entry: Entry, accessed: u32) -> Place {
        let place = Place::new(self.entries.len());
        self.make_room();
        self.tags.push(hash);
        self.entries.push(entry);
        self.accessed.push(AtomicU32::new(accessed));
        if let Some(expires) = &mut self.expires {
            expires.at.push(NEVER);
        }
        place
    }

    fn make_room(&mut self) {
        grow_tightly(&mut self.entries);
        grow_tightly(&mut self.accessed);
        if let Some(expires) = &mut self.expires {
            grow_tightly(&mut expires.at);
        }
    }

    /// Removes an entry; the last one takes its place.
    pub(crate) fn remove(&mut self, place: Place, rehash: &impl Fn(&[u8]) -> u64) -> Value {
        self.set_expiry(place, None);
        let last = self.entries.last();
        self.tags.swap_remove(place.at(), || last.map_or(0, |last| rehash(last.key.as_bytes())));
        let entry = self.entries.swap_remove(place.at());
        self.accessed.swap_remove(place.at());
        if let Some(expires) = &mut self.expires {
            expires.at.swap_remove(place.at());
        }
        self.give_back();
        entry.value
    }

    /// Gives memory back once three quarters of it lie idle.
    fn give_back(&mut self) {
        let len = self.entries.len();
        if self.entries.capacity() > 16 && len < self.entries.capacity() / 4 {
            self.entries.shrink_to(len * 2);
            self.accessed.shrink_to(len * 2);
            if let Some(expires) = &mut self.expires {
                expires.at.shrink_to(len * 2);
            }
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
        self.expires.as_ref().map_or(0, |expires| expires.count)
    }
}

/// Makes room for one more element in steps of a sixteenth, so that columns hold little that they do not use.
#[inline]
fn grow_tightly<T>(column: &mut Vec<T>) {
    if column.len() == column.capacity() {
        column.reserve_exact((column.len() / 16).max(3));
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
        let mut expires = old.expires.map(|expires| expires.at).unwrap_or_default().into_iter();
        for (entry, accessed) in old.entries.into_iter().zip(old.accessed) {
            let expiry = expires.next().filter(|&at| at != NEVER);
            let hashed = hash(entry.key.as_bytes());
            let to = if hashed & mask == 0 { &mut *self } else { &mut new };
            let place = to.insert(hashed, entry, accessed.into_inner());
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
        let expires = self
            .expires
            .as_ref()
            .map_or(0, |expires| size_of::<Expiries>() + expires.at.capacity() * size_of::<i64>());
        self.entries.capacity() * size_of::<Entry>()
            + self.accessed.capacity() * size_of::<AtomicU32>()
            + expires
    }
}
