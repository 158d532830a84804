//! Bloom filters, ours and others, behind the interface of the benchmarks: u64 keys at an error rate of 1 %.
//!
//! *classic* is RedisBloom's algorithm in plain Rust: two complete hashes, and for each probe a division and then a
//! read. The other crates have their own hashes and layouts, and seven probes where a scaling filter has eight.
//! sbbf-rs-safe takes a hash, which ahash computes.

#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::fmt;
use std::ops::Range;

use bloom::{BloomFilter, Settings};
use tallis::Store;
use testkit::rng::Rng;

/// A key as bytes.
pub type Key = [u8; 8];

/// The error rate of all filters.
pub const ERROR: f64 = 0.01;

/// Returns the keys of these numbers: distinct, and in random order.
#[must_use]
pub fn keys(numbers: Range<u64>) -> Vec<Key> {
    numbers.map(|n| Rng::new(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64().to_le_bytes()).collect()
}

/// The operations that are measured.
pub trait Filter {
    /// The name on the page.
    const NAME: &str;

    /// Creates an empty filter for the number of keys in the settings.
    fn make(settings: &Settings) -> Self;

    /// Adds keys, and returns how many were new. A crate that does not count them may return any number.
    fn add(&mut self, keys: &[Key]) -> usize;

    /// Returns how many of the keys the filter contains.
    fn ask(&self, keys: &[Key]) -> usize;
}

fn count(answers: &[bool]) -> usize {
    answers.iter().filter(|&&yes| yes).count()
}

impl Filter for BloomFilter {
    const NAME: &str = "tallis, the structure";

    fn make(settings: &Settings) -> Self {
        settings.build().unwrap()
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        // Keys that a full filter refuses, and new keys that are false positives, are not counted.
        keys.iter().filter(|key| Self::add(self, *key).unwrap_or(false)).count()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.contains(*key)).count()
    }
}

/// The structure in batches of 100.
#[derive(Debug)]
pub struct Batches(BloomFilter);

impl Batches {
    const SIZE: usize = 100;

    /// Returns the same filter, to query key by key.
    #[must_use]
    pub const fn alone(&self) -> &BloomFilter {
        &self.0
    }
}

impl Filter for Batches {
    const NAME: &str = "tallis, the structure, by 100";

    fn make(settings: &Settings) -> Self {
        Self(settings.build().unwrap())
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        let mut answers = Vec::with_capacity(Self::SIZE);
        let mut new = 0;
        for keys in keys.chunks(Self::SIZE) {
            answers.clear();
            // The filter may be full.
            let _ = self.0.add_many(keys, &mut answers);
            new += count(&answers);
        }
        new
    }

    fn ask(&self, keys: &[Key]) -> usize {
        let mut answers = Vec::with_capacity(Self::SIZE);
        let mut there = 0;
        for keys in keys.chunks(Self::SIZE) {
            answers.clear();
            self.0.contains_many(keys, &mut answers);
            there += count(&answers);
        }
        there
    }
}

/// The store, one key at a time.
#[derive(Debug)]
pub struct Stored(Store);

/// The store in batches of 100.
#[derive(Debug)]
pub struct StoredBatches(Store);

fn stored(settings: &Settings) -> Store {
    let store = Store::new();
    store.bf_reserve("filter", settings).unwrap();
    store
}

impl Filter for Stored {
    const NAME: &str = "tallis, the store";

    fn make(settings: &Settings) -> Self {
        Self(stored(settings))
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.0.bf_add("filter", *key).unwrap_or(false)).count()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.0.bf_exists("filter", *key).unwrap()).count()
    }
}

impl Filter for StoredBatches {
    const NAME: &str = "tallis, the store, by 100";

    fn make(settings: &Settings) -> Self {
        Self(stored(settings))
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        let add = |keys: &[Key]| count(&self.0.bf_madd("filter", keys).unwrap_or_default());
        keys.chunks(Batches::SIZE).map(add).sum()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        let ask = |keys: &[Key]| count(&self.0.bf_mexists("filter", keys).unwrap());
        keys.chunks(Batches::SIZE).map(ask).sum()
    }
}

impl Filter for fastbloom::BloomFilter {
    const NAME: &str = "fastbloom";

    fn make(settings: &Settings) -> Self {
        let capacity = usize::try_from(settings.capacity()).unwrap();
        Self::with_false_pos(ERROR).expected_items(capacity)
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.insert(&u64::from_le_bytes(**key))).count()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.contains(&u64::from_le_bytes(**key))).count()
    }
}

impl Filter for bloomfilter::Bloom<u64> {
    const NAME: &str = "bloomfilter";

    fn make(settings: &Settings) -> Self {
        let capacity = usize::try_from(settings.capacity()).unwrap();
        Self::new_for_fp_rate(capacity, ERROR).unwrap()
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        for key in keys {
            self.set(&u64::from_le_bytes(*key));
        }
        keys.len()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        keys.iter().filter(|key| self.check(&u64::from_le_bytes(**key))).count()
    }
}

/// A filter of blocks of 32 bytes, in which a key sets one bit in each word of a block, as in Parquet.
pub struct Split {
    filter: sbbf_rs_safe::Filter,
    hash: ahash::RandomState,
}

impl Split {
    /// Bits per key: the least integer whose error rate is at most [`ERROR`].
    const BITS: usize = 11;
}

impl fmt::Debug for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("bytes", &self.filter.as_bytes().len())
            .finish_non_exhaustive()
    }
}

impl Filter for Split {
    const NAME: &str = "sbbf-rs-safe";

    fn make(settings: &Settings) -> Self {
        let capacity = usize::try_from(settings.capacity()).unwrap();
        let filter = sbbf_rs_safe::Filter::new(Self::BITS, capacity);
        Self { filter, hash: ahash::RandomState::with_seeds(1, 2, 3, 4) }
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        let mut add =
            |key: &Key| !self.filter.insert_hash(self.hash.hash_one(u64::from_le_bytes(*key)));
        keys.iter().filter(|key| add(key)).count()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        let hash = |key: &Key| self.hash.hash_one(u64::from_le_bytes(*key));
        keys.iter().filter(|key| self.filter.contains_hash(hash(key))).count()
    }
}

/// RedisBloom's algorithm without optimisations.
#[derive(Debug)]
pub struct Classic {
    bytes: Vec<u8>,
    bits: u64,
    hashes: u64,
}

impl Classic {
    fn hash(item: &[u8], seed: u64) -> u64 {
        const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
        let mut h = seed ^ (item.len() as u64).wrapping_mul(MULTIPLIER);
        let (words, tail) = item.as_chunks::<8>();
        assert!(tail.is_empty());
        for word in words {
            let mut k = u64::from_le_bytes(*word).wrapping_mul(MULTIPLIER);
            k ^= k >> 47;
            h = (h ^ k.wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
        }
        h = (h ^ (h >> 47)).wrapping_mul(MULTIPLIER);
        h ^ (h >> 47)
    }

    fn places(&self, item: &[u8]) -> impl Iterator<Item = (usize, u8)> + use<> {
        let first = Self::hash(item, 0xc6a4_a793_5bd1_e995);
        let second = Self::hash(item, first);
        let bits = self.bits;
        (0..self.hashes).map(move |i| {
            let bit = first.wrapping_add(i.wrapping_mul(second)) % bits;
            (usize::try_from(bit / 8).unwrap(), 1 << (bit % 8))
        })
    }
}

impl Filter for Classic {
    const NAME: &str = "classic";

    fn make(settings: &Settings) -> Self {
        let like = settings.build().unwrap();
        let link = like.links().next().unwrap();
        let bytes = vec![0; link.as_bytes().len()];
        Self { bytes, bits: link.bits(), hashes: link.hashes().into() }
    }

    fn add(&mut self, keys: &[Key]) -> usize {
        let mut add = |key: &Key| {
            let mut new = false;
            for (at, mask) in self.places(key) {
                new |= self.bytes[at] & mask == 0;
                self.bytes[at] |= mask;
            }
            new
        };
        keys.iter().filter(|key| add(key)).count()
    }

    fn ask(&self, keys: &[Key]) -> usize {
        let there = |key: &Key| self.places(key).all(|(at, mask)| self.bytes[at] & mask != 0);
        keys.iter().filter(|key| there(key)).count()
    }
}
