//! An input that may be read several times.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::files::{Damage, Scan, file_of_log, is_log};
use crate::input::{is_standard_input, standard_input};

/// An input that may be read several times: then standard input is copied to a temporary file. A log is run once, and
/// its result is saved to such a file.
#[derive(Debug)]
pub(super) struct Input {
    path: PathBuf,
    copy: Option<File>,
    damage: Option<Failure>,
}

impl Input {
    /// Opens it. `again` is whether it will be read more than once; with `salvage`, damage ends a log without a
    /// failure.
    pub(super) fn new(path: &Path, again: bool, salvage: bool) -> Result<Self, Failure> {
        if is_log(path) {
            let (file, damage) = file_of_log(path, salvage)?;
            return Ok(Self { path: path.to_owned(), copy: Some(file), damage });
        }
        let copy = if again && is_standard_input(path) {
            let copied = tempfile::tempfile().and_then(|mut file| {
                io::copy(&mut standard_input()?, &mut file)?;
                Ok(file)
            });
            Some(copied.map_err(|error| Failure::at(path, &error))?)
        } else {
            None
        };
        Ok(Self { path: path.to_owned(), copy, damage: None })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the damage that ended a salvaged log.
    pub(super) fn into_damage(self) -> Option<Failure> {
        self.damage
    }

    /// Starts reading from the beginning.
    pub(super) fn open(&self, shown: bool) -> Result<Result<Scan, Damage>, Failure> {
        let Some(copy) = &self.copy else { return Scan::open(&self.path, shown) };
        let rewound = copy.try_clone().and_then(|mut file| {
            file.rewind()?;
            Scan::of_file(file, shown)
        });
        rewound.map_err(|error| Failure::at(&self.path, &error))
    }
}
