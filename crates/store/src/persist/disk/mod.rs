//! The file system under a store: every file that a store reads or writes is accessed through [`Disk`].
//!
//! The default is [`RealDisk`], the file system of the machine. Tests can use another one, which fails, fills up, or
//! loses what was not synced, with [`Persistence::disk`](crate::Persistence::disk).

mod real;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use real::RealDisk;

/// Files and directories, as a store uses them.
///
/// Bytes written to a file are on disk once [`DiskFile::sync`] has returned. A name that was created, changed or
/// removed is on disk once [`sync_folder`](Self::sync_folder) has returned for its directory.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Creates a file for writing.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] if the file exists.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file for appending; creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if it does not exist.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Renames a file in the same directory, replacing an existing file atomically.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a directory and its parents, unless it exists.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Syncs the names in a directory to disk.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns the names in a directory, in any order.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if it does not exist.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Locks an existing directory, until the returned value is dropped or the process ends.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if it is locked, by this process or another.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>>;

    /// Returns the path of the file that is replaced when `path` is written, which differs if `path` is a symbolic
    /// link.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if it exists and is not a file.
    fn target(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

/// A file of a [`Disk`].
pub trait DiskFile: Read + Write + Send + fmt::Debug {
    /// Returns the length of the file, in bytes.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn size(&self) -> io::Result<u64>;

    /// Syncs the file to disk. After an error it is unknown which of the bytes that were not synced before are on disk.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn sync(&self) -> io::Result<()>;

    /// Truncates the file to that many bytes.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn truncate(&self, size: u64) -> io::Result<()>;
}

/// A lock of a [`Disk`], held until it is dropped.
pub trait DiskLock: Send + Sync + fmt::Debug {}

impl<F: DiskFile + ?Sized> DiskFile for Box<F> {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn sync(&self) -> io::Result<()> {
        (**self).sync()
    }

    fn truncate(&self, size: u64) -> io::Result<()> {
        (**self).truncate(size)
    }
}

/// Reads a whole file.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    disk.open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
