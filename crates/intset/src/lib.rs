//! A set of `i64` kept as one sorted array of the narrowest width that fits: Redis's intset, byte for byte.
//!
//! # Idea
//!
//! Most sets of integers are small, and their members are of a kind. A sorted array of fixed-width members has no
//! overhead per member, is searched in a few nanoseconds, and is its own file format: what [`IntSet::as_bytes`] lends
//! is what Redis keeps in memory, in its snapshots and in DUMP.
//!
//! # Representation
//!
//! ```text
//!   0         4         8         8+w       8+2w            all integers little-endian
//!   +---------+---------+---------+---------+-----
//!   | width w | count n | m[0]    | m[1]    | ...            w: 2, 4 or 8 bytes a member, see Width
//!   +---------+---------+---------+---------+-----            m: two's complement, strictly increasing
//! ```
//!
//! The blob is the value. [`IntSet`] owns it and works on it in place; it takes two words itself, and holds no heap
//! memory while it is new.
//!
//! # Transitions
//!
//! The width is that of the widest value that was ever inserted. A value that needs a greater one widens all members;
//! it lies outside the old range, and so goes to one of the ends. Widths never shrink, as in Redis: a member that comes
//! and goes at the edge would otherwise rewrite the set each time. So equal sets may have different blobs; `==` and
//! hashes go by the members.
//!
//! # Worked example
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
//! # Size
//!
//! Bytes of a blob, header included; the crate's tests hold the table to it.
//!
//! | members | 16 bits | 32 bits | 64 bits |
//! |--------:|--------:|--------:|--------:|
//! |       0 |       8 |       8 |       8 |
//! |       1 |      10 |      12 |      16 |
//! |     122 |     252 |     496 |     984 |
//! |     512 |   1,032 |   2,056 |   4,104 |
//!
//! A set that grows one by one has slack, less than a forty-eighth of the blob or 16 bytes, whichever is more; one that
//! shrinks, less than twice as much. [`IntSet::from_sorted`], `collect` and `clone` make sets without slack, and
//! [`IntSet::shrink_to_fit`] takes it away. [`IntSet::heap_bytes`] shows it.
//!
//! # Complexity
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
//! # Limits
//!
//! * The header counts members in 32 bits; an insertion beyond that panics. Redis leaves this encoding at 512 members
//!   (`set-max-intset-entries`); that limit is for the owner of the set to keep.
//! * The time of an insertion is that of moving half of the set: some tens of nanoseconds at 512 members, microseconds
//!   at 100,000.
//!
//! # Less memory
//!
//! [`compact`] has a second form of the same set, for members that share their high bits. It is not Redis's, and takes
//! two thirds of the bytes.
//!
//! # References
//!
//! * Redis's description of the encoding: <https://redis.io/docs/latest/develop/use/patterns/memory-optimization/>
//! * W. W. Peterson, "Addressing for Random-Access Storage", IBM Journal 1(2), 1957: searching by interpolation.
//!
//! The crate is `no_std` and allocates.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![expect(
    clippy::inline_always,
    reason = "the public operations are compiled once and called; their parts must not become further calls"
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
