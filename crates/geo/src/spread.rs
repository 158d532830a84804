//! Spreading the bits of a number to every second position, and the inverse.
//!
//! A spread number has its bit i at position 2i. Nine bits at a time come from a table of 2 KiB, which stays in the
//! first-level cache: three lookups, where doubling the distance between halves, then between quarters, and so on takes
//! five steps of three instructions. The inverse is rarer and uses the steps, so that no second table competes for the
//! cache:
//!
//! ```text
//!   .a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p
//!   ..ab..cd..ef..gh..ij..kl..mn..op      x | x >> 1, masked
//!   ....abcd....efgh....ijkl....mnop      x | x >> 2, masked
//!   ........abcdefgh........ijklmnop      x | x >> 4, masked
//!   ................abcdefghijklmnop      x | x >> 8, masked
//! ```
//!
//! Spreading keeps the order of numbers, so coordinates can be compared inside a hash, under a mask, without decoding
//! it.

/// The places of latitude in a hash.
pub(crate) const EVEN: u64 = 0x5555_5555_5555_5555;
/// The places of longitude in a hash.
pub(crate) const ODD: u64 = !EVEN;

/// Bits of a number that the table spreads at a time.
const DIGIT: u32 = 9;
/// Each number of nine bits, spread.
static SPREAD: [u32; 1 << DIGIT] = spread_digits();

const fn spread_digits() -> [u32; 1 << DIGIT] {
    let mut table = [0; 1 << DIGIT];
    let mut i = 1;
    while i < table.len() {
        // A bit more to the left is two places more.
        table[i] = table[i >> 1] << 2;
        if i % 2 == 1 {
            table[i] += 1;
        }
        i += 1;
    }
    table
}

/// Bit i of the number at place 2i. The number has at most 27 bits, one more than a coordinate on the map: the very
/// edge takes it.
#[inline]
pub(crate) fn spread(number: u32) -> u64 {
    debug_assert!(number < 1 << (3 * DIGIT), "coordinate {number} has more than 27 bits");
    let digit = |at: u32| {
        let digit = number >> (at * DIGIT) & ((1 << DIGIT) - 1);
        u64::from(SPREAD[digit as usize]) << (2 * at * DIGIT)
    };
    digit(2) | digit(1) | digit(0)
}

/// The bits at the even places: undoes [`spread`].
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the last mask leaves 32 bits")]
pub(crate) const fn gather(bits: u64) -> u32 {
    const STEPS: [(u32, u64); 5] = [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ];
    let mut bits = bits & EVEN;
    let mut step = 0;
    while step < STEPS.len() {
        let (shift, mask) = STEPS[step];
        bits = (bits | bits >> shift) & mask;
        step += 1;
    }
    bits as u32
}

/// Longitude at the odd places and latitude at the even ones.
#[inline]
pub(crate) fn interleave(x: u32, y: u32) -> u64 {
    spread(x) << 1 | spread(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit.
    fn plain(number: u32) -> u64 {
        (0..32).map(|i| u64::from(number >> i & 1) << (2 * i)).sum()
    }

    #[test]
    fn bits_land_where_a_loop_puts_them() {
        let mut number = 1_u32;
        for i in 0..32 {
            assert_eq!(gather(1 << (2 * i)), 1 << i);
            assert_eq!(gather(1 << (2 * i + 1)), 0);
        }
        for i in 0..27 {
            assert_eq!(spread(1 << i), 1 << (2 * i));
        }
        for _ in 0..10_000 {
            number = number.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            assert_eq!(gather(plain(number) | ODD), number);
            let (x, y) = (number >> 5, !number >> 5);
            assert_eq!(spread(x), plain(x));
            assert_eq!(interleave(x, y), plain(x) << 1 | plain(y));
        }
        assert_eq!(gather(u64::MAX), u32::MAX);
        assert_eq!(spread((1 << 27) - 1), EVEN & ((1 << 54) - 1));
    }

    #[test]
    fn spreading_keeps_the_order() {
        for number in (0..1 << 27).step_by(7919) {
            assert!(spread(number) < spread(number + 1));
        }
    }
}
