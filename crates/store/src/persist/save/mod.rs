//! Writing a snapshot.

mod error;
mod options;
mod snapshot;
mod threads;
mod version;

use std::fs::File;
use std::io::Write;
use std::path::Path;

pub use options::SaveOptions;
pub(super) use options::default_threads;
pub(super) use snapshot::write_rdb;

use self::error::SaveError;
use super::replace::replace_file;
use crate::error::{Error, ErrorKind, Result};
use crate::store::Store;
use crate::store::stripe::Stripe;

impl Store {
    /// Saves every database to a file that Redis 7.0 and later, and every Valkey, can load.
    ///
    /// The state is that of one point in time; writers wait until it is written. The file takes its name only once it
    /// is whole and on the disk: if anything fails, an older file of that name is left as it was. O(keys and bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be written, or if it is not a file.
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

    /// As [`save`](Self::save), with another version of the format, without compression or without checksum.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save); also a value of a type that the version does not have, which is named by its key.
    pub fn save_with(&self, path: impl AsRef<Path>, options: SaveOptions) -> Result<()> {
        let path = path.as_ref();
        let shared = self.shared();
        let mut changes = 0;
        let write = |file: &File| {
            let stripes = shared.read_all();
            changes = shared.changes();
            let stripes: Vec<&Stripe> = stripes.iter().map(|stripe| &**stripe).collect();
            write_rdb(shared, &stripes, file, options).map(drop).map_err(SaveError::into_io)
        };
        replace_file(path, write).map_err(|error| {
            Error::caused(ErrorKind::Io, format!("cannot save {}: {error}", path.display()), error)
        })?;
        shared.saved(changes);
        Ok(())
    }

    /// Writes every database as [`save_with`](Self::save_with) does, to anything that takes bytes, and gives that back.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if it cannot be written, or if the version does not have the type of a value; what was written
    /// until then is no whole file, and every reader refuses it.
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
