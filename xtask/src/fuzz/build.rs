//! Builds the fuzz targets.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{Outcome, cargo, host, succeed, with_flags};
use crate::tree;

/// The compiler flags of cargo-fuzz.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-sanitizer-coverage-stack-depth",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    // The coverage pass marks functions so that they are not inlined across codegen units.
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
    "-Zsanitizer=address",
];

/// Builds these targets, or all, and returns the folder of the programs.
pub(super) fn build(targets: Option<&[String]>) -> Outcome<PathBuf> {
    let host = host()?;
    let mut command = cargo_in_fuzz("build", &host);
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
    Ok(tree::root().join("fuzz/target").join(host).join("release"))
}

/// Returns `cargo` with the settings with which the targets are built for fuzzing.
///
/// The linter uses the same settings, so that both share one build of libFuzzer.
fn cargo_in_fuzz(subcommand: &str, host: &str) -> Command {
    let mut command = cargo([subcommand, "--manifest-path", "fuzz/Cargo.toml", "--locked"]);
    command.args(["--release", "--target", host, "--target-dir", "fuzz/target"]);
    with_flags(&mut command, FLAGS.iter().copied());
    command
}

/// Runs clippy on the targets.
pub(crate) fn clippy() -> Outcome {
    succeed(cargo_in_fuzz("clippy", &host()?).args(["--bins", "--", "--deny", "warnings"]))
}
