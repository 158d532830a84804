//! The bytes of the records of one block.

use super::{HEAP_MAX, UNIT, in_16};

/// A heap that grows reserves an eighth more than it needs, and at least this.
const SLACK: usize = 64;
/// The number of holes that are tried for one of the right size.
const HOLES_TRIED: usize = 4;
/// No hole: no record begins so late.
pub(super) const NO_HOLE: u16 = u16::MAX;

/// The records of a block.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    pub(super) bytes: Box<[u8]>,
    /// The bytes in use, holes included.
    pub(super) used: u16,
    /// Bytes of holes.
    pub(super) dead: u16,
    /// The first hole, in units.
    pub(super) hole: u16,
}

impl Heap {
    pub(super) fn new() -> Self {
        Self { bytes: Box::default(), used: 0, dead: 0, hole: NO_HOLE }
    }

    /// The next hole and the size of this one, in units.
    pub(super) fn hole_at(&self, at: u16) -> (u16, u16) {
        let [a, b, c, d] = *self.bytes[usize::from(at) * UNIT..].first_chunk().unwrap_or(&[0; 4]);
        (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]))
    }

    pub(super) fn set_hole(&mut self, at: u16, next: u16, units: u16) {
        let [a, b] = next.to_le_bytes();
        let [c, d] = units.to_le_bytes();
        let at = usize::from(at) * UNIT;
        self.bytes[at..at + 4].copy_from_slice(&[a, b, c, d]);
    }

    /// A hole of this size, and the previous one in the list.
    pub(super) fn fitting(&self, size: usize) -> Option<(u16, u16)> {
        let (mut before, mut at) = (NO_HOLE, self.hole);
        for _ in 0..HOLES_TRIED {
            if at == NO_HOLE {
                return None;
            }
            let (next, units) = self.hole_at(at);
            if usize::from(units) * UNIT == size {
                return Some((before, at));
            }
            (before, at) = (at, next);
        }
        None
    }

    /// Prefetches the positions where a record may be added: the first hole, and the end of all records.
    #[inline]
    pub(super) fn prefetch_room(&self) {
        prefetch::byte(&self.bytes, usize::from(self.hole) * UNIT);
        prefetch::byte(&self.bytes, usize::from(self.used));
    }

    /// Returns the position for a record.
    pub(super) fn take(&mut self, size: usize) -> usize {
        if let Some((before, at)) = self.fitting(size) {
            let (next, _) = self.hole_at(at);
            if before == NO_HOLE {
                self.hole = next;
            } else {
                let (_, units) = self.hole_at(before);
                self.set_hole(before, next, units);
            }
            self.dead -= in_16(size);
            return usize::from(at) * UNIT;
        }
        let at = usize::from(self.used);
        if at + size > self.bytes.len() {
            let mut bytes = std::mem::take(&mut self.bytes).into_vec();
            let room = room_for(at + size);
            bytes.reserve_exact(room - bytes.len());
            bytes.resize(room, 0);
            self.bytes = bytes.into_boxed_slice();
        }
        self.used += in_16(size);
        at
    }

    pub(super) fn give_back(&mut self, at: usize, size: usize) {
        if at + size == usize::from(self.used) {
            self.used -= in_16(size);
            return;
        }
        let place = in_16(at / UNIT);
        self.set_hole(place, self.hole, in_16(size / UNIT));
        self.hole = place;
        self.dead += in_16(size);
    }
}

/// The capacity of a heap for this many bytes.
pub(super) fn room_for(used: usize) -> usize {
    (used + (used / 8).max(SLACK)).next_multiple_of(UNIT).min(HEAP_MAX)
}
