//! The development tasks of the workspace: `cargo xtask test | lint | deny | book | package | fuzz | faults | fuzz-live | servers | tcl | report |
//! instructions | lines | access-log`.
//!
//! Plain Rust instead of shell scripts, so that a task reads like the rest of the code and runs wherever the code
//! builds.

mod access_log;
mod bar;
mod book;
mod checks;
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

/// The chores of Tallis.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Runs every test: the workspace's, the documentation's, and a short run of each fuzz target.
    Test(test::Arguments),
    /// Checks format, lints, documentation and the rules of the house.
    Lint,
    /// Checks the licences and sources of all dependencies, and that none is banned.
    Deny(deny::Arguments),
    /// Builds the guide as a book of HTML pages, and checks its links.
    Book,
    /// Makes the packages, and builds and tests the documentation of each from its own.
    Package,
    /// Runs the fuzz targets for a while, on the stable toolchain as installed.
    Fuzz(fuzz::Arguments),
    /// Runs the tests in builds that show other faults: overflow, memory, schedules of threads.
    Faults(faults::Arguments),
    /// Runs random commands here and on a live redis-server, and compares.
    FuzzLive(fuzz_live::Arguments),
    /// Brings the servers that tests compare with, and shows which are there.
    Servers,
    /// Runs units of Redis's own test suite on a store behind a socket.
    Tcl(tcl::Arguments),
    /// Measures, and writes docs/benchmarks.md.
    Report(report::Arguments),
    /// Counts the instructions that an item of each batched call takes (with valgrind).
    Instructions,
    /// Counts the lines of code of each crate.
    Lines,
    /// Makes the example log: prints it, or writes examples/access.log.
    AccessLog(access_log::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Lint => lint::run(),
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
