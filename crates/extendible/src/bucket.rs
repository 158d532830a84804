//! The traits of buckets.

/// A small table of entries that splits in two when it is full.
///
/// The owner of the table inserts and finds entries by methods of the bucket that are not part of this trait.
#[expect(clippy::len_without_is_empty, reason = "the table needs only the length")]
pub trait Bucket: Default {
    /// The type of the key that an entry is hashed by.
    type Key: ?Sized;

    /// The number of entries from which a bucket splits before it takes another, unless their hashes cannot be
    /// separated.
    const FULL: usize;

    /// The number of entries.
    fn len(&self) -> usize;

    /// Returns whether the bucket should, or must, split before it takes another entry.
    fn fill(&self) -> Fill {
        if self.len() < Self::FULL { Fill::Room } else { Fill::Full }
    }

    /// Moves every entry whose hash has `bit` set into a new bucket and returns it.
    #[must_use]
    fn split(&mut self, bit: u64, rehash: &impl Rehash<Self::Key>) -> Self;

    /// The number of positions from which [`Extendible::random`](crate::Extendible::random) may draw, filled or empty.
    fn positions(&self) -> usize {
        self.len()
    }

    /// Prefetches each cache line of the bucket itself that a lookup reads, for
    /// [`Extendible::prefetch`](crate::Extendible::prefetch).
    fn prefetch(&self) {}

    /// Prefetches the entry that a lookup of this hash compares first, when the lines of the bucket are in the cache.
    fn prefetch_entry(&self, _hash: u64) {}

    /// The bytes on the heap, without memory that the entries own.
    fn heap_bytes(&self) -> usize;
}

/// How full a bucket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// There is room for another entry.
    Room,
    /// It should split, but can grow further if a split would not help.
    Full,
    /// It must split: there is almost no room left.
    Overfull,
}

/// Computes the hashes of the entries of a bucket that splits. Closures from key to hash implement it.
pub trait Rehash<K: ?Sized> {
    /// Returns the hash of an entry's key.
    fn hash(&self, key: &K) -> u64;

    /// Prefetches what [`hash`](Self::hash) will read: a bucket may do this for all entries before it hashes the first,
    /// so that the cache misses overlap.
    fn prefetch(&self, _key: &K) {}
}

impl<K: ?Sized, F: Fn(&K) -> u64> Rehash<K> for F {
    #[inline]
    fn hash(&self, key: &K) -> u64 {
        self(key)
    }
}
