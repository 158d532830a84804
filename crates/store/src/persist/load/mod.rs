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
    /// Replaces all that the store holds, in every database, by what the file holds: any RDB file of Redis, of
    /// whatever version up to 13, and newer ones and those of Valkey as far as their types are known.
    ///
    /// The file is not trusted: whatever is wrong with it ends in an error that says where, and then the store is as it
    /// was. Values of types that the store does not work on, functions, what modules and clusters store beside the keys
    /// and how often keys were used are kept as they are, to be saved again. Keys that have expired are left out, and
    /// so are those without members. Sinks receive nothing of it: what they keep begins anew with the state after.
    ///
    /// An append-only log does as well: its folder, the folder that its `appendonlydir` lies in, or a single file, whose
    /// name ends in `.aof`, such as the log of a server before Redis 7. Nothing is cut off a log whose last command is not
    /// whole: that is damage.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be read, [`ErrorKind::Corrupt`] if it is not what it should be.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        self.load_with(path, LoadOptions::default()).map(drop)
    }

    /// As [`load`](Self::load), with another number of threads, without a check of the checksum, or of a damaged file
    /// as much as can be read.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load); of a log also a command that is not known, or works on a type that the store does not
    /// work on, with its key and offset. Where a file is to be salvaged, only if it cannot be opened or its first 9 bytes
    /// are not those of a known version; where a log is, if there is no manifest or it is damaged.
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
        // A pipe has no length; the reader then finds the end when it gets there.
        let length = Some(file.size().map_err(failed)?).filter(|&size| size > 0);
        self.load_input(file, length, options, &what)
    }

    /// Replaces all that the store holds by what a log makes.
    fn load_log(&self, path: &Path, options: LoadOptions) -> Result<LoadReport> {
        let shared = self.shared();
        let scratch = Self::of(shared.scratch());
        let report = directory::load(&scratch, path, options)?;
        let Some(scratch) = scratch.into_shared() else {
            unreachable!("what has read the log keeps no handle")
        };
        let (stripes, extras) = scratch.into_contents();
        replace(shared, stripes, extras)?;
        Ok(report)
    }

    /// Replaces all that the store holds by what the bytes of a file hold, from anything that has them.
    ///
    /// What is behind the end of the file in `input` may be read too.
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

/// Replaces all that a store holds by what a file holds; returns where in the input the file ends, too.
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

/// Puts what was loaded in the place of what a store holds, and on its disk.
fn replace(shared: &Shared, stripes: Vec<Stripe>, extras: Extras) -> Result<()> {
    shared.replace_all(stripes, extras);
    shared.directory().map_or(Ok(()), |directory| directory.rewrite(shared))
}

/// Writes every key as a snapshot has it, and reads them again from there.
///
/// # Errors
///
/// That of a value that the version of the profile cannot hold; then nothing has changed.
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

/// Reads a whole file into stripes that no handle sees yet.
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
    // What is salvaged is what comes before the damage: threads do not keep to that order.
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

/// What is wrong first in the file.
fn first_of(a: Result<(), LoadError>, b: Result<(), LoadError>) -> Result<(), LoadError> {
    match (a, b) {
        (Err(a), Err(b)) => Err(if a.offset() <= b.offset() { a } else { b }),
        (a, b) => a.and(b),
    }
}
