//! The scalable filter: a chain of links.

use std::{iter, mem};

use crate::error::{AddError, MergeError, SettingsError, SizeError};
use crate::hash::ItemHash;
use crate::link::{Link, is_error_rate};
use crate::plan;
use crate::settings::{Settings, TIGHTENING};

/// Options of every filter: no rounding of sizes to powers of two, and hashes of 64 bits.
pub(crate) const SCALING: u32 = 1 | 4;

/// Options of a filter that does not scale.
pub(crate) const NON_SCALING: u32 = SCALING | 8;

/// The bytes that [`BloomFilter::memory`] counts for the filter and for each link, independent of their size here.
const FILTER_BYTES: u64 = 32;
const LINK_BYTES: u64 = 64;

/// A scalable Bloom filter in RedisBloom's layout: a chain of [`Link`]s.
///
/// # Examples
///
/// ```
/// let mut filter = bloom::BloomFilter::default();
/// assert_eq!(filter.add(b"user1"), Ok(true));
/// assert_eq!(filter.add(b"user1"), Ok(false));
/// assert!(filter.contains(b"user1"));
/// assert!(!filter.contains(b"user2"));
/// ```
#[derive(Clone, Debug)]
pub struct BloomFilter {
    pub(crate) size: u64,
    pub(crate) options: u32,
    pub(crate) expansion: u32,
    /// The maximum bytes of all bit arrays. It depends on the machine and is not a property of the filter.
    pub(crate) max_bytes: u64,
    /// Oldest first.
    pub(crate) older: Vec<Link>,
    pub(crate) newest: Link,
}

/// Filters are equal if they would be saved as the same bytes.
impl PartialEq for BloomFilter {
    fn eq(&self, other: &Self) -> bool {
        (self.size, self.options, self.expansion) == (other.size, other.options, other.expansion)
            && self.older == other.older
            && self.newest == other.newest
    }
}

impl Default for BloomFilter {
    /// Creates a filter with the default [`Settings`]: 100 items at 1 %.
    ///
    /// # Panics
    ///
    /// If its 144 bytes cannot be allocated.
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "the defaults are valid, and a failed allocation is a documented panic"
        )]
        Settings::default().build().expect("cannot create a filter with the default settings")
    }
}

impl BloomFilter {
    /// Creates an empty filter, as BF.RESERVE does.
    ///
    /// # Errors
    ///
    /// The capacity, error rate or expansion is out of range, or the first link does not fit into memory.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        settings.check()?;
        let (capacity, error_rate) = (settings.capacity, settings.first_error_rate());
        let newest = link_within(settings.max_bytes, 0, capacity, error_rate)?;
        let options = if settings.is_scaling() { SCALING } else { NON_SCALING };
        let Settings { expansion, max_bytes, .. } = *settings;
        Ok(Self { size: 0, options, expansion, max_bytes, older: Vec::new(), newest })
    }

    /// Adds an item and returns whether it is new, as BF.ADD does. O(links), and O(bits) of the new link when it grows.
    ///
    /// # Errors
    ///
    /// The filter is full, and does not scale or cannot grow. Nothing has changed. Adding an item that is already found
    /// is never an error.
    #[inline]
    pub fn add(&mut self, item: &[u8]) -> Result<bool, AddError> {
        self.add_hash(ItemHash::of(item))
    }

    /// [`BloomFilter::add`] for an item that is already hashed.
    ///
    /// # Errors
    ///
    /// As [`BloomFilter::add`].
    #[inline]
    pub fn add_hash(&mut self, hash: ItemHash) -> Result<bool, AddError> {
        if !self.older.is_empty() && self.is_in_older(hash) {
            return Ok(false);
        }
        self.add_to_newest(hash)
    }

    /// Adds an item that no older link has.
    #[inline]
    pub(crate) fn add_to_newest(&mut self, hash: ItemHash) -> Result<bool, AddError> {
        if self.newest.is_full() {
            return self.add_to_full(hash);
        }
        // The probes are the same whether the item is present or not, so they set bits as they go.
        let new = self.newest.add_hash(hash);
        self.size = self.size.saturating_add(new.into());
        Ok(new)
    }

    #[cold]
    fn add_to_full(&mut self, hash: ItemHash) -> Result<bool, AddError> {
        if self.newest.contains_hash(hash) {
            return Ok(false);
        }
        self.grow()?;
        let new = self.newest.add_hash(hash);
        self.size = self.size.saturating_add(new.into());
        Ok(new)
    }

    fn grow(&mut self) -> Result<(), AddError> {
        if !self.is_scaling() {
            return Err(AddError::Full { capacity: self.newest.capacity() });
        }
        let last = (self.newest.capacity(), self.newest.error_rate());
        let link = next_link(last, self.expansion).and_then(|(capacity, error_rate)| {
            link_within(self.max_bytes, self.array_bytes(), capacity, error_rate)
        });
        let full = mem::replace(&mut self.newest, link.map_err(AddError::Grow)?);
        self.older.push(full);
        Ok(())
    }

    /// Checks that `items` new items can be added if all bit arrays together may have at most `max_bytes` bytes. O(new
    /// links).
    ///
    /// An allocation may still fail later.
    ///
    /// # Errors
    ///
    /// The error that [`BloomFilter::add`] would return for the first item that cannot be added.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut filter = bloom::Settings::new(3, 0.01).non_scaling().build()?;
    /// filter.add(b"user1")?;
    /// assert_eq!(filter.check_room(2, u64::MAX), Ok(()));
    /// let full = bloom::AddError::Full { capacity: 3 };
    /// assert_eq!(filter.check_room(3, u64::MAX), Err(full));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_room(&self, items: u64, max_bytes: u64) -> Result<(), AddError> {
        let room = self.newest.capacity().saturating_sub(self.newest.len());
        if items <= room {
            return Ok(());
        }
        if !self.is_scaling() {
            return Err(AddError::Full { capacity: self.newest.capacity() });
        }
        let last = (self.newest.capacity(), self.newest.error_rate());
        check_growth(items - room, last, self.expansion, self.array_bytes(), max_bytes)
            .map_err(AddError::Grow)
    }

    /// Returns whether an item was added or is a false positive, as BF.EXISTS does. O(links).
    #[must_use]
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        self.contains_hash(ItemHash::of(item))
    }

    /// [`BloomFilter::contains`] for an item that is already hashed.
    #[must_use]
    #[inline]
    pub fn contains_hash(&self, hash: ItemHash) -> bool {
        self.newest.contains_hash(hash) || !self.older.is_empty() && self.is_in_older(hash)
    }

    /// A separate function, so that the newest link, which is the only one of most filters, is probed without a call.
    #[inline(never)]
    fn is_in_older(&self, hash: ItemHash) -> bool {
        self.older.iter().rev().any(|link| link.contains_hash(hash))
    }

    /// Iterates over the offsets of the bytes that adding an item may change, so that a snapshot can copy them first.
    /// Offsets count through all bit arrays, one after the other, as the cursors of a [dump](Self::chunk_at) do. A link
    /// that would be created for the item is not included. O(links + hashes).
    ///
    /// # Examples
    ///
    /// ```
    /// use bloom::{BloomFilter, ItemHash};
    ///
    /// let mut filter = BloomFilter::default();
    /// let bits = |filter: &BloomFilter| filter.chunk_at(1).unwrap().bytes.into_owned();
    /// let before = bits(&filter);
    /// let touched: Vec<usize> = filter.touched(ItemHash::of(b"user1")).collect();
    /// filter.add(b"user1")?;
    /// let after = bits(&filter);
    /// assert!((0..144).all(|at| before[at] == after[at] || touched.contains(&at)));
    /// # Ok::<(), bloom::AddError>(())
    /// ```
    pub fn touched(&self, hash: ItemHash) -> impl Iterator<Item = usize> {
        let start: usize = self.older.iter().map(|link| link.as_bytes().len()).sum();
        let mut places = self.newest.places(hash);
        (0..self.newest.hashes()).map(move |_| start + places.take().byte())
    }

    /// The number of items that were new when they were added: BF.CARD.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether nothing was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The capacity of all links together, in items: the Capacity of BF.INFO.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.links().map(Link::capacity).fold(0, u64::saturating_add)
    }

    /// The size in bytes as RedisBloom computes it: the Size of BF.INFO.
    #[must_use]
    pub fn memory(&self) -> u64 {
        memory(self.links().map(|link| link.as_bytes().len() as u64))
    }

    /// The bytes on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.older.capacity() * size_of::<Link>()
            + self.links().map(Link::heap_bytes).sum::<usize>()
    }

    /// Limits the bytes of all bit arrays together: the filter does not grow beyond them. Existing links stay.
    pub const fn set_max_bytes(&mut self, bytes: u64) {
        self.max_bytes = bytes;
    }

    fn array_bytes(&self) -> u64 {
        self.links().map(|link| link.bits() / 8).sum()
    }

    /// Returns whether the filter grows when it is full.
    #[must_use]
    pub const fn is_scaling(&self) -> bool {
        self.options != NON_SCALING
    }

    /// The factor between the capacities of successive links: the Expansion rate of BF.INFO. `None` if the filter does
    /// not scale.
    #[must_use]
    pub const fn expansion(&self) -> Option<u32> {
        if self.is_scaling() { Some(self.expansion) } else { None }
    }

    /// Iterates over the links, the oldest first.
    #[must_use]
    pub fn links(&self) -> impl DoubleEndedIterator<Item = &Link> {
        self.older.iter().chain(iter::once(&self.newest))
    }

    /// The number of links, at least 1: the Number of filters of BF.INFO.
    #[must_use]
    pub const fn link_count(&self) -> usize {
        self.older.len() + 1
    }

    /// The fraction of all bits that are set, 0 to 1. O(bits).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the result is a ratio")]
    pub fn saturation(&self) -> f64 {
        let (set, bits) = self.links().fold((0.0, 0.0), |(set, bits), link| {
            (set + link.set_bits() as f64, bits + link.bits() as f64)
        });
        set / bits
    }

    /// The current false positive rate, estimated from the bits that are set. O(bits).
    #[must_use]
    pub fn error_rate_by_bits(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_bits))
    }

    /// The current false positive rate, estimated from the number of items in each link. O(links).
    #[must_use]
    pub fn error_rate_by_items(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_items))
    }

    /// Adds all items of a filter with the same settings. O(bits).
    ///
    /// Each link takes the bits of the other's link at the same position, and further links of the other filter are
    /// appended: so the union finds every item of both. A merged link may have more items than its capacity, and more
    /// false positives: [`error_rate_by_bits`](Self::error_rate_by_bits) returns the rate.
    ///
    /// The number of items is estimated from the bits of each link, because the number of common items is not known. A
    /// common item in links at different positions counts twice.
    ///
    /// # Errors
    ///
    /// The filters differ in capacity, error rate, expansion or scaling, or the union has more bytes than
    /// [`set_max_bytes`](Self::set_max_bytes) allows. Nothing has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// let (mut monday, mut tuesday) = (bloom::BloomFilter::default(), bloom::BloomFilter::default());
    /// monday.add(b"user1")?;
    /// tuesday.add(b"user2")?;
    /// monday.merge(&tuesday).unwrap();
    /// assert!(monday.contains(b"user1") && monday.contains(b"user2"));
    /// assert_eq!(monday.len(), 2);
    /// # Ok::<(), bloom::AddError>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.check_merge(other)?;
        let common = self.link_count();
        let links = self.older.iter_mut().chain([&mut self.newest]);
        links.zip(other.links()).for_each(|(link, other)| link.unite(other));
        for link in other.links().skip(common) {
            self.older.push(mem::replace(&mut self.newest, link.clone()));
        }
        self.size = self.links().map(Link::len).fold(0, u64::saturating_add);
        Ok(())
    }

    /// Checks that [`merge`](Self::merge) would succeed. O(links).
    ///
    /// # Errors
    ///
    /// As [`merge`](Self::merge).
    pub fn check_merge(&self, other: &Self) -> Result<(), MergeError> {
        let mut common = self.links().zip(other.links());
        let same = self.options == other.options && self.expansion == other.expansion;
        if !same || !common.all(|(link, other)| link.agrees_with(other)) {
            return Err(MergeError::Different);
        }
        let more = other.links().skip(self.link_count());
        let bytes = self.links().chain(more).map(|link| link.bits() / 8).sum();
        if bytes > self.max_bytes {
            return Err(MergeError::OutOfMemory { bytes });
        }
        Ok(())
    }
}

/// The size in bytes, as RedisBloom computes it, of a filter whose bit arrays have these lengths.
pub(crate) fn memory(arrays: impl Iterator<Item = u64>) -> u64 {
    arrays.map(|bytes| bytes.saturating_add(LINK_BYTES)).fold(FILTER_BYTES, u64::saturating_add)
}

/// Creates a link, if it fits in addition to `before` bytes.
fn link_within(
    max_bytes: u64,
    before: u64,
    capacity: u64,
    error_rate: f64,
) -> Result<Link, SizeError> {
    if is_error_rate(error_rate) {
        bytes_within(max_bytes, before, capacity, error_rate)?;
    }
    Link::new(capacity, error_rate)
}

/// The bytes of all links with one more, if that many are allowed.
fn bytes_within(
    max_bytes: u64,
    before: u64,
    capacity: u64,
    error_rate: f64,
) -> Result<u64, SizeError> {
    let bytes = before.saturating_add(plan::bits_for(capacity, error_rate) / 8);
    if bytes > max_bytes { Err(SizeError::OutOfMemory { bytes }) } else { Ok(bytes) }
}

/// The capacity and error rate of the link after this one.
fn next_link((capacity, error_rate): (u64, f64), expansion: u32) -> Result<(u64, f64), SizeError> {
    let capacity = capacity.checked_mul(expansion.into());
    Ok((capacity.ok_or(SizeError::Capacity { got: None })?, error_rate * TIGHTENING))
}

/// Checks that a filter of this many bytes with this last link may grow by links for this many items.
fn check_growth(
    mut items: u64,
    mut last: (u64, f64),
    expansion: u32,
    mut bytes: u64,
    max_bytes: u64,
) -> Result<(), SizeError> {
    while items > 0 {
        last = next_link(last, expansion)?;
        let (capacity, error_rate) = last;
        if !is_error_rate(error_rate) {
            return Err(SizeError::ErrorRate { got: error_rate });
        }
        bytes = bytes_within(max_bytes, bytes, capacity, error_rate)?;
        items = items.saturating_sub(capacity);
    }
    Ok(())
}

impl Settings {
    /// Checks that a filter with these settings can be created and can hold `items` items, without creating it.
    /// O(links).
    ///
    /// An allocation may still fail later.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), for the first link and those by which the filter would have to grow. For a filter
    /// that does not scale, [`SizeError::Capacity`] if `items` exceeds its capacity.
    pub fn check_room(&self, items: u64) -> Result<(), SettingsError> {
        self.check()?;
        let first = (self.capacity, self.first_error_rate());
        if !is_error_rate(first.1) {
            return Err(SizeError::ErrorRate { got: first.1 }.into());
        }
        let bytes = bytes_within(self.max_bytes, 0, first.0, first.1)?;
        let more = items.saturating_sub(self.capacity);
        if more > 0 && !self.is_scaling() {
            return Err(SizeError::Capacity { got: Some(items) }.into());
        }
        Ok(check_growth(more, first, self.expansion, bytes, self.max_bytes)?)
    }
}

/// The probability that at least one of several independent events happens.
pub(crate) fn any_of(rates: impl Iterator<Item = f64>) -> f64 {
    // With logarithms, because 1 - p loses digits if p is small.
    -rates.map(|rate| (-rate).ln_1p()).sum::<f64>().exp_m1()
}
