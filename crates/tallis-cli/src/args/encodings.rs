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

Each form is filled, tested, counted, scanned and emptied at sizes from 1 to 10000000 elements, as far as
a size makes sense for it. Many small values are measured together: at least 100000 elements (20000 with
--quick) in total. Bytes are those that the allocator of this program uses, including its headers and
rounding, the key of the value and its share of the key table. Times are medians of 5 rounds (3 with
--quick, or for more than 1000000 elements); JSON and the HTML page also have the minimum and the maximum.

Encodings of small values are also measured beyond the default limits, to show why the limits exist;
such rows are marked.

--vs redis starts the redis-server of this machine (or the one that TALLIS_REDIS_SERVER names) on a
socket of its own, and measures the same there, with the same limits. Bytes are those of MEMORY USAGE.
Times are the server's own for each command, from INFO commandstats, without socket and parsing.

--advise answers for your own elements: '200k random 60-bit ids', '1M small ids', '50000 ids below 2M',
'1M names', '10k 36-byte names', '3M uuids'. --from does so for the elements of a file, integers or
names, one per line. Each form that can hold the elements is measured during the run.

--printed measures the figures published in Redis in Action (chapter 9), in an article on unique users
with HyperLogLog, and in notes on HyperLogLog and Bloom filters. Each is measured in this program and,
if one is found, in a redis-server. --quick has no effect on it.

Sizes can be written as 1000, 1k or 1e3. A size of 10M takes about 2 GB of memory, and most of the time
of a run of all forms and sizes, which is more than half an hour.

Exit status: 0 on success, 1 if no server is found or a file cannot be written, 2 for a usage error, 130
after an interrupt.";

/// `tallis encodings`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EncodingsArgs {
    /// Measure only these families
    #[arg(long, value_name = "FAMILY", value_enum, value_delimiter = ',')]
    pub only: Vec<Family>,

    /// Measure values of N elements
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<u64>,

    /// Run fewer rounds with fewer elements, and no size above 10000 unless --sizes has it; takes under a minute
    #[arg(long)]
    pub quick: bool,

    /// Report the memory and the times of each form for such elements
    #[arg(long, value_name = "ELEMENTS", conflicts_with_all = ["only", "sizes", "quick", "html"])]
    pub advise: Option<String>,

    /// As --advise, for the lines of this file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["advise", "only", "sizes", "quick", "html"])]
    pub from: Option<PathBuf>,

    /// Also measure on a live server, which is started for this
    #[arg(long, value_name = "SERVER", value_enum)]
    pub vs: Option<Versus>,

    /// Compare the figures published in a book, an article and notes on Redis with those measured here
    #[arg(long, conflicts_with_all = ["only", "sizes", "vs", "html"])]
    pub printed: bool,

    /// Print one JSON object instead of the tables
    #[arg(long)]
    pub json: bool,

    /// Write an HTML page with plots to this file
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
}

/// The server that Tallis is compared with.
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
