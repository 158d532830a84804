#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! Lookups one after the other have their cache misses one after the other. A CPU supports one or two dozen
//! outstanding misses, but it executes ahead of a load that misses only until its reorder window of a few hundred
//! instructions is full. A prefetch instruction leaves that window at once. So a batch works in stages: it prefetches
//! the first line of every lookup, then reads these and prefetches the second line of each, and so on.
//!
//! A prefetch changes no value and cannot fault. The instruction comes from the crate `safe_arch`.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

/// Prefetches the cache line in which a value begins, without waiting for it. O(1).
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

/// Prefetches the cache line of the byte at an index, without waiting for it. Does nothing if the index is out of
/// range. O(1).
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
