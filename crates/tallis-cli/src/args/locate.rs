//! The command line of `tallis locate`.

use std::path::PathBuf;

use super::directory::DirectoryArgs;
use crate::columns::Columns;
use crate::locate::FIELDS;

const LOCATE_EXAMPLES: &str = "\
Examples:
  tallis locate users.csv
  tallis locate --users list.txt --json users.csv
  zcat -f users*.csv | tallis locate --lenient --save locations.rdb
  tallis locate --load locations.rdb --save locations.rdb today.csv
  tallis locate --dir locations today.csv
  tallis locate --columns user=id,country=alpha3,region= accounts.csv
  tallis locate --zip zip_codes.csv

A row is user,country,region: a number up to 1099511627775, a country of ISO 3166-1 alpha-3 such as
USA, and a region of it, which may be empty; only CAN and USA have regions. A first row of just
these three words is skipped, and so are empty lines. A later row of a user replaces the
earlier one. A row of --zip is code,latitude,longitude,city,state,county,kind: each line is a user of
that state of the USA, whose number is that of the line, counted on through all files.

With --columns, the first row of each file names its columns, and a row has as many fields as that.
Names are as they are written, capitals and all; a field that is left out is in the column of its own
name, and region= says that there is none of regions.

Locations are kept as Redis in Action does, two bytes a user in the strings location:0 and so on; a
Redis or Valkey server loads the saved file. A user far from all others takes up to 2 MiB. With --load
the users of a file are counted too, which may be the file to save to; lines of --zip are numbered on
from its largest user. With --save, an interrupt or SIGTERM saves what was read before the program
ends. With --dir they are kept in a directory, those of rows before a bad one too.

Exit status: 0, 1 if a file cannot be read or written, 2 for a bad row or a wrong command line, 130
after an interrupt.";

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

    /// The columns of the fields user, country and region, by the names in the first row of each file
    #[arg(
        long,
        value_name = "FIELD=COLUMN,...",
        conflicts_with = "zip",
        value_parser = |text: &str| Columns::parse(text, FIELDS, &["region"])
    )]
    pub columns: Option<Columns>,

    /// Load the locations that were saved to this file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Write the locations to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Where the store is kept.
    #[command(flatten)]
    pub directory: DirectoryArgs,

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
