//! The RNG that chooses members and keys.

use std::sync::atomic::{AtomicU64, Ordering};

use extendible::SplitMix64;

/// The RNG of SPOP, SRANDMEMBER and RANDOMKEY, shared by all threads: [`SplitMix64`], whose state is a counter.
///
/// It is uniform, but not cryptographically secure: its output can be predicted from earlier output.
#[derive(Debug)]
pub(crate) struct Random(AtomicU64);

/// From this number of draws on, a value that is searched from its start for each is read once instead.
pub(crate) const READ_ONCE: usize = 3;

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Returns 64 random bits.
    pub(crate) fn bits(&self) -> u64 {
        let old = self.0.fetch_add(SplitMix64::STEP, Ordering::Relaxed);
        SplitMix64::mix(old.wrapping_add(SplitMix64::STEP))
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&self, bound: usize) -> usize {
        // The upper half of the product; the bias is below 2^-32 for any table that fits in memory.
        let product = u128::from(self.bits()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Returns `count` of the elements, drawn with repetition; none if there are none.
    pub(crate) fn draws<'t, T>(
        &'t self,
        all: &'t [T],
        count: usize,
    ) -> impl Iterator<Item = &'t T> {
        (0..count).map_while(|_| all.get(self.below(all.len())))
    }

    /// Keeps `count` elements, each choice equally likely, in random order.
    pub(crate) fn choose<T>(&self, all: &mut Vec<T>, count: usize) {
        let (len, count) = (all.len(), count.min(all.len()));
        // The first steps of a Fisher-Yates shuffle.
        for place in 0..count {
            all.swap(place, place + self.below(len - place));
        }
        all.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_paper_and_numbers_stay_in_bounds() {
        let random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        let mut seen = [0; 5];
        for _ in 0..5000 {
            seen[random.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
