//! A store on disk: a directory with a snapshot and an append-only log, in the layout of Redis 7.
//!
//! [`open`] reads the directory, [`replay`] runs the commands of a log, [`log`] receives the effects of new commands,
//! and [`tail`] appends them to the last file.

mod background;
mod batch;
mod cut;
mod files;
mod folder;
mod group;
mod log;
mod open;
mod read;
mod replay;
mod report;
mod rewrite;
mod rounds;
mod save;
mod settings;
mod tail;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

use aof::Manifest;

pub use folder::LogFolder;
pub use report::{CutTail, OpenReport};
pub use settings::{Fsync, OnLogError, Persistence};

pub(crate) use self::background::{Asked, Background, Task};
pub(crate) use self::log::Log;
pub(crate) use open::open;
pub(super) use read::{is_log, load};

use self::files::Files;
use super::disk::DiskLock;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Locks, Shared, Store};
use crate::sync::Mutex;
use crate::sync::thread::{self, JoinHandle};

/// The directory of a store.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    files: Arc<Files>,
    /// The manifest as last written.
    manifest: Arc<Mutex<Manifest>>,
    /// The settings with which it was opened, with changes by CONFIG SET.
    settings: Mutex<Persistence>,
    /// Locked while the log is rewritten.
    rewriting: Mutex<()>,
    background: Arc<Background>,
    /// `None` if there are only snapshots.
    log: Option<Log>,
    report: OpenReport,
}

impl Directory {
    /// The append-only log.
    #[inline]
    pub(crate) const fn log(&self) -> Option<&Log> {
        self.log.as_ref()
    }

    /// The background thread for saves and rewrites.
    pub(crate) fn background(&self) -> &Background {
        &self.background
    }

    /// The report of opening it.
    pub(crate) const fn report(&self) -> &OpenReport {
        &self.report
    }

    /// Changes a setting, after CONFIG SET.
    pub(crate) fn set(&self, name: &str, value: &str) {
        let mut settings = self.settings.lock();
        settings.set(name, value);
        let fsync = settings.fsync;
        drop(settings);
        if let Some(log) = &self.log {
            log.set_fsync(fsync);
            let [_, base, _] = log.sizes();
            log.set_rewrite_at(self.rewrite_at(base));
        }
        self.background.wake();
    }
}

/// What ends with the last handle on the store: the log's thread, and the lock of the directory.
pub(crate) struct OpenDirectory {
    directory: Arc<Directory>,
    threads: Vec<JoinHandle<()>>,
    /// Released when everything is written.
    _lock: Box<dyn DiskLock>,
}

impl OpenDirectory {
    pub(crate) const fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    const fn new(directory: Arc<Directory>, lock: Box<dyn DiskLock>) -> Self {
        Self { directory, threads: Vec::new(), _lock: lock }
    }

    /// Starts writing the log, and saves and rewrites when they are due.
    pub(crate) fn start(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let (directory, shared) = (Arc::clone(&self.directory), Arc::clone(shared));
        self.spawn("tallis-keeper", move || directory.work(&shared))?;
        let directory = Arc::clone(&self.directory);
        self.spawn("tallis-log", move || directory.log.iter().for_each(Log::run))
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(|error| {
            Error::caused(ErrorKind::Io, format!("cannot start a thread: {error}"), error)
        })?);
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
        // The first thread may still add to the log, which the second one writes.
        self.directory.background.close();
        for thread in self.threads.drain(..) {
            // A panic of the thread was already reported on standard error.
            let _ = thread.join();
            self.directory.log.iter().for_each(Log::close);
        }
    }
}

/// # The directory of an opened store
impl<L: Locks> Store<L> {
    /// Returns what was read when the store was opened; `None` for a store in memory only.
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

    /// Returns the error because of which the log cannot be written at present; `None` if it can be written, or there
    /// is none.
    #[must_use]
    pub fn log_error(&self) -> Option<Arc<io::Error>> {
        self.shared().directory()?.log.as_ref()?.error()
    }

    /// Writes and syncs the log, with any [`Fsync`] policy: earlier changes are on disk when this returns. Does nothing
    /// for a store in memory only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the disk returns an error.
    pub fn sync_log(&self) -> Result<()> {
        self.shared().log().map_or(Ok(()), Log::sync)
    }
}
