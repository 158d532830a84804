//! Atomic replacement of a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::disk::{Disk, DiskFile, RealDisk};

/// The prefix of the name of an incomplete file.
const TEMPORARY: &str = ".tallis-";

/// Its suffix.
const SUFFIX: &str = ".tmp";

/// Writes a file atomically: it gets its name only when it is complete and synced to disk. After an error, an existing
/// file with that name is unchanged.
///
/// `write` receives a new file in the same directory, which is then synced and renamed. If `path` is a symbolic link,
/// its target is replaced.
///
/// # Errors
///
/// The error of `write` or of the disk; [`io::ErrorKind::InvalidInput`] if the path exists and is not a file.
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
    replace(&RealDisk, path.as_ref(), RealDisk::create_file, |file| write(file))
}

/// As [`replace_file`], on any disk.
pub(crate) fn replace_on(
    disk: &dyn Disk,
    path: &Path,
    write: impl FnOnce(&mut Box<dyn DiskFile>) -> io::Result<()>,
) -> io::Result<()> {
    replace(disk, path, |path| disk.create(path), write)
}

fn replace<F: DiskFile>(
    disk: &dyn Disk,
    path: &Path,
    create: impl Fn(&Path) -> io::Result<F>,
    write: impl FnOnce(&mut F) -> io::Result<()>,
) -> io::Result<()> {
    let path = disk.target(path)?;
    let folder = folder_of(&path);
    let (temporary, mut file) = Temporary::create(disk, folder, create)?;
    write(&mut file)?;
    file.sync()?;
    drop(file);
    disk.rename(&temporary.path, &path)?;
    temporary.keep();
    disk.sync_folder(folder)
}

/// The directory of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns whether a name is that of an incomplete file whose process has ended.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(TEMPORARY) && name.ends_with(SUFFIX))
}

/// A file that is removed on drop.
struct Temporary<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
}

impl<'d> Temporary<'d> {
    fn create<F>(
        disk: &'d dyn Disk,
        folder: &Path,
        create: impl Fn(&Path) -> io::Result<F>,
    ) -> io::Result<(Self, F)> {
        /// The number of temporary files of this process so far.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{TEMPORARY}{}-{number}{SUFFIX}", process::id()));
            match create(&path) {
                Ok(file) => return Ok((Self { disk, path }, file)),
                // It is left from a killed process with the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps the file, which has been renamed.
    fn keep(mut self) {
        self.path = PathBuf::new();
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // A remaining file does no harm, and the error cannot be reported.
            let _ = self.disk.remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
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
