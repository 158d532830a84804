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

A row is id,lon,lat: any text, and two numbers in degrees. A first row that consists of exactly these
three words is skipped, and so are empty lines. If an id occurs again, the later row replaces the earlier
one. A length is a number followed by m, km, mi or ft: 500m, 2km. Places are listed nearest first. A box
has the given width and height, with LON,LAT at its centre. In JSON, dist and dist_m are in metres.

With --columns, the first row of each file names its columns, and every row must have as many fields as
that row. Column names are case-sensitive. A field that --columns does not list is in the column of the
same name.

Places are stored as by GEOADD, in the sorted set places, with a precision of about 30 cm. A Redis or
Valkey server can load the saved file. With --load, places are added to those of a saved file, which can
also be the file to save to; /dev/null as FILE adds none. With --save, an interrupt or SIGTERM saves the
rows read so far before the program exits. With --dir, places are kept in a directory, including those of
the rows before a malformed one.

Exit status: 0 on success, 1 if a file cannot be read or written, 2 for a malformed row or a usage error,
130 after an interrupt.";

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

    /// List only the N nearest places
    #[arg(long, value_name = "N", value_parser = count)]
    pub count: Option<u64>,

    /// Columns of the fields id, lon and lat, by their names in the first row of each file
    #[arg(
        long,
        value_name = "FIELD=COLUMN,...",
        value_parser = |text: &str| Columns::parse(text, FIELDS, &[])
    )]
    pub columns: Option<Columns>,

    /// Load the places from this saved file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Save the places to this file, which a Redis server can load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// The directory of the store.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Print JSON instead of the table
    #[arg(long)]
    pub json: bool,

    /// Skip malformed rows instead of failing at the first one
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or compressed with gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
