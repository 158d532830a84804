//! The command line of `tallis uv`.

use std::path::PathBuf;

use crate::uv::{By, Every, Form, WindowEnd, WindowLength};

const UV_EXAMPLES: &str = "\
Examples:
  tallis uv access.log
  tallis uv --every hour --by ip-agent access.log.2.gz access.log.1 access.log
  zcat -f access.log* | tallis uv --lenient --json -
  tallis uv --follow /var/log/nginx/access.log
  tallis uv --every hour access.log --plot visitors.svg
  tallis uv --window 24h --at 2015-05-20T12:00:00Z access.log
  tallis uv --emit part1 access.log.1 && tallis merge visitors.rdb visitors.rdb part1
  tallis uv access.log --save visitors.rdb && tallis cli --rdb visitors.rdb GET unique:2015-05-17

The saved file has the exact count of a bucket in unique:BUCKET and beside it intsets of 60-bit
hashes, unique:BUCKET:0 and so on, and the approximate count in a HyperLogLog, uv:BUCKET. By the
form there are also unique:BUCKET:expected, the forecast (book), unique:BUCKET:shards, the number of
intsets (split), or that and unique:BUCKET:bits, how many bits an id has (compact). A Redis or
Valkey server loads it, and the program of Redis in Action counts on in the form book.

A window is whole minutes of UTC, whatever the offsets in the log; its end is left out, and an --at
within a minute stands for the beginning of that. It is counted exactly, and approximately over the
fewest of HyperLogLogs by minute, hour, day and month that cover it, which are not saved. With
--follow, each line shows the counts of the window.

Exit status: 0, 1 if a file cannot be read or written, 2 for a line that does not parse or a
wrong command line.";

/// `tallis uv`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = UV_EXAMPLES)]
pub struct UvArgs {
    /// What identifies a visitor: ip, ip-agent (address, tab, agent) or field:N (from 1, split at spaces)
    #[arg(long, value_name = "ip|ip-agent|field:N", default_value_t)]
    pub by: By,

    /// Length of a bucket
    #[arg(long, value_name = "hour|day|all", value_enum, default_value_t)]
    pub every: Every,

    /// How the sets of the exact count are cut
    #[arg(long, value_name = "book|split|compact", value_enum, default_value_t)]
    pub form: Form,

    /// Visitors to expect of a bucket when the one before it was not counted, in the form book [default: 1000000]
    #[arg(long, value_name = "N")]
    pub expected: Option<u64>,

    /// Count the visitors of a window too: so many minutes, hours or days, such as 15m, 24h or 7d
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub window: Option<WindowLength>,

    /// Where the window ends (RFC 3339) [default: with the minute of the latest event]
    #[arg(long, value_name = "TIME", requires = "window")]
    pub at: Option<WindowEnd>,

    /// Write what was counted to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

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

    /// Logs in Common or Combined Log Format, plain or gzip; - is standard input
    #[arg(required = true, value_name = "LOG")]
    pub logs: Vec<PathBuf>,
}
