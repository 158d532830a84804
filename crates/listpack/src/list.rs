use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::codec::{self, DecodeError, EMPTY, HEADER, LEAST, UNKNOWN, Validation, decode_header};
use crate::{Entry, Iter, decode, search};

/// The bytes of a cache line.
const LINE: usize = 64;

/// The most bytes that are prefetched at once: farther ones are prefetched by the processor while these are read.
const AHEAD: usize = 2048;

/// A list of short strings and integers, stored as Redis's listpack.
///
/// The [crate documentation](crate) describes the layout.
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

/// The position of an entry in a list, or the end of the list.
///
/// It is valid until the list changes; methods that change the list document which position is valid after them. A
/// stale position may refer to another entry, to none ([`Refused::NoEntry`](crate::Refused::NoEntry)), or into the
/// middle of one. A change at the middle of an entry damages the list, which then behaves as one with wrong bytes under
/// [`Validation::Shallow`].
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
    /// Creates an empty list, without heap memory.
    #[must_use]
    pub fn new() -> Self {
        Self { room: Box::default() }
    }

    /// Creates an empty list with capacity for a blob of `bytes`, header and end marker included.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut list = Self::new();
        if bytes > LEAST {
            list.set_capacity(bytes);
        }
        list
    }

    /// Takes a blob, unchanged, after validating it.
    ///
    /// Nothing is copied if the bytes come as a `Box<[u8]>` or as a `Vec<u8>` without spare capacity. With
    /// [`Validation::Shallow`] there may be any bytes between header and end marker; such a list gives wrong results,
    /// but never panics.
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

    /// Validates the blob again, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// This can fail only for a list that was created with [`Validation::Shallow`], or that was changed at a stale
    /// [`Position`].
    ///
    /// # Errors
    ///
    /// As [`validate`](crate::validate) says.
    pub fn validate(&self, validation: Validation) -> Result<(), DecodeError> {
        codec::validate(self.as_bytes(), validation)
    }

    /// Returns the blob, as Redis stores it in memory and in its files. O(1).
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let blob = self.held();
        &blob[..total_of(blob)]
    }

    /// Returns the blob, without a copy (an empty list allocates its 7 bytes, and a blob with room at its front is
    /// moved). The vector may have spare capacity.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.close_front();
        let used = self.used();
        let mut blob = if self.room.is_empty() { EMPTY.into() } else { self.room.into_vec() };
        blob.truncate(used);
        blob
    }

    /// The number of entries. O(1) below 65,535; O(n) from there on, because the header has no count then.
    ///
    /// Once a list has had that many, it stays O(n) until [`settle_count`](Self::settle_count) or
    /// [`clear`](Self::clear).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self.header().1 {
            UNKNOWN => self.iter().count(),
            count => count.into(),
        }
    }

    /// Returns the number of entries, and stores it in the header if the header had no count and the number is below
    /// 65,535, as Redis does whenever it needs the length. O(n) if the header had no count, else O(1).
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

    /// The position of the first entry. O(1).
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<Position> {
        self.checked(HEADER)
    }

    /// The position of the last entry. O(1).
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<Position> {
        self.prev(self.end())
    }

    /// The position after the last entry, where [`insert`](Self::insert) appends. O(1).
    #[inline]
    #[must_use]
    pub fn end(&self) -> Position {
        Position::new(self.end_at())
    }

    /// The position of the entry after the one at `at`; `None` after the last. O(1).
    #[inline]
    #[must_use]
    pub fn next(&self, at: Position) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        let next = decode::next(blob, at.offset(), end)?;
        (next < end).then(|| Position::new(next))
    }

    /// The position of the entry before the one at `at`, or before the end; `None` before the first. O(1).
    #[inline]
    #[must_use]
    pub fn prev(&self, at: Position) -> Option<Position> {
        self.checked(decode::previous(self.as_bytes(), HEADER, at.offset())?)
    }

    /// Returns the entry at `at`; `None` at the end. O(1).
    #[inline]
    #[must_use]
    pub fn entry(&self, at: Position) -> Option<Entry<'_>> {
        let (blob, end) = self.held_to_end();
        let (entry, _) = decode::entry(blob, at.offset(), end)?;
        (at.offset() >= HEADER).then_some(entry)
    }

    /// The position of the entry at `index`, from the front. O(n), from the nearer end.
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

    /// The position of the entry at `index` from the back, where 0 is the last. O(n), from the nearer end.
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

    /// The bytes of an entry, with the length at its end, if all entries have as many; `None` if there is none, or if the
    /// header has no count or a wrong one. O(n).
    ///
    /// It allows [`seek_fixed`](Self::seek_fixed).
    #[must_use]
    pub fn fixed_size(&self) -> Option<usize> {
        let (blob, end) = self.held_to_end();
        let size = decode::next(blob, HEADER, end)? - HEADER;
        let count = usize::from(self.header().1);
        let alike =
            || (HEADER..end).step_by(size).all(|at| decode::next(blob, at, end) == Some(at + size));
        (end - HEADER == count * size && alike()).then_some(size)
    }

    /// The position of the entry at `index` in a list whose entries have [`fixed_size`](Self::fixed_size) bytes each.
    /// O(1).
    ///
    /// In a list with entries of other sizes, the position is a stale one.
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for number in 1000..1020 {
    ///     list.push_back(number)?;
    /// }
    /// assert_eq!(list.fixed_size(), Some(3));
    /// assert_eq!(list.seek_fixed(7, 3), list.seek(7));
    /// assert_eq!(list.seek_fixed(20, 3), None);
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn seek_fixed(&self, index: usize, size: usize) -> Option<Position> {
        self.checked(index.checked_mul(size)?.checked_add(HEADER)?)
    }

    /// Prefetches the cache lines of `count` entries from `index` on, in a list whose entries have
    /// [`fixed_size`](Self::fixed_size) bytes each: at most 2 KiB. O(1).
    ///
    /// It does not wait for the header, whose cache miss then overlaps with those of the entries. A list that was pushed
    /// to at the front may have other bytes there, until [`shrink_to_fit`](Self::shrink_to_fit).
    #[inline]
    pub fn prefetch_fixed(&self, index: usize, count: usize, size: usize) {
        let from = index.saturating_mul(size).saturating_add(HEADER);
        let bytes = count.saturating_mul(size).min(AHEAD);
        for at in (0..bytes).step_by(LINE).chain(bytes.checked_sub(1)) {
            prefetch::byte(&self.room, from.saturating_add(at));
        }
    }

    fn scan(&self, index: usize) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        self.checked(decode::skip(blob, HEADER, end, index)?)
    }

    fn scan_back(&self, index: usize) -> Option<Position> {
        let behind = decode::skip_back(self.as_bytes(), HEADER, self.end_at(), index)?;
        self.checked(decode::previous(self.as_bytes(), HEADER, behind)?)
    }

    /// Returns the entry at `index`, from the front. O(n), from the nearer end.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Entry<'_>> {
        self.entry(self.seek(index)?)
    }

    /// Returns the entry at `index` from the back, where 0 is the last. O(n), from the nearer end.
    #[inline]
    #[must_use]
    pub fn get_back(&self, index: usize) -> Option<Entry<'_>> {
        self.entry(self.seek_back(index)?)
    }

    /// The position of the first entry that equals `needle`. O(n).
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

    /// The position of the first entry from `from` on that equals `needle`, where after each compared entry `skip`
    /// entries are skipped. O(n).
    ///
    /// With `skip` 1 from the first entry on, it compares the keys of a list of keys and values.
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

    /// Returns whether an entry equals `needle`. O(n).
    #[inline]
    #[must_use]
    pub fn contains<'e>(&self, needle: impl Into<Entry<'e>>) -> bool {
        self.find(needle).is_some()
    }

    #[inline(never)]
    pub(crate) fn find_offset(
        &self,
        needle: Entry<'_>,
        from: usize,
        skip: usize,
    ) -> Option<Position> {
        let (blob, end) = self.held_to_end();
        search::find(blob, from, end, needle, skip).map(Position::new)
    }

    /// Iterates over the entries, in order; `rev` starts at the back.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self.as_bytes(), HEADER)
    }

    /// Iterates over the entries from `from` on.
    #[inline]
    #[must_use]
    pub fn iter_from(&self, from: Position) -> Iter<'_> {
        Iter::new(self.as_bytes(), from.offset().max(HEADER))
    }

    /// The bytes on the heap: the blob and its slack, without the allocator's overhead. O(1).
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

    /// Where the blob is, and what its header says: read once by a change.
    #[inline(always)]
    pub(crate) fn layout(&self) -> Layout {
        let front = self.front();
        let (total, count) = header_of(self.room.get(front..).unwrap_or_default());
        Layout { front, used: total as usize, count }
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

/// Where a blob is in its capacity, and what its header says.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// The offset of the blob in the capacity.
    pub(crate) front: usize,
    /// The length of the blob, in bytes.
    pub(crate) used: usize,
    pub(crate) count: u16,
}

/// What the header of a blob says: its length in bytes, and the count.
#[inline(always)]
fn header_of(blob: &[u8]) -> (u32, u16) {
    // No bytes stand for an empty list.
    let [empty @ .., _] = EMPTY;
    decode_header(*blob.first_chunk().unwrap_or(&empty))
}

/// The length that the header of a blob says, in bytes.
#[inline(always)]
fn total_of(blob: &[u8]) -> usize {
    header_of(blob).0 as usize
}
