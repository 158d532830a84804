//! A snapshot that is taken by a thread of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::beside::Control;
use super::options::SaveOptions;
use super::snapshot_to_file;
use crate::error::{Error, ErrorKind, Result};
use crate::store::Store;

/// A snapshot that a thread of its own takes: see [`Store::snapshot_in_background`].
///
/// Dropping it does not end the snapshot.
#[derive(Debug)]
pub struct BackgroundSave {
    control: Arc<Control>,
    thread: JoinHandle<Result<()>>,
}

/// How far a snapshot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SaveProgress {
    /// How many keys there were when it began; 0 before.
    pub keys: u64,
    /// How many of them are saved, or begun.
    pub saved: u64,
    /// How many bytes are written.
    pub bytes: u64,
}

impl BackgroundSave {
    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> SaveProgress {
        self.control.progress()
    }

    /// Gives it up as soon as may be: an older file of its name stays, and [`wait`](Self::wait) returns an error, unless
    /// the snapshot is already done.
    pub fn cancel(&self) {
        self.control.cancel();
    }

    /// Whether it has ended, well or not.
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
    /// As [`snapshot_with`](Self::snapshot_with), by a thread of its own: returns at once.
    ///
    /// The point in time lies between this call and the first progress that is seen.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`] inside a transaction of the store; [`ErrorKind::Io`] if no thread can be started.
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
