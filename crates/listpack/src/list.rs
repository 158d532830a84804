use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::codec::{self, DecodeError, EMPTY, HEADER, LEAST, UNKNOWN, Validation, decode_header};
use crate::{Entry, Iter, decode, search};

/// A list of short strings and integers in the bytes of Redis's listpack.
///
/// The [crate documentation](crate) explains the layout.
///
/// ```
/// use listpack::{Entry, ListPack};
///
/// let mut list = ListPack::new();
/// list.push_back("a")?;
/// list.push_back("17")?;
/// assert_eq!(list.as_bytes(), [12, 0, 0, 0, 2, 0, 0x81, b'a', 2, 17, 1, 0xff]);
/// assert_eq!(list.get(1), Some(Entry::Int(17)));
///
/// let at = list.find("a").expect("it was added");
/// list.replace(at, "b")?;
/// assert_eq!(list.iter().map(Entry::to_vec).collect::<Vec<_>>(), [b"b".to_vec(), b"17".to_vec()]);
/// # Ok::<(), listpack::Refused>(())
/// ```
pub struct ListPack {
    /// The capacity, of which [`ListPack::used`] bytes are the blob; the header never asks for more, nor for less than
    /// [`LEAST`]. No bytes at all stand for [`EMPTY`]. A box rather than an option of one: its niche is left to the enums
    /// that hold lists.
    ///
    /// The blob begins where the capacity does, or behind some [`room`](crate::room).
    pub(crate) room: Box<[u8]>,
}

/// The place of an entry in a list, or the end of the list.
///
/// It is good until the list changes; the methods that change the list say which place is good after them. One that is
/// kept longer may name an entry, no entry ([`Refused::NoEntry`](crate::Refused::NoEntry)), or the middle of one: then
/// the list is damaged as one of wrong bytes is under [`Validation::Shallow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(u32);

impl Position {
    #[inline(always)]
    pub(crate) fn new(offset: usize) -> Self {
        // A blob counts its bytes in 32 bits.
        Self(u32::try_from(offset).unwrap_or(u32::MAX))
    }

    /// The offset of the entry in the blob, in bytes.
    #[inline]
    #[must_use]
    pub fn offset(self) -> usize {
        self.0 as usize
    }
}

impl ListPack {
    /// An empty list, which holds no memory.
    #[must_use]
    pub fn new() -> Self {
        Self { room: Box::default() }
    }

    /// An empty list with room for a blob of `bytes`, header and end marker included.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut list = Self::new();
        if bytes > LEAST {
            list.set_capacity(bytes);
        }
        list
    }

    /// Takes a blob as it is.
    ///
    /// Nothing is copied if the bytes come as a `Box<[u8]>` or as a `Vec<u8>` without spare capacity. With
    /// [`Validation::Shallow`] there may be anything between header and end marker; such a list answers wrongly, but
    /// never panics.
    ///
    /// # Errors
    ///
    /// As [`validate`](crate::validate) says.
    ///
    /// # Examples
    ///
    /// ```
    /// use listpack::{ListPack, Validation};
    ///
    /// let blob = vec![9, 0, 0, 0, 1, 0, 7, 1, 0xff];
    /// let list = ListPack::from_bytes(blob.clone(), Validation::Deep)?;
    /// assert!(list.contains(7));
    /// assert_eq!(list.into_bytes(), blob);
    /// # Ok::<(), listpack::DecodeError>(())
    /// ```
    pub fn from_bytes(
        blob: impl Into<Box<[u8]>>,
        validation: Validation,
    ) -> Result<Self, DecodeError> {
        let blob = blob.into();
        codec::validate(&blob, validation)?;
        Ok(Self { room: blob })
    }

    /// Checks the blob again, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// Only a list that was taken shallowly can fail, or one that was changed at a stale [`Position`].
    ///
    /// # Errors
    ///
    /// As [`validate`](crate::validate) says.
    pub fn validate(&self, validation: Validation) -> Result<(), DecodeError> {
        codec::validate(self.as_bytes(), validation)
    }

    /// The blob, as Redis keeps it in memory and in its files. O(1).
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let blob = self.held();
        &blob[..total_of(blob)]
    }

    /// The blob, without a copy (the empty list's 7 bytes are allocated, and a blob behind room is moved to the front); the
    /// vector may have spare capacity.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.close_front();
        let used = self.used();
        let mut blob = if self.room.is_empty() { EMPTY.into() } else { self.room.into_vec() };
        blob.truncate(used);
        blob
    }

    /// The number of entries. O(1) below 65,535, beyond that O(n): the header counts no further.
    ///
    /// After more than that were there once, the header does not count until [`settle_count`](Self::settle_count) or
    /// [`clear`](Self::clear).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self.header().1 {
            UNKNOWN => self.iter().count(),
            count => count.into(),
        }
    }

    /// The number of entries, which is also written into the header if it was unknown and is below 65,535, as Redis
    /// does whenever it asks a list for its length. O(n) if it was unknown.
    pub fn settle_count(&mut self) -> usize {
        let len = self.len();
        if let Ok(count) = u16::try_from(len) {
            let (total, _) = self.header();
            self.set_header(total, count);
        }
        len
    }

    /// Whether there are no entries. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used() == LEAST
    }

    /// The place of the first entry. O(1).
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<Position> {
        self.checked(HEADER)
    }

    /// The place of the last entry. O(1).
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<Position> {
        self.prev(self.end())
    }

    /// The place behind the last entry: where [`insert`](Self::insert) appends. O(1).
    #[inline]
    #[must_use]
    pub fn end(&self) -> Position {
        Position::new(self.end_at())
    }

    /// The place of the entry behind the one at `at`; `None` behind the last. O(1).
    #[inline]
    #[must_use]
    pub fn next(&self, at: Position) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        let next = decode::next(blob, at.offset(), end)?;
        (next < end).then(|| Position::new(next))
    }

    /// The place of the entry before the one at `at`, or before the end; `None` before the first. O(1).
    #[inline]
    #[must_use]
    pub fn prev(&self, at: Position) -> Option<Position> {
        self.checked(decode::previous(self.as_bytes(), HEADER, at.offset())?)
    }

    /// The entry at `at`; `None` at the end. O(1).
    #[inline]
    #[must_use]
    pub fn entry(&self, at: Position) -> Option<Entry<'_>> {
        let (blob, end) = self.held_to_end();
        let (entry, _) = decode::entry(blob, at.offset(), end)?;
        (at.offset() >= HEADER).then_some(entry)
    }

    /// The place of the entry at `index`, counted from the front. O(n), from the nearer end.
    #[must_use]
    pub fn seek(&self, index: usize) -> Option<Position> {
        let count = self.header().1;
        if count != UNKNOWN {
            let behind = usize::from(count).checked_sub(index)?.checked_sub(1)?;
            if behind < index {
                return self.scan_back(behind);
            }
        }
        self.scan(index)
    }

    /// The place of the entry at `index`, counted from the back: 0 is the last. O(n), from the nearer end.
    #[must_use]
    pub fn seek_back(&self, index: usize) -> Option<Position> {
        let count = self.header().1;
        if count != UNKNOWN {
            let before = usize::from(count).checked_sub(index)?.checked_sub(1)?;
            if before < index {
                return self.scan(before);
            }
        }
        self.scan_back(index)
    }

    fn scan(&self, index: usize) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        self.checked(decode::skip(blob, HEADER, end, index)?)
    }

    fn scan_back(&self, index: usize) -> Option<Position> {
        let behind = decode::skip_back(self.as_bytes(), HEADER, self.end_at(), index)?;
        self.checked(decode::previous(self.as_bytes(), HEADER, behind)?)
    }

    /// The entry at `index`, counted from the front. O(n), from the nearer end.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Entry<'_>> {
        self.entry(self.seek(index)?)
    }

    /// The entry at `index`, counted from the back: 0 is the last. O(n), from the nearer end.
    #[inline]
    #[must_use]
    pub fn get_back(&self, index: usize) -> Option<Entry<'_>> {
        self.entry(self.seek_back(index)?)
    }

    /// The place of the first entry that is equal to `needle`. O(n).
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// list.push_back("one")?;
    /// list.push_back(2)?;
    /// assert!(list.find("2").is_some() && list.find("02").is_none());
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn find<'e>(&self, needle: impl Into<Entry<'e>>) -> Option<Position> {
        self.find_offset(needle.into(), HEADER, 0)
    }

    /// The place of the first entry, at `from` or behind, that is equal to `needle`; after each entry that is looked
    /// at, `skip` are passed over. O(n).
    ///
    /// With `skip` 1 from the first entry on it looks at the keys of a list of keys and values.
    ///
    /// ```
    /// use listpack::{Entry, ListPack};
    ///
    /// let mut list = ListPack::new();
    /// list.insert_all(list.end(), [Entry::from("size"), Entry::from("color")])?;
    /// list.insert_all(list.end(), [Entry::from("color"), Entry::from("red")])?;
    /// let first = list.first().expect("two pairs");
    /// let key = list.find_from(first, "color", 1).expect("the second key");
    /// assert_eq!(list.next(key).and_then(|value| list.entry(value)), Some(Entry::from("red")));
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn find_from<'e>(
        &self,
        from: Position,
        needle: impl Into<Entry<'e>>,
        skip: usize,
    ) -> Option<Position> {
        self.find_offset(needle.into(), from.offset().max(HEADER), skip)
    }

    /// Whether an entry is equal to `needle`. O(n).
    #[inline]
    #[must_use]
    pub fn contains<'e>(&self, needle: impl Into<Entry<'e>>) -> bool {
        self.find(needle).is_some()
    }

    #[inline(never)]
    fn find_offset(&self, needle: Entry<'_>, from: usize, skip: usize) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        search::find(blob, from, end, needle, skip).map(Position::new)
    }

    /// The entries, from the front; from the back by `rev`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self.as_bytes(), HEADER)
    }

    /// The entries at `from` and behind.
    #[inline]
    #[must_use]
    pub fn iter_from(&self, from: Position) -> Iter<'_> {
        Iter::new(self.as_bytes(), from.offset().max(HEADER))
    }

    /// The bytes held on the heap: the blob and its slack, without what the allocator adds. O(1).
    #[inline]
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.room.len()
    }

    /// The place, if an entry is there.
    #[inline(always)]
    fn checked(&self, at: usize) -> Option<Position> {
        (at < self.end_at()).then(|| Position::new(at))
    }

    /// The blob and the capacity behind it, and the offset of the end marker.
    #[inline(always)]
    pub(crate) fn held_to_end(&self) -> (&[u8], usize) {
        let blob = self.held();
        (blob, total_of(blob).saturating_sub(1))
    }

    /// The length of the blob in bytes, and the count.
    #[inline(always)]
    pub(crate) fn header(&self) -> (u32, u16) {
        header_of(self.held())
    }

    /// The length of the blob, in bytes.
    #[inline(always)]
    pub(crate) fn used(&self) -> usize {
        self.header().0 as usize
    }

    /// The offset of the end marker.
    #[inline(always)]
    pub(crate) fn end_at(&self) -> usize {
        self.used().saturating_sub(1)
    }
}

/// What the header of a blob says: its length in bytes, and the count.
#[inline(always)]
fn header_of(blob: &[u8]) -> (u32, u16) {
    // Only checked headers come in: the fallback never runs.
    blob.first_chunk().map_or((7, 0), |header| decode_header(*header))
}

/// The length that the header of a blob says, in bytes.
#[inline(always)]
fn total_of(blob: &[u8]) -> usize {
    header_of(blob).0 as usize
}
