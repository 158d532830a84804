//! The file system of the machine.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{Disk, DiskFile, DiskLock};

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RealDisk {
    /// As [`Disk::create`]. With the permissions of any new file, since a server may run as another user.
    pub(in crate::persist) fn create_file(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }
}

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(Self::create_file(path)?))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().append(true).create(true).open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File::open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    /// On other systems a directory cannot be opened, and there is nothing to sync.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Locks the directory itself, which creates no file.
    #[cfg(unix)]
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        lock(File::open(path)?)
    }

    /// On other systems a directory cannot be opened: locks a file in it, which is not removed.
    #[cfg(not(unix))]
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let path = path.join("tallis.lock");
        lock(OpenOptions::new().write(true).create(true).truncate(false).open(path)?)
    }

    fn target(&self, path: &Path) -> io::Result<PathBuf> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let why = "not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(path)
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }
}

fn lock(file: File) -> io::Result<Box<dyn DiskLock>> {
    match file.try_lock() {
        Ok(()) => Ok(Box::new(FileLock { file })),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A file or directory whose lock ends when it is closed, also by the operating system.
#[derive(Debug)]
struct FileLock {
    file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A child process that was just forked has the file open too, until it runs another program.
        let _ = self.file.unlock();
    }
}

impl DiskLock for FileLock {}
