//! The program and the version of a server.

use std::fmt;

/// The identity of a server, from `INFO server`.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    pub(super) product: Product,
    /// Valkey's own, not that of the Redis that it is compatible with.
    pub(super) version: Version,
    pub(super) info: String,
}

impl Identity {
    /// Parses the text of `INFO server`.
    pub(super) fn read(info: String) -> Option<Self> {
        let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
        let (product, version) = match field("server_name:").map(str::trim) {
            Some("valkey") => (Product::Valkey, field("valkey_version:")),
            _ => (Product::Redis, field("redis_version:")),
        };
        Some(Self { product, version: Version::parse(version?)?, info })
    }
}

/// The program that a server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Product {
    /// Redis.
    #[default]
    Redis,
    /// Valkey.
    Valkey,
}

impl Product {
    /// The name, as in file names of servers and programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
        }
    }
}

/// The version of a server. Ordered, so that a test can ask for `>= Version::new(7, 2, 0)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// Creates a version, to compare with.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Parses `8.2.3`, or `8.2` for the first version of that release series.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.').map(str::parse);
        let mut next = || parts.next();
        let (major, minor) = (next()?.ok()?, next()?.ok()?);
        Some(Self::new(major, minor, next().unwrap_or(Ok(0)).ok()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::{Identity, Product, Version};

    #[test]
    fn a_server_is_identified_by_its_reply() {
        let read = |info: &str| {
            let identity = Identity::read(info.to_owned())?;
            Some((identity.product, identity.version))
        };
        let redis = "# Server\r\nredis_version:8.2.3\r\nredis_mode:standalone\r\n";
        assert_eq!(read(redis), Some((Product::Redis, Version::new(8, 2, 3))));
        let valkey =
            "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\n";
        assert_eq!(read(valkey), Some((Product::Valkey, Version::new(9, 1, 2))));
        assert_eq!(read("# Server\r\n"), None);
    }
}
