//! The command line, with one file per command.

mod bloom;
mod check;
mod cli;
mod convert;
mod dedup;
mod directory;
#[cfg(unix)]
mod encodings;
mod filter;
mod geo;
mod help;
mod inspect;
mod locate;
mod man;
mod merge;
mod uv;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use bloom::{BloomArgs, BloomCommand, PlanArgs};
pub use check::CheckArgs;
pub use cli::CliArgs;
pub use convert::{ConvertArgs, Form};
pub use dedup::DedupArgs;
pub use directory::DirectoryArgs;
#[cfg(unix)]
pub use encodings::{EncodingsArgs, Versus};
pub use filter::FilterArgs;
pub use geo::GeoArgs;
pub use inspect::InspectArgs;
pub use locate::LocateArgs;
pub use man::{CompletionsArgs, ManArgs};
pub use merge::MergeArgs;
pub use uv::UvArgs;

use crate::failure::Failure;

/// Redis's data structures in-process: count visitors, locate users, find places, run Redis commands without a server.
#[derive(Clone, Debug, Parser)]
#[command(name = "tallis", version, about, max_term_width = 100)]
pub struct Args {
    /// Print no progress bar and no notes on standard error; errors are still printed
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
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
    /// Write each line once, in order, and drop duplicates
    Dedup(DedupArgs),
    /// Merge several files: RDB files, and frames of uv --emit
    Merge(MergeArgs),
    /// Run Redis commands on an in-process store, with the input and output of redis-cli
    Cli(CliArgs),
    /// Verify RDB files and append-only logs
    Check(CheckArgs),
    /// Show the contents of an RDB file or an append-only log: types, encodings, prefixes, expiries, biggest keys
    Inspect(InspectArgs),
    /// Convert an RDB file or an append-only log to another version, to JSON lines or to commands
    Convert(ConvertArgs),
    /// Measure the cost of each encoding on this machine, in bytes and nanoseconds
    #[cfg(unix)]
    Encodings(EncodingsArgs),
    /// Print the completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

impl Args {
    /// The command line of this process.
    ///
    /// # Errors
    ///
    /// [`Failure::CommandLine`]: it does not parse, or asks for help or for the version.
    pub fn read() -> Result<Self, Failure> {
        Self::read_from(std::env::args_os())
    }

    /// Parses the words of a command line; the first is the name of the program.
    ///
    /// # Errors
    ///
    /// As for [`Args::read`].
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::{Args, Command};
    ///
    /// let args = Args::read_from(["tallis", "uv", "--every", "hour"])?;
    /// assert!(matches!(args.command, Command::Uv(_)));
    /// assert_eq!(Args::read_from(["tallis", "nope"]).unwrap_err().status(), 2);
    /// # Ok::<(), tallis_cli::Failure>(())
    /// ```
    pub fn read_from<W: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, Failure> {
        let matches = Self::definition().try_get_matches_from(words)?;
        Ok(Self::from_arg_matches(&matches)?)
    }

    /// Returns the definition of the command line: commands, options and their help.
    #[must_use]
    pub fn definition() -> clap::Command {
        help::prepare(Self::command())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::definition().debug_assert();
    }
}
