//! The bytes of the current record, and those that have arrived after it.

use std::io::{self, ErrorKind, Read};

/// How many bytes are read at once, at least.
const CHUNK: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Buffer<R> {
    from: R,
    bytes: Vec<u8>,
    /// The start of the record.
    start: usize,
    /// The end of the bytes that have arrived.
    end: usize,
}

impl<R: Read> Buffer<R> {
    pub(super) const fn new(from: R) -> Self {
        Self { from, bytes: Vec::new(), start: 0, end: 0 }
    }

    /// What has arrived of the record, and behind it.
    #[inline]
    pub(super) fn arrived(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Reads until this many bytes of the record have arrived; returns whether they have.
    #[inline]
    pub(super) fn need(&mut self, count: usize) -> io::Result<bool> {
        while self.end - self.start < count {
            if !self.fill(count)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Ends the record after this many bytes, and returns them.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> &[u8] {
        let start = self.start;
        self.start = self.end.min(start.saturating_add(count));
        self.bytes.get(start..self.start).unwrap_or_default()
    }

    /// Reads once; whether anything came.
    #[cold]
    fn fill(&mut self, need: usize) -> io::Result<bool> {
        if self.end == self.bytes.len() {
            self.make_room(need);
        }
        let free = self.bytes.get_mut(self.end..).unwrap_or_default();
        loop {
            match self.from.read(free) {
                Ok(count) => {
                    self.end += count.min(free.len());
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves the record to the front. If it still fills more than half, takes more memory, but no more than twice as
    /// much: what a header says is not yet there.
    fn make_room(&mut self, need: usize) {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let len = self.bytes.len();
        if self.end > len / 2 || len == 0 {
            let len = len.max(CHUNK / 2);
            self.bytes.resize(need.clamp(len + len / 2, 2 * len), 0);
        }
    }
}
