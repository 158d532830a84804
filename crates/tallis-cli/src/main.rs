//! The program `tallis`.

use std::process::ExitCode;

use tallis_cli::{Args, run};
use testkit::alloc::Counting;

/// Counts only while `tallis encodings` measures values.
#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

fn main() -> ExitCode {
    match Args::read().and_then(|args| run(&args, &ALLOCATOR)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.status())
        }
    }
}
