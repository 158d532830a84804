//! The output of the suite.

use std::fmt;

/// The results of the tests in a unit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(super) name: String,
    pub(super) passed: usize,
    /// Skipped by a tag of the suite.
    pub(super) ignored: usize,
    /// Skipped by name, because they need unsupported features.
    pub(super) skipped: usize,
    pub(super) failures: Vec<Failure>,
}

/// A test that failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    test: String,
    cause: String,
}

/// Parses the lines of a run.
#[derive(Debug, Default)]
pub(crate) struct Output {
    unit: Unit,
    /// The lines of the current failure.
    failure: Option<Vec<String>>,
    /// After the end, failures are printed again.
    ended: bool,
    last: String,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, passed, ignored, skipped, failures } = self;
        let (failed, ignored) = (failures.len(), ignored + skipped);
        write!(f, "{name}: {passed} passed, {failed} failed, {ignored} ignored")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.test, self.cause)
    }
}

impl Output {
    pub(super) fn line(&mut self, line: &str) {
        if !line.trim().is_empty() {
            line.clone_into(&mut self.last);
        }
        if self.ended {
            return;
        }
        let told = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        self.ended = line.trim() == "The End";
        if told.is_some() || self.ended {
            self.close();
        }
        match told {
            Some(("ok", _)) => self.unit.passed += 1,
            Some(("ignore", _)) => self.unit.ignored += 1,
            Some(("skip", _)) => self.unit.skipped += 1,
            Some(("err" | "exception", text)) => self.failure = Some(vec![text.to_owned()]),
            _ => {
                if let Some(failure) = &mut self.failure {
                    failure.push(line.to_owned());
                }
            }
        }
    }

    /// Parses the end of the output.
    pub(super) fn end(mut self, name: String) -> Unit {
        self.close();
        if !self.ended {
            let test = "(the run)".to_owned();
            self.unit.failures.push(Failure { test, cause: format!("ended early: {}", self.last) });
        }
        self.unit.name = name;
        self.unit
    }

    fn close(&mut self) {
        if let Some(lines) = self.failure.take() {
            self.unit.failures.push(Failure::of(&lines));
        }
    }
}

impl Failure {
    /// The first line has the name of the test, unless the failure is outside of a test. An error that is not an
    /// assertion is printed first without its beginning, then completely, with its location.
    fn of(lines: &[String]) -> Self {
        let first = lines.first().map_or("", |line| line);
        let name = first.rsplit_once(" in tests/").map(|(name, _)| name);
        let trace = lines.iter().position(|line| line.trim() == "while executing");
        let cause = match trace {
            Some(at) => lines.get(at.saturating_sub(1)),
            None => lines.get(1),
        };
        let test = name.unwrap_or("(outside a test)").to_owned();
        let cause = cause.map_or(first, |cause| cause).trim();
        Self { test, cause: cause.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Output, Unit};

    const RUN: &str = "\
Cleanup: may take some time... OK
Starting test server at port 21079
[ready]: 12345
Testing unit/type/set
[ok]: SADD (3 ms)
[skip]: BLPOP
[ignore]: large: Tag: large-memory denied
[err]: SREM in tests/unit/type/set.tcl
Expected '1' to be equal to '2' (context: type proc line 2 cmd {x} proc ::test)
[err]: SPOP in tests/unit/type/set.tcl
n command 'spop'
ERR unknown command 'spop'
    while executing
\"r spop s\"
    (\"uplevel\" body line 3)
[ok]: SCARD [1] (0 ms)
[err]: ed outside
wrong, failed outside
    while executing
\"r x\"
[1/1 done]: unit/type/set (1 seconds)

                   The End

!!! WARNING The following tests failed:

*** [err]: SREM in tests/unit/type/set.tcl
[err]: SREM in tests/unit/type/set.tcl
";

    fn read(text: &str) -> Unit {
        let mut output = Output::default();
        text.lines().for_each(|line| output.line(line));
        output.end("unit/type/set".to_owned())
    }

    #[test]
    fn tests_are_counted_and_failures_reported_in_one_line() {
        let unit = read(RUN);
        assert_eq!(unit.to_string(), "unit/type/set: 2 passed, 3 failed, 2 ignored");
        let told: Vec<String> = unit.failures.iter().map(Failure::to_string).collect();
        assert!(told[0].starts_with("SREM: Expected '1' to be equal to '2' (context"), "{told:?}");
        assert_eq!(told[1], "SPOP: ERR unknown command 'spop'");
        assert_eq!(told[2], "(outside a test): wrong, failed outside");
    }

    #[test]
    fn an_incomplete_run_has_failed() {
        let unit = read("[ok]: SADD (3 ms)\n[exception]: Executing test client: x.\nx\n");
        assert_eq!((unit.passed, unit.failures.len()), (1, 2));
        assert_eq!(unit.failures[1].to_string(), "(the run): ended early: x");
        assert_eq!(read("").failures.len(), 1);
    }
}
