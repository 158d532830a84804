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

A row is user,country,region: a number up to 1099511627775, an ISO 3166-1 alpha-3 country code such as
USA, and a region of that country, which may be empty; only CAN and USA have regions. A first row that
consists of exactly these three words is skipped, and so are empty lines. If a user occurs again, the
later row replaces the earlier one. With --zip, a row is code,latitude,longitude,city,state,county,kind:
each line is a user in that state of the USA, whose number is the line number, counted through all files.

With --columns, the first row of each file names its columns, and every row must have as many fields as
that row. Column names are case-sensitive. A field that --columns does not list is in the column of the
same name, and region= means that there is no region column.

Locations are stored as in Redis in Action, two bytes per user in the strings location:0 and so on. A
Redis or Valkey server can load the saved file. A user whose number is far from all others takes up to
2 MiB. With --load, the users of a saved file are counted too; it can also be the file to save to. Lines
of --zip are then numbered from its largest user on. With --save, an interrupt or SIGTERM saves the rows
read so far before the program exits. With --dir, locations are kept in a directory, including those of
the rows before a malformed one.

Exit status: 0 on success, 1 if a file cannot be read or written, 2 for a malformed row or a usage error,
130 after an interrupt.";

/// `tallis locate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = LOCATE_EXAMPLES)]
pub struct LocateArgs {
    /// Read files of United States zip codes: count one user per line, by state
    #[arg(long)]
    pub zip: bool,

    /// Count only the users in this list, one number per line
    #[arg(long, value_name = "FILE")]
    pub users: Option<PathBuf>,

    /// Columns of the fields user, country and region, by their names in the first row of each file
    #[arg(
        long,
        value_name = "FIELD=COLUMN,...",
        conflicts_with = "zip",
        value_parser = |text: &str| Columns::parse(text, FIELDS, &["region"])
    )]
    pub columns: Option<Columns>,

    /// Load the locations from this saved file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Save the locations to this file, which a Redis server can load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// The directory of the store.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// Count the user of a malformed row as unknown, or skip the row if it has no user, instead of failing
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or compressed with gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
