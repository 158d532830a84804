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

Without a command, commands are read from standard input, one a line, with redis-cli's quotes:
\"a\\x00b\" takes escapes, 'a\\b' does not. On a terminal there is a prompt: help shows what there is,
Tab completes names, quit leaves. Its history is in ~/.tallis_history, or in the file that
TALLIS_HISTFILE names; /dev/null keeps none.

With --dir, what commands do goes into the append-only log of a directory as they do it, in Redis's
format; redis-server starts on it. A program that is killed loses what it did in the last hundredths
of a second, and with --fsync always nothing that was answered. One program at a time has a directory. Of a log whose last command is not whole, the end is cut off and reported; another
one that is damaged, or has a command that is not known here, is an error, and nothing is changed.

Each line of a pipe is answered before the next one is run. With --fsync always, what was answered is
on the disk.

--json prints what redis-cli --json prints, which is no JSON in three cases: an error is error:\"...\",
an infinite score is inf or -inf, and bytes that are not UTF-8 stay as they are. With --quoted-json
the backslash before a quote is doubled, as each one is, so a reader of JSON takes the first quote in
a string for its end. The replies to INFO and help are shown as text in every style.

With --save or --dir, an interrupt or SIGTERM saves what the commands did before the program ends; at the
prompt, Ctrl-C drops the line.

Exit status: 0, even where a command replies with an error; 1 if a file cannot be read or written, 2 for
a wrong command line, 130 after an interrupt.";

/// `tallis cli`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = CLI_EXAMPLES)]
pub struct CliArgs {
    /// Load this file first: an RDB file, or the folder or a file (.aof) of an append-only log
    #[arg(long, visible_alias = "rdb", value_name = "FILE.rdb")]
    pub load: Option<PathBuf>,

    /// Load what can be read of a damaged file: what stands before the damage
    #[arg(long, requires = "load")]
    pub salvage: bool,

    /// Write the store to this file at the end
    #[arg(long, value_name = "FILE.rdb")]
    pub save: Option<PathBuf>,

    /// Where the store is kept.
    #[command(flatten)]
    pub directory: DirectoryArgs,

    /// The version of the file that is saved: by default 10, or the lowest later one that its values need; 80 is
    /// Valkey's
    #[arg(
        long,
        value_name = "9|10|11|12|80",
        requires = "save",
        hide_possible_values = true,
        value_parser = versions()
    )]
    pub rdb_version: Option<Target>,

    /// Show types, quotes and numbers of elements even when the output is no terminal
    #[arg(long)]
    pub no_raw: bool,

    /// Show replies as JSON, one a line, in the shapes of RESP3 unless -2 is there too
    #[arg(long, conflicts_with_all = ["no_raw", "quoted_json"])]
    pub json: bool,

    /// The same in ASCII alone: bytes that do not print are \\xHH in strings
    #[arg(long, conflicts_with = "no_raw")]
    pub quoted_json: bool,

    /// Show replies in the shapes of RESP2: arrays and strings in place of maps, sets, scores and texts
    #[arg(short = '2', conflicts_with = "resp3")]
    pub resp2: bool,

    /// Show replies in the shapes of RESP3: maps, sets and texts as such, not as arrays and strings
    #[arg(short = '3')]
    pub resp3: bool,

    /// The release series of servers whose bytes and replies to use
    #[arg(
        long,
        value_name = "7.0|7.2|8.2|valkey-9.1",
        default_value = Profile::default().name(),
        hide_possible_values = true,
        value_parser = profiles()
    )]
    pub profile: Profile,

    /// One command and its arguments
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
        profile.ok_or("it is none of the release series that there are")
    })
}

fn versions() -> impl TypedValueParser<Value = Target> {
    let numbers = PossibleValuesParser::new(["9", "10", "11", "12", "13", "80"]);
    numbers.try_map(|number| {
        let target = Target::ALL.into_iter().find(|target| target.number().to_string() == number);
        target.ok_or("it is none of the versions that are written")
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
    fn json_has_the_shapes_of_resp3_unless_those_of_resp2_are_asked_for() {
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
    fn a_mistyped_option_is_no_command_and_a_hyphen_inside_one_is_an_argument() {
        assert!(Args::try_parse_from(["tallis", "cli", "--nope"]).is_err());
        assert!(Args::try_parse_from(["tallis", "cli", "INCRBY", "k", "-5", "--nope"]).is_ok());
    }
}
