//! The parts of the program `tallis`.
//!
//! They are a library so that benchmarks, fuzz targets and tests can use them; only the program has a stable interface.

mod args;
pub mod bloom;
pub mod check;
pub mod cli;
mod color;
mod columns;
pub mod convert;
pub mod dedup;
mod destination;
#[cfg(unix)]
pub mod encodings;
mod failure;
mod files;
pub mod geo;
mod input;
pub mod inspect;
mod interrupt;
pub mod locate;
pub mod machine;
pub mod man;
mod memory;
pub mod merge;
mod number;
mod output;
pub mod plot;
mod progress;
mod reading;
mod snapshot;
mod source;
mod table;
mod target;
pub mod uv;

pub use args::{
    Args, BloomArgs, BloomCommand, CheckArgs, CliArgs, Command, CompletionsArgs, ConvertArgs,
    DedupArgs, DirectoryArgs, FilterArgs, Form, GeoArgs, InspectArgs, LocateArgs, ManArgs,
    MergeArgs, PlanArgs, UvArgs,
};
#[cfg(unix)]
pub use args::{EncodingsArgs, Versus};
pub use columns::Columns;
pub use failure::Failure;
pub use memory::Memory;
pub use reading::BadRow;

/// Runs the command of the command line. `memory` measures what the program's allocator holds, for `tallis encodings`.
///
/// # Errors
///
/// See [`uv::run`], [`locate::run`], [`geo::run`], [`bloom::run`], [`dedup::run`], [`merge::run`], [`cli::run`],
/// [`check::run`], [`inspect::run`], [`convert::run`], [`encodings::run`], [`man::complete`] and [`man::run`].
pub fn run(args: &Args, memory: &dyn Memory) -> Result<(), Failure> {
    if args.quiet {
        progress::be_quiet();
    }
    #[cfg(not(unix))]
    let _ = memory;
    match &args.command {
        Command::Uv(args) => uv::run(args),
        Command::Locate(args) => locate::run(args),
        Command::Geo(args) => geo::run(args),
        Command::Bloom(args) => bloom::run(args),
        Command::Dedup(args) => dedup::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Cli(args) => cli::run(args),
        Command::Check(args) => check::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Convert(args) => convert::run(args),
        #[cfg(unix)]
        Command::Encodings(args) => encodings::run(args, memory),
        Command::Completions(args) => man::complete(*args),
        Command::Man(args) => man::run(args),
    }
}
