//! How a store is kept on disk.

use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

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

impl Fsync {
    const NAMES: [(Self, &str); 3] =
        [(Self::Always, "always"), (Self::EverySecond, "everysec"), (Self::No, "no")];

    /// Redis's name of it, as `appendfsync` has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(fsync, _)| *fsync == self).map_or("", |(_, name)| name)
    }

    /// The one that has this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, other)| *other == name).map(|(fsync, _)| *fsync)
    }
}

/// When a store saves by itself: after so many seconds, if there were so many changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SavePoint {
    pub(super) seconds: u64,
    pub(super) changes: u64,
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
    pub(super) appendonly: bool,
    pub(super) save_points: Vec<SavePoint>,
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
            appendonly: true,
            save_points: Vec::new(),
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

    /// `appendonly`: whether there is a log. Without one the store is what the last snapshot has: `save_after` says when
    /// they are taken, and dropping the last handle takes one. A directory that has a log is then not opened. Default:
    /// there is one.
    pub fn appendonly(mut self, log: bool) -> Self {
        self.appendonly = log;
        self
    }

    /// `save`: saves to `dump.rdb`, while writers go on, when that time has passed since the last save and there were at
    /// least so many changes. Several of them may be given; whichever is due saves. Default: none, since the log has
    /// everything; Redis's are an hour and 1, five minutes and 100, a minute and 10,000.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use std::time::Duration;
    /// use tallis::{Persistence, Store};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let persistence = Persistence::new()
    ///     .appendonly(false)
    ///     .save_after(Duration::from_secs(3600), 1)
    ///     .save_after(Duration::from_secs(300), 100);
    /// let store = Store::builder().persistence(persistence).open(folder.path())?;
    /// store.set("k", "v")?;
    /// drop(store);
    /// assert!(folder.path().join("dump.rdb").exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_after(mut self, time: Duration, changes: u64) -> Self {
        self.save_points.push(SavePoint { seconds: time.as_secs().max(1), changes });
        self
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

    /// The settings of Redis that it has, each as CONFIG GET shows it.
    pub(crate) fn settings(&self) -> [(&'static str, String); 9] {
        let flag = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
        let points =
            self.save_points.iter().map(|point| format!("{} {}", point.seconds, point.changes));
        [
            ("aof-load-truncated", flag(self.load_truncated)),
            ("appenddirname", self.log_folder.clone()),
            ("appendfilename", self.log_name.clone()),
            ("appendfsync", self.fsync.name().to_owned()),
            ("appendonly", flag(self.appendonly)),
            ("auto-aof-rewrite-min-size", self.rewrite_min_size.to_string()),
            ("auto-aof-rewrite-percentage", self.rewrite_percentage.to_string()),
            ("dbfilename", self.dump_name.clone()),
            ("save", points.collect::<Vec<_>>().join(" ")),
        ]
    }

    /// Takes over a setting of Redis, as CONFIG GET shows it, if it is one of them.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        match name {
            "aof-load-truncated" => self.load_truncated = value == "yes",
            "appenddirname" => value.clone_into(&mut self.log_folder),
            "appendfilename" => value.clone_into(&mut self.log_name),
            "appendfsync" => self.fsync = Fsync::from_name(value).unwrap_or(self.fsync),
            "appendonly" => self.appendonly = value == "yes",
            "auto-aof-rewrite-min-size" => {
                self.rewrite_min_size = value.parse().unwrap_or(self.rewrite_min_size);
            }
            "auto-aof-rewrite-percentage" => {
                self.rewrite_percentage = value.parse().unwrap_or(self.rewrite_percentage);
            }
            "dbfilename" => value.clone_into(&mut self.dump_name),
            "save" => {
                let numbers: Vec<u64> =
                    value.split(' ').filter_map(|number| number.parse().ok()).collect();
                let (pairs, _) = numbers.as_chunks::<2>();
                let points = pairs.iter().map(|&[seconds, changes]| SavePoint { seconds, changes });
                self.save_points = points.collect();
            }
            _ => {}
        }
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
