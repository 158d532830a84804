#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! Most sets of integers are small, and their members have similar magnitudes. A sorted array of fixed-width members
//! has no overhead per member, is searched fast, and is its own file format: the bytes of [`IntSet::as_bytes`] are what
//! Redis has in memory, in its snapshots and in DUMP payloads.
//!
//! ## Representation
//!
//! ```text
//!   0         4         8         8+w       8+2w            all integers little-endian
//!   +---------+---------+---------+---------+-----
//!   | width w | count n | m[0]    | m[1]    | ...            w: 2, 4 or 8 bytes a member, see Width
//!   +---------+---------+---------+---------+-----            m: two's complement, strictly increasing
//! ```
//!
//! The blob is the value. [`IntSet`] owns it and changes it in place. The type itself takes two words, and a new set
//! has no heap memory.
//!
//! ## Transitions
//!
//! The width is that of the widest value that was ever inserted. A value that needs a greater width widens all members;
//! it lies outside the old range, so it is stored at one of the ends. Widths never shrink, as in Redis: otherwise a
//! wide member that is repeatedly inserted and removed would rewrite the set each time. So equal sets may have
//! different blobs; `==` and hashes compare the members.
//!
//! ## Worked example
//!
//! ```
//! use intset::{IntSet, Width};
//!
//! let mut set = IntSet::from_iter([300, 1, 2]);
//! assert_eq!(set.as_bytes(), [2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2, 0, 0x2c, 1]);
//!
//! set.insert(40_000); // beyond 16 bits
//! assert_eq!(set.width(), Width::W32);
//! assert_eq!(
//!     set.as_bytes(),
//!     [4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0x2c, 1, 0, 0, 0x40, 0x9c, 0, 0]
//! );
//! ```
//!
//! ## Size
//!
//! Bytes of a blob, header included (`cargo test -p tallis-intset` verifies the table):
//!
//! | members | 16 bits | 32 bits | 64 bits |
//! |--------:|--------:|--------:|--------:|
//! |       0 |       8 |       8 |       8 |
//! |       1 |      10 |      12 |      16 |
//! |     122 |     252 |     496 |     984 |
//! |     512 |   1,032 |   2,056 |   4,104 |
//!
//! A set that grows by single insertions has slack: less than a forty-eighth of the blob or 16 bytes, whichever is
//! more. One that shrinks has less than twice as much. [`IntSet::from_sorted`], `collect` and `clone` make sets without
//! slack, and [`IntSet::shrink_to_fit`] releases it. [`IntSet::heap_bytes`] includes it.
//!
//! ## Complexity
//!
//! n members, m of another set or batch:
//!
//! | operation | time |
//! |---|---|
//! | [`len`](IntSet::len), [`get`](IntSet::get), [`first`](IntSet::first), [`last`](IntSet::last), [`random_member`](IntSet::random_member), [`as_bytes`](IntSet::as_bytes) | O(1) |
//! | [`contains`](IntSet::contains), [`rank`](IntSet::rank), [`count_below`](IntSet::count_below) | O(log n); in a few steps where members are spread evenly |
//! | [`insert`](IntSet::insert), [`remove`](IntSet::remove) | O(log n) to find, O(n) to move |
//! | `extend` | O(n + m log m) |
//! | [`union`](IntSet::union), `&a \| &b` | O(n + m) |
//! | [`intersection`](IntSet::intersection), `&a & &b`, [`difference`](IntSet::difference), `&a - &b` | O(n + m), or galloping where sizes differ much |
//!
//! ## Less memory
//!
//! The module [`compact`] has a second encoding of the same set, for members that share their high bits. It takes two
//! thirds of the bytes and is not one of Redis's.
//!
//! ## References
//!
//! * Redis's description of the encoding: <https://redis.io/docs/latest/develop/use/patterns/memory-optimization/>
//! * W. W. Peterson, "Addressing for Random-Access Storage", IBM Journal 1(2), 1957: searching by interpolation.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![expect(
    clippy::inline_always,
    reason = "the public operations are compiled once and called; their parts must be inlined into them"
)]

extern crate alloc;

mod algebra;
mod build;
mod codec;
pub mod compact;
mod growth;
mod iter;
mod ops;
mod search;
#[cfg(feature = "serde")]
mod serde;
mod set;
mod slot;
mod traits;
mod width;

pub use algebra::{Count, Each, Sink};
pub use build::OrderError;
pub use codec::{DecodeError, Validation, validate};
pub use compact::{Compact, CompactError, CompactIter, Prefix, Refused};
pub use iter::{IntoIter, Iter};
pub use set::IntSet;
pub use width::Width;
