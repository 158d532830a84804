//! The command line of `tallis merge`.

use std::path::PathBuf;

use crate::merge::{Numbers, Prefer};

const MERGE_EXAMPLES: &str = "\
Examples:
  tallis merge week.rdb monday.rdb tuesday.rdb wednesday.rdb
  tallis uv --emit part1 access.log.1 & tallis uv --emit part2 access.log.2 & wait
  tallis merge visitors.rdb part1 part2
  tallis merge --counters last --prefer last all.rdb old.rdb new.rdb

Each IN is an RDB file or a frame of uv --emit. The files are merged in the given order; OUT, which can
be one of them, is written when all are merged. A key that several files have is merged as follows:

  visitors of uv (unique:BUCKET and its keys)   all visitors, in the shards of the first file
  HyperLogLogs, windows, sets                   the union
  sorted sets                                   all members; two scores of a member by --scores
  Bloom filters with the same settings          the items of both
  location:N of tallis locate                   a user's bytes in the later file, where they are set
  integers                                      by --counters
  hashes                                        all fields; a field that differs is a conflict
  any other value                               equal, or a conflict

A key expires at the latest of its expiry times, or never if it has no expiry in one of the files.
Without --prefer last, a conflict is reported and no file is written. Keys that only one file has are
copied unchanged.

Exit status: 0 on success, 1 if a file cannot be read, written or merged, 2 for a usage error.";

/// `tallis merge`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// How to merge integers at a key that several files have
    #[arg(long, value_name = "sum|max|last", value_enum, default_value_t = Numbers::Sum)]
    pub counters: Numbers,

    /// How to merge the scores of a member that several files have
    #[arg(long, value_name = "sum|max|last", value_enum, default_value_t = Numbers::Max)]
    pub scores: Numbers,

    /// Value to keep if two cannot be merged [default: none, which is an error]
    #[arg(long, value_name = "last", value_enum)]
    pub prefer: Option<Prefer>,

    /// Bytes per user in location:0 and so on: 1 for countries, 2 for regions, 3 for cities
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub location_bytes: u8,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// The RDB file to write
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// RDB files and frames of uv --emit
    #[arg(required = true, value_name = "IN")]
    pub files: Vec<PathBuf>,
}
