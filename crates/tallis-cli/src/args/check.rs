//! The command line of `tallis check`.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tallis check dump.rdb
  tallis check --json backups/*.rdb
  ssh host cat dump.rdb | tallis check -
  tallis check /var/lib/redis/appendonlydir

Each value is built as a load would build it, and then dropped. A file that passes can be loaded, unless
it contains a key twice. The check takes the memory of the largest value.

For an append-only log, FILE is the directory of the log, its parent directory, or a single file whose
name ends in .aof. For a directory, every file that the manifest names is checked, and then the commands
are run, which takes the memory of the resulting values. A command that Tallis does not know, or that
operates on a value of a type that Tallis only stores, is an error with its key and offset. If only the
last file ends inside a command, the error says that Store::open truncates it there. No file is changed.

Exit status: 0 if every file is valid, 1 if one is invalid or cannot be read, 2 for a usage error.";

/// `tallis check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Print one JSON object per file
    #[arg(long)]
    pub json: bool,

    /// RDB files and append-only logs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
