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

Bytes in memory are the bytes that Tallis would use for a key, including its name and its share of the
key table: exact for a collection of up to 16,384 members, estimated from a part of it for a larger one.
Expired keys are counted as well, although a load leaves them out.

A prefix ends with a separator; keys without a separator are grouped together. If there are too many
prefixes, those that use the most memory are kept.

FILE can be the directory of an append-only log, its parent directory, or a single file of the log, whose
name ends in .aof. Its commands are run, which takes the memory of the resulting values, and the RDB file
that they would be saved to is shown.

Exit status: 0 on success, 1 if the file is damaged or cannot be read, 2 for a usage error.";

/// `tallis inspect`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print comma-separated values
    #[arg(long)]
    pub csv: bool,

    /// Print every key, as one JSON object per line or, with --csv, as one row
    #[arg(long)]
    pub keys: bool,

    /// Number of biggest keys, and of prefixes, to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// Text that ends a prefix
    #[arg(long, value_name = "TEXT", default_value = ":", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub separator: String,

    /// Number of separators in a prefix
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: u32,

    /// If the file is damaged, show the part before the damage
    #[arg(long)]
    pub salvage: bool,

    /// The keys to inspect.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// An RDB file, or an append-only log; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
