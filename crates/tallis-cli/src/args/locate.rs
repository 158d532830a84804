//! The command line of `tallis locate`.

use std::path::PathBuf;

const LOCATE_EXAMPLES: &str = "\
Examples:
  tallis locate users.csv
  tallis locate --users list.txt --json users.csv
  zcat -f users*.csv | tallis locate --lenient --save locations.rdb
  tallis locate --zip zip_codes.csv

A row is user,country,region: a number up to 1099511627775, a country of ISO 3166-1 alpha-3 such as
USA, and a region of it, which may be empty; only CAN and USA have regions. A first row of just
these three words is skipped, and so are empty lines. A later row of a user replaces the
earlier one. A row of --zip is code,latitude,longitude,city,state,county,kind: each line is a user of
that state of the USA, whose number is that of the line, counted on through all files.

Locations are kept as Redis in Action does, two bytes a user in the strings location:0 and so on; a
Redis or Valkey server loads the saved file. A user far from all others takes up to 2 MiB.

Exit status: 0, 1 if a file cannot be read or written, 2 for a bad row or a wrong command line.";

/// `tallis locate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = LOCATE_EXAMPLES)]
pub struct LocateArgs {
    /// The files are zip codes of the United States: count a user a line, by state
    #[arg(long)]
    pub zip: bool,

    /// Count only the users of this list, one number a line
    #[arg(long, value_name = "FILE")]
    pub users: Option<PathBuf>,

    /// Write the locations to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// Count the user of a malformed row as unknown, or skip the row if it has none, instead of failing
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or packed by gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
