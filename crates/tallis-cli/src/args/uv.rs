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
request.remote_ip. In JSON, a visitor is a string or a number. A time is in RFC 3339 format, in that of
the Common Log Format, or a number since 1970, in seconds (or milli-, micro- or nanoseconds, depending on
its size).

The saved file has the exact count of a bucket in unique:BUCKET, intsets of 60-bit hashes in
unique:BUCKET:0 and so on, and the approximate count in a HyperLogLog, uv:BUCKET. Depending on --form,
it also has unique:BUCKET:expected, the forecast (book), unique:BUCKET:shards, the number of intsets
(split), or that and unique:BUCKET:bits, the number of bits of an id (compact). For a cluster (tagged),
it has unique:BUCKET:tagged, the forecast, and the intsets by hash tag, unique:BUCKET:{0} and so on, each
with its count, unique:BUCKET:{0}:count, instead of one exact count. A Redis or Valkey server can load the
file, and in the form book, the program of Redis in Action can continue counting in it.

With --load, counting continues in the buckets of the file, and the count of a bucket is the forecast for
the next one. The report shows the buckets that this run read lines of: events are those lines, and
visitors are all visitors of the bucket, including those of the file. Windows cover only this run.

With --dir, counting continues in the directory. However the program ends, the directory has what was
counted before, except for the last hundredths of a second if the program is killed; counting a visit
again changes nothing. With --fsync always, the program waits for the disk at each new visitor.

Without --expected, the number of visitors to expect in a bucket, if the one before it was not counted,
is estimated from the size of the logs: one per 400 bytes, or per 40 bytes of a compressed log, up to
1000000. For a stream and with --follow, it is 1000000.

An interrupt (or SIGTERM) ends the run in the same way as the end of the logs, with the report and the
files to be saved, and with exit status 130; a second one ends it at once. The report does not depend on
--threads.

A window consists of whole minutes of UTC, whatever the offsets in the log. Its end is excluded, and an
--at within a minute is rounded down to the start of that minute. A window is counted exactly, and
approximately as the union of the fewest HyperLogLogs by minute, hour, day and month that cover it, which
are not saved. With --follow, each line shows the counts of the window.

Exit status: 0 on success, 1 if a file cannot be read or written, 2 for a line that does not parse or a
usage error, 130 after an interrupt.";

/// `tallis uv`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = UV_EXAMPLES)]
pub struct UvArgs {
    /// Format of the lines
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,

    /// What identifies a visitor: ip, ip-agent (address, tab, user agent), field:N (from 1, split at spaces) or, in
    /// JSON, a path such as `.remote_addr`
    #[arg(long, value_name = "ip|ip-agent|field:N|.NAME", default_value_t)]
    pub by: By,

    /// Path of the time in JSON
    #[arg(long, value_name = ".NAME")]
    pub time: Option<JsonPath>,

    /// Length of a bucket
    #[arg(long, value_name = "hour|day|all", value_enum, default_value_t)]
    pub every: Every,

    /// How the sets of the exact count are split into shards
    #[arg(long, value_name = "book|tagged|split|compact", value_enum, default_value_t)]
    pub form: Form,

    /// Number of visitors to expect in a bucket if the one before it was not counted, in the forms book and tagged
    /// [default: estimated from the size of the logs, up to 1M]
    #[arg(long, value_name = "N", value_parser = count)]
    pub expected: Option<u64>,

    /// Also count the visitors of a window of minutes, hours or days, such as 15m, 24h or 7d
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub window: Option<WindowLength>,

    /// End of the window (RFC 3339) [default: the end of the minute of the latest event]
    #[arg(long, value_name = "TIME", requires = "window")]
    pub at: Option<WindowEnd>,

    /// Continue counting from this saved file
    #[arg(long, value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Save the counts to this file, which a Redis server can load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// The directory of the store.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// Number of threads that read
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub threads: NonZeroUsize,

    /// Write the counts to this file as a frame, for tallis merge
    #[arg(long, value_name = "FILE")]
    pub emit: Option<PathBuf>,

    /// Follow the last log as it grows, and print a line of counts every second, until interrupted
    #[arg(long)]
    pub follow: bool,

    /// Plot the unique visitors of each bucket to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// Skip lines that do not parse instead of failing at the first one
    #[arg(long)]
    pub lenient: bool,

    /// Logs, plain or compressed with gzip or zstd; - is standard input
    #[arg(default_value = "-", value_name = "LOG")]
    pub logs: Vec<PathBuf>,
}

/// The largest number of threads: each one allocates one or two megabytes.
const MOST_THREADS: u64 = 256;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = count_to(text, MOST_THREADS)?;
    let number = usize::try_from(number).ok().and_then(NonZeroUsize::new);
    number.ok_or_else(|| "it is not a number of threads".to_owned())
}
