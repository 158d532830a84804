//! The command line of `tallis cli`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tallis::{Profile, Target};

use super::directory::DirectoryArgs;

const CLI_EXAMPLES: &str = "\
Examples:
  tallis cli PFADD uv alice bob
  tallis cli --load damaged.rdb --salvage --save whole.rdb --rdb-version 11 DBSIZE
  tallis cli --load visitors.rdb --no-raw PFCOUNT uv:2015-05-17 uv:2015-05-18
  tallis cli --load users.rdb --json HGETALL user:1 | jq .name
  printf 'SET k v\\nGET k\\n' | tallis cli --save dump.rdb
  tallis cli --dir data --fsync always INCR visits
  tallis cli

Without a command, commands are read from standard input, one per line, quoted as in redis-cli:
\"a\\x00b\" interprets escapes, 'a\\b' does not. On a terminal, a prompt is shown: help lists what is
available, Tab completes names, quit exits. The history is kept in ~/.tallis_history, or in the file that
TALLIS_HISTFILE names; with /dev/null, no history is kept.

With --dir, changes are appended to the append-only log of a directory as commands make them, in Redis's
format; redis-server can start from it. If the program is killed, the changes of the last hundredths of a
second are lost; with --fsync always, no change that was replied to is lost. Only one program at a time
can use a directory. If the last command of a log is incomplete, the end of the log is cut off and this
is reported. A log that is damaged in another way, or has an unknown command, is an error, and nothing
is changed.

If commands are piped in, each line is replied to before the next one is run. With --fsync always, each
change is on disk before its reply is printed.

--json prints the same output as redis-cli --json. It is not valid JSON in three cases: an error is
printed as error:\"...\", an infinite score as inf or -inf, and bytes that are not UTF-8 are printed
unchanged. With --quoted-json, every backslash is doubled, including the one before a quote, so a JSON
parser takes the first quote in a string for its end. Replies to INFO and help are printed as text in
every style.

With --save or --dir, an interrupt or SIGTERM saves the changes before the program exits. At the prompt,
Ctrl-C discards the line.

Exit status: 0, even if a command replies with an error; 1 if a file cannot be read or written, 2 for a
usage error, 130 after an interrupt.";

/// `tallis cli`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = CLI_EXAMPLES)]
pub struct CliArgs {
    /// Load this file first: an RDB file, or the directory or a file (.aof) of an append-only log
    #[arg(long, visible_alias = "rdb", value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// If the file is damaged, load the part before the damage
    #[arg(long, requires = "load")]
    pub salvage: bool,

    /// Save the store to this file at the end
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// The directory of the store.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// RDB version of the saved file; 80 is Valkey's [default: 10, or the lowest later version that the values
    /// need]
    #[arg(
        long,
        value_name = "9|10|11|12|80",
        requires = "save",
        hide_possible_values = true,
        value_parser = versions()
    )]
    pub rdb_version: Option<Target>,

    /// Show types, quotes and element numbers even when the output is not a terminal
    #[arg(long)]
    pub no_raw: bool,

    /// Print replies as JSON, one per line, with the types of RESP3 unless -2 is given
    #[arg(long, conflicts_with_all = ["no_raw", "quoted_json"])]
    pub json: bool,

    /// As --json, but in ASCII only: non-printable bytes in strings are written as \\xHH
    #[arg(long, conflicts_with = "no_raw")]
    pub quoted_json: bool,

    /// Use the reply types of RESP2: arrays and strings instead of maps, sets, doubles and verbatim strings
    #[arg(short = '2', conflicts_with = "resp3")]
    pub resp2: bool,

    /// Use the reply types of RESP3: maps, sets and verbatim strings instead of arrays and strings
    #[arg(short = '3')]
    pub resp3: bool,

    /// Server release series whose bytes and replies to reproduce
    #[arg(
        long,
        value_name = "7.0|7.2|8.2|valkey-9.1",
        default_value = Profile::default().name(),
        hide_possible_values = true,
        value_parser = profiles()
    )]
    pub profile: Profile,

    /// A command and its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

impl CliArgs {
    /// Returns whether replies have the types of RESP3.
    #[must_use]
    pub const fn is_resp3(&self) -> bool {
        self.resp3 || (self.json || self.quoted_json) && !self.resp2
    }
}

fn profiles() -> impl TypedValueParser<Value = Profile> {
    let names = PossibleValuesParser::new(Profile::ALL.map(Profile::name));
    names.try_map(|name| {
        let profile = Profile::ALL.into_iter().find(|profile| profile.name() == name);
        profile.ok_or("unknown release series")
    })
}

fn versions() -> impl TypedValueParser<Value = Target> {
    let numbers = PossibleValuesParser::new(["9", "10", "11", "12", "13", "80"]);
    numbers.try_map(|number| {
        let target = Target::ALL.into_iter().find(|target| target.number().to_string() == number);
        target.ok_or("unsupported version")
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    #[test]
    fn options_after_the_command_belong_to_it() {
        let args = ["tallis", "cli", "--rdb", "a", "SET", "--no-raw", "-1", "--", "--save"];
        let Command::Cli(args) = Args::parse_from(args).command else { panic!("not cli") };
        assert_eq!(args.load, Some(PathBuf::from("a")));
        assert!(!args.no_raw && args.save.is_none());
        assert_eq!(args.command, ["SET", "--no-raw", "-1", "--", "--save"]);
    }

    #[test]
    fn profiles_are_chosen_by_name() {
        let profile = |args: &[&str]| {
            let args = Args::try_parse_from([&["tallis", "cli"], args].concat()).ok()?;
            let Command::Cli(args) = args.command else { panic!("not cli") };
            Some((args.profile, args.resp3))
        };
        assert_eq!(profile(&["GET", "-3"]), Some((Profile::Redis72, false)));
        assert_eq!(profile(&["-3", "--profile", "7.2"]), Some((Profile::Redis72, true)));
        assert_eq!(profile(&["--profile=7.0", "-3", "GET"]), Some((Profile::Redis70, true)));
        assert_eq!(profile(&["--profile", "8.2"]), Some((Profile::Redis82, false)));
        assert_eq!(profile(&["--profile", "valkey-9.1"]), Some((Profile::Valkey91, false)));
        assert_eq!(profile(&["--profile", "7.4"]), None);
    }

    #[test]
    fn json_has_the_types_of_resp3_unless_resp2_is_requested() {
        for (options, want) in [
            (&["PING"][..], false),
            (&["-2"], false),
            (&["-3"], true),
            (&["--json"], true),
            (&["--quoted-json"], true),
            (&["--json", "-3"], true),
            (&["--json", "-2"], false),
            (&["-2", "--quoted-json"], false),
            (&["PING", "--json"], false),
        ] {
            let args = Args::parse_from([&["tallis", "cli"], options].concat());
            let Command::Cli(args) = args.command else { panic!("not cli") };
            assert_eq!(args.is_resp3(), want, "{options:?}");
        }
    }

    #[test]
    fn a_mistyped_option_is_an_error_and_a_hyphen_after_a_command_is_an_argument() {
        assert!(Args::try_parse_from(["tallis", "cli", "--nope"]).is_err());
        assert!(Args::try_parse_from(["tallis", "cli", "INCRBY", "k", "-5", "--nope"]).is_ok());
    }
}
