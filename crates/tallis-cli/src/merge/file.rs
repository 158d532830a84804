//! Files to merge: RDB files and frames.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use tallis::wire::{self, HEADER_LEN, Header, MAX_LEN};
use tallis::{Store, replace_file};

use crate::failure::Failure;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    Rdb,
    Frame,
}

/// Reads a file of any format.
pub(super) fn read(path: &Path) -> Result<(Store, Format), Failure> {
    let failed = |error: io::Error| Failure::at(path, &error);
    let mut begin = Vec::with_capacity(HEADER_LEN);
    let file = File::open(path).map_err(failed)?;
    file.take(HEADER_LEN as u64).read_to_end(&mut begin).map_err(failed)?;
    if Header::read(&begin) == Err(wire::Error::BadMagic) {
        let store = Store::new();
        store.load(path)?;
        return Ok((store, Format::Rdb));
    }
    let frame = fs::read(path).map_err(failed)?;
    let store = wire::decode(&frame, MAX_LEN)
        .map_err(|error| Failure::Trouble(format!("{}: {error}", path.display())))?;
    Ok((store, Format::Frame))
}

/// Writes all keys of a store as a frame, to be merged with others.
pub(crate) fn emit(store: &Store, path: &Path) -> Result<(), Failure> {
    let frame = wire::encode(store)
        .map_err(|error| Failure::Trouble(format!("{}: {error}", path.display())))?;
    replace_file(path, |mut file| file.write_all(&frame)).map_err(|error| Failure::at(path, &error))
}
