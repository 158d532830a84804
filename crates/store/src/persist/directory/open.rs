//! Opening a directory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use aof::{BaseFormat, Manifest};

use super::files::Files;
use super::log::Log;
use super::read;
use super::report::OpenReport;
use super::settings::Persistence;
use super::tail::Tail;
use super::{Background, Directory, OpenDirectory};
use crate::error::{Error, ErrorKind, Result};
use crate::persist::replace::replace_on;
use crate::persist::save::{Control, write_base};
use crate::store::Store;
use crate::sync::Mutex;

/// Reads a directory into an empty store, and starts logging there. The returned value holds no handle on the store.
pub(crate) fn open(store: &Store, path: &Path, persistence: &Persistence) -> Result<OpenDirectory> {
    let failed = |error: io::Error| {
        let text = format!("cannot open {}: {error}", path.display());
        Error::caused(ErrorKind::Io, text, error)
    };
    persistence.check()?;
    let files = Files::new(path, persistence);
    files.disk.create_folder(path).map_err(failed)?;
    let lock = files.disk.lock(path).map_err(|error| {
        if error.kind() == io::ErrorKind::WouldBlock {
            let text = format!("cannot open {}: it is already open", path.display());
            return Error::caused(ErrorKind::Io, text, error);
        }
        failed(error)
    })?;
    let (manifest, report) = read::read(store, &files, persistence)?;
    let shared = store.shared();
    shared.saved(shared.changes());
    let background = Arc::<Background>::default();
    let (manifest, log) = if persistence.appendonly {
        let (manifest, tail) = begin(store, &files, manifest, &report).map_err(failed)?;
        let (fsync, on_error) = (persistence.fsync, persistence.on_log_error);
        (manifest, Some(Log::new(tail, fsync, on_error, Arc::clone(&background))))
    } else {
        files.clean_up(&mut Manifest::new());
        (Manifest::new(), None)
    };
    let directory = Directory {
        path: path.to_path_buf(),
        files: Arc::new(files),
        manifest: Arc::new(Mutex::new(manifest)),
        settings: Mutex::new(persistence.clone()),
        rewriting: Mutex::new(()),
        background,
        log,
        report,
    };
    if let Some(log) = &directory.log {
        let base = directory.base_size().map_err(failed)?;
        log.has_base(base, directory.rewrite_at(base));
    }
    Ok(OpenDirectory::new(Arc::new(directory), lock))
}

/// Prepares the directory for new commands: truncates an incomplete end, creates missing files, and opens the last one.
fn begin(
    store: &Store,
    files: &Files,
    manifest: Option<Manifest>,
    report: &OpenReport,
) -> io::Result<(Manifest, Tail)> {
    if let Some(cut) = &report.cut {
        let file = files.disk.append(&cut.file)?;
        file.truncate(cut.offset)?;
        file.sync()?;
    }
    let name = files.log_name();
    let mut manifest = if let Some(manifest) = manifest {
        manifest
    } else {
        files.create_log_folder()?;
        let mut manifest = Manifest::new();
        let base = manifest.add_base(name, BaseFormat::Rdb).map_err(io::Error::other)?;
        let base = files.of_log(base.name());
        replace_on(&*files.disk, &base, |file| {
            write_base(store.shared(), file, &Control::default(), || ())
        })?;
        manifest
    };
    let tail = if let Some(last) = manifest.increments().last() {
        let file = files.disk.append(&files.of_log(last.name()))?;
        let len = file.size()?;
        Tail::new(file, len)
    } else {
        let increment = manifest.add_increment(name).map_err(io::Error::other)?;
        // An existing file was created by a process that was killed before it was added to the manifest.
        let file = files.disk.append(&files.of_log(increment.name()))?;
        file.truncate(0)?;
        file.sync()?;
        files.sync_log_folder()?;
        files.write_manifest(&manifest)?;
        Tail::new(file, 0)
    };
    files.clean_up(&mut manifest);
    Ok((manifest, tail))
}
