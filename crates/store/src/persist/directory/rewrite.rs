//! Rewriting the log: a new base in the place of what has grown.
//!
//! 1. The next increment is made, empty.
//! 2. The base is written beside the others. When it begins, with every stripe of the store locked, the log is cut: what
//!    comes later goes into the new increment, once that is named in the manifest behind the old ones.
//! 3. The manifest is replaced by one with the new base and the new increment.
//! 4. What the manifest does not name any more is removed.
//!
//! Whatever fails, and wherever the process ends, the manifest names files that hold everything.

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
    /// BGREWRITEAOF, but in this thread: writes a new base of the log, of what the store holds now, and removes the
    /// commands that led there. Nothing is done for a store that is in memory only. O(keys and bytes).
    ///
    /// Writers go on, as beside a [`snapshot`](Self::snapshot), and a second call waits for the first. The log is rewritten by
    /// itself when it has grown as [`Persistence`](crate::Persistence) says. Whatever fails, the old log stays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the disk refuses; [`ErrorKind::Locked`] inside a transaction of the store.
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
        // One that is there is left of a rewrite that failed.
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

    /// Replaces the manifest by one with a new base, and removes what it does not name.
    fn finish(&self, log: &Log, mut next: Manifest, base: &std::path::Path) -> io::Result<()> {
        let files = &self.files;
        let written = files.write_manifest(&next);
        // After an error the disk may have either manifest. The files of both are there, and their names are not used
        // again.
        self.manifest.lock().clone_from(&next);
        written?;
        let size = files.disk.open(base)?.size()?;
        log.has_base(size, self.rewrite_at(size));
        files.clean_up(&mut next);
        *self.manifest.lock() = next;
        Ok(())
    }

    /// How large the base is.
    pub(super) fn base_size(&self) -> io::Result<u64> {
        let manifest = self.manifest.lock();
        let Some(base) = manifest.base() else { return Ok(0) };
        self.files.disk.open(&self.files.of_log(base.name()))?.size()
    }

    /// From how many bytes on a log is to be rewritten whose base has so many.
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
