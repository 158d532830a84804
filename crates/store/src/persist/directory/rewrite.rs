//! Rewriting the log: a new base replaces the commands so far.
//!
//! 1. The next increment is created, empty.
//! 2. The base is written to a new file. At its start, with every stripe of the store locked, the log is switched:
//!    later effects go to the new increment, once that is in the manifest after the old ones.
//! 3. The manifest is replaced by one with the new base and the new increment.
//! 4. Files that are no longer in the manifest are removed.
//!
//! At each step, also after an error or a crash, the files in the manifest contain all data.

use std::io;
use std::sync::Arc;

use aof::{BaseFormat, Manifest};

use super::Directory;
use super::background::Task;
use super::log::Log;
use super::tail::Tail;
use crate::error::{Error, ErrorKind, Result};
use crate::persist::replace::replace_on;
use crate::persist::save::{Control, write_base};
use crate::store::{Locks, Shared, Store};

/// # Rewriting the log
impl<L: Locks> Store<L> {
    /// BGREWRITEAOF in the current thread: writes a new base of the log with the current contents of the store, and
    /// removes the commands that led to them. Does nothing for a store in memory only. O(keys and bytes).
    ///
    /// Other threads can write meanwhile, as during a [`snapshot`](Self::snapshot), and a second call waits for the
    /// first. The log is also rewritten automatically when it has grown as [`Persistence`](crate::Persistence) defines.
    /// After an error the old log is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the disk returns an error; [`ErrorKind::Locked`] inside a transaction of the store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Store::open(folder.path())?;
    /// for _ in 0..1000 {
    ///     store.incr("visits", 1)?;
    /// }
    /// store.rewrite_log()?;
    /// drop(store);
    ///
    /// let store = Store::open(folder.path())?;
    /// let report = store.open_report().expect("the store was opened");
    /// assert_eq!((report.snapshot_keys, report.commands), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rewrite_log(&self) -> Result<()> {
        let shared = self.shared();
        shared.check_free()?;
        shared.directory().map_or(Ok(()), |directory| directory.rewrite(shared))
    }
}

impl Directory {
    /// Rewrites the log of a store whose locks this thread does not hold; waits while another thread does so.
    pub(crate) fn rewrite(&self, shared: &Shared) -> Result<()> {
        if self.log.is_none() {
            return Ok(());
        }
        let _rewriting = self.rewriting.lock();
        self.background.run(Task::Rewrite, |control| self.try_rewrite(shared, control))
    }

    pub(super) fn try_rewrite(&self, shared: &Shared, control: &Control) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        self.write_anew(log, shared, control).map_err(|error| {
            log.has_no_base();
            let text = format!("cannot rewrite the log in {}: {error}", self.path.display());
            Error::caused(ErrorKind::Io, text, error)
        })
    }

    fn write_anew(&self, log: &Log, shared: &Shared, control: &Control) -> io::Result<()> {
        log.end_cut()?;
        let (files, name) = (&self.files, self.files.log_name());
        let mut next = self.manifest.lock().clone();
        let increment = next.add_increment(name).map_err(io::Error::other)?;
        let increment = files.of_log(increment.name());
        let file = files.disk.append(&increment)?;
        // An existing file is left from a rewrite that failed.
        file.truncate(0)?;
        file.sync()?;
        files.sync_log_folder()?;

        let listed = next.clone();
        let base = next.add_base(name, BaseFormat::Rdb).map_err(io::Error::other)?;
        let base = files.of_log(base.name());
        let mut begin = Some((Tail::new(file, 0), listed));
        replace_on(&*files.disk, &base, |output| {
            write_base(shared, output, control, || {
                if let Some((tail, listed)) = begin.take() {
                    let (files, manifest) = (Arc::clone(&self.files), Arc::clone(&self.manifest));
                    log.cut(tail, move || {
                        files.write_manifest(&listed)?;
                        manifest.lock().clone_from(&listed);
                        Ok(())
                    });
                }
            })
        })?;
        log.pass_cut()?;
        next.retire_increments(1);
        self.finish(log, next, &base)
    }

    /// Replaces the manifest by one with a new base, and removes the files that are no longer in it.
    fn finish(&self, log: &Log, mut next: Manifest, base: &std::path::Path) -> io::Result<()> {
        let files = &self.files;
        let written = files.write_manifest(&next);
        // After an error the disk may have either manifest. The files of both exist, and their names are not used
        // again.
        self.manifest.lock().clone_from(&next);
        written?;
        let size = files.disk.open(base)?.size()?;
        log.has_base(size, self.rewrite_at(size));
        files.clean_up(&mut next);
        *self.manifest.lock() = next;
        Ok(())
    }

    /// The size of the base, in bytes.
    pub(super) fn base_size(&self) -> io::Result<u64> {
        let manifest = self.manifest.lock();
        let Some(base) = manifest.base() else { return Ok(0) };
        self.files.disk.open(&self.files.of_log(base.name()))?.size()
    }

    /// The size in bytes at which a log with a base of that size is rewritten.
    pub(super) fn rewrite_at(&self, base: u64) -> u64 {
        let settings = self.settings.lock();
        let (percentage, least) = (settings.rewrite_percentage, settings.rewrite_min_size);
        if percentage == 0 {
            return u64::MAX;
        }
        let grown = u128::from(base) * (100 + u128::from(percentage)) / 100;
        let grown = u64::try_from(grown).unwrap_or(u64::MAX);
        grown.max(least)
    }
}
