//! Changes of a list. Every change is one splice: a gap is made or closed, then filled.

use alloc::boxed::Box;
use core::{array, error, fmt};

use crate::codec::{EMPTY, HEADER, LEAST, UNKNOWN, encode_header};
use crate::encode::{END, Encoded};
use crate::list::Layout;
use crate::{Entry, ListPack, Position, decode, growth};

/// The maximum length of a list in bytes: 1 GiB, Redis's safety limit. A longer blob can be opened, read and shortened,
/// but not lengthened.
pub const MAX_BYTES: usize = 1 << 30;

/// The number of bytes from which moving the header is faster than moving the entries behind.
const FAR: usize = 256;

/// Why a change is refused. The list is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The list would grow beyond [`MAX_BYTES`].
    TooLarge {
        /// The length that the blob would have, in bytes.
        need: u64,
    },
    /// There is no entry at the position: it is the end, or the list has changed since.
    NoEntry {
        /// The offset of the position in the blob.
        offset: usize,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLarge { need } => {
                write!(f, "listpack would take {need} bytes, more than {MAX_BYTES}")
            }
            Self::NoEntry { offset } => write!(f, "listpack has no entry at offset {offset}"),
        }
    }
}

impl error::Error for Refused {}

impl ListPack {
    /// Appends an entry. O(1) amortized.
    ///
    /// Bytes that are the canonical text of an integer are stored as one, as in every method that takes an entry.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    #[inline]
    pub fn push_back<'e>(&mut self, entry: impl Into<Entry<'e>>) -> Result<(), Refused> {
        self.push(entry.into(), true)
    }

    /// Inserts an entry at the front. O(n) to move the others; a list of more than some 250 bytes reserves room at its
    /// front, so that it moves them once in about twenty times.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`]; the list is unchanged.
    #[inline]
    pub fn push_front<'e>(&mut self, entry: impl Into<Entry<'e>>) -> Result<(), Refused> {
        self.push(entry.into(), false)
    }

    // One function with all that it calls, because an encoded entry does not fit registers.
    #[inline(never)]
    fn push(&mut self, entry: Entry<'_>, back: bool) -> Result<(), Refused> {
        let layout = self.layout();
        let at = if back { layout.used.saturating_sub(1) } else { HEADER };
        self.put(layout, at, 0, [Encoded::of(entry)])
    }

    /// Inserts an entry before the one at `at`, or at the end. `at` is then the position of the new entry. O(n) to move
    /// the entries behind it.
    ///
    /// # Errors
    ///
    /// [`Refused`]; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use listpack::{Entry, ListPack};
    ///
    /// let mut list = ListPack::new();
    /// list.push_back("b")?;
    /// let b = list.find("b").expect("it was added");
    /// list.insert(b, "a")?;
    /// assert!(list.iter().eq([Entry::from("a"), Entry::from("b")]));
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    pub fn insert<'e>(&mut self, at: Position, entry: impl Into<Entry<'e>>) -> Result<(), Refused> {
        self.insert_all(at, [entry.into()])
    }

    /// Inserts several entries, in order, before the one at `at`, or at the end. `at` is then the position of the first
    /// of them. O(n) to move the entries behind them once.
    ///
    /// # Errors
    ///
    /// [`Refused`]; the list is unchanged.
    #[inline]
    pub fn insert_all<const N: usize>(
        &mut self,
        at: Position,
        entries: [Entry<'_>; N],
    ) -> Result<(), Refused> {
        let (offset, layout) = (at.offset(), self.layout());
        if offset < HEADER || offset >= layout.used {
            return Err(Refused::NoEntry { offset });
        }
        // `entries.map` is not inlined without link-time optimisation.
        self.put::<N>(layout, offset, 0, array::from_fn(|index| Encoded::of(entries[index])))
    }

    /// Replaces the entry at `at`, which stays a valid position. O(n) to move the entries behind it if the sizes
    /// differ.
    ///
    /// # Errors
    ///
    /// [`Refused`]; the list is unchanged.
    #[inline]
    pub fn replace<'e>(
        &mut self,
        at: Position,
        entry: impl Into<Entry<'e>>,
    ) -> Result<(), Refused> {
        let offset = at.offset();
        let next = self.next_offset(offset).ok_or(Refused::NoEntry { offset })?;
        self.put(self.layout(), offset, next - offset, [Encoded::of(entry.into())])
    }

    /// Deletes the entry at `at` and returns whether there was one. O(n) to move the entries behind it.
    ///
    /// `at` is then the position of the next entry, or the end.
    pub fn delete(&mut self, at: Position) -> bool {
        self.delete_run(at, 1) > 0
    }

    /// Calls `read` with the first entry, deletes the entry, and returns what `read` returned; `None` if there is no
    /// entry. O(1) amortized. Half of the capacity may stay unused, where other deletions leave at most an eighth.
    ///
    /// If `read` panics, the list is unchanged.
    #[inline]
    pub fn pop_front_with<R>(&mut self, read: impl FnOnce(Entry<'_>) -> R) -> Option<R> {
        self.take(self.layout(), HEADER, read)
    }

    /// Calls `read` with the last entry, deletes the entry, and returns what `read` returned; `None` if there is no
    /// entry. O(1) amortized. Half of the capacity may stay unused, where other deletions leave at most an eighth.
    ///
    /// If `read` panics, the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use listpack::{Entry, ListPack};
    ///
    /// let mut list = ListPack::new();
    /// list.insert_all(list.end(), [Entry::from("a"), Entry::from("b")])?;
    /// assert_eq!(list.pop_back_with(|entry| entry == Entry::from("b")), Some(true));
    /// assert_eq!(list.pop_front_with(|entry| entry.to_vec()), Some(b"a".to_vec()));
    /// assert_eq!(list.pop_front_with(|_| ()), None);
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    #[inline]
    pub fn pop_back_with<R>(&mut self, read: impl FnOnce(Entry<'_>) -> R) -> Option<R> {
        let layout = self.layout();
        let blob = self.room.get(layout.front..).unwrap_or_default();
        let last = decode::previous(blob, HEADER, layout.used.saturating_sub(1))?;
        self.take(layout, last, read)
    }

    /// Calls `read` with the entry at `at`, the first or the last, and deletes it.
    ///
    /// Where one entry is popped, others likely follow: a reallocation for each few of them would take more time than
    /// the rest.
    #[inline]
    fn take<R>(
        &mut self,
        layout: Layout,
        at: usize,
        read: impl FnOnce(Entry<'_>) -> R,
    ) -> Option<R> {
        let blob = self.room.get(layout.front..).unwrap_or_default();
        let (entry, behind) = decode::entry(blob, at, layout.used.saturating_sub(1))?;
        let result = read(entry);
        let need = layout.used - (behind - at);
        self.splice(layout, at, behind, need as u64, less(layout.count, 1));
        if growth::is_half_idle(self.heap_bytes(), need) {
            self.shrink(need);
        }
        Some(result)
    }

    /// Deletes up to `count` entries from `at` on, and returns how many. O(n).
    ///
    /// `at` is then the position of the entry after them, or the end.
    pub fn delete_run(&mut self, at: Position, count: usize) -> usize {
        let (blob, end) = self.held_to_end();
        let mut next = at.offset();
        let mut deleted = 0;
        while deleted < count
            && next >= HEADER
            && let Some(behind) = decode::next(blob, next, end)
        {
            next = behind;
            deleted += 1;
        }
        if deleted > 0 {
            self.cut(self.layout(), at.offset(), next, deleted);
        }
        deleted
    }

    /// Moves `count` entries from `at` on to before the entry at `to`, or to the end. Returns false, and changes
    /// nothing, if there are fewer entries or if `to` is inside the run. O(bytes between the two positions).
    ///
    /// If entries were moved, `at` and `to` are no longer valid.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for number in 0..6 {
    ///     list.push_back(number)?;
    /// }
    /// let four = list.seek(4).expect("there are six");
    /// assert!(list.move_run(four, 2, list.first().expect("there are six")));
    /// assert_eq!(format!("{list:?}"), "[4, 5, 0, 1, 2, 3]");
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    pub fn move_run(&mut self, at: Position, count: usize, to: Position) -> bool {
        let (at, to) = (at.offset(), to.offset());
        let mut behind = at;
        for _ in 0..count {
            let Some(next) = self.next_offset(behind) else { return false };
            behind = next;
        }
        let (moved, by) =
            if to <= at { (to..behind, at.saturating_sub(to)) } else { (at..to, behind - at) };
        let among = to > at && to < behind;
        if among || moved.start < HEADER || moved.end > self.end_at() {
            return false;
        }
        if let Some(bytes) = self.held_mut().get_mut(moved) {
            bytes.rotate_left(by);
        }
        true
    }

    /// Deletes up to `count` entries from `index` on, and returns how many. O(n).
    ///
    /// ```
    /// let mut list = listpack::ListPack::new();
    /// for number in 0..10 {
    ///     list.push_back(number)?;
    /// }
    /// assert_eq!(list.delete_range(2, 7), 7);
    /// assert_eq!(format!("{list:?}"), "[0, 1, 9]");
    /// # Ok::<(), listpack::Refused>(())
    /// ```
    pub fn delete_range(&mut self, index: usize, count: usize) -> usize {
        self.seek(index).map_or(0, |at| self.delete_run(at, count))
    }

    /// Deletes the entries for which `keep` returns false, in one pass. O(n).
    ///
    /// If `keep` panics, the entry that it was called with and those behind it stay.
    pub fn retain(&mut self, mut keep: impl FnMut(Entry<'_>) -> bool) {
        self.close_front();
        let end = self.end_at();
        let mut pass = Retained { list: self, kept: HEADER, at: HEADER, deleted: 0 };
        while let Some((entry, next)) = decode::entry(&pass.list.room, pass.at, end) {
            if keep(entry) {
                pass.list.room.copy_within(pass.at..next, pass.kept);
                pass.kept += next - pass.at;
            } else {
                pass.deleted += 1;
            }
            pass.at = next;
        }
    }

    /// Deletes all entries and releases all memory. O(1).
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Reserves capacity for a blob of `bytes` in total, so that it can grow to that without another allocation.
    pub fn reserve(&mut self, bytes: usize) {
        if bytes > self.heap_bytes().max(LEAST) {
            self.set_capacity(bytes);
        }
    }

    /// Releases all slack.
    pub fn shrink_to_fit(&mut self) {
        let used = self.used();
        if *self.as_bytes() == EMPTY {
            self.room = Box::default();
        } else if used < self.heap_bytes() {
            self.set_capacity(used);
        }
    }

    /// The offset behind the entry at `at`.
    #[inline(always)]
    pub(crate) fn next_offset(&self, at: usize) -> Option<usize> {
        let (blob, end) = self.held_to_end();
        if at < HEADER { None } else { decode::next(blob, at, end) }
    }

    /// Replaces the `removed` bytes at `at`, which are one entry or none, by these entries.
    #[inline(always)]
    fn put<const N: usize>(
        &mut self,
        layout: Layout,
        at: usize,
        removed: usize,
        encoded: [Encoded<'_>; N],
    ) -> Result<(), Refused> {
        let added: u64 = encoded.iter().map(|entry| entry.size() as u64).sum();
        let need = layout.used as u64 - removed as u64 + added;
        if added > removed as u64 && need > MAX_BYTES as u64 {
            return Err(Refused::TooLarge { need });
        }
        let count = if removed == 0 { more(layout.count, N) } else { layout.count };
        let gap = self.splice(layout, at, at + removed, need, count);
        encoded.iter().fold(gap, |gap, entry| entry.write(gap));
        if added < removed as u64 {
            self.shrink(to_usize(need));
        }
        Ok(())
    }

    /// Removes the bytes from `at` to `behind`, which are `deleted` entries.
    pub(crate) fn cut(&mut self, layout: Layout, at: usize, behind: usize, deleted: usize) {
        let need = layout.used - (behind - at);
        self.splice(layout, at, behind, need as u64, less(layout.count, deleted));
        self.shrink(need);
    }

    /// Moves what is before `at` or what is at `from` and behind, so that the blob takes `need` bytes, and writes the
    /// header; lends the bytes from `at` on.
    #[inline(always)]
    pub(crate) fn splice(
        &mut self,
        layout: Layout,
        at: usize,
        from: usize,
        need: u64,
        count: u16,
    ) -> &mut [u8] {
        let grown = to_usize(need);
        // If only the header moves, no entry does.
        let near_front = at == HEADER && layout.used - from >= FAR;
        let moved = if near_front { self.move_front(layout, grown) } else { None };
        let front = moved.unwrap_or_else(|| self.move_back(layout, from, grown));
        let blob = self.room.get_mut(front..).unwrap_or_default();
        if let Some(header) = blob.first_chunk_mut::<HEADER>() {
            *header = encode_header(u32::try_from(need).unwrap_or(u32::MAX), count);
        }
        blob.get_mut(at..).unwrap_or_default()
    }

    /// Moves what is at `from` and behind, so that the blob takes `grown` bytes; returns the offset of the blob.
    #[inline(always)]
    fn move_back(&mut self, layout: Layout, from: usize, grown: usize) -> usize {
        let Layout { mut front, used, .. } = layout;
        if front + grown > self.heap_bytes() {
            self.grow(grown);
            front = 0;
        }
        let blob = self.room.get_mut(front..).unwrap_or_default();
        let to = from + grown - used;
        if from + 1 == used {
            // Only the end marker moves.
            if let Some(end) = blob.get_mut(to) {
                *end = END;
            }
        } else if to != from {
            blob.copy_within(from..used, to);
        }
        front
    }

    /// Moves the blob to the front, and makes capacity for a blob of `grown` bytes.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, grown: usize) {
        self.close_front();
        if grown > self.heap_bytes() {
            self.set_capacity(growth::capacity_for(grown));
        }
    }

    /// Releases capacity that a blob of `used` bytes does not need.
    #[inline]
    fn shrink(&mut self, used: usize) {
        if let Some(capacity) = growth::shrunk(self.heap_bytes(), used) {
            self.set_capacity(capacity);
        }
    }

    /// Writes the header; the capacity must be there.
    #[inline(always)]
    pub(crate) fn set_header(&mut self, total: u32, count: u16) {
        if let Some(header) = self.held_mut().first_chunk_mut::<HEADER>() {
            *header = encode_header(total, count);
        }
    }

    /// Reallocates to exactly `capacity` bytes, in place where the allocator can.
    #[cold]
    #[inline(never)]
    pub(crate) fn set_capacity(&mut self, capacity: usize) {
        self.close_front();
        let mut blob = core::mem::take(&mut self.room).into_vec();
        if blob.is_empty() {
            blob.reserve_exact(capacity);
            blob.extend_from_slice(&EMPTY);
        }
        blob.reserve_exact(capacity.saturating_sub(blob.len()));
        blob.resize(capacity, 0);
        self.room = blob.into_boxed_slice();
    }
}

/// A pass of [`ListPack::retain`], which leaves a valid list even after a panic.
struct Retained<'l> {
    list: &'l mut ListPack,
    /// Where the kept entries end, and where the entries not yet visited begin.
    kept: usize,
    at: usize,
    /// The entries between the two.
    deleted: usize,
}

impl Drop for Retained<'_> {
    fn drop(&mut self) {
        if self.deleted > 0 {
            self.list.cut(self.list.layout(), self.kept, self.at, self.deleted);
        }
    }
}

/// A length that was found to be at most [`MAX_BYTES`] or that of bytes in memory.
#[inline(always)]
fn to_usize(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The count after `added` more. Once unknown it stays so.
#[inline(always)]
fn more(count: u16, added: usize) -> u16 {
    u16::try_from(usize::from(count) + added).unwrap_or(UNKNOWN)
}

/// The count after `deleted` fewer. If the header counts too few, the count becomes unknown.
#[inline(always)]
fn less(count: u16, deleted: usize) -> u16 {
    if count == UNKNOWN {
        return UNKNOWN;
    }
    usize::from(count)
        .checked_sub(deleted)
        .and_then(|left| u16::try_from(left).ok())
        .unwrap_or(UNKNOWN)
}
