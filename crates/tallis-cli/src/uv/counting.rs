//! The count of all logs, in order.

use std::io::{self, Write, stdout};
use std::path::Path;

use super::scan::{Batch, REPORTED};
use super::tally::Tally;
use crate::failure::Failure;
use crate::progress::Progress;

/// The count of all logs, and the lines that do not parse.
pub(super) struct Counting<'v> {
    pub(super) tally: Tally<'v>,
    progress: Progress,
    lenient: bool,
    /// The number of lines that do not parse, and how many of them were reported.
    skipped: u64,
    reported: usize,
    /// The lines and bytes of all logs, and the lines of the current one.
    lines: u64,
    bytes: u64,
    here: u64,
}

impl<'v> Counting<'v> {
    pub(super) const fn new(tally: Tally<'v>, progress: Progress, lenient: bool) -> Self {
        Self { tally, progress, lenient, skipped: 0, reported: 0, lines: 0, bytes: 0, here: 0 }
    }

    /// Counts the visits in the next lines of a log, which were this number of its bytes.
    pub(super) fn take(&mut self, path: &Path, batch: &Batch, bytes: u64) -> Result<(), Failure> {
        self.tally.count(batch)?;
        for (line, error) in &batch.reported {
            let what = format!("{}:{}: {error}", path.display(), self.here + line + 1);
            if !self.lenient {
                return Err(Failure::BadLine(what));
            }
            if self.reported < REPORTED {
                self.progress.note(format_args!("{what}"));
                self.reported += 1;
            }
        }
        self.skipped += batch.bad();
        self.here += batch.lines();
        self.lines += batch.lines();
        self.bytes += bytes;
        self.progress.lines(self.lines, self.bytes);
        Ok(())
    }

    /// Starts the next log.
    pub(super) const fn next_log(&mut self) {
        self.here = 0;
    }

    /// Returns the failure for an error of this log.
    pub(super) fn failed(&self, path: &Path, error: &io::Error) -> Failure {
        match self.here {
            0 => Failure::at(path, error),
            lines => Failure::after(path, lines, error),
        }
    }

    /// Prints the counts so far, on a line.
    pub(super) fn print(&self, json: bool) -> io::Result<()> {
        let Some(latest) = self.tally.latest().map_err(io::Error::other)? else { return Ok(()) };
        let mut out = stdout().lock();
        if json {
            serde_json::to_writer(&mut out, &latest)?;
            writeln!(out)?;
        } else {
            writeln!(out, "{latest}")?;
        }
        out.flush()
    }

    /// Removes the progress bar; returns the count, and how many lines were skipped.
    pub(super) fn finish(self) -> (Tally<'v>, u64) {
        (self.tally, self.skipped)
    }
}
