//! The sparse encoding: a scan over run lengths, and the update in place.
//!
//! # The update
//!
//! 1. Find the opcode that covers the register.
//! 2. Change it:
//!    * A: a VAL of the same or a higher value: nothing to do.
//!    * B: a VAL of one register, or C: a ZERO of one register: write a VAL over it, which is D with nothing left.
//!    * D: any other: split it into what is left of the register, a VAL for the register, and what is right of it. An
//!      XZERO that covers few registers may shrink here.
//! 3. Join neighbours: examine five opcodes, starting with the previous one, and join VALs of one value while the run
//!    fits.
//!
//! The window of the last step is part of the format. A wider one would find more to join, but the bytes would no
//! longer be Redis's.

use alloc::vec::Vec;

use crate::arch;
use crate::error::DecodeError;
use crate::layout::{COVERED, HEADER_LEN};
use crate::opcode::{self, Run, VAL_MAX, VAL_MAX_RUN};

/// The number of opcodes that the last step of an update examines.
const JOIN_WINDOW: usize = 5;

/// An opcode boundary of the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Offset of an opcode.
    pub(crate) at: usize,
    /// First register that it covers.
    pub(crate) first: u32,
    /// Offset of the opcode before it; its own if it is the first.
    pub(crate) prev: usize,
}

impl Spot {
    /// Before the first opcode.
    pub(crate) const START: Self = Self { at: HEADER_LEN, first: 0, prev: HEADER_LEN };
}

/// The result of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// The register is already as high.
    Unchanged,
    /// The register was raised.
    Raised,
    /// Nothing was changed: the value or the length is too large for the sparse encoding.
    NeedsDense,
}

/// Why no opcode starts at a spot.
#[cold]
fn no_opcode(bytes: &[u8], Spot { at, first, .. }: Spot) -> DecodeError {
    if at < bytes.len() {
        DecodeError::CutOpcode { at }
    } else {
        DecodeError::WrongRunSum { got: first, at }
    }
}

/// Scans the whole body and passes each run, with its first register, to `take`.
///
/// The runs must sum to [`REGISTERS`](crate::REGISTERS) and end with the bytes. `take` sees the runs before a fault.
#[inline]
pub(crate) fn each_run(bytes: &[u8], mut take: impl FnMut(u32, Run)) -> Result<(), DecodeError> {
    let mut at = HEADER_LEN;
    let mut first = 0;
    while first < COVERED {
        let Some(run) = opcode::decode(bytes.get(at..).unwrap_or_default()) else {
            return Err(no_opcode(bytes, Spot { at, first, prev: at }));
        };
        let next = first + run.span;
        if next > COVERED {
            return Err(DecodeError::WrongRunSum { got: next, at });
        }
        take(first, run);
        first = next;
        at += run.len;
    }
    if at == bytes.len() { Ok(()) } else { Err(DecodeError::TailBytes { at }) }
}

/// The length from which a kernel is faster than the plain scan from the start.
pub(crate) const WORTH_A_KERNEL: usize = HEADER_LEN + 24;

/// An opcode boundary at or before the register's opcode.
#[inline]
pub(crate) fn near(bytes: &[u8], register: u16) -> Spot {
    if bytes.len() < WORTH_A_KERNEL {
        Spot::START
    } else {
        (arch::best().approach)(bytes, register)
    }
}

/// Advances `spot`, at or before the register's opcode, to that opcode.
#[inline]
pub(crate) fn find(bytes: &[u8], spot: &mut Spot, register: u16) -> Result<Run, DecodeError> {
    loop {
        let Some(run) = opcode::decode(bytes.get(spot.at..).unwrap_or_default()) else {
            return Err(no_opcode(bytes, *spot));
        };
        let next = spot.first + run.span;
        if u32::from(register) < next {
            return Ok(run);
        }
        *spot = Spot { at: spot.at + run.len, first: next, prev: spot.at };
    }
}

/// Raises `register`, which `run` at `spot` covers, to `rank`, and leaves the header alone.
#[inline]
pub(crate) fn update(
    bytes: &mut Vec<u8>,
    spot: Spot,
    run: Run,
    register: u16,
    rank: u8,
    max_bytes: usize,
) -> Update {
    if run.value >= rank {
        return Update::Unchanged;
    }
    if rank > VAL_MAX {
        return Update::NeedsDense;
    }
    let split = Split::new(spot, run, register, rank);
    if !split.fits(bytes.len(), run.len, max_bytes) {
        return Update::NeedsDense;
    }
    split.write(bytes, spot, run.len);
    Update::Raised
}

/// Whether [`update`] can raise `register` without the dense encoding.
pub(crate) fn fits(
    bytes: &[u8],
    spot: Spot,
    run: Run,
    register: u16,
    rank: u8,
    max_bytes: usize,
) -> bool {
    Split::new(spot, run, register, rank).fits(bytes.len(), run.len, max_bytes)
}

/// What replaces an opcode that covers more than the register.
struct Split {
    /// The opcodes, first byte lowest.
    word: u64,
    len: usize,
}

impl Split {
    fn new(spot: Spot, run: Run, register: u16, rank: u8) -> Self {
        let before = u32::from(register) - spot.first;
        let after = run.span - 1 - before;
        let rest = |span: u32| match run.value {
            0 => opcode::zeros(span),
            value if span > 0 => (u32::from(opcode::val(value, span)), 1),
            _ => (0, 0),
        };
        let (left, left_len) = rest(before);
        let (right, right_len) = rest(after);
        let word = u64::from(left)
            | u64::from(opcode::val(rank, 1)) << (8 * left_len)
            | u64::from(right) << (8 * (left_len + 1));
        Self { word, len: (left_len + 1 + right_len) as usize }
    }

    /// Whether `bytes` stay within the limit when these opcodes replace `old_len` of them.
    const fn fits(&self, bytes: usize, old_len: usize, max_bytes: usize) -> bool {
        self.len <= old_len || bytes + self.len - old_len <= max_bytes
    }

    /// Replaces the opcode at `spot`, of `old_len` bytes, by these opcodes, and joins neighbours.
    #[inline]
    fn write(&self, bytes: &mut Vec<u8>, Spot { at, prev, .. }: Spot, old_len: usize) {
        let window = bytes[prev..].first_chunk::<WINDOW>().copied();
        let end = bytes.len();
        // Copying a fixed length and cutting off the excess avoids calls for one to three bytes.
        if self.len > old_len {
            grow(bytes, MOST_OPCODES);
            bytes.extend_from_slice(&[0; MOST_OPCODES]);
            bytes.copy_within(at + old_len..end, at + self.len);
            bytes.truncate(end + self.len - old_len);
        } else if self.len < old_len {
            bytes.copy_within(at + old_len..end, at + self.len);
            bytes.truncate(end - (old_len - self.len));
        }
        // The window as it becomes is made of the bytes before the move: a load of what was just stored in parts waits
        // until all of it has reached the cache.
        if let Some(window) = window
            && self.len >= old_len
            && let Some(place) = bytes[prev..].first_chunk_mut::<WINDOW>()
        {
            let window = self.put_in(window, 8 * (at - prev), 8 * old_len);
            *place = window.to_le_bytes();
            if !may_join(window) {
                return;
            }
        } else {
            bytes[at..at + self.len].copy_from_slice(&self.word.to_le_bytes()[..self.len]);
        }
        join(bytes, prev);
    }

    /// `window` with these opcodes from bit `at` on, in place of `old_bits` bits; the opcodes have at least as many.
    #[inline]
    const fn put_in(&self, window: [u8; WINDOW], at: usize, old_bits: usize) -> u128 {
        let window = u128::from_le_bytes(window);
        let before = window & ((1 << at) - 1);
        let after = window >> (at + old_bits) << (at + 8 * self.len);
        before | (self.word as u128) << at | after
    }
}

/// Most bytes of a split: two XZEROs around a VAL.
pub(crate) const MOST_OPCODES: usize = 5;

/// Reserves `more` bytes: the capacity grows by an eighth and a little, so that many small sketches waste little.
pub(crate) fn grow(bytes: &mut Vec<u8>, more: usize) {
    if bytes.capacity() - bytes.len() < more {
        bytes.reserve_exact((bytes.len() / 8).max(16).max(more));
    }
}

/// Bytes from the opcode before a change on that include all opcodes that may be joined.
const WINDOW: usize = 16;

/// Whether two neighbours among the first ten bytes may be VALs of one value. The opcodes of the window start in the
/// first nine: before the last of them lie at most four of two bytes each.
#[inline]
fn may_join(bytes: u128) -> bool {
    /// In each byte 1.
    const ONES: u128 = u128::MAX / 0xff;
    let both_vals = bytes & bytes >> 8 & (ONES << 7);
    let values_differ = ((bytes ^ bytes >> 8) & (ONES * 0x7c)) + ONES * 0x7f;
    both_vals & !values_differ & ((1 << (8 * 9)) - 1) != 0
}

/// Joins VALs of one value among the opcodes from `at` on.
fn join(bytes: &mut Vec<u8>, mut at: usize) {
    let mut left = JOIN_WINDOW;
    while left > 0 {
        left -= 1;
        let Some(run) = opcode::decode(bytes.get(at..).unwrap_or_default()) else { return };
        if run.value > 0
            && let Some(next) = opcode::decode(&bytes[at + 1..])
            && next.value == run.value
            && next.span + run.span <= VAL_MAX_RUN
        {
            bytes[at] = opcode::val(run.value, run.span + next.span);
            bytes.remove(at + 1);
        } else {
            at += run.len;
        }
    }
}

/// Updates in ascending order of registers; each scan continues near the previous one.
pub(crate) struct Cursor {
    /// At least two opcodes before the last update, or the start: an update changes nothing before `prev`, so this
    /// stays an opcode boundary, and a later register lies beyond it, so the scan from it reaches the opcode before the
    /// register's.
    anchor: Spot,
}

impl Cursor {
    pub(crate) const fn new() -> Self {
        Self { anchor: Spot::START }
    }

    /// As [`update`], for a register above all before.
    pub(crate) fn update(
        &mut self,
        bytes: &mut Vec<u8>,
        register: u16,
        rank: u8,
        max_bytes: usize,
    ) -> Result<Update, DecodeError> {
        let mut trail = [Spot::START; 2];
        let mut spot = self.anchor;
        loop {
            let Some(run) = opcode::decode(bytes.get(spot.at..).unwrap_or_default()) else {
                return Err(no_opcode(bytes, spot));
            };
            let next = spot.first + run.span;
            if u32::from(register) < next {
                [self.anchor, _] = trail;
                return Ok(update(bytes, spot, run, register, rank, max_bytes));
            }
            trail = [trail[1], spot];
            spot = Spot { at: spot.at + run.len, first: next, prev: spot.at };
        }
    }
}
