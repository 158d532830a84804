//! Where random members and keys come from.

use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of random bits for SPOP, SRANDMEMBER and RANDOMKEY that any number of threads draw from: `SplitMix64` (Steele,
/// Lea, Flood, 2014), whose state is a counter.
///
/// It is fair, not secret: whoever sees its numbers can tell the next.
#[derive(Debug)]
pub(crate) struct Chance(AtomicU64);

impl Chance {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    pub(crate) const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// 64 random bits.
    pub(crate) fn bits(&self) -> u64 {
        let mut mixed = self.0.fetch_add(Self::STEP, Ordering::Relaxed).wrapping_add(Self::STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, 0 if that is 0.
    pub(crate) fn below(&self, bound: usize) -> usize {
        // The upper half of the product; the bias is below one in 2^32 for any table that fits in memory.
        let product = u128::from(self.bits()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_paper_and_numbers_stay_in_bounds() {
        let chance = Chance::new(1_234_567);
        assert_eq!(chance.bits(), 6_457_827_717_110_365_317);
        assert_eq!(chance.bits(), 3_203_168_211_198_807_973);
        let mut seen = [0; 5];
        for _ in 0..5000 {
            seen[chance.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(chance.below(0), 0);
    }
}
