//! A set of `i64` that share their high bits, in little more memory than the information-theoretic minimum.
//!
//! # Idea
//!
//! A million ids that are spread evenly over 60 bits need 5.2 bytes each: 60 bits less 18.6, because a set stores no
//! order. An [`IntSet`](crate::IntSet) takes eight. If ids are divided into shards by their high bits, the ids of a
//! shard share these ([`Prefix`]). Of the remaining bits, the high ones of sorted members grow slowly: they are stored
//! in unary, one or two bits per member, and only the low bits are stored as they are. This is the Elias-Fano code. It
//! is designed for lists that never change; but a shard of some hundred members takes a kilobyte and a half, and moving
//! half of that by one field costs less than a cache miss.
//!
//! It is an encoding for memory, not for exchange: it is written as Redis's intset ([`Compact::write_int_set`]), and
//! never read.
//!
//! # Representation
//!
//! The bits of a member, from the highest: the sign bit inverted (so that the order is that of unsigned numbers), then
//!
//! ```text
//!    64         width                                      0
//!   +------------+---------+----------+---------------------+
//!   |   prefix   |    a    |   hole   |          b          |     all members agree in prefix and hole
//!   +------------+---------+----------+---------------------+
//!     key = a b, the high bits of which name one of 2^k buckets:
//!                 +---------------+-------------------------+
//!                 | bucket: k     |        low bits         |
//!                 +---------------+-------------------------+
//! ```
//!
//! and the blob is, all integers little-endian, bit `i` being bit `i % 8` of byte `i / 8`,
//!
//! ```text
//!   0        8       10      11       12        13      14
//!   +--------+-------+-------+--------+---------+------+-----------+-------------+------------+-----+-------
//!   | base   | count | width | hole   | hole's  | low  | directory | upper bits  | low parts  | pad | slack
//!   |        |   n   |       | begins | length  | bits | 2 bytes   | n + 2^k     | n * low    |  9  |
//!   +--------+-------+-------+--------+---------+------+-----------+-------------+------------+-----+-------
//! ```
//!
//! * *base*: the bits of prefix and hole, zeros elsewhere.
//! * *upper bits*: for each bucket a one for each member and a zero, to whole words. So the member of index `i` in
//!   bucket `q` is the one at bit `i + q`.
//! * *directory*: for every 16 buckets the number of members before them; so they begin at bit `16 * group + before`,
//!   and one load of a word brings them, rarely two.
//! * *low parts*: in the order of the members, so that those of a bucket are found by the number of ones before it.
//! * *pad*: what a load of the last field may touch.
//!
//! [`Compact`] owns the blob. The type itself takes two words.
//!
//! # Transitions
//!
//! The form (the number of buckets and the hole) is chosen again when the buckets would have more than one and a half
//! members on average, or fewer than a quarter, and when a new member does not fit the hole. The number of buckets is
//! the smallest that gives each one and a half members, at least 16, or twice as many if the low parts are then whole
//! bytes, which move faster. So a member that is repeatedly inserted and removed does not change the form. The *hole*
//! is the longest run of bits that all members share. It is searched for among 24 members or more when the form is
//! chosen: among that many, random bits do not agree by chance. It saves the 4 version bits of a UUID of version 4, and
//! most bits of a run of neighbours.
//!
//! A set has at most [`Compact::MOST`] members, which is what the directory can count. A value that does not have the
//! prefix, or is one too many, is [`Refused`] and nothing changes: the owner of the set converts it to another
//! encoding.
//!
//! # Worked example
//!
//! Three members of 8 bits below the prefix; 16 buckets, so that 4 bits are low. The upper bits are 1 1 0 for bucket 0,
//! 0 for each of 1 to 14, and 1 0 for bucket 15.
//!
//! ```
//! use intset::{Compact, Prefix};
//!
//! let set = Compact::from_sorted(Prefix::new(0x1200, 8), [0x1203, 0x1204, 0x12f9])?;
//! let bytes = set.as_bytes();
//! assert_eq!(bytes[..8], 0x8000_0000_0000_1200_u64.to_le_bytes()); // the base, its sign turned over
//! assert_eq!(bytes[8..14], [3, 0, 8, 0, 0, 4]);                     // 3 members of 8 bits, no hole, 4 bits low
//! assert_eq!(bytes[14..16], [0, 0]);                                // no members before the first group
//! assert_eq!(bytes[16..24], [0b0000_0011, 0, 0b0000_0010, 0, 0, 0, 0, 0]);
//! assert_eq!(bytes[24..26], [0x43, 0x09]);                          // low bits 3, 4 and 9
//! # Ok::<(), intset::CompactError>(())
//! ```
//!
//! # Size
//!
//! Bytes per member of a shard of 48 bits, header included (`cargo test -p tallis-intset` verifies the table). *uuids*
//! have the 4 bits of their version among the 48. The bound is the logarithm of the number of possible sets.
//!
//! | members | random: bound | exact | grown one by one | uuids: bound | exact | grown one by one |
//! |--------:|--------------:|------:|-----------------:|-------------:|------:|-----------------:|
//! |     122 |          5.31 |  5.84 |             5.97 |         4.81 |  5.21 |             5.31 |
//! |     244 |          5.19 |  5.49 |             5.74 |         4.69 |  4.99 |             5.08 |
//! |     488 |          5.06 |  5.32 |             5.36 |         4.56 |  4.82 |             4.84 |
//! |   2,000 |          4.81 |  5.02 |             5.12 |         4.31 |  4.65 |             4.73 |
//!
//! A set that grows has slack: less than a twentieth or 16 bytes, whichever is more. One that shrinks has less than
//! twice as much.
//!
//! # Complexity
//!
//! n members. If they are spread evenly, each bucket has few of them; if not, all of them may be in one bucket, which
//! is searched by halving.
//!
//! | operation | time |
//! |---|---|
//! | [`len`](Compact::len), [`prefix`](Compact::prefix), [`heap_bytes`](Compact::heap_bytes) | O(1) |
//! | [`contains`](Compact::contains), [`rank`](Compact::rank), [`count_below`](Compact::count_below) | O(1) spread evenly; else up to O(n/64), a few bits of each bucket that is passed |
//! | [`get`](Compact::get), [`first`](Compact::first), [`last`](Compact::last), [`random_member`](Compact::random_member) | O(log n) spread evenly; else up to O(n/64) |
//! | [`try_insert`](Compact::try_insert), [`remove`](Compact::remove) | that, and O(n) to move members; O(n) to choose a form again, which is amortized over the insertions |
//! | [`iter`](Compact::iter), [`to_int_set`](Compact::to_int_set), [`from_sorted`](Compact::from_sorted) | O(n) |
//!
//! # References
//!
//! * P. Elias, "Efficient storage and retrieval by content and address of static files", J. ACM 21(2), 1974.
//! * R. M. Fano, "On the number of bits required to implement an associative memory", MIT Project MAC, 1971.
//! * S. Vigna, "Broadword implementation of rank/select queries", WEA 2008: finding the n-th bit of a word without
//!   branches.

mod bits;
mod build;
mod check;
mod form;
mod iter;
mod prefix;
mod set;
mod traits;
mod upper;
mod view;

pub use build::{CompactError, Refused};
pub use iter::CompactIter;
pub use prefix::Prefix;
pub use set::Compact;
