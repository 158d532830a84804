//! What all handles on a store share.

use std::ops::Deref;
use std::sync::Arc;

use ahash::RandomState;

use super::holding::{Holding, check_free};
use super::random::Random;
use super::scope::Scope;
use super::scripts::Scripts;
use super::sink::{Effect, Sink};
use super::stripe::Stripe;
use super::sweep;
use super::time::TimeSource;
use crate::clock::Clock;
use crate::error::Result;
use crate::key::HashedKey;
use crate::limits::Settings;
use crate::persist::disk::Disk;
use crate::persist::{Directory, Extras, Log};
use crate::policy::EncodingPolicy;
use crate::profile::Profile;
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use crate::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::to_key::KeyRef;

/// A stripe behind its lock, on cache lines of its own: threads on different stripes do not get in each other's way,
/// not even by their neighbourhood. Two lines, because processors fetch them in pairs.
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

/// Where the effects of a command end in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Logged(u64);

impl Logged {
    /// There were none, or there is no log.
    pub(super) const NOTHING: Self = Self(0);
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
    /// How many sessions there have been.
    pub(super) sessions: AtomicU64,
    pub(super) time: TimeSource,
    pub(super) random: Random,
    pub(super) sinks: Vec<Arc<dyn Sink>>,
    pub(super) scripts: Arc<Scripts>,
    pub(super) swept: Mutex<sweep::Place>,
    /// How many changes there were when the last snapshot was taken.
    pub(super) saved: AtomicU64,
    pub(super) last_save: AtomicI64,
    /// Whether sweepers sweep.
    pub(super) active_expire: AtomicBool,
    pub(super) extras: RwLock<Arc<Extras>>,
    /// Held while a snapshot runs beside writers.
    pub(super) snapshot: Mutex<()>,
    /// What the files of the store are on.
    pub(super) disk: Arc<dyn Disk>,
    /// The directory that the store is kept in, if it was opened from one.
    pub(super) directory: Option<Arc<Directory>>,
}

impl Shared {
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The hash of a key, which is taken over where this store made it.
    #[inline]
    pub(super) fn hash_of(&self, key: KeyRef<'_>) -> u64 {
        match key.hashed {
            Some((store, hash)) if store == self.id => hash,
            _ => self.hash(key.bytes),
        }
    }

    /// The first bits of the hash choose the stripe.
    #[inline]
    pub(crate) fn stripe_of(&self, hash: u64) -> usize {
        // In two steps, since there may be one stripe, and no shift by 64. There are at most 2^16.
        let number = (hash >> 1) >> (63 - u32::from(self.stripe_bits));
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

    /// Whether there may be hashes whose fields expire.
    pub(crate) fn may_expire_fields(&self) -> bool {
        let forms = [rdb::ValueType::HashTtl, rdb::ValueType::ValkeyHashTtl];
        self.extras().read().newer_kinds().iter().any(|kind| forms.contains(kind))
    }

    pub(crate) const fn clock(&self) -> &Arc<dyn Clock> {
        &self.time.clock
    }

    /// The number of a session that begins: the first one is 1.
    pub(crate) fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What commands take the time from.
    #[inline]
    pub(crate) const fn time(&self) -> &TimeSource {
        &self.time
    }

    pub(crate) fn is_replaying(&self) -> bool {
        self.time.replaying.load(Ordering::Relaxed)
    }

    /// Lets keys stay beyond their expiry while a log is replayed, or expire.
    pub(crate) fn set_replaying(&self, replaying: bool) {
        self.time.replaying.store(replaying, Ordering::Relaxed);
    }

    pub(crate) const fn random(&self) -> &Random {
        &self.random
    }

    /// The scripts that the store knows.
    pub(crate) fn scripts(&self) -> &Scripts {
        &self.scripts
    }

    #[inline]
    pub(crate) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty() || self.log().is_some()
    }

    /// Hands effects to the sinks and adds them to the log, while the locks of their keys are held; returns their place
    /// in the log.
    #[cold]
    pub(super) fn commit(&self, effects: &[Effect]) -> Logged {
        if !self.sinks.is_empty() {
            // A sink that calls the store gets an error: the store would wait for its own locks.
            let _holding = Holding::new(self);
            for sink in &self.sinks {
                sink.commit(effects);
            }
        }
        Logged(self.log().map_or(0, |log| log.append(effects)))
    }

    /// An error if commands that write are refused, since the log cannot be written.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.log().map_or(Ok(()), Log::check)
    }

    /// What a command returns: once its effects are where its store promises them to be. No lock may be held.
    #[inline]
    pub(super) fn acknowledge<R>(&self, (result, logged): (Result<R>, Logged)) -> Result<R> {
        if logged == Logged::NOTHING { result } else { self.wait_for(logged).and(result) }
    }

    fn wait_for(&self, logged: Logged) -> Result<()> {
        self.log().map_or(Ok(()), |log| log.wait(logged.0))
    }

    /// The log that commands are added to.
    #[inline]
    pub(crate) fn log(&self) -> Option<&Log> {
        self.directory.as_ref()?.log()
    }

    /// The directory that the store is kept in.
    pub(crate) const fn directory(&self) -> Option<&Arc<Directory>> {
        self.directory.as_ref()
    }

    /// An error if this thread holds locks of the store.
    pub(crate) fn check_free(&self) -> Result<()> {
        check_free(self)
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    pub(crate) const fn disk_arc(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Counts changes for the stripe of a hash, whose lock is held.
    #[inline]
    pub(super) fn count_changes(&self, hash: u64, count: u64) {
        let changes = &self.stripes[self.stripe_of(hash)].changes;
        changes.store(changes.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// How many changes there were.
    pub(crate) fn changes(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.changes.load(Ordering::Relaxed)).sum()
    }

    /// How many of them the last snapshot does not have.
    pub(crate) fn unsaved_changes(&self) -> u64 {
        self.changes().saturating_sub(self.saved.load(Ordering::Relaxed))
    }

    /// Notes that a snapshot has the first `changes` of them.
    pub(crate) fn saved(&self, changes: u64) {
        self.saved.store(changes, Ordering::Relaxed);
        self.last_save.store(self.now_secs(), Ordering::Relaxed);
    }

    /// When that was, or when the store was opened, in seconds since the epoch; 0 before.
    pub(crate) fn last_save(&self) -> i64 {
        self.last_save.load(Ordering::Relaxed)
    }

    /// The time of the store's clock, in seconds since the epoch.
    pub(crate) fn now_secs(&self) -> i64 {
        self.clock().now_ms().div_euclid(1000)
    }

    /// As many stripes as there are, empty, for a snapshot to be loaded into.
    pub(crate) fn empty_stripes(&self) -> Vec<Stripe> {
        self.stripes.iter().map(|_| Stripe::new(self.stripe_bits)).collect()
    }

    /// An empty store of its own, whose stripes can be put in the place of this one's.
    pub(crate) fn scratch(&self) -> Self {
        let (limits, remembered) = self.settings.all();
        Self {
            id: self.id,
            stripes: self.empty_stripes().into_iter().map(Padded::new).collect(),
            stripe_bits: self.stripe_bits,
            hasher: self.hasher.clone(),
            settings: Settings::new(limits, remembered),
            profile: self.profile,
            databases: self.databases,
            sessions: AtomicU64::new(0),
            time: TimeSource::new(Arc::clone(&self.time.clock)),
            random: Random::new(self.hash(&[])),
            sinks: Vec::new(),
            scripts: Arc::clone(&self.scripts),
            swept: Mutex::default(),
            saved: AtomicU64::new(0),
            last_save: AtomicI64::new(0),
            active_expire: AtomicBool::new(true),
            extras: RwLock::default(),
            snapshot: Mutex::default(),
            disk: Arc::clone(&self.disk),
            directory: None,
        }
    }

    /// What a store holds that has no handle any more.
    pub(crate) fn into_contents(self) -> (Vec<Stripe>, Extras) {
        let stripes = self.stripes.into_iter().map(|padded| padded.stripe.into_inner());
        (stripes.collect(), Arc::unwrap_or_clone(self.extras.into_inner()))
    }

    /// Locks every stripe for reading.
    pub(crate) fn read_all(&self) -> Vec<RwLockReadGuard<'_, Stripe>> {
        self.stripes.iter().map(|stripe| stripe.read()).collect()
    }

    /// Lets sweepers sweep, or makes them wait.
    pub(crate) fn set_active_expire(&self, active: bool) {
        self.active_expire.store(active, Ordering::Relaxed);
    }

    /// What files hold beside keys, as the last one that was loaded had it.
    pub(crate) const fn extras(&self) -> &RwLock<Arc<Extras>> {
        &self.extras
    }

    /// Puts what a file holds in the place of what is here, all at once.
    pub(crate) fn replace_all(&self, stripes: Vec<Stripe>, extras: Extras) {
        let mut guards: Vec<RwLockWriteGuard<'_, Stripe>> =
            self.stripes.iter().map(|stripe| stripe.write()).collect();
        for (guard, stripe) in guards.iter_mut().zip(stripes) {
            guard.replace_all(stripe, self.stripe_bits);
        }
        if let Some(log) = self.log() {
            log.cut_short("the log was not rewritten after a file had been loaded");
        }
        self.count_changes(0, 1);
        *self.extras.write() = Arc::new(extras);
    }

    /// Begins to watch a key for a session; returns its version. A key that has expired is dropped first: it is not
    /// there to be watched.
    pub(crate) fn watch(&self, db: u32, key: &[u8]) -> u64 {
        let key = HashedKey::new(self.hash(key), key);
        self.lock(
            &[key],
            |_| false,
            |locked| {
                let mut scope = Scope::new(self, db, locked.stripes);
                scope.drop_expired(key);
                scope.stripe_mut(key.hash).watch(db, key.bytes)
            },
        )
    }

    /// Ends a session's watch of a key.
    pub(crate) fn unwatch(&self, db: u32, key: &[u8]) {
        self.stripes[self.stripe_of(self.hash(key))].write().unwatch(db, key);
    }
}
