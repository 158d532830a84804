//! The files that are to be read.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::failure::Failure;
use crate::pipe::{Pipe, standard_input};
use crate::source::Source;

/// A file that is read.
pub(crate) type Input = Source<Box<dyn io::Read + Send>>;

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    if is_standard_input(path) {
        return Source::new(Box::new(Pipe(standard_input()?)));
    }
    let file = fs::File::open(path)?;
    if file.metadata()?.is_file() {
        return Source::new(Box::new(file));
    }
    Source::new(Box::new(Pipe(file)))
}

pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of all files together, if all of them are plain files. So a name that is wrong is found before the
/// work begins.
pub(crate) fn size_of_files(files: &[PathBuf]) -> Result<Option<u64>, Failure> {
    let mut total = Some(0);
    for file in files {
        if is_standard_input(file) {
            total = None;
            continue;
        }
        let found = fs::metadata(file).map_err(|error| Failure::at(file, &error))?;
        if found.is_dir() {
            return Err(Failure::at(file, &io::ErrorKind::IsADirectory.into()));
        }
        total =
            total.filter(|_| found.is_file()).map(|total: u64| total.saturating_add(found.len()));
    }
    Ok(total)
}
