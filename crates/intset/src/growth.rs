//! The capacity of a blob of a given size.

use alloc::boxed::Box;

use crate::codec::HEADER;

/// Capacities are 8 below a multiple of this.
///
/// glibc allocates chunks of a multiple of 16 bytes, with a header of 8, so 24, 40, 56, ... bytes fit a chunk without
/// waste. With other allocators it wastes at most 8 bytes.
const GRAIN: usize = 16;
const CHUNK_OVERHEAD: usize = 8;

/// How large the steps are in which a kind of blob grows.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    /// A step is at most this part of the blob.
    divisor: usize,
}

/// Chosen for 8-byte members that come one by one: a step of 16 bytes costs a reallocation every other insertion, while
/// slack counts in every set that is kept. Below 1.5 KB, where the shards of a large set are, steps are 16 bytes; up to
/// 512 members a greater divisor takes ever more reallocations and saves hardly any memory, and a divisor of 16 has
/// more than twice the slack.
pub(crate) const INTSET: Steps = Steps { divisor: 48 };

/// Members take two thirds of the bytes here, so that steps of 16 bytes would cost a reallocation every third
/// insertion. A divisor of 12 saves a twentieth of the instructions of an insertion, and costs 0.03 to 0.05 bytes a
/// member.
pub(crate) const COMPACT: Steps = Steps { divisor: 20 };

impl Steps {
    /// The distance between capacities about `used` bytes: a power of two, of a grain at least and a part of the blob
    /// at most.
    const fn step(self, used: usize) -> usize {
        let part = used / self.divisor;
        if part <= GRAIN { GRAIN } else { 1 << part.ilog2() }
    }

    /// The capacity, in bytes, for a blob of `used` bytes that grows.
    pub(crate) const fn capacity_for(self, used: usize) -> usize {
        (used + CHUNK_OVERHEAD).next_multiple_of(self.step(used)) - CHUNK_OVERHEAD
    }

    /// The capacity to shrink to, if `capacity` is too much for a blob of `used` bytes.
    ///
    /// Two steps must be idle, so that after each change of capacity at least a step's worth of members comes or goes
    /// before the next: a member that is added and removed by turns moves nothing. The step is the capacity's, which is
    /// the wider where the two differ.
    pub(crate) const fn shrunk(self, capacity: usize, used: usize) -> Option<usize> {
        if capacity - used >= 2 * self.step(capacity) {
            Some(self.capacity_for(used))
        } else {
            None
        }
    }
}

/// The bytes of `blob` in a box of exactly `capacity`, in place where the allocator can, with zeros behind them.
pub(crate) fn reallocated(blob: Box<[u8]>, capacity: usize) -> Box<[u8]> {
    let mut blob = blob.into_vec();
    blob.reserve_exact(capacity.saturating_sub(blob.len()));
    blob.resize(capacity, 0);
    blob.into_boxed_slice()
}

const _: () = assert!(INTSET.capacity_for(HEADER) == 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_fill_chunks_and_steps_widen_with_the_blob() {
        let table = [(8, 8), (10, 24), (24, 24), (25, 40), (984, 984), (985, 1_000)];
        let wider = [(1_024, 1_032), (1_536, 1_560), (4_104, 4_152), (1 << 20, 1_064_952)];
        for (used, capacity) in table.into_iter().chain(wider) {
            assert_eq!(INTSET.capacity_for(used), capacity, "{used}");
        }
    }

    #[test]
    fn two_idle_steps_shrink_and_one_does_not() {
        assert_eq!(INTSET.shrunk(1_000, 984), None);
        assert_eq!(INTSET.shrunk(1_016, 984), Some(984));
        assert_eq!(INTSET.shrunk(984, 984), None);
    }

    #[test]
    fn a_member_that_comes_and_goes_moves_nothing() {
        for used in (16..100_000).step_by(8) {
            // Right after either change of capacity, with a member more or less.
            let capacity = INTSET.capacity_for(used);
            assert_eq!(INTSET.shrunk(capacity, used), None);
            assert_eq!(INTSET.shrunk(capacity, used - 8), None, "{used}");
        }
    }
}
