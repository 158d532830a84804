//! Writing the members of collections.

use std::{fmt, io::Write};

use super::scan::{PACKED, PLAIN};
use crate::{length, sink::Sink, string, writer::WriteError};

/// Writes the strings of a collection: the members of a set, the elements of a list, the fields and values of a hash.
///
/// If it is dropped before the last one was written, the next call on the writer fails.
#[must_use = "the strings must still be written"]
pub struct StringsWriter<'a, W> {
    pub(super) sink: &'a mut Sink<W>,
}

impl<W: Write> StringsWriter<'_, W> {
    /// Writes one member, or one field or value of a hash.
    ///
    /// # Errors
    /// [`WriteError`] if there are more than announced; nothing is written then.
    pub fn member(&mut self, member: &[u8]) -> Result<(), WriteError> {
        self.sink.one(|sink| string::write(sink, member))
    }

    /// Finishes the collection.
    ///
    /// # Errors
    /// [`WriteError`] if strings are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for StringsWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StringsWriter").finish_non_exhaustive()
    }
}

/// Writes the nodes of a list.
///
/// If it is dropped before the last one was written, the next call on the writer fails.
#[must_use = "the nodes must still be written"]
pub struct NodesWriter<'a, W> {
    pub(super) sink: &'a mut Sink<W>,
}

impl<W: Write> NodesWriter<'_, W> {
    /// Writes a plain node: one element.
    ///
    /// # Errors
    /// [`WriteError`] if there are more nodes than announced; nothing is written then.
    pub fn plain(&mut self, element: &[u8]) -> Result<(), WriteError> {
        self.node(PLAIN, element)
    }

    /// Writes a packed node: a listpack blob.
    ///
    /// # Errors
    /// As [`plain`](Self::plain).
    pub fn packed(&mut self, blob: &[u8]) -> Result<(), WriteError> {
        self.node(PACKED, blob)
    }

    fn node(&mut self, container: u64, bytes: &[u8]) -> Result<(), WriteError> {
        self.sink.one(|sink| {
            length::write(sink, container)?;
            string::write(sink, bytes)
        })
    }

    /// Finishes the list.
    ///
    /// # Errors
    /// [`WriteError`] if nodes are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for NodesWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodesWriter").finish_non_exhaustive()
    }
}

/// Writes the members of a sorted set.
///
/// If it is dropped before the last one was written, the next call on the writer fails.
#[must_use = "the members must still be written"]
pub struct ZSetWriter<'a, W> {
    pub(super) sink: &'a mut Sink<W>,
}

impl<W: Write> ZSetWriter<'_, W> {
    /// Writes one member and its score.
    ///
    /// # Errors
    /// [`WriteError`] if there are more members than announced; nothing is written then.
    pub fn member(&mut self, member: &[u8], score: f64) -> Result<(), WriteError> {
        self.sink.one(|sink| {
            string::write(sink, member)?;
            sink.put(&score.to_le_bytes())
        })
    }

    /// Finishes the set.
    ///
    /// # Errors
    /// [`WriteError`] if members are missing; the file cannot be finished then.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for ZSetWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZSetWriter").finish_non_exhaustive()
    }
}
