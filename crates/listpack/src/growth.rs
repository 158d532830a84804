//! The capacity of a blob of a given size.

/// Capacities are 8 below a multiple of this.
///
/// glibc allocates chunks of a multiple of 16 bytes, with a header of 8, so 24, 40, 56, ... bytes fit a chunk without
/// waste. Other allocators lose at most 8 bytes by it.
const GRAIN: usize = 16;
const CHUNK_OVERHEAD: usize = 8;

/// A step is at most this part of the blob, so that a long list does not reallocate at every entry. Lists of a set stay
/// below nine kilobytes, where slack that is kept in every list costs more than a reallocation now and then.
const STEP_DIVISOR: usize = 16;

/// The distance between capacities about `used` bytes: a power of two, of a grain at least and a
/// [`STEP_DIVISOR`]th of the blob at most.
const fn step(used: usize) -> usize {
    let part = used / STEP_DIVISOR;
    if part <= GRAIN { GRAIN } else { 1 << part.ilog2() }
}

/// The capacity, in bytes, for a blob of `used` bytes that grows.
pub(crate) const fn capacity_for(used: usize) -> usize {
    (used + CHUNK_OVERHEAD).next_multiple_of(step(used)) - CHUNK_OVERHEAD
}

/// The capacity to shrink to, if `capacity` is too much for a blob of `used` bytes.
///
/// Two steps must be idle, so that a short entry that is added and removed by turns moves nothing. The step is the
/// capacity's, which is the wider where the two differ.
pub(crate) const fn shrunk(capacity: usize, used: usize) -> Option<usize> {
    if capacity - used >= 2 * step(capacity) { Some(capacity_for(used)) } else { None }
}

/// Whether at most half of the capacity is used.
pub(crate) const fn is_half_idle(capacity: usize, used: usize) -> bool {
    used <= capacity / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_fill_chunks_and_steps_widen_with_the_blob() {
        let table = [(7, 8), (8, 8), (9, 24), (24, 24), (25, 40), (500, 504), (505, 520)];
        let wider = [(985, 1_016), (1_024, 1_080), (8_192, 8_696), (1 << 20, 1_114_104)];
        for (used, capacity) in table.into_iter().chain(wider) {
            assert_eq!(capacity_for(used), capacity, "{used}");
        }
    }

    #[test]
    fn two_idle_steps_shrink_and_one_does_not() {
        assert_eq!(shrunk(504, 488), None);
        assert_eq!(shrunk(504, 472), Some(472));
        assert_eq!(shrunk(504, 504), None);
    }

    #[test]
    fn a_short_entry_that_comes_and_goes_moves_nothing() {
        for used in 24..100_000 {
            let capacity = capacity_for(used);
            assert_eq!(shrunk(capacity, used), None);
            assert_eq!(shrunk(capacity, used - 8), None, "{used}");
        }
    }
}
