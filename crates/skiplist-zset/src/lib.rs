#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A sorted set has two kinds of queries: for the score of a member, and for the members in a part of the order. Redis
//! uses a dictionary and a skip list, whose nodes take about 110 bytes per member and cause a cache miss at every step.
//! Here a member is one record of its bytes and its score; a hash index and a skip list refer to records by 32-bit
//! names, and both consist of cache lines rather than nodes. Small sets are one listpack, byte for byte Redis's.
//!
//! ## Representation
//!
//! ```text
//! small     listpack: | member | score | member | score | ...      lowest score first, ties by the members' bytes
//!
//! large     index     hash of a member -> record                   lines of 12 tags and 12 names: module index
//!           towers    runs of (score, child, span)                 one run a level: module tower
//!           blocks    up to 64 entries: prefix of the score, place module block
//!           records   | score | length | member |                  a heap of up to 2 KiB for each block: module records
//! ```
//!
//! * The order is that of Redis: by score, then by the members' bytes. `-0` equals `0`, infinities are scores, NaN is
//!   [refused](Refused::NotANumber).
//! * The *span* of an entry in a tower is the number of members below it, so ranks are sums of spans.
//! * The heights of the towers come from an RNG that is seeded by the hasher: with a fixed hasher, the structure is
//!   reproducible.
//!
//! ## Transitions
//!
//! A listpack becomes a skip list when a member would exceed the [`Limits`] in number or length, and does not turn back
//! by itself; [`ZSet::fit`] chooses the encoding again. A member with a changed score stays in its position if the
//! order still holds.
//!
//! ## Worked example
//!
//! ```
//! use skiplist_zset::{Encoding, Limits, ZSet};
//!
//! let limits = Limits { entries: 2, ..Limits::default() };
//! let mut set: ZSet = ZSet::new();
//! set.add("b", 1.5, &limits)?;
//! set.add("a", 1.5, &limits)?;
//! assert_eq!(
//!     set.as_listpack().expect("two members").as_bytes(),
//!     *b"\x17\0\0\0\x04\0\x81a\x02\x831.5\x04\x81b\x02\x831.5\x04\xff"
//! );
//!
//! set.add("c", f64::NEG_INFINITY, &limits)?;
//! assert_eq!(set.encoding(), Encoding::SkipList);
//! assert_eq!((set.rank("c"), set.rev_rank("b")), (Some(0), Some(0)));
//! assert_eq!(set.ranks_by_score(1.0..), 1..3);
//! let highest = set.iter().rev().map(|(member, _)| member.to_vec());
//! assert!(highest.eq([b"b", b"a", b"c"]));
//! # Ok::<(), skiplist_zset::Refused>(())
//! ```
//!
//! ## Size
//!
//! The 46 bytes of a member of 16 bytes are a record of 26 with two of slack, about 8 in the index, 7 in a block that
//! is two thirds full, and the towers. A removed member leaves a hole, which a new member of the same size fills. A
//! heap that is mostly holes is rebuilt, and the whole set when less than a quarter of the index, or of the blocks, is
//! in use. [`ZSet::heap_bytes`] includes all of it.
//!
//! ## Complexity
//!
//! n members; k of them returned or removed. Expected values, over the heights of the towers and the hash:
//!
//! | operation | time |
//! |---|---|
//! | [`score`](ZSet::score), [`len`](ZSet::len) | O(1) |
//! | [`add`](ZSet::add), [`incr`](ZSet::incr), [`remove`](ZSet::remove), [`rank`](ZSet::rank), [`get`](ZSet::get) | O(log n) |
//! | [`ranks_by_score`](ZSet::ranks_by_score), [`ranks_by_lex`](ZSet::ranks_by_lex) | O(log n) |
//! | [`range`](ZSet::range), [`by_score`](ZSet::by_score), [`pick`](ZSet::pick) | O(log n + k) |
//! | [`remove_range`](ZSet::remove_range) | O(log n + k), at most O(n) |
//! | [`from_entries`](ZSet::from_entries) | O(n) for ascending or descending input, else O(n log n) |
//! | any operation on a listpack | O(n) |
//!
//! ## References
//!
//! * Redis's description of the type: <https://redis.io/docs/latest/develop/data-types/sorted-sets/>
//! * William Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", Communications of the ACM 33(6), 1990.
#![forbid(unsafe_code)]
#![expect(clippy::float_cmp, reason = "scores are compared as Redis compares them")]

mod block;
mod build;
mod by_score;
mod codec;
mod error;
mod grisu;
mod index;
mod iter;
mod large;
mod limits;
mod pick;
mod records;
mod scan;
mod score;
#[cfg(feature = "serde")]
mod serde;
mod set;
mod small;
mod tower;

pub use by_score::ByScore;
pub use error::{BuildError, DecodeError, Refused};
pub use iter::Iter;
pub use limits::Limits;
pub use listpack::Entry;
pub use scan::Bucket;
pub use score::ScoreText;
pub use set::{Change, Encoding, ZSet};
