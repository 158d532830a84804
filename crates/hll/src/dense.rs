//! Single registers of the dense encoding.
//!
//! Register `r` takes bits `6r` to `6r + 5` of the packed bytes, counted from the lowest bit of the first byte.
//!
//! ```text
//!  byte 0     byte 1     byte 2     byte 3
//! +----------+----------+----------+----------+----
//! | 11000000 | 22221111 | 33333322 | 55444444 | ...     highest bit on the left, registers 0, 1, 2 ...
//! +----------+----------+----------+----------+----
//! ```

use crate::layout::{PACKED_LEN, Packed, REGISTER_BITS, REGISTERS};

const MASK: u16 = (1 << REGISTER_BITS) - 1;

/// Offset of two bytes that hold the register, and the bits below it in them.
#[inline]
fn window(register: u16) -> (usize, usize) {
    let bit = usize::from(register) % REGISTERS * REGISTER_BITS;
    // The last register has no byte after its own: its window starts a byte early.
    let at = (bit / 8).min(PACKED_LEN - 2);
    (at, bit - at * 8)
}

/// The value of a register.
#[inline]
pub(crate) fn get(packed: &Packed, register: u16) -> u8 {
    let (at, shift) = window(register);
    let word = u16::from_le_bytes([packed[at], packed[at + 1]]);
    (word >> shift & MASK) as u8
}

/// Raises a register to `rank` (at most 63) if it is lower, and says whether it was.
#[inline]
pub(crate) fn raise(packed: &mut Packed, register: u16, rank: u8) -> bool {
    let (at, shift) = window(register);
    let word = u16::from_le_bytes([packed[at], packed[at + 1]]);
    let rank = u16::from(rank) & MASK;
    if word >> shift & MASK >= rank {
        return false;
    }
    let [low, high] = (word & !(MASK << shift) | rank << shift).to_le_bytes();
    packed[at] = low;
    packed[at + 1] = high;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_do_not_touch_their_neighbours() {
        let mut packed = [0; PACKED_LEN];
        let value = |register: u16| u8::try_from(register % 51).unwrap() + 1;
        for register in (0..16384).rev() {
            assert!(raise(&mut packed, register, value(register)));
            assert!(!raise(&mut packed, register, value(register)));
        }
        for register in 0..16384 {
            assert_eq!(get(&packed, register), value(register));
        }
    }

    #[test]
    fn the_drawn_bits_hold() {
        let mut packed = [0; PACKED_LEN];
        for (register, rank) in [(0, 0b00_0001), (1, 0b10_0001), (2, 0b10_0011), (3, 0b11_1111)] {
            raise(&mut packed, register, rank);
        }
        assert_eq!(packed[..3], [0b0100_0001, 0b0011_1000, 0b1111_1110]);
    }
}
