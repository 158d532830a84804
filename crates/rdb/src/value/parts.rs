//! Writing a string in parts.

use std::{fmt, io::Write};

use crate::{length, sink::Sink, writer::WriteError};

/// Writes the bytes of a string, in parts.
///
/// If it is dropped before the last byte was written, the next call on the writer fails.
#[must_use = "the bytes must still be written"]
pub struct PartsWriter<'a, W> {
    sink: &'a mut Sink<W>,
    /// What is owed behind the string.
    behind: u64,
}

impl<'a, W: Write> PartsWriter<'a, W> {
    pub(super) fn new(sink: &'a mut Sink<W>, len: u64) -> Result<Self, WriteError> {
        length::write(sink, len)?;
        let behind = sink.owed;
        sink.owed = behind.saturating_add(len);
        Ok(Self { sink, behind })
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`WriteError`] if there are more bytes than announced; nothing is written then.
    pub fn part(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let left = self.sink.owed.checked_sub(bytes.len() as u64);
        let left = left.filter(|&left| left >= self.behind).ok_or(WriteError::TooManyMembers)?;
        self.sink.put(bytes)?;
        self.sink.owed = left;
        Ok(())
    }

    /// Finishes the string.
    ///
    /// # Errors
    /// [`WriteError`] if bytes are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_owed(self.behind)
    }
}

impl<W> fmt::Debug for PartsWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartsWriter").finish_non_exhaustive()
    }
}
