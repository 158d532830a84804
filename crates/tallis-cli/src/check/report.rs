//! The result of checking a file.

use std::fmt;

use serde::Serialize;
use tallis::aof::Kind;
use tallis::rdb::{Dialect, Version};

use crate::files::Damage;

/// The result of checking a file: printed as a line, or as a JSON object whose fields are a stable interface of the
/// program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    magic: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u16>,
    /// The kind of file in a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<LogFile>,
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// For a file of a log with commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commands: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// The kind of a file of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogFile {
    Base,
    Increment,
    /// A single file that was named on the command line.
    #[serde(rename = "log")]
    Single,
}

impl LogFile {
    pub(super) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Base => Self::Base,
            Kind::Increment => Self::Increment,
            Kind::History => Self::Single,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Increment => "increment",
            Self::Single => "log",
        }
    }
}

/// The counts of what was read.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) keys: u64,
    /// Collections without elements, which are skipped when the file is loaded.
    pub(super) empty_keys: u64,
    pub(super) expires: u64,
    pub(super) functions: u64,
    /// The number of bytes that were read.
    pub(super) bytes: u64,
    /// The number of bytes after the end, such as the commands of a log.
    pub(super) bytes_after: u64,
}

/// Returns the five or six letters that a file begins with.
pub(crate) const fn magic(version: Version) -> &'static str {
    match version.dialect() {
        Dialect::Redis => "REDIS",
        Dialect::Valkey => "VALKEY",
    }
}

impl Report {
    pub(super) fn new(file: String, version: Option<Version>, counts: Counts) -> Self {
        let (magic, version) = (version.map(magic), version.map(Version::number));
        Self {
            file,
            ok: true,
            magic,
            version,
            kind: None,
            counts,
            commands: None,
            error: None,
            offset: None,
        }
    }

    /// Creates the result for a file of a log, without counts.
    pub(super) fn of_log(file: String, kind: LogFile) -> Self {
        Self { kind: Some(kind), ..Self::new(file, None, Counts::default()) }
    }

    /// Records that it begins with an RDB file.
    pub(super) const fn is_rdb(&mut self, version: Version) {
        self.magic = Some(magic(version));
        self.version = Some(version.number());
    }

    /// Records a command that fails, whose name, key and offset are in the text.
    pub(super) fn refused(self, error: String) -> Self {
        Self { ok: false, error: Some(error), ..self }
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
        write!(f, "{}: ok, ", self.file)?;
        if let Some(kind) = self.kind {
            write!(f, "{}, ", kind.name())?;
        }
        if let Some(version) = self.version {
            let name = if self.magic == Some("VALKEY") { "RDB of Valkey" } else { "RDB" };
            write!(f, "{name} {version}, {}, ", counted(keys, "key"))?;
        }
        if let Some(commands) = self.commands {
            write!(f, "{}, ", counted(commands, "command"))?;
        }
        write!(f, "{bytes} bytes")?;
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

/// Formats `1 key`, `2 keys`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
