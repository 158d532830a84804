//! Opening a directory.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use aof::{BaseFormat, Manifest};
use parking_lot::Mutex;

use super::files::Files;
use super::log::Log;
use super::read;
use super::report::OpenReport;
use super::settings::Persistence;
use super::tail::Tail;
use super::{Directory, OpenDirectory};
use crate::error::{Error, ErrorKind, Result};
use crate::persist::replace::replace_on;
use crate::persist::save::write_base;
use crate::store::Store;

/// The file whose lock says that a process holds the directory.
const LOCK: &str = "tallis.lock";

/// Reads a directory into an empty store, and begins to log there. The store keeps no handle on what this returns.
pub(crate) fn open(store: &Store, path: &Path, persistence: &Persistence) -> Result<OpenDirectory> {
    let failed = |error: io::Error| {
        let text = format!("cannot open {}: {error}", path.display());
        Error::caused(ErrorKind::Io, text, error)
    };
    persistence.check()?;
    let files = Files::new(path, persistence);
    files.disk.create_folder(path).map_err(failed)?;
    let lock = files.disk.lock(&path.join(LOCK)).map_err(|error| {
        if error.kind() == io::ErrorKind::WouldBlock {
            let text = format!("cannot open {}: it is open already", path.display());
            return Error::caused(ErrorKind::Io, text, error);
        }
        failed(error)
    })?;
    let (manifest, report) = read::read(store, &files, persistence.load_truncated)?;
    let (manifest, tail) = begin(store, &files, manifest, &report).map_err(failed)?;
    let shared = store.shared();
    shared.saved(shared.changes());
    let log = Log::new(tail, persistence.fsync, persistence.on_log_error);
    let directory = Directory {
        path: path.to_path_buf(),
        files: Arc::new(files),
        manifest: Arc::new(Mutex::new(manifest)),
        rewriting: Mutex::new(()),
        rewrite_failed: AtomicBool::new(false),
        rewrite_percentage: AtomicU32::new(persistence.rewrite_percentage),
        rewrite_min_size: AtomicU64::new(persistence.rewrite_min_size),
        log,
        report,
    };
    let base = directory.base_size().map_err(failed)?;
    directory.log.has_base(base, directory.rewrite_at(base));
    OpenDirectory::start(&Arc::new(directory), lock).map_err(failed)
}

/// Makes the directory ready for new commands, as the store is now: cuts off what is not whole, makes what is not there,
/// and opens the last file.
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
        replace_on(&*files.disk, &base, |file| write_base(store.shared(), file, || ()))?;
        manifest
    };
    let tail = if let Some(last) = manifest.increments().last() {
        let file = files.disk.append(&files.of_log(last.name()))?;
        let len = file.size()?;
        Tail::new(file, len)
    } else {
        let increment = manifest.add_increment(name).map_err(io::Error::other)?;
        // One that is there was begun by a process that was killed before it had named it in the manifest.
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
