//! The command line of `tallis encodings`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::encodings::Family;
use crate::number::count_to;

const EXAMPLES: &str = "\
Examples:
  tallis encodings --quick
  tallis encodings --only sets,hll --sizes 100,1k,1M
  tallis encodings --quick --vs redis --html encodings.html
  tallis encodings --advise '200k random 60-bit ids'
  tallis encodings --from ids.txt --vs redis
  tallis encodings --printed
  tallis encodings --only zsets --json | jq '.rows[] | [.form, .size, .bytes]'

Each form is filled, asked, counted, read and emptied at sizes from 1 to 10000000 elements, as far as
that makes sense for it. Small values are measured by the many: at least 100000 elements (20000 with
--quick) in all. Bytes are those that the allocator of this program holds, its headers and its rounding
up included, with the key of the value and its share of the table of keys. Times are medians of 5 rounds
(3 with --quick); JSON and the page have the lowest and the highest too.

Encodings of small values are measured beyond the default limits as well, which shows why there are
limits: such rows are marked.

--vs redis starts the redis-server of the machine (or the one that TALLIS_REDIS_SERVER names) on a socket
of its own, and does the same there, with the same limits. Bytes are what MEMORY USAGE says, times the
server's own for each command by INFO commandstats: no socket and no parsing is in them.

--advise answers for your own elements: '200k random 60-bit ids', '1M small ids', '50000 ids below 2M',
'1M names', '10k 36-byte names', '3M uuids'; with --from those of a file, an element a line, integers or
names. Each form that can hold them is measured as it is asked.

--printed measures what Redis in Action (chapter 9), an article on unique users by HyperLogLog and notes
on HyperLogLog and Bloom filters printed, each in this program and, if there is one, in a redis-server; --quick changes nothing of it.

Sizes may be written as 1000, 1k or 1e3. A size of 10M takes about 2 GB of memory.

Exit status: 0, 1 if there is no server or a file cannot be written, 2 for a wrong command line, 130
after an interrupt.";

/// `tallis encodings`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EncodingsArgs {
    /// Measure these alone
    #[arg(long, value_name = "FAMILY", value_enum, value_delimiter = ',')]
    pub only: Vec<Family>,

    /// Measure values of so many elements
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<u64>,

    /// Fewer rounds of fewer elements, and no size above 10000 unless it is asked for: under a minute
    #[arg(long)]
    pub quick: bool,

    /// Say what each form of such elements takes and costs
    #[arg(long, value_name = "ELEMENTS", conflicts_with_all = ["only", "sizes", "quick", "html"])]
    pub advise: Option<String>,

    /// Say it of the lines of this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["advise", "only", "sizes", "quick", "html"])]
    pub from: Option<PathBuf>,

    /// Measure the same on a live server, which is started for it
    #[arg(long, value_name = "SERVER", value_enum)]
    pub vs: Option<Versus>,

    /// Set what a book, an article and notes on Redis printed beside what is measured here
    #[arg(long, conflicts_with_all = ["only", "sizes", "vs", "html"])]
    pub printed: bool,

    /// Print one JSON object instead of the tables
    #[arg(long)]
    pub json: bool,

    /// Write a page with plots to this file
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
}

/// What Tallis is measured beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Versus {
    /// A redis-server
    Redis,
}

/// The largest size.
const LARGEST: u64 = 100_000_000;

fn size(text: &str) -> Result<u64, String> {
    count_to(text, LARGEST)
}
