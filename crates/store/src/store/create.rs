//! Constructors of stores.

use std::path::Path;

use super::{Store, StoreBuilder, Striped};
use crate::error::Error;

impl Store {
    /// Creates an empty store with the defaults of [`StoreBuilder`].
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Opens the store in a directory and keeps it there, as an append-only log in Redis's format, with the defaults of
    /// [`Persistence`](crate::Persistence). An empty or missing directory gives an empty store.
    ///
    /// Every change is added to the log before the command returns, and is synced to disk within a second;
    /// [`Fsync`](crate::Fsync) selects another policy. Dropping the last handle, sessions and sweepers included, syncs
    /// the log and releases the directory.
    ///
    /// The directory has the layout of Redis 7: a `redis-server` can be started in it, and a directory that a server
    /// has written can be opened. The log in `appendonlydir` is read if there is one; otherwise the log of an older
    /// server, `appendonly.aof`, or else the snapshot `dump.rdb`, either of which becomes the base of a new log and is
    /// not read again. If a process is killed, the last command of its log may be incomplete: it is truncated, and
    /// [`open_report`](Self::open_report) reports that. A directory can be open in one process at a time, which is
    /// enforced by a file lock of the operating system that ends with the process.
    ///
    /// # Errors
    ///
    /// In all cases the directory is unchanged.
    ///
    /// * [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory cannot be read or written, or is already open.
    /// * [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if a file is damaged, except by truncation at the end of the
    ///   log; with the file and the offset.
    /// * [`ErrorKind::UnknownCommand`](crate::ErrorKind::UnknownCommand) or
    ///   [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the log contains a command that the store does not
    ///   implement, or one on a type without commands; with the command, its key and the offset.
    /// * [`ErrorKind::NoScript`](crate::ErrorKind::NoScript) if the log of a server before 7.0 calls a script that is
    ///   not registered ([`StoreBuilder::scripts`]); with the same details.
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

    /// Returns a builder for a store with other limits, another clock, or sinks.
    #[must_use]
    pub fn builder() -> StoreBuilder {
        StoreBuilder::default()
    }

    /// Returns a handle on database `number` of the same store. New stores start with database 0.
    ///
    /// The number of databases is not fixed: a database that was never written to takes no memory.
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
