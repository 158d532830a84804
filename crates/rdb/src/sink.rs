//! The bytes that are written: buffered, counted and summed.

use std::io::Write;

use crate::{checksum::Crc64, length, writer::WriteError};

/// The bytes of one write.
const CHUNK: usize = 64 << 10;

/// A writer with a buffer, a count and a running checksum.
#[derive(Debug)]
pub(crate) struct Sink<W> {
    inner: W,
    buf: Vec<u8>,
    /// Bytes that have left the buffer.
    flushed: u64,
    crc: Option<Crc64>,
    /// Whether long strings are compressed.
    pub(crate) compression: bool,
    pub(crate) compressed: Vec<u8>,
    /// Members that the value being written still lacks.
    pub(crate) owed: u64,
    failed: bool,
}

impl<W: Write> Sink<W> {
    pub(crate) fn new(inner: W, compression: bool, sum: bool) -> Self {
        Self {
            inner,
            buf: Vec::new(),
            flushed: 0,
            crc: sum.then(Crc64::new),
            compression,
            compressed: Vec::new(),
            owed: 0,
            failed: false,
        }
    }

    /// Bytes written so far.
    pub(crate) fn written(&self) -> u64 {
        self.flushed + self.buf.len() as u64
    }

    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.buf.len() + bytes.len() <= CHUNK {
            self.buf.extend_from_slice(bytes);
            return Ok(());
        }
        self.put_past_buffer(bytes)
    }

    #[cold]
    fn put_past_buffer(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.flush()?;
        if bytes.len() <= CHUNK {
            self.buf.extend_from_slice(bytes);
            return Ok(());
        }
        if let Some(crc) = &mut self.crc {
            crc.update(bytes);
        }
        self.flushed += bytes.len() as u64;
        self.hand_on(|inner| inner.write_all(bytes))
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        if let Some(crc) = &mut self.crc {
            crc.update(&self.buf);
        }
        self.flushed += self.buf.len() as u64;
        let buf = std::mem::take(&mut self.buf);
        let result = self.hand_on(|inner| inner.write_all(&buf));
        self.buf = buf;
        self.buf.clear();
        result
    }

    /// Passes something to the inner writer, unless that has failed before.
    fn hand_on(
        &mut self,
        work: impl FnOnce(&mut W) -> std::io::Result<()>,
    ) -> Result<(), WriteError> {
        self.check()?;
        work(&mut self.inner).map_err(|error| {
            self.failed = true;
            WriteError::Io(error)
        })
    }

    /// An error if an earlier one has left the file unfinished.
    pub(crate) fn check(&self) -> Result<(), WriteError> {
        if self.failed { Err(WriteError::Failed) } else { Ok(()) }
    }

    /// Marks the file as failed and returns the error.
    pub(crate) fn fail(&mut self, error: WriteError) -> WriteError {
        self.failed = true;
        error
    }

    /// Writes how many members follow, each of which is that many parts.
    pub(crate) fn announce(&mut self, members: u64, each: u64) -> Result<&mut Self, WriteError> {
        length::write(self, members)?;
        self.owed = members.saturating_mul(each);
        Ok(self)
    }

    /// Writes one of the parts that are still to come.
    pub(crate) fn one(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let left = self.owed.checked_sub(1).ok_or(WriteError::TooManyMembers)?;
        write(self)?;
        self.owed = left;
        Ok(())
    }

    /// An error if the value before this point lacks members.
    pub(crate) fn check_complete(&mut self) -> Result<(), WriteError> {
        self.check_owed(0)
    }

    /// An error if more is owed than what belongs behind this point.
    pub(crate) fn check_owed(&mut self, behind: u64) -> Result<(), WriteError> {
        self.check()?;
        match self.owed.saturating_sub(behind) {
            0 => Ok(()),
            missing => Err(self.fail(WriteError::MissingMembers { missing })),
        }
    }

    /// The checksum of all bytes written, or 0 if disabled.
    pub(crate) fn checksum(&mut self) -> Result<u64, WriteError> {
        self.flush()?;
        Ok(self.crc.as_ref().map_or(0, Crc64::value))
    }

    /// Flushes the buffer and returns the output.
    pub(crate) fn into_inner(mut self) -> Result<W, WriteError> {
        self.flush()?;
        self.hand_on(Write::flush)?;
        Ok(self.inner)
    }
}

impl Sink<Vec<u8>> {
    /// All that was written since the last time.
    pub(crate) fn take(&mut self) -> Result<Vec<u8>, WriteError> {
        self.check()?;
        self.flushed = 0;
        if self.inner.is_empty() {
            return Ok(std::mem::take(&mut self.buf));
        }
        self.inner.append(&mut self.buf);
        Ok(std::mem::take(&mut self.inner))
    }
}
