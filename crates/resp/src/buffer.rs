//! The bytes that have arrived and are not yet consumed.

use std::io::{self, Read};

/// How many bytes are read at once.
const CHUNK: usize = 16 << 10;

#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// The bytes before this are consumed. They stay until more arrive, because the last result borrows them.
    start: usize,
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self { bytes: Vec::new(), start: 0 }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.drop_used();
        self.bytes.extend_from_slice(bytes);
    }

    /// Reads once; returns how many bytes came.
    pub(crate) fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.drop_used();
        let len = self.bytes.len();
        self.bytes.resize(len + CHUNK, 0);
        let read = from.read(&mut self.bytes[len..]);
        self.bytes.truncate(len + read.as_ref().map_or(0, |&count| count.min(CHUNK)));
        read
    }

    /// Moves what is left to the front once it is the smaller part: each byte is moved about once.
    fn drop_used(&mut self) {
        if self.start * 2 > self.bytes.len() {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Consumes this many bytes and returns them.
    pub(crate) fn advance(&mut self, count: usize) -> &[u8] {
        let end = self.bytes.len().min(self.start.saturating_add(count));
        let used = self.start..end;
        self.start = end;
        &self.bytes[used]
    }
}
