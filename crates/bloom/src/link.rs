//! A Bloom filter of fixed size: one bit array and its number of hashes.

use core::cmp::Ordering::Less;

use crate::arch;
use crate::divisor::{Divisor, Place, Places};
use crate::error::{Fault, SizeError};
use crate::hash::ItemHash;
use crate::plan;

/// The tolerance of the bits per item: logarithms differ between libraries, but only in their last digits.
const TOLERANCE: f64 = 1e-9;

/// The maximum bits in the header of a link, independent of the available memory.
const MAX_BITS: u64 = 1 << 63;

/// Arrays up to this many bytes stay in the first caches, where prefetching gains nothing.
const NEAR: usize = 1 << 20;

/// The number of probes of a near array between two branches of a lookup.
///
/// In a filter that is half full an item that was not added fails with one of four probes in 15 of 16 cases, so the
/// branch is predictable; a branch after each probe would not be, and the CPU could not start with the next item. In a
/// large array the lines of further probes cost more than that.
const GROUP: u32 = 4;

/// A Bloom filter of fixed size; a [`BloomFilter`](crate::BloomFilter) is a chain of them.
///
/// On its own it takes any number of items; beyond its capacity the false positive rate rises.
///
/// # Examples
///
/// ```
/// let mut link = bloom::Link::new(1000, 0.01)?;
/// assert!(link.add(b"user1"));
/// assert!(link.contains(b"user1"));
/// assert!(!link.contains(b"user2"));
/// assert_eq!((link.bits(), link.hashes()), (9600, 7));
/// # Ok::<(), bloom::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The bit array, padded with zeros to a whole word.
    words: Vec<u8>,
    bits: Divisor,
    hashes: u32,
    size: u64,
    entries: u64,
    error_rate: f64,
    bits_per_item: f64,
}

impl Link {
    /// Creates an empty filter for `capacity` items (at least 1) at this error rate (between 0 and 1, neither
    /// included).
    ///
    /// # Errors
    ///
    /// An argument is out of range, or the bit array does not fit into memory.
    pub fn new(capacity: u64, error_rate: f64) -> Result<Self, SizeError> {
        if capacity == 0 {
            return Err(SizeError::Capacity { got: Some(capacity) });
        }
        if !is_error_rate(error_rate) {
            return Err(SizeError::ErrorRate { got: error_rate });
        }
        let bits_per_item = plan::bits_per_item(error_rate);
        let bits = plan::bits_for(capacity, error_rate);
        let length = if bits == u64::MAX { bits } else { bits / 8 };
        let too_large = SizeError::OutOfMemory { bytes: length };
        let bits = Divisor::new(bits).ok_or(too_large)?;
        let words = zeroed(length).ok_or(too_large)?;
        let hashes = plan::hashes(bits_per_item);
        Ok(Self { words, bits, hashes, size: 0, entries: capacity, error_rate, bits_per_item })
    }

    /// Adds an item and returns whether that set a bit. If not, the item was added before or is a false positive.
    #[inline]
    pub fn add(&mut self, item: &[u8]) -> bool {
        self.add_hash(ItemHash::of(item))
    }

    /// [`Link::add`] for an item that is already hashed.
    #[inline]
    pub fn add_hash(&mut self, hash: ItemHash) -> bool {
        let mut places = self.places(hash);
        let mut fresh = 0;
        for _ in 0..self.hashes / 8 {
            fresh |= self.set::<8>(&mut places);
        }
        if self.hashes & 4 != 0 {
            fresh |= self.set::<4>(&mut places);
        }
        if self.hashes & 2 != 0 {
            fresh |= self.set::<2>(&mut places);
        }
        if self.hashes & 1 != 0 {
            fresh |= self.set::<1>(&mut places);
        }
        self.size += u64::from(fresh != 0);
        fresh != 0
    }

    /// Sets the bits of the next `N` places; returns 0 if all of them were set.
    ///
    /// The positions are computed once, for their lines and for their bits, and stay in registers because `N` is a
    /// constant. Words need fewer instructions than bytes.
    #[inline]
    fn set<const N: usize>(&mut self, places: &mut Places) -> u64 {
        // A loop, because a closure over an array is not inlined in builds without link-time optimization.
        let mut next = [Place::default(); N];
        for place in &mut next {
            *place = places.take();
        }
        let far = self.is_far();
        let (words, _) = self.words.as_chunks_mut::<8>();
        if far {
            // A store waits for the load before it; the loads of all lines do not wait for each other.
            for place in next {
                if let Some(word) = words.get(place.word()) {
                    prefetch::value(word);
                }
            }
        }
        let mut fresh = 0;
        for place in next {
            if let Some(bytes) = words.get_mut(place.word()) {
                let before = u64::from_le_bytes(*bytes);
                let after = before | place.mask();
                fresh |= before ^ after;
                *bytes = after.to_le_bytes();
            }
        }
        fresh
    }

    /// Returns whether an item was added or is a false positive.
    #[must_use]
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        self.contains_hash(ItemHash::of(item))
    }

    /// [`Link::contains`] for an item that is already hashed.
    #[must_use]
    #[inline]
    pub fn contains_hash(&self, hash: ItemHash) -> bool {
        let mut places = self.places(hash);
        let mut left = self.hashes;
        let near = !self.is_far();
        while left >= GROUP {
            let all = if near {
                self.has_all(&mut places, GROUP)
            } else {
                (0..GROUP).all(|_| self.has(places.take()))
            };
            if !all {
                return false;
            }
            left -= GROUP;
        }
        (0..left).all(|_| self.has(places.take()))
    }

    /// Whether the array is too large for the near caches.
    #[inline]
    pub(crate) const fn is_far(&self) -> bool {
        self.words.len() > NEAR
    }

    #[inline]
    pub(crate) const fn places(&self, hash: ItemHash) -> Places {
        self.bits.places(hash.first, hash.second)
    }

    #[inline]
    fn has(&self, place: Place) -> bool {
        let word = self.words.as_chunks::<8>().0.get(place.word());
        word.is_some_and(|&word| place.is_set(u64::from_le_bytes(word)))
    }

    /// Whether the bits of the next `count` places are all set, without a branch between them.
    #[inline]
    pub(crate) fn has_all(&self, places: &mut Places, count: u32) -> bool {
        let mut all = true;
        in_groups(count, || all &= self.has(places.take()));
        all
    }

    /// Prefetches the lines of the next `count` positions.
    #[inline]
    pub(crate) fn prefetch(&self, places: &mut Places, count: u32) {
        in_groups(count, || prefetch::byte(&self.words, places.take().byte()));
    }

    /// The number of items that set a bit when they were added.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether nothing was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The capacity, in items.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.entries
    }

    /// Returns whether the number of items has reached the capacity.
    #[must_use]
    #[inline]
    pub const fn is_full(&self) -> bool {
        self.size >= self.entries
    }

    /// The false positive rate at capacity, as requested.
    #[must_use]
    pub const fn error_rate(&self) -> f64 {
        self.error_rate
    }

    /// The number of bits of the array.
    #[must_use]
    #[inline]
    pub const fn bits(&self) -> u64 {
        self.bits.get()
    }

    /// The number of probes per item.
    #[must_use]
    pub const fn hashes(&self) -> u32 {
        self.hashes
    }

    /// The bit array: bit x is `1 << (x % 8)` of byte `x / 8`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let (bytes, _) = self.words.split_at(self.array_len());
        bytes
    }

    /// The bytes on the heap.
    pub(crate) const fn heap_bytes(&self) -> usize {
        self.words.capacity()
    }

    /// Bytes of the array, which is in memory.
    const fn array_len(&self) -> usize {
        (self.bits.get() / 8) as usize
    }

    /// The number of bits that are set. O(bits).
    #[must_use]
    pub fn set_bits(&self) -> u64 {
        let (words, _) = self.words.as_chunks::<8>();
        words.iter().map(|word| u64::from(u64::from_le_bytes(*word).count_ones())).sum()
    }

    /// The fraction of bits that are set, 0 to 1: about a half at capacity. O(bits).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the result is a ratio")]
    pub fn saturation(&self) -> f64 {
        self.set_bits() as f64 / self.bits() as f64
    }

    /// The current false positive rate, estimated from the bits that are set. O(bits).
    #[must_use]
    pub fn error_rate_by_bits(&self) -> f64 {
        self.saturation().powf(self.hashes.into())
    }

    /// The current false positive rate, estimated from the number of items. O(1).
    #[must_use]
    pub fn error_rate_by_items(&self) -> f64 {
        plan::expected_error(self.bits(), self.hashes, self.size)
    }

    /// Whether the same items would set the same bits.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        self.bits == other.bits
            && self.hashes == other.hashes
            && self.entries == other.entries
            && self.error_rate.to_bits() == other.error_rate.to_bits()
    }

    /// Adds the items of a link with the same settings. Their number is estimated from the bits that the union has more
    /// than this one, within the limits that the two numbers allow.
    pub(crate) fn unite(&mut self, other: &Self) {
        let size = |link: &Self| plan::items_from_fill(link.bits(), link.hashes, link.set_bits());
        let before = size(self);
        for (byte, more) in self.words.iter_mut().zip(&other.words) {
            *byte |= more;
        }
        let least = self.size.max(other.size);
        let most = self.size.saturating_add(other.size);
        self.size = match (before, size(self)) {
            (Some(before), Some(after)) => {
                let added = after.saturating_sub(before);
                self.size.saturating_add(added).clamp(least, most)
            }
            _ => most,
        };
    }

    /// The numbers that are saved with the bit array.
    pub(crate) const fn parts(&self) -> LinkParts {
        LinkParts {
            bits: self.bits.get(),
            size: self.size,
            error_rate: self.error_rate,
            bits_per_item: self.bits_per_item,
            hashes: self.hashes as u64,
            entries: self.entries,
            power_of_two: 0,
        }
    }

    /// Creates a link from validated numbers and its bit array.
    pub(crate) fn from_parts(parts: &CheckedParts, mut bytes: Vec<u8>) -> Option<Self> {
        let CheckedParts { parts, hashes } = *parts;
        if bytes.len() as u64 != parts.bits / 8 {
            return None;
        }
        let bits = Divisor::new(parts.bits)?;
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        Some(Self {
            words: bytes,
            bits,
            hashes,
            size: parts.size,
            entries: parts.entries,
            error_rate: parts.error_rate,
            bits_per_item: parts.bits_per_item,
        })
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.array_len();
        let (bytes, _) = self.words.split_at_mut(length);
        bytes
    }
}

/// The saved numbers of a link, not validated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkParts {
    pub(crate) bits: u64,
    pub(crate) size: u64,
    pub(crate) error_rate: f64,
    pub(crate) bits_per_item: f64,
    pub(crate) hashes: u64,
    pub(crate) entries: u64,
    pub(crate) power_of_two: u64,
}

/// The validated numbers of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedParts {
    pub(crate) parts: LinkParts,
    pub(crate) hashes: u32,
}

/// Which of the numbers is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Bits,
    ErrorRate,
    BitsPerItem,
    Hashes,
    Entries,
    PowerOfTwo,
}

impl LinkParts {
    /// Validates the numbers, given the length of the bit array.
    pub(crate) fn check(self, bytes: u64) -> Result<CheckedParts, (Part, Fault)> {
        if self.power_of_two != 0 {
            return Err((Part::PowerOfTwo, Fault::PowerOfTwo { got: self.power_of_two }));
        }
        if self.entries == 0 {
            return Err((Part::Entries, Fault::NoEntries));
        }
        if !is_error_rate(self.error_rate) {
            return Err((Part::ErrorRate, Fault::ErrorRate { got: self.error_rate }));
        }
        // So a rate also bounds the number of hashes, and with it the time of a lookup.
        let expected = plan::bits_per_item(self.error_rate);
        if (self.bits_per_item - expected).abs().partial_cmp(&(expected * TOLERANCE)) != Some(Less)
        {
            let got = self.bits_per_item;
            return Err((Part::BitsPerItem, Fault::BitsPerItem { got, expected }));
        }
        let expected = plan::hashes(self.bits_per_item);
        let hashes = u32::try_from(self.hashes).ok().filter(|&hashes| hashes == expected);
        let hashes = hashes.ok_or((Part::Hashes, Fault::Hashes { got: self.hashes, expected }))?;
        if !(1..=MAX_BITS).contains(&self.bits) || bytes.checked_mul(8) != Some(self.bits) {
            return Err((Part::Bits, Fault::Bits { got: self.bits, bytes }));
        }
        // So a false header cannot make the next link, which is larger, take all memory.
        if plan::raw_bits(self.entries, self.bits_per_item) > self.bits {
            return Err((Part::Entries, Fault::Capacity { got: self.entries, bits: self.bits }));
        }
        Ok(CheckedParts { parts: self, hashes })
    }
}

/// Calls `once` this many times, mostly in loops of a fixed length, which the compiler unrolls. A probe is a dozen
/// instructions, and the fewer there are, the more probes the CPU executes at the same time.
#[inline]
fn in_groups(times: u32, mut once: impl FnMut()) {
    for _ in 0..times / GROUP {
        for _ in 0..GROUP {
            once();
        }
    }
    for _ in 0..times % GROUP {
        once();
    }
}

pub(crate) fn is_error_rate(rate: f64) -> bool {
    rate > 0.0 && rate < 1.0
}

/// Returns `length` zero bytes, or `None` if they cannot be allocated.
///
/// `vec!` uses pages that the system has zeroed, without touching them, but aborts if the allocation fails. So the
/// allocation is tried first.
pub(crate) fn zeroed(length: u64) -> Option<Vec<u8>> {
    let length = usize::try_from(length).ok()?;
    Vec::<u8>::new().try_reserve_exact(length).ok()?;
    let mut bytes = vec![0; length];
    arch::prefer_large_pages(&mut bytes);
    Some(bytes)
}
