//! The two hashes of an item: `MurmurHash64A`, twice.
//!
//! The first hash is seeded with a constant, the second with the first hash.

/// Seed of the first hash. It is part of the format: RedisBloom finds an item only under these hashes.
const SEED: u64 = 0xc6a4_a793_5bd1_e995;

/// The two hashes of an item, which determine its probes: probe i is at `first + i * second`, modulo 2^64 and then
/// modulo the bits of the link.
///
/// Hash outside of a lock and use the hashes inside, to hold the lock for a shorter time.
///
/// # Examples
///
/// ```
/// let mut filter = bloom::BloomFilter::default();
/// let hash = bloom::ItemHash::of(b"user1");
/// assert!(filter.add_hash(hash)?);
/// assert!(filter.contains(b"user1"));
/// # Ok::<(), bloom::AddError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ItemHash {
    pub(crate) first: u64,
    pub(crate) second: u64,
}

impl ItemHash {
    /// Hashes an item. O(length).
    #[must_use]
    #[inline]
    pub fn of(item: &[u8]) -> Self {
        let (first, second) = murmur::chain64a(item, SEED);
        Self { first, second }
    }

    /// The first hash, and the step from one probe to the next.
    #[must_use]
    #[inline]
    pub const fn parts(self) -> (u64, u64) {
        (self.first, self.second)
    }
}
