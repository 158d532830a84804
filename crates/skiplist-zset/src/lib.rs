//! Redis's sorted set: members with scores, in the order of the scores.
//!
//! # Idea
//!
//! A sorted set answers two kinds of questions: what the score of a member is, and which members are at some place of
//! the order. Redis asks a dictionary and a skip list, whose nodes cost about 110 bytes a member and a cache miss at
//! every step. Here a member is one record of its bytes and its score; a hash index and a skip list name the records by
//! 32 bits, and both are made of cache lines rather than of nodes. Small sets are one listpack, byte for byte Redis's.
//!
//! # Representation
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
//! * The *span* of an entry in a tower says how many members are below it, so that ranks are sums of spans.
//! * The heights of the towers are drawn by a generator whose seed the hasher gives: with a hasher that is always the
//!   same, so is the list.
//!
//! # Transitions
//!
//! A listpack becomes a skip list when a member would be too many or too long for the [`Limits`], and never goes back
//! by itself. [`ZSet::fit`] chooses anew. A member that has another score stays where it is if the order holds.
//!
//! # Worked example
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
//! # Size
//!
//! A member of 16 bytes with a random score takes less than 46 bytes: a record of 26 and two of slack, about 8 in the
//! index, 7 in a block that is two thirds full, and the towers. What is removed leaves room that new members of the
//! same size take; a heap that is mostly unused is built anew, and so is all when a quarter of the index, or of the
//! blocks, is in use. [`ZSet::heap_bytes`] shows it.
//!
//! # Complexity
//!
//! n members; k of them listed or removed. Expected, over the heights of the towers and the hash:
//!
//! | operation | time |
//! |---|---|
//! | [`score`](ZSet::score), [`len`](ZSet::len) | O(1) |
//! | [`add`](ZSet::add), [`incr`](ZSet::incr), [`remove`](ZSet::remove), [`rank`](ZSet::rank), [`get`](ZSet::get) | O(log n) |
//! | [`ranks_by_score`](ZSet::ranks_by_score), [`ranks_by_lex`](ZSet::ranks_by_lex) | O(log n) |
//! | [`range`](ZSet::range), [`by_score`](ZSet::by_score), [`pick`](ZSet::pick) | O(log n + k) |
//! | [`remove_range`](ZSet::remove_range) | O(k log n), at most O(n) |
//! | [`from_entries`](ZSet::from_entries) | O(n) in order, either way, else O(n log n) |
//! | a listpack, whatever is asked | O(n) |
//!
//! # Limits
//!
//! * Four million blocks, which are some 180 million members of 16 bytes that came in random order, or fewer longer
//!   ones: beyond, [`Refused::Full`]. A member of 255 bytes or more has an allocation of its own.
//! * The room of index and blocks after most members went is released at once, in O(n) of those that are left.
//!
//! # References
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
