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

/// An opcode of the sparse encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// Registers of value 0, in one byte.
    Zero {
        /// How many registers, 1 to 64.
        span: u32,
    },
    /// Registers of value 0, in two bytes.
    XZero {
        /// How many registers, 1 to 16384.
        span: u32,
    },
    /// Registers of one value other than 0, in one byte.
    Val {
        /// Their value, 1 to 32.
        value: u8,
        /// How many registers, 1 to 4.
        span: u32,
    },
}

impl Opcode {
    /// The first opcode of `bytes` and what follows it; a zero stands in for a second byte that is missing.
    pub(crate) fn split_first(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let &first = bytes.first()?;
        let run = decode(&[first, bytes.get(1).copied().unwrap_or(0)])?;
        let opcode = match (run.value, run.len) {
            (0, 1) => Self::Zero { span: run.span },
            (0, _) => Self::XZero { span: run.span },
            (value, _) => Self::Val { value, span: run.span },
        };
        Some((opcode, bytes.get(run.len..).unwrap_or_default()))
    }
}

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
///
/// Which kinds of opcodes follow each other is as random as the registers, so it does without a branch on the kind.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<Run> {
    let &first = bytes.first()?;
    let second = bytes.get(1);
    let kind = u32::from(first >> 6);
    let long = u32::from(kind == 1);
    if long == 1 && second.is_none() {
        return None;
    }
    // The bits of the first byte that count, by kind: ZERO and XZERO six, VAL two.
    let counting = 0x0303_3f3f >> (8 * kind) & 0xff;
    let low = u32::from(second.copied().unwrap_or(0)) * long;
    let count = (u32::from(first) & counting) << (8 * long) | low;
    let value = val_value(first) * (first >> 7);
    Some(Run { value, span: count + 1, len: 1 + long as usize })
}

/// The value of a VAL opcode.
#[inline]
pub(crate) const fn val_value(opcode: u8) -> u8 {
    (opcode >> 2 & 0x1f) + 1
}

/// The opcode of `span` (1 to 4) registers of `value` (1 to 32).
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both values fit in their fields")]
pub(crate) const fn val(value: u8, span: u32) -> u8 {
    debug_assert!(value >= 1 && value <= VAL_MAX && span >= 1 && span <= VAL_MAX_RUN);
    0x80 | (value - 1) << 2 | (span - 1) as u8
}

/// The shortest opcode of `span` zeros, first byte lowest, and its length; nothing for a span of 0.
#[inline]
pub(crate) const fn zeros(span: u32) -> (u32, u32) {
    debug_assert!(span <= 16384);
    let some = (span > 0) as u32;
    let long = (span > ZERO_MAX) as u32;
    let count = span.wrapping_sub(some);
    let first = (count >> (8 * long)) | (0x40 * long);
    (first | ((count & 0xff) * long) << 8, some + long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_distinguished() {
        let bytes = [0x00, 0x3f, 0x40, 0x00, 0x7f, 0xff, 0x80, 0xff, 0x7f];
        let mut left = &bytes[..];
        let mut all = Vec::new();
        while let Some((opcode, rest)) = Opcode::split_first(left) {
            all.push(opcode);
            left = rest;
        }
        assert_eq!(
            all,
            [
                Opcode::Zero { span: 1 },
                Opcode::Zero { span: 64 },
                Opcode::XZero { span: 1 },
                Opcode::XZero { span: 16384 },
                Opcode::Val { value: 1, span: 1 },
                Opcode::Val { value: 32, span: 4 },
                Opcode::XZero { span: 0x3f00 + 1 },
            ]
        );
    }

    #[test]
    fn zero_zeros_need_no_opcode() {
        assert_eq!(zeros(0), (0, 0));
    }

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
    fn a_truncated_xzero_is_not_an_opcode() {
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
