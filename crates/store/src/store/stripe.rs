//! One lock's share of the keyspace.

use std::collections::BTreeMap;

use super::Shared;
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

/// A share of every database: the keys whose hash begins with the stripe's number.
#[derive(Debug)]
pub(crate) struct Stripe {
    /// Database 0, where almost all keys are.
    first: Keyspace,
    others: BTreeMap<u32, Keyspace>,
    watches: Watches,
}

impl Stripe {
    /// An empty stripe; the first `bits` bits of all its hashes are the same.
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
        if db == 0 {
            return first;
        }
        others.entry(db).or_insert_with(|| Keyspace::new(bits))
    }

    /// Makes buckets for so many keys of a database that are to come, if it holds none yet.
    pub(crate) fn reserve(&mut self, db: u32, keys: usize, bits: u8) {
        let keyspace = self.keyspace_mut(db, bits);
        if keyspace.is_empty() && keys > 0 {
            *keyspace = Keyspace::with_room(bits, keys);
        }
    }

    /// The numbers of the databases that hold anything here.
    pub(crate) fn databases(&self) -> impl Iterator<Item = u32> {
        let first = (!self.first.is_empty()).then_some(0);
        first
            .into_iter()
            .chain(self.others.iter().filter(|(_, keys)| !keys.is_empty()).map(|(&db, _)| db))
    }

    /// A key that has not expired.
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

    /// The keys of a database, and what sessions watch, both to be changed.
    #[inline]
    pub(super) fn parts(&mut self, db: u32, bits: u8) -> (&mut Keyspace, &mut Watches) {
        let Self { first, others, watches } = self;
        (Self::keyspace_of(first, others, db, bits), watches)
    }

    /// What the stripe holds on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let keyspaces = || std::iter::once(&self.first).chain(self.others.values());
        let entries = keyspaces().flat_map(|keyspace| keyspace.buckets()).flat_map(KeyBucket::iter);
        keyspaces().map(|keyspace| keyspace.heap_bytes()).sum::<usize>()
            + entries.map(|(entry, _)| entry.heap_bytes()).sum::<usize>()
    }

    /// Puts a keyspace in the place of a database's, which it returns. Where keys do not change one by one, they change
    /// here.
    fn exchange(&mut self, db: u32, keyspace: Keyspace, bits: u8) -> Keyspace {
        let old = std::mem::replace(self.keyspace_mut(db, bits), keyspace);
        self.others.retain(|_, keys| !keys.is_empty() || keys.is_in_snapshot());
        old
    }

    /// Every keyspace, those without keys too.
    pub(crate) fn keyspaces_mut(&mut self) -> impl Iterator<Item = (u32, &mut Keyspace)> {
        let others = self.others.iter_mut().map(|(&db, keyspace)| (db, keyspace));
        std::iter::once((0, &mut self.first)).chain(others)
    }

    /// Drops every key of a database, or of all of them; returns how many there were.
    pub(super) fn flush(&mut self, only: Option<u32>, shared: &Shared) -> usize {
        let databases: Vec<u32> =
            self.databases().filter(|&db| only.is_none_or(|only| only == db)).collect();
        let mut dropped = 0;
        for db in databases {
            self.touch_watched(shared, |watched| (watched == db).then_some(db));
            let bits = shared.stripe_bits();
            let old = self.exchange(db, Keyspace::new(bits), bits);
            dropped += old.len();
            old.dispose();
        }
        dropped
    }

    /// Exchanges two databases.
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
        // A key that has expired does not reach sessions that watch its name in the other database.
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

    /// Notes for sessions that a key is about to change which they watch, in each database for which `from` names the
    /// one that the new keys come from: if the key is in either.
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

    /// Begins to watch a key for a session.
    pub(super) fn watch(&mut self, db: u32, key: &[u8]) -> u64 {
        self.watches.watch(db, key)
    }

    /// Ends a session's watch of a key.
    pub(super) fn unwatch(&mut self, db: u32, key: &[u8]) {
        self.watches.unwatch(db, key);
    }

    /// The version of a key that a session watches.
    pub(super) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        self.watches.version(db, key)
    }

    /// Puts the keys of a stripe that was loaded in the place of all that are here.
    pub(super) fn replace_all(&mut self, mut new: Self, bits: u8) {
        let mut databases: Vec<u32> = self.databases().chain(new.databases()).collect();
        databases.sort_unstable();
        databases.dedup();
        for db in databases {
            let keyspace = new.exchange(db, Keyspace::new(bits), bits);
            self.exchange(db, keyspace, bits).dispose();
        }
        self.watches.changed_all(|_, _| true);
    }

    /// Puts a loaded key where no key was; gives the key back if it is there. For a stripe that no command has seen yet.
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

    /// Asks for what [`load`](Self::load) of keys in these databases, with these hashes, will read and write.
    pub(crate) fn prefetch_rooms(&self, keys: impl Iterator<Item = (u32, u64)> + Clone) {
        let bucket = |(db, hash): (u32, u64)| self.keyspace(db)?.bucket(hash);
        keys.clone().filter_map(bucket).for_each(KeyBucket::prefetch);
        keys.filter_map(bucket).for_each(KeyBucket::prefetch_room);
    }
}

/// A key of a file, with all that is known of it.
pub(crate) struct LoadedKey {
    pub(crate) hash: u64,
    pub(crate) entry: Entry,
    pub(crate) expires: Option<i64>,
    pub(crate) accessed: u32,
}

/// A key that exists, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    keyspace: &'a Keyspace,
    bucket: &'a KeyBucket,
    place: Position,
}

impl<'a> Found<'a> {
    /// What a look-up of this hash looks at first in its bucket, which may be another key.
    #[inline]
    pub(super) fn first(keyspace: &'a Keyspace, bucket: &'a KeyBucket, hash: u64) -> Option<Self> {
        Some(Self { keyspace, bucket, place: bucket.first(hash)? })
    }

    /// The key itself: this, if it is the one, or what comes after it.
    #[inline]
    pub(super) fn or_next(self, key: HashedKey<'_>) -> Option<Self> {
        if self.bucket.entry(self.place).key.as_bytes() == key.bytes {
            return Some(self);
        }
        Some(Self { place: self.bucket.find(key)?, ..self })
    }

    /// Asks for what is needed of the entry, but for what it holds on the heap.
    #[inline]
    pub(super) fn prefetch(self, needs: Needs) {
        self.bucket.prefetch_at(self.place, needs);
    }

    /// Asks for what the entry holds on the heap.
    #[inline]
    pub(super) fn prefetch_heap(self) {
        self.bucket.entry(self.place).prefetch_heap();
    }

    /// Asks for what a look-up of a member in the value will read, once that is there.
    #[inline]
    pub(super) fn prefetch_member(self, member: Member<'_>) {
        self.bucket.entry(self.place).value.prefetch_member(member);
    }

    /// Its value; stamps the access.
    #[inline]
    pub(crate) fn value(self, time: &CommandTime<'_>) -> &'a Value {
        self.bucket.stamp(self.place, time.coarse_secs());
        &self.bucket.entry(self.place).value
    }

    /// Its value, looked at without counting as an access.
    pub(crate) fn peek(self) -> &'a Value {
        &self.bucket.entry(self.place).value
    }

    /// When it expires, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(self) -> Option<i64> {
        self.bucket.expires_at(self.place)
    }

    /// When it was last touched, in seconds modulo 2^31.
    pub(crate) fn accessed(self) -> u32 {
        self.bucket.accessed(self.place)
    }

    /// Makes this the time at which it was last touched.
    pub(super) fn set_accessed(self, at: u32) {
        self.bucket.stamp(self.place, at);
    }

    /// How many seconds before `now` it was last touched.
    pub(crate) fn idle_secs(self, now: u32) -> u32 {
        self.bucket.idle_secs(self.place, now)
    }

    /// What it takes: its value, a long name, and its part of the tables.
    pub(crate) fn memory_usage(self) -> usize {
        let share = self.keyspace.heap_bytes().div_ceil(self.keyspace.len());
        share + self.bucket.entry(self.place).heap_bytes()
    }
}
