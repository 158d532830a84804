use alloc::boxed::Box;
use alloc::vec::Vec;

use super::bits;
use super::build::{Refused, encode};
use super::form::{COUNT_AT, Form, HEADER, MOST, ordered, unordered};
use super::iter::CompactIter;
use super::prefix::Prefix;
use super::upper::{insert_one, remove_bit, shift_directory};
use super::view::View;
use crate::growth::{self, COMPACT};
use crate::{IntSet, Width, codec};

/// A sorted set of `i64` that share their high bits, in little more memory than the information-theoretic minimum.
///
/// The [module documentation](super) describes the layout.
///
/// ```
/// use intset::{Compact, Prefix, Refused};
///
/// let shard = Prefix::new(0x0123_4567_0000_0000, 32);
/// let mut set = Compact::new(shard);
/// assert_eq!(set.try_insert(0x0123_4567_89ab_cdef), Ok(true));
/// assert_eq!(set.try_insert(0x0123_4567_89ab_cdef), Ok(false));
/// assert!(set.contains(0x0123_4567_89ab_cdef));
///
/// // What belongs elsewhere changes nothing.
/// assert_eq!(set.try_insert(7), Err(Refused::Outside { value: 7, prefix: shard }));
/// assert_eq!(set.len(), 1);
/// ```
pub struct Compact {
    /// The blob and its slack. The header says how long the blob is.
    blob: Box<[u8]>,
}

impl Compact {
    /// The maximum number of members.
    pub const MOST: usize = MOST;

    /// Creates an empty set of values with this prefix. It takes 40 bytes on the heap.
    #[must_use]
    pub fn new(prefix: Prefix) -> Self {
        let form = Form::suiting(prefix, &[]);
        Self { blob: encode(form, &[], COMPACT.capacity_for(form.bytes())).into() }
    }

    /// Takes a blob that was made here.
    pub(super) fn from_blob(blob: Box<[u8]>) -> Self {
        Self { blob }
    }

    /// The prefix that all members share. O(1).
    #[inline]
    #[must_use]
    pub fn prefix(&self) -> Prefix {
        self.form().prefix()
    }

    /// The number of members. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.form().len()
    }

    /// Whether there are no members. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether `value` is a member; always false if it lacks the prefix.
    #[inline(never)]
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        let view = self.view();
        match view.form.split(value) {
            Some((bucket, low)) => view.find(bucket, low).found,
            None => false,
        }
    }

    /// Returns the number of members below `value`, which need not be a member or have the prefix.
    #[inline(never)]
    #[must_use]
    pub fn count_below(&self, value: i64) -> usize {
        self.view().count_below(value)
    }

    /// Returns the index of a member in ascending order, or `None` if `value` is not a member.
    #[inline(never)]
    #[must_use]
    pub fn rank(&self, value: i64) -> Option<usize> {
        let view = self.view();
        let (bucket, low) = view.form.split(value)?;
        let place = view.find(bucket, low);
        place.found.then_some(place.index)
    }

    /// Returns the member at `index` in ascending order.
    #[inline(never)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        let view = self.view();
        (index < view.form.len()).then(|| view.member(index))
    }

    /// The least member.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.get(0)
    }

    /// The greatest member.
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Returns the member that the random number `random` selects, or `None` for an empty set.
    ///
    /// With 64 random bits, the probabilities of any two members differ by at most one part in 2^32.
    #[inline]
    #[must_use]
    pub fn random_member(&self, random: u64) -> Option<i64> {
        self.get(crate::set::random_index(random, self.len()))
    }

    /// Iterates over the members, in ascending order. To write an intset without a copy of the set, write its header
    /// and then these.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> CompactIter<'_> {
        CompactIter::new(self.view())
    }

    /// The width that Redis's intset needs for these members. Its blob is a header of 8 bytes and this width for each
    /// member.
    #[must_use]
    pub fn int_set_width(&self) -> Width {
        // Of members that increase, one of the ends is the widest.
        let ends = [self.first(), self.last()];
        ends.into_iter().flatten().map(Width::of).max().unwrap_or(Width::W16)
    }

    /// Appends the members to `out` as the blob of Redis's intset, in the narrowest width that fits. O(n).
    ///
    /// ```
    /// use intset::{Compact, Prefix};
    ///
    /// let set = Compact::from_sorted(Prefix::new(0, 16), [1, 300])?;
    /// let mut out = vec![0xff];
    /// set.write_int_set(&mut out);
    /// assert_eq!(out, [0xff, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 44, 1]);
    /// # Ok::<(), intset::CompactError>(())
    /// ```
    pub fn write_int_set(&self, out: &mut Vec<u8>) {
        let width = self.int_set_width();
        let form = self.form();
        out.reserve(codec::HEADER + form.len() * width.bytes());
        out.extend(codec::encode_header(width, form.count.into()));
        self.view().for_each(|member| {
            out.extend_from_slice(&unordered(member).to_le_bytes()[..width.bytes()]);
        });
    }

    /// Converts the set to Redis's intset, without slack, in the narrowest width that fits. O(n).
    ///
    /// An intset with the same members and another history may be wider, because its width never shrinks.
    #[must_use]
    pub fn to_int_set(&self) -> IntSet {
        if self.is_empty() {
            return IntSet::new();
        }
        let mut blob =
            Vec::with_capacity(codec::HEADER + self.len() * self.int_set_width().bytes());
        self.write_int_set(&mut blob);
        IntSet::from_capacity(blob.into())
    }

    /// Returns the blob without slack, as in the [module documentation](super). No function reads it; to exchange the
    /// members, use [`write_int_set`](Self::write_int_set).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.blob[..self.form().bytes()]
    }

    /// The bytes on the heap, slack included. O(1).
    #[inline]
    #[must_use]
    pub const fn heap_bytes(&self) -> usize {
        self.blob.len()
    }

    /// Inserts `value` and returns whether it was new. O(n) to move the members after it.
    ///
    /// # Errors
    ///
    /// [`Refused`] if the value lacks the prefix or is one too many; the set is unchanged.
    #[inline(never)]
    pub fn try_insert(&mut self, value: i64) -> Result<bool, Refused> {
        let view = self.view();
        let old = view.form;
        let Some((bucket, low)) = old.split(value) else { return self.insert_apart(value) };
        let place = view.find(bucket, low);
        if place.found {
            return Ok(false);
        }
        let new = old.with_count(one_more(old)?);
        if new.is_crowded() {
            self.rebuild_with(Some(value));
            return Ok(true);
        }
        if new.bytes() > self.blob.len() {
            self.set_capacity(COMPACT.capacity_for(new.bytes()));
        }
        let blob = &mut *self.blob;
        if new.lows_at() > old.lows_at() {
            blob.copy_within(old.lows_at()..old.bytes(), new.lows_at());
            blob[old.lows_at()..new.lows_at()].fill(0);
        }
        let (upper, lows) = blob.split_at_mut(new.lows_at());
        let (directory, upper) = upper[HEADER..].split_at_mut(new.upper_at() - HEADER);
        shift_directory(directory, bucket, 1);
        insert_one(upper, place.index + bucket);
        if old.low > 0 {
            let at = place.index * usize::from(old.low);
            bits::open(lows, at, old.lows_end(), old.low.into());
            bits::write(lows, at, old.low.into(), low);
        }
        self.set_count(new.count);
        Ok(true)
    }

    /// Removes `value` and returns whether it was a member. O(n) to move the members after it.
    ///
    /// Memory that is no longer needed is released; the prefix stays.
    #[inline(never)]
    pub fn remove(&mut self, value: i64) -> bool {
        let view = self.view();
        let old = view.form;
        let Some((bucket, low)) = old.split(value) else { return false };
        let place = view.find(bucket, low);
        if !place.found {
            return false;
        }
        let new = old.with_count(old.count - 1);
        let blob = &mut *self.blob;
        let (upper, lows) = blob.split_at_mut(old.lows_at());
        let (directory, upper) = upper[HEADER..].split_at_mut(old.upper_at() - HEADER);
        shift_directory(directory, bucket, -1);
        remove_bit(upper, place.index + bucket);
        if old.low > 0 {
            let at = place.index * usize::from(old.low);
            bits::close(lows, at, old.lows_end(), old.low.into());
        }
        if new.lows_at() < old.lows_at() {
            blob.copy_within(old.lows_at()..old.bytes(), new.lows_at());
        }
        self.set_count(new.count);
        if new.is_sparse() {
            self.rebuild_with(None);
        } else if let Some(capacity) = COMPACT.shrunk(self.blob.len(), new.bytes()) {
            self.set_capacity(capacity);
        }
        true
    }

    /// Removes all members and releases their memory; the prefix stays.
    pub fn clear(&mut self) {
        *self = Self::new(self.prefix());
    }

    /// Releases all slack.
    pub fn shrink_to_fit(&mut self) {
        self.set_capacity(self.form().bytes());
    }

    #[inline(always)]
    pub(super) fn view(&self) -> View<'_> {
        View::new(&self.blob)
    }

    #[inline(always)]
    fn form(&self) -> Form {
        Form::decode(*self.blob.first_chunk().expect("the blob begins with a header"))
    }

    #[inline(always)]
    fn set_count(&mut self, count: u16) {
        self.blob[COUNT_AT..COUNT_AT + size_of::<u16>()].copy_from_slice(&count.to_le_bytes());
    }

    /// Adds a value that differs from all members in a bit that they share.
    #[cold]
    #[inline(never)]
    fn insert_apart(&mut self, value: i64) -> Result<bool, Refused> {
        let prefix = self.prefix();
        if !prefix.contains(value) {
            return Err(Refused::Outside { value, prefix });
        }
        one_more(self.form())?;
        self.rebuild_with(Some(value));
        Ok(true)
    }

    /// Rebuilds the set in the best form, with one more member if one is given.
    #[cold]
    #[inline(never)]
    fn rebuild_with(&mut self, value: Option<i64>) {
        let mut members: Vec<u64> = Vec::with_capacity(self.len() + 1);
        self.view().for_each(|member| members.push(member));
        if let Some(value) = value {
            members.insert(self.count_below(value), ordered(value));
        }
        let form = Form::suiting(self.prefix(), &members);
        self.blob = encode(form, &members, COMPACT.capacity_for(form.bytes())).into();
    }

    /// Reallocates to exactly `capacity` bytes, in place where the allocator can.
    #[cold]
    #[inline(never)]
    fn set_capacity(&mut self, capacity: usize) {
        self.blob = growth::reallocated(core::mem::take(&mut self.blob), capacity);
    }
}

/// The number of members after one more.
#[inline(always)]
fn one_more(form: Form) -> Result<u16, Refused> {
    form.count.checked_add(1).ok_or(Refused::Full)
}
