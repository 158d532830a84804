//! `cargo xtask lint`: the checks that a change must pass before its tests are run.

use std::env;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::thread;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::features::FEATURES;
use crate::run::{Outcome, captured, cargo, step, succeed};
use crate::{checks, commands, deny, features, fuzz, metadata};

/// The arguments of `cargo xtask lint`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The steps to run; all steps by default.
    #[arg(value_name = "STEP", value_parser = PossibleValuesParser::new(names()))]
    steps: Vec<String>,
}

/// A step.
#[derive(Debug)]
struct Step {
    /// The name that selects it.
    name: &'static str,
    /// Its heading.
    title: &'static str,
    work: fn() -> Outcome,
}

impl Step {
    const fn new(name: &'static str, title: &'static str, work: fn() -> Outcome) -> Self {
        Self { name, title, work }
    }

    /// Runs the step, prints why it failed, and returns whether it passed.
    fn run(&self) -> bool {
        step(self.title, self.work).inspect_err(|why| println!("{why}")).is_ok()
    }
}

/// The steps that run by themselves: the first three take no time, and Clippy keeps all cores busy.
const FIRST: &[Step] = &[
    Step::new("format", "Format", format),
    Step::new("rules", "Rules of the project", checks::run),
    Step::new("commands", "Commands that sources and pages name", commands::run),
    Step::new("clippy", "Clippy", clippy),
];

/// The other steps that build in the workspace's `target`. They often wait for one crate.
const THEN: &[Step] = &[
    Step::new("features", "Features", features::run),
    Step::new("rust-version", "Rust version", metadata::rust_version),
    Step::new("documentation", "Documentation", documentation),
];

/// The steps that build elsewhere, so that they can run at the same time: cargo lets only one build at a time use a
/// directory.
const BESIDE: &[Step] = &[
    Step::new("dependencies", "Dependencies", deny::lint),
    Step::new("fuzz", "Clippy on the fuzz targets", fuzz::clippy),
];

/// Returns every step.
fn steps() -> impl Iterator<Item = &'static Step> {
    [FIRST, THEN, BESIDE].into_iter().flatten()
}

fn names() -> impl Iterator<Item = &'static str> {
    steps().map(|step| step.name)
}

/// Runs every step, even after one has failed, and names those that failed.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    tools()?;
    let failed: Vec<_> = if arguments.steps.is_empty() {
        all()?
    } else {
        let chosen = steps().filter(|step| arguments.steps.iter().any(|name| name == step.name));
        chosen.filter(|step| !step.run()).map(|step| step.title).collect()
    };
    if arguments.steps.len() == 1 {
        // Its last line says what this would say.
        return if failed.is_empty() { Ok(()) } else { Err(String::new()) };
    }
    println!();
    if failed.is_empty() {
        println!("lint: all clean");
        Ok(())
    } else {
        Err(format!("lint: failed: {}", failed.join(", ")))
    }
}

/// Runs all steps, and returns the titles of those that failed. The output of those that run beside others follows
/// theirs.
fn all() -> Outcome<Vec<&'static str>> {
    let program = env::current_exe().map_err(|why| format!("the path of this program: {why}"))?;
    let failed = |steps: &'static [Step]| {
        steps.iter().filter(|step| !step.run()).map(|step| step.title).collect::<Vec<_>>()
    };
    let mut all = failed(FIRST);
    let beside = thread::spawn(move || {
        let run = |step: &'static Step| {
            let mut command = Command::new(&program);
            command.args(["lint", step.name]).stdin(Stdio::null());
            (step.title, captured(command))
        };
        BESIDE.iter().map(run).collect::<Vec<_>>()
    });
    all.extend(failed(THEN));
    let beside = beside.join().map_err(|_| "the thread of the other steps panicked")?;
    for (title, outcome) in beside {
        let passed = outcome.and_then(|(passed, output)| {
            io::stdout().write_all(&output).map_err(|why| why.to_string())?;
            Ok(passed)
        });
        if !passed.inspect_err(|why| println!("{why}")).unwrap_or(false) {
            all.push(title);
        }
    }
    Ok(all)
}

/// rustfmt and clippy are components that a minimal toolchain does not have.
fn tools() -> Outcome {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let mut command = cargo([tool, "--version"]);
        let there = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !there.is_ok_and(|status| status.success()) {
            return Err(format!(
                "cargo {tool} not found; install it with: rustup component add {component}"
            ));
        }
    }
    Ok(())
}

fn format() -> Outcome {
    succeed(&mut cargo(["fmt", "--all", "--check"]))?;
    succeed(&mut cargo(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
}

fn clippy() -> Outcome {
    let mut command = cargo(["clippy", "--workspace", "--all-targets", "--locked"]);
    succeed(command.args(FEATURES).args(["--", "--deny", "warnings"]))
}

/// Only libraries: the documentation of the program `tallis` would overwrite that of the library `tallis`.
fn documentation() -> Outcome {
    let mut command = cargo(["doc", "--workspace", "--lib", "--no-deps", "--locked"]);
    command.args(FEATURES);
    succeed(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::names;

    #[test]
    fn a_name_selects_one_step() {
        let all: Vec<_> = names().collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
    }
}
