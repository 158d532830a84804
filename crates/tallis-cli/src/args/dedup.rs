//! The command line of `tallis dedup`.

use std::path::PathBuf;

use super::directory::DirectoryArgs;
use crate::number::{count_to, share};

const DEDUP_EXAMPLES: &str = "\
Examples:
  tallis dedup urls.txt > once.txt
  tallis dedup --capacity 50000000 --error 0.0001 part-*.gz > once.txt
  tail -f events.log | tallis dedup --rotate 100000
  tallis dedup --load seen.rdb --save seen.rdb today.txt > new.txt
  tallis dedup --dir seen today.txt > new.txt

The lines already seen are recorded in a Bloom filter: no line is written twice, and new lines are
dropped by mistake at the rate given by --error. The report at the end, on standard error, shows how many
lines were dropped and the current false positive rate. The filter takes about 2 bytes per line at the
default error rate, and grows beyond its capacity.

With --load, the run continues with a saved filter; the file can also be the file to save to. With
--save, an interrupt or SIGTERM saves the filter before the program exits. With --dir, the filter is kept
in a directory; with --fsync always, each line is recorded on disk before it is written.

With --rotate N, at least the last N/2 different lines are remembered, and at most about N. Two filters
of N/2 lines each are used in rotation, whatever the capacity.

The filters are stored in the keys dedup and {dedup}:older, which a Redis server with RedisBloom can
load. A line ends at a line feed, and is at most 1 MiB long.

Exit status: 0 on success, 1 if a file cannot be read or written, 2 for a line that is too long or a
usage error, 130 after an interrupt.";

/// `tallis dedup`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = DEDUP_EXAMPLES)]
pub struct DedupArgs {
    /// Expected number of different lines
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = |text: &str| count_to(text, 1 << 30))]
    pub capacity: u64,

    /// False positive rate: the fraction of new lines that may be dropped, between 0 and 1
    #[arg(long, value_name = "P", default_value_t = 0.001, value_parser = share)]
    pub error: f64,

    /// Forget old lines: remember about the last N different ones
    #[arg(long, value_name = "N", value_parser = |text: &str| count_to(text, 1 << 31))]
    pub rotate: Option<u64>,

    /// Load the filter from this saved file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Save the filter to this file at the end
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// The directory of the store.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Report one JSON object instead of text on standard error, even with --quiet
    #[arg(long)]
    pub json: bool,

    /// Files, plain or compressed with gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
