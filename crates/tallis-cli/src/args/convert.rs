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

Values go over as they came where the version has their type, else in an older form that loses
nothing; a value of a type that the version has no form for is an error that names its key. Without
--rdb-version it is 10, or the lowest later one that every value has a form in.

With --to commands the lines are for a server that holds none of these keys. What Tallis does not
work on (streams, values of modules) is restored by RESTORE.

IN may be the folder of an append-only log, the folder around it, or a file of one whose name ends in
.aof. Its commands are run, in the memory of what they make. One that Tallis does not know, or that
works on a value of a type it keeps as it came, is an error with its key and offset; with --salvage
what comes before it is converted.

OUT is replaced as a whole, at the end. From standard input the file is first copied to a temporary
one where it has to be read twice: with --salvage, or for RDB without --rdb-version.

Exit status: 0, 1 if a file is damaged or cannot be read or written, 2 for a wrong command line.";

/// `tallis convert`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// What to write: a file, a line of JSON for each key, or lines for redis-cli
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Rdb)]
    pub to: Form,

    /// The version of the file to write
    #[arg(long, value_name = "9|10|11|12|13|valkey-80", value_parser = versions())]
    pub rdb_version: Option<Target>,

    /// Write every string uncompressed
    #[arg(long)]
    pub no_compression: bool,

    /// Convert what comes before the damage of a damaged file
    #[arg(long)]
    pub salvage: bool,

    /// Which keys to take over.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// The RDB file or append-only log to read; - is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The file to write; - is standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

/// What a file is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Form {
    /// An RDB file.
    Rdb,
    /// JSON, an object a line.
    Json,
    /// Commands, one a line.
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
