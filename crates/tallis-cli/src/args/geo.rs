//! The command line of `tallis geo`.

use std::path::PathBuf;

use crate::geo::{Around, Nearest, Within};

const GEO_EXAMPLES: &str = "\
Examples:
  tallis geo towns.csv --radius 15,37,200km
  tallis geo towns.csv --box 15,37,400km,200km --count 3
  tallis geo towns.csv --nearest -73.99,40.75,5 --json
  zcat -f towns*.csv | tallis geo - --nearest 0,51.5,1 --save places.rdb

A row is id,lon,lat: any text, and degrees. A first row of just these three words is skipped, and
so are empty lines. A later row of an id replaces the earlier one. A length is a number and m, km, mi
or ft: 500m, 2km. What is found is listed nearest first; a box is as wide and as high as given, with
LON,LAT in the middle.

Places are kept as GEOADD keeps them, in the sorted set places, to about 30 cm; a Redis or Valkey
server loads the saved file.

Exit status: 0, 1 if a file cannot be read or written, 2 for a bad row or a wrong command line.";

/// `tallis geo`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = GEO_EXAMPLES)]
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,

    /// Write the places to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Print JSON instead of the table
    #[arg(long)]
    pub json: bool,

    /// Skip malformed rows, instead of failing at the first
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or packed by gzip or zstd; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
