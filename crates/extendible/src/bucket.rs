//! The traits of buckets.

/// A small table of entries that splits in two when it is full.
///
/// The owner of the table inserts and finds entries by methods of the bucket that are not part of this trait.
#[expect(clippy::len_without_is_empty, reason = "the table asks for the number only")]
pub trait Bucket: Default {
    /// What an entry is hashed by.
    type Key: ?Sized;

    /// A bucket with so many entries splits before it takes another, unless no split separates their hashes.
    const FULL: usize;

    /// How many entries there are.
    fn len(&self) -> usize;

    /// Whether it should, or must, split before it takes another entry.
    fn fill(&self) -> Fill {
        if self.len() < Self::FULL { Fill::Room } else { Fill::Full }
    }

    /// Moves every entry whose hash has `bit` set into a new bucket, and returns that.
    #[must_use]
    fn split(&mut self, bit: u64, rehash: &impl Rehash<Self::Key>) -> Self;

    /// How many positions there are from which [`Extendible::random`](crate::Extendible::random) may draw, filled or
    /// not.
    fn positions(&self) -> usize {
        self.len()
    }

    /// Asks for each cache line of the bucket itself that a look-up reads, for
    /// [`Extendible::prefetch`](crate::Extendible::prefetch).
    fn prefetch(&self) {}

    /// Asks for the entry that a look-up of this hash looks at first, once the lines of the bucket are there.
    fn prefetch_entry(&self, _hash: u64) {}

    /// Bytes that the bucket holds on the heap, apart from its entries' own heap memory.
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
    /// The hash of an entry.
    fn hash(&self, key: &K) -> u64;

    /// Asks for what [`hash`](Self::hash) will read: a bucket may do so for all entries before it hashes the first, and
    /// the cache misses overlap.
    fn prefetch(&self, _key: &K) {}
}

impl<K: ?Sized, F: Fn(&K) -> u64> Rehash<K> for F {
    #[inline]
    fn hash(&self, key: &K) -> u64 {
        self(key)
    }
}
