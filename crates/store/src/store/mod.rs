//! The store: a keyspace divided into lock stripes, and the handles on it.

mod builder;
mod create;
mod garbage;
pub(crate) mod handover;
mod held;
mod holding;
pub(crate) mod keyspace;
mod locked;
pub(crate) mod locks;
mod many;
mod random;
mod report;
pub(crate) mod scope;
mod scripts;
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
pub use held::Held;
pub(crate) use holding::Holding;
pub use locks::{Locks, Striped};
pub(crate) use random::{READ_ONCE, Random};
pub use report::Database;
pub(crate) use shared::Shared;
pub use sink::{Effect, Sink};
pub use slot::Entry;
pub use sweeper::Sweeper;
pub(crate) use time::CommandTime;
pub use transaction::Tx;

use crate::error::Error;
use crate::key::HashedKey;
use crate::limits::Limits;
use crate::profile::Profile;
use crate::to_key::{AsKey, PreparedKey, ToKey};
use crate::to_keys::ToKeys;
use scope::{Scope, View};
use slot::Kind;

/// An in-process keyspace with Redis's data types and commands, without a server.
///
/// A `Store` is a handle: clones of it, in any thread, work on the same keys. Every command is atomic, including those
/// on several keys. The commands are methods with the names that the `redis` crate gives them.
///
/// A [`Tx`] and a [`Session`](crate::Session) are stores too, with another way of locking their keys: a function on
/// `&Store<impl Locks>` accepts all of them (see [`Locks`]).
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
    /// Creates a handle on a store that has no other handle, in memory only.
    pub(crate) fn of(shared: Shared) -> Self {
        Self::on(Striped { shared: Arc::new(shared), db: 0, open: None })
    }

    /// Returns the contents of the store; `None` if there are other handles.
    pub(crate) fn into_shared(self) -> Option<Shared> {
        Arc::into_inner(self.locks.shared)
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

/// # The store itself
impl<L: Locks> Store<L> {
    /// Creates a store with this way of locking keys.
    pub(crate) const fn on(locks: L) -> Self {
        Self { locks }
    }

    /// Returns the number of this handle's database.
    #[must_use]
    pub fn db_number(&self) -> u32 {
        self.locks.db()
    }

    /// Returns the number of changes that commands have made since the store was built. O(stripes), without a lock.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.shared().changes()
    }

    /// Returns the current limits at which values change their encoding.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.shared().settings().limits()
    }

    /// Sets the limits at which values change their encoding, as CONFIG SET does. Existing values keep their encoding
    /// until a command changes them.
    pub fn set_limits(&self, limits: Limits) {
        self.shared().settings().set(limits);
    }

    /// Returns the profile: the release series whose bytes and replies the store follows.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared().profile()
    }

    /// Hashes a key once, for repeated use: commands that receive the result do not hash it again.
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
        PreparedKey {
            bytes: Bytes::copy_from_slice(key.bytes),
            hashed: Some((self.shared().id, hash)),
        }
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Shared {
        self.locks.shared()
    }

    /// Returns a guard to hold while the caller's code runs with locks held.
    #[inline]
    pub(crate) fn holding(&self) -> Option<Holding> {
        self.locks.holding()
    }

    /// Runs a read-only operation.
    #[inline]
    pub(crate) fn read<R>(
        &self,
        keys: impl ToKeys,
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let locks = &self.locks;
        keys.located(locks, |keys| locks.read(keys, |view| operation(view, keys)))
    }

    /// Runs an operation that may write its keys.
    #[inline]
    pub(crate) fn write<R>(
        &self,
        keys: impl ToKeys,
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let locks = &self.locks;
        keys.located(locks, |keys| locks.write(keys, |scope| operation(scope, keys)))
    }

    /// Runs an operation on the value of a key.
    #[inline]
    pub(crate) fn entry<K: Kind, R>(
        &self,
        key: impl ToKey,
        work: impl FnOnce(&mut Entry<'_, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.write(key, |scope, keys| scope.with(keys[0], work))
    }

    /// Runs a read-only operation on all keys of these stripes.
    pub(crate) fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.read_stripes(stripes, operation)
    }

    /// Runs an operation that may write any key.
    pub(crate) fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.write_all(operation)
    }
}
