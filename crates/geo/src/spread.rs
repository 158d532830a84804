//! Spreading the bits of a number to every second place, and taking them together again.
//!
//! A spread number has its bit i at place 2i. Doubling the distance between halves, then between quarters, and so on does it
//! in five steps instead of 32:
//!
//! ```text
//!   ................abcdefghijklmnop      16 bits
//!   ........abcdefgh........ijklmnop      x | x << 8, masked
//!   ....abcd....efgh....ijkl....mnop      x | x << 4, masked
//!   ..ab..cd..ef..gh..ij..kl..mn..op      x | x << 2, masked
//!   .a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p      x | x << 1, masked
//! ```
//!
//! Spreading keeps the order of numbers, so coordinates can be compared inside a hash, under a mask, without taking it apart.

/// The places of latitude in a hash.
pub(crate) const EVEN: u64 = 0x5555_5555_5555_5555;
/// The places of longitude in a hash.
pub(crate) const ODD: u64 = !EVEN;

const STEPS: [(u32, u64); 5] = [
    (16, 0x0000_ffff_0000_ffff),
    (8, 0x00ff_00ff_00ff_00ff),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (2, 0x3333_3333_3333_3333),
    (1, EVEN),
];

/// Bit i of the number at place 2i.
#[inline]
pub(crate) const fn spread(number: u32) -> u64 {
    let mut bits = number as u64;
    let mut step = 0;
    while step < STEPS.len() {
        let (shift, mask) = STEPS[step];
        bits = (bits | bits << shift) & mask;
        step += 1;
    }
    bits
}

/// The bits at the even places: undoes [`spread`].
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the last mask leaves 32 bits")]
pub(crate) const fn gather(bits: u64) -> u32 {
    let mut bits = bits & EVEN;
    let mut step = STEPS.len();
    while step > 0 {
        step -= 1;
        let (shift, _) = STEPS[step];
        let mask = if step == 0 { 0xffff_ffff } else { STEPS[step - 1].1 };
        bits = (bits | bits >> shift) & mask;
    }
    bits as u32
}

/// Longitude at the odd places and latitude at the even ones.
#[inline]
pub(crate) const fn interleave(x: u32, y: u32) -> u64 {
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
            assert_eq!(spread(1 << i), 1 << (2 * i));
            assert_eq!(gather(1 << (2 * i)), 1 << i);
            assert_eq!(gather(1 << (2 * i + 1)), 0);
        }
        for _ in 0..10_000 {
            number = number.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            assert_eq!(spread(number), plain(number));
            assert_eq!(gather(spread(number) | ODD), number);
            assert_eq!(interleave(number, !number), plain(number) << 1 | plain(!number));
        }
        assert_eq!(spread(u32::MAX), EVEN);
    }
}
