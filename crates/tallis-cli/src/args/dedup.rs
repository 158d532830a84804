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

What was seen is kept in a Bloom filter, so no line is written twice, and of new lines the share
given by --error is dropped by mistake; the report at the end, on standard error, shows how many were
dropped and how many would be by mistake now. The filter takes about 2 bytes a line at the default error, and grows beyond
its capacity.

With --load, lines are counted on from a file that was saved, which may be the file to save to. With
--save, an interrupt or SIGTERM saves the filter before the program ends. With --dir the filter is kept
in a directory, and with --fsync always it has each line on the disk before that is written.

With --rotate N at least the last N/2 different lines are known, and at most about N; two filters
of N/2 lines take turns, whatever the capacity.

The filters are the keys dedup and {dedup}:older, which a Redis server with RedisBloom loads. A line
is what ends at a line feed, at most 1 MiB.

Exit status: 0, 1 if a file cannot be read or written, 2 for a line that is too long or a wrong
command line, 130 after an interrupt.";

/// `tallis dedup`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = DEDUP_EXAMPLES)]
pub struct DedupArgs {
    /// Different lines to expect
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = |text: &str| count_to(text, 1 << 30))]
    pub capacity: u64,

    /// False positive rate: the share of new lines that may be dropped, between 0 and 1
    #[arg(long, value_name = "P", default_value_t = 0.001, value_parser = share)]
    pub error: f64,

    /// Forget lines: remember about the last N different ones
    #[arg(long, value_name = "N", value_parser = |text: &str| count_to(text, 1 << 31))]
    pub rotate: Option<u64>,

    /// Load the filter that was saved to this file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Write the filter to this file at the end
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Where the store is kept.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Report one JSON object on standard error, --quiet or not, instead of the text
    #[arg(long)]
    pub json: bool,

    /// Files, plain or packed by gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
