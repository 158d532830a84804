//! The settings of a store on disk.

use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::persist::disk::{Disk, RealDisk};

/// The default name of the log's directory.
pub(super) const LOG_FOLDER: &str = "appendonlydir";

/// The default prefix of the log's file names.
pub(super) const LOG_NAME: &str = "appendonly.aof";

/// The default name of the snapshot.
pub(super) const DUMP: &str = "dump.rdb";

/// When the log is synced to disk: Redis's `appendfsync`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fsync {
    /// Before a command returns. Commands of several threads share a sync. No acknowledged change is lost.
    Always,
    /// Every second, in a background thread; commands do not wait. A crash of the machine loses the last one or two
    /// seconds, a killed process a few hundredths of a second.
    #[default]
    EverySecond,
    /// When the operating system decides to, often after 30 seconds.
    No,
}

/// What happens to writes while the log cannot be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OnLogError {
    /// They fail with Redis's error `MISCONF`, until the log can be written again, which is tried every second.
    #[default]
    RefuseWrites,
    /// They continue in memory. Their effects are kept in memory for the log, up to a limit, and
    /// [`Store::log_error`](crate::Store::log_error) returns the error.
    GoOn,
}

impl Fsync {
    const NAMES: [(Self, &str); 3] =
        [(Self::Always, "always"), (Self::EverySecond, "everysec"), (Self::No, "no")];

    /// Returns the name, as in Redis's `appendfsync`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(fsync, _)| *fsync == self).map_or("", |(_, name)| name)
    }

    /// Returns the policy with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, other)| *other == name).map(|(fsync, _)| *fsync)
    }
}

/// When a store saves automatically: after that many seconds, if there were that many changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SavePoint {
    pub(super) seconds: u64,
    pub(super) changes: u64,
}

/// How a store is kept on disk: see [`Store::open`](crate::Store::open).
///
/// The corresponding settings of Redis are given for each method. Default: an append-only log that is synced every
/// second.
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
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// `appendonly`: sets whether there is a log. Without one only snapshots are kept: `save_after` sets when they are
    /// taken, and dropping the last handle takes one. A directory with a log is then not opened. Default: true.
    pub fn appendonly(mut self, log: bool) -> Self {
        self.appendonly = log;
        self
    }

    /// `save`: saves to `dump.rdb`, concurrently with writers, when that time has passed since the last save and there
    /// were at least that many changes. May be called several times; a save starts when any of them is due. Default:
    /// none, since the log has all changes. Redis's defaults are 1 hour and 1 change, 5 minutes and 100, 1 minute and
    /// 10,000.
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

    /// `appendfsync`: sets when the log is synced to disk. Default: every second.
    pub fn fsync(mut self, fsync: Fsync) -> Self {
        self.fsync = fsync;
        self
    }

    /// Sets what happens to writes while the log cannot be written. Default: they are refused.
    pub fn on_log_error(mut self, what: OnLogError) -> Self {
        self.on_log_error = what;
        self
    }

    /// `aof-load-truncated`: sets whether an incomplete last command, as left by a process that was killed while it
    /// wrote, is truncated. Otherwise the log is refused. Default: true.
    pub fn load_truncated(mut self, load: bool) -> Self {
        self.load_truncated = load;
        self
    }

    /// `auto-aof-rewrite-percentage`: sets the growth since the last rewrite, in percent of the size then, at which the
    /// log is rewritten; 0 disables that, see [`Store::rewrite_log`](crate::Store::rewrite_log). Default: 100.
    pub fn rewrite_percentage(mut self, percent: u32) -> Self {
        self.rewrite_percentage = percent;
        self
    }

    /// `auto-aof-rewrite-min-size`: sets the minimum size of a log that is rewritten automatically, in bytes. Default:
    /// 64 MiB.
    pub fn rewrite_min_size(mut self, bytes: u64) -> Self {
        self.rewrite_min_size = bytes;
        self
    }

    /// `appenddirname`: sets the name of the log's directory in the store's directory. Default: `appendonlydir`.
    pub fn log_folder(mut self, name: impl Into<String>) -> Self {
        self.log_folder = name.into();
        self
    }

    /// `appendfilename`: sets the prefix of the log's file names. Default: `appendonly.aof`.
    pub fn log_name(mut self, name: impl Into<String>) -> Self {
        self.log_name = name.into();
        self
    }

    /// `dbfilename`: sets the name of the snapshot. Default: `dump.rdb`.
    pub fn dump_name(mut self, name: impl Into<String>) -> Self {
        self.dump_name = name.into();
        self
    }

    /// Sets the disk for all files of the store. Default: the file system of the machine.
    pub fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = disk;
        self
    }

    /// The corresponding settings of Redis, as CONFIG GET shows them.
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

    /// Applies a setting of Redis, as CONFIG GET shows it, if it is one of these.
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

    /// Returns an error if a name is not valid for a file in the directory.
    pub(super) fn check(&self) -> Result<()> {
        for name in [&self.log_folder, &self.log_name, &self.dump_name] {
            let mut parts = Path::new(name).components();
            if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
                let text = format!("'{name}' is not a file name without a directory");
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
        }
        Ok(())
    }
}
