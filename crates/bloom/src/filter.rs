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

    /// Adds an item, and tells whether it is new, as BF.ADD does. O(links), and O(bits) of the new link when it grows.
    ///
    /// # Errors
    ///
    /// The filter is full, and does not scale or cannot grow. Nothing has changed, and an item that is there already is no
    /// error.
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
        let capacity = self.newest.capacity().checked_mul(self.expansion.into());
        let capacity = capacity.ok_or(AddError::Grow(SizeError::Capacity { got: None }))?;
        let error_rate = self.newest.error_rate() * TIGHTENING;
        let link = link_within(self.max_bytes, self.array_bytes(), capacity, error_rate);
        let full = mem::replace(&mut self.newest, link.map_err(AddError::Grow)?);
        self.older.push(full);
        Ok(())
    }

    /// Whether an item is there, or is taken for one that is, as BF.EXISTS tells it. O(links).
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
        self.links().map(|link| LINK_BYTES + link.as_bytes().len() as u64).sum::<u64>()
            + FILTER_BYTES
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

    /// How often a stranger is now taken for a member, by the bits that are set. O(bits).
    #[must_use]
    pub fn error_rate_by_bits(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_bits))
    }

    /// How often a stranger is now taken for a member, by the number of items in each link. O(links).
    #[must_use]
    pub fn error_rate_by_items(&self) -> f64 {
        any_of(self.links().map(Link::error_rate_by_items))
    }

    /// Takes the items of a filter that was made with the same settings and, as this one, has not grown.
    ///
    /// The union has the bits that it would have if all items had been added here. Their number is told from the bits, because
    /// nobody knows how many items the two have in common.
    ///
    /// # Errors
    ///
    /// One of the two has grown, or they differ in capacity, error rate, expansion or scaling. Nothing has changed.
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
        let links = self.link_count().max(other.link_count());
        if links > 1 {
            return Err(MergeError::Scaled { links });
        }
        let same = self.options == other.options && self.expansion == other.expansion;
        if !same || !self.newest.agrees_with(&other.newest) {
            return Err(MergeError::Different);
        }
        self.newest.unite(&other.newest);
        self.size = self.newest.len();
        Ok(())
    }
}

/// A link, if it has room beside `before` bytes.
fn link_within(
    max_bytes: u64,
    before: u64,
    capacity: u64,
    error_rate: f64,
) -> Result<Link, SizeError> {
    if is_error_rate(error_rate) {
        let bytes = before.saturating_add(plan::bits_for(capacity, error_rate) / 8);
        if bytes > max_bytes {
            return Err(SizeError::OutOfMemory { bytes });
        }
    }
    Link::new(capacity, error_rate)
}

/// The probability that at least one of independent events happens.
fn any_of(rates: impl Iterator<Item = f64>) -> f64 {
    // Through logarithms, because 1 - p has few digits left where p is small.
    -rates.map(|rate| (-rate).ln_1p()).sum::<f64>().exp_m1()
}
