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

/// Refuses to write two things to one place: one file twice, or a file that is standard output, which has the report.
pub(crate) fn check_apart(files: &[&Path]) -> Result<(), Failure> {
    for (at, file) in files.iter().enumerate() {
        let what = if files[..at].iter().any(|other| is_same(other, file)) {
            "it is to be written twice"
        } else if is_standard_output(file) {
            "it is the standard output, which the report is written to"
        } else {
            continue;
        };
        return Err(Failure::Usage(format!("{}: {what}", file.display())));
    }
    Ok(())
}

/// Whether two names are of one file, which need not be there.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|file| {
        fs::canonicalize(file).ok().or_else(|| {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(file.file_name()?))
        })
    });
    one.is_some() && one == other
}

#[cfg(unix)]
fn is_standard_output(file: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let Ok(output) = io::stdout().as_fd().try_clone_to_owned() else { return false };
    match (fs::metadata(file), fs::File::from(output).metadata()) {
        (Ok(file), Ok(output)) => (file.dev(), file.ino()) == (output.dev(), output.ino()),
        _ => false,
    }
}

/// Elsewhere a file is known by its name alone, and standard output has none.
#[cfg(not(unix))]
const fn is_standard_output(_: &Path) -> bool {
    false
}
