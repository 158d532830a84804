//! The command line of `tallis check`.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tallis check dump.rdb
  tallis check --json backups/*.rdb
  ssh host cat dump.rdb | tallis check -

Every value is built as a load would build it, and dropped again: what passes can be loaded, unless
a key is there twice. That takes the memory of the largest value.

Exit status: 0 if every file is whole, 1 if one is not or cannot be read, 2 for a wrong command
line.";

/// `tallis check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Print an object of JSON for each file
    #[arg(long)]
    pub json: bool,

    /// RDB files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
