//! Snapshots in a background thread.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::beside::Control;
use super::options::SaveOptions;
use super::snapshot_to_file;
use crate::error::{Error, ErrorKind, Result};
use crate::store::Store;

/// A snapshot in a background thread: see [`Store::snapshot_in_background`].
///
/// Dropping it does not cancel the snapshot.
#[derive(Debug)]
pub struct BackgroundSave {
    control: Arc<Control>,
    thread: JoinHandle<Result<()>>,
}

/// The progress of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SaveProgress {
    /// The number of keys at its start; 0 before.
    pub keys: u64,
    /// The number of keys that are saved, or partly saved.
    pub saved: u64,
    /// The number of bytes written.
    pub bytes: u64,
}

impl BackgroundSave {
    /// Returns the progress.
    #[must_use]
    pub fn progress(&self) -> SaveProgress {
        self.control.progress()
    }

    /// Cancels the snapshot as soon as possible: an existing file with its name is unchanged, and [`wait`](Self::wait)
    /// returns an error, unless the snapshot is already complete.
    pub fn cancel(&self) {
        self.control.cancel();
    }

    /// Returns whether it has ended, with or without an error.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    ///
    /// As [`Store::snapshot`]; [`ErrorKind::Io`] if it was cancelled.
    ///
    /// # Panics
    ///
    /// If the thread has panicked.
    pub fn wait(self) -> Result<()> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Store {
    /// As [`snapshot_with`](Self::snapshot_with), in a background thread: returns immediately.
    ///
    /// The snapshot's point in time is between this call and the first observed progress.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`] inside a transaction of the store; [`ErrorKind::Io`] if the thread cannot be started.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{SaveOptions, Store};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("dump.rdb");
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// let save = store.snapshot_in_background(&file, SaveOptions::default())?;
    /// store.set("k", "w")?;
    /// save.wait()?;
    /// assert!(file.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot_in_background(
        &self,
        path: impl AsRef<Path>,
        options: SaveOptions,
    ) -> Result<BackgroundSave> {
        self.shared().check_free()?;
        let control = Arc::new(Control::default());
        let (store, watched) = (self.clone(), Arc::clone(&control));
        let path: PathBuf = path.as_ref().to_path_buf();
        let save = move || snapshot_to_file(store.shared(), &path, options, &watched);
        let started = thread::Builder::new().name("tallis-snapshot".to_owned()).spawn(save);
        let thread = started.map_err(|error: io::Error| {
            Error::caused(ErrorKind::Io, format!("cannot start a thread: {error}"), error)
        })?;
        Ok(BackgroundSave { control, thread })
    }
}
