//! Options for writing a snapshot.

use rdb::{Target, WriteOptions};

use crate::processors::processors;

/// Options of [`Store::save_with`](crate::Store::save_with) and [`Store::save_to`](crate::Store::save_to).
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
    /// The version of the format. Default: `None`, which is 10, for Redis 7.0 and later and every Valkey; or the first
    /// of 11, 12, 13 and Valkey's 80 that has all types that came from a file and that the store keeps unchanged.
    ///
    /// Types that a version does not have are written in an older form if that is without loss; otherwise the save
    /// fails.
    pub version: Option<Target>,
    /// Whether strings of more than 20 bytes are compressed. Default: `true`, as on servers.
    pub compression: bool,
    /// Whether the file ends with its checksum. Default: `true`.
    pub checksum: bool,
    /// The number of threads that encode values while the calling one writes, for 8 MiB of memory and more; with 1 the
    /// calling thread does everything. Default: 2, or 1 on a single CPU.
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

/// Two, if there are two CPUs.
pub(in crate::persist) fn default_threads() -> usize {
    processors().min(2)
}
