//! Large strings, and the bit arrays of large Bloom filters.

use std::io::Write;
use std::ops::Range;

use rdb::lzf;
use rdb::{PartsWriter, WriteOptions};

use super::beside::Source;
use super::error::SaveError;
use super::large::Place;
use crate::store::handover::{BytesPart, CHUNK, Ended};
use crate::value::Value;

/// The maximum size of a compressed string in memory: one that does not compress to this size is written uncompressed.
const COMPRESSED: usize = 16 << 20;

/// A string is only written compressed if that saves this many bytes, as on servers.
const SAVING: usize = 4;

/// Bytes of a large value that are one string of the file.
pub(super) struct Stretch<'s, 'r> {
    pub(super) source: &'s mut Source<'r>,
    pub(super) place: &'s mut Place,
    pub(super) id: u64,
    /// The index of the first one.
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Stretch<'_, '_> {
    /// The compressed string, each chunk compressed separately; `None` if it is not small enough. All bytes are handed
    /// over then.
    pub(super) fn compressed(
        &mut self,
        options: WriteOptions,
    ) -> Result<Option<Vec<u8>>, SaveError> {
        if !options.compression {
            return Ok(None);
        }
        let most = COMPRESSED.min(self.len.saturating_sub(SAVING));
        let (mut stream, mut plain, mut part) = (Vec::new(), Vec::new(), Vec::new());
        for range in self.chunks() {
            self.with(|bytes, value| bytes.read(value, range.clone(), &mut plain))?;
            if lzf::compress(&plain, plain.len(), &mut part) {
                stream.extend_from_slice(&part);
            } else {
                lzf::push_literals(&plain, &mut stream);
            }
            if stream.len() > most {
                return Ok(None);
            }
        }
        let end = self.start + self.len;
        self.with(|bytes, _| bytes.done(end))?;
        Ok(Some(stream))
    }

    /// Writes the string uncompressed. All bytes are handed over then.
    pub(super) fn write_to<W: Write>(
        &mut self,
        mut parts: PartsWriter<'_, W>,
    ) -> Result<(), SaveError> {
        let mut plain = Vec::new();
        for range in self.chunks() {
            self.with(|bytes, value| {
                bytes.read(value, range.clone(), &mut plain);
                bytes.done(range.end);
            })?;
            parts.part(&plain)?;
        }
        Ok(parts.finish()?)
    }

    fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (start, end) = (self.start, self.start + self.len);
        (start..end).step_by(CHUNK).map(move |start| start..end.min(start + CHUNK))
    }

    fn with(&mut self, mut work: impl FnMut(&mut BytesPart, &Value)) -> Result<(), SaveError> {
        self.source.with(self.place, self.id, |large, value| {
            if let Some(bytes) = large.part().bytes() {
                work(bytes, value);
            }
            ((), Ended(false))
        })?;
        Ok(())
    }
}
