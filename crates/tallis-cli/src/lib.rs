//! The parts of the `tallis` program.
//!
//! They are a library so that benchmarks, fuzz targets and tests can reach them; what is kept stable is the program.

mod args;
pub mod bloom;
pub mod check;
pub mod cli;
pub mod convert;
pub mod dedup;
mod failure;
mod files;
pub mod geo;
mod input;
pub mod inspect;
mod interrupt;
pub mod locate;
mod number;
mod output;
mod plot;
mod progress;
mod reading;
mod target;
pub mod uv;

pub use args::{
    Args, BloomArgs, BloomCommand, CheckArgs, CliArgs, Command, ConvertArgs, DedupArgs, FilterArgs,
    Form, GeoArgs, InspectArgs, LocateArgs, PlanArgs, UvArgs,
};
pub use failure::Failure;

/// Does what the command line asks for.
///
/// # Errors
///
/// See [`uv::run`], [`locate::run`], [`geo::run`], [`bloom::run`], [`dedup::run`], [`cli::run`], [`check::run`],
/// [`inspect::run`] and [`convert::run`].
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.command {
        Command::Uv(args) => uv::run(args),
        Command::Locate(args) => locate::run(args),
        Command::Geo(args) => geo::run(args),
        Command::Bloom(args) => bloom::run(args),
        Command::Dedup(args) => dedup::run(args),
        Command::Cli(args) => cli::run(args),
        Command::Check(args) => check::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Convert(args) => convert::run(args),
    }
}
