//! Reading a snapshot.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rdb::{Attributes, ReadOptions, Reader, Record, WriteOptions};

use super::extras::Extras;
use super::save::write_rdb;
use super::value::{self, Fault, Loaded};
use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::store::scope::Scope;
use crate::store::stripe::Stripe;
use crate::store::{Shared, Store};

impl Store {
    /// Replaces all that the store holds, in every database, by what the file holds: any RDB file of Redis, of
    /// whatever version up to 12, and newer ones as far as their types are known.
    ///
    /// The file is not trusted: whatever is wrong with it ends in an error that says where, and then the store is as it
    /// was. Values of types that the store does not work on, functions, and what modules and clusters store beside the
    /// keys are kept as they are, to be saved again. Keys that have expired are left out. Sinks receive nothing of it:
    /// what they keep begins anew with the state after.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the file cannot be read, [`ErrorKind::Corrupt`] if it is not what it should be.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let failed = |error| {
            Error::caused(ErrorKind::Io, format!("cannot load {}: {error}", path.display()), error)
        };
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        // A pipe has no length; the reader then finds the end when it gets there.
        let length = found.is_file().then_some(found.len());
        let options = ReadOptions { length, ..ReadOptions::default() };
        let (stripes, extras) = read_all(file, options, self.shared()).map_err(|error| {
            let text = format!("cannot load {}: {error}", path.display());
            let kind = match &error.fault {
                FileFault::Value(Fault::Bytes(error)) if is_io(error) => ErrorKind::Io,
                FileFault::Value(_) | FileFault::TwiceInFile => ErrorKind::Corrupt,
            };
            Error::caused(kind, text, error)
        })?;
        self.shared().replace_all(stripes, extras);
        Ok(())
    }
}

/// Writes every key as a snapshot has it, and reads them again from there.
///
/// # Errors
///
/// That of a value that the version of the profile cannot hold; then nothing has changed.
pub(crate) fn reload(scope: &mut Scope<'_>) -> Result<()> {
    let shared = scope.shared();
    let options =
        WriteOptions { target: shared.profile().dump_version(), ..WriteOptions::default() };
    let stripes: Vec<&Stripe> = scope.stripes().collect();
    let failed = |why: String| Error::new(ErrorKind::Corrupt, format!("ERR cannot reload: {why}"));
    let file = write_rdb(shared, &stripes, Vec::new(), options);
    let file = file.map_err(|error| failed(error.to_string()))?;
    let length = u64::try_from(file.len()).ok();
    let options = ReadOptions { length, ..ReadOptions::default() };
    let (stripes, extras) =
        read_all(&file[..], options, shared).map_err(|error| failed(error.to_string()))?;
    scope.replace_all(stripes, extras);
    Ok(())
}

/// Reads a whole file into stripes that no handle sees yet.
fn read_all(
    input: impl Read,
    options: ReadOptions,
    shared: &Shared,
) -> Result<(Vec<Stripe>, Extras), LoadError> {
    let mut reader = Reader::with_options(input, options).map_err(LoadError::bytes)?;
    let mut stripes = shared.empty_stripes();
    let mut extras = Extras::default();
    let mut db = 0;
    while let Some(record) = reader.next_record().map_err(LoadError::bytes)? {
        if let Record::SelectDb(number) = record {
            db = number;
        }
        if let Record::Key { key, attributes, .. } = record {
            read_key(&mut reader, &mut stripes, shared, db, &key, attributes)?;
        } else {
            extras.take(db, record);
        }
    }
    Ok((stripes, extras))
}

fn read_key(
    reader: &mut Reader<impl Read>,
    stripes: &mut [Stripe],
    shared: &Shared,
    db: u32,
    key: &[u8],
    attributes: Attributes,
) -> Result<(), LoadError> {
    let at = reader.offset();
    let here = |fault| LoadError { key: Some(key.into()), offset: at, fault };
    let read = reader.value().map_err(Fault::Bytes);
    let value = match read.and_then(|read| value::load(read, shared)) {
        Ok(Loaded::Value(value)) => value,
        Ok(Loaded::Empty) => return Ok(()),
        Err(fault) => return Err(here(FileFault::Value(fault))),
    };
    let now_ms = shared.clock().now_ms();
    if attributes.expire_at_ms.is_some_and(|at| at <= now_ms) {
        return Ok(());
    }
    let idle = attributes.idle_s.and_then(|idle| i64::try_from(idle).ok()).unwrap_or(0);
    let accessed = u32::try_from((now_ms / 1000).saturating_sub(idle)).unwrap_or(0);
    let hashed = HashedKey::new(shared.hash(key), key);
    let stripe = &mut stripes[shared.stripe_of(hashed.hash)];
    if stripe.load(shared, db, hashed, value, attributes.expire_at_ms, accessed) {
        Ok(())
    } else {
        Err(here(FileFault::TwiceInFile))
    }
}

fn is_io(error: &rdb::Error) -> bool {
    matches!(error.kind(), rdb::ErrorKind::Io(_))
}

/// Why a file was refused, and where.
#[derive(Debug)]
struct LoadError {
    key: Option<Box<[u8]>>,
    offset: u64,
    fault: FileFault,
}

#[derive(Debug)]
enum FileFault {
    Value(Fault),
    TwiceInFile,
}

impl LoadError {
    fn bytes(error: rdb::Error) -> Self {
        Self { key: None, offset: error.offset(), fault: FileFault::Value(Fault::Bytes(error)) }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(key) = &self.key {
            write!(f, "key '{}': ", key.escape_ascii())?;
        }
        match &self.fault {
            // It says its own offset, which is the exact one.
            FileFault::Value(Fault::Bytes(error)) => write!(f, "{error}"),
            FileFault::Value(fault) => write!(f, "{fault} at offset {}", self.offset),
            FileFault::TwiceInFile => {
                write!(f, "the key is there twice, at offset {}", self.offset)
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            FileFault::Value(Fault::Bytes(error)) => Some(error),
            FileFault::Value(Fault::IntSet(error)) => Some(error),
            FileFault::Value(Fault::ListPack(error)) => Some(error),
            FileFault::Value(Fault::Bloom(error)) => Some(error),
            FileFault::Value(_) | FileFault::TwiceInFile => None,
        }
    }
}
