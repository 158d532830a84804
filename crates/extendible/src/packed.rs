//! Buckets of packed byte strings, with or without values.

mod run;
mod values;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use crate::bucket::{Bucket, Fill, Rehash};
use crate::offsets::Offsets;
use crate::table::Extendible;
use crate::tags::{LINE, Tags};
use run::{NUMBER_MAX, number_bytes, push_number, push_string, range_from};
use values::{LONGEST_INLINE, Place, Values, value_at};
pub use values::{LongValues, NoValues};

/// A bucket with this many bytes splits, even if it has few records. A key is at most 512 MiB long.
const OVERFULL_BYTES: usize = 2 << 30;

/// The run of bytes grows by one part in this many.
const GROWTH: usize = 4;
/// Records of up to about this length are prefetched completely.
const SHORT: usize = 24;

/// A bucket of byte strings, with or without values: tags and offsets over one run of bytes.
///
/// It is used as a [`MemberBucket`] or a [`FieldBucket`]. Every method takes the hash of its key, which must be the one
/// that was passed to the table.
///
/// ```text
/// members  | 5 | h e l l o | 3 | f o o | 5 | w o r l d |
///            ^               ^           ^
/// offsets    0               6           10
/// tags       0x4c            0x09        0xe1
///
/// fields   | 4 | n a m e | 3 | a n n | 3 | a g e | 2 | 4 2 |
///            ^                         ^
/// offsets    0                         9
/// ```
///
/// A number has seven bits per byte, low bits first, with the high bit set on all but the last. A record that is
/// removed, or whose value changes its length, leaves a hole; when the holes are more than a quarter of the bytes, the
/// records are copied to a new run. A key has at most 512 MiB.
#[derive(Clone, Debug, Default)]
pub struct PackedBucket<V> {
    tags: Tags,
    offsets: Offsets,
    bytes: Vec<u8>,
    /// Bytes of removed records.
    holes: usize,
    /// The values stored outside of the run.
    apart: V,
}

/// A bucket of the members of a set.
///
/// With it, [`Extendible`] is a set with an overhead of 5 to 8 bytes per member.
pub type MemberBucket = PackedBucket<NoValues>;

/// A bucket of the fields of a hash with their values.
///
/// A value of more than 256 bytes has its own allocation; the record has 257 and its number in place of the length.
pub type FieldBucket = PackedBucket<LongValues>;

impl<V: Values> PackedBucket<V> {
    #[inline]
    fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        self.offsets.prefetch();
        self.tags.find(hash, |at| self.key(at) == key)
    }

    #[inline]
    fn key_range(&self, position: usize) -> Range<usize> {
        range_from(&self.bytes, self.offsets.get(position) as usize)
    }

    #[inline]
    fn key(&self, position: usize) -> &[u8] {
        &self.bytes[self.key_range(position)]
    }

    /// The bytes of a record.
    fn record(&self, position: usize) -> Range<usize> {
        let end = V::record_end(&self.bytes, self.key_range(position).end);
        self.offsets.get(position) as usize..end
    }

    /// Where the next record begins.
    fn end(&self) -> u32 {
        // A bucket is overfull, and splits, at OVERFULL_BYTES. Another key and the holes still fit.
        u32::try_from(self.bytes.len()).expect("a bucket holds less than 4 GiB")
    }

    /// Reserves room for `need` bytes.
    #[inline]
    fn reserve(&mut self, need: usize) {
        if self.bytes.capacity() - self.bytes.len() < need {
            self.bytes.reserve_exact(need.max(self.bytes.len() / GROWTH));
        }
    }

    /// Removes a key and returns whether it was present. The last entry moves to its position.
    pub fn remove(&mut self, hash: u64, key: &[u8], rehash: &impl Fn(&[u8]) -> u64) -> bool {
        let Some(at) = self.find(hash, key) else { return false };
        let record = self.record(at);
        let key_end = self.key_range(at).end;
        self.apart.forget(&self.bytes, key_end);
        let last = &self.bytes[self.key_range(self.tags.len() - 1)];
        self.tags.swap_remove(at, || rehash(last));
        self.offsets.swap_remove(self.tags.len() + 1, at);
        self.leave(record.len());
        true
    }

    /// Records a hole.
    fn leave(&mut self, bytes: usize) {
        self.holes += bytes;
        if self.holes * 4 > self.bytes.len() {
            self.compact();
        }
    }

    #[cold]
    fn compact(&mut self) {
        let kept = self.bytes.len().saturating_sub(self.holes);
        // Allocates nothing without records, so that a table of empty buckets is dropped fast.
        let mut run = if kept == 0 { Vec::new() } else { Vec::with_capacity(kept + NUMBER_MAX) };
        let mut offsets = Offsets::default();
        for position in 0..self.tags.len() {
            offsets.push(position, u32::try_from(run.len()).unwrap_or(u32::MAX));
            run.extend_from_slice(&self.bytes[self.record(position)]);
        }
        (self.bytes, self.offsets, self.holes) = (run, offsets, 0);
    }

    /// Panics unless holes and records make up all of the bytes, and the offsets of a bucket without holes are as
    /// narrow as possible. For tests.
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, which is a bug of this crate.
    pub fn verify(&self) {
        let kept: usize = (0..self.tags.len()).map(|position| self.record(position).len()).sum();
        assert_eq!(kept + self.holes, self.bytes.len());
        assert!(self.holes * 4 <= self.bytes.len());
        // Offsets that stay wide after a removal become narrow when the holes are closed.
        let small = self.tags.len() <= LINE && u16::try_from(self.bytes.len()).is_ok();
        let narrow = self.offsets.heap_bytes() == 0;
        assert!(
            narrow || !small || self.holes > 0,
            "{} records in {}",
            self.tags.len(),
            self.bytes.len()
        );
    }
}

impl<V: Values> Extendible<PackedBucket<V>> {
    /// Removes a key from its bucket, updates the number of entries (see [`removed`](Self::removed)), and returns
    /// whether it was present.
    pub fn remove(&mut self, hash: u64, key: &[u8], rehash: &impl Fn(&[u8]) -> u64) -> bool {
        let removed = self.bucket_mut(hash).is_some_and(|it| it.remove(hash, key, rehash));
        if removed {
            self.removed();
        }
        removed
    }
}

impl MemberBucket {
    /// Returns whether the member is present.
    #[inline]
    #[must_use]
    pub fn contains(&self, hash: u64, member: &[u8]) -> bool {
        self.find(hash, member).is_some()
    }

    /// Adds a member that is not present.
    ///
    /// # Panics
    ///
    /// If the bucket would exceed 4 GiB. It splits long before, unless the hashes of its members cannot be separated.
    pub fn insert(&mut self, hash: u64, member: &[u8]) {
        let at = self.end();
        self.reserve(member.len() + NUMBER_MAX);
        push_string(&mut self.bytes, member);
        self.offsets.push(self.tags.len(), at);
        self.tags.push(hash);
    }

    /// Returns the member at a position; `None` beyond the last.
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<&[u8]> {
        (position < self.tags.len()).then(|| self.key(position))
    }

    /// Calls `visit` with each member until it breaks.
    ///
    /// # Errors
    ///
    /// The break value of `visit`.
    pub fn try_for_each<'t, B>(
        &'t self,
        visit: &mut impl FnMut(&'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.holes > 0 {
            return (0..self.tags.len()).try_for_each(|position| visit(self.key(position)));
        }
        let mut at = 0;
        while at < self.bytes.len() {
            let member = range_from(&self.bytes, at);
            at = member.end;
            visit(&self.bytes[member])?;
        }
        ControlFlow::Continue(())
    }
}

impl FieldBucket {
    /// Returns the value of a field; `None` if the field is not present.
    #[inline]
    #[must_use]
    pub fn get(&self, hash: u64, field: &[u8]) -> Option<&[u8]> {
        self.find(hash, field).map(|position| self.value(position))
    }

    /// Returns the position of a field, which is valid until a field is added or removed; `None` if the field is not
    /// present.
    #[inline]
    #[must_use]
    pub fn position(&self, hash: u64, field: &[u8]) -> Option<usize> {
        self.find(hash, field)
    }

    /// Returns the value of the field at a position, to be changed in place; `None` beyond the last.
    #[must_use]
    pub fn nth_mut(&mut self, position: usize) -> Option<&mut [u8]> {
        if position >= self.tags.len() {
            return None;
        }
        Some(match value_at(&self.bytes, self.key_range(position).end) {
            Place::Inline(value) => &mut self.bytes[value],
            Place::Apart { number, .. } => &mut self.apart.0[number],
        })
    }

    #[inline]
    fn value(&self, position: usize) -> &[u8] {
        self.value_behind(self.key_range(position).end).0
    }

    /// The value of the field whose key ends at `key_end`, and the end of the record.
    #[inline]
    fn value_behind(&self, key_end: usize) -> (&[u8], usize) {
        match value_at(&self.bytes, key_end) {
            Place::Inline(value) => {
                let end = value.end;
                (&self.bytes[value], end)
            }
            Place::Apart { number, end } => (&self.apart.0[number], end),
        }
    }

    /// Adds a field that is not present.
    ///
    /// # Panics
    ///
    /// If the bucket would exceed 4 GiB. It splits long before, unless the hashes of its fields cannot be separated.
    pub fn insert(&mut self, hash: u64, field: &[u8], value: &[u8]) {
        let at = self.end();
        self.push(field, value);
        self.offsets.push(self.tags.len(), at);
        self.tags.push(hash);
    }

    fn push(&mut self, field: &[u8], value: &[u8]) {
        self.reserve(field.len() + NUMBER_MAX + value.len().min(LONGEST_INLINE) + NUMBER_MAX);
        push_string(&mut self.bytes, field);
        if value.len() <= LONGEST_INLINE {
            push_string(&mut self.bytes, value);
        } else {
            push_number(&mut self.bytes, LONGEST_INLINE + 1 + self.apart.keep(value));
        }
    }

    /// Replaces the value of a field and returns whether the field is present.
    ///
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn replace(&mut self, hash: u64, field: &[u8], value: &[u8]) -> bool {
        let Some(position) = self.find(hash, field) else { return false };
        let key_end = self.key_range(position).end;
        match value_at(&self.bytes, key_end) {
            Place::Inline(old) if old.len() == value.len() => {
                self.bytes[old].copy_from_slice(value);
            }
            Place::Apart { number, .. } if value.len() > LONGEST_INLINE => {
                self.apart.0[number] = value.into();
            }
            Place::Inline(_) | Place::Apart { .. } => self.move_to_end(position, field, value),
        }
        true
    }

    /// Prepends these bytes to every value.
    ///
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    pub fn prefix_values(&mut self, prefix: &[u8]) {
        if self.tags.is_empty() {
            return;
        }
        let old = core::mem::take(self);
        let kept = old.bytes.len() - old.holes;
        // A length may take one byte more too.
        self.bytes.reserve_exact(kept + old.tags.len() * (prefix.len() + 1) + NUMBER_MAX);
        let mut longer = prefix.to_vec();
        for position in 0..old.tags.len() {
            longer.truncate(prefix.len());
            longer.extend_from_slice(old.value(position));
            let at = self.end();
            self.push(old.key(position), &longer);
            self.offsets.push(position, at);
        }
        self.tags = old.tags;
    }

    /// Rewrites a record at the end, because the length of its value changes.
    fn move_to_end(&mut self, position: usize, field: &[u8], value: &[u8]) {
        let (at, old) = (self.end(), self.record(position));
        let key_end = self.key_range(position).end;
        self.apart.forget(&self.bytes, key_end);
        self.push(field, value);
        self.offsets.set(self.tags.len(), position, at);
        self.leave(old.len());
    }

    /// Returns the field at a position and its value; `None` beyond the last.
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<(&[u8], &[u8])> {
        (position < self.tags.len()).then(|| (self.key(position), self.value(position)))
    }

    /// Calls `visit` with each field and its value until it breaks.
    ///
    /// # Errors
    ///
    /// The break value of `visit`.
    pub fn try_for_each<'t, B>(
        &'t self,
        visit: &mut impl FnMut(&'t [u8], &'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.holes > 0 {
            let mut positions = 0..self.tags.len();
            return positions
                .try_for_each(|position| visit(self.key(position), self.value(position)));
        }
        let mut at = 0;
        while at < self.bytes.len() {
            let key = range_from(&self.bytes, at);
            let (value, end) = self.value_behind(key.end);
            visit(&self.bytes[key], value)?;
            at = end;
        }
        ControlFlow::Continue(())
    }
}

impl Extendible<MemberBucket> {
    /// Creates a table of distinct members with their hashes, in any order, including that of the hashes. O(n).
    #[must_use]
    pub fn of_hashed(members: &[(u64, &[u8])]) -> Self {
        let mut table = Self::with_room(0, members.len());
        // The bytes of each bucket, so that none has to grow.
        let mut sizes = vec![0; table.bucket_count()];
        for (hash, member) in members {
            sizes[table.locate(*hash).index()] += member.len() + number_bytes(member.len());
        }
        for (bucket, bytes) in table.buckets_mut().zip(sizes) {
            // An insertion reserves the maximum bytes of a length.
            bucket.bytes.reserve_exact(bytes + NUMBER_MAX);
        }
        for (hash, member) in members {
            table.insert_unsplit(*hash, |bucket| bucket.insert(*hash, member));
        }
        table
    }
}

impl<V: Values> Bucket for PackedBucket<V> {
    type Key = [u8];

    const FULL: usize = LINE;

    fn len(&self) -> usize {
        self.tags.len()
    }

    fn fill(&self) -> Fill {
        if self.bytes.len() >= OVERFULL_BYTES {
            Fill::Overfull
        } else if self.tags.len() >= Self::FULL {
            Fill::Full
        } else {
            Fill::Room
        }
    }

    fn split(&mut self, bit: u64, rehash: &impl Rehash<[u8]>) -> Self {
        let mut old = core::mem::take(self);
        let mut new = Self::default();
        for bucket in [&mut *self, &mut new] {
            bucket.bytes.reserve_exact(old.bytes.len() / 2 + 32);
        }
        for position in 0..old.tags.len() {
            let (key, record) = (old.key_range(position), old.record(position));
            let hash = rehash.hash(&old.bytes[key.clone()]);
            let to = if hash & bit == 0 { &mut *self } else { &mut new };
            let at = to.end();
            to.reserve(record.len());
            to.bytes.extend_from_slice(&old.bytes[record]);
            to.apart.take_from(&mut old.apart, &old.bytes, key.end);
            to.offsets.push(to.tags.len(), at);
            to.tags.push(hash);
        }
        new
    }

    #[inline]
    fn prefetch(&self) {
        self.tags.prefetch();
        self.offsets.prefetch();
        prefetch::value(&self.bytes);
    }

    #[inline]
    fn prefetch_entry(&self, hash: u64) {
        if let Some(at) = self.tags.find(hash, |_| true) {
            let record = self.offsets.get(at) as usize;
            prefetch::byte(&self.bytes, record);
            // A short one may end on the next line.
            prefetch::byte(&self.bytes, record + SHORT);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.offsets.heap_bytes() + self.bytes.capacity() + self.apart.heap_bytes()
    }
}
