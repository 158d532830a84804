//! The file that is to be saved.

use std::path::Path;
use std::{fs, io};

use crate::failure::Failure;

/// Refuses a file that cannot be saved, before the work begins and not after.
pub(crate) fn check_target(file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(Failure::at(file, &io::ErrorKind::IsADirectory.into()));
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => return Ok(()),
    };
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => {
            Err(Failure::at(folder, &io::ErrorKind::NotADirectory.into()))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::at(folder, &error)),
    }
}
