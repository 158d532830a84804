//! The `tallis` program.

use std::process::ExitCode;

use tallis_cli::{Args, run};

fn main() -> ExitCode {
    match Args::read().and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.status())
        }
    }
}
