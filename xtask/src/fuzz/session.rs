//! Runs a target, and parses its output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::Outcome;
use crate::tree;

/// The seconds after which an input counts as a hang.
const HANG: u32 = 20;

/// The number of output lines that are shown of a run with a finding.
const LAST_LINES: usize = 60;

/// Returns the folder of a target's inputs: `seeds`, which are committed, or `corpus` or `artifacts`, which are not.
pub(super) fn folder(kind: &str, target: &str) -> PathBuf {
    tree::root().join("fuzz").join(kind).join(target)
}

/// Returns the command that runs a target, with its settings.
pub(super) fn program(programs: &Path, target: &str) -> Outcome<Command> {
    let artifacts = folder("artifacts", target);
    fs::create_dir_all(&artifacts).map_err(|error| format!("{}: {error}", artifacts.display()))?;
    let mut command = Command::new(programs.join(target));
    command.current_dir(tree::root().join("fuzz"));
    // Two separately built crates with the same name and version are not an error.
    command.env("ASAN_OPTIONS", "detect_odr_violation=0");
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.arg(format!("-timeout={HANG}"));
    Ok(command)
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// The number of inputs that were run.
    pub(super) executions: u64,
    /// The number of edges of the program that inputs have reached.
    pub(super) edges: u64,
    /// The number of features: edges with the number of times taken, and compared values.
    pub(super) features: u64,
    pub(super) clean: bool,
}

impl Progress {
    /// Parses the output of libFuzzer: `#2097152 pulse  cov: 541 ft: 2110 corp: 412/24Kb ...`, and at the end `Done
    /// 2101874 runs in 31 second(s)`.
    fn parse(log: &str, clean: bool) -> Self {
        let mut progress = Self { clean, ..Self::default() };
        for line in log.lines() {
            if let Some(rest) = line.strip_prefix('#') {
                let mut words = rest.split_ascii_whitespace();
                progress.executions = number(words.next()).unwrap_or(progress.executions);
                while let Some(word) = words.next() {
                    match word {
                        "cov:" => progress.edges = number(words.next()).unwrap_or(progress.edges),
                        "ft:" => {
                            progress.features = number(words.next()).unwrap_or(progress.features);
                        }
                        _ => {}
                    }
                }
            } else if let Some(rest) = line.strip_prefix("Done ") {
                let runs = rest.split_ascii_whitespace().next();
                progress.executions = number(runs).unwrap_or(progress.executions);
            }
        }
        progress
    }
}

fn number(word: Option<&str>) -> Option<u64> {
    word?.parse().ok()
}

/// Runs a target for some seconds: new inputs are added to the corpus, and seeds are only read.
///
/// The output is buffered, because other targets run at the same time. After a finding, its last lines are printed in
/// one piece.
pub(super) fn run(programs: &Path, target: &str, seconds: u32) -> Outcome<Progress> {
    let corpus = folder("corpus", target);
    fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    let mut command = program(programs, target)?;
    command.arg(corpus);
    let seeds = folder("seeds", target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    command.arg(format!("-max_total_time={seconds}"));
    let output = command.output().map_err(|error| format!("cannot run {target}: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let progress = Progress::parse(&log, output.status.success());
    if !progress.clean {
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
        println!("{last}\n{target}: FAILED. {}", how_to_reproduce(target));
    }
    Ok(progress)
}

/// Returns the command that reproduces the failure.
fn how_to_reproduce(target: &str) -> String {
    let files = tree::entries(&folder("artifacts", target)).unwrap_or_default();
    let newest = files.iter().max_by_key(|file| file.metadata().and_then(|it| it.modified()).ok());
    let name = newest.and_then(|file| file.file_name()).unwrap_or("FILE".as_ref());
    let file = Path::new("fuzz/artifacts").join(target).join(name);
    format!("To reproduce: cargo xtask fuzz {target} --input {}", file.display())
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn the_last_figures_of_a_run_are_parsed() {
        let log = "INFO: seed corpus: files: 3\n\
            #4\tINITED cov: 20 ft: 21 corp: 3/9b exec/s: 0 rss: 30Mb\n\
            #1024\tNEW    cov: 541 ft: 2110 corp: 41/24Kb lim: 80 exec/s: 341 rss: 40Mb L: 5/9\n";
        let found = Progress::parse(log, false);
        assert_eq!(found, Progress { executions: 1024, edges: 541, features: 2110, clean: false });
        let done = format!("{log}Done 2101 runs in 3 second(s)\n");
        assert_eq!(
            Progress::parse(&done, true),
            Progress { executions: 2101, clean: true, ..found }
        );
        assert_eq!(Progress::parse("", true).executions, 0);
    }
}
