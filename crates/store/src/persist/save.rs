//! Writing a snapshot.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use rdb::{Attributes, StandardAux, WriteError, WriteOptions, Writer};

use super::replace::replace_file;
use super::value;
use crate::error::{Error, ErrorKind, Result};
use crate::store::stripe::{Keyspace, Stripe};
use crate::store::{Shared, Store};
use crate::table::keys::KeyBucket;

/// The version that a snapshot names as its writer: the oldest Redis that reads the default version of the format.
const REDIS_VER: &str = "7.0.0";

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
        self.save_with(path, WriteOptions::default())
    }

    /// As [`save`](Self::save), with another version of the format, without compression or without checksum.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save); also a value of a type that the version does not have.
    pub fn save_with(&self, path: impl AsRef<Path>, options: WriteOptions) -> Result<()> {
        let path = path.as_ref();
        let shared = self.shared();
        let mut changes = 0;
        let write = |file: &File| {
            let stripes = shared.read_all();
            changes = shared.changes();
            let stripes: Vec<&Stripe> = stripes.iter().map(|stripe| &**stripe).collect();
            write_rdb(shared, &stripes, file, options).map(drop).map_err(into_io)
        };
        replace_file(path, write).map_err(|error| {
            Error::caused(ErrorKind::Io, format!("cannot save {}: {error}", path.display()), error)
        })?;
        shared.saved(changes);
        Ok(())
    }
}

/// Writes the snapshot to anything that takes bytes.
pub(super) fn write_rdb<W: Write>(
    shared: &Shared,
    stripes: &[&Stripe],
    output: W,
    options: WriteOptions,
) -> Result<W, WriteError> {
    let mut writer = Writer::new(output, options)?;
    writer.standard_aux(&StandardAux {
        redis_ver: REDIS_VER,
        ctime_s: shared.clock().now_ms() / 1000,
        used_mem: stripes.iter().map(|stripe| stripe.heap_bytes() as u64).sum(),
        aof_base: false,
    })?;
    let extras = shared.extras().read();
    extras.write_before(&mut writer)?;
    let mut databases: Vec<u32> = stripes.iter().flat_map(|stripe| stripe.databases()).collect();
    databases.sort_unstable();
    databases.dedup();
    for db in databases {
        write_database(&mut writer, db, stripes, |writer| {
            extras.write_db(writer, db, options.target)
        })?;
    }
    extras.write_after(&mut writer)?;
    writer.finish()
}

fn write_database<W: Write>(
    writer: &mut Writer<W>,
    db: u32,
    stripes: &[&Stripe],
    write_hints: impl FnOnce(&mut Writer<W>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let buckets =
        || stripes.iter().filter_map(|stripe| stripe.keyspace(db)).flat_map(Keyspace::buckets);
    writer.select_db(db)?;
    let keys: usize =
        stripes.iter().filter_map(|stripe| stripe.keyspace(db)).map(Keyspace::len).sum();
    let expires: usize = buckets().map(KeyBucket::expiring).sum();
    writer.resize_db(keys as u64, expires as u64)?;
    write_hints(writer)?;
    for bucket in buckets() {
        for (entry, expire_at_ms) in bucket.iter() {
            let attributes = Attributes { expire_at_ms, ..Attributes::default() };
            value::write(&entry.value, writer.key(entry.key.as_bytes(), attributes))?;
        }
    }
    Ok(())
}

fn into_io(error: WriteError) -> io::Error {
    if let WriteError::Io(error) = error { error } else { io::Error::other(error) }
}
