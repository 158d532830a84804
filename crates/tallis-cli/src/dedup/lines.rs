//! Filters lines that were seen before.

use std::io::{self, Write};

use memchr::memchr_iter;
use tallis::{Dedup, each};

use crate::failure::Failure;

/// The number of lines that are looked up at once.
const BATCH: usize = 1024;

/// Writes the lines that were not seen before.
#[derive(Debug)]
pub struct Sieve<'d, W> {
    seen: &'d Dedup,
    out: W,
    read: u64,
    written: u64,
}

impl<'d, W: Write> Sieve<'d, W> {
    /// Creates a filter that writes new lines to `out`, by `seen`.
    #[must_use]
    pub const fn new(seen: &'d Dedup, out: W) -> Self {
        Self { seen, out, read: 0, written: 0 }
    }

    /// Returns the number of lines so far.
    #[must_use]
    pub const fn read(&self) -> u64 {
        self.read
    }

    /// Returns the number of new lines so far.
    #[must_use]
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Filters complete lines, and writes the new ones, each with a line feed. The output is flushed.
    ///
    /// # Errors
    ///
    /// If the output cannot be written, or if a filter cannot grow.
    pub fn pass(&mut self, lines: &[u8]) -> Result<(), Failure> {
        let whole = memchr_iter(b'\n', lines).map(|feed| feed + 1);
        let last = (!lines.ends_with(b"\n") && !lines.is_empty()).then_some(lines.len());
        let mut ends = whole.chain(last);
        let mut start = 0;
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.clear();
            for end in ends.by_ref().take(BATCH) {
                batch.push(&lines[start..end]);
                start = end;
            }
            if batch.is_empty() {
                return self.out.flush().map_err(|error| Failure::output(&error));
            }
            self.pass_batch(&batch)?;
        }
    }

    fn pass_batch(&mut self, lines: &[&[u8]]) -> Result<(), Failure> {
        let texts = lines.iter().map(|line| line.strip_suffix(b"\n").unwrap_or(line));
        let new = self.seen.insert_many(each(texts))?;
        self.read += lines.len() as u64;
        for (line, _) in lines.iter().zip(&new).filter(|&(_, &new)| new) {
            self.write(line).map_err(|error| Failure::output(&error))?;
            self.written += 1;
        }
        Ok(())
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.out.write_all(line)?;
        if line.ends_with(b"\n") { Ok(()) } else { self.out.write_all(b"\n") }
    }
}
