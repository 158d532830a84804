//! A store that is kept on disk: a directory with a snapshot and an append-only log, as Redis 7 lays them out.
//!
//! [`open`] reads the directory, [`replay`] runs the commands of a log, [`log`] takes the effects of new ones, and
//! [`tail`] adds them to the last file.

mod cut;
mod files;
mod folder;
mod log;
mod open;
mod read;
mod replay;
mod report;
mod rewrite;
mod settings;
mod tail;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::{fmt, io};

use aof::Manifest;
use parking_lot::Mutex;

pub use folder::LogFolder;
pub use report::{CutTail, OpenReport};
pub use settings::{Fsync, OnLogError, Persistence};

pub(crate) use self::log::Log;
pub(crate) use open::open;
pub(super) use read::{is_log, load};

use self::files::Files;
use super::disk::DiskLock;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Locks, Shared, Store};

/// The directory that a store is kept in.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    files: Arc<Files>,
    /// The manifest, as it was written last.
    manifest: Arc<Mutex<Manifest>>,
    /// Held while the log is rewritten.
    rewriting: Mutex<()>,
    /// Whether the last rewrite failed.
    rewrite_failed: AtomicBool,
    rewrite_percentage: AtomicU32,
    rewrite_min_size: AtomicU64,
    log: Log,
    report: OpenReport,
}

impl Directory {
    /// Whether the log is being rewritten.
    pub(crate) fn is_rewriting(&self) -> bool {
        self.rewriting.is_locked()
    }

    /// Whether the last rewrite failed.
    pub(crate) fn rewrite_failed(&self) -> bool {
        self.rewrite_failed.load(Ordering::Relaxed)
    }

    /// The log that commands are added to.
    #[inline]
    pub(crate) const fn log(&self) -> &Log {
        &self.log
    }
}

/// What ends with the last handle on the store: the log's thread, and the lock of the directory.
pub(crate) struct OpenDirectory {
    directory: Arc<Directory>,
    threads: Vec<JoinHandle<()>>,
    /// Released when all is written.
    _lock: Box<dyn DiskLock>,
}

impl OpenDirectory {
    pub(crate) const fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    fn start(directory: &Arc<Directory>, lock: Box<dyn DiskLock>) -> io::Result<Self> {
        let of_thread = Arc::clone(directory);
        let thread = thread::Builder::new().name("tallis-log".to_owned());
        let thread = thread.spawn(move || of_thread.log.run())?;
        Ok(Self { directory: Arc::clone(directory), threads: vec![thread], _lock: lock })
    }

    /// Lets the log be rewritten when it has grown.
    pub(crate) fn keep_small(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let (directory, shared) = (Arc::clone(&self.directory), Arc::clone(shared));
        let thread = thread::Builder::new().name("tallis-rewrite".to_owned());
        let thread = thread.spawn(move || directory.keep_small(&shared)).map_err(|error| {
            Error::caused(ErrorKind::Io, "cannot start a thread for the log", error)
        })?;
        self.threads.push(thread);
        Ok(())
    }
}

impl fmt::Debug for OpenDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenDirectory").field("path", &self.directory.path).finish_non_exhaustive()
    }
}

impl Drop for OpenDirectory {
    fn drop(&mut self) {
        self.directory.log.close();
        for thread in self.threads.drain(..) {
            // If it has panicked, then that has been told on the error output.
            let _ = thread.join();
        }
    }
}

/// # The directory of a store that was opened
impl<L: Locks> Store<L> {
    /// What was found when the store was opened; `None` for one that is in memory only.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// Store::open(folder.path())?.set("k", "v")?;
    /// let store = Store::open(folder.path())?;
    /// let report = store.open_report().expect("the store was opened");
    /// // SELECT and SET.
    /// assert_eq!(report.commands, 2);
    /// assert_eq!(report.cut, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn open_report(&self) -> Option<&OpenReport> {
        self.shared().directory().map(|directory| &directory.report)
    }

    /// Why the log cannot be written at the moment; `None` if it can, or if there is none.
    #[must_use]
    pub fn log_error(&self) -> Option<Arc<io::Error>> {
        self.shared().directory()?.log.error()
    }

    /// Writes the log and syncs it, whatever [`Fsync`] says: what was done before is on the disk when this returns.
    /// Nothing is done for a store that is in memory only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the disk refuses.
    pub fn sync_log(&self) -> Result<()> {
        self.shared().directory().map_or(Ok(()), |directory| directory.log.sync())
    }
}
