//! The parts of the `tallis` program.
//!
//! They are a library so that benchmarks, fuzz targets and tests can reach them; what is kept stable is the program.

mod args;
pub mod bloom;
pub mod cli;
pub mod dedup;
mod failure;
pub mod geo;
mod input;
mod interrupt;
pub mod locate;
pub mod merge;
mod number;
mod output;
mod plot;
mod progress;
mod reading;
mod target;
pub mod uv;

pub use args::{
    Args, BloomArgs, BloomCommand, CliArgs, Command, DedupArgs, GeoArgs, LocateArgs, MergeArgs,
    PlanArgs, UvArgs,
};
pub use failure::Failure;

/// Does what the command line asks for.
///
/// # Errors
///
/// See [`uv::run`], [`locate::run`], [`geo::run`], [`bloom::run`], [`dedup::run`], [`merge::run`] and [`cli::run`].
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.command {
        Command::Uv(args) => uv::run(args),
        Command::Locate(args) => locate::run(args),
        Command::Geo(args) => geo::run(args),
        Command::Bloom(args) => bloom::run(args),
        Command::Dedup(args) => dedup::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Cli(args) => cli::run(args),
    }
}
