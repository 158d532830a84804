//! Builds the fuzz targets.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{Outcome, cargo, host, succeed, with_flags};
use crate::tree;

/// The purpose of a build, which determines its profile and flags.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// A search for new inputs, with all of cargo-fuzz's flags, optimised.
    Search,
    /// A run of seconds. Most of its time is the compiler's, so it is not optimised, does not trace comparisons, and has
    /// no sanitizer: with it, some targets ran only their seeds in that time.
    Smoke,
}

impl Purpose {
    /// Returns the cargo profile, and the name of its folder in `target`.
    const fn profile(self) -> (&'static str, &'static str) {
        match self {
            Self::Search => ("release", "release"),
            Self::Smoke => ("dev", "debug"),
        }
    }

    fn flags(self) -> impl Iterator<Item = &'static str> {
        let more: &[&str] = match self {
            Self::Search => SEARCH_FLAGS,
            Self::Smoke => &[],
        };
        FLAGS.iter().chain(more).copied()
    }
}

/// The compiler flags of cargo-fuzz that every build needs.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "--cfg=fuzzing",
];

/// The other compiler flags of cargo-fuzz, which a search gains from.
const SEARCH_FLAGS: &[&str] = &[
    "-Zsanitizer=address",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-sanitizer-coverage-stack-depth",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    // The coverage pass marks functions so that they are not inlined across codegen units.
    "-Ccodegen-units=1",
];

/// Builds these targets, or all, and returns the folder of the programs.
pub(super) fn build(purpose: Purpose, targets: Option<&[String]>) -> Outcome<PathBuf> {
    let host = host()?;
    let mut command = cargo_in_fuzz("build", purpose, &host);
    match targets {
        Some(targets) => {
            for target in targets {
                command.args(["--bin", target]);
            }
        }
        None => {
            command.arg("--bins");
        }
    }
    succeed(&mut command)?;
    let (_, folder) = purpose.profile();
    Ok(tree::root().join("fuzz/target").join(host).join(folder))
}

/// Returns `cargo` with the settings of a build.
fn cargo_in_fuzz(subcommand: &str, purpose: Purpose, host: &str) -> Command {
    let mut command = cargo([subcommand, "--manifest-path", "fuzz/Cargo.toml", "--locked"]);
    let (profile, _) = purpose.profile();
    command.args(["--profile", profile, "--target", host, "--target-dir", "fuzz/target"]);
    with_flags(&mut command, purpose.flags());
    command
}

/// Runs clippy on the targets, with the settings of [`Purpose::Smoke`], so that both share one build of libFuzzer.
pub(crate) fn clippy() -> Outcome {
    let mut command = cargo_in_fuzz("clippy", Purpose::Smoke, &host()?);
    succeed(command.args(["--bins", "--", "--deny", "warnings"]))
}
