//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use tallis::Profile;

use crate::geo::{Around, Nearest, Within};
use crate::number::{count, count_to, share};
use crate::uv::{By, Every, Form, WindowEnd, WindowLength};

/// Redis's data structures in the process: count visitors, locate users, find places, run Redis commands without a
/// server.
#[derive(Clone, Debug, Parser)]
#[command(name = "tallis", version, about, max_term_width = 100)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Count the unique visitors of access logs, exactly and approximately
    Uv(UvArgs),
    /// Count users by country and region, from a CSV file
    Locate(LocateArgs),
    /// Find the places near a point, from a CSV file
    Geo(GeoArgs),
    /// Plan Bloom filters
    Bloom(BloomArgs),
    /// Write each line once, in order, dropping those that were seen
    Dedup(DedupArgs),
    /// Run Redis commands on a store in the process, in and out as redis-cli does
    Cli(CliArgs),
}

const UV_EXAMPLES: &str = "\
Examples:
  tallis uv access.log
  tallis uv --every hour --by ip-agent access.log.2.gz access.log.1 access.log
  zcat -f access.log* | tallis uv --lenient --json -
  tallis uv --follow /var/log/nginx/access.log
  tallis uv --every hour access.log --plot visitors.svg
  tallis uv --window 24h --at 2015-05-20T12:00:00Z access.log
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

const LOCATE_EXAMPLES: &str = "\
Examples:
  tallis locate users.csv
  tallis locate --users list.txt --json users.csv
  zcat -f users*.csv | tallis locate --lenient --save locations.rdb
  tallis locate --zip zip_codes.csv

A row is user,country,region: a number up to 1099511627775, a country of ISO 3166-1 alpha-3 such as
USA, and a region of it, which may be empty; only CAN and USA have regions. A first row of just
these three words is skipped, and so are empty lines. A later row of a user replaces the
earlier one. A row of --zip is code,latitude,longitude,city,state,county,kind: each line is a user of
that state of the USA, whose number is that of the line, counted on through all files.

Locations are kept as Redis in Action does, two bytes a user in the strings location:0 and so on; a
Redis or Valkey server loads the saved file. A user far from all others takes up to 2 MiB.

Exit status: 0, 1 if a file cannot be read or written, 2 for a bad row or a wrong command line.";

/// `tallis locate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = LOCATE_EXAMPLES)]
pub struct LocateArgs {
    /// The files are zip codes of the United States: count a user a line, by state
    #[arg(long)]
    pub zip: bool,

    /// Count only the users of this list, one number a line
    #[arg(long, value_name = "FILE")]
    pub users: Option<PathBuf>,

    /// Write the locations to this file, for a Redis server to load
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,

    /// Count the user of a malformed row as unknown, or skip the row if it has none, instead of failing
    #[arg(long)]
    pub lenient: bool,

    /// CSV files, plain or gzip; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

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

    /// CSV files, plain or gzip; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

const DEDUP_EXAMPLES: &str = "\
Examples:
  tallis dedup urls.txt > once.txt
  tallis dedup --capacity 50000000 --error 0.0001 part-*.gz > once.txt
  tail -f events.log | tallis dedup --rotate 100000
  tallis dedup --load seen.rdb --save seen.rdb today.txt > new.txt

What was seen is kept in a Bloom filter, so no line is written twice, and of new lines the share
given by --error is dropped by mistake; the report at the end shows how many were dropped and the
error to expect now. The filter takes about 2 bytes a line at the default error, and grows beyond
its capacity.

With --rotate N at least the last N/2 different lines are known, and at most about N; two filters
of N/2 lines take turns, whatever the capacity.

The filters are the keys dedup and {dedup}:older, which a Redis server with RedisBloom loads. A line
is what ends at a line feed, at most 1 MiB.

Exit status: 0, 1 if a file cannot be read or written, 2 for a line that is too long or a wrong
command line.";

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

    /// Files, plain or gzip; - is standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `tallis bloom`.
#[derive(Clone, Debug, clap::Args)]
pub struct BloomArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BloomCommand,
}

/// What can be done with Bloom filters.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum BloomCommand {
    /// Compute the size of a filter from two of items, error rate and bits
    Plan(PlanArgs),
}

const PLAN_EXAMPLES: &str = "\
Examples:
  tallis bloom plan -n 10000000 -p 0.01
  tallis bloom plan -m 1G -p 1e-4 --json
  tallis bloom plan -n 10M -m 64M
  tallis bloom plan -n 1M -p 0.01 --measure --plot error.svg

Two of -n, -p and -m are needed: the third follows. The plan is of one filter that does not grow,
as BF.RESERVE makes it with NONSCALING: m is whole words of 64 bits, so -m is rounded up to a
multiple of 64; the hashes are rounded up to an integer, which costs up to 3 % of the error rate.
A filter that grows has half of the error rate in its first link.

Numbers may be written as 1000000, 1_000_000, 1000k, 1M, 1G or 1e6. --measure fills such a filter
with up to three times its items, and asks it for a million others or more at each of six stages;
it takes filters of at most 2147483648 bits (256 MiB) for at most 268435456 items.

Exit status: 0, 1 if a file cannot be written, 2 for a wrong command line.";

/// `tallis bloom plan`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = PLAN_EXAMPLES,
    override_usage = "tallis bloom plan [OPTIONS] <two of -n <N>, -p <P> and -m <M>>"
)]
pub struct PlanArgs {
    /// Items that the filter is made for
    #[arg(short = 'n', long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub items: Option<u64>,

    /// False positive rate of the filter when it is full: above 0 and below 1
    #[arg(short = 'p', long, value_name = "P", value_parser = share, allow_hyphen_values = true)]
    pub error: Option<f64>,

    /// Bits of the filter, rounded up to a multiple of 64
    #[arg(short = 'm', long, value_name = "M", value_parser = count, allow_hyphen_values = true)]
    pub bits: Option<u64>,

    /// Fill a filter of this plan, and count how often it is wrong
    #[arg(long)]
    pub measure: bool,

    /// Draw the error against the fill, and what was measured, to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of the tables
    #[arg(long)]
    pub json: bool,
}

const CLI_EXAMPLES: &str = "\
Examples:
  tallis cli PFADD uv alice bob
  tallis cli --rdb visitors.rdb --no-raw PFCOUNT uv:2015-05-17 uv:2015-05-18
  printf 'SET k v\\nGET k\\n' | tallis cli --save dump.rdb
  tallis cli

Without a command, commands are read from standard input, one a line, with redis-cli's quotes:
\"a\\x00b\" takes escapes, 'a\\b' does not. On a terminal there is a prompt; quit leaves it.";

/// `tallis cli`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = CLI_EXAMPLES)]
pub struct CliArgs {
    /// Load this file first
    #[arg(long, value_name = "FILE")]
    pub rdb: Option<PathBuf>,

    /// Write the store to this file at the end
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Show types, quotes and numbers of elements even when the output is no terminal
    #[arg(long)]
    pub no_raw: bool,

    /// Show replies in the shapes of RESP3: maps, sets and texts as such, not as arrays and strings
    #[arg(short = '3')]
    pub resp3: bool,

    /// The release series of Redis whose bytes and replies to use
    #[arg(long, value_name = "7.0|7.2", default_value = NEWER, value_parser = profiles())]
    pub profile: Profile,

    /// One command and its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

const OLDER: &str = "7.0";
const NEWER: &str = "7.2";

fn profiles() -> impl TypedValueParser<Value = Profile> {
    let lines = PossibleValuesParser::new([OLDER, NEWER]);
    lines.map(|line| if line == OLDER { Profile::Redis70 } else { Profile::Redis72 })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn options_after_the_command_belong_to_it() {
        let args = ["tallis", "cli", "--rdb", "a", "SET", "--no-raw", "-1", "--", "--save"];
        let Command::Cli(args) = Args::parse_from(args).command else { panic!("not cli") };
        assert_eq!(args.rdb, Some(PathBuf::from("a")));
        assert!(!args.no_raw && args.save.is_none());
        assert_eq!(args.command, ["SET", "--no-raw", "-1", "--", "--save"]);
    }

    #[test]
    fn the_newer_profile_is_the_default_and_there_are_two() {
        let profile = |args: &[&str]| {
            let args = Args::try_parse_from([&["tallis", "cli"], args].concat()).ok()?;
            let Command::Cli(args) = args.command else { panic!("not cli") };
            Some((args.profile, args.resp3))
        };
        assert_eq!(profile(&["GET", "-3"]), Some((Profile::Redis72, false)));
        assert_eq!(profile(&["-3", "--profile", "7.2"]), Some((Profile::Redis72, true)));
        assert_eq!(profile(&["--profile=7.0", "-3", "GET"]), Some((Profile::Redis70, true)));
        assert_eq!(profile(&["--profile", "7.4"]), None);
    }

    #[test]
    fn a_mistyped_option_is_no_command_and_a_hyphen_inside_one_is_an_argument() {
        assert!(Args::try_parse_from(["tallis", "cli", "--nope"]).is_err());
        assert!(Args::try_parse_from(["tallis", "cli", "INCRBY", "k", "-5", "--nope"]).is_ok());
    }
}
