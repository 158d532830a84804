//! The options that select keys of a file.

use std::ffi::OsString;

/// Which keys of a file a command is about: all, or those that every option lets pass.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FilterArgs {
    /// Only keys of this database; may be given several times
    #[arg(long, value_name = "N")]
    pub db: Vec<u32>,

    /// Only keys that match this pattern, as KEYS has it, such as `user:*`
    #[arg(long = "match", value_name = "PATTERN")]
    pub pattern: Option<OsString>,

    /// Only keys of this type, as TYPE answers it; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
}
