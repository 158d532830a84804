//! `cargo xtask fuzz`: the targets of `fuzz/`, on the stable toolchain as installed.
//!
//! The targets are cargo-fuzz's, and `cargo fuzz run` works on them. This does without the program, though: what it
//! adds to a build is a list of flags, and a machine that has Rust and a C++ compiler should need nothing more. The
//! flags for coverage are stable; the address sanitizer is not, and its runtime ships with every toolchain, so
//! `RUSTC_BOOTSTRAP` opens just that. The sanitizer stays on in short runs as well: it costs the build nothing (the
//! time goes into libFuzzer's C++), and a second build without it would cost all of that again.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Args;

use crate::run::{Outcome, cargo, output_of, step, succeed};
use crate::tree;

/// What `cargo xtask fuzz` takes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes in all, shared out equally among the targets.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
    /// Runs one file through TARGET instead, to see again what it does.
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Option<PathBuf>,
    /// The target to run; all of them if none is named.
    target: Option<String>,
}

/// Seconds after which one input counts as a hang.
const HANG: u32 = 20;

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

/// Runs the targets for the time given.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let targets = chosen(arguments.target.as_deref())?;
    let programs = step("Build", build)?;
    if let Some(input) = &arguments.input {
        let input = fs::canonicalize(input).map_err(|why| format!("{}: {why}", input.display()))?;
        return targets
            .iter()
            .try_for_each(|target| succeed(in_fuzz(&programs.join(target)).arg(&input)));
    }
    let share = u32::try_from(targets.len()).unwrap_or(u32::MAX);
    let seconds = (arguments.minutes.saturating_mul(60) / share.max(1)).max(1);
    let mut failed = Vec::new();
    for target in &targets {
        let outcome = step(&format!("{target}, {seconds} s"), || {
            succeed(&mut session(&programs, target, seconds)?)
        });
        if outcome.is_err() {
            println!("{}", how_to_reproduce(target));
            failed.push(target.as_str());
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("found something: {}", failed.join(", "))) }
}

/// Runs each target for some seconds, one on each core at a time, and prints a line for each; returns which ran clean.
pub(crate) fn smoke(seconds: u32) -> Outcome<Vec<bool>> {
    let programs = build()?;
    let targets = targets()?;
    let next = AtomicUsize::new(0);
    let run_some = || -> Outcome<Vec<bool>> {
        let mut clean = Vec::new();
        while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            clean.push(smoke_one(&programs, target, seconds)?);
        }
        Ok(clean)
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(run_some)).collect();
        let mut clean = Vec::new();
        for worker in workers {
            clean.extend(worker.join().map_err(|_| "a run of a target panicked")??);
        }
        Ok(clean)
    })
}

/// What a run has found is printed in one piece, since others print beside it.
fn smoke_one(programs: &Path, target: &str, seconds: u32) -> Outcome<bool> {
    let output = session(programs, target, seconds)?
        .output()
        .map_err(|error| format!("cannot run {target}: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let runs = log.lines().rev().find_map(|line| line.strip_prefix("Done ")).unwrap_or("ran");
        println!("{target}: {runs}");
    } else {
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(60)..].join("\n");
        println!("{last}\n{target}: FAILED. {}", how_to_reproduce(target));
    }
    Ok(output.status.success())
}

/// What to type to see the failure again.
fn how_to_reproduce(target: &str) -> String {
    let folder = Path::new("fuzz/artifacts").join(target);
    let files = tree::entries(&tree::root().join(&folder)).unwrap_or_default();
    let newest = files.iter().max_by_key(|file| file.metadata().and_then(|it| it.modified()).ok());
    let name = newest.and_then(|file| file.file_name()).unwrap_or("FILE".as_ref());
    format!("Again: cargo xtask fuzz {target} --input {}", folder.join(name).display())
}

/// The targets there are, by name.
fn targets() -> Outcome<Vec<String>> {
    let files = tree::files(&tree::root().join("fuzz/fuzz_targets"), "rs")?;
    Ok(files
        .iter()
        .filter_map(|file| file.file_stem())
        .map(|name| name.to_string_lossy().into_owned())
        .collect())
}

fn chosen(name: Option<&str>) -> Outcome<Vec<String>> {
    let all = targets()?;
    match name {
        None => Ok(all),
        Some(name) if all.iter().any(|target| target == name) => Ok(vec![name.to_owned()]),
        Some(name) => Err(format!("no target {name}; there are {}", all.join(", "))),
    }
}

/// Builds every target and gives the folder of the programs.
fn build() -> Outcome<PathBuf> {
    let host = host()?;
    succeed(&mut cargo_in_fuzz("build", &host))?;
    Ok(tree::root().join("fuzz/target").join(host).join("release"))
}

/// `cargo` for the targets as they are built for fuzzing.
///
/// The linter takes the same way, so that both share one build of libFuzzer.
fn cargo_in_fuzz(subcommand: &str, host: &str) -> Command {
    let mut command = cargo([subcommand, "--manifest-path", "fuzz/Cargo.toml", "--locked"]);
    command.args(["--release", "--bins", "--target", host, "--target-dir", "fuzz/target"]);
    let mut flags: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    flags.extend(std::env::var("RUSTFLAGS"));
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    command.env("RUSTFLAGS", flags.join(" ")).env("RUSTC_BOOTSTRAP", "1");
    command
}

/// Clippy over the targets.
pub(crate) fn clippy() -> Outcome {
    succeed(cargo_in_fuzz("clippy", &host()?).args(["--", "--deny", "warnings"]))
}

/// The name of this machine, as the compiler calls it.
fn host() -> Outcome<String> {
    let text = output_of(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

/// One run of a target: what it finds goes to the corpus, which is not committed; the seeds, which are, are only read.
fn session(programs: &Path, target: &str, seconds: u32) -> Outcome<Command> {
    let fuzz = tree::root().join("fuzz");
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = in_fuzz(&programs.join(target));
    command.arg(corpus);
    let seeds = fuzz.join("seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={HANG}"));
    Ok(command)
}

/// `program`, with what the address sanitizer needs to know.
fn in_fuzz(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree::root().join("fuzz"));
    // Two crates of one name and version, built apart, are no error.
    command.env("ASAN_OPTIONS", "detect_odr_violation=0");
    command
}

#[cfg(test)]
mod tests {
    use super::{chosen, targets};
    use crate::tree;

    #[test]
    fn every_target_is_a_program_of_the_manifest() {
        let manifest = tree::read(&tree::root().join("fuzz/Cargo.toml")).expect("the manifest");
        let targets = targets().expect("a list");
        assert!(!targets.is_empty());
        for target in &targets {
            assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
        }
        assert_eq!(manifest.matches("[[bin]]").count(), targets.len());
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_list() {
        let why = chosen(Some("no_such_target")).expect_err("no such target");
        assert!(why.contains(&targets().expect("a list")[0]), "{why}");
        assert_eq!(chosen(None), targets());
    }
}
