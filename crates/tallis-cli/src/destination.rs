//! The destination of a command's store.

use std::path::{Path, PathBuf};

use tallis::file::LogFolder;
use tallis::{CutTail, Fsync, Persistence, SaveOptions, Store, StoreBuilder};

use crate::args::DirectoryArgs;
use crate::failure::Failure;
use crate::interrupt::{interrupted, watch};
use crate::snapshot::save_with;
use crate::target::{check_directory, check_targets};

/// The destination of a command's store: a directory with a log, a file that is saved at the end, both, or none.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    directory: Option<PathBuf>,
    fsync: Fsync,
    file: Option<PathBuf>,
    options: SaveOptions,
}

impl Destination {
    /// Creates it from `--dir`, `--fsync` and `--save`.
    ///
    /// # Errors
    ///
    /// A directory or a file that cannot be written, or a path of another type.
    pub(crate) fn new(args: &DirectoryArgs, save: Option<&PathBuf>) -> Result<Self, Failure> {
        check_targets(save)?;
        if let Some(directory) = &args.dir {
            check_directory(directory)?;
        }
        Ok(Self {
            directory: args.dir.clone(),
            fsync: args.fsync,
            file: save.cloned(),
            options: SaveOptions::default(),
        })
    }

    /// Sets the options for saving the file.
    pub(crate) fn options(mut self, options: SaveOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the directory of the store.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Creates the store, in memory or from the directory. If the log ended in an incomplete command, which was
    /// removed, it reports that.
    pub(crate) fn open(&self, builder: StoreBuilder) -> Result<Store, Failure> {
        let Some(directory) = &self.directory else { return Ok(builder.build()) };
        let mut persistence = Persistence::new().fsync(self.fsync);
        // A server may have given the log another name.
        let log = LogFolder::find(directory).map_err(|error| Failure::of_log(&error))?;
        if let Some(log) = log {
            persistence = persistence.log_name(log.name());
        }
        let store = builder.persistence(persistence).open(directory);
        let store = store.map_err(|error| Failure::of_log(&error))?;
        if let Some(cut) = store.open_report().and_then(|report| report.cut.as_ref()) {
            cut_off(cut).report();
        }
        Ok(store)
    }

    /// Watches for interrupts, if there is something to save.
    pub(crate) fn watch(&self) -> Result<(), Failure> {
        if self.is_none() { Ok(()) } else { watch() }
    }

    /// Returns whether there is no destination.
    pub(crate) const fn is_none(&self) -> bool {
        self.directory.is_none() && self.file.is_none()
    }

    /// Syncs the log and saves the file; returns where the store is.
    ///
    /// # Errors
    ///
    /// A file or directory that cannot be written. The file is saved even if the log cannot be synced.
    pub(crate) fn save(&self, store: &Store) -> Result<Option<&Path>, Failure> {
        let synced = store.sync_log().map_err(|error| self.failed(&error));
        if let Some(file) = &self.file {
            save_with(store, file, self.options)?;
        }
        synced?;
        Ok(self.file.as_deref().or(self.directory()))
    }

    /// Saves as [`save`](Self::save) at an interrupt; returns how the program ends.
    pub(crate) fn save_interrupted(&self, store: &Store) -> Failure {
        match self.save(store) {
            Ok(None) => Failure::Interrupted("interrupted".to_owned()),
            Ok(Some(place)) => {
                Failure::Interrupted(format!("interrupted; saved to {}", place.display()))
            }
            Err(failure) => failure,
        }
    }

    /// Saves as [`save_interrupted`](Self::save_interrupted) if there was an interrupt.
    pub(crate) fn save_if_interrupted(&self, store: &Store) -> Result<(), Failure> {
        if interrupted() { Err(self.save_interrupted(store)) } else { Ok(()) }
    }

    fn failed(&self, error: &tallis::Error) -> Failure {
        self.directory().map_or_else(
            || Failure::Trouble(error.to_string()),
            |directory| Failure::of_store(directory, error),
        )
    }
}

/// Returns the message for a log whose end was cut off.
fn cut_off(cut: &CutTail) -> Failure {
    let CutTail { file, offset, bytes, .. } = cut;
    let what =
        format!("{bytes} bytes cut off after offset {offset}, where a command is incomplete");
    Failure::Trouble(format!("{}: {what}", file.display()))
}
