//! Writing a snapshot.

mod background;
mod beside;
mod bytes;
mod error;
mod large;
mod options;
mod records;
mod snapshot;
mod threads;
mod version;

use std::io::{self, Write};
use std::path::Path;

pub use background::{BackgroundSave, SaveProgress};
pub(crate) use error::SaveError;
pub use options::SaveOptions;
pub(super) use options::default_threads;
pub(crate) use records::Records;
pub(super) use snapshot::write_rdb;
pub(super) use version::has_form;

pub(crate) use self::beside::Control;
use self::beside::write_beside;
use super::disk::DiskFile;
use super::replace::replace_on;
use crate::error::{Error, ErrorKind, Result};
use crate::store::stripe::Stripe;
use crate::store::{Shared, Store};

/// Writes the base of a log: every database, as it is when `at_cut` is called, while no command runs.
pub(super) fn write_base(
    shared: &Shared,
    output: impl Write,
    control: &Control,
    at_cut: impl FnOnce(),
) -> io::Result<()> {
    let options = SaveOptions::default();
    let at_cut = || {
        at_cut();
        Ok(())
    };
    let written = write_beside(shared, output, options, true, control, at_cut);
    written.map(drop).map_err(SaveError::into_io)
}

impl Store {
    /// Saves every database to a file that Redis 7.0 and later, and every Valkey, can load.
    ///
    /// The snapshot is of one point in time; writers wait until it is written. The file is replaced atomically: it gets
    /// its name only when it is complete and synced, and after an error an existing file is unchanged. O(keys and
    /// bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be written, or the path is not that of a file.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("dump.rdb");
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// store.save(&file)?;
    ///
    /// let again = Store::new();
    /// again.load(&file)?;
    /// assert_eq!(again.scard("s")?, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::default())
    }

    /// As [`save`](Self::save), with options: another version of the format, no compression, or no checksum.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save); also if the version cannot represent a value, whose key is in the error.
    pub fn save_with(&self, path: impl AsRef<Path>, options: SaveOptions) -> Result<()> {
        let path = path.as_ref();
        let shared = self.shared();
        let mut changes = 0;
        let write = |file: &mut Box<dyn DiskFile>| {
            let stripes = shared.read_all();
            changes = shared.changes();
            let stripes: Vec<&Stripe> = stripes.iter().map(|stripe| &**stripe).collect();
            write_rdb(shared, &stripes, file, options).map(drop).map_err(SaveError::into_io)
        };
        replace_on(shared.disk(), path, write).map_err(|error| {
            Error::caused(ErrorKind::Io, format!("cannot save {}: {error}", path.display()), error)
        })?;
        shared.saved(changes);
        Ok(())
    }

    /// Saves every database to a file that Redis 7.0 and later, and every Valkey, can load, concurrently with writers:
    /// they wait at most for the copy of a small value or of a part of a large one.
    ///
    /// The snapshot is of one point in time: old forms of values that change meanwhile are kept in memory until they
    /// are in the file. Snapshots of one store run one after the other. The file is replaced atomically, as by
    /// [`save`](Self::save). O(keys and bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be written, or the path is not that of a file; [`ErrorKind::Locked`] inside
    /// a transaction of the store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("dump.rdb");
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// store.snapshot(&file)?;
    ///
    /// let again = Store::new();
    /// again.load(&file)?;
    /// assert_eq!(again.scard("s")?, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.snapshot_with(path, SaveOptions::default())
    }

    /// As [`snapshot`](Self::snapshot), with options: another version of the format, no compression, or no checksum. It
    /// is written by one thread, with any [`SaveOptions::threads`].
    ///
    /// If no version is given, it is one that has every type of value that a file or a payload has brought, even if
    /// these values no longer exist.
    ///
    /// # Errors
    ///
    /// As [`snapshot`](Self::snapshot); also if the version cannot represent a value.
    pub fn snapshot_with(&self, path: impl AsRef<Path>, options: SaveOptions) -> Result<()> {
        self.shared().check_free()?;
        snapshot_to_file(self.shared(), path.as_ref(), options, &Control::default())
    }

    /// Writes a snapshot of every database, as [`snapshot_with`](Self::snapshot_with) does, to any writer, and returns
    /// the writer.
    ///
    /// # Errors
    ///
    /// As [`save_to`](Self::save_to); [`ErrorKind::Locked`] inside a transaction of the store.
    pub fn snapshot_to<W: Write>(&self, output: W, options: SaveOptions) -> Result<W> {
        let shared = self.shared();
        shared.check_free()?;
        let written = write_beside(shared, output, options, false, &Control::default(), || Ok(()));
        match written {
            Ok((output, _)) => Ok(output),
            Err(error) => Err(Error::caused(ErrorKind::Io, format!("cannot save: {error}"), error)),
        }
    }

    /// Writes every database, as [`save_with`](Self::save_with) does, to any writer, and returns the writer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if writing fails, or the version cannot represent a value; the bytes written until then are an
    /// incomplete file, which every reader refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{LoadOptions, SaveOptions, Store};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// let bytes = store.save_to(Vec::new(), SaveOptions::default())?;
    ///
    /// let again = Store::new();
    /// assert_eq!(again.load_from(&bytes[..], LoadOptions::default())?.keys, 1);
    /// assert_eq!(again.scard("s")?, 3);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn save_to<W: Write>(&self, output: W, options: SaveOptions) -> Result<W> {
        let shared = self.shared();
        let stripes = shared.read_all();
        let stripes: Vec<&Stripe> = stripes.iter().map(|stripe| &**stripe).collect();
        write_rdb(shared, &stripes, output, options)
            .map_err(|error| Error::caused(ErrorKind::Io, format!("cannot save: {error}"), error))
    }
}

/// Saves a snapshot of the time of the call to a file.
pub(super) fn snapshot_to_file(
    shared: &Shared,
    path: &Path,
    options: SaveOptions,
    control: &Control,
) -> Result<()> {
    let mut changes = 0;
    let write = |file: &mut Box<dyn DiskFile>| {
        let written = write_beside(shared, file, options, false, control, || Ok(()));
        changes = written.map_err(SaveError::into_io)?.1;
        Ok(())
    };
    replace_on(shared.disk(), path, write).map_err(|error| {
        Error::caused(ErrorKind::Io, format!("cannot save {}: {error}", path.display()), error)
    })?;
    shared.saved(changes);
    Ok(())
}
