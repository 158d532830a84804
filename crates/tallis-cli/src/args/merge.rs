//! The command line of `tallis merge`.

use std::path::PathBuf;

use crate::merge::{Numbers, Prefer};

const MERGE_EXAMPLES: &str = "\
Examples:
  tallis merge week.rdb monday.rdb tuesday.rdb wednesday.rdb
  tallis uv --emit part1 access.log.1 & tallis uv --emit part2 access.log.2 & wait
  tallis merge visitors.rdb part1 part2
  tallis merge --counters last --prefer last all.rdb old.rdb new.rdb

An IN is an RDB file, or a frame of uv --emit. They are added up in the order in which they
are named, and OUT, which may be one of them, is written once all are. What becomes of a key that
several have:

  visitors of uv (unique:BUCKET and beside it)  all visitors, in the shards of the first file
  HyperLogLogs, windows, sets                   the union
  sorted sets                                   all members; of two scores, --scores
  Bloom filters made with the same settings     the items of both
  location:N, of tallis locate                  a user's bytes in the later file, where they are set
  integers                                      --counters
  hashes                                        all fields; one that differs is a conflict
  anything else                                 equal, or a conflict

A key expires at the latest of its times, and never if one file has none. Without --prefer last a
conflict is named, and no file is written. Keys of one file alone are taken as they are.

Exit status: 0, 1 if a file cannot be read, written or merged, 2 for a wrong command line.";

/// `tallis merge`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// What becomes of integers at a key that several files have
    #[arg(long, value_name = "sum|max|last", value_enum, default_value_t = Numbers::Sum)]
    pub counters: Numbers,

    /// What becomes of the scores of a member that several files have
    #[arg(long, value_name = "sum|max|last", value_enum, default_value_t = Numbers::Max)]
    pub scores: Numbers,

    /// Whose value stays where two cannot be merged [default: none, which is an error]
    #[arg(long, value_name = "last", value_enum)]
    pub prefer: Option<Prefer>,

    /// How many bytes a user has in location:0 and so on: 1 of countries, 2 of regions, 3 of cities
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub location_bytes: u8,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// The RDB file to write
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// RDB files and frames
    #[arg(required = true, value_name = "IN")]
    pub files: Vec<PathBuf>,
}
