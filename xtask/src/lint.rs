//! `cargo xtask lint`: the checks that a change must pass before its tests are run.

use std::process::Stdio;

use crate::features::FEATURES;
use crate::run::{Outcome, cargo, step, succeed};
use crate::{checks, deny, features, fuzz, metadata};

/// A step: its heading and its function.
type Step = (&'static str, fn() -> Outcome);

const STEPS: &[Step] = &[
    ("Format", format),
    ("Rules of the project", checks::run),
    ("Clippy", clippy),
    ("Features", features::run),
    ("Rust version", metadata::rust_version),
    ("Dependencies", deny::lint),
    ("Documentation", documentation),
    ("Clippy on the fuzz targets", fuzz::clippy),
];

/// Runs every step, even after one has failed, and names those that failed.
pub(crate) fn run() -> Outcome {
    tools()?;
    let mut failed = Vec::new();
    for (title, work) in STEPS {
        if let Err(why) = step(title, work) {
            println!("{why}");
            failed.push(*title);
        }
    }
    println!();
    if failed.is_empty() {
        println!("lint: all clean");
        Ok(())
    } else {
        Err(format!("lint: failed: {}", failed.join(", ")))
    }
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
