use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::black_box;

use crate::build::{COUNT_LIMIT, widen};
use crate::codec::{self, DecodeError, EMPTY, HEADER, Validation, decode_header, encode_header};
use crate::growth::{self, INTSET};
use crate::slot::{Slot, View, with_slots};
use crate::{Iter, Width, search};

/// The bytes of a cache line.
const CACHE_LINE: usize = 64;
/// The most lines of a blob that are all loaded before a search.
const TOUCHED: usize = 8;

/// A sorted set of `i64`, stored as Redis's intset.
///
/// The [crate documentation](crate) describes the layout.
///
/// ```
/// use intset::{IntSet, Width};
///
/// let mut set = IntSet::new();
/// assert!(set.insert(300));
/// assert!(set.insert(1));
/// assert!(!set.insert(300));
/// assert_eq!(set.as_bytes(), [2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 44, 1]);
///
/// set.insert(40_000);
/// assert_eq!(set.width(), Width::W32);
/// assert_eq!(set.rank(300), Some(1));
/// assert_eq!(set.iter().rev().collect::<Vec<_>>(), [40_000, 300, 1]);
/// ```
pub struct IntSet {
    /// The capacity, of which the first [`IntSet::used`] bytes are the blob; the header never exceeds it. No bytes
    /// represent [`EMPTY`]. A box rather than an option of one, to leave its niche to enums that contain sets.
    blob: Box<[u8]>,
}

impl IntSet {
    /// Creates an empty set, without heap memory.
    #[must_use]
    pub fn new() -> Self {
        Self { blob: Box::default() }
    }

    /// Takes a blob, unchanged, after validating it.
    ///
    /// Nothing is copied if the bytes come as a `Box<[u8]>` or as a `Vec<u8>` without spare capacity. With
    /// [`Validation::Shallow`] members may be out of order; such a set gives wrong results, but never panics.
    ///
    /// # Errors
    ///
    /// As [`validate`](crate::validate) says.
    ///
    /// # Examples
    ///
    /// ```
    /// use intset::{IntSet, Validation};
    ///
    /// let blob = vec![4, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0];
    /// let set = IntSet::from_bytes(blob.clone(), Validation::Deep)?;
    /// assert!(set.contains(7));
    /// assert_eq!(set.into_bytes(), blob);
    /// # Ok::<(), intset::DecodeError>(())
    /// ```
    pub fn from_bytes(
        blob: impl Into<Box<[u8]>>,
        validation: Validation,
    ) -> Result<Self, DecodeError> {
        let blob = blob.into();
        codec::validate(&blob, validation)?;
        Ok(Self { blob })
    }

    /// Takes a blob whose header is right, and the capacity behind it.
    pub(crate) fn from_capacity(blob: Box<[u8]>) -> Self {
        let set = Self { blob };
        debug_assert!(set.used() <= set.heap_bytes());
        set
    }

    /// Validates the blob again, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// This can fail only for a set that was created with [`Validation::Shallow`].
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
        &self.held()[..self.used()]
    }

    /// Returns the blob, without a copy (an empty set allocates its 8 bytes). The vector may have spare capacity.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let used = self.used();
        let mut blob = if self.blob.is_empty() { EMPTY.into() } else { self.blob.into_vec() };
        blob.truncate(used);
        blob
    }

    /// The number of members. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.header().1 as usize
    }

    /// Whether there are no members. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The width of the members: that of the widest value ever inserted, or of the blob that the set was created from.
    /// O(1).
    #[inline]
    #[must_use]
    pub fn width(&self) -> Width {
        self.header().0
    }

    /// Returns whether `value` is a member. O(log n).
    #[inline(never)]
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        with_slots!(self.view(), slots => search::contains(slots, value))
    }

    /// Returns the number of members below `value`, which need not be a member. O(log n).
    ///
    /// ```
    /// let set = intset::IntSet::from_iter([10, 20, 30]);
    /// assert_eq!(set.count_below(20), 1);
    /// assert_eq!(set.count_below(21), 2);
    /// ```
    #[inline(never)]
    #[must_use]
    pub fn count_below(&self, value: i64) -> usize {
        with_slots!(self.view(), slots => search::lower_bound(slots, value))
    }

    /// Returns the index of a member in ascending order, or `None` if `value` is not a member. O(log n).
    #[inline(never)]
    #[must_use]
    pub fn rank(&self, value: i64) -> Option<usize> {
        with_slots!(self.view(), slots => search::rank(slots, value))
    }

    /// Returns the member at `index` in ascending order. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        with_slots!(self.view(), slots => slots.get(index).map(|slot| slot.get()))
    }

    /// The least member. O(1).
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.get(0)
    }

    /// The greatest member. O(1).
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Returns the member that the random number `random` selects, or `None` for an empty set. O(1).
    ///
    /// With 64 random bits, the probabilities of any two members differ by at most one part in 2^32.
    ///
    /// ```
    /// let set = intset::IntSet::from_iter([10, 20]);
    /// assert_eq!(set.random_member(0), Some(10));
    /// assert_eq!(set.random_member(u64::MAX), Some(20));
    /// ```
    #[inline]
    #[must_use]
    pub fn random_member(&self, random: u64) -> Option<i64> {
        self.get(random_index(random, self.len()))
    }

    /// Iterates over the members, in ascending order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self.view())
    }

    /// Prefetches the cache lines at the two ends of the blob, which [`prefetch_place`](Self::prefetch_place) reads. A
    /// batch calls this for many sets, then `prefetch_place`, then looks the values up. O(1).
    ///
    /// ```
    /// use intset::IntSet;
    ///
    /// let mut sets: Vec<IntSet> = (0..100).map(|set| (set..10_000).step_by(50).collect()).collect();
    /// sets.iter().for_each(IntSet::prefetch_ends);
    /// sets.iter().for_each(|set| set.prefetch_place(5_000));
    /// assert_eq!(sets.iter_mut().filter_map(|set| set.insert(5_000).then_some(())).count(), 98);
    /// ```
    #[inline]
    pub fn prefetch_ends(&self) {
        prefetch::byte(&self.blob, 0);
        prefetch::byte(&self.blob, self.blob.len().wrapping_sub(1));
    }

    /// Prefetches the cache lines that looking up, inserting or removing `value` will most likely read. O(1), with a
    /// cache miss on the two ends if they were not prefetched before.
    #[inline]
    pub fn prefetch_place(&self, value: i64) {
        let (width, len) = self.header();
        match width {
            Width::W16 => self.prefetch_slots::<[u8; 2]>(len, value),
            Width::W32 => self.prefetch_slots::<[u8; 4]>(len, value),
            Width::W64 => self.prefetch_slots::<[u8; 8]>(len, value),
        }
    }

    #[inline(always)]
    fn prefetch_slots<S: Slot>(&self, len: u32, value: i64) {
        let slots = S::slots(self.blob.get(HEADER..).unwrap_or_default());
        let slots = &slots[..slots.len().min(len as usize)];
        let likely = search::likely(slots, value);
        if let Some(last) = likely.last() {
            likely.iter().step_by(CACHE_LINE / S::BYTES).for_each(prefetch::value);
            prefetch::value(last);
        } else {
            self.lines().iter().take(TOUCHED).for_each(prefetch::value);
        }
    }

    /// Inserts `value` and returns whether it was new. O(log n) to search, O(n) to move the members after it.
    ///
    /// A value that does not fit the width widens all members.
    ///
    /// # Panics
    ///
    /// If the set already has `u32::MAX` members, which is what the header can count (8 to 34 GB).
    #[inline(never)]
    pub fn insert(&mut self, value: i64) -> bool {
        self.touch();
        let (width, len) = self.header();
        match width {
            Width::W16 => self.insert_slot::<[u8; 2]>(len, value),
            Width::W32 => self.insert_slot::<[u8; 4]>(len, value),
            Width::W64 => self.insert_slot::<[u8; 8]>(len, value),
        }
    }

    /// Removes `value` and returns whether it was a member. O(log n) to search, O(n) to move the members after it.
    ///
    /// Memory that is no longer needed is released; the width stays.
    #[inline(never)]
    pub fn remove(&mut self, value: i64) -> bool {
        let (width, len) = self.header();
        match width {
            Width::W16 => self.remove_slot::<[u8; 2]>(len, value),
            Width::W32 => self.remove_slot::<[u8; 4]>(len, value),
            Width::W64 => self.remove_slot::<[u8; 8]>(len, value),
        }
    }

    /// Removes all members and releases all memory; the width is 16 bits again. O(1).
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The bytes on the heap: the blob and its slack, without the allocator's overhead. O(1).
    #[inline]
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.blob.len()
    }

    /// Releases all slack.
    pub fn shrink_to_fit(&mut self) {
        let used = self.used();
        if *self.as_bytes() == EMPTY {
            self.blob = Box::default();
        } else if used < self.heap_bytes() {
            self.set_capacity(used);
        }
    }

    /// The capacity, or the empty blob.
    #[inline(always)]
    fn held(&self) -> &[u8] {
        if self.blob.is_empty() { &EMPTY } else { &self.blob }
    }

    /// Width and number of members.
    #[inline(always)]
    pub(crate) fn header(&self) -> (Width, u32) {
        let (tag, len) = decode_header(*self.held().first_chunk().unwrap_or(&EMPTY));
        // Only checked headers come in: the fallbacks never run.
        (Width::from_tag(tag).unwrap_or(Width::W64), len)
    }

    /// Writes the header; the capacity must be there.
    #[inline(always)]
    pub(crate) fn set_header(&mut self, width: Width, len: u32) {
        if let Some(header) = self.blob.first_chunk_mut() {
            *header = encode_header(width, len);
        }
    }

    /// The length of the blob, in bytes.
    #[inline(always)]
    pub(crate) fn used(&self) -> usize {
        let (width, len) = self.header();
        HEADER + len as usize * width.bytes()
    }

    #[inline(always)]
    pub(crate) fn view(&self) -> View<'_> {
        let (header, payload) = self.held().split_first_chunk().unwrap_or((&EMPTY, &[]));
        let (tag, len) = decode_header(*header);
        View::new(Width::from_tag(tag).unwrap_or(Width::W64), payload, len as usize)
    }

    /// The whole capacity behind the header.
    #[inline(always)]
    pub(crate) fn payload_mut(&mut self) -> &mut [u8] {
        self.blob.get_mut(HEADER..).unwrap_or_default()
    }

    /// The cache lines of the blob.
    #[inline(always)]
    fn lines(&self) -> &[[u8; CACHE_LINE]] {
        self.blob.as_chunks().0
    }

    /// Loads a byte of every cache line of a small blob; of a larger one the last, since an insertion moves what is behind its place.
    ///
    /// A search waits for one line after the other, some eighty nanoseconds each when the set is not in a near cache.
    /// These loads do not depend on each other, so that all of them together take little longer than one. A larger set
    /// is searched in few lines (see [`search`]).
    #[inline(always)]
    pub(crate) fn touch(&self) {
        let mut touched = self.blob.last().copied().unwrap_or(0);
        let lines = self.lines();
        if lines.len() <= TOUCHED {
            // Four per iteration: a loop over single lines takes three times the instructions.
            let (fours, rest) = lines.as_chunks::<4>();
            for [a, b, c, d] in fours {
                touched |= a[0] | b[0] | c[0] | d[0];
            }
            for line in rest {
                touched |= line[0];
            }
        }
        black_box(touched);
    }

    /// The slots of the whole capacity, members first.
    #[inline(always)]
    fn slots_mut<S: Slot>(&mut self) -> &mut [S] {
        S::slots_mut(self.payload_mut())
    }

    #[inline(always)]
    fn insert_slot<S: Slot>(&mut self, len: u32, value: i64) -> bool {
        if Width::of(value) > S::WIDTH {
            self.widen_and_insert(value);
            return true;
        }
        let count = len as usize;
        let Err(at) = search::find(&self.slots_mut::<S>()[..count], value) else { return false };
        let grown = one_more(len);
        if self.slots_mut::<S>().len() == count {
            self.reserve(HEADER + (count + 1) * S::BYTES);
        }
        let slots = self.slots_mut::<S>();
        slots.copy_within(at..count, at + 1);
        slots[at] = S::put(value);
        self.set_header(S::WIDTH, grown);
        true
    }

    #[inline(always)]
    fn remove_slot<S: Slot>(&mut self, len: u32, value: i64) -> bool {
        let count = len as usize;
        let slots = &mut self.slots_mut::<S>()[..count];
        let Ok(at) = search::find(slots, value) else { return false };
        slots.copy_within(at + 1.., at);
        self.set_header(S::WIDTH, len - 1);
        if let Some(capacity) = INTSET.shrunk(self.heap_bytes(), self.used()) {
            self.set_capacity(capacity);
        }
        true
    }

    /// Widens all members to `value`'s width and adds it.
    ///
    /// It lies outside the range of the old width, so that it is either below or above all members.
    #[cold]
    #[inline(never)]
    fn widen_and_insert(&mut self, value: i64) {
        let width = Width::of(value);
        let (old, len) = self.header();
        let grown = one_more(len);
        let below = value < 0;
        self.reserve(HEADER + grown as usize * width.bytes());
        widen(self.payload_mut(), len, old, width, usize::from(below));
        let at = if below { 0 } else { len as usize };
        match width {
            Width::W16 => self.slots_mut()[at] = <[u8; 2]>::put(value),
            Width::W32 => self.slots_mut()[at] = <[u8; 4]>::put(value),
            Width::W64 => self.slots_mut()[at] = <[u8; 8]>::put(value),
        }
        self.set_header(width, grown);
    }

    /// Makes room for a blob of `used` bytes, and a little more.
    #[cold]
    #[inline(never)]
    pub(crate) fn reserve(&mut self, used: usize) {
        if used > self.heap_bytes() {
            self.set_capacity(INTSET.capacity_for(used));
        }
    }

    /// Reallocates to exactly `capacity` bytes, in place where the allocator can.
    pub(crate) fn set_capacity(&mut self, capacity: usize) {
        let fresh = self.blob.is_empty();
        self.blob = growth::reallocated(core::mem::take(&mut self.blob), capacity);
        if fresh && let Some(header) = self.blob.first_chunk_mut() {
            *header = EMPTY;
        }
    }
}

/// The number of members after one more.
#[inline(always)]
fn one_more(len: u32) -> u32 {
    len.checked_add(1).expect(COUNT_LIMIT)
}

/// An index of a set of `len` members, all as likely as can be.
#[inline(always)]
pub(crate) fn random_index(random: u64, len: usize) -> usize {
    // The high half of the product is below `len`, or 0: a multiply in place of a division.
    let index = (u128::from(random) * len as u128) >> u64::BITS;
    usize::try_from(index).unwrap_or(usize::MAX)
}
