//! The `tallis` program.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match tallis_cli::run(&tallis_cli::Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
