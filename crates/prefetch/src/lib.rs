//! Asks for cache lines before they are read, so that many cache misses overlap.
//!
//! # Idea
//!
//! A look-up that misses the caches waits some 80 ns for memory, and the next one waits again. A processor has room for
//! one or two dozen outstanding misses, but it runs ahead of a load that misses only until its window of a few hundred
//! instructions is full. A prefetch instruction leaves that window at once. So a batch goes in stages: it asks for the
//! first line of every look-up, then reads those and asks for the second line of each, and so on.
//!
//! A prefetch changes no value and cannot fault. On x86-64 it is the instruction `prefetcht0`, of the crate `safe_arch`;
//! elsewhere nothing is done.
//!
//! # Example
//!
//! ```
//! let lines = vec![7_u64; 1000];
//! let wanted = [3, 900, 512];
//! for at in wanted {
//!     prefetch::value(&lines[at]);
//! }
//! assert_eq!(wanted.map(|at| lines[at]).iter().sum::<u64>(), 21);
//! ```
//!
//! # Complexity
//!
//! O(1), one instruction.
//!
//! The crate is `no_std` and does not allocate.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Asks for the cache line in which a value begins, and does not wait for it.
///
/// ```
/// let number = Box::new(7);
/// prefetch::value(&*number);
/// assert_eq!(*number, 7);
/// ```
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call costs more than the instruction")]
pub fn value<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Asks for the cache line of the byte at a position, if there is one, and does not wait for it.
///
/// ```
/// let bytes = [7; 100];
/// prefetch::byte(&bytes, 99);
/// prefetch::byte(&bytes, usize::MAX);
/// assert_eq!(bytes, [7; 100]);
/// ```
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call costs more than the instruction")]
pub fn byte(bytes: &[u8], at: usize) {
    if let Some(byte) = bytes.get(at) {
        value(byte);
    }
}
