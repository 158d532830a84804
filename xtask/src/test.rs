//! `cargo xtask test`: every test there is, and one line that sums them up.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::Command;

use clap::Args;

use crate::features::FEATURES;
use crate::run::{Outcome, bold, cargo, step, succeed_watched};
use crate::{fuzz, package, servers, tree};

/// What `cargo xtask test` takes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Also runs the ignored tests, more cases of the random ones, each fuzz target for a minute, and the packages.
    #[arg(long)]
    long: bool,
}

/// Seconds that each fuzz target gets: enough for its seeds.
const FUZZ_SECONDS: u32 = 2;

/// The same under CI.
const CI_FUZZ_SECONDS: u32 = 8;

/// The same in a long run.
const LONG_FUZZ_SECONDS: u32 = 60;

/// Cases of each proptest in a long run.
const LONG_CASES: &str = "4096";

/// What ran, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Reads a line of a test program: `test result: ok. 4 passed; 0 failed; 1 ignored; ...`.
    fn parse(line: &str) -> Option<Self> {
        let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let mut count = Self::default();
        for part in numbers.split(';') {
            let Some((number, what)) = part.trim().split_once(' ') else { continue };
            match (number.parse(), what) {
                (Ok(number), "passed") => count.passed = number,
                (Ok(number), "failed") => count.failed = number,
                (Ok(number), "ignored") => count.skipped = number,
                _ => {}
            }
        }
        Some(count)
    }
}

/// Runs every test.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let log = tree::root().join("target/left-out-tests.log");
    // An old one would be counted again; there may be none.
    let _ = fs::remove_file(&log);
    let mut total = Count::default();

    step("Set-up", || {
        servers::set_up();
        Ok(())
    })?;
    let mut tests = |title: &str, targets: &[&str]| {
        let mut command = cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
        command.args(FEATURES).args(targets).env("TALLIS_SKIPPED_LOG", &log);
        if arguments.long {
            command.env("PROPTEST_CASES", LONG_CASES);
        }
        // A failure shows in the count; the other steps still run.
        let _ = step(title, || cargo_test(&mut command, &mut total));
    };
    // Benches are left to `cargo xtask report`: their numbers would mean nothing here.
    let ignored_too: &[&str] = if arguments.long { &["--", "--include-ignored"] } else { &[] };
    let programs = ["--lib", "--bins", "--tests", "--examples"];
    tests("Tests", &[&programs[..], ignored_too].concat());
    tests("Documentation tests", &["--doc"]);
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true");
    let seconds = if arguments.long {
        LONG_FUZZ_SECONDS
    } else if in_ci {
        CI_FUZZ_SECONDS
    } else {
        FUZZ_SECONDS
    };
    let _ = step("Fuzz targets, a short run of each", || {
        let verdicts = fuzz::smoke(seconds);
        let failed = match &verdicts {
            Ok(verdicts) => verdicts.iter().filter(|clean| !**clean).count(),
            Err(_) => 1,
        };
        let passed = verdicts.as_ref().map_or(0, |verdicts| verdicts.len() - failed);
        total.add(Count { passed, failed, skipped: 0 });
        if failed == 0 { Ok(()) } else { Err(verdicts.err().unwrap_or_default()) }
    })
    .inspect_err(|why| println!("{why}"));

    if arguments.long {
        let failed = package::run().inspect_err(|why| println!("{why}")).is_err();
        total.add(Count { passed: usize::from(!failed), failed: usize::from(failed), skipped: 0 });
    }

    let left_out = left_out(&fs::read_to_string(&log).unwrap_or_default());
    // The harness takes a test that returns early for one that passed.
    total.passed = total.passed.saturating_sub(left_out);
    total.skipped += left_out;
    summary(total, left_out)
}

/// One run of `cargo test`. It fails if any test does, or if it ends without having counted a failure.
fn cargo_test(command: &mut Command, total: &mut Count) -> Outcome {
    let mut count = Count::default();
    let success = succeed_watched(command, |line| {
        if let Some(result) = Count::parse(line) {
            count.add(result);
        }
    })?;
    if !success && count.failed == 0 {
        println!("A test program did not build, or ended before its tests did.");
        count.failed = 1;
    }
    total.add(count);
    if success { Ok(()) } else { Err(String::new()) }
}

/// How many tests the log names: one that asks for a server twice was left out once.
fn left_out(log: &str) -> usize {
    log.lines().collect::<BTreeSet<_>>().len()
}

fn summary(total: Count, left_out: usize) -> Outcome {
    println!();
    if left_out > 0 {
        let line = format!(
            "{left_out} live tests were left out: a server is not there; cargo xtask servers says which"
        );
        println!("{}", bold(&line));
    }
    let Count { passed, failed, skipped } = total;
    println!("{}", bold(&format!("{passed} passed, {failed} failed, {skipped} skipped")));
    if failed == 0 { Ok(()) } else { Err(String::new()) }
}

#[cfg(test)]
mod tests {
    use super::{Count, left_out};

    #[test]
    fn the_line_of_a_test_program_is_read() {
        let line = "test result: FAILED. 41 passed; 2 failed; 3 ignored; 0 measured; 5 filtered out; finished in 0.12s";
        assert_eq!(Count::parse(line), Some(Count { passed: 41, failed: 2, skipped: 3 }));
        let line = "test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s";
        assert_eq!(Count::parse(line), Some(Count { passed: 7, failed: 0, skipped: 0 }));
        assert_eq!(Count::parse("test live::server ... ok"), None);
        assert_eq!(Count::parse("test result: "), None);
    }

    #[test]
    fn a_test_is_left_out_once() {
        assert_eq!(left_out(""), 0);
        assert_eq!(left_out("live[7]: a\nlive[7]: b\nlive[7]: a\nother[8]: a\n"), 3);
    }
}
