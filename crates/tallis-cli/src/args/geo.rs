//! The command line of `tallis geo`.

use std::path::PathBuf;

use super::directory::DirectoryArgs;
use crate::columns::Columns;
use crate::geo::{Around, FIELDS, Nearest, Within};
use crate::number::count;

const GEO_EXAMPLES: &str = "\
Examples:
  tallis geo towns.csv --radius 15,37,200km
  tallis geo towns.csv --box 15,37,400km,200km --count 3
  tallis geo towns.csv --nearest -73.99,40.75,5 --json
  zcat -f towns*.csv | tallis geo --nearest 0,51.5,1 --save places.rdb
  tallis geo --load places.rdb --nearest 0,51.5,10 /dev/null
  tallis geo --dir places --nearest 0,51.5,10 more-towns.csv
  tallis geo worldcities.csv --columns id=city,lon=lng --radius 15,37,200km

A row is id,lon,lat: any text, and degrees. A first row of just these three words is skipped, and
so are empty lines. A later row of an id replaces the earlier one. A length is a number and m, km, mi
or ft: 500m, 2km. What is found is listed nearest first; a box is as wide and as high as given, with
LON,LAT in the middle. Of JSON, dist and dist_m are metres.

With --columns, the first row of each file names its columns, and a row has as many fields as that.
Names are as they are written, capitals and all; a field that is left out is in the column of its own
name.

Places are kept as GEOADD keeps them, in the sorted set places, to about 30 cm; a Redis or Valkey
server loads the saved file. With --load they are added to those of a file, which may be the file to
save to; /dev/null as FILE adds none. With --save, an interrupt or SIGTERM saves what was read before
the program ends. With --dir they are kept in a directory, those of rows before a bad one too.

Exit status: 0, 1 if a file cannot be read or written, 2 for a bad row or a wrong command line, 130
after an interrupt.";

/// `tallis geo`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = GEO_EXAMPLES,
    override_usage = "tallis geo [OPTIONS] <--radius|--box|--nearest> <AREA> [FILE]..."
)]
#[command(group = clap::ArgGroup::new("area").required(true).args(["radius", "within", "nearest"]))]
pub struct GeoArgs {
    /// Find places within a distance of a point
    #[arg(long, value_name = "LON,LAT,DIST", allow_hyphen_values = true)]
    pub radius: Option<Around>,

    /// Find places in a box around a point
    #[arg(
        id = "within",
        long = "box",
        value_name = "LON,LAT,WIDTH,HEIGHT",
        allow_hyphen_values = true
    )]
    pub within: Option<Within>,

    /// Find the N places nearest to a point
    #[arg(long, value_name = "LON,LAT,N", allow_hyphen_values = true)]
    pub nearest: Option<Nearest>,

    /// List at most N places, the nearest
    #[arg(long, value_name = "N", value_parser = count)]
    pub count: Option<u64>,

    /// The columns of the fields id, lon and lat, by the names in the first row of each file
    #[arg(
        long,
        value_name = "FIELD=COLUMN,...",
        value_parser = |text: &str| Columns::parse(text, FIELDS, &[])
    )]
    pub columns: Option<Columns>,

    /// Load the places that were saved to this file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Write the places to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Where the store is kept.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Print JSON instead of the table
    #[arg(long)]
    pub json: bool,

    /// Skip malformed rows, instead of failing at the first
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or packed by gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
