//! `cargo xtask report`: measures, and writes the page of results.

use clap::Args;

use crate::run::{Outcome, cargo, output_of, step};
use crate::tree;

/// What `cargo xtask report` takes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Fewer rounds: to see that it works, not to be believed. Prints the page and leaves docs/benchmarks.md alone.
    #[arg(long)]
    quick: bool,
    /// Only these sections. Prints them and leaves docs/benchmarks.md alone.
    section: Vec<String>,
}

/// Where the results go.
const PAGE: &str = "docs/benchmarks.md";

/// Runs the report of the package `tallis-benches`.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut command = cargo(["run", "--release", "--quiet", "--locked"]);
    command.args(["--package", "tallis-benches", "--bin", "report"]);
    command.arg("--").args(arguments.quick.then_some("--quick")).args(&arguments.section);
    let page = step("Measure (nothing else should run meanwhile)", || output_of(&mut command))?;
    if arguments.quick || !arguments.section.is_empty() {
        print!("{page}");
        return Ok(());
    }
    tree::write(&tree::root().join(PAGE), &page)?;
    println!("wrote {PAGE}");
    Ok(())
}
