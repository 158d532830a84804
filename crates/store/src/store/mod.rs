//! The store: a keyspace cut into lock stripes, and the handles on it.

mod beside;
mod builder;
mod chance;
mod context;
pub(crate) mod door;
mod moment;
mod report;
mod shared;
mod sink;
pub(crate) mod slot;
pub(crate) mod stripe;
mod sweep;
mod transaction;
mod watch;

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

pub use builder::StoreBuilder;
pub(crate) use chance::Chance;
pub use report::Database;
pub use shared::Shared;
pub use sink::{Effect, Sink};
pub use transaction::Tx;

use crate::error::Error;
use crate::key::HashedKey;
use crate::limits::Limits;
use crate::profile::Profile;
use door::{Door, Locked, Scope, View};
use moment::Moment;

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
    /// assert_eq!(store.db(3).dbsize()?, 1);
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

    /// The limits at which values change their encoding, as they are now.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.shared.settings().limits()
    }

    /// Changes the limits at which values change their encoding, as CONFIG SET does. Values that are there keep theirs
    /// until a command changes them.
    pub fn set_limits(&self, limits: Limits) {
        self.shared.settings().set(limits);
    }

    /// Whose bytes and replies the store gives.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared.profile()
    }

    /// Gives back the memory of those of the keys that have expired: a read has met one.
    #[cold]
    fn drop_expired(&self, keys: &[HashedKey<'_>]) {
        let mut scope = self.shared.write_scope(self.db, self.shared.stripes_of(keys));
        for &key in keys {
            scope.change(key, |_| ());
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// [`read`](Door::read) of keys whose hashes are known.
    #[inline]
    pub(crate) fn read_hashed<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        let moment = Moment::new(shared.clock());
        let result = if let &[key] = keys {
            // Most commands have one key: its lock is all there is to take.
            let stripe = shared.stripes[shared.stripe_of(key.hash)].read();
            let locked = Locked::One(&stripe);
            operation(&View { shared, db: self.db, locked, moment: &moment })
        } else {
            let mut guards: SmallVec<[_; 4]> = SmallVec::new();
            for number in shared.stripes_of(keys) {
                guards.push((number, shared.stripes[number].read()));
            }
            let locked = Locked::Read(&guards);
            operation(&View { shared, db: self.db, locked, moment: &moment })
        };
        if moment.met_expired() {
            self.drop_expired(keys);
        }
        result
    }

    /// [`write`](Door::write) of keys whose hashes are known.
    #[inline]
    pub(crate) fn write_hashed<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        let mut scope = match *keys {
            [key] => shared.write_scope_one(self.db, shared.stripe_of(key.hash)),
            _ => shared.write_scope(self.db, shared.stripes_of(keys)),
        };
        operation(&mut scope)
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
        if let &[key] = keys {
            let keys = [self.shared.hashed_one(key)];
            return self.read_hashed(&keys, |view| operation(view, &keys));
        }
        let keys = self.shared.hashed(keys);
        self.read_hashed(&keys, |view| operation(view, &keys))
    }

    #[inline]
    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if let &[key] = keys {
            let keys = [self.shared.hashed_one(key)];
            return self.write_hashed(&keys, |scope| operation(scope, &keys));
        }
        let keys = self.shared.hashed(keys);
        self.write_hashed(&keys, |scope| operation(scope, &keys))
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        let guards: Vec<_> =
            stripes.map(|number| (number, shared.stripes[number].read())).collect();
        let moment = Moment::new(shared.clock());
        let view = View { shared, db: self.db, locked: Locked::Read(&guards), moment: &moment };
        operation(&view)
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        operation(&mut self.shared.write_scope(self.db, 0..self.shared.stripe_count()))
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }
}
