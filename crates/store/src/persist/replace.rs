//! A file that is replaced as a whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file that takes its name only once it is whole and on the disk: if anything fails, an older file of that
/// name is left as it was.
///
/// `write` gets a new file in the same folder, which is synced and renamed after it. Where `path` is a link, what it
/// leads to is replaced.
///
/// # Errors
///
/// That of `write`, or of the disk; [`io::ErrorKind::InvalidInput`] if the name is taken by something that is no file.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("sketch");
/// tallis::replace_file(&path, |mut file| file.write_all(b"old"))?;
///
/// let failed = tallis::replace_file(&path, |mut file| {
///     file.write_all(b"ne")?;
///     Err(std::io::Error::other("interrupted"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"old");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn replace_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    let path: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is there, but not as a file"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(".tallis-").suffix(".tmp");
    // With the permissions of any new file: a server may run as another user. The error of the system does not name the
    // temporary file.
    let open = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
    let temporary = temporary.make_in(folder, open)?;
    write(temporary.as_file())?;
    temporary.as_file().sync_all()?;
    temporary.persist(&path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Puts a new name on the disk: on Unix it is there only once its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened, and there is nothing to sync.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace_file(&path, |mut file| file.write_all(b"one")).unwrap();
        replace_file(&path, |mut file| file.write_all(b"two")).unwrap();
        let failed = replace_file(&path, |mut file| {
            file.write_all(b"thr")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "full");
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let taken = replace_file(folder.path(), |_| Ok(())).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn an_error_does_not_name_the_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = replace_file(folder.path().join("none").join("file"), |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), io::Error::from_raw_os_error(2).to_string());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace_file(&link, |mut file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
