//! `cargo xtask fuzz`: the targets of `fuzz/`, on the stable toolchain as installed.
//!
//! The targets are written for cargo-fuzz, and `cargo fuzz run` works on them. This task does not use that program,
//! because it only adds a list of flags to a build, and a machine with Rust and a C++ compiler should need nothing
//! else. The flags for coverage are stable. The address sanitizer is not, but its runtime ships with every toolchain,
//! so `RUSTC_BOOTSTRAP` is set for it.

mod build;
mod corpus;
mod session;
mod summary;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Args;

pub(crate) use build::{Purpose, clippy};

use self::build::build;
use self::summary::{Row, table};
use crate::run::{Outcome, step, succeed};
use crate::tree;

/// The arguments of `cargo xtask fuzz`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes in total, divided equally among the targets.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
    /// Minutes for each target, instead of minutes in total.
    #[arg(long, value_name = "MINUTES", conflicts_with = "minutes", value_parser = clap::value_parser!(u32).range(1..))]
    each: Option<u32>,
    /// Copies minimised inputs to fuzz/seeds, where they are committed: at most 32 inputs and 16 KiB per target.
    #[arg(long)]
    keep_seeds: bool,
    /// Runs the target with this input file only, to reproduce a failure.
    #[arg(long, value_name = "FILE", requires = "targets")]
    input: Option<PathBuf>,
    /// The targets to run; all targets by default.
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// Runs the targets for the given time, as many at a time as there are cores.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let targets = chosen(&arguments.targets)?;
    let programs = step("Build", || {
        build(Purpose::Search, (!arguments.targets.is_empty()).then_some(&targets))
    })?;
    if let Some(input) = &arguments.input {
        let input = fs::canonicalize(input).map_err(|why| format!("{}: {why}", input.display()))?;
        return targets
            .iter()
            .try_for_each(|target| succeed(session::program(&programs, target)?.arg(&input)));
    }
    let seconds = match arguments.each {
        Some(minutes) => minutes.saturating_mul(60),
        None => share(arguments.minutes, targets.len(), cores()),
    };
    println!("\ntargets: {}, {seconds} s each, {} at a time", targets.len(), cores());
    let rows =
        side_by_side(&targets, |target| one(&programs, target, seconds, arguments.keep_seeds))?;
    println!("\n{}", table(&rows));
    let found = rows.iter().filter(|row| !row.progress.clean).map(|row| row.target.as_str());
    let found: Vec<&str> = found.collect();
    if found.is_empty() { Ok(()) } else { Err(format!("failed targets: {}", found.join(", "))) }
}

/// Returns the seconds for each of the targets, if this many run at a time for some minutes.
fn share(minutes: u32, targets: usize, at_a_time: usize) -> u32 {
    let turns = u32::try_from(targets.div_ceil(at_a_time.max(1))).unwrap_or(u32::MAX);
    (minutes.saturating_mul(60) / turns.max(1)).max(1)
}

/// Runs a target and minimises its corpus.
fn one(programs: &Path, target: &str, seconds: u32, keep_seeds: bool) -> Outcome<Row> {
    let before = corpus::len(target);
    let progress = session::run(programs, target, seconds)?;
    let reached = corpus::len(target);
    // A finding is reported even if the corpus cannot be minimised.
    let minimised = corpus::minimise(programs, target);
    let kept = minimised.and_then(|()| {
        if keep_seeds { corpus::keep_seeds(programs, target).map(Some) } else { Ok(None) }
    });
    let seeds = kept.unwrap_or_else(|why| {
        println!("{why}");
        None
    });
    let after = corpus::len(target);
    let executions = progress.executions;
    println!(
        "{target}: {executions} runs, corpus {before}, grown to {reached}, minimised to {after}"
    );
    Ok(Row { target: target.to_owned(), progress, corpus: [before, after], seeds })
}

/// Runs each target of a build for some seconds, one per core at a time, and prints a line for each; returns whether
/// each was without a finding.
pub(crate) fn run_each(purpose: Purpose, seconds: u32) -> Outcome<Vec<bool>> {
    let programs = build(purpose, None)?;
    side_by_side(&targets()?, |target| {
        let progress = session::run(&programs, target, seconds)?;
        if progress.clean {
            println!("{target}: {} runs", progress.executions);
        }
        Ok(progress.clean)
    })
}

/// Calls `work` for each item, one per core at a time; the results are in the order of the items.
fn side_by_side<R: Send>(
    items: &[String],
    work: impl Fn(&str) -> Outcome<R> + Sync,
) -> Outcome<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let do_some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = work(item);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(do_some);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Returns all targets, by name.
fn targets() -> Outcome<Vec<String>> {
    let files = tree::files(&tree::root().join("fuzz/fuzz_targets"), "rs")?;
    Ok(files
        .iter()
        .filter_map(|file| file.file_stem())
        .map(|name| name.to_string_lossy().into_owned())
        .collect())
}

/// Returns the targets with these names, or all if there are no names.
fn chosen(names: &[String]) -> Outcome<Vec<String>> {
    let all = targets()?;
    if let Some(name) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!("no target {name}; the targets are {}", all.join(", ")));
    }
    Ok(if names.is_empty() { all } else { names.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::{chosen, share, side_by_side, targets};
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
    fn every_folder_of_seeds_belongs_to_a_target() {
        let targets = targets().expect("a list");
        for folder in tree::entries(&tree::root().join("fuzz/seeds")).expect("a folder") {
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(targets.contains(&name), "{name}");
        }
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_list() {
        let why = chosen(&["no_such_target".to_owned()]).expect_err("no such target");
        assert!(why.contains(&targets().expect("a list")[0]), "{why}");
        assert_eq!(chosen(&[]), targets());
        let two = ["wire", "aof_log"].map(str::to_owned);
        assert_eq!(chosen(&two), Ok(two.to_vec()));
    }

    #[test]
    fn minutes_are_shared_out_among_targets_and_cores() {
        assert_eq!(share(10, 40, 2), 30);
        assert_eq!(share(10, 41, 2), 28);
        assert_eq!(share(1, 1, 8), 60);
        assert_eq!(share(1, 1000, 1), 1);
    }

    #[test]
    fn results_are_in_order_and_an_error_is_a_result() {
        let items: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(side_by_side(&items, |item| Ok(item.to_owned())), Ok(items.clone()));
        let odd = |item: &str| if item == "7" { Err("seven".to_owned()) } else { Ok(()) };
        assert_eq!(side_by_side(&items, odd), Err("seven".to_owned()));
    }
}
