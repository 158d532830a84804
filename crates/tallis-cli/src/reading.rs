//! Lines of files, of which some may be bad.

use std::path::Path;

use crate::failure::Failure;
use crate::input::open;
use crate::progress::Progress;
use crate::uv::{TooLong, lines};

/// How many of the bad rows are reported one by one.
const REPORTED: u64 = 5;

pub(crate) const TOO_LONG: &str = "the line is longer than 1 MiB";

/// A line that was not taken.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) what: String,
    /// Whether it was counted all the same.
    pub(crate) counted: bool,
}

impl Refused {
    pub(crate) const fn skipped(what: String) -> Self {
        Self { what, counted: false }
    }
}

/// The bad lines so far.
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

/// The reading of all files.
#[derive(Debug)]
pub(crate) struct Reading {
    progress: Progress,
    bad: Bad,
}

impl Reading {
    /// Nothing read yet, of so many bytes if that is known. A `lenient` one passes over bad lines.
    pub(crate) fn new(total: Option<u64>, lenient: bool) -> Self {
        Self { progress: Progress::new(total), bad: Bad::new(lenient) }
    }

    /// Hands every line of a file to `take`, and ends at the first that it refuses unless that is to be borne.
    pub(crate) fn each_line(
        &mut self,
        path: &Path,
        mut take: impl FnMut(Result<&[u8], TooLong>) -> Result<(), Refused>,
    ) -> Result<(), Failure> {
        let mut source = open(path).map_err(|error| Failure::at(path, &error))?;
        let mut number: u64 = 0;
        loop {
            let taken = match source.next_line() {
                Ok(None) => break,
                Ok(Some(line)) => take(line),
                Err(error) if number == 0 => return Err(Failure::at(path, &error)),
                Err(error) => return Err(Failure::after(path, number, &error)),
            };
            number += 1;
            self.progress.line(source.bytes_read());
            if let Err(refused) = taken {
                let what = format!("{}:{number}: {}", path.display(), refused.what);
                if !self.bad.lenient {
                    return Err(Failure::BadLine(what));
                }
                if self.bad.skipped + self.bad.unknown < REPORTED {
                    self.progress.say(&what);
                }
                let count =
                    if refused.counted { &mut self.bad.unknown } else { &mut self.bad.skipped };
                *count += 1;
            }
        }
        self.progress.next_file();
        Ok(())
    }

    /// Takes the bar away and says what was not as it should be.
    pub(crate) fn finish(self) {
        drop(self.progress);
        let Bad { skipped, unknown, .. } = self.bad;
        if unknown > 0 {
            eprintln!("tallis: {} with an unknown place", lines(unknown));
        }
        if skipped > 0 {
            eprintln!("tallis: {} skipped", lines(skipped));
        }
    }
}
