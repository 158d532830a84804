//! How a store is kept on disk.

use std::path::{Component, Path};
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::persist::disk::{Disk, RealDisk};

/// The folder of the log in a directory, unless it has another name.
pub(super) const LOG_FOLDER: &str = "appendonlydir";

/// What the names of the log's files begin with, unless they have another name.
pub(super) const LOG_NAME: &str = "appendonly.aof";

/// The snapshot in a directory, unless it has another name.
pub(super) const DUMP: &str = "dump.rdb";

/// When what was written to the log is put on the disk: Redis's `appendfsync`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fsync {
    /// Before a command returns. Commands of several threads share a sync. Nothing that was acknowledged is lost.
    Always,
    /// Every second, by a thread of the store's; a command does not wait. A machine that stops loses what was done in
    /// the last second or two, a process that is killed a few hundredths of a second.
    #[default]
    EverySecond,
    /// When the system does, often after half a minute.
    No,
}

/// What happens to commands that write while the log cannot be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OnLogError {
    /// They are refused with Redis's error `MISCONF`, until the log can be written again, which is tried every second.
    #[default]
    RefuseWrites,
    /// They go on in memory. What they change is kept in memory for the log as far as it is not too much, and
    /// [`Store::log_error`](crate::Store::log_error) tells what is wrong.
    GoOn,
}

/// How a store is kept on disk: see [`Store::open`](crate::Store::open).
///
/// The names of the settings of Redis are given with each. The defaults are the append-only log with a sync every second.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Fsync, Persistence, Store};
///
/// let folder = tempfile::tempdir()?;
/// let persistence = Persistence::new().fsync(Fsync::Always);
/// let store = Store::builder().persistence(persistence).open(folder.path())?;
/// store.incr("visits", 1)?;
/// drop(store);
///
/// let store = Store::open(folder.path())?;
/// assert_eq!(store.incr("visits", 1)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Persistence {
    pub(super) fsync: Fsync,
    pub(super) on_log_error: OnLogError,
    pub(super) load_truncated: bool,
    pub(super) rewrite_percentage: u32,
    pub(super) rewrite_min_size: u64,
    pub(super) log_folder: String,
    pub(super) log_name: String,
    pub(super) dump_name: String,
    pub(crate) disk: Arc<dyn Disk>,
}

impl Default for Persistence {
    fn default() -> Self {
        Self {
            fsync: Fsync::default(),
            on_log_error: OnLogError::default(),
            load_truncated: true,
            rewrite_percentage: 100,
            rewrite_min_size: 64 << 20,
            log_folder: LOG_FOLDER.to_owned(),
            log_name: LOG_NAME.to_owned(),
            dump_name: DUMP.to_owned(),
            disk: Arc::new(RealDisk),
        }
    }
}

impl Persistence {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// `appendfsync`: when what was written to the log is put on the disk. Default: every second.
    pub fn fsync(mut self, fsync: Fsync) -> Self {
        self.fsync = fsync;
        self
    }

    /// What happens to commands that write while the log cannot be written. Default: they are refused.
    pub fn on_log_error(mut self, what: OnLogError) -> Self {
        self.on_log_error = what;
        self
    }

    /// `aof-load-truncated`: whether a log whose last command is not whole is cut off behind the command before, as a
    /// process leaves it that was killed while it wrote. Otherwise it is refused. Default: it is cut off.
    pub fn load_truncated(mut self, load: bool) -> Self {
        self.load_truncated = load;
        self
    }

    /// `auto-aof-rewrite-percentage`: by how much the log has grown since it was rewritten last when it is rewritten
    /// anew, in percent of what it was then; 0 if that is left to [`Store::rewrite_log`](crate::Store::rewrite_log).
    /// Default: 100.
    pub fn rewrite_percentage(mut self, percent: u32) -> Self {
        self.rewrite_percentage = percent;
        self
    }

    /// `auto-aof-rewrite-min-size`: how large a log is at least that is rewritten by itself, in bytes. Default: 64 MiB.
    pub fn rewrite_min_size(mut self, bytes: u64) -> Self {
        self.rewrite_min_size = bytes;
        self
    }

    /// `appenddirname`: the folder of the log in the directory. Default: `appendonlydir`.
    pub fn log_folder(mut self, name: impl Into<String>) -> Self {
        self.log_folder = name.into();
        self
    }

    /// `appendfilename`: what the names of the log's files begin with. Default: `appendonly.aof`.
    pub fn log_name(mut self, name: impl Into<String>) -> Self {
        self.log_name = name.into();
        self
    }

    /// `dbfilename`: the name of the snapshot. Default: `dump.rdb`.
    pub fn dump_name(mut self, name: impl Into<String>) -> Self {
        self.dump_name = name.into();
        self
    }

    /// The disk that all files of the store are on. Default: that of the machine.
    pub fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = disk;
        self
    }

    /// An error if a name is none of a file in the directory.
    pub(super) fn check(&self) -> Result<()> {
        for name in [&self.log_folder, &self.log_name, &self.dump_name] {
            let mut parts = Path::new(name).components();
            if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
                let text = format!("'{name}' is not the name of a file in the directory");
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
        }
        Ok(())
    }
}
