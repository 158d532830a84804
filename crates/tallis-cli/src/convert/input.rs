//! A file that may have to be read several times.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::files::{Damage, Scan};
use crate::input::{is_standard_input, standard_input};

/// A file that may have to be read several times: standard input is copied to a temporary file then.
#[derive(Debug)]
pub(super) struct Input {
    path: PathBuf,
    copy: Option<File>,
}

impl Input {
    /// `again` is whether it will be read more than once.
    pub(super) fn new(path: &Path, again: bool) -> Result<Self, Failure> {
        let copy = if again && is_standard_input(path) {
            let copied = tempfile::tempfile().and_then(|mut file| {
                io::copy(&mut standard_input()?, &mut file)?;
                Ok(file)
            });
            Some(copied.map_err(|error| Failure::at(path, &error))?)
        } else {
            None
        };
        Ok(Self { path: path.to_owned(), copy })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to read it from the start.
    pub(super) fn open(&self, shown: bool) -> Result<Result<Scan, Damage>, Failure> {
        let Some(copy) = &self.copy else { return Scan::open(&self.path, shown) };
        let rewound = copy.try_clone().and_then(|mut file| {
            file.rewind()?;
            Scan::of_file(file, shown)
        });
        rewound.map_err(|error| Failure::at(&self.path, &error))
    }
}
