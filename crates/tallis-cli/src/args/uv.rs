//! The command line of `tallis uv`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::directory::DirectoryArgs;
use crate::number::{count, count_to};
use crate::uv::{By, Every, Form, Format, JsonPath, WindowEnd, WindowLength};

const UV_EXAMPLES: &str = "\
Examples:
  tallis uv access.log
  tallis uv --every hour --by ip-agent access.log.2.gz access.log.1 access.log
  zcat -f access.log* | tallis uv --lenient --json
  tallis uv --threads 4 access.log.*.zst access.log
  tallis uv --format json --by .request.remote_ip --time .ts caddy.log
  tallis uv --follow /var/log/nginx/access.log
  tallis uv --every hour access.log --plot visitors.svg
  tallis uv --window 24h --at 2015-05-20T12:00:00Z access.log
  tallis uv --emit part1 access.log.1 && tallis merge visitors.rdb visitors.rdb part1
  tallis uv access.log --save visitors.rdb && tallis cli --rdb visitors.rdb GET unique:2015-05-17
  tallis uv today.log --load visitors.rdb --save visitors.rdb
  tallis uv today.log --dir visitors

A path such as .request.remote_ip is the member remote_ip of the member request, or the member
request.remote_ip. A visitor in JSON is a text or a number; a time is RFC 3339, that of the Common
Log Format, or a number since 1970 of seconds (or milli-, micro- or nanoseconds, by how large it is).

The saved file has the exact count of a bucket in unique:BUCKET and beside it intsets of 60-bit
hashes, unique:BUCKET:0 and so on, and the approximate count in a HyperLogLog, uv:BUCKET. By the
form there are also unique:BUCKET:expected, the forecast (book), unique:BUCKET:shards, the number of
intsets (split), or that and unique:BUCKET:bits, how many bits an id has (compact). For a cluster
(tagged) there are unique:BUCKET:tagged, the forecast, and by hash tags the intsets unique:BUCKET:{0}
and so on, each with its count, unique:BUCKET:{0}:count, in place of one exact count. A Redis or
Valkey server loads it, and the program of Redis in Action counts on in the form book.

With --load, buckets that are in the file are counted on, and the count of a bucket is the forecast
of the next. The report has the buckets that this run read lines of: events are those lines, the
visitors are all of the bucket's, those of the file too. Windows are of this run alone.

With --dir, visitors are counted on in the directory. Whatever ends the program, what it counted before
is there, but for the last hundredths of a second if it is killed; a visit that is counted again changes
nothing. --fsync always waits for the disk at each new visitor.

Without --expected, the size of the logs says how many visitors to expect of a bucket when the one
before it was not counted, up to 1000000: one for each 400 bytes, or 40 of a packed log; of a
stream and with --follow 1000000.

An interrupt (or SIGTERM) ends the run as the end of the logs does, with the report, what was to be
saved, and exit status 130; a second one ends it at once. The report is the same whatever --threads.

A window is whole minutes of UTC, whatever the offsets in the log; its end is left out, and an --at
within a minute stands for the beginning of that. It is counted exactly, and approximately over the
fewest of HyperLogLogs by minute, hour, day and month that cover it, which are not saved. With
--follow, each line shows the counts of the window.

Exit status: 0, 1 if a file cannot be read or written, 2 for a line that does not parse or a
wrong command line, 130 after an interrupt.";

/// `tallis uv`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = UV_EXAMPLES)]
pub struct UvArgs {
    /// What the lines are
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,

    /// What identifies a visitor: ip, ip-agent (address, tab, agent), field:N (from 1, split at spaces) or, in JSON,
    /// a path such as `.remote_addr`
    #[arg(long, value_name = "ip|ip-agent|field:N|.NAME", default_value_t)]
    pub by: By,

    /// Where the time is in JSON
    #[arg(long, value_name = ".NAME")]
    pub time: Option<JsonPath>,

    /// Length of a bucket
    #[arg(long, value_name = "hour|day|all", value_enum, default_value_t)]
    pub every: Every,

    /// How the sets of the exact count are cut
    #[arg(long, value_name = "book|tagged|split|compact", value_enum, default_value_t)]
    pub form: Form,

    /// Visitors to expect of a bucket when the one before it was not counted, in the forms book and tagged [default: by
    /// the size of the logs, up to 1M]
    #[arg(long, value_name = "N", value_parser = count)]
    pub expected: Option<u64>,

    /// Count the visitors of a window too: so many minutes, hours or days, such as 15m, 24h or 7d
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub window: Option<WindowLength>,

    /// Where the window ends (RFC 3339) [default: with the minute of the latest event]
    #[arg(long, value_name = "TIME", requires = "window")]
    pub at: Option<WindowEnd>,

    /// Count on from what was saved to this file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Write what was counted to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Where the store is kept.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Read by so many threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub threads: NonZeroUsize,
    /// Write what was counted to this file as a frame, for tallis merge to add up
    #[arg(long, value_name = "FILE")]
    pub emit: Option<PathBuf>,

    /// Follow the last log as it grows, and print a line of counts each second, until interrupted
    #[arg(long)]
    pub follow: bool,

    /// Draw the unique visitors of each bucket to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// Skip lines that do not parse, instead of failing at the first
    #[arg(long)]
    pub lenient: bool,

    /// Logs, plain or packed by gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "LOG")]
    pub logs: Vec<PathBuf>,
}

/// Each thread has a megabyte or two of its own.
const MOST_THREADS: u64 = 256;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = count_to(text, MOST_THREADS)?;
    let number = usize::try_from(number).ok().and_then(NonZeroUsize::new);
    number.ok_or_else(|| "it is no number of threads".to_owned())
}
