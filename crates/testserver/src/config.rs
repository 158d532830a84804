//! The configuration file and the options of `redis-server`.

use std::fmt;

use resp::split_words;
use store::{Profile, Store};

use crate::Listen;

/// The settings of a server, in the order in which they were given.
///
/// # Examples
///
/// ```
/// use testserver::Config;
///
/// let mut config = Config::default();
/// config.read(b"# a test\nport 0\nsave ''\ndatabases 4\n")?;
/// config.read_options(["--port", "7000"].map(str::to_owned))?;
/// assert_eq!(config.listen()?.port, Some(7000));
/// assert_eq!(config.store()?.execute(&["SELECT", "4"]).is_error(), true);
/// # Ok::<(), testserver::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    settings: Vec<(String, Vec<u8>)>,
    /// The release series that the store follows.
    pub profile: Profile,
}

/// An error in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads the lines of a file: a name and its value, with redis-cli's quotes; `#` begins a comment.
    ///
    /// # Errors
    ///
    /// If quotes are unbalanced; the error has the line number.
    pub fn read(&mut self, text: &[u8]) -> Result<(), ConfigError> {
        for (at, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.starts_with(b"#") {
                continue;
            }
            let words = split_words(line);
            let words = words.map_err(|error| ConfigError(format!("line {}: {error}", at + 1)))?;
            if let Some((name, values)) = words.split_first() {
                self.set(name, values);
            }
        }
        Ok(())
    }

    /// Reads options: `--name value ...`.
    ///
    /// # Errors
    ///
    /// If the first one is not a name.
    pub fn read_options(
        &mut self,
        options: impl IntoIterator<Item = String>,
    ) -> Result<(), ConfigError> {
        let mut all: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
        for word in options {
            match (word.strip_prefix("--"), all.last_mut()) {
                (Some(name), _) => all.push((name.to_owned(), Vec::new())),
                (None, Some((_, values))) => values.push(word.into_bytes()),
                (None, None) => return Err(ConfigError(format!("{word} is not an option"))),
            }
        }
        for (name, values) in all {
            self.set(name.as_bytes(), &values);
        }
        Ok(())
    }

    fn set(&mut self, name: &[u8], values: &[Vec<u8>]) {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        self.settings.push((name, values.join(&b' ')));
    }

    /// The last value of a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.settings.iter().rfind(|(own, _)| own == name).map(|(_, value)| &**value)
    }

    /// Where the server listens: `port` (6379 if it is not set, none if it is 0) and `unixsocket`.
    ///
    /// # Errors
    ///
    /// If the port is not a number.
    pub fn listen(&self) -> Result<Listen, ConfigError> {
        let port = self.number("port", 6379)?;
        let unix = self.get("unixsocket").filter(|path| !path.is_empty());
        Ok(Listen {
            port: Some(port).filter(|&port| port != 0),
            unix: unix.map(|path| String::from_utf8_lossy(path).into_owned().into()),
        })
    }

    /// Creates an empty store with these settings. Settings that it does not have are ignored.
    ///
    /// # Errors
    ///
    /// If the value of a setting that it has is invalid.
    pub fn store(&self) -> Result<Store, ConfigError> {
        let empty = Store::builder().profile(self.profile).build();
        let mut builder = Store::builder().profile(self.profile);
        for (name, value) in &self.settings {
            let known = empty.execute(&["CONFIG", "GET", name]).convert::<Vec<(String, String)>>();
            if known.is_ok_and(|known| !known.is_empty()) {
                let set = builder.setting(name, value);
                builder = set.map_err(|error| ConfigError(format!("{name}: {error}")))?;
            }
        }
        Ok(builder.build())
    }

    fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, ConfigError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let value = String::from_utf8_lossy(value);
        value.parse().map_err(|_| ConfigError(format!("{name}: {value} is not a valid number")))
    }
}
