//! What the scans over blocks of opcodes share: which bytes are opcodes, and where a scan ends.
//!
//! A block is 64 bytes, a bit each in a mask. The one difficulty is the second byte of an XZERO, which may look like
//! any opcode.

use crate::layout::HEADER_LEN;
use crate::sparse::Spot;

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;
/// Bytes whose registers are summed up together.
pub(super) const GROUP: usize = 8;

const EVEN: u64 = 0x5555_5555_5555_5555;

/// Which bytes of a block are second bytes, and whether the first byte after it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seconds {
    pub(super) mask: u64,
    pub(super) carry: u64,
}

impl Seconds {
    /// From the bytes that look like the start of an XZERO, and the block before.
    ///
    /// In a series of such bytes each second one is a second byte, counted from the start of the series. To separate
    /// series that start at an even place from the others, add their first bits to the mask: the carry runs through
    /// just those.
    #[inline]
    pub(super) fn new(xzero_like: u64, before: Self) -> Self {
        let like = xzero_like & !before.carry;
        let series = like & !(like << 1);
        let even = like & !like.wrapping_add(series & EVEN);
        let starts = even & EVEN | like & !even & !EVEN;
        Self { mask: starts << 1 | before.carry, carry: starts >> 63 }
    }
}

/// The opcode that a byte of a block belongs to.
///
/// `block` is the offset of the block, `place` that of the byte in it, and `covered` the registers that the bytes
/// before it stand for (for the first byte of an XZERO: 256 times its six bits, and 1).
#[inline]
pub(super) fn opcode_of(
    bytes: &[u8],
    (block, place): (usize, usize),
    covered: u64,
    here: Seconds,
    before: Seconds,
) -> Spot {
    let is_second = here.mask >> place & 1;
    let at = block + place - is_second as usize;
    let first = covered - (u64::from(bytes[at] & 0x3f) << 8 | 1) * is_second;
    // Bit i + 2 is byte i of the block, so that the two bytes before the block are in it.
    let seconds = u128::from(here.mask) << 2 | u128::from(before.mask >> (BLOCK - 2));
    let byte_before = place as u64 + 1 - is_second;
    let prev_len = 1 + (seconds >> byte_before & 1) as usize;
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of registers")]
    let first = first as u32;
    // Before the first opcode there is none.
    Spot { at, first, prev: (at - prev_len).max(HEADER_LEN) }
}
