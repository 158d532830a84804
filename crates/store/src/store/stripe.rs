//! One lock's share of the keyspace, and the door through which every change of it goes.

use std::collections::BTreeMap;

use bytes::Bytes;
use extendible::Extendible;

use super::Shared;
use super::context::Context;
use super::moment::Moment;
use super::slot::Slot;
use super::watch::Watches;
use crate::key::{HashedKey, Key};
use crate::table::keys::{Entry, KeyBucket, Position};
use crate::value::Value;

/// The keys of one database in one stripe.
pub(crate) type Keyspace = Extendible<KeyBucket>;

/// A share of every database: the keys whose hash begins with the stripe's number.
#[derive(Debug)]
pub(crate) struct Stripe {
    /// Database 0, where almost all keys are.
    first: Keyspace,
    others: BTreeMap<u32, Keyspace>,
    watches: Watches,
    /// How many changes this stripe has seen.
    pub(super) changes: u64,
}

impl Stripe {
    /// An empty stripe; the first `bits` bits of all its hashes are the same.
    pub(crate) fn new(bits: u8) -> Self {
        Self {
            first: Extendible::new(bits),
            others: BTreeMap::new(),
            watches: Watches::default(),
            changes: 0,
        }
    }

    #[inline]
    pub(crate) fn keyspace(&self, db: u32) -> Option<&Keyspace> {
        if db == 0 { Some(&self.first) } else { self.others.get(&db) }
    }

    #[inline]
    fn keyspace_mut(&mut self, db: u32, bits: u8) -> &mut Keyspace {
        if db == 0 {
            return &mut self.first;
        }
        self.others.entry(db).or_insert_with(|| Extendible::new(bits))
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
        moment: &Moment<'_>,
        db: u32,
        key: HashedKey<'_>,
    ) -> Option<Found<'_>> {
        let keyspace = self.keyspace(db)?;
        let piece = keyspace.bucket(key.hash)?;
        let place = piece.find(key)?;
        let found = Found { keyspace, piece, place };
        (!moment.has_passed(found.expires_at())).then_some(found)
    }

    /// The write door: every change of a value, a key or an expiry goes through here.
    ///
    /// In this order: an expired key is dropped; `change` works on the slot; the change is counted, sessions that watch
    /// the key will see it, the access is stamped, and the effect noted for the sinks, which hear of it while the locks
    /// are still held.
    #[inline]
    pub(crate) fn write<R>(
        &mut self,
        context: &mut Context<'_>,
        db: u32,
        key: HashedKey<'_>,
        change: impl FnOnce(&mut Slot<'_, '_, '_>) -> R,
    ) -> R {
        let keyspace = self.keyspace_mut(db, context.shared.stripe_bits());
        let at = keyspace.locate(key.hash);
        let mut place = keyspace.get(at).and_then(|piece| piece.find(key));
        let mut changes = 0;
        if let Some(found) = place
            && let Some(piece) = keyspace.get_mut(at)
            && piece.expires_at(found).is_some_and(|at| context.moment.has_come(at))
        {
            piece.remove(found, &|key| context.shared.hash(key));
            keyspace.removed();
            context
                .note(db, || vec![Bytes::from_static(b"DEL"), Bytes::copy_from_slice(key.bytes)]);
            changes += 1;
            place = None;
        }
        let mut slot = Slot::new(keyspace, context, db, key, at, place);
        let result = change(&mut slot);
        changes += slot.finish();
        if changes > 0 {
            self.changes += changes;
            self.watches.changed(db, key.bytes);
        }
        result
    }

    /// What the stripe holds on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let keyspaces = || std::iter::once(&self.first).chain(self.others.values());
        let entries = keyspaces().flat_map(Extendible::buckets).flat_map(KeyBucket::iter);
        keyspaces().map(Extendible::heap_bytes).sum::<usize>()
            + entries.map(|(entry, _)| entry.heap_bytes()).sum::<usize>()
    }

    /// Drops every key of a database, or of all of them; returns how many there were.
    pub(super) fn flush(&mut self, only: Option<u32>, shared: &Shared) -> usize {
        let databases: Vec<u32> =
            self.databases().filter(|&db| only.is_none_or(|only| only == db)).collect();
        let mut dropped = 0;
        for db in databases {
            self.touch_watched(shared, db, db);
            let keyspace = self.keyspace_mut(db, shared.stripe_bits());
            dropped += keyspace.len();
            *keyspace = Extendible::new(shared.stripe_bits());
        }
        self.others.retain(|_, keys| !keys.is_empty());
        self.changes += dropped as u64;
        dropped
    }

    /// Exchanges two databases.
    pub(super) fn swap(&mut self, a: u32, b: u32, shared: &Shared) {
        self.touch_watched(shared, a, b);
        let bits = shared.stripe_bits();
        let of_a = std::mem::replace(self.keyspace_mut(a, bits), Extendible::new(bits));
        let of_b = std::mem::replace(self.keyspace_mut(b, bits), of_a);
        *self.keyspace_mut(a, bits) = of_b;
        self.others.retain(|_, keys| !keys.is_empty());
        self.changes += 1;
    }

    /// Notes for sessions that a key of either database is about to change, if it is in either.
    fn touch_watched(&mut self, shared: &Shared, a: u32, b: u32) {
        let (first, others) = (&self.first, &self.others);
        let holds = |db: u32, key: &[u8]| {
            let keyspace = if db == 0 { Some(first) } else { others.get(&db) };
            let key = HashedKey { hash: shared.hash(key), bytes: key };
            keyspace.and_then(|keys| keys.bucket(key.hash)).is_some_and(|p| p.find(key).is_some())
        };
        self.watches
            .changed_all(|db, key| (db == a || db == b) && (holds(a, key) || holds(b, key)));
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

    /// Takes over what sessions know of the stripe that this one replaces.
    pub(super) fn replaces(&mut self, old: &mut Self) {
        self.changes = old.changes + 1;
        self.watches = std::mem::take(&mut old.watches);
        self.watches.changed_all(|_, _| true);
    }

    /// Puts a loaded key where no key was. For a stripe that no command has seen yet.
    pub(crate) fn load(
        &mut self,
        shared: &Shared,
        db: u32,
        key: HashedKey<'_>,
        value: Value,
        expires: Option<i64>,
        accessed: u32,
    ) -> bool {
        let keyspace = self.keyspace_mut(db, shared.stripe_bits());
        if keyspace.bucket(key.hash).is_some_and(|piece| piece.find(key).is_some()) {
            return false;
        }
        let rehash = |key: &[u8]| shared.hash(key);
        let entry = Entry { key: Key::new(key.bytes), value };
        keyspace.insert(key.hash, &rehash, |piece| {
            let place = piece.insert(key.hash, entry, accessed);
            piece.set_expiry(place, expires);
        });
        true
    }
}

/// A key that exists, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    keyspace: &'a Keyspace,
    piece: &'a KeyBucket,
    place: Position,
}

impl<'a> Found<'a> {
    /// Its value; stamps the access.
    #[inline]
    pub(crate) fn value(self, moment: &Moment<'_>) -> &'a Value {
        self.piece.stamp(self.place, moment.coarse_secs());
        &self.piece.entry(self.place).value
    }

    /// Its value, looked at without counting as an access.
    pub(crate) fn peek(self) -> &'a Value {
        &self.piece.entry(self.place).value
    }

    /// When it expires, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(self) -> Option<i64> {
        self.piece.expires_at(self.place)
    }

    /// When it was last touched, in seconds since the epoch.
    pub(crate) fn accessed(self) -> u32 {
        self.piece.accessed(self.place)
    }

    /// What it takes: its value, a long name, and its part of the tables.
    pub(crate) fn memory_usage(self) -> usize {
        let share = self.keyspace.heap_bytes().div_ceil(self.keyspace.len());
        share + self.piece.entry(self.place).heap_bytes()
    }
}
