//! The command line of `tallis inspect`.

use std::path::PathBuf;

use super::filter::FilterArgs;

const EXAMPLES: &str = "\
Examples:
  tallis inspect dump.rdb
  tallis inspect --depth 2 --top 20 --match 'user:*' dump.rdb
  tallis inspect --json dump.rdb | jq '.biggest[0]'
  tallis inspect --keys dump.rdb | jq -r 'select(.bytes_memory > 1000000) | .key'
  tallis inspect --keys --csv dump.rdb > keys.csv
  tallis inspect /var/lib/redis/appendonlydir

Bytes in memory are what Tallis would take for a key, its name and its share of the table included:
exact for a collection of up to 16,384 members, reckoned from a part of it for a larger one. Keys
that have expired count as well, though a load leaves them out.

A prefix ends with a separator; keys without one are shown together. Of very many prefixes those
that take the most memory are kept.

FILE may be the folder of an append-only log, the folder around it, or a file of one whose name ends in
.aof. Its commands are run, in the memory of what they make, and the RDB file that this would be saved
to is shown.

Exit status: 0, 1 if the file is damaged or cannot be read, 2 for a wrong command line.";

/// `tallis inspect`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// Print one object of JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print comma-separated values
    #[arg(long)]
    pub csv: bool,

    /// Print every key, an object of JSON a line, or with --csv a row
    #[arg(long)]
    pub keys: bool,

    /// How many of the biggest keys, and of the prefixes, to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// What ends a prefix
    #[arg(long, value_name = "TEXT", default_value = ":", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub separator: String,

    /// How many separators a prefix has
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: u32,

    /// Show what comes before the damage of a damaged file
    #[arg(long)]
    pub salvage: bool,

    /// Which keys to look at.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// An RDB file, or an append-only log; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
