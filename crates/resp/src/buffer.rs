//! The bytes that have arrived and are not yet consumed.

use std::io::{self, Read};

/// How many bytes are read at once.
const CHUNK: usize = 16 << 10;

#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The bytes up to `end` have arrived. Those behind are what earlier reads had room for: they are initialized once.
    bytes: Vec<u8>,
    /// The bytes before this are consumed. They stay until more arrive, because the last result borrows them.
    start: usize,
    end: usize,
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), start: 0, end: 0 }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.drop_used();
        self.bytes.truncate(self.end);
        self.bytes.extend_from_slice(bytes);
        self.end = self.bytes.len();
    }

    /// Reads once; returns how many bytes came.
    pub(crate) fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.drop_used();
        let end = self.end + CHUNK;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let read = from.read(&mut self.bytes[self.end..end])?;
        self.end += read.min(CHUNK);
        Ok(read)
    }

    /// Moves what is left to the front once it is the smaller part: each byte is moved about once.
    fn drop_used(&mut self) {
        if self.start * 2 > self.end {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Consumes this many bytes and returns them.
    pub(crate) fn advance(&mut self, count: usize) -> &[u8] {
        let end = self.end.min(self.start.saturating_add(count));
        let used = self.start..end;
        self.start = end;
        &self.bytes[used]
    }
}
