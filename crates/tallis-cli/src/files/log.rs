//! Append-only logs, converted to RDB files.

use std::fs::File;
use std::io::{self, BufWriter, Seek};
use std::path::Path;

use tallis::{LoadOptions, SaveOptions, Store};

use crate::failure::Failure;

/// Returns whether a path is that of an append-only log, as [`Store::load`] decides it: a folder, or a file whose name
/// ends in `.aof`.
pub(crate) fn is_log(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|ending| ending == "aof")
}

/// Runs the commands of a log, and saves the result to a temporary RDB file. With `salvage` it has what comes before
/// the damage, which is returned too.
pub(crate) fn file_of_log(path: &Path, salvage: bool) -> Result<(File, Option<Failure>), Failure> {
    let store = Store::new();
    let report = store.load_with(path, LoadOptions { salvage, ..LoadOptions::default() });
    let report = report.map_err(|error| Failure::of_log(&error))?;
    let failed = |error: io::Error| Failure::at(path, &error);
    let output = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    let output = store.save_to(output, SaveOptions::default());
    let output = output.map_err(|error| Failure::of_store(path, &error))?;
    let mut file = output.into_inner().map_err(|error| failed(error.into_error()))?;
    file.rewind().map_err(failed)?;
    Ok((file, report.damage.map(|damage| Failure::of_log(&damage))))
}
