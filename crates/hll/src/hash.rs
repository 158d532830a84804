//! `MurmurHash64A`, and the register and rank that Redis takes from it.
//!
//! The low [`P`] bits of the hash choose a register. The rank is the position of the lowest set bit among the [`Q`]
//! bits above them, counted from 1; a guard bit above the hash limits it to [`MAX_RANK`](crate::MAX_RANK).

use crate::layout::{P, Q, REGISTERS};

/// Seed of Redis's HyperLogLog. It is part of the format: sketches of different seeds cannot be merged.
const SEED: u64 = 0xadc8_3b19;

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
    murmur::hash64a(element, SEED)
}

/// The register that a [`hash`](fn@hash) selects (below [`REGISTERS`]) and its rank (1 to
/// [`MAX_RANK`](crate::MAX_RANK)).
///
/// # Examples
///
/// ```
/// assert_eq!(hll::register_and_rank(0b101 << 14 | 7), (7, 1));
/// assert_eq!(hll::register_and_rank(0), (0, 51));
/// ```
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the register has 14 bits, and the rank is at most 51"
)]
pub const fn register_and_rank(hash: u64) -> (u16, u8) {
    let register = hash & (REGISTERS as u64 - 1);
    let rest = hash >> P | 1 << Q;
    (register as u16, rest.trailing_zeros() as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_counts_from_one_and_ends_at_the_guard() {
        for zeros in 0..Q {
            let (register, rank) = register_and_rank(1 << (P + zeros) | 0x3fff);
            assert_eq!((register, u32::from(rank)), (16383, zeros + 1));
        }
        assert_eq!(register_and_rank(5), (5, crate::MAX_RANK));
    }
}
