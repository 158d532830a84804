//! A small seeded RNG, for reproducible tests.
//!
//! # Idea
//!
//! A seed of [`SplitMix64`] gives the same numbers on every machine and in every version, which no general library
//! promises. It is not cryptographically secure.

use std::env;
use std::fmt::Write;
use std::ops::RangeInclusive;

use extendible::SplitMix64;

/// Returns how many rounds a random test runs: `quick`, or `long` if the environment variable `TALLIS_LONG` is set, as
/// by `cargo xtask test --long`.
///
/// ```
/// for seed in 0..testkit::rng::rounds(10, 1_000) {
///     assert!(testkit::rng::Rng::new(seed).below(6) < 6);
/// }
/// ```
#[must_use]
pub fn rounds(quick: u64, long: u64) -> u64 {
    if env::var_os("TALLIS_LONG").is_some() { long } else { quick }
}

/// A seeded RNG.
///
/// # Examples
///
/// ```
/// let mut rng = testkit::rng::Rng::new(0);
/// assert_eq!(rng.u64(), 0xe220_a839_7b1d_cdaf);
/// assert!(rng.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    bits: SplitMix64,
}

impl Rng {
    /// Creates an RNG from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { bits: SplitMix64::new(seed) }
    }

    /// Returns 64 random bits.
    pub const fn u64(&mut self) -> u64 {
        self.bits.bits()
    }

    /// Returns 64 random bits as a signed integer.
    pub const fn i64(&mut self) -> i64 {
        self.u64().cast_signed()
    }

    /// Returns an integer in `0..bound`. The bias is below `bound / 2^64`.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "the bound must not be 0");
        ((self.u64() as u128 * bound as u128) >> 64) as u64
    }

    /// Returns an index of a collection of `len` elements.
    ///
    /// # Panics
    ///
    /// If `len` is 0.
    #[expect(clippy::cast_possible_truncation, reason = "the number is below `len`")]
    pub const fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Returns an integer in `range`, both ends included.
    ///
    /// # Panics
    ///
    /// If the range is empty.
    pub fn range(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (first, last) = range.into_inner();
        assert!(first <= last, "the range is empty");
        let width = last.wrapping_sub(first).cast_unsigned();
        let step = match width.checked_add(1) {
            Some(count) => self.below(count),
            None => self.u64(),
        };
        first.wrapping_add(step.cast_signed())
    }

    /// Returns a number in `[0, 1)` with 53 random bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact in an f64")]
    pub const fn unit(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with a probability of `numerator` in `denominator`.
    ///
    /// # Panics
    ///
    /// If `denominator` is 0.
    pub const fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// Returns `len` random bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.u64().to_le_bytes()[..chunk.len()]);
        }
        bytes
    }

    /// Shuffles `elements`. O(n).
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.index(last + 1));
        }
    }

    /// Returns a random element, or `None` if there is none.
    pub fn pick<'a, T>(&mut self, elements: &'a [T]) -> Option<&'a T> {
        if elements.is_empty() { None } else { elements.get(self.index(elements.len())) }
    }

    /// Returns a random UUID of version 4 as text, in lower case with hyphens.
    pub fn uuid(&mut self) -> String {
        let mut bytes = self.bytes(16);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_matches_the_reference() {
        let mut rng = Rng::new(1_234_567);
        let first: [u64; 5] = std::array::from_fn(|_| rng.u64());
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn numbers_stay_in_their_bounds_and_reach_them() {
        let mut rng = Rng::new(1);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            seen[rng.index(7)] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1_200).contains(&count)), "{seen:?}");
        let mut ends = [false; 2];
        for _ in 0..200 {
            let number = rng.range(-2..=2);
            assert!((-2..=2).contains(&number));
            ends[0] |= number == -2;
            ends[1] |= number == 2;
        }
        assert_eq!(ends, [true; 2]);
        assert_eq!(rng.range(i64::MAX..=i64::MAX), i64::MAX);
        let whole: Vec<i64> = (0..64).map(|_| rng.range(i64::MIN..=i64::MAX)).collect();
        assert!(whole.iter().any(|&number| number < 0) && whole.iter().any(|&number| number > 0));
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&rng.unit())));
    }

    #[test]
    fn a_shuffle_keeps_the_elements() {
        let mut rng = Rng::new(2);
        let mut numbers: Vec<u32> = (0..100).collect();
        rng.shuffle(&mut numbers);
        assert!(!numbers.is_sorted());
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        assert_eq!(rng.pick::<u8>(&[]), None);
    }

    #[test]
    fn bytes_and_uuids_have_their_form() {
        let mut rng = Rng::new(3);
        for len in 0..20 {
            assert_eq!(rng.bytes(len).len(), len);
        }
        for _ in 0..100 {
            let uuid = rng.uuid();
            assert_eq!(uuid.len(), 36);
            for (at, character) in uuid.char_indices() {
                match at {
                    8 | 13 | 18 | 23 => assert_eq!(character, '-'),
                    14 => assert_eq!(character, '4'),
                    19 => assert!(matches!(character, '8' | '9' | 'a' | 'b')),
                    _ => assert!(matches!(character, '0'..='9' | 'a'..='f'), "{uuid}"),
                }
            }
        }
    }
}
