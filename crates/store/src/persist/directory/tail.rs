//! The end of the log's last file, to which commands are appended.

use std::io::{self, Write};

use crate::persist::disk::DiskFile;

/// The file to which commands are appended.
///
/// After a failed write or sync, the contents of the file after the synced bytes are unknown. The file is truncated
/// there before anything else is written, and the rest is written again.
#[derive(Debug)]
pub(super) struct Tail {
    file: Box<dyn DiskFile>,
    /// The length of the file, as far as it was written without an error.
    len: u64,
    /// The number of bytes that are synced.
    synced: u64,
    /// Bytes that are written and not synced, to be written again if the sync fails.
    unsynced: Vec<Vec<u8>>,
    /// Whether the file may have more bytes than `len`.
    damaged: bool,
}

impl Tail {
    /// Wraps a file of that length, which is synced.
    pub(super) const fn new(file: Box<dyn DiskFile>, len: u64) -> Self {
        Self { file, len, synced: len, unsynced: Vec::new(), damaged: false }
    }

    /// The number of bytes in the file.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether all of it is synced.
    pub(super) const fn is_synced(&self) -> bool {
        self.synced == self.len
    }

    /// The number of bytes that are not synced.
    pub(super) const fn unsynced(&self) -> u64 {
        self.len - self.synced
    }

    /// Appends bytes, and keeps them until they are synced, if `keep`.
    ///
    /// # Errors
    ///
    /// The errors of the disk; none of the bytes count as written then, and they are returned.
    pub(super) fn write(&mut self, bytes: Vec<u8>, keep: bool) -> Result<(), (io::Error, Vec<u8>)> {
        let written = self.repair().and_then(|()| self.file.write_all(&bytes));
        if let Err(error) = written {
            self.damaged = true;
            return Err((error, bytes));
        }
        self.len += bytes.len() as u64;
        if keep {
            self.unsynced.push(bytes);
        }
        Ok(())
    }

    /// Syncs the file.
    ///
    /// # Errors
    ///
    /// The errors of the disk; the kept bytes are returned then, to be written again, and count as not written.
    pub(super) fn sync(&mut self) -> Result<(), (io::Error, Vec<u8>)> {
        if self.is_synced() {
            return Ok(());
        }
        match self.file.sync() {
            Ok(()) => {
                self.synced = self.len;
                self.unsynced.clear();
                Ok(())
            }
            Err(error) => {
                let kept = self.unsynced.concat();
                self.unsynced.clear();
                self.len -= kept.len() as u64;
                self.damaged = true;
                Err((error, kept))
            }
        }
    }

    fn repair(&mut self) -> io::Result<()> {
        if self.damaged {
            self.file.truncate(self.len)?;
            self.damaged = false;
        }
        Ok(())
    }
}
