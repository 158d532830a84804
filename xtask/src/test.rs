//! `cargo xtask test`: runs every test, and ends with one line of totals.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::Command;

use clap::Args;

use crate::count::{Count, Timing, table};
use crate::features::FEATURES;
use crate::fuzz::{self, Purpose};
use crate::programs::{self, Program};
use crate::run::{Outcome, bold, cargo, step, succeed_watched};
use crate::{faults, package, servers, tree};

/// The arguments of `cargo xtask test`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Also runs the ignored tests, more cases of the random tests, each fuzz target for a minute, the builds of `cargo xtask faults`, and the tests of the packages.
    #[arg(long)]
    long: bool,
    /// Also prints the time and the number of tests of each test program, slowest first.
    #[arg(long)]
    timings: bool,
}

/// The seconds for each fuzz target: enough for its seeds.
const FUZZ_SECONDS: u32 = 2;

/// The same with `CI=true`.
const CI_FUZZ_SECONDS: u32 = 3;

/// The same in a long run.
const LONG_FUZZ_SECONDS: u32 = 60;

/// The arguments of every cargo command for tests.
pub(crate) const CHOSEN: [&str; 2] = ["--workspace", "--locked"];

/// The test programs. Benches are not included: they run in `cargo xtask report`, because their figures would be
/// meaningless here. The examples of `tallis` are part of a test, and clippy compiles them by themselves.
pub(crate) const PROGRAMS: [&str; 3] = ["--lib", "--bins", "--tests"];

/// The number of cases for each proptest in a long run.
const LONG_CASES: &str = "4096";

/// Runs every test.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let log = tree::root().join("target/left-out-tests.log");
    // An old log would be counted again. It may not exist.
    let _ = fs::remove_file(&log);
    let mut total = Count::default();

    step("Set-up", || {
        servers::set_up();
        Ok(())
    })?;
    let log_name = log.to_string_lossy();
    let mut variables = vec![("TALLIS_SKIPPED_LOG", &*log_name)];
    if arguments.long {
        variables.extend([("PROPTEST_CASES", LONG_CASES), ("TALLIS_LONG", "1")]);
    }
    let chosen = [&CHOSEN[..], &FEATURES].concat();
    // A failure appears in the count; the other steps still run.
    let built = step("Build", || programs::build(&[&chosen[..], &PROGRAMS].concat(), ""));
    let timings = match built {
        Ok(programs) => tests(&programs, arguments.long, &variables, &mut total),
        Err(why) => {
            println!("{why}");
            total.add(Count::FAILURE);
            Vec::new()
        }
    };
    let mut examples = cargo(["test", "--doc", "--no-fail-fast"]);
    examples.args(&chosen).envs(variables.iter().copied());
    let _ = step("Documentation tests", || cargo_test(&mut examples, &mut total));
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true");
    let (purpose, seconds) = if arguments.long {
        (Purpose::Search, LONG_FUZZ_SECONDS)
    } else {
        (Purpose::Smoke, if in_ci { CI_FUZZ_SECONDS } else { FUZZ_SECONDS })
    };
    let _ = step("Fuzz targets, a short run of each", || {
        let verdicts = fuzz::run_each(purpose, seconds);
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
        for chore in [faults::run_all, package::run] {
            let failed = chore().inspect_err(|why| println!("{why}")).is_err();
            let (passed, failed) = (usize::from(!failed), usize::from(failed));
            total.add(Count { passed, failed, skipped: 0 });
        }
    }

    let left_out = left_out(&fs::read_to_string(&log).unwrap_or_default());
    // The harness counts a test that returns early as passed.
    total.passed = total.passed.saturating_sub(left_out);
    total.skipped += left_out;
    if arguments.timings {
        println!("\n{}", table(timings));
    }
    summary(total, left_out)
}

/// Runs the test programs and adds up their results.
fn tests(
    programs: &[Program],
    ignored_too: bool,
    variables: &[(&str, &str)],
    total: &mut Count,
) -> Vec<Timing> {
    let arguments: &[&str] = if ignored_too { &["--include-ignored"] } else { &[] };
    let mut timings = Vec::new();
    let outcome = step("Tests", || {
        timings = programs::run(programs, arguments, variables)?;
        let mut count = Count::default();
        for timing in &timings {
            count.add(timing.count);
        }
        total.add(count);
        if count.failed == 0 { Ok(()) } else { Err(String::new()) }
    });
    if let Err(why) = outcome.as_ref()
        && !why.is_empty()
    {
        println!("{why}");
        total.add(Count::FAILURE);
    }
    timings
}

/// Runs `cargo test` once. It fails if any test fails, or if it ends without having counted a failure.
fn cargo_test(command: &mut Command, total: &mut Count) -> Outcome {
    let mut count = Count::default();
    let success = succeed_watched(command, |line| {
        if let Some(result) = Count::parse(line) {
            count.add(result);
        }
    })?;
    if !success && count.failed == 0 {
        println!("A test program did not build, or ended before its tests were finished.");
        count.failed = 1;
    }
    total.add(count);
    if success { Ok(()) } else { Err(String::new()) }
}

/// Returns the number of tests in the log: one that needs a server twice was skipped once.
fn left_out(log: &str) -> usize {
    log.lines().collect::<BTreeSet<_>>().len()
}

fn summary(total: Count, left_out: usize) -> Outcome {
    println!();
    if left_out > 0 {
        let line = format!(
            "{left_out} live tests were skipped because a server is missing; cargo xtask servers shows which one"
        );
        println!("{}", bold(&line));
    }
    total.conclude()
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn a_test_is_skipped_once() {
        assert_eq!(left_out(""), 0);
        assert_eq!(left_out("live[7]: a\nlive[7]: b\nlive[7]: a\nother[8]: a\n"), 3);
    }
}
