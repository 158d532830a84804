//! The development tasks of the workspace: `cargo xtask test | lint | deny | book | package | fuzz | faults | fuzz-live | servers | tcl | report |
//! instructions | lines | access-log`.
//!
//! Plain Rust instead of shell scripts, so that a task reads like the rest of the code and runs wherever the code
//! builds.

mod access_log;
mod bar;
mod book;
mod checks;
mod commands;
mod count;
mod deny;
mod faults;
mod features;
mod fuzz;
mod fuzz_live;
mod instructions;
mod lines;
mod lint;
mod metadata;
#[cfg(test)]
mod modules;
mod package;
mod programs;
mod report;
mod run;
mod servers;
mod setup;
mod tcl;
mod test;
mod tools;
mod tree;

use std::process::ExitCode;

use clap::Parser;

/// The development tasks of Tallis.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Runs all tests: those of the workspace, those of the documentation, and a short run of each fuzz target.
    Test(test::Arguments),
    /// Checks the format, lints, the documentation and the rules of the project.
    Lint(lint::Arguments),
    /// Checks the licences and sources of all dependencies, and that none is banned.
    Deny(deny::Arguments),
    /// Builds the guide as a book of HTML pages, and checks its links.
    Book,
    /// Creates the packages, and builds and tests the documentation of each from its package.
    Package,
    /// Runs the fuzz targets for some minutes, with the installed stable toolchain.
    Fuzz(fuzz::Arguments),
    /// Runs the tests in builds that detect other faults: overflows, memory errors, thread schedules.
    Faults(faults::Arguments),
    /// Runs random commands on a store and on a live redis-server, and compares the results.
    FuzzLive(fuzz_live::Arguments),
    /// Fetches the servers that the tests compare with, and lists those that are installed.
    Servers,
    /// Runs units of Redis's own test suite on a store behind a socket.
    Tcl(tcl::Arguments),
    /// Runs the benchmarks, and writes docs/benchmarks.md.
    Report(report::Arguments),
    /// Counts the instructions per item of each batched call, with valgrind.
    Instructions,
    /// Counts the lines of code of each crate.
    Lines,
    /// Generates the example log: prints it, or writes examples/access.log.
    AccessLog(access_log::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Lint(arguments) => lint::run(&arguments),
        Chore::Deny(arguments) => deny::run(&arguments),
        Chore::Book => book::run(),
        Chore::Package => package::run(),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Faults(arguments) => faults::run(&arguments),
        Chore::FuzzLive(arguments) => fuzz_live::run(&arguments),
        Chore::Servers => servers::run(),
        Chore::Tcl(arguments) => tcl::run(&arguments),
        Chore::Report(arguments) => report::run(&arguments),
        Chore::Instructions => instructions::run(),
        Chore::Lines => lines::run(),
        Chore::AccessLog(arguments) => access_log::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // The message is empty if the errors are already printed.
            if !why.is_empty() {
                eprintln!("{why}");
            }
            ExitCode::FAILURE
        }
    }
}
