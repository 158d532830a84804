//! Checks of the files to save.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tallis::file::LogFolder;

use crate::failure::Failure;

/// Refuses a file that cannot be saved, before the work begins.
pub(crate) fn check_target(file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(Failure::at(file, &io::ErrorKind::IsADirectory.into()));
    }
    if is_standard_output(file) {
        let what = "standard output is written to this file, and would be overwritten";
        return Err(Failure::Usage(format!("{}: {what}", file.display())));
    }
    let folder = folder_of(file);
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => {
            Err(Failure::at(folder, &io::ErrorKind::NotADirectory.into()))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::at(folder, &error)),
    }
}

/// As [`check_target`], for all files that a command saves, which must all be different.
pub(crate) fn check_targets<'p>(
    files: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), Failure> {
    let mut places: Vec<PathBuf> = Vec::new();
    for file in files {
        check_target(file)?;
        let place = place(file);
        if places.contains(&place) {
            let what = "two outputs would be written to this file";
            return Err(Failure::Usage(format!("{}: {what}", file.display())));
        }
        places.push(place);
    }
    Ok(())
}

/// Refuses a path that cannot be the directory of a store. One that does not exist will be created.
pub(crate) fn check_directory(directory: &Path) -> Result<(), Failure> {
    match fs::metadata(directory) {
        Ok(found) if !found.is_dir() => {
            Err(Failure::at(directory, &io::ErrorKind::NotADirectory.into()))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::at(directory, &error))
        }
        Err(_) => Ok(()),
        Ok(_) => match LogFolder::find(directory) {
            Ok(Some(log)) if log.path() == directory => {
                let what = "this is the directory of a log; --dir takes its parent directory";
                Err(Failure::Usage(format!("{}: {what}", directory.display())))
            }
            // Errors in its log are reported when it is opened.
            Ok(_) | Err(_) => Ok(()),
        },
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the path of a file, with links resolved; it need not exist.
fn place(file: &Path) -> PathBuf {
    let of_folder = || Some(fs::canonicalize(folder_of(file)).ok()?.join(file.file_name()?));
    fs::canonicalize(file).ok().or_else(of_folder).unwrap_or_else(|| file.to_owned())
}

/// Returns whether standard output goes to this file. Saving would replace the file, and lose the printed output.
fn is_standard_output(file: &Path) -> bool {
    let (Ok(found), Some(output)) = (fs::metadata(file), standard_output()) else { return false };
    found.is_file() && is_same(&found, &output)
}

#[cfg(unix)]
fn standard_output() -> Option<Metadata> {
    use std::os::fd::AsFd;
    fs::File::from(io::stdout().as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Unknown on other systems.
#[cfg(not(unix))]
const fn standard_output() -> Option<Metadata> {
    None
}

#[cfg(not(unix))]
const fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_files_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let round = folder.path().join(".").join("one");
        assert!(check_targets([&one, &other]).is_ok());
        let refused = |files: [&PathBuf; 2]| {
            let failure = check_targets(files).unwrap_err();
            assert_eq!(failure.status(), 2);
            matches!(failure, Failure::Usage(what) if what.ends_with("two outputs would be written to this file"))
        };
        assert!(refused([&one, &one]) && refused([&one, &round]));
        // Existing or not.
        fs::write(&one, "").unwrap();
        assert!(refused([&round, &one]));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&one, &other).unwrap();
            assert!(refused([&one, &other]));
        }
    }
}
