//! One lock's share of the keyspace, and the door through which every change of it goes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bytes::Bytes;

use super::Shared;
use super::moment::Moment;
use super::sink::Effect;
use crate::key::{HashedKey, Key};
use crate::table::Extendible;
use crate::table::keys::{Entry, KeyPiece, Place};
use crate::value::Value;

/// The keys of one database in one stripe.
pub(crate) type Keyspace = Extendible<KeyPiece>;

/// A share of every database: the keys whose hash begins with the stripe's number.
#[derive(Debug)]
pub(crate) struct Stripe {
    /// Database 0, where almost all keys are.
    first: Keyspace,
    others: BTreeMap<u32, Keyspace>,
    /// How many changes this stripe has seen.
    pub(super) changes: u64,
}

/// What a change may consult and where it reports: one per command or transaction.
#[derive(Debug)]
pub(crate) struct Context<'s> {
    pub(crate) shared: &'s Shared,
    pub(super) moment: Moment<'s>,
    pub(super) effects: Vec<Effect>,
}

impl Stripe {
    /// An empty stripe; the first `bits` bits of all its hashes are the same.
    pub(crate) const fn new(bits: u8) -> Self {
        Self { first: Extendible::new(bits), others: BTreeMap::new(), changes: 0 }
    }

    #[inline]
    pub(crate) fn keyspace(&self, db: u32) -> Option<&Keyspace> {
        if db == 0 { Some(&self.first) } else { self.others.get(&db) }
    }

    fn keyspace_mut(&mut self, db: u32, bits: u8) -> &mut Keyspace {
        if db == 0 {
            return &mut self.first;
        }
        self.others.entry(db).or_insert_with(|| Extendible::new(bits))
    }

    /// The numbers of the databases that hold anything here.
    pub(crate) fn databases(&self) -> impl Iterator<Item = u32> {
        let first = (self.first.len() > 0).then_some(0);
        first
            .into_iter()
            .chain(self.others.iter().filter(|(_, keys)| keys.len() > 0).map(|(&db, _)| db))
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
        let piece = keyspace.piece(key.hash)?;
        let place = piece.find(key)?;
        let found = Found { keyspace, piece, place };
        let expired = found.expires_at().is_some_and(|at| at <= moment.now_ms());
        (!expired).then_some(found)
    }

    /// The write door: every change of a value, a key or an expiry goes through here.
    ///
    /// In this order: an expired key is dropped; `change` works on the slot; the change is counted, the access
    /// stamped, and the effect noted for the sinks, which hear of it while the locks are still held.
    #[inline]
    pub(crate) fn write<R>(
        &mut self,
        context: &mut Context<'_>,
        db: u32,
        key: HashedKey<'_>,
        change: impl FnOnce(&mut Slot<'_, '_, '_>) -> R,
    ) -> R {
        let keyspace = self.keyspace_mut(db, context.shared.stripe_bits());
        let mut place = keyspace.piece(key.hash).and_then(|piece| piece.find(key));
        let mut changes = 0;
        if let (Some(found), Some(piece)) = (place, keyspace.piece_mut(key.hash))
            && piece.expires_at(found).is_some_and(|at| at <= context.moment.now_ms())
        {
            piece.remove(found, &|key| context.shared.hash(key));
            keyspace.removed();
            context
                .note(db, || vec![Bytes::from_static(b"DEL"), Bytes::copy_from_slice(key.bytes)]);
            changes += 1;
            place = None;
        }
        let mut slot = Slot { keyspace, context, db, key, place, changed: false };
        let result = change(&mut slot);
        if slot.changed {
            changes += 1;
        }
        if let (Some(place), Some(piece)) = (slot.place, slot.keyspace.piece(key.hash)) {
            piece.stamp(place, slot.context.moment.coarse_secs());
        }
        self.changes += changes;
        result
    }

    /// What the stripe holds on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let keyspaces = || std::iter::once(&self.first).chain(self.others.values());
        let entries = keyspaces().flat_map(Extendible::pieces).flat_map(KeyPiece::iter);
        keyspaces().map(Extendible::table_bytes).sum::<usize>()
            + entries.map(|(entry, _)| entry.heap_bytes()).sum::<usize>()
    }

    /// Drops up to `most` expired keys; returns how many, and breaks when there may be more.
    pub(crate) fn sweep(
        &mut self,
        context: &mut Context<'_>,
        most: usize,
    ) -> ControlFlow<usize, usize> {
        let mut dropped = 0;
        let now = context.moment.now_ms();
        let databases: Vec<u32> = self.databases().collect();
        for db in databases {
            while let Some(key) = self.keyspace(db).and_then(|keys| expired_key(keys, now)) {
                if dropped == most {
                    return ControlFlow::Break(dropped);
                }
                let hash = context.shared.hash(key.as_bytes());
                // The door drops what has expired; there is nothing else to do.
                self.write(context, db, HashedKey { hash, bytes: key.as_bytes() }, |_| ());
                dropped += 1;
            }
        }
        ControlFlow::Continue(dropped)
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
        if keyspace.piece(key.hash).is_some_and(|piece| piece.find(key).is_some()) {
            return false;
        }
        let rehash = |key: &[u8]| shared.hash(key);
        let piece = keyspace.piece_for_insert(key.hash, &rehash);
        let entry = Entry { key: Key::new(key.bytes), value };
        let place = piece.insert(key.hash, entry, accessed, &rehash);
        piece.set_expiry(place, expires);
        true
    }
}

/// A key that exists, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    keyspace: &'a Keyspace,
    piece: &'a KeyPiece,
    place: Place,
}

impl<'a> Found<'a> {
    /// Its value; stamps the access.
    #[inline]
    pub(crate) fn value(self, moment: &Moment<'_>) -> &'a Value {
        self.piece.stamp(self.place, moment.coarse_secs());
        &self.piece.entry(self.place).value
    }

    /// When it expires, in milliseconds since the epoch.
    pub(crate) fn expires_at(self) -> Option<i64> {
        self.piece.expires_at(self.place)
    }

    /// When it was last touched, in seconds since the epoch.
    pub(crate) fn accessed(self) -> u32 {
        self.piece.accessed(self.place)
    }

    /// What it takes: its value, a long name, and its part of the tables.
    pub(crate) fn memory_usage(self) -> usize {
        let share = self.keyspace.table_bytes().div_ceil(self.keyspace.len());
        share + self.piece.entry(self.place).heap_bytes()
    }
}

fn expired_key(keys: &Keyspace, now: i64) -> Option<Key> {
    keys.pieces()
        .find_map(|piece| piece.find_expired(now).map(|place| piece.entry(place).key.clone()))
}

impl Context<'_> {
    /// Notes an effect if anyone listens.
    #[inline]
    fn note(&mut self, db: u32, args: impl FnOnce() -> Vec<Bytes>) {
        if self.shared.has_sinks() {
            self.effects.push(Effect { db, args: args() });
        }
    }
}

/// The place of one key, inside the write door.
#[derive(Debug)]
pub(crate) struct Slot<'a, 'c, 's> {
    keyspace: &'a mut Keyspace,
    pub(crate) context: &'a mut Context<'c>,
    db: u32,
    key: HashedKey<'s>,
    place: Option<Place>,
    changed: bool,
}

impl Slot<'_, '_, '_> {
    /// The value, if the key exists.
    pub(crate) fn value(&self) -> Option<&Value> {
        let place = self.place?;
        self.keyspace.piece(self.key.hash).map(|piece| &piece.entry(place).value)
    }

    /// The value, to be changed in place. Whoever changes it also calls [`changed`](Self::changed).
    #[inline]
    pub(crate) fn value_mut(&mut self) -> Option<&mut Value> {
        let place = self.place?;
        self.keyspace.piece_mut(self.key.hash).map(|piece| piece.value_mut(place))
    }

    /// Sets the value; an expiry stays as it was.
    pub(crate) fn put(&mut self, value: Value) {
        if let Some(old) = self.value_mut() {
            *old = value;
            return;
        }
        let shared = self.context.shared;
        let rehash = |key: &[u8]| shared.hash(key);
        let entry = Entry { key: Key::new(self.key.bytes), value };
        let piece = self.keyspace.piece_for_insert(self.key.hash, &rehash);
        self.place = Some(piece.insert(self.key.hash, entry, 0, &rehash));
    }

    /// Removes the key; `false` if it was not there.
    pub(crate) fn remove(&mut self) -> bool {
        let Some(place) = self.place.take() else { return false };
        let shared = self.context.shared;
        if let Some(piece) = self.keyspace.piece_mut(self.key.hash) {
            piece.remove(place, &|key| shared.hash(key));
        }
        self.keyspace.removed();
        true
    }

    /// When the key expires, in milliseconds since the epoch.
    pub(crate) fn expires_at(&self) -> Option<i64> {
        self.keyspace.piece(self.key.hash)?.expires_at(self.place?)
    }

    /// Sets or clears the expiry of a key that exists.
    pub(crate) fn set_expiry(&mut self, at_ms: Option<i64>) {
        if let (Some(place), Some(piece)) = (self.place, self.keyspace.piece_mut(self.key.hash)) {
            piece.set_expiry(place, at_ms);
        }
    }

    /// The time of the command, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.context.moment.now_ms()
    }

    /// Says that something changed, and by which command after the key the same change could be made again.
    #[inline]
    pub(crate) fn changed(&mut self, command: &'static str, args: impl FnOnce() -> Vec<Bytes>) {
        self.changed = true;
        let key = self.key.bytes;
        self.context.note(self.db, || {
            let mut all = vec![Bytes::from_static(command.as_bytes()), Bytes::copy_from_slice(key)];
            all.extend(args());
            all
        });
    }
}
