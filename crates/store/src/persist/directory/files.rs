//! The files of a directory, by their names.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aof::{Manifest, ManifestError};

use super::settings::{DUMP, LOG_FOLDER, LOG_NAME, Persistence};
use crate::persist::disk::{self, Disk};
use crate::persist::replace::{is_temporary, replace_on};

/// What the name of a manifest ends with.
const MANIFEST: &str = ".manifest";

/// Whether a name is that of a manifest, and not of one that a server was about to put in its place.
fn is_manifest(name: &str) -> bool {
    name.ends_with(MANIFEST) && !name.starts_with("temp-")
}

/// Where the files of a directory are.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) disk: Arc<dyn Disk>,
    /// The snapshot.
    pub(super) dump: PathBuf,
    /// The log of a server before Redis 7.
    pub(super) old_log: PathBuf,
    /// The folder of the log.
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

    /// The log in a folder: its own, or the one that `appendonlydir` lies in.
    pub(super) fn of_folder(disk: &Arc<dyn Disk>, folder: &Path) -> io::Result<Option<Self>> {
        for folder in [folder.to_path_buf(), folder.join(LOG_FOLDER)] {
            let names = match disk.list(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                names => names?,
            };
            let logs = names.iter().filter_map(|name| {
                name.to_str().filter(|name| is_manifest(name))?.strip_suffix(MANIFEST)
            });
            // Of several that of the usual name.
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

    /// The folder of the log.
    pub(super) fn log_folder(&self) -> &Path {
        &self.log_folder
    }

    /// The name of the log.
    pub(super) fn name(&self) -> &str {
        &self.log_name
    }

    /// What the names of the log's files begin with.
    pub(super) const fn log_name(&self) -> &[u8] {
        self.log_name.as_bytes()
    }

    /// The manifest's own name.
    pub(super) fn manifest(&self) -> PathBuf {
        self.of_log(&Manifest::file_name(self.log_name()))
    }

    /// A file of the log.
    pub(super) fn of_log(&self, name: &[u8]) -> PathBuf {
        self.log_folder.join(String::from_utf8_lossy(name).as_ref())
    }

    /// The manifest, if there is one.
    pub(super) fn read_manifest(&self) -> Result<Option<Manifest>, Unread> {
        match disk::read(&*self.disk, &self.manifest()) {
            Ok(text) => Manifest::parse(&text).map(Some).map_err(Unread::Format),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Unread::Io(error)),
        }
    }

    /// Puts a manifest in the place of the one before, in one step.
    pub(super) fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        let text = manifest.to_bytes();
        replace_on(&*self.disk, &self.manifest(), |file| file.write_all(&text))
    }

    /// A file of a log whose manifest is not there: it was lost, or the log has another name.
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
            // One is empty until the manifest has it.
            if self.disk.open(&path)?.size()? > 0 {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Makes the folder of the log.
    pub(super) fn create_log_folder(&self) -> io::Result<()> {
        self.disk.create_folder(&self.log_folder)?;
        self.log_folder.parent().map_or(Ok(()), |parent| self.disk.sync_folder(parent))
    }

    /// Puts the names of the log's files on the disk.
    pub(super) fn sync_log_folder(&self) -> io::Result<()> {
        self.disk.sync_folder(&self.log_folder)
    }

    /// Removes what is left of files that were not whole when their process ended, and of a log that was rewritten. What
    /// cannot be removed stays.
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
