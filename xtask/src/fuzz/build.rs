//! How the targets are built.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{Outcome, cargo, host, succeed, with_flags};
use crate::tree;

/// The flags that cargo-fuzz gives to the compiler.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-sanitizer-coverage-stack-depth",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    // The coverage pass marks functions so that none is inlined across units.
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
    "-Zsanitizer=address",
];

/// Builds these targets, or all, and gives the folder of the programs.
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

/// `cargo` for the targets as they are built for fuzzing.
///
/// The linter takes the same way, so that both share one build of libFuzzer.
fn cargo_in_fuzz(subcommand: &str, host: &str) -> Command {
    let mut command = cargo([subcommand, "--manifest-path", "fuzz/Cargo.toml", "--locked"]);
    command.args(["--release", "--target", host, "--target-dir", "fuzz/target"]);
    with_flags(&mut command, FLAGS.iter().copied());
    command
}

/// Clippy over the targets.
pub(crate) fn clippy() -> Outcome {
    succeed(cargo_in_fuzz("clippy", &host()?).args(["--bins", "--", "--deny", "warnings"]))
}
