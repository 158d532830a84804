//! Bitmaps, bit fields and fixed-width packed records over a byte string, in Redis's bit order.
//!
//! # Idea
//!
//! A fact that takes one bit, or a few, about each of many numbered things needs no keys: the number is the place.
//! Redis keeps such facts in a plain string value, which GET returns and SETRANGE patches, and gives it three sets of
//! operations: on bits, on numbers of some bits, and on ranges of bytes. This crate has all three over any byte string
//! of any owner.
//!
//! | what | where | Redis |
//! |---|---|---|
//! | bits: get, set, count, find, combine, iterate | [`bits`], [`Bits`], [`Bitmap`] | SETBIT GETBIT BITCOUNT BITPOS BITOP |
//! | numbers of 1 to 64 bits at any bit | [`bitfield`] | BITFIELD |
//! | records of 1 to 8 bytes, and how often each occurs | [`packed`] | SETRANGE GETRANGE, as in "Redis in Action", 9.2.3 |
//!
//! # Representation
//!
//! The string is the value. Bit 0 is the high bit of byte 0, so that the bits of a number stand in the order in which
//! they are written, and bytes after the end count as zeros.
//!
//! ```text
//! byte    0                 1                 2
//!        +-----------------+-----------------+-----
//!        | 0 1 2 3 4 5 6 7 | 8 9 . . . . . 15| ...        bit offsets
//!        +-----------------+-----------------+-----
//! ```
//!
//! Everything works on `&[u8]` or `&mut [u8]`, so that a store may keep its strings as it likes: reading beyond the end
//! gives zeros, writing beyond it is a mistake of the caller, who makes the string longer first ([`bits::bytes_for`],
//! [`FieldType::bytes_for`](bitfield::FieldType::bytes_for)). [`Bitmap`] and [`Packed`](packed::Packed) own their bytes
//! and grow by themselves.
//!
//! # Worked example
//!
//! ```
//! use bitpack::bits::{self, Op};
//! use bitpack::{Bitmap, bitfield::{FieldType, Overflow}};
//!
//! // Who was there on two days?
//! let monday: Bitmap = [1, 4, 15].into_iter().collect();
//! let tuesday: Bitmap = [4, 5].into_iter().collect();
//! assert_eq!(monday.as_bytes(), [0b0100_1000, 0b0000_0001]);
//! let mut both = Vec::new();
//! bits::combine(Op::And, &[monday.as_bytes(), tuesday.as_bytes()], &mut both)?;
//! assert!(bits::ones(&both).eq([4]));
//!
//! // Counters of four bits that stop at 15.
//! let mut counters = Bitmap::new();
//! let u4 = FieldType::unsigned(4)?;
//! let third = u4.nth(2).unwrap();
//! assert_eq!(counters.add_field(u4, third, 9, Overflow::Sat), Some(9));
//! assert_eq!(counters.add_field(u4, third, 9, Overflow::Sat), Some(15));
//! assert_eq!(counters.as_bytes(), [0x00, 0xf0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Complexity
//!
//! | operation | time |
//! |---|---|
//! | a bit, a field, a record | O(1) |
//! | [`bits::count()`], [`bits::position`], [`bits::combine()`], skipping zeros in [`bits::ones`] | O(n), about as fast as memory is read; n bytes |
//! | [`bits::ones`], [`bits::runs`] | O(n) and O(1) for each |
//! | [`packed::Histogram::add`] | O(n), about a nanosecond a record or less where it has one or two bytes |
//!
//! Loops over whole strings run on AVX-512 (VPOPCNTDQ) or AVX2 where the processor has them, chosen once while running.
//! Combinations of large strings store past the caches, which spares reading what is about to be overwritten.
//!
//! # Limits
//!
//! * An owned string grows to wherever it is written: the caller bounds offsets that come from others first. Redis's
//!   bound is `proto-max-bulk-len`, 512 MiB.
//! * A bitmap of few bits far apart is mostly zeros; a set of numbers is smaller then.
//!
//! # References
//!
//! * W. Mula, N. Kurz, D. Lemire: Faster population counts using AVX2 instructions, The Computer Journal 61(1), 2018.
//! * J. L. Carlson: Redis in Action, 2013, 9.2.3: packed locations.
//! * Redis's descriptions of the commands: <https://redis.io/docs/latest/commands/bitfield/>,
//!   <https://redis.io/docs/latest/commands/bitop/>
//!
//! # Features
//!
//! `std`, on by default, asks the processor while running which vector instructions it has. Without it the crate is
//! `no_std` and allocates, and the build says which there are (`-C target-feature=+avx2`).
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
