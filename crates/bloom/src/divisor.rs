//! Remainders by a divisor that stays the same.
//!
//! # Idea
//!
//! A division of 64 bits takes some 10 to 40 cycles, and each probe needs one. The divisor of a link never changes, so its
//! reciprocal is computed once, and a remainder is then two multiplications (P. Barrett, 1986).
//!
//! # Why one correction is enough
//!
//! Let 2^s be the highest power of two up to the divisor d, and m = floor(2^(64+s) / d), or 2^64 - 1 where that is 2^64, so
//! that m d lies between 2^(64+s) - d and 2^(64+s). For a below 2^64 the estimate a m / 2^(64+s) is therefore at most a / d, and falls
//! short of it by less than
//!
//! ```text
//! a / d * d / 2^(64+s)  =  a / 2^(64+s)  <  2^-s  <=  1
//! ```
//!
//! So the quotient is right or one too small, and the remainder right or d too large; 2 d must fit into 64 bits.

/// A divisor of 1 to 2^63 with its reciprocal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    value: u64,
    /// `2^64 % value`.
    wrap: u64,
    reciprocal: u64,
    shift: u32,
}

impl Divisor {
    /// The largest divisor.
    pub(crate) const MAX: u64 = 1 << 63;

    /// `None` if the divisor is 0 or above [`Divisor::MAX`].
    #[expect(clippy::cast_possible_truncation, reason = "the quotient was cut to 64 bits")]
    pub(crate) const fn new(divisor: u64) -> Option<Self> {
        if divisor == 0 || divisor > Self::MAX {
            return None;
        }
        let shift = divisor.ilog2();
        let quotient = (1 << (64 + shift)) / divisor as u128;
        let reciprocal = if quotient > u64::MAX as u128 { u64::MAX } else { quotient as u64 };
        let wrap = (1_u128 << 64) % divisor as u128;
        Some(Self { value: divisor, wrap: wrap as u64, reciprocal, shift })
    }

    /// The divisor itself.
    #[inline]
    pub(crate) const fn get(self) -> u64 {
        self.value
    }

    /// `number % divisor`.
    #[inline]
    pub(crate) const fn remainder(self, number: u64) -> u64 {
        let upper = ((number as u128 * self.reciprocal as u128) >> 64) as u64;
        let quotient = upper >> self.shift;
        reduce(number.wrapping_sub(quotient.wrapping_mul(self.value)), self.value)
    }

    /// The remainders of `first + i * step`, modulo 2^64, for i = 0, 1, 2 and so on.
    ///
    /// A sum that stays below 2^64 moves the remainder on by that of the step, and one that does not, by that of the step less
    /// 2^64; so after two multiplications for each of the first two remainders, additions are enough.
    #[inline]
    pub(crate) const fn remainders(self, first: u64, step: u64) -> Remainders {
        let on = self.remainder(step);
        let on_wrapped = reduce(on + (self.value - self.wrap), self.value);
        Remainders {
            divisor: self.value,
            number: first,
            step,
            remainder: self.remainder(first),
            on,
            on_wrapped,
        }
    }
}

/// The remainder of a number below twice the divisor.
#[inline]
const fn reduce(number: u64, divisor: u64) -> u64 {
    // Wraps round to something larger exactly where there is nothing to take away. Said with the overflow flag, it becomes a
    // branch that no processor foresees, and takes twice the time.
    let less = number.wrapping_sub(divisor);
    if less < number { less } else { number }
}

/// See [`Divisor::remainders`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remainders {
    divisor: u64,
    number: u64,
    step: u64,
    remainder: u64,
    on: u64,
    on_wrapped: u64,
}

impl Remainders {
    /// The next remainder. There is always one.
    #[inline]
    pub(crate) const fn take(&mut self) -> u64 {
        let remainder = self.remainder;
        let (number, wrapped) = self.number.overflowing_add(self.step);
        let on = if wrapped { self.on_wrapped } else { self.on };
        self.remainder = reduce(remainder + on, self.divisor);
        self.number = number;
        remainder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_and_what_is_too_large_are_no_divisors() {
        assert_eq!(Divisor::new(0), None);
        assert_eq!(Divisor::new(Divisor::MAX + 1), None);
        assert!(Divisor::new(Divisor::MAX).is_some());
    }

    /// Where quotients change, for divisors of every size.
    #[test]
    fn edges_agree_with_the_division() {
        let mut divisors: Vec<u64> = (1..=300).collect();
        for power in 8..=63 {
            for off in 0..4 {
                divisors.extend([(1u64 << power) - off, (1u64 << power) + off]);
            }
        }
        for d in divisors.into_iter().filter(|&d| d <= Divisor::MAX) {
            let divisor = Divisor::new(d).unwrap();
            let last = u64::MAX / d;
            for quotient in [0, 1, 2, 3, last / 3, last / 2, last - last.min(1), last] {
                let multiple = quotient.min(last) * d;
                for off in 0..3 {
                    for number in [multiple.wrapping_add(off), multiple.wrapping_sub(off)] {
                        assert_eq!(divisor.remainder(number), number % d, "{number} % {d}");
                    }
                }
            }
            for number in [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1] {
                assert_eq!(divisor.remainder(number), number % d, "{number} % {d}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_series_agrees_with_the_division(first: u64, step: u64, divisor: u64, cut in 1u32..64, low in 0u32..64) {
            let divisor = (divisor >> cut).max(1);
            for step in [step, step >> low, (step >> low).wrapping_neg(), divisor, divisor.wrapping_neg()] {
                let mut remainders = Divisor::new(divisor).unwrap().remainders(first, step);
                for i in 0..20 {
                    let number = first.wrapping_add(step.wrapping_mul(i));
                    prop_assert_eq!(remainders.take(), number % divisor);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn every_number_agrees_with_the_division(number: u64, divisor: u64, cut in 1u32..64) {
            let divisor = (divisor >> cut).max(1);
            let fast = Divisor::new(divisor).unwrap();
            prop_assert_eq!(fast.remainder(number), number % divisor);
            let multiple = number - number % divisor;
            prop_assert_eq!(fast.remainder(multiple), 0);
            prop_assert_eq!(fast.remainder(multiple.wrapping_sub(1)), multiple.wrapping_sub(1) % divisor);
        }
    }
}
