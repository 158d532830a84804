//! Bloom filters, ours and others, as the benchmarks ask them: u64 keys at 1 %.
//!
//! *classic* is RedisBloom's way in plain Rust: two whole hashes, a division for each probe, a look after each. The
//! other crates have hashes and layouts of their own, and seven probes where a scaling filter has eight; sbbf-rs-safe takes a hash, which
//! ahash makes.

#![expect(clippy::unwrap_used, reason = "a benchmark: what fails here stops it")]

use std::fmt;
use std::ops::Range;

use bloom::{BloomFilter, Settings};
use tallis::Store;
use testkit::rng::Rng;

/// A key, as bytes.
pub type Key = [u8; 8];

/// The error rate of all of them.
pub const ERROR: f64 = 0.01;

/// The keys of these numbers: no two alike, and in no order.
#[must_use]
pub fn keys(numbers: Range<u64>) -> Vec<Key> {
    numbers.map(|n| Rng::new(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64().to_le_bytes()).collect()
}

/// What is measured.
pub trait Filter {
    /// How the page calls it.
    const NAME: &str;

    /// An empty one, for as many keys as the settings say.
    fn make(settings: &Settings) -> Self;

    /// Adds keys, and returns how many were new; crates that do not count them may return any number.
    fn add(&mut self, keys: &[Key]) -> usize;

    /// How many of the keys are there.
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
        // A full filter has new keys too: those that are taken for others are not counted.
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

    /// The same filter, to be asked one by one.
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
            // It may be full.
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

/// The store, a key at a time.
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

/// Blocks of 32 bytes, of which a key sets a bit in each word, as in Parquet.
pub struct Split {
    filter: sbbf_rs_safe::Filter,
    hash: ahash::RandomState,
}

impl Split {
    /// Bits a key: the least integer whose error is at most [`ERROR`].
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

/// RedisBloom's algorithm with nothing done to it.
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
