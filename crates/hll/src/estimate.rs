//! From registers to a count: Ertl's improved raw estimator, as Redis computes it.
//!
//! With m registers, of which C\[k\] have the value k:
//!
//! ```text
//! z = m * tau(1 - C[51]/m)            registers that may have overflowed
//! z = (z + C[k]) / 2                  for k = 50 down to 1
//! z = z + m * sigma(C[0]/m)           registers never hit
//! count = round(alpha * m^2 / z)      alpha = 1 / (2 ln 2), halves away from zero
//! ```
//!
//! # The sum without the histogram
//!
//! The middle step is the sum of C\[k\] / 2^k. In units of 2^-50 it is an integer, which a kernel adds up faster than
//! it fills a histogram. The two agree to the last bit as long as no step of the loop rounds: every partial sum is at
//! most the whole sum and a multiple of its smallest term, so it is enough that these two lie within the 53 bits of an
//! `f64`. If they do not (ranks more than 39 apart), or if a value exceeds 50, the loop is used.

use crate::layout::{MAX_RANK, Q, REGISTERS};

/// How many registers have each value. Bytes from elsewhere may hold values up to 63; those above [`MAX_RANK`] do not
/// count.
pub(crate) type Histogram = [u32; 64];

/// Largest rank that the sum takes: the one above it is not a power of two but an overflow.
pub(crate) const MAX_SUMMED: u8 = MAX_RANK - 1;

/// `1 / (2 ln 2)`.
const ALPHA: f64 = 0.721_347_520_444_481_7;

/// What a [`PowerSum`] counts in: 2^-[`Q`].
#[expect(clippy::cast_precision_loss, reason = "a power of two")]
const UNIT: f64 = 1.0 / (1u64 << Q) as f64;

/// Registers that no real input fills have no estimate (z may be 0). Redis's conversion to an integer gives this
/// number.
const TOO_LARGE: u64 = 1 << 63;

#[expect(clippy::cast_precision_loss, reason = "a power of two")]
const M: f64 = REGISTERS as f64;

/// The registers, summed up for the estimator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PowerSum {
    /// Registers of value 0.
    pub(crate) zeros: u32,
    /// The sum of 2^(50 - value) over the registers of value 1 to 50; at most 2^63.
    pub(crate) sum: u64,
    /// The largest value.
    pub(crate) max: u8,
}

impl PowerSum {
    /// Takes `count` more registers of `value`.
    #[inline]
    pub(crate) fn take(&mut self, value: u8, count: u32) {
        match value {
            0 => self.zeros += count,
            1..=MAX_SUMMED => self.sum += u64::from(count) << (MAX_SUMMED - value),
            _ => {}
        }
        self.max = self.max.max(value);
    }

    /// The count, or `None` if the loop over the histogram may round on the way.
    pub(crate) fn estimate(&self) -> Option<u64> {
        if self.max > MAX_SUMMED {
            return None;
        }
        let smallest_term = u32::from(MAX_SUMMED - self.max);
        let highest_bit = u64::BITS - self.sum.leading_zeros();
        if highest_bit > smallest_term + f64::MANTISSA_DIGITS {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "the sum has at most 53 significant bits")]
        let sum = self.sum as f64;
        Some(finish(sum * UNIT, self.zeros))
    }
}

/// The count for any registers.
pub(crate) fn from_histogram(histogram: &Histogram) -> u64 {
    let full = f64::from(histogram[usize::from(MAX_RANK)]);
    let mut z = M * tau((M - full) / M);
    for &count in histogram[1..usize::from(MAX_RANK)].iter().rev() {
        z += f64::from(count);
        z *= 0.5;
    }
    finish(z, histogram[0])
}

/// The last two steps.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the value is positive and below 2^63 where it is cast"
)]
fn finish(z: f64, zeros: u32) -> u64 {
    let z = z + M * sigma(f64::from(zeros) / M);
    let count = ALPHA * M * M / z;
    if count < TOO_LARGE as f64 {
        let whole = count as u64;
        whole + u64::from(count - whole as f64 >= 0.5)
    } else {
        TOO_LARGE
    }
}

/// x + the sum of x^(2^k) * 2^(k-1) over k from 1 on.
#[expect(clippy::float_cmp, reason = "the series ends when a term no longer changes the sum")]
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let mut y = 1.0;
    let mut z = x;
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// The square root, rounded to nearest.
#[cfg(feature = "std")]
fn square_root(x: f64) -> f64 {
    x.sqrt()
}

#[cfg(not(feature = "std"))]
use integer_square_root as square_root;

/// The square root of a positive normal number, rounded to nearest, by integers: `core` has none.
///
/// The mantissa is shifted until its root has one bit more than a mantissa. That bit rounds, and there is no tie: the
/// square of a root that ends in 1 would be odd, and what was shifted is even.
#[cfg(any(test, not(feature = "std")))]
#[expect(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a mantissa has 53 bits, and half of an exponent is a valid exponent"
)]
fn integer_square_root(x: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA) as i64 - 1023 - i64::from(MANTISSA);
    let shift = 54 + (exponent & 1);
    let mantissa = u128::from(bits & ((1 << MANTISSA) - 1) | 1 << MANTISSA);
    let root = ((mantissa << shift).isqrt() + 1) >> 1;
    let scale = (exponent - shift) / 2 + 1;
    root as f64 * f64::from_bits(((scale + 1023) as u64) << MANTISSA)
}

/// A third of 1 - x - the sum of (1 - x^(2^-k))^2 * 2^-k over k from 1 on.
#[expect(clippy::float_cmp, reason = "the series ends when a term no longer changes the sum")]
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let mut y = 1.0;
    let mut z = 1.0 - x;
    loop {
        x = square_root(x);
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PowerSum, finish, from_histogram, integer_square_root};
    use crate::{MAX_RANK, REGISTERS};

    #[test]
    fn roots_by_integers_are_those_of_the_processor() {
        let mut bits = 0x3ff0_0000_0000_0000_u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            for x in [f64::from_bits(bits >> 12 | 0x3fe << 52), f64::from_bits(bits >> 2 | 1 << 60)]
            {
                if x.is_finite() && x.is_normal() {
                    assert_eq!(integer_square_root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
                }
            }
        }
        for x in [f64::MIN_POSITIVE, 0.25, 1.0, 1.0 - f64::EPSILON / 2.0, 2.0, f64::MAX] {
            assert_eq!(integer_square_root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
    }

    #[test]
    fn counts_are_rounded_to_nearest() {
        for z in (1..2000).map(|z| f64::from(z) * 7.3) {
            let exact = super::ALPHA * super::M * super::M / z;
            let count = u32::try_from(finish(z, 0)).unwrap();
            assert!((f64::from(count) - exact).abs() <= 0.5);
        }
    }

    /// The highest bit of the sum is 2^62, the lowest 2^(50 - value).
    #[test]
    fn a_sum_is_used_while_it_has_53_bits() {
        let ones = u32::try_from(REGISTERS - 1).unwrap();
        for value in 2..=MAX_RANK {
            let mut sum = PowerSum::default();
            let mut histogram = [0; 64];
            for (value, count) in [(1, ones), (value, 1)] {
                sum.take(value, count);
                histogram[usize::from(value)] = count;
            }
            let exact = (value <= 40).then(|| from_histogram(&histogram));
            assert_eq!(sum.estimate(), exact, "{value}");
        }
    }
}
