//! The store: a keyspace cut into lock stripes, and the handles on it.

mod builder;
pub(crate) mod door;
mod moment;
mod sink;
pub(crate) mod stripe;
mod transaction;

use std::ops::ControlFlow;
use std::sync::Arc;

use ahash::RandomState;
use parking_lot::{RwLock, RwLockReadGuard};
use smallvec::SmallVec;

pub use builder::StoreBuilder;
pub use sink::{Effect, Sink};
pub use transaction::Tx;

use crate::clock::Clock;
use crate::error::Error;
use crate::key::HashedKey;
use crate::limits::Limits;
use door::{Door, Keys, Scope, View};
use moment::Moment;
use stripe::{Context, Stripe};

/// A keyspace in this process: Redis's values, Redis's commands, no server.
///
/// A `Store` is a handle: clones of it, in any thread, work on the same keys. Every command is atomic, those on several
/// keys too. The commands are in the traits of the [`prelude`](crate::prelude), under the names that the `redis`
/// crate gives them.
///
/// # Examples
///
/// ```
/// use tallis::{Store, prelude::*};
///
/// let store = Store::new();
/// store.pfadd("uv:today", ["alice", "bob", "alice"])?;
/// assert_eq!(store.pfcount(["uv:today"])?, 2);
///
/// let also = store.clone();
/// std::thread::spawn(move || also.incr("visits", 1)).join().unwrap()?;
/// assert_eq!(store.get("visits")?.as_deref(), Some(&b"1"[..]));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
    db: u32,
}

/// What all handles on a store share.
#[derive(Debug)]
pub struct Shared {
    stripes: Box<[RwLock<Stripe>]>,
    stripe_bits: u8,
    hasher: RandomState,
    limits: Limits,
    clock: Arc<dyn Clock>,
    sinks: Vec<Arc<dyn Sink>>,
}

impl Shared {
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    #[inline]
    fn hashed<'k>(&self, keys: &[&'k [u8]]) -> Keys<'k> {
        // Pushed one by one: collecting into a `SmallVec` costs several times the hashing.
        let mut hashed = Keys::new();
        for &bytes in keys {
            hashed.push(HashedKey { hash: self.hash(bytes), bytes });
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

    pub(crate) const fn stripe_bits(&self) -> u8 {
        self.stripe_bits
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    #[inline]
    pub(crate) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty()
    }

    fn commit(&self, effects: &[Effect]) {
        for sink in &self.sinks {
            sink.commit(effects);
        }
    }

    /// The numbers of the keys' stripes, each once, in the order in which they are locked everywhere.
    #[inline]
    fn stripes_of(&self, keys: &[HashedKey<'_>]) -> SmallVec<[usize; 4]> {
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

    #[inline]
    fn write_scope(&self, db: u32, numbers: impl IntoIterator<Item = usize>) -> Scope<'_> {
        let mut stripes = SmallVec::new();
        for number in numbers {
            stripes.push((number, self.stripes[number].write()));
        }
        Scope { stripes, context: self.context(), db }
    }

    fn context(&self) -> Context<'_> {
        Context { shared: self, moment: Moment::new(&*self.clock), effects: Vec::new() }
    }

    /// As many stripes as there are, empty, for a snapshot to be loaded into.
    pub(crate) fn empty_stripes(&self) -> Vec<Stripe> {
        self.stripes.iter().map(|_| Stripe::new(self.stripe_bits)).collect()
    }

    /// Locks every stripe for reading.
    pub(crate) fn read_all(&self) -> Vec<RwLockReadGuard<'_, Stripe>> {
        self.stripes.iter().map(|stripe| stripe.read()).collect()
    }
}

impl Store {
    /// An empty store with the defaults of [`StoreBuilder`].
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A store that is to be built with other limits, another clock, or sinks.
    #[must_use]
    pub fn builder() -> StoreBuilder {
        StoreBuilder::default()
    }

    /// A handle on database `number` of the same store. Handles start on database 0.
    ///
    /// There is no fixed number of databases: one that nobody has written to costs nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.db(3).set("k", "v")?;
    /// assert_eq!(store.get("k")?, None);
    /// assert_eq!(store.db(3).dbsize(), 1);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn db(&self, number: u32) -> Self {
        Self { shared: Arc::clone(&self.shared), db: number }
    }

    /// The number of this handle's database.
    #[must_use]
    pub fn db_number(&self) -> u32 {
        self.db
    }

    /// How many changes commands have made to the store since it was built.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.shared.stripes.iter().map(|stripe| stripe.read().changes).sum()
    }

    /// Drops up to `most` keys that have expired and returns how many it dropped.
    ///
    /// An expired key is never seen by a command, swept or not: sweeping only gives its memory back. A caller that
    /// lets keys expire by the thousand calls this now and then, or from a thread of its own. Stripes are locked one
    /// at a time.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tallis::{ManualClock, Store, prelude::*};
    ///
    /// let clock = Arc::new(ManualClock::new(0));
    /// let store = Store::builder().clock(clock.clone()).build();
    /// store.set("k", "v")?;
    /// store.pexpire("k", 5)?;
    /// clock.advance(5);
    /// assert_eq!(store.dbsize(), 1);
    /// assert_eq!(store.sweep(100), 1);
    /// assert_eq!(store.dbsize(), 0);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
    pub fn sweep(&self, most: usize) -> usize {
        let mut dropped = 0;
        for number in 0..self.shared.stripes.len() {
            let mut scope = self.shared.write_scope(self.db, [number]);
            let Scope { context, stripes, .. } = &mut scope;
            for (_, stripe) in stripes {
                match stripe.sweep(context, most - dropped) {
                    ControlFlow::Continue(count) => dropped += count,
                    ControlFlow::Break(count) => return dropped + count,
                }
            }
        }
        dropped
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn replace_stripes(&self, stripes: Vec<Stripe>) {
        let mut guards: Vec<_> = self.shared.stripes.iter().map(|stripe| stripe.write()).collect();
        for (guard, stripe) in guards.iter_mut().zip(stripes) {
            let changes = guard.changes + 1;
            **guard = stripe;
            guard.changes = changes;
        }
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Door for Store {
    #[inline]
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.shared.hashed(keys);
        let numbers = self.shared.stripes_of(&keys);
        let mut guards: SmallVec<[_; 2]> = SmallVec::new();
        for &number in &numbers {
            guards.push(self.shared.stripes[number].read());
        }
        let mut stripes = SmallVec::new();
        for (&number, guard) in numbers.iter().zip(&guards) {
            stripes.push((number, &**guard));
        }
        let moment = Moment::new(&*self.shared.clock);
        let view = View { shared: &self.shared, db: self.db, stripes, moment: &moment };
        operation(&view, &keys)
    }

    #[inline]
    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.shared.hashed(keys);
        let mut scope = self.shared.write_scope(self.db, self.shared.stripes_of(&keys));
        operation(&mut scope, &keys)
    }

    fn dbsize(&self) -> usize {
        let stripes = self.shared.stripes.iter();
        stripes.map(|stripe| stripe.read().keyspace(self.db).map_or(0, stripe::Keyspace::len)).sum()
    }
}
