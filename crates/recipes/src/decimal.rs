//! The CRC-32 of a decimal number, computed without its text.
//!
//! # Idea
//!
//! CRC-32 is affine: the difference of the sums of two texts of the same length depends only on the bits in which they
//! differ. So the sum of a text is that of the same text with all digits 0, combined by XOR for each digit with a value
//! that depends on the digit and on the number of bytes after it. Here digits are processed in pairs, from the last:
//!
//! ```text
//! crc32("x12345") = crc32("x00000") ^ pairs[0][45] ^ pairs[1][23] ^ pairs[2][01]
//! ```

/// Pairs of digits: an integer of 64 bits has at most twenty digits.
const PAIRS: usize = 10;

/// The reflected polynomial of zlib's CRC-32.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The effect of each pair of digits, by the number of pairs after it.
static OF_PAIR: [[u32; 100]; PAIRS] = pairs();

/// The CRC-32 of `x`, an optional sign, and a number of zeros.
static OF_ZEROS: [[u32; 2 * PAIRS + 1]; 2] = [zeros(b"x"), zeros(b"x-")];

/// Returns the CRC-32, as in zlib, of `x` and a number's decimal form.
#[inline]
pub(crate) fn crc32_of_x_and(number: i64) -> u32 {
    let mut rest = number.unsigned_abs();
    let (mut crc, mut digits) = (0, 0);
    for of_pair in &OF_PAIR {
        crc ^= of_pair[(rest % 100) as usize];
        digits += 2;
        if rest < 100 {
            break;
        }
        rest /= 100;
    }
    crc ^ OF_ZEROS[usize::from(number < 0)][digits - usize::from(rest < 10)]
}

/// Returns a CRC register after one more byte.
const fn after(mut register: u32, byte: u8) -> u32 {
    register ^= byte as u32;
    let mut bit = 0;
    while bit < 8 {
        register = (register >> 1) ^ ((register & 1) * POLYNOMIAL);
        bit += 1;
    }
    register
}

const fn zeros(start: &[u8]) -> [u32; 2 * PAIRS + 1] {
    let mut register = u32::MAX;
    let mut at = 0;
    while at < start.len() {
        register = after(register, start[at]);
        at += 1;
    }
    let mut sums = [0; 2 * PAIRS + 1];
    let mut count = 0;
    while count < sums.len() {
        sums[count] = !register;
        register = after(register, b'0');
        count += 1;
    }
    sums
}

const fn pairs() -> [[u32; 100]; PAIRS] {
    let mut all = [[0; 100]; PAIRS];
    let mut pair = 0_u8;
    while pair < 100 {
        // The bits in which a digit differs from `0`.
        let mut register = after(after(0, pair / 10), pair % 10);
        let mut behind = 0;
        while behind < PAIRS {
            all[behind][pair as usize] = register;
            register = after(after(register, 0), 0);
            behind += 1;
        }
        pair += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use testkit::rng::Rng;

    use super::*;

    #[test]
    fn the_sum_is_that_of_the_text() {
        let mut rng = Rng::new(1);
        let ends = [0, 1, -1, 9, 10, 99, 100, i64::MAX, i64::MIN, i64::MIN + 1];
        let powers = (0..19).flat_map(|n| [10_i64.pow(n) - 1, 10_i64.pow(n), -10_i64.pow(n)]);
        let any = (0..10_000).map(|_| rng.u64().cast_signed() >> rng.below(64));
        for number in ends.into_iter().chain(powers).chain(any) {
            let text = format!("x{number}");
            assert_eq!(crc32_of_x_and(number), crc32fast::hash(text.as_bytes()), "{number}");
        }
    }
}
