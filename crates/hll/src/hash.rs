//! `MurmurHash64A`, and the register and rank that Redis takes from it.
//!
//! The low [`P`] bits of the hash choose a register. The rank is the place of the lowest set bit among the [`Q`] bits
//! above them, counted from 1; a guard bit above the hash ends the count at [`MAX_RANK`](crate::MAX_RANK).

use crate::layout::{P, Q, REGISTERS};

/// Seed of Redis's HyperLogLog. It is part of the format: sketches of different seeds cannot be merged.
const SEED: u64 = 0xadc8_3b19;

const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
const SHIFT: u32 = 47;

/// The 64-bit hash of an element, `MurmurHash64A` with Redis's seed.
///
/// # Examples
///
/// ```
/// assert_eq!(hll::hash(b"USER0"), 0x2fa6_00f3_9fb0_aa4a);
/// ```
#[must_use]
#[inline]
pub fn hash(element: &[u8]) -> u64 {
    murmur64a(element, SEED)
}

/// The register that a [`hash`](fn@hash) falls into (below [`REGISTERS`]) and its rank (1 to [`MAX_RANK`](crate::MAX_RANK)).
///
/// # Examples
///
/// ```
/// assert_eq!(hll::register_and_rank(0b101 << 14 | 7), (7, 1));
/// assert_eq!(hll::register_and_rank(0), (0, 51));
/// ```
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "14 bits and a number up to 51")]
pub const fn register_and_rank(hash: u64) -> (u16, u8) {
    let register = hash & (REGISTERS as u64 - 1);
    let rest = hash >> P | 1 << Q;
    (register as u16, rest.trailing_zeros() as u8 + 1)
}

#[inline]
fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    let mut h = seed ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let (words, tail) = bytes.as_chunks::<8>();
    for word in words {
        let mut k = u64::from_le_bytes(*word).wrapping_mul(MULTIPLIER);
        k ^= k >> SHIFT;
        h = (h ^ k.wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
    }
    if !tail.is_empty() {
        h = (h ^ little_endian(bytes, tail)).wrapping_mul(MULTIPLIER);
    }
    h = (h ^ h >> SHIFT).wrapping_mul(MULTIPLIER);
    h ^ h >> SHIFT
}

/// The 1 to 7 bytes of `tail`, the end of `bytes`, as a little-endian number.
#[inline]
fn little_endian(bytes: &[u8], tail: &[u8]) -> u64 {
    // One load that overlaps the word before beats a loop over the bytes.
    if let Some(last) = bytes.last_chunk::<8>() {
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

    #[test]
    fn every_length_agrees_with_the_published_loop() {
        let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(167) ^ 0x5a).collect();
        for len in 0..=bytes.len() {
            assert_eq!(murmur64a(&bytes[..len], SEED), plain(&bytes[..len], SEED), "length {len}");
        }
    }

    #[test]
    fn rank_counts_from_one_and_ends_at_the_guard() {
        for zeros in 0..Q {
            let (register, rank) = register_and_rank(1 << (P + zeros) | 0x3fff);
            assert_eq!((register, u32::from(rank)), (16383, zeros + 1));
        }
        assert_eq!(register_and_rank(5), (5, crate::MAX_RANK));
    }
}
