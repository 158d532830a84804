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

use crate::layout::{DENSE_LEN, HEADER_LEN, PACKED_LEN, Packed, REGISTER_BITS, REGISTERS};

const _: () = assert!(DENSE_LEN / PACKED_LEN == 1);

/// A dense sketch, header included.
pub(crate) type Dense = [u8; DENSE_LEN];

const MASK: u16 = (1 << REGISTER_BITS) - 1;

/// The offset of the two bytes that hold the register, and the number of bits below it in them.
///
/// They end with the last byte of the register, so no register needs a byte after the end. For the first register, the
/// byte before it is a byte of the header, which is written back unchanged.
#[inline]
fn window(register: u16) -> (usize, usize) {
    let last_bit = usize::from(register) % REGISTERS * REGISTER_BITS + REGISTER_BITS - 1;
    (HEADER_LEN - 1 + last_bit / 8, last_bit % 8 + 9 - REGISTER_BITS)
}

/// The registers without the header.
#[inline]
pub(crate) fn packed(dense: &Dense) -> &Packed {
    let (_, packed) = dense.as_rchunks();
    &packed[0]
}

/// The registers without the header.
pub(crate) fn packed_mut(dense: &mut Dense) -> &mut Packed {
    let (_, packed) = dense.as_rchunks_mut();
    &mut packed[0]
}

/// The value of a register.
#[inline]
pub(crate) fn get(dense: &Dense, register: u16) -> u8 {
    let (at, shift) = window(register);
    let word = u16::from_le_bytes([dense[at], dense[at + 1]]);
    (word >> shift & MASK) as u8
}

/// Raises a register to `rank` (at most 63) if it is lower; returns whether it was.
#[inline]
pub(crate) fn raise(dense: &mut Dense, register: u16, rank: u8) -> bool {
    let (at, shift) = window(register);
    let word = u16::from_le_bytes([dense[at], dense[at + 1]]);
    let rank = u16::from(rank) & MASK;
    if word >> shift & MASK >= rank {
        return false;
    }
    let [low, high] = (word & !(MASK << shift) | rank << shift).to_le_bytes();
    dense[at] = low;
    dense[at + 1] = high;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_do_not_touch_their_neighbours() {
        let mut dense = [0xff; DENSE_LEN];
        dense[HEADER_LEN..].fill(0);
        let value = |register: u16| u8::try_from(register % 51).unwrap() + 1;
        for register in (0..16384).rev() {
            assert!(raise(&mut dense, register, value(register)));
            assert!(!raise(&mut dense, register, value(register)));
        }
        for register in 0..16384 {
            assert_eq!(get(&dense, register), value(register));
        }
        assert_eq!(dense[..HEADER_LEN], [0xff; HEADER_LEN]);
    }

    #[test]
    fn the_drawn_bits_hold() {
        let mut dense = [0xff; DENSE_LEN];
        dense[HEADER_LEN..].fill(0);
        for (register, rank) in [(0, 0b00_0001), (1, 0b10_0001), (2, 0b10_0011), (3, 0b11_1111)] {
            raise(&mut dense, register, rank);
        }
        assert_eq!(dense[HEADER_LEN..HEADER_LEN + 3], [0b0100_0001, 0b0011_1000, 0b1111_1110]);
    }
}
