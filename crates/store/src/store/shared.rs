//! What all handles on a store share.

use std::ops::Deref;
use std::sync::Arc;

use ahash::RandomState;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;

use super::chance::Chance;
use super::context::Context;
use super::door::{Guards, Keys, Scope};
use super::sink::{Effect, Sink};
use super::stripe::Stripe;
use super::sweep;
use crate::clock::Clock;
use crate::key::HashedKey;
use crate::limits::Settings;
use crate::persist::Extras;
use crate::profile::Profile;
use crate::rules::Rules;

/// A stripe behind its lock, on cache lines of its own: threads on different stripes do not get in each other's way, not
/// even by their neighbourhood. Two lines, because processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Padded(RwLock<Stripe>);

impl Padded {
    pub(super) const fn new(stripe: Stripe) -> Self {
        Self(RwLock::new(stripe))
    }
}

impl Deref for Padded {
    type Target = RwLock<Stripe>;

    #[inline]
    fn deref(&self) -> &RwLock<Stripe> {
        &self.0
    }
}

/// What all handles on a store share.
#[derive(Debug)]
pub struct Shared {
    pub(super) stripes: Box<[Padded]>,
    pub(super) stripe_bits: u8,
    pub(super) hasher: RandomState,
    pub(super) settings: Settings,
    pub(super) profile: Profile,
    pub(super) databases: u32,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) chance: Chance,
    pub(super) sinks: Vec<Arc<dyn Sink>>,
    pub(super) swept: Mutex<sweep::Place>,
    pub(super) extras: RwLock<Extras>,
}

impl Shared {
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    #[inline]
    pub(super) fn hashed_one<'k>(&self, key: &'k [u8]) -> HashedKey<'k> {
        HashedKey { hash: self.hash(key), bytes: key }
    }

    #[inline]
    pub(super) fn hashed<'k>(&self, keys: &[&'k [u8]]) -> Keys<'k> {
        // Pushed one by one: collecting into a `SmallVec` costs several times the hashing.
        let mut hashed = Keys::new();
        for &bytes in keys {
            hashed.push(self.hashed_one(bytes));
        }
        hashed
    }

    /// The first bits of the hash choose the stripe.
    #[inline]
    pub(crate) fn stripe_of(&self, hash: u64) -> usize {
        // There are at most 2^16 stripes; a shift by 64 would be the case of one stripe.
        let number = hash.checked_shr(64 - u32::from(self.stripe_bits)).unwrap_or(0);
        usize::try_from(number).unwrap_or(0)
    }

    /// The first hash of a stripe.
    pub(crate) fn first_hash(&self, stripe: usize) -> u64 {
        (stripe as u64).checked_shl(64 - u32::from(self.stripe_bits)).unwrap_or(0)
    }

    /// The first hash behind a stripe; `None` behind the last.
    pub(crate) fn after_stripe(&self, stripe: usize) -> Option<u64> {
        (stripe + 1 < self.stripes.len()).then(|| self.first_hash(stripe + 1))
    }

    pub(crate) const fn stripe_bits(&self) -> u8 {
        self.stripe_bits
    }

    /// How many stripes there are.
    pub(crate) const fn stripe_count(&self) -> usize {
        self.stripes.len()
    }

    /// The rules by which values change, as they are now.
    #[inline]
    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules { limits: self.settings.limits(), profile: self.profile, hasher: &self.hasher }
    }

    pub(crate) const fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) const fn profile(&self) -> Profile {
        self.profile
    }

    /// How many databases the command door knows.
    pub(crate) const fn databases(&self) -> u32 {
        self.databases
    }

    /// The database of that number, if the command door knows it.
    pub(crate) fn database(&self, number: i64) -> Option<u32> {
        u32::try_from(number).ok().filter(|&number| number < self.databases)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) const fn chance(&self) -> &Chance {
        &self.chance
    }

    #[inline]
    pub(crate) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty()
    }

    #[cold]
    pub(super) fn commit(&self, effects: &[Effect]) {
        for sink in &self.sinks {
            sink.commit(effects);
        }
    }

    /// The numbers of the keys' stripes, each once, in the order in which they are locked everywhere.
    #[inline]
    pub(super) fn stripes_of(&self, keys: &[HashedKey<'_>]) -> SmallVec<[usize; 4]> {
        let mut numbers = SmallVec::new();
        for key in keys {
            numbers.push(self.stripe_of(key.hash));
        }
        if !numbers.is_sorted_by(|a, b| a < b) {
            numbers.sort_unstable();
            numbers.dedup();
        }
        numbers
    }

    /// Locks stripes, whose numbers ascend, for writing.
    #[inline]
    pub(super) fn write_scope(
        &self,
        db: u32,
        numbers: impl IntoIterator<Item = usize>,
    ) -> Scope<'_> {
        let mut guards = SmallVec::new();
        for number in numbers {
            guards.push((number, self.stripes[number].write()));
        }
        Scope { guards: Guards::Many(guards), context: Context::new(self), db }
    }

    /// Locks one stripe for writing.
    #[inline]
    pub(super) fn write_scope_one(&self, db: u32, number: usize) -> Scope<'_> {
        let guards = Guards::One(number, self.stripes[number].write());
        Scope { guards, context: Context::new(self), db }
    }

    /// As many stripes as there are, empty, for a snapshot to be loaded into.
    pub(crate) fn empty_stripes(&self) -> Vec<Stripe> {
        self.stripes.iter().map(|_| Stripe::new(self.stripe_bits)).collect()
    }

    /// Locks every stripe for reading.
    pub(crate) fn read_all(&self) -> Vec<RwLockReadGuard<'_, Stripe>> {
        self.stripes.iter().map(|stripe| stripe.read()).collect()
    }

    /// What files hold beside keys, as the last one that was loaded had it.
    pub(crate) const fn extras(&self) -> &RwLock<Extras> {
        &self.extras
    }

    /// Puts what a file holds in the place of what is here, all at once.
    pub(crate) fn replace_all(&self, stripes: Vec<Stripe>, extras: Extras) {
        let mut guards: Vec<RwLockWriteGuard<'_, Stripe>> =
            self.stripes.iter().map(|stripe| stripe.write()).collect();
        for (guard, mut stripe) in guards.iter_mut().zip(stripes) {
            stripe.replaces(guard);
            **guard = stripe;
        }
        *self.extras.write() = extras;
    }

    /// Begins to watch a key for a session; returns its version. A key that has expired is dropped first: it is not
    /// there to be watched.
    pub(crate) fn watch(&self, db: u32, key: &[u8]) -> u64 {
        let key = self.hashed_one(key);
        let mut scope = self.write_scope_one(db, self.stripe_of(key.hash));
        scope.change(key, |_| ());
        scope.stripe_mut(key.hash).watch(db, key.bytes)
    }

    /// Ends a session's watch of a key.
    pub(crate) fn unwatch(&self, db: u32, key: &[u8]) {
        self.stripes[self.stripe_of(self.hash(key))].write().unwatch(db, key);
    }
}
