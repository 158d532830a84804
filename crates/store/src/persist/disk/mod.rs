//! The disk under a store: every file that a store reads or writes goes through [`Disk`].
//!
//! The disk of the machine is [`RealDisk`], the default. Tests put another one under a store, which fails, fills, or
//! forgets what was not synced, by [`Persistence::disk`](crate::Persistence::disk).

mod real;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use real::RealDisk;

/// Files and folders, as a store uses them.
///
/// What was written to a file is on the disk once [`DiskFile::sync`] has returned. A name that was made, changed or
/// removed is on the disk once [`sync_folder`](Self::sync_folder) has returned for its folder.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Makes a file to be written.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] if the name is taken.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file to be written at its end; makes it if it is not there.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file to be read.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if it is not there.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name in the same folder, and replaces the file that has it, in one step.
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

    /// Makes a folder, and those that it lies in, unless it is there.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Puts the names in a folder on the disk.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// The names in a folder, in any order.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if it is not there.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Locks a folder that is there, until what this returns is dropped or the process ends.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if it is locked, by this process or another.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>>;

    /// The name of the file that is replaced by one that is written at `path`: another one if `path` is a link.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if there is something that is no file.
    fn target(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

/// A file of a [`Disk`].
pub trait DiskFile: Read + Write + Send + fmt::Debug {
    /// How long the file is, in bytes.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn size(&self) -> io::Result<u64>;

    /// Puts what was written on the disk. After an error it is not known what the disk has of what was not synced before.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn sync(&self) -> io::Result<()>;

    /// Cuts the file off behind so many bytes.
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

/// The whole of a file.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    disk.open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
