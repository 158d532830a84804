//! Reading lines of files, some of which may be malformed.

use std::fmt;
use std::path::Path;

use crate::failure::Failure;
use crate::input::open;
use crate::interrupt::interrupted;
use crate::progress::{Progress, note};
use crate::uv::{TooLong, lines};

/// How many of the malformed rows are reported one by one.
const REPORTED: u64 = 5;

pub(crate) const TOO_LONG: &str = "the line is longer than 1 MiB";

/// An error in a row, and the outcome if malformed rows are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    what: String,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// It is skipped.
    Skip,
    /// The rest of the file cannot be read.
    Counted,
    /// Nothing behind it can be read.
    End,
}

impl BadRow {
    /// Returns the error of a row that is skipped.
    pub(crate) const fn skipped(what: String) -> Self {
        Self { what, then: Then::Skip }
    }

    /// Returns the error of a row that was counted as far as possible, or else skipped.
    pub(crate) const fn counted(what: String, counted: bool) -> Self {
        Self { what, then: if counted { Then::Counted } else { Then::Skip } }
    }

    /// Returns the error of a row without which the rest of the file cannot be read.
    pub(crate) const fn last(what: String) -> Self {
        Self { what, then: Then::End }
    }

    /// Returns whether the row has a user, who is counted as unknown if malformed rows are accepted.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.then == Then::Counted
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for BadRow {}

/// The malformed lines so far.
#[derive(Debug)]
struct Bad {
    lenient: bool,
    skipped: u64,
    unknown: u64,
}

impl Bad {
    const fn new(lenient: bool) -> Self {
        Self { lenient, skipped: 0, unknown: 0 }
    }
}

/// The state of reading all files.
#[derive(Debug)]
pub(crate) struct Reading {
    progress: Progress,
    bad: Bad,
}

impl Reading {
    /// Creates it, for this number of bytes if it is known. With `lenient` malformed lines are skipped.
    pub(crate) fn new(total: Option<u64>, lenient: bool) -> Self {
        Self { progress: Progress::new(total), bad: Bad::new(lenient) }
    }

    /// Passes every line of a file to `take`, and stops at the first that it refuses, unless malformed lines are
    /// skipped. An interrupt stops it too.
    pub(crate) fn each_line(
        &mut self,
        path: &Path,
        mut take: impl FnMut(Result<&[u8], TooLong>) -> Result<(), BadRow>,
    ) -> Result<(), Failure> {
        let mut number: u64 = 0;
        let mut source = match open(path) {
            Ok(source) => source,
            Err(_) if interrupted() => return Ok(()),
            Err(error) => return Err(Failure::at(path, &error)),
        };
        while !interrupted() {
            let taken = match source.next_line() {
                Ok(None) => break,
                Err(_) if interrupted() => break,
                Ok(Some(line)) => take(line),
                Err(error) if number == 0 => return Err(Failure::at(path, &error)),
                Err(error) => return Err(Failure::after(path, number, &error)),
            };
            number += 1;
            self.progress.line(source.bytes_read());
            if let Err(bad) = taken {
                let what = format!("{}:{number}: {bad}", path.display());
                if !self.bad.lenient || bad.then == Then::End {
                    return Err(Failure::BadLine(what));
                }
                if self.bad.skipped + self.bad.unknown < REPORTED {
                    self.progress.note(format_args!("{what}"));
                }
                let count =
                    if bad.is_counted() { &mut self.bad.unknown } else { &mut self.bad.skipped };
                *count += 1;
            }
        }
        self.progress.next_file();
        Ok(())
    }

    /// Removes the bar and reports the malformed lines.
    pub(crate) fn finish(self) {
        drop(self.progress);
        let Bad { skipped, unknown, .. } = self.bad;
        if unknown > 0 {
            note(format_args!("{} counted as unknown location", lines(unknown)));
        }
        if skipped > 0 {
            note(format_args!("{} skipped", lines(skipped)));
        }
    }
}
