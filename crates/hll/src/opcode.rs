//! The three opcodes of the sparse encoding.
//!
//! ```text
//! ZERO   00xxxxxx             x + 1 registers (1 to 64) of value 0
//! XZERO  01xxxxxx yyyyyyyy    xy + 1 registers (1 to 16384) of value 0, high bits first
//! VAL    1vvvvvxx             x + 1 registers (1 to 4) of value v + 1 (1 to 32)
//! ```

/// Longest run of a ZERO.
pub(crate) const ZERO_MAX: u32 = 64;
/// Longest run of a VAL.
pub(crate) const VAL_MAX_RUN: u32 = 4;
/// Largest value of a VAL; a register above it needs the dense encoding.
pub(crate) const VAL_MAX: u8 = 32;

/// A run of registers of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The value of each of them, 0 to [`VAL_MAX`].
    pub(crate) value: u8,
    /// Registers covered, at least one.
    pub(crate) span: u32,
    /// Bytes of the opcode.
    pub(crate) len: usize,
}

/// The opcode at the start of `bytes`; `None` if its second byte is missing (or its first).
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<Run> {
    let &first = bytes.first()?;
    let byte = u32::from(first);
    if first & 0x80 != 0 {
        Some(Run { value: val_value(first), span: (byte & 3) + 1, len: 1 })
    } else if first & 0x40 == 0 {
        Some(Run { value: 0, span: byte + 1, len: 1 })
    } else {
        let low = u32::from(*bytes.get(1)?);
        Some(Run { value: 0, span: ((byte & 0x3f) << 8 | low) + 1, len: 2 })
    }
}

/// The value of a VAL opcode.
#[inline]
pub(crate) const fn val_value(opcode: u8) -> u8 {
    (opcode >> 2 & 0x1f) + 1
}

/// The opcode of `span` (1 to 4) registers of `value` (1 to 32).
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both fit their fields")]
pub(crate) const fn val(value: u8, span: u32) -> u8 {
    debug_assert!(value >= 1 && value <= VAL_MAX && span >= 1 && span <= VAL_MAX_RUN);
    0x80 | (value - 1) << 2 | (span - 1) as u8
}

/// The shortest opcode of `span` (1 to 16384) zeros, first byte lowest, and its length.
#[inline]
pub(crate) const fn zeros(span: u32) -> (u32, u32) {
    debug_assert!(span >= 1 && span <= 16384);
    let count = span - 1;
    if span <= ZERO_MAX { (count, 1) } else { (0x40 | count >> 8 | (count & 0xff) << 8, 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_round_trip_at_every_length() {
        for span in 1..=16384 {
            let (word, len) = zeros(span);
            let bytes = word.to_le_bytes();
            let len = usize::try_from(len).unwrap();
            assert_eq!(decode(&bytes[..len]), Some(Run { value: 0, span, len }));
            assert_eq!(len, if span <= ZERO_MAX { 1 } else { 2 });
        }
    }

    #[test]
    fn vals_round_trip_at_every_value_and_length() {
        for value in 1..=VAL_MAX {
            for span in 1..=VAL_MAX_RUN {
                assert_eq!(decode(&[val(value, span)]), Some(Run { value, span, len: 1 }));
            }
        }
    }

    #[test]
    fn a_cut_xzero_is_no_opcode() {
        for first in 0x40..=0x7f {
            assert_eq!(decode(&[first]), None);
        }
        assert_eq!(decode(&[]), None);
    }

    #[test]
    fn every_byte_is_the_start_of_an_opcode() {
        for first in 0..=255 {
            let run = decode(&[first, 0]).unwrap();
            assert!(run.span >= 1 && run.value <= VAL_MAX);
        }
    }
}
