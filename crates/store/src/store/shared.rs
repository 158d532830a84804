//! The state that all handles on a store share.

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
use crate::sync::{Mutex, RwLock, RwLockReadGuard};
use crate::to_key::KeyRef;

/// A stripe and its lock, on separate cache lines, so that threads on different stripes do not invalidate each other's.
/// Two lines, because CPUs prefetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Padded {
    stripe: RwLock<Stripe>,
    /// The number of changes in the stripe. Written under its lock, read without.
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

/// The offset in the log at which the effects of a command end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Logged(u64);

impl Logged {
    /// There were no effects, or there is no log.
    pub(super) const NOTHING: Self = Self(0);
}

/// The state that all handles on a store share.
#[expect(unnameable_types, reason = "only functions of this crate take it")]
#[derive(Debug)]
pub struct Shared {
    /// Unique in this process.
    pub(super) id: u64,
    pub(super) stripes: Box<[Padded]>,
    pub(super) stripe_bits: u8,
    pub(super) hasher: RandomState,
    pub(super) settings: Settings,
    pub(super) profile: Profile,
    pub(super) databases: u32,
    /// The number of sessions so far.
    pub(super) sessions: AtomicU64,
    pub(super) time: TimeSource,
    pub(super) random: Random,
    pub(super) sinks: Vec<Arc<dyn Sink>>,
    pub(super) scripts: Arc<Scripts>,
    pub(super) swept: Mutex<sweep::Place>,
    /// The number of changes at the last snapshot.
    pub(super) saved: AtomicU64,
    pub(super) last_save: AtomicI64,
    /// Whether sweepers are active.
    pub(super) active_expire: AtomicBool,
    pub(super) extras: RwLock<Arc<Extras>>,
    /// Held while a snapshot runs concurrently with writers.
    pub(super) snapshot: Mutex<()>,
    /// The disk that the store's files are on.
    pub(super) disk: Arc<dyn Disk>,
    /// The directory of the store, if it was opened from one.
    pub(super) directory: Option<Arc<Directory>>,
}

impl Shared {
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The hash of a key; a prepared key of this store is already hashed.
    #[inline]
    pub(super) fn hash_of(&self, key: KeyRef<'_>) -> u64 {
        match key.hashed {
            Some((store, hash)) if store == self.id => hash,
            _ => self.hash(key.bytes),
        }
    }

    /// The stripe number: the first bits of the hash.
    #[inline]
    pub(crate) fn stripe_of(&self, hash: u64) -> usize {
        // Shifted in two steps: with a single stripe, one shift would be by 64. There are at most 2^16 stripes.
        let number = (hash >> 1) >> (63 - u32::from(self.stripe_bits));
        usize::try_from(number).unwrap_or(0)
    }

    /// The first hash of a stripe.
    pub(crate) fn first_hash(&self, stripe: usize) -> u64 {
        (stripe as u64).checked_shl(64 - u32::from(self.stripe_bits)).unwrap_or(0)
    }

    /// The first hash after a stripe; `None` after the last.
    pub(crate) fn after_stripe(&self, stripe: usize) -> Option<u64> {
        (stripe + 1 < self.stripes.len()).then(|| self.first_hash(stripe + 1))
    }

    pub(crate) const fn stripe_bits(&self) -> u8 {
        self.stripe_bits
    }

    /// The number of stripes.
    pub(crate) const fn stripe_count(&self) -> usize {
        self.stripes.len()
    }

    /// The current encoding policy.
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

    /// The number of databases for commands that are called by words.
    pub(crate) const fn databases(&self) -> u32 {
        self.databases
    }

    /// Converts a database number of a command; `None` if it is out of range.
    pub(crate) fn database(&self, number: i64) -> Option<u32> {
        u32::try_from(number).ok().filter(|&number| number < self.databases)
    }

    /// Whether there may be hashes with fields that expire.
    pub(crate) fn may_expire_fields(&self) -> bool {
        let forms = [rdb::ValueType::HashTtl, rdb::ValueType::ValkeyHashTtl];
        self.extras().read().newer_kinds().iter().any(|kind| forms.contains(kind))
    }

    pub(crate) const fn clock(&self) -> &Arc<dyn Clock> {
        &self.time.clock
    }

    /// Returns the number of a new session, from 1.
    pub(crate) fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The source of the time of commands.
    #[inline]
    pub(crate) const fn time(&self) -> &TimeSource {
        &self.time
    }

    pub(crate) fn is_replaying(&self) -> bool {
        self.time.replaying.load(Ordering::Relaxed)
    }

    /// Sets whether a log is being replayed, during which keys do not expire.
    pub(crate) fn set_replaying(&self, replaying: bool) {
        self.time.replaying.store(replaying, Ordering::Relaxed);
    }

    pub(crate) const fn random(&self) -> &Random {
        &self.random
    }

    /// The registered scripts.
    pub(crate) fn scripts(&self) -> &Scripts {
        &self.scripts
    }

    #[inline]
    pub(crate) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty() || self.log().is_some()
    }

    /// Passes effects to the sinks and adds them to the log, while the locks of their keys are held; returns their
    /// offset in the log.
    #[cold]
    pub(super) fn commit(&self, effects: &[Effect]) -> Logged {
        if !self.sinks.is_empty() {
            // A sink that uses the store gets an error, since it would wait for its own locks.
            let _holding = Holding::new(self);
            for sink in &self.sinks {
                sink.commit(effects);
            }
        }
        Logged(self.log().map_or(0, |log| log.append(effects)))
    }

    /// Returns an error if writes are refused, since the log cannot be written.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.log().map_or(Ok(()), Log::check)
    }

    /// Returns the result of a command once its effects are as durable as the policy requires. No lock may be held.
    #[expect(clippy::inline_always, reason = "a result is not moved")]
    #[inline(always)]
    pub(super) fn acknowledge<R>(&self, (result, logged): (Result<R>, Logged)) -> Result<R> {
        if logged == Logged::NOTHING { result } else { self.wait_for(logged).and(result) }
    }

    fn wait_for(&self, logged: Logged) -> Result<()> {
        self.log().map_or(Ok(()), |log| log.wait(logged.0))
    }

    /// The append-only log.
    #[inline]
    pub(crate) fn log(&self) -> Option<&Log> {
        self.directory.as_ref()?.log()
    }

    /// The directory of the store.
    pub(crate) const fn directory(&self) -> Option<&Arc<Directory>> {
        self.directory.as_ref()
    }

    /// Returns an error if this thread holds locks of the store.
    pub(crate) fn check_free(&self) -> Result<()> {
        check_free(self)
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    pub(crate) const fn disk_arc(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Counts changes for the stripe of a hash. Its lock is held.
    #[inline]
    pub(super) fn count_changes(&self, hash: u64, count: u64) {
        let changes = &self.stripes[self.stripe_of(hash)].changes;
        changes.store(changes.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// The number of changes.
    pub(crate) fn changes(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.changes.load(Ordering::Relaxed)).sum()
    }

    /// The number of changes since the last snapshot.
    pub(crate) fn unsaved_changes(&self) -> u64 {
        self.changes().saturating_sub(self.saved.load(Ordering::Relaxed))
    }

    /// Notes that a snapshot includes the first `changes` changes.
    pub(crate) fn saved(&self, changes: u64) {
        self.saved.store(changes, Ordering::Relaxed);
        self.last_save.store(self.now_secs(), Ordering::Relaxed);
    }

    /// The time of the last snapshot, or else of opening the store, in seconds since the epoch; 0 if neither.
    pub(crate) fn last_save(&self) -> i64 {
        self.last_save.load(Ordering::Relaxed)
    }

    /// The time of the store's clock, in seconds since the epoch.
    pub(crate) fn now_secs(&self) -> i64 {
        self.clock().now_ms().div_euclid(1000)
    }

    /// Creates as many empty stripes as the store has, to load a snapshot into.
    pub(crate) fn empty_stripes(&self) -> Vec<Stripe> {
        self.stripes.iter().map(|_| Stripe::new(self.stripe_bits)).collect()
    }

    /// Creates an empty store whose stripes can replace those of this one.
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

    /// Returns the contents of a store that has no handles left.
    pub(crate) fn into_contents(self) -> (Vec<Stripe>, Extras) {
        let stripes = self.stripes.into_iter().map(|padded| padded.stripe.into_inner());
        (stripes.collect(), Arc::unwrap_or_clone(self.extras.into_inner()))
    }

    /// Locks every stripe for reading.
    pub(crate) fn read_all(&self) -> Vec<RwLockReadGuard<'_, Stripe>> {
        self.stripes.iter().map(|stripe| stripe.read()).collect()
    }

    /// Sets whether sweepers are active.
    pub(crate) fn set_active_expire(&self, active: bool) {
        self.active_expire.store(active, Ordering::Relaxed);
    }

    /// The data of files other than keys, as the last loaded file had it.
    pub(crate) const fn extras(&self) -> &RwLock<Arc<Extras>> {
        &self.extras
    }

    /// Replaces the contents with that of a file, atomically.
    pub(crate) fn replace_all(&self, stripes: Vec<Stripe>, extras: Extras) {
        self.lock_all(|locked| {
            for (old, new) in locked.stripes.iter_mut().zip(stripes) {
                old.as_mut().replace_all(new, self.stripe_bits);
            }
            if let Some(log) = self.log() {
                log.cut_short("the log was not rewritten after a file was loaded");
            }
            self.count_changes(0, 1);
            *self.extras.write() = Arc::new(extras);
        });
    }

    /// Starts watching a key for a session; returns its version. An expired key is dropped first, since it does not
    /// exist for the session.
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
