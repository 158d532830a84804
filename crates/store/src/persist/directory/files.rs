//! The paths of the files in a directory.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aof::{Manifest, ManifestError};

use super::settings::{DUMP, LOG_FOLDER, LOG_NAME, Persistence};
use crate::persist::disk::{self, Disk};
use crate::persist::replace::{is_temporary, replace_on};

/// The suffix of a manifest's name.
const MANIFEST: &str = ".manifest";

/// Returns whether a name is that of a manifest, and not of a temporary one of a server.
fn is_manifest(name: &str) -> bool {
    name.ends_with(MANIFEST) && !name.starts_with("temp-")
}

/// The paths of the files in a directory.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) disk: Arc<dyn Disk>,
    /// The snapshot.
    pub(super) dump: PathBuf,
    /// The log of a server before Redis 7.
    pub(super) old_log: PathBuf,
    /// The directory of the log.
    log_folder: PathBuf,
    log_name: String,
}

/// Why a manifest could not be read.
#[derive(Debug)]
pub(super) enum Unread {
    Io(io::Error),
    Format(ManifestError),
}

impl Files {
    pub(super) fn new(directory: &Path, persistence: &Persistence) -> Self {
        Self {
            disk: Arc::clone(&persistence.disk),
            dump: directory.join(&persistence.dump_name),
            old_log: directory.join(&persistence.log_name),
            log_folder: directory.join(&persistence.log_folder),
            log_name: persistence.log_name.clone(),
        }
    }

    /// Finds the log for a directory: its own, or the one that contains `appendonlydir`.
    pub(super) fn of_folder(disk: &Arc<dyn Disk>, folder: &Path) -> io::Result<Option<Self>> {
        for folder in [folder.to_path_buf(), folder.join(LOG_FOLDER)] {
            let names = match disk.list(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                names => names?,
            };
            let logs = names.iter().filter_map(|name| {
                name.to_str().filter(|name| is_manifest(name))?.strip_suffix(MANIFEST)
            });
            // If there are several, the one with the default name is preferred.
            if let Some(log) = logs.min_by_key(|&name| (name != LOG_NAME, name)) {
                return Ok(Some(Self {
                    disk: Arc::clone(disk),
                    dump: folder.join(DUMP),
                    old_log: folder.join(log),
                    log_name: log.to_owned(),
                    log_folder: folder,
                }));
            }
        }
        Ok(None)
    }

    /// The directory of the log.
    pub(super) fn log_folder(&self) -> &Path {
        &self.log_folder
    }

    /// The name of the log.
    pub(super) fn name(&self) -> &str {
        &self.log_name
    }

    /// The prefix of the log's file names.
    pub(super) const fn log_name(&self) -> &[u8] {
        self.log_name.as_bytes()
    }

    /// The path of the manifest.
    pub(super) fn manifest(&self) -> PathBuf {
        self.of_log(&Manifest::file_name(self.log_name()))
    }

    /// The path of a file of the log.
    pub(super) fn of_log(&self, name: &[u8]) -> PathBuf {
        self.log_folder.join(String::from_utf8_lossy(name).as_ref())
    }

    /// Reads the manifest, if it exists.
    pub(super) fn read_manifest(&self) -> Result<Option<Manifest>, Unread> {
        match disk::read(&*self.disk, &self.manifest()) {
            Ok(text) => Manifest::parse(&text).map(Some).map_err(Unread::Format),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Unread::Io(error)),
        }
    }

    /// Replaces the manifest atomically.
    pub(super) fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        let text = manifest.to_bytes();
        replace_on(&*self.disk, &self.manifest(), |file| file.write_all(&text))
    }

    /// Returns a file of a log without a manifest: the manifest was lost, or the log has another name.
    pub(super) fn stray(&self) -> io::Result<Option<PathBuf>> {
        let names = match self.disk.list(&self.log_folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            names => names?,
        };
        let names: Vec<_> = names.iter().filter_map(|name| name.to_str()).collect();
        if let Some(name) = names.iter().find(|name| is_manifest(name)) {
            return Ok(Some(self.log_folder.join(name)));
        }
        for name in names.iter().filter(|name| name.ends_with(".incr.aof")) {
            let path = self.log_folder.join(name);
            // A file is empty until it is in the manifest.
            if self.disk.open(&path)?.size()? > 0 {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Creates the directory of the log.
    pub(super) fn create_log_folder(&self) -> io::Result<()> {
        self.disk.create_folder(&self.log_folder)?;
        self.log_folder.parent().map_or(Ok(()), |parent| self.disk.sync_folder(parent))
    }

    /// Syncs the names of the log's files to disk.
    pub(super) fn sync_log_folder(&self) -> io::Result<()> {
        self.disk.sync_folder(&self.log_folder)
    }

    /// Removes the remains of files that were incomplete when their process ended, and of a log that was rewritten.
    /// Errors are ignored.
    pub(super) fn clean_up(&self, manifest: &mut Manifest) {
        for folder in [self.log_folder.as_path(), self.dump.parent().unwrap_or(Path::new("."))] {
            for name in self.disk.list(folder).unwrap_or_default() {
                if is_temporary(OsStr::new(&name)) {
                    let _ = self.disk.remove(&folder.join(name));
                }
            }
        }
        let old = manifest.take_history();
        if !old.is_empty() && self.write_manifest(manifest).is_ok() {
            for file in old {
                let _ = self.disk.remove(&self.of_log(file.name()));
            }
        }
    }
}
