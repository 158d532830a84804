//! How a server is to be started.

use std::path::{Path, PathBuf};

/// How a server is to be started: settings beside the defaults, and a file to open.
///
/// The defaults: a unix socket and no port, nothing saved, no append-only file, everything inside a temporary folder.
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

    /// Sets `name`, as a line of `redis.conf` would. The last one of a name wins.
    #[must_use]
    pub fn config(mut self, name: &str, value: &str) -> Self {
        self.settings.push([name.to_owned(), value.to_owned()]);
        self
    }

    /// Starts on a copy of this RDB file. The file itself is never written.
    #[must_use]
    pub fn rdb(mut self, file: impl AsRef<Path>) -> Self {
        self.rdb = Some(file.as_ref().to_owned());
        self
    }

    /// Loads the module in this file; its path must be absolute, since the server has a folder of its own.
    #[must_use]
    pub fn module(mut self, file: impl AsRef<Path>) -> Self {
        self.modules.push(file.as_ref().to_owned());
        self
    }
}
