//! Reading a snapshot.

mod error;
mod keys;
mod options;
mod threads;

use std::io::Read;
use std::path::Path;

pub use options::{LoadOptions, LoadReport};
use rdb::{ReadOptions, Reader};

use self::error::LoadError;
use self::keys::{Stripes, Tally};
use super::save::{SaveOptions, write_rdb};
use super::{Extras, directory};
use crate::error::{Error, ErrorKind, Result};
use crate::store::scope::Scope;
use crate::store::stripe::Stripe;
use crate::store::{Shared, Store};

impl Store {
    /// Replaces the contents of the store, in every database, with those of a file: any RDB file of Redis up to version
    /// 13, or a newer one or one of Valkey as far as its types are known. O(keys and bytes).
    ///
    /// The file is not trusted: an error in it is returned with its offset, and the store is unchanged. Values of types
    /// without commands, functions, data of modules and clusters, and access frequencies are kept unchanged, to be
    /// saved again. Expired keys and empty collections are skipped. Sinks receive no effects of a load: a replica must
    /// be synchronized again afterwards.
    ///
    /// An append-only log is accepted too: its directory, the directory that contains `appendonlydir`, or a single file
    /// whose name ends in `.aof`, such as the log of a server before Redis 7. A log whose last command is incomplete
    /// counts as damaged, and is not truncated.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be read, [`ErrorKind::Corrupt`] if it is malformed.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        self.load_with(path, LoadOptions::default()).map(drop)
    }

    /// As [`load`](Self::load), with options: the number of threads, whether to verify the checksum, and whether to
    /// load a damaged file as far as possible.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load); for a log also if it contains a command that is not supported, or one on a type without
    /// commands, with its key and offset. With [`LoadOptions::salvage`], only if a file cannot be opened or its first 9
    /// bytes are not those of a known version, or if the manifest of a log is missing or damaged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{LoadOptions, SaveOptions, Store};
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// let mut file = store.save_to(Vec::new(), SaveOptions::default())?;
    /// file.truncate(file.len() - 9);
    /// assert!(store.load_from(&file[..], LoadOptions::default()).is_err());
    ///
    /// let salvage = LoadOptions { salvage: true, ..LoadOptions::default() };
    /// let report = store.load_from(&file[..], salvage)?;
    /// assert_eq!(report.keys, 1);
    /// assert!(report.damage.is_some_and(|error| error.to_string().contains("offset")));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn load_with(&self, path: impl AsRef<Path>, options: LoadOptions) -> Result<LoadReport> {
        let path = path.as_ref();
        let what = format!("cannot load {}", path.display());
        let failed = |error| Error::caused(ErrorKind::Io, format!("{what}: {error}"), error);
        let disk = self.shared().disk();
        if directory::is_log(disk, path) {
            return self.load_log(path, options);
        }
        let file = disk.open(path).map_err(failed)?;
        // A pipe has no length; the reader then detects the end when it reaches it.
        let length = Some(file.size().map_err(failed)?).filter(|&size| size > 0);
        self.load_input(file, length, options, &what)
    }

    /// Replaces the contents of the store with the result of a log.
    fn load_log(&self, path: &Path, options: LoadOptions) -> Result<LoadReport> {
        let shared = self.shared();
        let scratch = Self::of(shared.scratch());
        let report = directory::load(&scratch, path, options)?;
        let Some(scratch) = scratch.into_shared() else {
            unreachable!("the loader keeps no handle on the store")
        };
        let (stripes, extras) = scratch.into_contents();
        replace(shared, stripes, extras)?;
        Ok(report)
    }

    /// Replaces the contents of the store with those of an RDB file, read from `input`.
    ///
    /// Bytes after the end of the file may be read from `input` too.
    ///
    /// # Errors
    ///
    /// As [`load_with`](Self::load_with).
    pub fn load_from(&self, input: impl Read, options: LoadOptions) -> Result<LoadReport> {
        self.load_input(input, None, options, "cannot load")
    }

    fn load_input(
        &self,
        input: impl Read,
        length: Option<u64>,
        options: LoadOptions,
        what: &str,
    ) -> Result<LoadReport> {
        load_into(self.shared(), input, length, options, what).map(|(report, _)| report)
    }
}

/// Replaces the contents of a store with those of a file; also returns the offset in the input at which the file ends.
pub(super) fn load_into(
    shared: &Shared,
    input: impl Read,
    length: Option<u64>,
    options: LoadOptions,
    what: &str,
) -> Result<(LoadReport, u64)> {
    let (stripes, tally, end) = read_all(input, length, options, shared, what)?;
    replace(shared, stripes, tally.extras)?;
    Ok((tally.report, end))
}

/// Replaces the contents of a store with what was loaded, in memory and on its disk.
fn replace(shared: &Shared, stripes: Vec<Stripe>, extras: Extras) -> Result<()> {
    shared.replace_all(stripes, extras);
    shared.directory().map_or(Ok(()), |directory| directory.rewrite(shared))
}

/// Writes every key as in a snapshot, and loads them again.
///
/// # Errors
///
/// A value cannot be represented in the version of the profile; nothing has changed then.
pub(crate) fn reload(scope: &mut Scope<'_>) -> Result<()> {
    let shared = scope.shared();
    let version = Some(shared.profile().dump_version());
    let stripes: Vec<&Stripe> = scope.stripes().collect();
    let options = SaveOptions { version, ..SaveOptions::default() };
    let file = write_rdb(shared, &stripes, Vec::new(), options)
        .map_err(|error| Error::new(ErrorKind::Corrupt, format!("ERR cannot reload: {error}")))?;
    let length = u64::try_from(file.len()).ok();
    let (stripes, tally, _) =
        read_all(&file[..], length, LoadOptions::default(), shared, "ERR cannot reload")?;
    scope.replace_all(stripes, tally.extras);
    Ok(())
}

/// Reads a whole file into stripes that no handle can access yet.
fn read_all(
    input: impl Read,
    length: Option<u64>,
    options: LoadOptions,
    shared: &Shared,
    what: &str,
) -> Result<(Vec<Stripe>, Tally, u64)> {
    let LoadOptions { salvage, checksum, threads } = options;
    let reader = Reader::with_options(input, ReadOptions { length, checksum });
    let mut reader = reader.map_err(|error| LoadError::from(error).into_error(what))?;
    // With salvage the keys before the damage are loaded, an order that several threads do not keep.
    let stripes = Stripes::new(shared, salvage);
    let mut tally = stripes.tally();
    let read = if threads > 1 && !salvage {
        threads::read(&mut reader, &stripes, &mut tally, threads)
    } else {
        read_in_order(&mut reader, &stripes, &mut tally)
    };
    match read.map_err(|error| error.into_error(what)) {
        Err(error) if salvage => tally.report.damage = Some(error),
        read => read?,
    }
    Ok((stripes.into_inner(), tally, reader.offset()))
}

fn read_in_order(
    reader: &mut Reader<impl Read>,
    stripes: &Stripes<'_>,
    tally: &mut Tally,
) -> Result<(), LoadError> {
    let mut db = 0;
    let mut read = || {
        while let Some(record) = reader.next_record()? {
            stripes.read_record(record, reader, &mut db, tally)?;
        }
        Ok(())
    };
    let read: Result<(), LoadError> = read();
    first_of(read, stripes.finish(tally))
}

/// The first error in the file.
fn first_of(a: Result<(), LoadError>, b: Result<(), LoadError>) -> Result<(), LoadError> {
    match (a, b) {
        (Err(a), Err(b)) => Err(if a.offset() <= b.offset() { a } else { b }),
        (a, b) => a.and(b),
    }
}
