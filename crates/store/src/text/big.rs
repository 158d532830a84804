//! Integers beyond 128 bits, as far as decimal texts need them.

use std::cmp::Ordering;

/// The largest power of five in 64 bits, by its exponent.
const POWER: u32 = 27;

/// An integer: its limbs, the least significant first, the last one not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Big(Vec<u64>);

impl Big {
    pub(super) fn new(number: u64) -> Self {
        Self(if number == 0 { Vec::new() } else { vec![number] })
    }

    /// The number that decimal digits (ASCII) write.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Self {
        let mut number = Self::new(0);
        let (mut chunk, mut scale) = (0, 1);
        for digit in digits {
            chunk = chunk * 10 + u64::from(digit - b'0');
            scale *= 10;
            // The most that 64 bits hold.
            if scale == 10u64.pow(19) {
                number.multiply_add(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        number.multiply_add(scale, chunk);
        number
    }

    /// Becomes `self * factor + addend`.
    pub(super) fn multiply_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for limb in &mut self.0 {
            (*limb, carry) = limb.carrying_mul_add(factor, carry, 0);
        }
        if carry != 0 {
            self.0.push(carry);
        }
    }

    /// Becomes `self * 5^exponent`.
    pub(super) fn multiply_power_of_5(&mut self, mut exponent: u32) {
        while exponent > 0 {
            let step = exponent.min(POWER);
            self.multiply_add(5u64.pow(step), 0);
            exponent -= step;
        }
    }

    /// How many bits the number has, without leading zeros.
    pub(super) fn bits(&self) -> u64 {
        self.0.last().map_or(0, |top| 64 * self.0.len() as u64 - u64::from(top.leading_zeros()))
    }

    /// Becomes `self * 2^count`.
    pub(super) fn shift_left(&mut self, count: u64) {
        if self.0.is_empty() {
            return;
        }
        let bits = count % 64;
        if bits > 0 {
            self.multiply_add(1 << bits, 0);
        }
        let limbs = (count / 64) as usize;
        self.0.splice(0..0, std::iter::repeat_n(0, limbs));
    }

    /// The upper 128 bits as a number, how many bits are below it, and whether one of those is set.
    pub(super) fn top(&self) -> (u128, u64, bool) {
        let below = self.bits().saturating_sub(128);
        let (limb, bits) = ((below / 64) as usize, below % 64);
        let at = |index: usize| self.0.get(index).copied().unwrap_or(0);
        let low = u128::from(at(limb)) | u128::from(at(limb + 1)) << 64;
        let top =
            if bits == 0 { low } else { low >> bits | u128::from(at(limb + 2)) << (128 - bits) };
        let rest = at(limb) & ((1 << bits) - 1) != 0 || self.0.iter().take(limb).any(|&l| l != 0);
        (top, below, rest)
    }

    /// Divides: the upper `count` bits of the quotient (from the first that is set, 128 at most), the exponent of its
    /// last bit, and whether there is a rest. Neither number may be 0.
    ///
    /// # Idea
    ///
    /// A bit a step, as by hand: the quotient of a few bits costs less than what produced the numbers.
    pub(super) fn divide(mut self, mut divisor: Self, count: u32) -> (u128, i64, bool) {
        debug_assert!(self.bits() > 0 && divisor.bits() > 0 && count <= 128);
        // Both get the same number of bits, so that the quotient starts at its first or second bit.
        let lead = self.bits().cast_signed() - divisor.bits().cast_signed();
        if lead < 0 {
            self.shift_left(lead.unsigned_abs());
        } else {
            divisor.shift_left(lead.unsigned_abs());
        }
        let mut exponent = lead;
        if self < divisor {
            self.shift_left(1);
            exponent -= 1;
        }
        let mut quotient = 0;
        for step in 0..count {
            if step > 0 {
                self.shift_left(1);
                exponent -= 1;
            }
            quotient <<= 1;
            if self >= divisor {
                self.subtract(&divisor);
                quotient |= 1;
            }
        }
        (quotient, exponent, !self.0.is_empty())
    }

    /// Becomes `self - other`, which must not be larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            (*limb, borrow) = limb.borrowing_sub(other.0.get(index).copied().unwrap_or(0), borrow);
        }
        debug_assert!(!borrow, "a larger number was subtracted");
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        let len = self.0.len().cmp(&other.0.len());
        len.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use testkit::rng::Rng;

    use super::Big;

    fn wide(number: u128) -> Big {
        let limbs = [number << 64 >> 64, number >> 64].map(|limb| u64::try_from(limb).unwrap());
        let used = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        Big(limbs[..used].to_vec())
    }

    #[test]
    fn small_numbers_agree_with_u128() {
        let mut rng = Rng::new(21);
        for _ in 0..2000 {
            let a = u128::from(rng.u64()) << rng.below(64) | 1;
            let b = (u128::from(rng.u64()) << rng.below(64) >> rng.below(100)) | 1;
            assert_eq!(Big::from_digits(a.to_string().bytes()), wide(a));
            assert_eq!(wide(a).bits(), u64::from(128 - a.leading_zeros()));
            assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b));
            assert_eq!(wide(a).top(), (a, 0, false));
            let (quotient, exponent, rest) = wide(a).divide(wide(b), 1);
            assert_eq!(quotient, 1);
            // What is left after one bit: whether the larger is the smaller one shifted.
            let shifted = a.max(b) == a.min(b) << (a.max(b) / a.min(b)).ilog2();
            assert_eq!(rest, !shifted);
            if a >= b {
                assert_eq!(exponent, i64::from((a / b).ilog2()));
                let count = (a / b).ilog2() + 1;
                assert_eq!(wide(a).divide(wide(b), count), (a / b, 0, !a.is_multiple_of(b)));
            } else {
                assert!(exponent < 0);
            }
        }
    }

    #[test]
    fn shifts_show_in_the_top_bits() {
        let mut number = Big::new(5);
        number.shift_left(1000);
        assert_eq!(number.bits(), 1003);
        assert_eq!(number.top(), (5 << 125, 875, false));
        number.multiply_add(1, 1);
        assert_eq!(number.top(), (5 << 125, 875, true));
        let mut tens = Big::new(1);
        tens.multiply_power_of_5(60);
        tens.shift_left(60);
        assert_eq!(tens, Big::from_digits(format!("1{}", "0".repeat(60)).bytes()));
        let mut zero = Big::new(0);
        zero.shift_left(100);
        assert_eq!(zero.bits(), 0);
    }
}
