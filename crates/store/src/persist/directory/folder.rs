//! Read access to the log in a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aof::{Entry, Manifest};

use super::files::Files;
use super::read::{read_manifest, unreadable};
use crate::error::Result;
use crate::persist::disk::{Disk, RealDisk};

/// The append-only log in a directory: its manifest, and the paths of its files. It is not changed.
///
/// [`Store::load`](crate::Store::load) loads it, [`Store::open`](crate::Store::open) opens a store on it.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Store, file::LogFolder};
///
/// let folder = tempfile::tempdir()?;
/// Store::open(folder.path())?.set("k", "v")?;
///
/// let log = LogFolder::find(folder.path())?.expect("there is a manifest");
/// let names: Vec<_> = log.manifest().files().map(|file| file.name()).collect();
/// assert_eq!(names, [&b"appendonly.aof.1.base.rdb"[..], b"appendonly.aof.1.incr.aof"]);
/// assert!(log.manifest().files().all(|file| log.path_of(file).exists()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LogFolder {
    files: Files,
    manifest: Manifest,
}

impl LogFolder {
    /// Finds the log for a directory, which is its own or the one that contains `appendonlydir`. `None` if neither has
    /// a manifest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory or the manifest cannot be read,
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if the manifest is malformed.
    pub fn find(folder: impl AsRef<Path>) -> Result<Option<Self>> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        Self::find_on(&disk, folder.as_ref())
    }

    /// As [`find`](Self::find), on any disk.
    pub(super) fn find_on(disk: &Arc<dyn Disk>, folder: &Path) -> Result<Option<Self>> {
        let files = Files::of_folder(disk, folder).map_err(|error| unreadable(folder, error))?;
        let Some(files) = files else { return Ok(None) };
        let manifest = read_manifest(&files)?.unwrap_or_default();
        Ok(Some(Self { files, manifest }))
    }

    /// Returns the directory of the log itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files.log_folder()
    }

    /// Returns the prefix of its file names: `appendfilename` of the server, by default `appendonly.aof`. To open a
    /// store there, pass it to [`Persistence::log_name`](crate::Persistence::log_name).
    #[must_use]
    pub fn name(&self) -> &str {
        self.files.name()
    }

    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the path of a file of the manifest.
    #[must_use]
    pub fn path_of(&self, file: &Entry) -> PathBuf {
        self.files.of_log(file.name())
    }

    /// The files to load, in order.
    pub(super) fn sources(&self) -> Vec<PathBuf> {
        self.manifest.files().map(|file| self.path_of(file)).collect()
    }
}
