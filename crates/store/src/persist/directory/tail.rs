//! The end of the log's last file, where commands are added.

use std::io::{self, Write};

use crate::persist::disk::DiskFile;

/// The file that commands are added to.
///
/// What a file holds behind the bytes that were synced is not known after a write or sync that failed. It is cut
/// off there before anything else is written, and what came behind is written again.
#[derive(Debug)]
pub(super) struct Tail {
    file: Box<dyn DiskFile>,
    /// How long the file is, as far as it was written without an error.
    len: u64,
    /// How much of it has been synced.
    synced: u64,
    /// What was written and not synced, to be written again if that fails.
    unsynced: Vec<Vec<u8>>,
    /// Whether there may be more bytes than `len`.
    damaged: bool,
}

impl Tail {
    /// A file that holds so many bytes, all of them synced.
    pub(super) const fn new(file: Box<dyn DiskFile>, len: u64) -> Self {
        Self { file, len, synced: len, unsynced: Vec::new(), damaged: false }
    }

    /// Bytes in the file.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Whether all of it has been synced.
    pub(super) const fn is_synced(&self) -> bool {
        self.synced == self.len
    }

    /// Bytes that were not synced.
    pub(super) const fn unsynced(&self) -> u64 {
        self.len - self.synced
    }

    /// Adds bytes, and keeps them until they are synced, if `keep` says so.
    ///
    /// # Errors
    ///
    /// Those of the disk; then none of the bytes count as written, and they are given back.
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

    /// Puts on the disk what was written.
    ///
    /// # Errors
    ///
    /// Those of the disk; then what was kept is given back, to be written again, and counts as not written.
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
