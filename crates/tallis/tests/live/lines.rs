//! The release series of the installed servers, and the server for each.

use tallis::Target;
use testkit::servers;

/// A release series.
#[derive(Debug)]
pub(crate) struct Line {
    /// The name of the server, for [`testkit::live::named`].
    pub(crate) server: &'static str,
    /// Its name on a page.
    pub(crate) title: &'static str,
    /// The version of the files that it writes.
    pub(crate) version: Target,
    /// Whether it has its own profile, instead of the closest one.
    pub(crate) has_profile: bool,
}

impl Line {
    /// Whether it is the server that loads the installed module.
    pub(crate) fn takes_module(&self) -> bool {
        self.server == servers::INSTALLED
    }

    /// Whether it has functions, and EXPIRETIME: since 7.0.
    pub(crate) fn has_functions(&self) -> bool {
        self.version != Target::V9
    }

    /// Whether it has vector sets.
    pub(crate) fn has_vector_sets(&self) -> bool {
        self.version == Target::V12
    }

    /// Whether fields of its hashes can expire.
    pub(crate) fn has_expiring_fields(&self) -> bool {
        has_expiring_fields(self.version)
    }
}

/// Whether files of that version support expiring fields.
pub(crate) fn has_expiring_fields(version: Target) -> bool {
    use tallis::rdb::ValueType::{HashTtl, ValkeyHashTtl};
    version.has(HashTtl) || version.has(ValkeyHashTtl)
}

/// The oldest first, those of Valkey last.
pub(crate) const LINES: [Line; 4] = [
    Line { server: "redis-6.2", title: "Redis 6.2", version: Target::V9, has_profile: false },
    Line {
        server: servers::INSTALLED,
        title: "Redis 7.0.15",
        version: Target::V10,
        has_profile: true,
    },
    Line { server: "redis-8.2.3", title: "Redis 8.2.3", version: Target::V12, has_profile: true },
    Line {
        server: "valkey-9.1.2",
        title: "Valkey 9.1.2",
        version: Target::Valkey80,
        has_profile: true,
    },
];
