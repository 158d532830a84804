//! What was found of a file.

use std::fmt;

use serde::Serialize;
use tallis::rdb::{Dialect, Version};

use crate::files::Damage;

/// What was found of a file: as a line, or as an object of JSON whose fields are part of the program's contract.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    magic: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u16>,
    #[serde(flatten)]
    pub(super) counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) keys: u64,
    /// Collections without elements, which a load leaves out.
    pub(super) empty_keys: u64,
    pub(super) expires: u64,
    pub(super) functions: u64,
    /// Up to the end of what was read.
    pub(super) bytes: u64,
    /// What follows the end, such as the commands of a log.
    pub(super) bytes_after: u64,
}

/// The five letters, or six, that a file begins with.
pub(crate) const fn magic(version: Version) -> &'static str {
    match version.dialect() {
        Dialect::Redis => "REDIS",
        Dialect::Valkey => "VALKEY",
    }
}

impl Report {
    pub(super) fn new(file: String, version: Option<Version>, counts: Counts) -> Self {
        let (magic, version) = (version.map(magic), version.map(Version::number));
        Self { file, ok: true, magic, version, counts, error: None, offset: None }
    }

    pub(super) fn damaged(self, damage: Damage) -> Self {
        Self { ok: false, offset: Some(damage.offset), error: Some(damage.reason), ..self }
    }

    pub(super) const fn is_ok(&self) -> bool {
        self.ok
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { keys, empty_keys, expires, bytes, bytes_after, .. } = self.counts;
        let name = if self.magic == Some("VALKEY") { "RDB of Valkey" } else { "RDB" };
        write!(f, "{}: ok, {name} {}, ", self.file, self.version.unwrap_or(0))?;
        write!(f, "{}, {bytes} bytes", counted(keys, "key"))?;
        if expires > 0 {
            write!(f, ", {expires} with an expiry")?;
        }
        if empty_keys > 0 {
            write!(f, ", {} left out", counted(empty_keys, "empty key"))?;
        }
        if bytes_after > 0 {
            write!(f, ", {bytes_after} bytes after its end")?;
        }
        Ok(())
    }
}

/// `1 key`, `2 keys`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
