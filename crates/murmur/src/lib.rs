#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! Each word of eight bytes is mixed on its own and then combined with the hash by a multiplication. It is fast, and
//! distributes elements well unless they were chosen to collide. The results are part of file formats, so they never
//! change.
//!
//! ## Representation
//!
//! ```text
//! h = seed ^ length * m                                m = 0xc6a4a7935bd1e995
//! for each whole word k, little-endian:                k *= m;  k ^= k >> 47;  k *= m;  h = (h ^ k) * m
//! if 1 to 7 bytes are left, as a number t:             h = (h ^ t) * m
//! h ^= h >> 47;  h *= m;  h ^= h >> 47
//! ```
//!
//! ## Complexity
//!
//! O(length): one multiplication per word that depends on the previous one, and two for its mix, which do not.
//!
//! ## References
//!
//! A. Appleby: `MurmurHash2`, 2008, the 64-bit version for 64-bit machines, in the public domain.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
const SHIFT: u32 = 47;

/// The number of words whose mix is kept for the second hash of a [chain](chain64a). Longer elements are mixed twice,
/// which takes no extra time: the mix of a word does not depend on the hash, so both run in parallel.
const KEPT: usize = 8;

/// Returns the hash of `bytes` with a seed. O(length).
#[must_use]
#[inline]
pub fn hash64a(bytes: &[u8], seed: u64) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    absorb(start(bytes, seed), words.iter().copied().map(mix), last(bytes, tail))
}

/// Returns the hash of `bytes`, and their hash with the first hash as its seed. O(length), and faster than two calls of
/// [`hash64a`], because the mix of a word does not depend on the seed.
///
/// ```
/// let (first, second) = murmur::chain64a(b"user1", 7);
/// assert_eq!(first, murmur::hash64a(b"user1", 7));
/// assert_eq!(second, murmur::hash64a(b"user1", first));
/// ```
#[must_use]
#[inline]
pub fn chain64a(bytes: &[u8], seed: u64) -> (u64, u64) {
    let (words, tail) = bytes.as_chunks::<8>();
    let last = last(bytes, tail);
    if words.len() > KEPT {
        let first = hash64a(bytes, seed);
        return (first, hash64a(bytes, first));
    }
    let mut kept = [0; KEPT];
    for (mixed, word) in kept.iter_mut().zip(words) {
        *mixed = mix(*word);
    }
    let mixed = || kept.iter().take(words.len()).copied();
    let first = absorb(start(bytes, seed), mixed(), last);
    (first, absorb(start(bytes, first), mixed(), last))
}

#[inline]
fn start(bytes: &[u8], seed: u64) -> u64 {
    seed ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER)
}

#[inline]
fn mix(word: [u8; 8]) -> u64 {
    let mixed = u64::from_le_bytes(word).wrapping_mul(MULTIPLIER);
    (mixed ^ mixed >> SHIFT).wrapping_mul(MULTIPLIER)
}

#[inline]
fn absorb(start: u64, words: impl Iterator<Item = u64>, last: Option<u64>) -> u64 {
    let mut h = words.fold(start, |h, mixed| (h ^ mixed).wrapping_mul(MULTIPLIER));
    if let Some(last) = last {
        h = (h ^ last).wrapping_mul(MULTIPLIER);
    }
    h = (h ^ h >> SHIFT).wrapping_mul(MULTIPLIER);
    h ^ h >> SHIFT
}

/// The 1 to 7 bytes of `tail`, the end of `bytes`, as a little-endian number.
#[inline]
fn last(bytes: &[u8], tail: &[u8]) -> Option<u64> {
    if tail.is_empty() {
        return None;
    }
    // One load that overlaps the previous word is faster than a loop over the bytes.
    if let Some(last) = bytes.last_chunk::<8>() {
        return Some(u64::from_le_bytes(*last) >> (64 - 8 * tail.len()));
    }
    if let (Some(low), Some(high)) = (tail.first_chunk::<4>(), tail.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*high)) << (8 * (tail.len() - 4));
        return Some(u64::from(u32::from_le_bytes(*low)) | high);
    }
    Some(tail.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
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

    /// Includes lengths beyond [`KEPT`] words.
    #[test]
    fn every_length_agrees_with_the_published_loop() {
        let all: Vec<u8> = (0..200u8).map(|i| i.wrapping_mul(167) ^ 0xda).collect();
        for seed in [0, 0xadc8_3b19, u64::MAX] {
            for len in 0..=all.len() {
                let bytes = &all[..len];
                let first = plain(bytes, seed);
                assert_eq!(hash64a(bytes, seed), first, "length {len}");
                assert_eq!(chain64a(bytes, seed), (first, plain(bytes, first)), "length {len}");
            }
        }
    }
}
