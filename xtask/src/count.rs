//! The numbers of tests that passed, failed and were skipped.

use std::iter;
use std::time::Duration;

use crate::run::{Outcome, bold};

/// The totals of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Tests that passed.
    pub(crate) passed: usize,
    /// Tests that failed.
    pub(crate) failed: usize,
    /// Tests that were not run.
    pub(crate) skipped: usize,
}

impl Count {
    /// One failure of a step that has no tests to count.
    pub(crate) const FAILURE: Self = Self { passed: 0, failed: 1, skipped: 0 };

    /// Adds another count to this one.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Prints the last line of a task that has run tests; an error if a test failed.
    pub(crate) fn conclude(self) -> Outcome {
        let Self { passed, failed, skipped } = self;
        println!("{}", bold(&format!("{passed} passed, {failed} failed, {skipped} skipped")));
        if failed == 0 { Ok(()) } else { Err(String::new()) }
    }

    /// Parses a line of a test program: `test result: ok. 4 passed; 0 failed; 1 ignored; ...`.
    pub(crate) fn parse(line: &str) -> Option<Self> {
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

/// The results of a test program, and its duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Timing {
    /// The package, and the test target of the program.
    pub(crate) name: String,
    /// Its tests.
    pub(crate) count: Count,
    /// The time from its start to its end.
    pub(crate) took: Duration,
}

/// Returns a table of programs, slowest first: seconds, tests that ran, name.
pub(crate) fn table(mut timings: Vec<Timing>) -> String {
    timings.sort_by(|a, b| b.took.cmp(&a.took).then_with(|| a.name.cmp(&b.name)));
    let row = |Timing { name, count, took }: Timing| {
        let (seconds, ran) = (took.as_secs_f64(), count.passed + count.failed);
        format!("{seconds:>8.1}  {ran:>5}  {name}")
    };
    let head = " seconds  tests  program".to_owned();
    iter::once(head).chain(timings.into_iter().map(row)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Count, Timing, table};

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
    fn the_slowest_program_comes_first() {
        let timing = |name: &str, passed, millis| Timing {
            name: name.to_owned(),
            count: Count { passed, failed: 1, skipped: 9 },
            took: Duration::from_millis(millis),
        };
        let table = table(vec![timing("b", 3, 40), timing("c", 1200, 61_240), timing("a", 0, 40)]);
        let lines: Vec<&str> = table.lines().collect();
        let wanted = [
            " seconds  tests  program",
            "    61.2   1201  c",
            "     0.0      1  a",
            "     0.0      4  b",
        ];
        assert_eq!(lines, wanted);
    }
}
