//! The bytes that are read: buffered, counted, summed and, on request, recorded.

use std::{
    fmt,
    io::{self, Read},
};

use crate::{
    checksum::Crc64,
    error::{Error, ErrorKind},
};

/// The bytes of one read, and the maximum that is allocated ahead of the bytes that have arrived.
const CHUNK: usize = 64 << 10;

/// A reader with a buffer, an offset, a running checksum and a recorder.
///
/// ```text
///              crc_from      record_from       pos              end
///  buf  |  summed  |  ......      |  recorded   |   not yet read  |  free  |
///       ^ offset `base` of the input
/// ```
///
/// Checksum and recording are updated in bulk, before the buffer is filled again, so that reading a few bytes only
/// moves `pos`.
pub(crate) struct Source<R> {
    inner: R,
    buf: Vec<u8>,
    pos: usize,
    end: usize,
    base: u64,
    /// The length of the input, if known. Nothing beyond is read.
    length: Option<u64>,
    crc: Option<Crc64>,
    crc_from: usize,
    record: Option<Vec<u8>>,
    record_from: usize,
    /// Whether compressed strings that are skipped are validated.
    pub(crate) checks_lzf: bool,
    /// For compressed strings.
    scratch: Vec<u8>,
}

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("offset", &(self.base + self.pos as u64))
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl Source<io::Empty> {
    /// The bytes of an input from this offset on, all at hand.
    pub(crate) fn of_bytes(bytes: Vec<u8>, base: u64) -> Self {
        let end = bytes.len();
        let length = Some(base + end as u64);
        Self { buf: bytes, end, base, ..Self::new(io::empty(), length, false) }
    }
}

impl<R: Read> Source<R> {
    pub(crate) fn new(inner: R, length: Option<u64>, sum: bool) -> Self {
        let size = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(CHUNK);
        Self {
            inner,
            buf: vec![0; size.clamp(1, CHUNK)],
            pos: 0,
            end: 0,
            base: 0,
            length,
            crc: sum.then(Crc64::new),
            crc_from: 0,
            record: None,
            record_from: 0,
            checks_lzf: true,
            scratch: Vec::new(),
        }
    }

    /// Bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Bytes that remain, where the length is known.
    pub(crate) fn left(&self) -> Option<u64> {
        self.length.map(|length| length.saturating_sub(self.offset()))
    }

    #[cold]
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.offset(), kind)
    }

    /// The checksum of all bytes read so far, if enabled.
    pub(crate) fn checksum(&mut self) -> Option<u64> {
        self.settle();
        self.crc.as_ref().map(Crc64::value)
    }

    /// From here on, what is read is recorded as well.
    pub(crate) fn start_recording(&mut self) {
        self.record = Some(Vec::new());
        self.record_from = self.pos;
    }

    /// Ends the recording and returns it.
    pub(crate) fn take_recording(&mut self) -> Vec<u8> {
        self.settle();
        self.record.take().unwrap_or_default()
    }

    /// Returns the result of a scan and the bytes that it skipped, which stay part of a current recording.
    pub(crate) fn recording<T>(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, Vec<u8>), Error> {
        if self.record.is_none() {
            self.start_recording();
            let scanned = scan(self);
            let bytes = self.take_recording();
            return Ok((scanned?, bytes));
        }
        let from = self.recorded();
        let scanned = scan(self)?;
        self.settle();
        let bytes = self.record.as_deref().and_then(|record| record.get(from..));
        Ok((scanned, bytes.unwrap_or_default().to_vec()))
    }

    /// Returns the recorded bytes if they are at least this many, and continues recording.
    #[inline]
    pub(crate) fn drain_recording<E>(
        &mut self,
        least: usize,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kept = self.record.as_ref().map_or(0, Vec::len);
        if kept + (self.pos - self.record_from) < least {
            return Ok(());
        }
        self.settle();
        match &mut self.record {
            Some(record) => {
                let handed_over = out(record);
                record.clear();
                handed_over
            }
            None => Ok(()),
        }
    }

    /// Brings checksum and recording up to `pos`.
    fn settle(&mut self) {
        if let Some(crc) = &mut self.crc {
            crc.update(self.buf.get(self.crc_from..self.pos).unwrap_or_default());
        }
        self.crc_from = self.pos;
        if let Some(record) = &mut self.record {
            record.extend_from_slice(self.buf.get(self.record_from..self.pos).unwrap_or_default());
        }
        self.record_from = self.pos;
    }

    /// The bytes at hand, at least one and at most `max` (which is not 0); consumed.
    fn some(&mut self, max: u64) -> Result<&[u8], Error> {
        if self.pos == self.end {
            self.fill()?;
        }
        let at_hand = self.end - self.pos;
        let take = usize::try_from(max).map_or(at_hand, |max| max.min(at_hand));
        let from = self.pos;
        self.pos += take;
        Ok(self.buf.get(from..self.pos).unwrap_or_default())
    }

    /// Fills the empty buffer with at least one byte.
    fn fill(&mut self) -> Result<(), Error> {
        if self.read_more()? { Ok(()) } else { Err(self.error(ErrorKind::Truncated)) }
    }

    /// Moves the buffered bytes to the front of the buffer and reads more after them; returns false at the end of the
    /// input.
    fn read_more(&mut self) -> Result<bool, Error> {
        self.settle();
        self.buf.copy_within(self.pos..self.end, 0);
        self.base += self.pos as u64;
        self.end -= self.pos;
        (self.pos, self.crc_from, self.record_from) = (0, 0, 0);
        let room = self.left().map_or(CHUNK, |left| usize::try_from(left).unwrap_or(CHUNK));
        let size = room.min(self.buf.len());
        let buf = self.buf.get_mut(self.end..size).unwrap_or_default();
        let read = loop {
            match self.inner.read(buf) {
                Ok(read) => break read.min(buf.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(ErrorKind::Io(error))),
            }
        };
        self.end += read;
        Ok(read > 0)
    }

    /// The next bytes, not consumed: `count` of them, or all that remain if they are fewer.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.end - self.pos < count && self.read_more()? {}
        let end = self.end.min(self.pos + count);
        Ok(self.buf.get(self.pos..end).unwrap_or_default())
    }

    /// How many bytes were recorded so far.
    pub(crate) fn recorded(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.len() + self.pos - self.record_from)
    }

    /// Refuses a length that exceeds the remaining bytes; `at` is the offset of that length.
    pub(crate) fn check_len(&self, len: u64, at: u64) -> Result<(), Error> {
        match self.left() {
            Some(left) if len > left => Err(Error::new(at, ErrorKind::TooLong { len, left })),
            _ => Ok(()),
        }
    }

    /// Refuses bytes that remain of an input whose length is known.
    pub(crate) fn check_end(&self) -> Result<(), Error> {
        match self.left() {
            Some(left @ 1..) => Err(self.error(ErrorKind::Trailing { left })),
            _ => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        self.array().map(|[byte]| byte)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let at_hand = self.buf.get(self.pos..self.end).and_then(<[u8]>::first_chunk);
        if let Some(bytes) = at_hand {
            self.pos += N;
            return Ok(*bytes);
        }
        self.array_across_fills()
    }

    #[cold]
    fn array_across_fills<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        let mut rest = bytes.as_mut_slice();
        while !rest.is_empty() {
            let some = self.some(rest.len() as u64)?;
            let (filled, unfilled) = rest.split_at_mut(some.len());
            filled.copy_from_slice(some);
            rest = unfilled;
        }
        Ok(bytes)
    }

    /// Appends `len` bytes to `out`, which grows as they arrive.
    ///
    /// The caller has called [`check_len`](Self::check_len).
    #[inline]
    pub(crate) fn append(&mut self, len: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.at_hand(len) {
            Some(bytes) => {
                out.reserve_exact(bytes.len());
                out.extend_from_slice(bytes);
                Ok(())
            }
            None => self.append_across_fills(len, out),
        }
    }

    /// The next `len` bytes, if the buffer has them all; consumed.
    #[inline]
    fn at_hand(&mut self, len: u64) -> Option<&[u8]> {
        let len = usize::try_from(len).ok()?;
        let bytes = self.buf.get(self.pos..self.end)?.get(..len)?;
        self.pos += len;
        Some(bytes)
    }

    #[cold]
    fn append_across_fills(&mut self, mut len: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        // With a known length, `len` bytes do remain, and all of them may be reserved at once.
        let certain = if self.length.is_some() { len } else { len.min(CHUNK as u64) };
        out.reserve_exact(usize::try_from(certain).unwrap_or(CHUNK));
        while len > 0 {
            let some = self.some(len)?;
            out.extend_from_slice(some);
            len -= some.len() as u64;
        }
        Ok(())
    }

    pub(crate) fn skip(&mut self, mut len: u64) -> Result<(), Error> {
        while len > 0 {
            len -= self.some(len)?.len() as u64;
        }
        Ok(())
    }

    /// Calls `use_bytes` with `len` bytes.
    ///
    /// The caller has called [`check_len`](Self::check_len).
    pub(crate) fn lend<T>(
        &mut self,
        len: u64,
        use_bytes: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Error> {
        if let Some(bytes) = self.at_hand(len) {
            return Ok(use_bytes(bytes));
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let result = self.append(len, &mut scratch).map(|()| use_bytes(&scratch));
        // The memory of one long string must not be kept until the end of the file.
        if scratch.capacity() <= 16 * CHUNK {
            self.scratch = scratch;
        }
        result
    }
}
