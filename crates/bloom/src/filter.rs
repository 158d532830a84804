//! The chain of links that grows.

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

/// What [`BloomFilter::memory`] counts for the filter and for each link, whatever they take here.
const FILTER_BYTES: u64 = 32;
const LINK_BYTES: u64 = 64;

/// A Bloom filter that grows by links, in RedisBloom's layout.
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
    /// The most bytes of all bit arrays. It is for the machine and no part of what the filter is.
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
    /// The filter of the default [`Settings`]: 100 items at 1 %.
    ///
    /// # Panics
    ///
    /// If there is not even memory for its 144 bytes.
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "the defaults are in range, and 144 bytes are there"
        )]
        Settings::default().build().expect("the defaults are in range")
    }
}

impl BloomFilter {
    /// An empty filter, as BF.RESERVE makes it.
    ///
    /// # Errors
    ///
    /// A capacity, error rate or expansion outside of its range, or a first link that memory has no room for.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        settings.check()?;
        let (capacity, error_rate) = (settings.capacity, settings.first_error_rate());
        let newest = link_within(settings.max_bytes, 0, capacity, error_rate)?;
        let options = if settings.is_scaling() { SCALING } else { NON_SCALING };
        let Settings { expansion, max_bytes, .. } = *settings;
        Ok(Self { size: 0, options, expansion, max_bytes, older: Vec::new(), newest })
    }

    /// Adds an item; returns whether it is new, as BF.ADD does. O(links), and O(bits) of the new link when it grows.
    ///
    /// # Errors
    ///
    /// The filter is full, and does not scale or cannot grow. Nothing has changed, and an item that is there already is
    /// no error.
    #[inline]
    pub fn add(&mut self, item: &[u8]) -> Result<bool, AddError> {
        self.add_hash(ItemHash::of(item))
    }

    /// [`BloomFilter::add`] of an item that is hashed already.
    ///
    /// # Errors
    ///
    /// As of [`BloomFilter::add`].
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
        // The probes are the same whether the item is there or not, so they set what they find unset.
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

    /// Whether so many new items find room, if all bit arrays together may have at most `max_bytes`. O(links that it
    /// grows by).
    ///
    /// The answer holds as long as the machine has the memory.
    ///
    /// # Errors
    ///
    /// What [`BloomFilter::add`] says to the first item that finds none.
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

    /// Whether an item is there, or is a false positive, as BF.EXISTS returns it. O(links).
    #[must_use]
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        self.contains_hash(ItemHash::of(item))
    }

    /// [`BloomFilter::contains`] of an item that is hashed already.
    #[must_use]
    #[inline]
    pub fn contains_hash(&self, hash: ItemHash) -> bool {
        self.newest.contains_hash(hash) || !self.older.is_empty() && self.is_in_older(hash)
    }

    /// Apart, so that the newest link, which most filters have alone, is asked without a call.
    #[inline(never)]
    fn is_in_older(&self, hash: ItemHash) -> bool {
        self.older.iter().rev().any(|link| link.contains_hash(hash))
    }

    /// The bytes that adding an item may change, so that a snapshot can copy them first: offsets into all bit arrays one
    /// behind the other, as of the cursors of a [dump](Self::chunk_at). A link that is made for the item is not there
    /// yet. O(links + hashes).
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

    /// Items that were new when they were added: BF.CARD.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether nothing was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Items that all links together were made for: the Capacity of BF.INFO.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.links().map(Link::capacity).fold(0, u64::saturating_add)
    }

    /// Bytes by RedisBloom's reckoning: the Size of BF.INFO.
    #[must_use]
    pub fn memory(&self) -> u64 {
        memory(self.links().map(|link| link.as_bytes().len() as u64))
    }

    /// Bytes that the filter holds beyond itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.older.capacity() * size_of::<Link>()
            + self.links().map(Link::heap_bytes).sum::<usize>()
    }

    /// Lets the filter grow only as far as all bit arrays together have at most so many bytes; what it has stays.
    pub const fn set_max_bytes(&mut self, bytes: u64) {
        self.max_bytes = bytes;
    }

    fn array_bytes(&self) -> u64 {
        self.links().map(|link| link.bits() / 8).sum()
    }

    /// Whether it grows when it is full.
    #[must_use]
    pub const fn is_scaling(&self) -> bool {
        self.options != NON_SCALING
    }

    /// How many times larger each further link is: the Expansion rate of BF.INFO. `None` if the filter does not scale.
    #[must_use]
    pub const fn expansion(&self) -> Option<u32> {
        if self.is_scaling() { Some(self.expansion) } else { None }
    }

    /// The links, the oldest first.
    #[must_use]
    pub fn links(&self) -> impl DoubleEndedIterator<Item = &Link> {
        self.older.iter().chain(iter::once(&self.newest))
    }

    /// How many links there are, at least 1: the Number of filters of BF.INFO.
    #[must_use]
    pub const fn link_count(&self) -> usize {
        self.older.len() + 1
    }

    /// The share of all bits that are set, 0 to 1. O(bits).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn saturation(&self) -> f64 {
        let (set, bits) = self.links().fold((0.0, 0.0), |(set, bits), link| {
            (set + link.set_bits() as f64, bits + link.bits() as f64)
        });
        set / bits
    }

    /// The false positive rate as the filter is now, estimated from the bits that are set. O(bits).
    #[must_use]
    pub fn error_rate_by_bits(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_bits))
    }

    /// The false positive rate as the filter is now, estimated from the number of items in each link. O(links).
    #[must_use]
    pub fn error_rate_by_items(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_items))
    }

    /// Takes the items of a filter that was made with the same settings.
    ///
    /// Each link takes the items of the other's of the same place, and what the other has grown beyond this one is
    /// appended: so the union finds every item of both. A link that took items may hold more than it was made for, and
    /// errs more often then: [`error_rate_by_bits`](Self::error_rate_by_bits) says how often.
    ///
    /// The number of items is estimated from the bits of each link, because it is not known how many the two have in
    /// common. An item that the two have in links of different places counts twice.
    ///
    /// # Errors
    ///
    /// They differ in capacity, error rate, expansion or scaling, or the union has more bytes than
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

    /// Whether [`merge`](Self::merge) takes the items of that filter. O(links).
    ///
    /// # Errors
    ///
    /// As of [`merge`](Self::merge).
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

/// Bytes by RedisBloom's reckoning, of a filter whose bit arrays have these lengths.
pub(crate) fn memory(arrays: impl Iterator<Item = u64>) -> u64 {
    arrays.map(|bytes| bytes.saturating_add(LINK_BYTES)).fold(FILTER_BYTES, u64::saturating_add)
}

/// A link, if it has room beside `before` bytes.
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

/// The bytes of all links with one more, if there may be as many.
fn bytes_within(
    max_bytes: u64,
    before: u64,
    capacity: u64,
    error_rate: f64,
) -> Result<u64, SizeError> {
    let bytes = before.saturating_add(plan::bits_for(capacity, error_rate) / 8);
    if bytes > max_bytes { Err(SizeError::OutOfMemory { bytes }) } else { Ok(bytes) }
}

/// The capacity and error rate of the link that comes behind one.
fn next_link((capacity, error_rate): (u64, f64), expansion: u32) -> Result<(u64, f64), SizeError> {
    let capacity = capacity.checked_mul(expansion.into());
    Ok((capacity.ok_or(SizeError::Capacity { got: None })?, error_rate * TIGHTENING))
}

/// Whether a filter of so many bytes and this last link may grow by links that take so many items.
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
    /// Whether a filter is made by these settings, and so many items find room in it. Nothing is made. O(links).
    ///
    /// The answer holds as long as the machine has the memory.
    ///
    /// # Errors
    ///
    /// As of [`build`](Self::build), and a link by which the filter would have to grow. Of a filter that does not scale
    /// it is [`SizeError::Capacity`] if the items are more than it takes.
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

/// The probability that at least one of independent events happens.
pub(crate) fn any_of(rates: impl Iterator<Item = f64>) -> f64 {
    // Through logarithms, because 1 - p has few digits left where p is small.
    -rates.map(|rate| (-rate).ln_1p()).sum::<f64>().exp_m1()
}
