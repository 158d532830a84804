//! What all handles on a store share.

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::RandomState;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;

use super::locks::Holding;
use super::random::Random;
use super::scope::{Guard, Guards, Scope};
use super::sink::{Effect, Sink};
use super::stripe::Stripe;
use super::sweep;
use crate::clock::Clock;
use crate::key::HashedKey;
use crate::limits::Settings;
use crate::persist::Extras;
use crate::policy::EncodingPolicy;
use crate::profile::Profile;
use crate::to_key::KeyRef;

/// A stripe behind its lock, on cache lines of its own: threads on different stripes do not get in each other's way, not
/// even by their neighbourhood. Two lines, because processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Padded {
    stripe: RwLock<Stripe>,
    /// How many changes the stripe has seen. Written under its lock, read without.
    changes: AtomicU64,
}

impl Padded {
    pub(super) const fn new(stripe: Stripe) -> Self {
        Self { stripe: RwLock::new(stripe), changes: AtomicU64::new(0) }
    }
}

impl Deref for Padded {
    type Target = RwLock<Stripe>;

    #[inline]
    fn deref(&self) -> &RwLock<Stripe> {
        &self.stripe
    }
}

/// What all handles on a store share.
#[expect(unnameable_types, reason = "only this crate calls what takes it")]
#[derive(Debug)]
pub struct Shared {
    /// No other store of this process has it.
    pub(super) id: u64,
    pub(super) stripes: Box<[Padded]>,
    pub(super) stripe_bits: u8,
    pub(super) hasher: RandomState,
    pub(super) settings: Settings,
    pub(super) profile: Profile,
    pub(super) databases: u32,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) random: Random,
    pub(super) sinks: Vec<Arc<dyn Sink>>,
    pub(super) swept: Mutex<sweep::Place>,
    pub(super) extras: RwLock<Extras>,
}

impl Shared {
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// A key with its hash, which is taken over where this store made it.
    #[inline]
    pub(super) fn hashed<'k>(&self, key: KeyRef<'k>) -> HashedKey<'k> {
        let hash = match key.hashed {
            Some((store, hash)) if store == self.id => hash,
            _ => self.hash(key.bytes),
        };
        HashedKey { hash, bytes: key.bytes, reads: key.reads }
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

    /// What decides how values are encoded, as it is now.
    #[inline]
    pub(crate) fn policy(&self) -> EncodingPolicy<'_> {
        EncodingPolicy { settings: &self.settings, profile: self.profile, hasher: &self.hasher }
    }

    pub(crate) const fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) const fn profile(&self) -> Profile {
        self.profile
    }

    /// How many databases the commands know.
    pub(crate) const fn databases(&self) -> u32 {
        self.databases
    }

    /// The database of that number, if the commands know it.
    pub(crate) fn database(&self, number: i64) -> Option<u32> {
        u32::try_from(number).ok().filter(|&number| number < self.databases)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) const fn random(&self) -> &Random {
        &self.random
    }

    #[inline]
    pub(crate) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty()
    }

    #[cold]
    pub(super) fn commit(&self, effects: &[Effect]) {
        // A sink that calls the store gets an error: the store would wait for its own locks.
        let _holding = Holding::new(self);
        for sink in &self.sinks {
            sink.commit(effects);
        }
    }

    /// Counts changes for the stripe of a hash, whose lock is held.
    #[inline]
    pub(super) fn count_changes(&self, hash: u64, count: u64) {
        let changes = &self.stripes[self.stripe_of(hash)].changes;
        changes.store(changes.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// How many changes there were.
    pub(super) fn changes(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.changes.load(Ordering::Relaxed)).sum()
    }

    #[inline]
    fn lock(&self, number: usize, reads: bool) -> Guard<'_> {
        if reads {
            Guard::Read(self.stripes[number].read())
        } else {
            Guard::Write(self.stripes[number].write())
        }
    }

    /// Locks the stripes of keys, each once and in order of their numbers, for writing unless a key is only read.
    #[inline]
    pub(super) fn lock_all(&self, keys: &[HashedKey<'_>]) -> Guards<'_> {
        match *keys {
            [key] => {
                let number = self.stripe_of(key.hash);
                Guards::One(number, self.lock(number, key.reads))
            }
            [a, b] => {
                let [mut a, mut b] = [a, b].map(|key| (self.stripe_of(key.hash), key.reads));
                if a.0 == b.0 {
                    return Guards::One(a.0, self.lock(a.0, a.1 && b.1));
                }
                if a.0 > b.0 {
                    std::mem::swap(&mut a, &mut b);
                }
                Guards::Two([a, b].map(|(number, reads)| (number, self.lock(number, reads))))
            }
            [a, b, c] => {
                let [mut a, mut b, mut c] =
                    [a, b, c].map(|key| (self.stripe_of(key.hash), key.reads));
                if a.0 == b.0 || b.0 == c.0 || a.0 == c.0 {
                    return self.lock_many(keys);
                }
                if a.0 > b.0 {
                    std::mem::swap(&mut a, &mut b);
                }
                if b.0 > c.0 {
                    std::mem::swap(&mut b, &mut c);
                }
                if a.0 > b.0 {
                    std::mem::swap(&mut a, &mut b);
                }
                Guards::Three([a, b, c].map(|(number, reads)| (number, self.lock(number, reads))))
            }
            _ => self.lock_many(keys),
        }
    }

    /// As [`lock_all`](Self::lock_all), for reading.
    pub(super) fn lock_all_to_read(&self, keys: &[HashedKey<'_>]) -> Guards<'_> {
        let keys: SmallVec<[HashedKey<'_>; 4]> =
            keys.iter().map(|&key| HashedKey { reads: true, ..key }).collect();
        self.lock_all(&keys)
    }

    fn lock_many(&self, keys: &[HashedKey<'_>]) -> Guards<'_> {
        let mut wanted: SmallVec<[(usize, bool); 8]> =
            keys.iter().map(|key| (self.stripe_of(key.hash), key.reads)).collect();
        // Of one stripe, a key that is written comes first.
        wanted.sort_unstable();
        wanted.dedup_by_key(|(number, _)| *number);
        let lock = |(number, reads)| (number, self.lock(number, reads));
        match wanted[..] {
            [(number, reads)] => Guards::One(number, self.lock(number, reads)),
            [a, b] => Guards::Two([a, b].map(lock)),
            [a, b, c] => Guards::Three([a, b, c].map(lock)),
            _ => Guards::Many(wanted.into_iter().map(lock).collect()),
        }
    }

    /// Locks every stripe for writing.
    pub(super) fn lock_whole(&self) -> Guards<'_> {
        Guards::Many(
            (0..self.stripes.len()).map(|number| (number, self.lock(number, false))).collect(),
        )
    }

    /// Locks some stripes for reading.
    pub(super) fn lock_to_read(&self, stripes: Range<usize>) -> Guards<'_> {
        Guards::Many(stripes.map(|number| (number, self.lock(number, true))).collect())
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
        for (guard, stripe) in guards.iter_mut().zip(stripes) {
            guard.replace_all(stripe, self.stripe_bits);
        }
        self.count_changes(0, 1);
        *self.extras.write() = extras;
    }

    /// Begins to watch a key for a session; returns its version. A key that has expired is dropped first: it is not
    /// there to be watched.
    pub(crate) fn watch(&self, db: u32, key: &[u8]) -> u64 {
        let key = HashedKey::new(self.hash(key), key);
        let mut scope = Scope::new(self, db, self.lock_all(&[key]));
        scope.drop_expired(key);
        scope.stripe_mut(key.hash).watch(db, key.bytes)
    }

    /// Ends a session's watch of a key.
    pub(crate) fn unwatch(&self, db: u32, key: &[u8]) {
        self.stripes[self.stripe_of(self.hash(key))].write().unwatch(db, key);
    }
}
