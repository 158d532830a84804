//! Finding visits in lines, without a store and in any order of chunks, so that any thread can do it.

use memchr::memchr;
use tallis::{Bucket, VisitorId};

use super::every::Every;
use super::layout::Layout;
use super::problem::{LineError, Problem};
use super::seen::Seen;
use super::stamp::Stamp;
use crate::source::MAX_LINE;

/// How many of the lines that do not parse are reported one by one.
pub(super) const REPORTED: usize = 5;

/// Finds the visits in lines.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::{Batch, Every, Layout, Scanner};
///
/// let mut scanner = Scanner::new(Layout::default(), Every::Day);
/// let mut batch = Batch::default();
/// let line = r#"::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512"#;
/// scanner.scan(format!("{line}\n{line}\nbad\n{line}").as_bytes(), &mut batch);
/// assert_eq!((batch.lines(), batch.bad()), (4, 1));
/// ```
#[derive(Debug)]
pub struct Scanner {
    layout: Layout,
    every: Every,
    /// Whether visits of one bucket in several minutes are distinct.
    by_minute: bool,
    /// Whether to stop at the first line that does not parse.
    strict: bool,
    seen: Seen,
    /// A buffer for a visitor's name.
    scratch: Vec<u8>,
}

/// The visits in some lines.
#[derive(Debug, Default)]
pub struct Batch {
    lines: u64,
    bad: u64,
    /// The first lines that do not parse, numbered from 0.
    pub(super) reported: Vec<(u64, LineError)>,
    /// The buckets, in order of appearance.
    pub(super) buckets: Vec<Events>,
    /// The visits that may be new, in the order of the lines.
    pub(super) visits: Vec<Visit>,
    /// The bucket of the last line.
    pub(super) last: usize,
}

/// The lines of a bucket.
#[derive(Debug)]
pub(super) struct Events {
    number: u32,
    pub(super) bucket: Bucket,
    pub(super) lines: u64,
}

/// A visitor in a bucket, and in a minute of UTC if needed.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) id: VisitorId,
    /// The index of the bucket in the batch.
    pub(super) bucket: usize,
    pub(super) minute: i64,
}

impl Scanner {
    /// Creates a scanner with this layout and buckets.
    #[must_use]
    pub fn new(layout: Layout, every: Every) -> Self {
        Self {
            layout,
            every,
            by_minute: false,
            strict: false,
            seen: Seen::new(),
            scratch: Vec::new(),
        }
    }

    /// Also finds the minutes of visits, for a window.
    #[must_use]
    pub const fn by_minute(mut self, by_minute: bool) -> Self {
        self.by_minute = by_minute;
        self
    }

    /// Stops at the first line that does not parse.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Clears the visits that were seen, for lines that precede others that were scanned.
    pub fn forget(&mut self) {
        self.seen = Seen::new();
    }

    /// Finds the visits of consecutive lines, each with its line feed, except possibly the last; replaces the contents
    /// of `batch`.
    pub fn scan(&mut self, mut lines: &[u8], batch: &mut Batch) {
        batch.clear();
        while !lines.is_empty() {
            let (line, rest) = match memchr(b'\n', lines) {
                Some(feed) => (&lines[..feed], &lines[feed + 1..]),
                None => (lines, &[][..]),
            };
            lines = rest;
            let scanned = self.scan_line(line.strip_suffix(b"\r").unwrap_or(line), batch);
            batch.lines += 1;
            if let Err(error) = scanned {
                batch.refuse(error);
                if self.strict {
                    return;
                }
            }
        }
    }

    #[inline]
    fn scan_line(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), LineError> {
        if line.len() > MAX_LINE {
            return Err(TOO_LONG);
        }
        let (time, name) = self.layout.read(line, &mut self.scratch)?;
        let number = self.every.number(&time);
        let at = batch.event(number, &time, self.every);
        let minute = if self.by_minute { time.minute_of_utc() } else { 0 };
        if !self.seen.insert(name, number, minute) {
            batch.visits.push(Visit { id: VisitorId::of(name), bucket: at, minute });
        }
        Ok(())
    }
}

const TOO_LONG: LineError = LineError { problem: Problem::TooLong, at: 0 };

impl Batch {
    /// Returns the number of lines, including those that do not parse.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the number of lines that do not parse.
    #[must_use]
    pub const fn bad(&self) -> u64 {
        self.bad
    }

    /// Records a line that is too long.
    pub(super) fn too_long(&mut self) {
        self.clear();
        self.lines = 1;
        self.refuse(TOO_LONG);
    }

    /// Returns the approximate number of bytes that it holds.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.visits)
            + size_of_val(&*self.buckets)
            + size_of_val(&*self.reported)
    }

    fn clear(&mut self) {
        let Self { lines, bad, reported, buckets, visits, last } = self;
        (*lines, *bad, *last) = (0, 0, 0);
        reported.clear();
        buckets.clear();
        visits.clear();
    }

    /// Records that the last line does not parse.
    #[cold]
    fn refuse(&mut self, error: LineError) {
        self.bad += 1;
        if self.reported.len() < REPORTED {
            self.reported.push((self.lines.saturating_sub(1), error));
        }
    }

    /// Counts a line of the bucket with this number, and returns its index.
    #[inline]
    fn event(&mut self, number: u32, time: &Stamp, every: Every) -> usize {
        if let Some(events) = self.buckets.get_mut(self.last).filter(|last| last.number == number) {
            events.lines += 1;
            return self.last;
        }
        let known = self.buckets.iter().position(|events| events.number == number);
        self.last = known.unwrap_or(self.buckets.len());
        if known.is_none() {
            self.buckets.push(Events { number, bucket: every.bucket(time), lines: 0 });
        }
        self.buckets[self.last].lines += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_held_back_until_it_is_forgotten() {
        let line = b"::1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 512\n";
        let mut scanner = Scanner::new(Layout::default(), Every::Day);
        let mut batch = Batch::default();
        let mut found = |scanner: &mut Scanner| {
            scanner.scan(line, &mut batch);
            batch.visits.len()
        };
        assert_eq!([found(&mut scanner), found(&mut scanner)], [1, 0]);
        // For lines that precede these, the visit is new.
        scanner.forget();
        assert_eq!([found(&mut scanner), found(&mut scanner)], [1, 0]);
    }
}
