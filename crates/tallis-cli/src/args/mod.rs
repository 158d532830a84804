//! The command line: a file for each command.

mod bloom;
mod cli;
mod dedup;
mod geo;
mod locate;
mod merge;
mod uv;

use clap::{Parser, Subcommand};

pub use bloom::{BloomArgs, BloomCommand, PlanArgs};
pub use cli::CliArgs;
pub use dedup::DedupArgs;
pub use geo::GeoArgs;
pub use locate::LocateArgs;
pub use merge::MergeArgs;
pub use uv::UvArgs;

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
    /// Add up what several files hold: RDB files, and frames of uv --emit
    Merge(MergeArgs),
    /// Run Redis commands on a store in the process, in and out as redis-cli does
    Cli(CliArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }
}
