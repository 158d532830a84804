//! Loading and saving files.

use std::path::Path;

use tallis::{LoadOptions, SaveOptions, Store};

use crate::failure::Failure;
use crate::progress::note;

/// Loads a file, or the folder of a log, into a store.
pub(crate) fn load(store: &Store, file: &Path) -> Result<(), Failure> {
    store.load(file).map_err(|error| Failure::of_load(file, &error))
}

/// Loads as much of a file as can be read. An error in the file is printed, and is no failure.
pub(crate) fn salvage(store: &Store, file: &Path) -> Result<(), Failure> {
    let options = LoadOptions { salvage: true, ..LoadOptions::default() };
    let report = store.load_with(file, options);
    let report = report.map_err(|error| Failure::of_load(file, &error))?;
    if let Some(damage) = &report.damage {
        Failure::of_load(file, damage).report();
        let (keys, word) = (report.keys, if report.keys == 1 { "key" } else { "keys" });
        note(format_args!("{}: loaded {keys} {word} from before the damage", file.display()));
    }
    Ok(())
}

/// Saves a store to a file.
pub(crate) fn save(store: &Store, file: &Path) -> Result<(), Failure> {
    save_with(store, file, SaveOptions::default())
}

/// Saves a store to a file with these options.
pub(crate) fn save_with(store: &Store, file: &Path, options: SaveOptions) -> Result<(), Failure> {
    store.save_with(file, options).map_err(|error| Failure::of_store(file, &error))
}

/// Returns the failure for a file with unsuitable contents.
pub(crate) fn unfit(file: &Path, what: &str) -> Failure {
    Failure::Trouble(format!("{}: {what}", file.display()))
}

/// Returns the failure for a file without the requested key.
pub(crate) fn missing(file: &Path, key: &str) -> Failure {
    unfit(file, &format!("the key {key} does not exist"))
}
