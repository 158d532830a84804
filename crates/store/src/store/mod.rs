//! The store: a keyspace cut into lock stripes, and the handles on it.

mod builder;
mod locked;
pub(crate) mod locks;
mod random;
mod report;
pub(crate) mod scope;
mod shared;
mod sink;
pub(crate) mod slot;
pub(crate) mod stripe;
mod sweep;
mod sweeper;
mod time;
mod transaction;
mod watch;

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

pub use builder::StoreBuilder;
pub(crate) use locks::Holding;
pub use locks::{Held, Locks, Striped};
pub(crate) use random::Random;
pub use report::Database;
pub(crate) use shared::Shared;
pub use sink::{Effect, Sink};
pub use slot::Entry;
pub use sweeper::Sweeper;
pub use transaction::Tx;

use crate::error::Error;
use crate::key::HashedKey;
use crate::limits::Limits;
use crate::profile::Profile;
use crate::to_key::{AsKey, PreparedKey, ToKey};
use crate::to_keys::ToKeys;
use scope::{Scope, View};
use slot::Kind;

/// A keyspace in this process: Redis's values, Redis's commands, no server.
///
/// A `Store` is a handle: clones of it, in any thread, work on the same keys. Every command is atomic, those on several
/// keys too. The commands are methods, under the names that the `redis` crate gives them.
///
/// A [`Tx`] and a [`Session`](crate::Session) are stores too, which get at their keys in another way: what works on any
/// `&Store<impl Locks>` works on all of them (see [`Locks`]).
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
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
#[derive(Clone, Copy, Debug)]
pub struct Store<L = Striped> {
    pub(crate) locks: L,
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
    /// There is no fixed number of databases: one that was never written to costs nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.db(3).set("k", "v")?;
    /// assert_eq!(store.get("k")?, None);
    /// assert_eq!(store.db(3).dbsize()?, 1);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn db(&self, number: u32) -> Self {
        Self::on(Striped { shared: Arc::clone(&self.locks.shared), db: number })
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

/// # The store itself
impl<L: Locks> Store<L> {
    /// A store that gets at its keys in that way.
    pub(crate) const fn on(locks: L) -> Self {
        Self { locks }
    }

    /// The number of this handle's database.
    #[must_use]
    pub fn db_number(&self) -> u32 {
        self.locks.db()
    }

    /// How many changes commands have made to the store since it was built. O(stripes), without a lock.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.shared().changes()
    }

    /// The limits at which values change their encoding, as they are now.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.shared().settings().limits()
    }

    /// Changes the limits at which values change their encoding, as CONFIG SET does. Values that are there keep theirs
    /// until a command changes them.
    pub fn set_limits(&self, limits: Limits) {
        self.shared().settings().set(limits);
    }

    /// Whose bytes and replies the store gives.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared().profile()
    }

    /// A key with its hash, for one that is used often: commands that get it hash nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// let visits = store.prepare("visits");
    /// store.incr(&visits, 1)?;
    /// assert_eq!(store.incr("visits", 1)?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn prepare(&self, key: impl ToKey) -> PreparedKey {
        let held = key.held();
        let key = held.as_key();
        let hash = self.shared().hash_of(key);
        PreparedKey { bytes: Bytes::copy_from_slice(key.bytes), store: self.shared().id, hash }
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Shared {
        self.locks.shared()
    }

    /// To be kept while code of the caller's runs with locks held.
    #[inline]
    pub(crate) fn holding(&self) -> Option<Holding> {
        self.locks.holding()
    }

    /// Runs an operation that changes nothing.
    #[inline]
    pub(crate) fn read<R>(
        &self,
        keys: impl ToKeys,
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let locks = &self.locks;
        keys.located(|key| locks.hash(key), |keys| locks.read(keys, |view| operation(view, keys)))
    }

    /// Runs an operation that may change its keys.
    #[inline]
    pub(crate) fn write<R>(
        &self,
        keys: impl ToKeys,
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let locks = &self.locks;
        keys.located(
            |key| locks.hash(key),
            |keys| locks.write(keys, |scope| operation(scope, keys)),
        )
    }

    /// Runs an operation on the value of one key.
    #[inline]
    pub(crate) fn entry<K: Kind, R>(
        &self,
        key: impl ToKey,
        work: impl FnOnce(&mut Entry<'_, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.write(key, |scope, keys| scope.with(keys[0], work))
    }

    /// Runs an operation that looks at all keys of these stripes.
    pub(crate) fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.read_stripes(stripes, operation)
    }

    /// Runs an operation that may change any key.
    pub(crate) fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.write_all(operation)
    }
}
