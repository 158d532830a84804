#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A pointer, a length and a heap block cost more than a short string itself. Entries one after the other in a blob
//! have an overhead of two bytes each, an integer takes only the bytes that its value needs, and a few cache lines are
//! searched faster than a hash table. The blob is its own file format: the bytes of [`ListPack::as_bytes`] are what
//! Redis has in memory, in its snapshots and in DUMP payloads, for small sets (7.2 and later), hashes, sorted sets, and
//! the nodes of its lists.
//!
//! ## Representation
//!
//! ```text
//!   0         4         6                                        all integers little-endian, unless marked
//!   +---------+---------+---------+---------+-----+------+
//!   | bytes   | count n | e[0]    | e[1]    | ... | 0xff |     bytes: of the whole blob
//!   +---------+---------+---------+---------+-----+------+     count: 65535 stands for "not known"
//!
//!   one entry, e[i]:
//!   +-----+--------------+-----------------------+
//!   | tag | length, data | length of those two   |              the last: 1 to 5 bytes, 7 bits each, the highest
//!   +-----+--------------+-----------------------+              first, all but the first marked with 0x80
//! ```
//!
//! | tag | what follows | entry | bytes in total |
//! |---|---|---|---:|
//! | `0vvvvvvv` | | integer, 0 to 127 | 2 |
//! | `10llllll` | text | string of up to 63 bytes | 2 + text |
//! | `110vvvvv` | `vvvvvvvv`, the low bits | integer of 13 bits | 3 |
//! | `1110llll` | `llllllll`, the low bits; text | string of up to 4,095 bytes | 3 or 4 + text |
//! | `f0` | length, 32 bits; text | string | 7 to 10 + text |
//! | `f1` | 16 bits | integer | 4 |
//! | `f2` | 24 bits | integer | 5 |
//! | `f3` | 32 bits | integer | 6 |
//! | `f4` | 64 bits | integer | 10 |
//!
//! The length at the end is for reading backwards. Its limits are 127, 16,382, 2,097,150 and 268,435,454: from the
//! second on, one less than its bits allow, as in Redis.
//!
//! The blob is the value. [`ListPack`] owns it and changes it in place. The type itself takes two words, and a new list
//! has no heap memory.
//!
//! ## Transitions
//!
//! * **Integer or string.** Bytes that are the canonical decimal text of an `i64` are stored as an integer in the
//!   narrowest encoding, all others as a string: `007`, `-0` and `+1` are strings. `==` and [`ListPack::find`] compare
//!   the text of an entry, not its encoding, because a blob from another source may have encodings that are not the
//!   narrowest. Such a blob is not changed.
//! * **Counted or not.** From 65,535 entries on, the header has no count. Deleting entries does not restore it;
//!   [`ListPack::settle_count`] does, as Redis does whenever it needs the length of a list.
//!
//! ## Worked example
//!
//! ```
//! use listpack::{Entry, ListPack};
//!
//! let mut list = ListPack::new();
//! list.push_back("abc")?;
//! list.push_back("300")?; // 13 bits
//! list.push_front(-70_000)?; // 24 bits
//! assert_eq!(
//!     list.as_bytes(),
//!     [
//!         20, 0, 0, 0, 3, 0, // 20 bytes, 3 entries
//!         0xf2, 0x90, 0xee, 0xfe, 4, // -70000
//!         0x83, b'a', b'b', b'c', 4, // "abc"
//!         0xc1, 0x2c, 2, // 300
//!         0xff,
//!     ]
//! );
//!
//! let at = list.find("abc").expect("it was added");
//! assert_eq!((at.offset(), list.next(at)), (11, list.last()));
//! list.replace(at, "5")?;
//! assert!(!list.delete(list.end()) && list.delete(at));
//! assert!(list.iter().rev().eq([Entry::Int(300), Entry::Int(-70_000)]));
//! # Ok::<(), listpack::Refused>(())
//! ```
//!
//! ## Size
//!
//! 7 bytes and those of the entries: 2 for `7`, 3 for `-7` and `4095`, 4 for `32767`, 5 for `-8388608`, 6 for
//! `2147483647`, 10 for `1700000000000`, 8 for `member` (`cargo test -p tallis-listpack` verifies these).
//!
//! A list that grows has slack: less than a sixteenth of the blob or 16 bytes, whichever is more. One that shrinks has
//! less than twice as much. [`ListPack::shrink_to_fit`] releases it, and `clone` makes a list without it.
//! [`ListPack::heap_bytes`] includes it.
//!
//! ## Complexity
//!
//! n entries:
//!
//! | operation | time |
//! |---|---|
//! | [`first`](ListPack::first), [`last`](ListPack::last), [`next`](ListPack::next), [`prev`](ListPack::prev), [`entry`](ListPack::entry), [`as_bytes`](ListPack::as_bytes) | O(1) |
//! | [`len`](ListPack::len) | O(1) if the header has the count, else O(n) |
//! | [`find`](ListPack::find), [`find_from`](ListPack::find_from) | O(n) |
//! | [`get`](ListPack::get), [`seek`](ListPack::seek), [`get_back`](ListPack::get_back), [`seek_back`](ListPack::seek_back) | O(n), from the nearer end |
//! | [`push_back`](ListPack::push_back) | O(1) amortized |
//! | [`insert`](ListPack::insert), [`replace`](ListPack::replace), [`delete`](ListPack::delete) | O(n) to move the entries behind |
//! | [`remove`](ListPack::remove), [`remove_back`](ListPack::remove_back), [`retain`](ListPack::retain), [`delete_run`](ListPack::delete_run) | O(n), in one pass |
//! | [`append`](ListPack::append), [`split_off`](ListPack::split_off) | O(n) of what moves |
//!
//! ## References
//!
//! * The author's specification of the format: <https://github.com/antirez/listpack/blob/master/listpack.md>
//! * Redis's description of the encoding: <https://redis.io/docs/latest/develop/use/patterns/memory-optimization/>
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![expect(
    clippy::inline_always,
    reason = "the public operations are compiled once and called; their parts must be inlined into them"
)]

extern crate alloc;

mod change;
mod codec;
mod decode;
mod encode;
mod entry;
mod growth;
mod iter;
mod join;
mod list;
mod remove;
mod room;
mod search;
#[cfg(feature = "serde")]
mod serde;
mod traits;

pub use change::{MAX_BYTES, Refused};
pub use codec::{DecodeError, Validation, validate};
pub use entry::{Entry, parse_int};
pub use iter::Iter;
pub use list::{ListPack, Position};
