//! A filter as chunks: what BF.SCANDUMP returns and BF.LOADCHUNK takes.
//!
//! # Idea
//!
//! The header comes first, with cursor 1, then the bit arrays one after the other, in chunks of at most [`CHUNK`]
//! bytes, none of which crosses from one array into the next. The cursor of a chunk says where the dump continues: 1
//! plus the bytes of the arrays up to the end of this chunk. So it also says where to load the chunk.
//!
//! ```text
//! cursor asked        0            1                1 + 16 MiB                          1 + total
//! answer         (1, header)  (1 + 16 MiB, ...)  (1 + end of link 0, ...)    ...       nothing
//! ```

use std::borrow::Cow;

use crate::error::{DecodeError, Fault, LoadError};
use crate::filter::{BloomFilter, any_of, memory};
use crate::header::{HEADER_LEN, Header, LINK_HEADER_LEN};
use crate::link::{CheckedParts, Link, zeroed};
use crate::plan;

/// The maximum length of a chunk, in bytes.
pub const CHUNK: usize = 16 << 20;

/// A chunk of a dump and its cursor, which is the one to continue with and the one to load the chunk with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// 1 for the header, more for the bit arrays.
    pub cursor: u64,
    /// The header, or a part of a bit array.
    pub bytes: Cow<'a, [u8]>,
}

impl BloomFilter {
    /// Returns the chunk at a cursor (0 for the first one), or `None` at the end, where BF.SCANDUMP replies with cursor
    /// 0 and no data.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = bloom::BloomFilter::default();
    /// let chunk = filter.chunk_at(0).unwrap();
    /// assert_eq!((chunk.cursor, chunk.bytes.len()), (1, 73));
    /// let chunk = filter.chunk_at(1).unwrap();
    /// assert_eq!((chunk.cursor, chunk.bytes.len()), (145, 144));
    /// assert_eq!(filter.chunk_at(145), None);
    /// ```
    #[must_use]
    pub fn chunk_at(&self, cursor: u64) -> Option<Chunk<'_>> {
        let Some(mut skip) = cursor.checked_sub(1) else {
            return Some(Chunk { cursor: 1, bytes: Cow::Owned(self.header()) });
        };
        for link in self.links() {
            let bytes = link.as_bytes();
            if let Some(rest) = usize::try_from(skip).ok().and_then(|skip| bytes.get(skip..))
                && !rest.is_empty()
            {
                let bytes = rest.get(..CHUNK).unwrap_or(rest);
                return Some(Chunk { cursor: cursor + bytes.len() as u64, bytes: bytes.into() });
            }
            skip -= bytes.len() as u64;
        }
        None
    }

    /// Iterates over all chunks of a dump, in order, the header first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut filter = bloom::BloomFilter::default();
    /// filter.add(b"user1")?;
    /// let mut chunks = filter.chunks();
    /// let mut loader = bloom::Loader::new(&chunks.next().unwrap().bytes).unwrap();
    /// for chunk in chunks {
    ///     loader.load(chunk.cursor, &chunk.bytes).unwrap();
    /// }
    /// assert_eq!(loader.finish().unwrap(), filter);
    /// # Ok::<(), bloom::AddError>(())
    /// ```
    pub fn chunks(&self) -> impl Iterator<Item = Chunk<'_>> {
        let mut cursor = 0;
        std::iter::from_fn(move || {
            let chunk = self.chunk_at(cursor)?;
            cursor = chunk.cursor;
            Some(chunk)
        })
    }

    /// Creates the filter that a header describes, with all bits unset, as BF.LOADCHUNK does for cursor 1. Load its
    /// chunks with [`BloomFilter::load_chunk`].
    ///
    /// The header determines how large the bit arrays are, so the caller limits their bytes by `max_bytes`. For
    /// untrusted bytes use [`Loader`], which allocates no more memory than has arrived.
    ///
    /// # Errors
    ///
    /// The bytes are not a valid header, or the bit arrays have more than `max_bytes` bytes.
    pub fn from_header(header: &[u8], max_bytes: u64) -> Result<Self, DecodeError> {
        let header = Header::read(header)?;
        let mut total = 0_u64;
        let mut links = Vec::with_capacity(header.links.len());
        // All are counted before any is made.
        for (at, link) in header.links.iter().enumerate() {
            total = total.saturating_add(link.parts.bits / 8);
            if total > max_bytes {
                return Err(too_large(at, total));
            }
        }
        for (at, link) in header.links.iter().enumerate() {
            let bytes = zeroed(link.parts.bits / 8).ok_or(too_large(at, total))?;
            links.extend(Link::from_parts(link, bytes));
        }
        let mut filter =
            Self::of_links(&header, links).ok_or(DecodeError::new(0, Fault::NoLinks))?;
        filter.max_bytes = max_bytes;
        Ok(filter)
    }

    /// Loads a chunk of a dump, given its cursor. Chunks may come in any order and of any size, but none may cross from
    /// one bit array into the next.
    ///
    /// # Errors
    ///
    /// The cursor and the length are not a range of this filter's bit arrays.
    pub fn load_chunk(&mut self, cursor: u64, chunk: &[u8]) -> Result<(), LoadError> {
        let lengths = self.links().map(|link| link.as_bytes().len() as u64);
        let place = Place::find(lengths, cursor, chunk.len() as u64)?;
        let link = self.older.get_mut(place.link).unwrap_or(&mut self.newest);
        let bytes = link.bytes_mut().get_mut(place.offset..).unwrap_or_default();
        bytes.iter_mut().zip(chunk).for_each(|(byte, new)| *byte = *new);
        Ok(())
    }

    /// `None` without links.
    pub(crate) fn of_links(header: &Header, mut links: Vec<Link>) -> Option<Self> {
        let newest = links.pop()?;
        let Header { size, options, expansion, .. } = *header;
        Some(Self { size, options, expansion, max_bytes: u64::MAX, older: links, newest })
    }
}

fn too_large(link: usize, bytes: u64) -> DecodeError {
    DecodeError::new(HEADER_LEN + link * LINK_HEADER_LEN, Fault::TooLarge { bytes })
}

/// Assembles a dump from an untrusted source. It allocates no more memory than the bytes that have arrived.
///
/// # Examples
///
/// See [`BloomFilter::chunks`].
#[derive(Clone, Debug)]
pub struct Loader {
    header: Header,
    /// The bytes of each bit array that have arrived.
    arrays: Vec<Vec<u8>>,
}

impl Loader {
    /// Creates a loader from the header, the chunk of cursor 1.
    ///
    /// # Errors
    ///
    /// The bytes are not a valid header of the current encoding.
    pub fn new(header: &[u8]) -> Result<Self, DecodeError> {
        let header = Header::read(header)?;
        let arrays = vec![Vec::new(); header.links.len()];
        Ok(Self { header, arrays })
    }

    /// The number of items that were new when they were added, from the header alone: BF.CARD.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "it is the length of the filter, not of the loaded chunks"
    )]
    pub const fn len(&self) -> u64 {
        self.header.size
    }

    /// The [`memory`](BloomFilter::memory) of the filter, from the header alone. O(links).
    #[must_use]
    pub fn memory(&self) -> u64 {
        memory(self.lengths())
    }

    /// The [`error_rate_by_items`](BloomFilter::error_rate_by_items) of the filter, from the header alone. O(links).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut filter = bloom::BloomFilter::default();
    /// filter.add(b"user1")?;
    /// let loader = bloom::Loader::new(&filter.header()).unwrap();
    /// assert_eq!((loader.len(), loader.memory()), (1, filter.memory()));
    /// assert_eq!(loader.error_rate_by_items(), filter.error_rate_by_items());
    /// # Ok::<(), bloom::AddError>(())
    /// ```
    #[must_use]
    pub fn error_rate_by_items(&self) -> f64 {
        any_of(self.header.links.iter().map(|CheckedParts { parts, hashes }| {
            plan::expected_error(parts.bits, *hashes, parts.size)
        }))
    }

    /// Loads the next chunk, given its cursor. A chunk may overlap bytes that have arrived, and replaces them, but must
    /// not leave a gap.
    ///
    /// # Errors
    ///
    /// The cursor and the length are not a range of this filter's bit arrays, or the range starts after a gap. Nothing
    /// has changed.
    pub fn load(&mut self, cursor: u64, chunk: &[u8]) -> Result<(), LoadError> {
        let place = Place::find(self.lengths(), cursor, chunk.len() as u64)?;
        let gap = LoadError::Gap { at: place.start, loaded: self.contiguous() };
        let before = self.arrays.iter().zip(self.lengths()).take(place.link);
        if before.into_iter().any(|(array, length)| (array.len() as u64) < length) {
            return Err(gap);
        }
        let array = self.arrays.get_mut(place.link).ok_or(gap)?;
        let known = array.len().checked_sub(place.offset).ok_or(gap)?;
        let (again, new) = chunk.split_at_checked(known).unwrap_or((chunk, &[]));
        let old = array.get_mut(place.offset..).unwrap_or_default();
        old.iter_mut().zip(again).for_each(|(byte, new)| *byte = *new);
        array.extend_from_slice(new);
        Ok(())
    }

    /// Returns whether every byte has arrived.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.contiguous() == self.total()
    }

    /// Returns the filter.
    ///
    /// # Errors
    ///
    /// Bytes are missing.
    pub fn finish(self) -> Result<BloomFilter, LoadError> {
        let incomplete = LoadError::Incomplete { loaded: self.contiguous(), total: self.total() };
        let arrays = self.header.links.iter().zip(self.arrays);
        let links = arrays.map(|(parts, bytes)| Link::from_parts(parts, bytes));
        let links = links.collect::<Option<Vec<_>>>().ok_or(incomplete)?;
        BloomFilter::of_links(&self.header, links).ok_or(incomplete)
    }

    fn lengths(&self) -> impl Iterator<Item = u64> {
        self.header.links.iter().map(|CheckedParts { parts, .. }| parts.bits / 8)
    }

    fn total(&self) -> u64 {
        self.lengths().fold(0, u64::saturating_add)
    }

    fn contiguous(&self) -> u64 {
        self.arrays.iter().map(|array| array.len() as u64).fold(0, u64::saturating_add)
    }
}

/// Where a chunk belongs.
struct Place {
    link: usize,
    /// Offset in the link.
    offset: usize,
    /// Offset in all bit arrays, one after the other.
    start: u64,
}

impl Place {
    fn find(
        lengths: impl Iterator<Item = u64>,
        cursor: u64,
        length: u64,
    ) -> Result<Self, LoadError> {
        let wrong = LoadError::Cursor { got: cursor };
        let start = cursor.checked_sub(1).and_then(|end| end.checked_sub(length)).ok_or(wrong)?;
        let past = LoadError::PastEnd { at: start };
        let mut begin = 0_u64;
        for (link, bytes) in lengths.enumerate() {
            let end = begin.checked_add(bytes).ok_or(past)?;
            if start < end {
                if end - start < length {
                    return Err(LoadError::CrossesLink { at: start, end });
                }
                let offset = usize::try_from(start - begin).map_err(|_| past)?;
                return Ok(Self { link, offset, start });
            }
            begin = end;
        }
        Err(past)
    }
}
