#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! One or a few bits about each of many numbered things need no keys: the number gives the position. Redis stores such
//! data in a plain string value, which GET returns and SETRANGE patches, and has three groups of operations on it: on
//! bits, on integers of some bits, and on ranges of bytes. This crate has all three, for any byte string.
//!
//! | what | where | Redis |
//! |---|---|---|
//! | bits: get, set, count, find, combine, iterate | [`bits`], [`Bits`], [`Bitmap`] | SETBIT GETBIT BITCOUNT BITPOS BITOP |
//! | integers of 1 to 64 bits at any bit | [`bitfield`] | BITFIELD |
//! | records of 1 to 8 bytes, and how often each occurs | [`packed`] | SETRANGE GETRANGE, as in "Redis in Action", 9.2.3 |
//!
//! ## Representation
//!
//! The string is the value. Bit 0 is the high bit of byte 0, so the bits of a number are in the order in which they are
//! written. Bytes after the end count as zeros.
//!
//! ```text
//! byte    0                 1                 2
//!        +-----------------+-----------------+-----
//!        | 0 1 2 3 4 5 6 7 | 8 9 . . . . . 15| ...        bit offsets
//!        +-----------------+-----------------+-----
//! ```
//!
//! All functions work on `&[u8]` or `&mut [u8]`, so a store may hold its strings in any type. Reading beyond the end
//! returns zeros. Writing beyond the end panics: the caller extends the string first ([`bits::bytes_for`],
//! [`FieldType::bytes_for`](bitfield::FieldType::bytes_for)). [`Bitmap`] and [`Packed`](packed::Packed) own their bytes
//! and grow as needed.
//!
//! ## Worked example
//!
//! ```
//! use bitpack::Bitmap;
//! use bitpack::bitfield::{FieldType, Overflow};
//!
//! let monday: Bitmap = [1, 4, 15].into_iter().collect();
//! assert_eq!(monday.as_bytes(), [0b0100_1000, 0b0000_0001]);
//!
//! let mut counters = Bitmap::new();
//! let u4 = FieldType::unsigned(4)?;
//! counters.set_field(u4, u4.nth(2).unwrap(), 15, Overflow::Fail);
//! assert_eq!(counters.as_bytes(), [0x00, 0xf0]);
//! # Ok::<(), bitpack::bitfield::FieldTypeError>(())
//! ```
//!
//! ## Complexity
//!
//! | operation | time |
//! |---|---|
//! | a bit, a field or a record | O(1) |
//! | [`bits::count()`], [`bits::position`], [`bits::combine()`], skipping zeros in [`bits::ones`] | O(n) for n bytes, about as fast as memory is read |
//! | [`bits::ones`], [`bits::runs`] | O(n), and O(1) for each bit or run |
//! | [`packed::Histogram::add`] | O(n) |
//!
//! Loops over whole strings use AVX-512 (VPOPCNTDQ) or AVX2 if the CPU has them; the choice is made once, at the first
//! use. Combinations of large strings use non-temporal stores, which avoid reading memory that is about to be
//! overwritten.
//!
//! ## References
//!
//! * W. Mula, N. Kurz, D. Lemire: Faster population counts using AVX2 instructions, The Computer Journal 61(1), 2018.
//! * J. L. Carlson: Redis in Action, 2013, 9.2.3: packed locations.
//! * Redis's descriptions of the commands: <https://redis.io/docs/latest/commands/bitfield/>,
//!   <https://redis.io/docs/latest/commands/bitop/>
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arch;
pub mod bitfield;
mod bitmap;
pub mod bits;
pub mod packed;
#[cfg(feature = "serde")]
mod serde;
mod word;

pub use bitmap::Bitmap;
pub use bits::Bits;

/// Each implementation of counting that this machine can run, by name, for benchmarks.
#[doc(hidden)]
pub fn count_kernels() -> impl Iterator<Item = (&'static str, fn(&[u8]) -> u64)> {
    arch::available().map(|kernels| (kernels.name, kernels.count))
}
