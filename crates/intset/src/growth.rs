//! How much memory a blob of a given size gets.

use crate::codec::HEADER;

/// Capacities are 8 below a multiple of this.
///
/// glibc hands out chunks of a multiple of 16 bytes, 8 of which are its own, so that 24, 40, 56, ... bytes fit a chunk
/// without waste. Other allocators lose at most 8 bytes by it.
const GRAIN: usize = 16;
const CHUNK_OVERHEAD: usize = 8;

/// A step is at most this part of the blob.
///
/// Chosen for 8-byte members that come one by one: a step of 16 bytes costs a reallocation every other insertion, while slack counts
/// in every set that is kept. Of the divisors tried, 64 saves little memory at 122 members and takes half as many
/// reallocations again on the way to 512; 16 takes a third fewer, for more than twice the slack.
const STEP_DIVISOR: usize = 32;

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
/// Two steps must be idle, so that after each change of capacity at least a step's worth of members comes or goes before the next: a
/// member that is added and removed by turns moves nothing.
pub(crate) const fn shrunk(capacity: usize, used: usize) -> Option<usize> {
    let fit = capacity_for(used);
    if capacity - used >= 2 * step(used) && fit < capacity { Some(fit) } else { None }
}

const _: () = assert!(capacity_for(HEADER) == 8);
