//! The store: a keyspace cut into lock stripes, and the handles on it.

mod builder;
mod erased;
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

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

pub use builder::StoreBuilder;
pub(crate) use erased::{AnyStore, Erased};
pub use held::Held;
pub(crate) use holding::Holding;
pub use locks::{Locks, Striped};
pub(crate) use random::Random;
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

    /// The store that a directory holds, and that is kept there: Redis's append-only log, with the defaults of
    /// [`Persistence`](crate::Persistence). A directory that is empty, or not there, is an empty store.
    ///
    /// Every change is added to the log before the command returns, and is on the disk a second later;
    /// [`Fsync`](crate::Fsync) chooses another time. Dropping the last handle, sessions and sweepers included, puts all of
    /// it on the disk and releases the directory.
    ///
    /// The directory is one of Redis 7: a `redis-server` can be started on it, and what one has left there can be opened. The
    /// log is read if there is one, in `appendonlydir`; otherwise the log of an older server, `appendonly.aof`, or else
    /// the snapshot `dump.rdb`, either of which becomes the base of a new log and is not read again. A process that is
    /// killed may leave a last command that is not whole: it is cut off, and [`open_report`](Self::open_report) tells so. One
    /// process at a time holds a directory, by a lock of the system that ends with the process.
    ///
    /// # Errors
    ///
    /// In each case nothing in the directory has been changed.
    ///
    /// * [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory cannot be read or written, or is open already.
    /// * [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if a file is damaged other than at the end of the log, with
    ///   the file and the offset.
    /// * [`ErrorKind::UnknownCommand`](crate::ErrorKind::UnknownCommand) or
    ///   [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the log has a command that the store does not know or
    ///   works on a type that it does not work on, with the command, its key and the offset.
    /// * [`ErrorKind::NoScript`](crate::ErrorKind::NoScript) if the log of a server before 7.0 calls a script that the store
    ///   does not know ([`StoreBuilder::scripts`]), with the same.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Store::open(folder.path())?;
    /// store.sadd("seen", ["alice", "bob"])?;
    /// drop(store);
    ///
    /// let store = Store::open(folder.path())?;
    /// assert_eq!(store.scard("seen")?, 2);
    ///
    /// let second = Store::open(folder.path()).unwrap_err();
    /// assert!(second.to_string().contains("is open already"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder().open(directory)
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
        Self::on(Striped { db: number, ..self.locks.clone() })
    }
}

impl Store {
    /// A handle on a store that has none, in memory only.
    pub(crate) fn of(shared: Shared) -> Self {
        Self::on(Striped { shared: Arc::new(shared), db: 0, open: None })
    }

    /// What the store holds; `None` if there are other handles.
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
    /// A store that gets at its keys in that way.
    pub(crate) const fn on(locks: L) -> Self {
        Self { locks }
    }

    /// The same handle, for a command that is called by words.
    #[inline]
    pub(crate) const fn erased(&self) -> AnyStore<'_>
    where
        L: fmt::Debug,
    {
        Store::on(Erased::new(&self.locks))
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
        PreparedKey {
            bytes: Bytes::copy_from_slice(key.bytes),
            hashed: Some((self.shared().id, hash)),
        }
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
        keys.located(locks, |keys| locks.read(keys, |view| operation(view, keys)))
    }

    /// Runs an operation that may change its keys.
    #[inline]
    pub(crate) fn write<R>(
        &self,
        keys: impl ToKeys,
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let locks = &self.locks;
        keys.located(locks, |keys| locks.write(keys, |scope| operation(scope, keys)))
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
