//! Where a command leaves its store.

use std::path::{Path, PathBuf};

use tallis::file::LogFolder;
use tallis::{CutTail, Fsync, Persistence, SaveOptions, Store, StoreBuilder};

use crate::args::DirectoryArgs;
use crate::failure::Failure;
use crate::interrupt::{interrupted, watch};
use crate::snapshot::save_with;
use crate::target::{check_directory, check_targets};

/// Where a command leaves its store: in the directory that it is kept in, in a file that is saved at the end, in both,
/// or nowhere.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    directory: Option<PathBuf>,
    fsync: Fsync,
    file: Option<PathBuf>,
    options: SaveOptions,
}

impl Destination {
    /// What `--dir`, `--fsync` and `--save` say.
    ///
    /// # Errors
    ///
    /// A directory or a file that cannot be written, or is none.
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

    /// Saves the file in this way.
    pub(crate) fn options(mut self, options: SaveOptions) -> Self {
        self.options = options;
        self
    }

    /// The directory that the store is kept in.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Makes the store: in memory, or of what the directory holds. If the log in it had an end that was not whole, which
    /// was cut off, then that is reported.
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

    /// Watches for interrupts, if there is something to be written when one comes.
    pub(crate) fn watch(&self) -> Result<(), Failure> {
        if self.is_none() { Ok(()) } else { watch() }
    }

    /// Whether the store is left nowhere.
    pub(crate) const fn is_none(&self) -> bool {
        self.directory.is_none() && self.file.is_none()
    }

    /// Puts the log on the disk and saves the file; returns where the store is now.
    ///
    /// # Errors
    ///
    /// What cannot be written. The file is saved even if the log cannot be.
    pub(crate) fn save(&self, store: &Store) -> Result<Option<&Path>, Failure> {
        let synced = store.sync_log().map_err(|error| self.failed(&error));
        if let Some(file) = &self.file {
            save_with(store, file, self.options)?;
        }
        synced?;
        Ok(self.file.as_deref().or(self.directory()))
    }

    /// The same at an interrupt: how the program ends then.
    pub(crate) fn save_interrupted(&self, store: &Store) -> Failure {
        match self.save(store) {
            Ok(None) => Failure::Interrupted("interrupted".to_owned()),
            Ok(Some(place)) => {
                Failure::Interrupted(format!("interrupted; saved to {}", place.display()))
            }
            Err(failure) => failure,
        }
    }

    /// The same if an interrupt has come.
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

/// What is to be said of a log whose end was cut off.
fn cut_off(cut: &CutTail) -> Failure {
    let CutTail { file, offset, bytes, .. } = cut;
    let what =
        format!("{bytes} bytes cut off behind offset {offset}, where a command is not whole");
    Failure::Trouble(format!("{}: {what}", file.display()))
}
