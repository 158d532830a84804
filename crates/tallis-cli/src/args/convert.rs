//! The command line of `tallis convert`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tallis::Target;

use super::filter::FilterArgs;

const EXAMPLES: &str = "\
Examples:
  tallis convert --rdb-version 9 dump.rdb for-redis-6.rdb
  tallis convert --match 'user:*' --type hash dump.rdb users.rdb
  tallis convert --to json dump.rdb - | jq -c 'select(.type == \"zset\")'
  tallis convert --to commands dump.rdb - | redis-cli
  tallis convert --salvage damaged.rdb whole.rdb
  tallis convert /var/lib/redis/appendonlydir dump.rdb --rdb-version 10

Values are copied unchanged if the version supports their type, and are otherwise converted to an older
form without loss. A value of a type that the version has no form for is an error that names its key.
Without --rdb-version, the version is 10, or the lowest later one that has a form for every value.

With --to commands, the output is for a server that has none of these keys. Values that Tallis only
stores (streams, values of modules) are written as RESTORE commands.

IN can be the directory of an append-only log, its parent directory, or a single file of the log, whose
name ends in .aof. Its commands are run, which takes the memory of the resulting values. A command that
Tallis does not know, or that operates on a value of a type that Tallis only stores, is an error with its
key and offset; with --salvage, the part before it is converted.

OUT is replaced as a whole, at the end. Standard input is first copied to a temporary file if it has to
be read twice: with --salvage, or for RDB output without --rdb-version.

Exit status: 0 on success, 1 if a file is damaged or cannot be read or written, 2 for a usage error.";

/// `tallis convert`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// Output format: an RDB file, one line of JSON per key, or commands for redis-cli
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Rdb)]
    pub to: Form,

    /// RDB version of the output file
    #[arg(long, value_name = "9|10|11|12|13|valkey-80", value_parser = versions())]
    pub rdb_version: Option<Target>,

    /// Write every string uncompressed
    #[arg(long)]
    pub no_compression: bool,

    /// If the file is damaged, convert the part before the damage
    #[arg(long)]
    pub salvage: bool,

    /// The keys to convert.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// The RDB file or append-only log to read; - is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The file to write; - is standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

/// The output format of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Form {
    /// An RDB file.
    Rdb,
    /// JSON, one object per line.
    Json,
    /// Commands, one per line.
    Commands,
}

const VERSIONS: [(&str, Target); 6] = [
    ("9", Target::V9),
    ("10", Target::V10),
    ("11", Target::V11),
    ("12", Target::V12),
    ("13", Target::V13),
    ("valkey-80", Target::Valkey80),
];

fn versions() -> impl TypedValueParser<Value = Target> {
    let find = |text: String| VERSIONS.iter().find(|(name, _)| *name == text).map(|row| row.1);
    PossibleValuesParser::new(VERSIONS.map(|(name, _)| name))
        .map(move |text| find(text).unwrap_or_default())
}
