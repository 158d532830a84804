//! Walking a table a step at a time, while it changes between the steps.
//!
//! # Idea
//!
//! The cursor is a position among all 64-bit hashes, and a step hands over the entries whose hashes lie between two of
//! them. An entry's hash never changes, so an entry that is there from the first step to the last is met exactly once,
//! whatever splits in between. A piece that holds more than a step is to give is passed in parts: the piece is walked
//! for each of them, which is cheap for a few dozen entries and needs no order among them.

use super::{Extendible, Piece};

/// Positions are multiples of this, so that a cursor has 48 bits, which a double holds too.
const GRAIN_BITS: u32 = 16;

/// One step of a walk: what to hand over, and how far it goes.
#[derive(Debug)]
pub(crate) struct Step<'t, P> {
    /// Where the entries are; `None` in an empty table.
    pub(crate) piece: Option<&'t P>,
    part: Part,
}

impl<P> Step<'_, P> {
    /// Whether an entry with this hash belongs to the step.
    #[inline]
    pub(crate) fn covers(&self, hash: u64) -> bool {
        self.part.covers(hash)
    }

    /// Where the next step begins; `None` behind the last hash.
    pub(crate) const fn next(&self) -> Option<u64> {
        self.part.next()
    }
}

/// The hashes of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    from: u64,
    to: Option<u64>,
}

impl Part {
    /// Whether an entry with this hash belongs to the step.
    #[inline]
    pub(crate) fn covers(self, hash: u64) -> bool {
        hash >= self.from && self.to.is_none_or(|to| hash < to)
    }

    /// Where the next step begins; `None` behind the last hash.
    pub(crate) const fn next(self) -> Option<u64> {
        self.to
    }
}

/// The step that begins at a position, where `len` entries whose hashes share their first bits are to be handed over in steps of
/// about `want`.
pub(crate) fn part(position: u64, shared_bits: u32, len: usize, want: usize) -> Part {
    let parts = (len / want.max(1)).max(1);
    let part_bits = (64 - shared_bits).saturating_sub(parts.ilog2());
    // A shift by 64 is the case of all hashes in one part.
    let to = 1_u64
        .checked_shl(part_bits.max(GRAIN_BITS))
        .and_then(|part| (position & !(part - 1)).checked_add(part));
    Part { from: position, to }
}

impl<P: Piece> Extendible<P> {
    /// The step that begins at a position and hands over about `want` entries, or all that are left of the piece.
    pub(crate) fn step(&self, position: u64, want: usize) -> Step<'_, P> {
        let piece = self.piece(position);
        let len = piece.map_or(0, Piece::len);
        Step { piece, part: part(position, self.shared_bits(position), len, want) }
    }
}

/// The cursor that stands for a position.
pub(crate) const fn to_cursor(position: Option<u64>) -> u64 {
    match position {
        Some(position) => position >> GRAIN_BITS,
        None => 0,
    }
}

/// The position that a cursor stands for; `None` for one that was never given out.
pub(crate) const fn from_cursor(cursor: u64) -> Option<u64> {
    if cursor >> (64 - GRAIN_BITS) == 0 { Some(cursor << GRAIN_BITS) } else { None }
}
