//! Reading a directory: a snapshot, the commands of a log, or both.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aof::{LogError, LogReader, Manifest};

use super::batch::Batches;
use super::files::{Files, Unread};
use super::folder::LogFolder;
use super::replay::Replay;
use super::report::{CutTail, OpenReport};
use super::settings::Persistence;
use crate::error::{Error, ErrorKind, Result};
use crate::persist::disk::Disk;
use crate::persist::load::{LoadOptions, LoadReport, load_into};
use crate::store::Store;
use crate::sync::thread;

/// Reads the contents of a directory into an empty store; returns the manifest, if there is one. The directory is not
/// changed: `report.cut` says what to truncate.
pub(super) fn read(
    store: &Store,
    files: &Files,
    persistence: &Persistence,
) -> Result<(Option<Manifest>, OpenReport)> {
    let path = files.manifest();
    let manifest = read_manifest(files)?;
    let mut reading = Reading::new(store, &files.disk, LoadOptions::default());
    let sources = match &manifest {
        Some(manifest) => manifest.files().map(|file| files.of_log(file.name())).collect(),
        None if is_there(files, &files.old_log)? => vec![files.old_log.clone()],
        None => Vec::new(),
    };
    if sources.is_empty() && manifest.is_none() {
        if let Some(file) = files.stray().map_err(|error| unreadable(&path, error))? {
            return Err(damaged(
                &path,
                &format_args!("it does not exist, but {} does", file.display()),
            ));
        }
        if is_there(files, &files.dump)? {
            reading.read_snapshot(&files.dump)?;
        }
        return Ok((manifest, reading.report));
    }
    if !persistence.appendonly {
        let text = format!(
            "cannot load {}: the directory has a log, but the log is disabled",
            path.display()
        );
        return Err(Error::new(ErrorKind::InvalidArgument, text));
    }
    reading.read_log(&sources, persistence.load_truncated)?;
    Ok((manifest, reading.report))
}

/// Returns whether a path is that of a log: a directory, or a file whose name ends in `.aof`.
pub(in crate::persist) fn is_log(disk: &dyn Disk, path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "aof") || disk.list(path).is_ok()
}

/// Loads the log in a directory, or a single file of one, into an empty store. With `salvage` it is loaded up to the
/// first error, which is in the report.
pub(in crate::persist) fn load(
    store: &Store,
    path: &Path,
    options: LoadOptions,
) -> Result<LoadReport> {
    let disk = store.shared().disk_arc();
    let sources = if disk.list(path).is_err() {
        vec![path.to_path_buf()]
    } else if let Some(folder) = LogFolder::find_on(disk, path)? {
        folder.sources()
    } else {
        let text = format!("cannot load {}: the directory has no log manifest", path.display());
        return Err(Error::new(ErrorKind::Io, text));
    };
    let mut reading = Reading::new(store, disk, options);
    let damage = match reading.read_log(&sources, false) {
        Err(error) if options.salvage => Some(error),
        read => read.map(|()| reading.damage.take())?,
    };
    let keys = store.databases()?.iter().map(|database| database.keys as u64).sum();
    let report = reading.report;
    let damaged_file = damage.is_some().then(|| report.files.last().cloned()).flatten();
    Ok(LoadReport {
        keys,
        commands: report.commands,
        damage,
        damaged_file,
        ..LoadReport::default()
    })
}

struct Reading<'r> {
    disk: &'r Arc<dyn Disk>,
    store: &'r Store,
    options: LoadOptions,
    replay: Replay,
    report: OpenReport,
    /// The error in a base that was salvaged.
    damage: Option<Error>,
}

impl<'r> Reading<'r> {
    fn new(store: &'r Store, disk: &'r Arc<dyn Disk>, options: LoadOptions) -> Self {
        let (replay, report) = (Replay::new(store.clone()), OpenReport::default());
        Self { disk, store, options, replay, report, damage: None }
    }

    /// Reads the base and the increments.
    fn read_log(&mut self, sources: &[PathBuf], load_truncated: bool) -> Result<()> {
        // A log may have expired keys until it deletes them.
        self.store.shared().set_replaying(true);
        let read = self.read_files(sources, load_truncated);
        self.store.shared().set_replaying(false);
        self.report.commands = self.replay.commands();
        read
    }

    fn read_files(&mut self, sources: &[PathBuf], load_truncated: bool) -> Result<()> {
        for (number, path) in sources.iter().enumerate() {
            let cut = self.read_file(path)?;
            if self.damage.is_some() {
                return Ok(());
            }
            let Some((cut, error)) = cut else { continue };
            // A process that was killed before it wrote to its new file leaves it empty.
            let rest = sources.get(number + 1..).unwrap_or_default();
            if !load_truncated
                || !rest.iter().all(|path| self.size(path).is_ok_and(|size| size == 0))
            {
                return Err(error);
            }
            self.report.cut = Some(cut);
        }
        Ok(())
    }

    fn size(&self, path: &Path) -> io::Result<u64> {
        self.disk.open(path)?.size()
    }

    /// Reads a snapshot alone.
    fn read_snapshot(&mut self, path: &Path) -> Result<()> {
        let file = self.disk.open(path).map_err(|error| unreadable(path, error))?;
        let length = file.size().map_err(|error| unreadable(path, error))?;
        self.report.files.push(path.to_path_buf());
        self.load(path, file, length).map(drop)
    }

    /// Loads the RDB file at the start of a file; returns its end.
    fn load(&mut self, path: &Path, input: impl Read, length: u64) -> Result<u64> {
        let what = format!("cannot load {}", path.display());
        let shared = self.store.shared();
        let (report, end) = load_into(shared, input, Some(length), self.options, &what)?;
        self.report.snapshot_keys += report.keys;
        self.damage = report.damage;
        Ok(end)
    }

    /// Reads a file of the log; returns what to truncate at its end, and the error if that is not allowed.
    fn read_file(&mut self, path: &Path) -> Result<Option<(CutTail, Error)>> {
        self.report.files.push(path.to_path_buf());
        let failed = |error| unreadable(path, error);
        let mut file = self.disk.open(path).map_err(failed)?;
        let length = file.size().map_err(failed)?;
        let mut head = Vec::new();
        (&mut file).take(6).read_to_end(&mut head).map_err(failed)?;
        let mut start = 0;
        if aof::starts_with_rdb(&head) {
            start = self.load(path, head.chain(file), length)?;
            if start >= length || self.damage.is_some() {
                return Ok(None);
            }
            // In the log of an older server, commands follow.
            file = self.disk.open(path).map_err(failed)?;
            io::copy(&mut (&mut file).take(start), &mut io::sink()).map_err(failed)?;
            head = Vec::new();
        }
        self.replay.begin_file();
        let reader = LogReader::new_at(head.chain(file), start);
        let replay = &mut self.replay;
        let ended = thread::scope(|scope| {
            Batches::decode(scope, reader)
                .run(|batch| batch.run(|words, offset| replay.command(words, offset)))
        });
        let (offset, ended) = ended.map_err(|error| not_run(path, &error))?;
        match ended {
            Ok(()) => Ok(None),
            Err(error @ LogError::Torn { .. }) => {
                let cut = CutTail { file: path.to_path_buf(), offset, bytes: length - offset };
                Ok(Some((cut, damaged(path, &error))))
            }
            Err(LogError::Io(error)) => Err(failed(error)),
            Err(error) => Err(damaged(path, &error)),
        }
    }
}

pub(super) fn read_manifest(files: &Files) -> Result<Option<Manifest>> {
    files.read_manifest().map_err(|error| match error {
        Unread::Io(error) => unreadable(&files.manifest(), error),
        Unread::Format(error) => damaged(&files.manifest(), &error),
    })
}

fn is_there(files: &Files, path: &Path) -> Result<bool> {
    match files.disk.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(unreadable(path, error)),
    }
}

#[cold]
pub(super) fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::caused(ErrorKind::Io, format!("cannot load {}: {error}", path.display()), error)
}

#[cold]
fn damaged(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Corrupt, format!("cannot load {}: {error}", path.display()))
}

#[cold]
fn not_run(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("cannot load {}: {error}", path.display()))
}
