//! The keys of a running command: those that it may read, and those that it may write.

use std::mem;
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use extendible::{Bucket, CACHED};
use smallvec::SmallVec;

use super::keyspace::Keyspace;
use super::locked::{self, LockedStripe};
use super::shared::{Logged, Shared};
use super::sink::Effects;
use super::slot::{self, Entry, Kind, Running, Slot};
use super::stripe::{Found, Stripe};
use super::time::CommandTime;
use crate::commands::HashKind;
use crate::error::Error;
use crate::key::HashedKey;
use crate::persist::Extras;
use crate::policy::EncodingPolicy;
use crate::table::keys::{Entry as KeyEntry, KeyBucket};
use crate::value::{AT_ONCE, Value};

/// From this number of keys on, they are looked up together. Fewer are locked without a list, and seldom gain from it.
pub(crate) const MANY: usize = 5;

/// The keys of a read-only operation.
#[expect(unnameable_types, reason = "only functions of this crate take it")]
#[derive(Debug)]
pub struct View<'v> {
    pub(super) shared: &'v Shared,
    pub(super) db: u32,
    pub(super) stripes: &'v mut [LockedStripe<'v>],
    pub(super) time: CommandTime<'v>,
}

impl<'v> View<'v> {
    #[inline]
    pub(super) fn new(shared: &'v Shared, db: u32, stripes: &'v mut [LockedStripe<'v>]) -> Self {
        Self { shared, db, stripes, time: CommandTime::new(shared.time()) }
    }

    /// Prefetches the look-ups of these keys, if they are many, so that their cache misses overlap (see
    /// [`Extendible::prefetch`](extendible::Extendible::prefetch)).
    #[inline]
    pub(crate) fn prefetch(&self, keys: &[HashedKey<'_>]) {
        if keys.len() >= MANY {
            for keys in keys.chunks(AT_ONCE) {
                prefetch(self.shared, self.db, self.stripes, keys.iter().map(|key| key.hash));
            }
        }
    }

    /// Passes the value of each key, in order, or `None` for one that does not exist. The cache misses of many keys
    /// overlap.
    #[inline]
    pub(crate) fn find_each<'a>(
        &'a self,
        keys: &[HashedKey<'_>],
        needs: Needs,
        mut each: impl FnMut(Option<Found<'a>>),
    ) {
        if keys.len() < MANY || is_cached(self.shared, self.db, self.stripes, keys[0].hash) {
            return keys.iter().for_each(|&key| each(self.find(key)));
        }
        for keys in keys.chunks(AT_ONCE) {
            let mut firsts = Firsts::new();
            let hashes = keys.iter().map(|key| key.hash);
            prefetch_firsts(self.shared, self.db, self.stripes, hashes, needs, &mut firsts);
            for (key, first) in keys.iter().zip(firsts) {
                let found = first.and_then(|first| first.or_next(*key));
                each(found.filter(|found| !self.time.has_passed(found.expires_at())));
            }
        }
    }

    /// Returns the value of a key that exists and has not expired.
    #[inline]
    pub(crate) fn get(&self, key: HashedKey<'_>) -> Option<&Value> {
        Some(self.find(key)?.value(&self.time))
    }

    /// As [`get`](Self::get), without counting as an access.
    pub(crate) fn peek(&self, key: HashedKey<'_>) -> Option<&Value> {
        Some(self.find(key)?.peek())
    }

    /// Finds a key that exists and has not expired.
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Found<'_>> {
        self.stripe(key.hash).find(&self.time, self.db, key)
    }

    /// Returns the seconds since the last access of a key, if it exists.
    pub(crate) fn idle_secs(&self, key: HashedKey<'_>) -> Option<u32> {
        Some(self.find(key)?.idle_secs(self.time.coarse_secs()))
    }

    /// Returns the time of the last access of each key, if it exists.
    pub(super) fn accesses(&self, keys: &[HashedKey<'_>]) -> SmallVec<[Option<u32>; 4]> {
        keys.iter().map(|&key| self.find(key).map(Found::accessed)).collect()
    }

    /// Restores these access times, for the keys that existed then and still do.
    pub(super) fn put_back(&self, keys: &[HashedKey<'_>], accesses: &[Option<u32>]) {
        for (&key, &at) in keys.iter().zip(accesses) {
            if let (Some(found), Some(at)) = (self.find(key), at) {
                found.set_accessed(at);
            }
        }
    }

    pub(crate) const fn shared(&self) -> &'v Shared {
        self.shared
    }

    pub(crate) const fn db(&self) -> u32 {
        self.db
    }

    #[inline]
    pub(crate) fn policy(&self) -> EncodingPolicy<'v> {
        self.shared.policy()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    /// The time of the command or transaction.
    #[inline]
    pub(crate) const fn time(&self) -> &CommandTime<'v> {
        &self.time
    }

    #[inline]
    pub(crate) fn stripe(&self, hash: u64) -> &Stripe {
        locked::get(self.shared, self.stripes, hash)
    }

    /// Iterates over the locked stripes.
    pub(crate) fn stripes(&self) -> impl Iterator<Item = &Stripe> {
        self.stripes.iter().filter(|stripe| stripe.is_held()).map(|stripe| &**stripe)
    }

    /// Iterates over the keys of this database in every locked stripe, including expired ones.
    pub(crate) fn keyspaces(&self) -> impl Iterator<Item = &Keyspace> {
        self.stripes().filter_map(|stripe| stripe.keyspace(self.db))
    }

    /// Iterates over the keys of this database in the locked stripes, without expired ones.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &KeyEntry> {
        let entries =
            self.keyspaces().flat_map(|keyspace| keyspace.buckets()).flat_map(KeyBucket::iter);
        entries.filter(|(_, expires)| !self.expired(*expires)).map(|(entry, _)| entry)
    }

    /// Whether a key with this expiry has expired.
    #[inline]
    pub(crate) fn expired(&self, expires_at: Option<i64>) -> bool {
        self.time.has_passed(expires_at)
    }

    /// Whether the stripe of this hash is locked.
    pub(super) fn has_stripe(&self, hash: u64) -> bool {
        locked::find(self.shared, self.stripes, hash).is_some()
    }

    /// Whether every stripe is locked.
    pub(super) fn has_all(&self) -> bool {
        locked::are_all(self.shared, self.stripes)
    }
}

/// What a command needs of the keys that it looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Whether they exist.
    Existence,
    /// Their values; counts as an access.
    Value,
}

/// The first candidate of the look-up of each hash.
pub(super) type Firsts<'v> = SmallVec<[Option<Found<'v>>; AT_ONCE]>;

/// Prefetches the look-ups of keys with these hashes, if the keyspace is larger than the CPU caches, so that their
/// cache misses overlap. There should be [`AT_ONCE`] hashes, or a few more.
pub(super) fn prefetch(
    shared: &Shared,
    db: u32,
    stripes: &[LockedStripe<'_>],
    hashes: impl Iterator<Item = u64> + Clone,
) {
    if hashes.clone().next().is_some_and(|hash| !is_cached(shared, db, stripes, hash)) {
        prefetch_firsts(shared, db, stripes, hashes, Needs::Value, &mut Firsts::new());
    }
}

/// Returns whether the keyspace fits in the CPU caches, estimated from the stripe of this hash: keys are distributed
/// evenly over the stripes.
fn is_cached(shared: &Shared, db: u32, stripes: &[LockedStripe<'_>], hash: u64) -> bool {
    let keyspace = locked::get(shared, stripes, hash).keyspace(db);
    keyspace.map_or(0, |keyspace| keyspace.len()) << shared.stripe_bits() < CACHED
}

/// Stores in `firsts` the first candidate of the look-up of each hash, and prefetches its heap memory.
pub(super) fn locate_firsts<'v>(
    shared: &Shared,
    db: u32,
    stripes: &'v [LockedStripe<'_>],
    hashes: impl Iterator<Item = u64> + Clone,
    firsts: &mut Firsts<'v>,
) {
    if hashes.clone().next().is_some_and(|hash| !is_cached(shared, db, stripes, hash)) {
        return prefetch_firsts(shared, db, stripes, hashes, Needs::Value, firsts);
    }
    let first = |hash| {
        let keyspace = locked::get(shared, stripes, hash).keyspace(db)?;
        Found::first(keyspace, keyspace.bucket(hash)?, hash).inspect(|first| first.prefetch_heap())
    };
    hashes.for_each(|hash| firsts.push(first(hash)));
}

/// Prefetches look-ups in stages, and stores in `firsts` the first candidate of each: within a stage, no read depends
/// on another.
fn prefetch_firsts<'v>(
    shared: &Shared,
    db: u32,
    stripes: &'v [LockedStripe<'_>],
    hashes: impl Iterator<Item = u64>,
    needs: Needs,
    firsts: &mut Firsts<'v>,
) {
    let mut buckets = SmallVec::<[(Option<(&Keyspace, &KeyBucket)>, u64); AT_ONCE]>::new();
    for hash in hashes {
        let keyspace = locked::get(shared, stripes, hash).keyspace(db);
        let bucket = keyspace.and_then(|keyspace| Some((keyspace, keyspace.bucket(hash)?)));
        if let Some((_, bucket)) = bucket {
            bucket.prefetch();
        }
        buckets.push((bucket, hash));
    }
    for (bucket, hash) in buckets {
        let first = bucket.and_then(|(keyspace, bucket)| Found::first(keyspace, bucket, hash));
        if let Some(first) = first {
            first.prefetch(needs);
        }
        firsts.push(first);
    }
    if needs == Needs::Value {
        firsts.iter().flatten().for_each(|first| first.prefetch_heap());
    }
}

/// The keys of a writing operation, which can also be read. Its effects reach the sinks and the log when it is
/// committed or dropped, before the locks are released.
#[expect(unnameable_types, reason = "only functions of this crate take it")]
#[derive(Debug)]
pub struct Scope<'s> {
    view: View<'s>,
    effects: Effects,
}

impl<'s> Deref for Scope<'s> {
    type Target = View<'s>;

    #[inline]
    fn deref(&self) -> &View<'s> {
        &self.view
    }
}

impl<'s> Scope<'s> {
    #[inline]
    pub(super) fn new(shared: &'s Shared, db: u32, stripes: &'s mut [LockedStripe<'s>]) -> Self {
        Self::at(shared, db, stripes, CommandTime::new(shared.time()))
    }

    /// Creates the scope of an operation at that time.
    #[inline]
    pub(super) fn at(
        shared: &'s Shared,
        db: u32,
        stripes: &'s mut [LockedStripe<'s>],
        time: CommandTime<'s>,
    ) -> Self {
        Self { view: View { shared, db, stripes, time }, effects: Effects::new() }
    }

    /// Passes the effects to the sinks and to the log.
    #[inline]
    pub(super) fn commit(&mut self) -> Logged {
        if self.effects.is_empty() {
            return Logged::NOTHING;
        }
        let logged = self.shared.commit(&self.effects);
        self.effects.clear();
        logged
    }

    /// As [`commit`](Self::commit), at the end of the operation.
    #[expect(clippy::inline_always, reason = "it exists to save a call")]
    #[inline(always)]
    pub(super) fn end(mut self) -> Logged {
        let logged = self.commit();
        if !self.effects.spilled() {
            // Nothing is left to drop, and the call that would find this out is a few percent of a short command.
            mem::forget(self);
        }
        logged
    }

    /// The view and the effects so far, borrowed separately.
    pub(super) const fn parts(&mut self) -> (&mut View<'s>, &mut Effects) {
        (&mut self.view, &mut self.effects)
    }

    /// Switches to another database.
    pub(super) const fn select(&mut self, db: u32) {
        self.view.db = db;
    }

    /// Returns one of the keys, for writing.
    #[expect(clippy::inline_always, reason = "an entry is constructed in place")]
    #[inline(always)]
    pub(crate) fn slot<'a>(&'a mut self, key: HashedKey<'a>) -> Slot<'a> {
        self.slot_in(self.view.db, key)
    }

    /// Returns a key of another database, for writing.
    #[expect(clippy::inline_always, reason = "an entry is constructed in place")]
    #[inline(always)]
    pub(crate) fn slot_in<'a>(&'a mut self, db: u32, key: HashedKey<'a>) -> Slot<'a> {
        self.entry_in(db, key)
    }

    /// Calls `work` with one of the keys, if it holds that type or does not exist.
    #[expect(clippy::inline_always, reason = "an entry is constructed in place")]
    #[inline(always)]
    pub(crate) fn with<'a, K: Kind, R>(
        &'a mut self,
        key: HashedKey<'a>,
        work: impl FnOnce(&mut Entry<'a, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut entry = self.entry_in(self.view.db, key);
        entry.check()?;
        work(&mut entry)
    }

    #[expect(clippy::inline_always, reason = "an entry is constructed in place")]
    #[inline(always)]
    fn entry_in<'a, K: Kind>(&'a mut self, db: u32, key: HashedKey<'a>) -> Entry<'a, K> {
        let Self { view: View { shared, time, stripes, .. }, effects } = self;
        let stripe = locked::get_mut(shared, stripes, key.hash);
        Entry::new(stripe, Running { shared, time, effects }, db, key)
    }

    /// Drops an expired key, so that the sinks receive that before the command that reads it.
    pub(crate) fn drop_expired(&mut self, key: HashedKey<'_>) {
        self.drop_expired_in(self.view.db, key);
    }

    /// As [`drop_expired`](Self::drop_expired), in another database.
    pub(super) fn drop_expired_in(&mut self, db: u32, key: HashedKey<'_>) {
        let Self { view: View { shared, time, stripes, .. }, effects } = self;
        let stripe = locked::get_mut(shared, stripes, key.hash);
        slot::drop_if_expired(stripe, &mut Running { shared, time, effects }, db, key);
    }

    /// Removes up to that many expired fields of a hash; returns how many.
    pub(super) fn drop_expired_fields_in(
        &mut self,
        db: u32,
        key: HashedKey<'_>,
        most: usize,
    ) -> usize {
        self.entry_in::<HashKind>(db, key).drop_expired_fields(most)
    }

    /// Notes the effect of a change of several keys, or of none in particular.
    pub(crate) fn effect(&mut self, words: impl FnOnce() -> Vec<Bytes>) {
        let Self { view: View { shared, db, time, .. }, effects } = self;
        Running { shared, time, effects }.note(*db, words);
    }

    pub(super) fn stripe_mut(&mut self, hash: u64) -> &mut Stripe {
        locked::get_mut(self.view.shared, self.view.stripes, hash)
    }

    /// Drops every key of one database, or of all databases; returns how many there were.
    pub(crate) fn flush(&mut self, only: Option<u32>) -> usize {
        let shared = self.shared;
        let mut dropped = 0;
        for stripe in self.view.stripes.iter_mut() {
            dropped += stripe.as_mut().flush(only, shared);
        }
        // Counted for the database, not for one of its stripes.
        shared.count_changes(0, dropped as u64);
        dropped
    }

    /// Replaces the whole contents with what was loaded.
    pub(crate) fn replace_all(&mut self, stripes: Vec<Stripe>, extras: Extras) {
        let shared = self.shared;
        for (locked, stripe) in self.view.stripes.iter_mut().zip(stripes) {
            locked.as_mut().replace_all(stripe, shared.stripe_bits());
        }
        shared.count_changes(0, 1);
        *shared.extras().write() = Arc::new(extras);
    }

    /// Swaps two databases.
    pub(crate) fn swap(&mut self, a: u32, b: u32) {
        let Self { view: View { shared, time, stripes, .. }, effects } = self;
        for stripe in stripes.iter_mut() {
            stripe.as_mut().swap(a, b, &mut Running { shared, time, effects });
        }
        shared.count_changes(0, 1);
    }

    /// The version of a key that a session watches. An expired key is dropped first.
    pub(super) fn version(&mut self, db: u32, key: HashedKey<'_>) -> Option<u64> {
        self.drop_expired_in(db, key);
        self.stripe_mut(key.hash).version(db, key.bytes)
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        self.commit();
    }
}
