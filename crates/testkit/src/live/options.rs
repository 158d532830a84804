//! Options for starting a server.

use std::path::{Path, PathBuf};

use super::Version;

/// Options for starting a server: settings, an RDB file, a module.
///
/// The defaults: a unix socket and no port, no snapshots, no append-only file, everything in a temporary directory.
///
/// # Examples
///
/// ```
/// let options = testkit::live::Options::new().config("hll-sparse-max-bytes", "100");
/// if let Some(server) = testkit::live::server_with(&options) {
///     let mut connection = server.connect();
///     let reply = testkit::live::command(&mut connection, &["CONFIG", "GET", "hll-sparse-max-bytes"]);
///     assert!(format!("{reply:?}").contains("100"));
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(super) settings: Vec<[String; 2]>,
    pub(super) rdb: Option<PathBuf>,
    pub(super) modules: Vec<PathBuf>,
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `name` to `value`, as a line of `redis.conf` does. A later value of the same name overrides an earlier one.
    #[must_use]
    pub fn config(mut self, name: &str, value: &str) -> Self {
        self.settings.push([name.to_owned(), value.to_owned()]);
        self
    }

    /// Loads a copy of this RDB file at the start. The file itself is never written.
    #[must_use]
    pub fn rdb(mut self, file: impl AsRef<Path>) -> Self {
        self.rdb = Some(file.as_ref().to_owned());
        self
    }

    /// Loads the module in this file. The path must be absolute, because the server has its own working directory.
    #[must_use]
    pub fn module(mut self, file: impl AsRef<Path>) -> Self {
        self.modules.push(file.as_ref().to_owned());
        self
    }

    /// Returns the options that a server of that version knows.
    pub(super) fn known_in(&self, version: Version) -> Self {
        let name = |setting: &[String; 2]| {
            Some([name_in(version, &setting[0])?.to_owned(), setting[1].clone()])
        };
        Self { settings: self.settings.iter().filter_map(name).collect(), ..self.clone() }
    }
}

/// Settings with the release that introduced them, and their previous name, if any.
const SINCE: [(&str, Version, Option<&str>); 8] = {
    const V7_0: Version = Version::new(7, 0, 0);
    const V7_2: Version = Version::new(7, 2, 0);
    [
        ("enable-debug-command", V7_0, None),
        ("hash-max-listpack-entries", V7_0, Some("hash-max-ziplist-entries")),
        ("hash-max-listpack-value", V7_0, Some("hash-max-ziplist-value")),
        ("list-max-listpack-size", V7_0, Some("list-max-ziplist-size")),
        ("set-max-listpack-entries", V7_2, None),
        ("set-max-listpack-value", V7_2, None),
        ("zset-max-listpack-entries", V7_0, Some("zset-max-ziplist-entries")),
        ("zset-max-listpack-value", V7_0, Some("zset-max-ziplist-value")),
    ]
};

/// Returns the name of a setting in that version, or `None` if it has no such setting.
pub(crate) fn name_in(version: Version, setting: &str) -> Option<&str> {
    match SINCE.into_iter().find(|(name, since, _)| *name == setting && version < *since) {
        Some((_, _, before)) => before,
        None => Some(setting),
    }
}
