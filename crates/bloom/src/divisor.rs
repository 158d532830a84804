//! The bit positions of an item: remainders by a fixed divisor, computed by multiplications alone.
//!
//! # Idea
//!
//! A 64-bit division takes some 10 to 40 cycles, and each probe needs one. The divisor d of a link never changes, so a
//! number x is represented by the fraction `(x mod d) / d`, in units of 2^-64 (after D. Lemire, O. Kaser and N. Kurz,
//! 2019). Adding numbers adds their fractions, and the overflow of a 64-bit word is the integer part, so each further
//! position is one addition. In the product of a fraction and the number of bytes of the array, the upper half is the
//! byte of the position; the three bits below it are the bit.
//!
//! ```text
//!                  fraction * bytes
//!  127                         64 63 61 60               0
//! +------------------------------+-----+------------------+
//! | byte                         | bit |                  |
//! +------------------------------+-----+------------------+
//! ```
//!
//! The sums of the hashes are modulo 2^64, which d does not divide. When a sum overflows, the fraction of 2^64 is
//! subtracted too.
//!
//! # Why the positions are exact
//!
//! Let M be 2^128 / d, rounded up. Then the upper half of `x M mod 2^128` is off the exact fraction of x by less than
//! one unit, upwards or downwards, and the lower half of M, which is the fraction of 2^64, is too large by less than
//! one. So after i steps a sum of fractions is too large by less than i + 1 and too small by less than 2 i + 1. It
//! starts out too large by 2 [`STEPS`], and is so always too large, by less than 4 [`STEPS`] as long as i stays below
//! [`STEPS`]. A product with d is then too large by less than `4 * STEPS * d / 2^64`, which is at most 1, so rounding
//! down gives the remainder itself.

/// The maximum number of positions of an item. Links of the lowest error rate that an `f64` represents have 1075.
pub(crate) const STEPS: u32 = 1 << 11;

/// The excess of a fraction at the start, so that it is never too small.
const BIAS: u64 = 2 * STEPS as u64;

/// The number of bits of an array, as a divisor of hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    bits: u64,
    /// The halves of 2^128 / bits, rounded up.
    high: u64,
    low: u64,
}

impl Divisor {
    /// The largest divisor: an array of 256 TiB.
    pub(crate) const MAX: u64 = 1 << 51;

    /// `None` if the bits are not whole bytes, none, or more than [`Divisor::MAX`].
    #[expect(clippy::cast_possible_truncation, reason = "splits the number into its halves")]
    pub(crate) const fn new(bits: u64) -> Option<Self> {
        if bits == 0 || !bits.is_multiple_of(8) || bits > Self::MAX {
            return None;
        }
        // Rounded up; if bits divides 2^128, this is exact.
        let inverse = u128::MAX / bits as u128 + 1;
        Some(Self { bits, high: (inverse >> 64) as u64, low: inverse as u64 })
    }

    /// The bits.
    #[inline]
    pub(crate) const fn get(self) -> u64 {
        self.bits
    }

    /// The fraction of a number: too large or too small by less than one unit.
    #[inline]
    const fn fraction(self, number: u64) -> u64 {
        upper(number, self.low).wrapping_add(number.wrapping_mul(self.high))
    }

    /// The places `first + i * step`, modulo 2^64 and then modulo the bits, for i = 0, 1, 2 and so on up to [`STEPS`].
    #[inline]
    pub(crate) const fn places(self, first: u64, step: u64) -> Places {
        let on = self.fraction(step);
        Places {
            bits: self.bits,
            number: first,
            step,
            fraction: self.fraction(first).wrapping_add(BIAS),
            on,
            on_wrapped: on.wrapping_sub(self.low),
        }
    }
}

const _: () = assert!(4 * (STEPS as u128) * (Divisor::MAX as u128) <= 1 << 64);

/// The upper half of a product.
#[inline]
const fn upper(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// The position of a bit in an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place(u64);

impl Place {
    #[inline]
    pub(crate) const fn byte(self) -> usize {
        (self.0 / 8) as usize
    }

    /// The word of 64 bits, little-endian, that has the bit.
    #[inline]
    pub(crate) const fn word(self) -> usize {
        (self.0 / 64) as usize
    }

    /// The bit in its word.
    #[inline]
    pub(crate) const fn mask(self) -> u64 {
        1 << (self.0 % 64)
    }

    /// Whether a word has the bit.
    #[inline]
    pub(crate) const fn is_set(self, word: u64) -> bool {
        word >> (self.0 % 64) & 1 == 1
    }
}

/// See [`Divisor::places`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    bits: u64,
    number: u64,
    step: u64,
    fraction: u64,
    on: u64,
    on_wrapped: u64,
}

impl Places {
    /// Returns the next position. From [`STEPS`] on, positions may be wrong.
    #[inline]
    pub(crate) const fn take(&mut self) -> Place {
        let place = Place(upper(self.fraction, self.bits));
        let (number, wrapped) = self.number.overflowing_add(self.step);
        let on = if wrapped { self.on_wrapped } else { self.on };
        self.fraction = self.fraction.wrapping_add(on);
        self.number = number;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use proptest::prelude::*;

    /// The first `count` places, each compared with the division.
    fn check(bits: u64, first: u64, step: u64, count: u32) {
        let mut places = Divisor::new(bits).unwrap().places(first, step);
        for i in 0..u64::from(count) {
            let number = first.wrapping_add(step.wrapping_mul(i));
            let place = places.take();
            let right = number % bits;
            assert_eq!(place, Place(right), "{first} + {i} * {step} modulo {bits}");
            assert_eq!((place.byte() as u64, place.word() as u64), (right / 8, right / 64));
            assert_eq!(place.mask(), 1 << (right % 64));
            assert!(place.is_set(place.mask()) && !place.is_set(!place.mask()));
        }
    }

    #[test]
    fn arrays_of_partial_bytes_and_too_large_ones_are_refused() {
        for bits in [0, 1, 7, 9, Divisor::MAX + 8, Divisor::MAX - 1, u64::MAX, 1 << 63] {
            assert_eq!(Divisor::new(bits), None, "{bits}");
        }
        for bits in [8, 16, 1 << 20, Divisor::MAX - 8, Divisor::MAX] {
            assert_eq!(Divisor::new(bits).map(Divisor::get), Some(bits));
        }
    }

    #[test]
    fn no_link_has_more_places_than_are_exact() {
        let least = f64::from_bits(1);
        let most = plan::hashes(plan::bits_per_item(least));
        assert_eq!(most, 1075);
        assert!(most < STEPS);
    }

    /// Where quotients change, for divisors of every size, and steps that go the furthest.
    #[test]
    fn edges_agree_with_the_division() {
        let mut sizes: Vec<u64> = (1..=60).map(|bytes| bytes * 8).collect();
        for power in 9..=51 {
            for off in [0, 8, 16, 24, 56, 64] {
                sizes.extend([(1u64 << power) - off, (1u64 << power) + off]);
            }
        }
        for bits in sizes.into_iter().filter(|&bits| bits <= Divisor::MAX) {
            let last = u64::MAX / bits;
            for quotient in [0, 1, 2, last / 3, last / 2, last - 1, last] {
                for off in [0, 1, 7, 8] {
                    let near = quotient * bits;
                    for first in [near.wrapping_add(off), near.wrapping_sub(off)] {
                        for step in [0, 1, bits - 1, near, near.wrapping_sub(1), u64::MAX] {
                            check(bits, first, step, 3);
                        }
                    }
                }
            }
        }
    }

    /// Remainders of 0 and d - 1 at every step: the least that is too small or too large shows.
    #[test]
    fn the_last_steps_are_as_exact_as_the_first() {
        for bits in [8, 24, 64, 9592, 95_850_624, (1 << 40) - 8, Divisor::MAX - 8, Divisor::MAX] {
            let top = u64::MAX - u64::MAX % bits;
            for first in [0, 1, bits - 1, top, top - 1, u64::MAX] {
                for step in [0, bits, bits - 1, top, top - 1, top.wrapping_neg(), u64::MAX] {
                    check(bits, first, step, STEPS);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn every_series_agrees_with_the_division(first: u64, step: u64, bytes in 1..=Divisor::MAX / 8, cut in 0u32..48, low in 0u32..64) {
            let bits = (bytes >> cut).max(1) * 8;
            let multiple = first - first % bits;
            for first in [first, multiple, multiple.wrapping_sub(1)] {
                for step in [step, step >> low, (step >> low).wrapping_neg(), bits, bits.wrapping_neg(), step - step % bits] {
                    check(bits, first, step, 20);
                }
            }
        }
    }
}
