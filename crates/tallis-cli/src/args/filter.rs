//! The options that select keys of a file.

use std::ffi::OsString;

/// Selects keys of a file: those that match every given option, or all keys without options.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FilterArgs {
    /// Select only keys of this database; can be repeated
    #[arg(long, value_name = "N")]
    pub db: Vec<u32>,

    /// Select only keys that match this glob-style pattern, as in KEYS, such as `user:*`
    #[arg(long = "match", value_name = "PATTERN")]
    pub pattern: Option<OsString>,

    /// Select only keys of this type, as returned by TYPE; can be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
}
