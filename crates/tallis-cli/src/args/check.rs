//! The command line of `tallis check`.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tallis check dump.rdb
  tallis check --json backups/*.rdb
  ssh host cat dump.rdb | tallis check -
  tallis check /var/lib/redis/appendonlydir

Every value is built as a load would build it, and dropped again: what passes can be loaded, unless
a key is there twice. That takes the memory of the largest value.

Of an append-only log, FILE is its folder, or the folder around it, or a single file whose name ends in
.aof. Of a folder every file that the manifest names is checked, and then its commands are run, in the
memory of what they make: a command that Tallis does not know, or that works on a value of a type it
keeps as it came, is an error with its key and offset. If only the last file ends inside a command, the
error says that Store::open cuts it there. Nothing is changed.

Exit status: 0 if every file is whole, 1 if one is not or cannot be read, 2 for a wrong command
line.";

/// `tallis check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Print an object of JSON for each file
    #[arg(long)]
    pub json: bool,

    /// RDB files and append-only logs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
