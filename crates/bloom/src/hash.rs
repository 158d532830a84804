//! The two hashes of an item: `MurmurHash64A`, twice.
//!
//! The first hash is seeded with a constant, the second with the first hash. Both read the same words and mix each before they
//! take it in; that mix does not depend on the seed, so it is made once.

const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
const SHIFT: u32 = 47;

/// Seed of the first hash. It is part of the format: RedisBloom finds an item only under these hashes.
const SEED: u64 = 0xc6a4_a793_5bd1_e995;

/// Words whose mix is kept for the second hash. Longer items are mixed twice, which costs them nothing: the mix of a word
/// does not wait for the hash, the hash does.
const KEPT: usize = 8;

/// The two hashes of an item, from which all its places follow: place i is `first + i * second`, modulo 2^64 and then modulo
/// the bits of the link.
///
/// Hashing outside of a lock and asking with the hashes inside keeps the lock short.
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
        let (words, tail) = item.as_chunks::<8>();
        let base = (item.len() as u64).wrapping_mul(MULTIPLIER);
        let rest = (!tail.is_empty()).then(|| little_endian(item, tail));
        if words.len() <= KEPT {
            let mut kept = [0; KEPT];
            for (mixed, word) in kept.iter_mut().zip(words) {
                *mixed = mix(*word);
            }
            let mixed = || kept.iter().take(words.len()).copied();
            let first = absorb(SEED ^ base, mixed(), rest);
            Self { first, second: absorb(first ^ base, mixed(), rest) }
        } else {
            let first = absorb(SEED ^ base, words.iter().copied().map(mix), rest);
            Self { first, second: absorb(first ^ base, words.iter().copied().map(mix), rest) }
        }
    }

    /// The first hash, and the step from one place to the next.
    #[must_use]
    #[inline]
    pub const fn parts(self) -> (u64, u64) {
        (self.first, self.second)
    }
}

#[inline]
fn mix(word: [u8; 8]) -> u64 {
    let mixed = u64::from_le_bytes(word).wrapping_mul(MULTIPLIER);
    (mixed ^ mixed >> SHIFT).wrapping_mul(MULTIPLIER)
}

#[inline]
fn absorb(start: u64, words: impl Iterator<Item = u64>, rest: Option<u64>) -> u64 {
    let mut h = words.fold(start, |h, mixed| (h ^ mixed).wrapping_mul(MULTIPLIER));
    if let Some(rest) = rest {
        h = (h ^ rest).wrapping_mul(MULTIPLIER);
    }
    h = (h ^ h >> SHIFT).wrapping_mul(MULTIPLIER);
    h ^ h >> SHIFT
}

/// The 1 to 7 bytes of `tail`, the end of `item`, as a little-endian number.
#[inline]
fn little_endian(item: &[u8], tail: &[u8]) -> u64 {
    // One load that overlaps the word before beats a loop over the bytes.
    if let Some(last) = item.last_chunk::<8>() {
        return u64::from_le_bytes(*last) >> (64 - 8 * tail.len());
    }
    if let (Some(low), Some(high)) = (tail.first_chunk::<4>(), tail.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*high)) << (8 * (tail.len() - 4));
        return u64::from(u32::from_le_bytes(*low)) | high;
    }
    tail.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The algorithm as published, byte by byte.
    fn plain(bytes: &[u8], seed: u64) -> u64 {
        let mut h = seed ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER);
        for block in bytes.chunks(8) {
            let mut k = 0;
            for (i, &byte) in block.iter().enumerate() {
                k |= u64::from(byte) << (8 * i);
            }
            if block.len() == 8 {
                k = k.wrapping_mul(MULTIPLIER);
                k ^= k >> SHIFT;
                k = k.wrapping_mul(MULTIPLIER);
            }
            h ^= k;
            h = h.wrapping_mul(MULTIPLIER);
        }
        h ^= h >> SHIFT;
        h = h.wrapping_mul(MULTIPLIER);
        h ^ h >> SHIFT
    }

    /// Lengths beyond [`KEPT`] words too.
    #[test]
    fn every_length_agrees_with_the_published_loop() {
        let bytes: Vec<u8> = (0..200u8).map(|i| i.wrapping_mul(167) ^ 0xda).collect();
        for len in 0..=bytes.len() {
            let item = &bytes[..len];
            let first = plain(item, SEED);
            let hash = ItemHash::of(item);
            assert_eq!(hash.parts(), (first, plain(item, first)), "length {len}");
        }
    }
}
