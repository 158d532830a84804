//! How a snapshot is written.

use rdb::{Target, WriteOptions};

/// How [`Store::save_with`](crate::Store::save_with) and [`Store::save_to`](crate::Store::save_to) write.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{SaveOptions, Store, Target};
///
/// let store = Store::new();
/// store.set("k", "v")?;
/// let for_redis_5 = SaveOptions { version: Some(Target::V9), ..SaveOptions::default() };
/// assert!(store.save_to(Vec::new(), for_redis_5)?.starts_with(b"REDIS0009"));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SaveOptions {
    /// The version of the format. `None`, the default, is 10, which Redis 7.0 and later and every Valkey load; or the
    /// first of 11, 12, 13 and Valkey's 80 that has all that came from a file and that the store keeps without working on
    /// it.
    ///
    /// What a version lacks is written in an older form where that loses nothing; where it would, the save fails.
    pub version: Option<Target>,
    /// Whether strings of more than 20 bytes are compressed. `true` by default, as on servers.
    pub compression: bool,
    /// Whether the file ends with its checksum. `true` by default.
    pub checksum: bool,
    /// How many threads encode values while the calling one writes, from 8 MiB of memory on; with 1 the calling thread
    /// does all. By default 2, or 1 where there is one processor.
    pub threads: usize,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { version: None, compression: true, checksum: true, threads: default_threads() }
    }
}

impl SaveOptions {
    pub(super) const fn for_version(&self, target: Target) -> WriteOptions {
        WriteOptions { target, compression: self.compression, checksum: self.checksum }
    }
}

/// Two, where there are two processors.
pub(in crate::persist) fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(2)
}
