//! The keys of one lock stripe.

use std::collections::BTreeMap;

use super::Shared;
use super::garbage::Garbage;
use super::keyspace::Keyspace;
use super::scope::Needs;
use super::slot::{Running, Slot};
use super::time::CommandTime;
use super::watch::Watches;
use crate::key::{HashedKey, Key};
use crate::member::Member;
use crate::table::keys::{Entry, KeyBucket, Position};
use crate::value::Value;
use extendible::Bucket;

/// The part of every database whose keys' hashes begin with the stripe's number.
#[derive(Debug)]
pub(crate) struct Stripe {
    /// Database 0, which has almost all keys.
    first: Keyspace,
    others: BTreeMap<u32, Keyspace>,
    watches: Watches,
}

impl Stripe {
    /// Creates an empty stripe; the first `bits` bits of all its hashes are the same.
    pub(crate) fn new(bits: u8) -> Self {
        Self { first: Keyspace::new(bits), others: BTreeMap::new(), watches: Watches::default() }
    }

    #[inline]
    pub(crate) fn keyspace(&self, db: u32) -> Option<&Keyspace> {
        if db == 0 { Some(&self.first) } else { self.others.get(&db) }
    }

    #[inline]
    fn keyspace_mut(&mut self, db: u32, bits: u8) -> &mut Keyspace {
        Self::keyspace_of(&mut self.first, &mut self.others, db, bits)
    }

    #[inline]
    fn keyspace_of<'a>(
        first: &'a mut Keyspace,
        others: &'a mut BTreeMap<u32, Keyspace>,
        db: u32,
        bits: u8,
    ) -> &'a mut Keyspace {
        if db == 0 { first } else { Self::other(others, db, bits) }
    }

    #[inline(never)]
    fn other(others: &mut BTreeMap<u32, Keyspace>, db: u32, bits: u8) -> &mut Keyspace {
        others.entry(db).or_insert_with(|| Keyspace::new(bits))
    }

    /// Reserves buckets for that many keys of a database, if it is empty.
    pub(crate) fn reserve(&mut self, db: u32, keys: usize, bits: u8) {
        let keyspace = self.keyspace_mut(db, bits);
        if keyspace.is_empty() && keys > 0 {
            *keyspace = Keyspace::with_room(bits, keys);
        }
    }

    /// Iterates over the numbers of the databases that have data here.
    pub(crate) fn databases(&self) -> impl Iterator<Item = u32> {
        let first = (!self.first.is_empty()).then_some(0);
        first
            .into_iter()
            .chain(self.others.iter().filter(|(_, keys)| !keys.is_empty()).map(|(&db, _)| db))
    }

    /// Finds a key that has not expired.
    #[inline]
    pub(crate) fn find(
        &self,
        time: &CommandTime<'_>,
        db: u32,
        key: HashedKey<'_>,
    ) -> Option<Found<'_>> {
        let keyspace = self.keyspace(db)?;
        let bucket = keyspace.bucket(key.hash)?;
        let place = bucket.find(key)?;
        let found = Found { keyspace, bucket, place };
        (!time.has_passed(found.expires_at())).then_some(found)
    }

    /// The keys of a database and the watched keys, borrowed separately.
    #[inline]
    pub(super) fn parts(&mut self, db: u32, bits: u8) -> (&mut Keyspace, &mut Watches) {
        let Self { first, others, watches } = self;
        (Self::keyspace_of(first, others, db, bits), watches)
    }

    /// The heap memory of the stripe, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let keyspaces = || std::iter::once(&self.first).chain(self.others.values());
        let entries = keyspaces().flat_map(|keyspace| keyspace.buckets()).flat_map(KeyBucket::iter);
        keyspaces().map(|keyspace| keyspace.heap_bytes()).sum::<usize>()
            + entries.map(|(entry, _)| entry.heap_bytes()).sum::<usize>()
    }

    /// Replaces the keyspace of a database and returns the old one. All changes of whole keyspaces go through this
    /// function.
    fn exchange(&mut self, db: u32, keyspace: Keyspace, bits: u8) -> Keyspace {
        let old = std::mem::replace(self.keyspace_mut(db, bits), keyspace);
        self.others.retain(|_, keys| {
            !keys.is_empty() || keys.is_in_snapshot() || !keys.garbage.is_empty()
        });
        old
    }

    /// Replaces the keyspace of a database; the old one is freed when the stripe is unlocked.
    fn replace(&mut self, db: u32, keyspace: Keyspace, bits: u8) {
        let old = self.exchange(db, keyspace, bits);
        if let Some(old) = old.into_garbage() {
            self.first.garbage.add_keyspace(old);
        }
    }

    /// Returns whether something is to be freed when the stripe is unlocked.
    #[inline]
    pub(super) fn has_garbage(&self) -> bool {
        !self.first.garbage.is_empty() || !self.others.is_empty() && self.others_have_garbage()
    }

    #[cold]
    fn others_have_garbage(&self) -> bool {
        self.others.values().any(|keyspace| !keyspace.garbage.is_empty())
    }

    /// Moves what is to be freed to `garbage`.
    pub(super) fn move_garbage(&mut self, garbage: &mut Garbage) {
        for (_, keyspace) in self.keyspaces_mut() {
            garbage.append(&mut keyspace.garbage);
        }
    }

    /// Iterates over all keyspaces, including empty ones.
    pub(crate) fn keyspaces_mut(&mut self) -> impl Iterator<Item = (u32, &mut Keyspace)> {
        let others = self.others.iter_mut().map(|(&db, keyspace)| (db, keyspace));
        std::iter::once((0, &mut self.first)).chain(others)
    }

    /// Drops every key of a database, or of all databases; returns how many there were.
    pub(super) fn flush(&mut self, only: Option<u32>, shared: &Shared) -> usize {
        let databases: Vec<u32> =
            self.databases().filter(|&db| only.is_none_or(|only| only == db)).collect();
        let mut dropped = 0;
        for db in databases {
            self.touch_watched(shared, |watched| (watched == db).then_some(db));
            let bits = shared.stripe_bits();
            dropped += self.keyspace(db).map_or(0, |keyspace| keyspace.len());
            self.replace(db, Keyspace::new(bits), bits);
        }
        dropped
    }

    /// Swaps two databases.
    pub(super) fn swap(&mut self, a: u32, b: u32, running: &mut Running<'_>) {
        let shared = running.shared;
        let other = |db: u32| {
            if db == a {
                Some(b)
            } else if db == b {
                Some(a)
            } else {
                None
            }
        };
        // An expired key is not a change for sessions that watch its name in the other database.
        for (db, key) in self.watches.keys() {
            if let Some(from) = other(db) {
                let key = HashedKey::new(shared.hash(&key), &key);
                drop(Slot::new(self, running.reborrow(), from, key));
            }
        }
        self.touch_watched(shared, other);
        let bits = shared.stripe_bits();
        let of_a = self.exchange(a, Keyspace::new(bits), bits);
        let of_b = self.exchange(b, of_a, bits);
        self.exchange(a, of_b, bits);
    }

    /// Marks watched keys as changed before keyspaces are replaced: those that exist in the old or the new keyspace.
    /// `from` maps a database to the one that its new keys come from.
    fn touch_watched(&mut self, shared: &Shared, from: impl Fn(u32) -> Option<u32>) {
        let (first, others) = (&self.first, &self.others);
        let holds = |db: u32, key: &[u8]| {
            let keyspace = if db == 0 { Some(first) } else { others.get(&db) };
            let key = HashedKey::new(shared.hash(key), key);
            keyspace.and_then(|keys| keys.bucket(key.hash)).is_some_and(|p| p.find(key).is_some())
        };
        self.watches
            .changed_all(|db, key| from(db).is_some_and(|from| holds(db, key) || holds(from, key)));
    }

    /// Starts watching a key for a session.
    pub(super) fn watch(&mut self, db: u32, key: &[u8]) -> u64 {
        self.watches.watch(db, key)
    }

    /// Ends a session's watch of a key.
    pub(super) fn unwatch(&mut self, db: u32, key: &[u8]) {
        self.watches.unwatch(db, key);
    }

    /// Returns the version of a watched key.
    pub(super) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        self.watches.version(db, key)
    }

    /// Replaces all keys with those of a loaded stripe.
    pub(super) fn replace_all(&mut self, mut new: Self, bits: u8) {
        let mut databases: Vec<u32> = self.databases().chain(new.databases()).collect();
        databases.sort_unstable();
        databases.dedup();
        for db in databases {
            let keyspace = new.exchange(db, Keyspace::new(bits), bits);
            self.replace(db, keyspace, bits);
        }
        self.watches.changed_all(|_, _| true);
    }

    /// Inserts a loaded key; returns it if the key already exists. For a stripe that no command has accessed yet.
    pub(crate) fn load(&mut self, shared: &Shared, db: u32, loaded: LoadedKey) -> Result<(), Key> {
        let LoadedKey { hash, entry, expires, accessed } = loaded;
        let keyspace = self.keyspace_mut(db, shared.stripe_bits());
        let key = HashedKey::new(hash, entry.key.as_bytes());
        if keyspace.bucket(hash).is_some_and(|bucket| bucket.find(key).is_some()) {
            return Err(entry.key);
        }
        let (at, place) = keyspace.insert(hash, entry, accessed, &|key| shared.hash(key));
        keyspace.set_expiry(at, place, expires);
        Ok(())
    }

    /// Prefetches what [`load`](Self::load) of keys in these databases, with these hashes, will read and write.
    pub(crate) fn prefetch_rooms(&self, keys: impl Iterator<Item = (u32, u64)> + Clone) {
        let bucket = |(db, hash): (u32, u64)| self.keyspace(db)?.bucket(hash);
        keys.clone().filter_map(bucket).for_each(KeyBucket::prefetch);
        keys.filter_map(bucket).for_each(KeyBucket::prefetch_room);
    }
}

/// A key of a file, with its value and attributes.
pub(crate) struct LoadedKey {
    pub(crate) hash: u64,
    pub(crate) entry: Entry,
    pub(crate) expires: Option<i64>,
    pub(crate) accessed: u32,
}

/// A key that exists, for reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    keyspace: &'a Keyspace,
    bucket: &'a KeyBucket,
    place: Position,
}

impl<'a> Found<'a> {
    /// The first candidate of a look-up of this hash in its bucket, which may be another key.
    #[inline]
    pub(super) fn first(keyspace: &'a Keyspace, bucket: &'a KeyBucket, hash: u64) -> Option<Self> {
        Some(Self { keyspace, bucket, place: bucket.first(hash)? })
    }

    /// Returns the key: this candidate if its name matches, or a later one.
    #[inline]
    pub(super) fn or_next(self, key: HashedKey<'_>) -> Option<Self> {
        if self.bucket.entry(self.place).key.as_bytes() == key.bytes {
            return Some(self);
        }
        Some(Self { place: self.bucket.find(key)?, ..self })
    }

    /// Prefetches the parts of the entry that are needed, without its heap memory.
    #[inline]
    pub(super) fn prefetch(self, needs: Needs) {
        self.bucket.prefetch_at(self.place, needs);
    }

    /// Prefetches the heap memory of the entry.
    #[inline]
    pub(super) fn prefetch_heap(self) {
        self.bucket.entry(self.place).prefetch_heap();
    }

    /// Prefetches a look-up of a member in the value, whose own memory was prefetched before.
    #[inline]
    pub(super) fn prefetch_member(self, member: Member<'_>) {
        self.bucket.entry(self.place).value.prefetch_member(member);
    }

    /// Returns the value, and sets the access time.
    #[inline]
    pub(crate) fn value(self, time: &CommandTime<'_>) -> &'a Value {
        self.bucket.stamp(self.place, time.coarse_secs());
        &self.bucket.entry(self.place).value
    }

    /// Returns the value without counting as an access.
    pub(crate) fn peek(self) -> &'a Value {
        &self.bucket.entry(self.place).value
    }

    /// The expiry, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(self) -> Option<i64> {
        self.bucket.expires_at(self.place)
    }

    /// The time of the last access, in seconds modulo 2^31.
    pub(crate) fn accessed(self) -> u32 {
        self.bucket.accessed(self.place)
    }

    /// Sets the time of the last access.
    pub(super) fn set_accessed(self, at: u32) {
        self.bucket.stamp(self.place, at);
    }

    /// The seconds between the last access and `now`.
    pub(crate) fn idle_secs(self, now: u32) -> u32 {
        self.bucket.idle_secs(self.place, now)
    }

    /// The memory of the key, in bytes: its value, a long name, and its part of the tables.
    pub(crate) fn memory_usage(self) -> usize {
        let share = self.keyspace.heap_bytes().div_ceil(self.keyspace.len());
        share + self.bucket.entry(self.place).heap_bytes()
    }
}
