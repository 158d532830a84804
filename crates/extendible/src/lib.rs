//! An extendible hash index: a directory of small buckets that split in two when they are full.
//!
//! # Idea
//!
//! One large hash table rehashes all of its entries when it grows, and the call that happens to trigger this waits.
//! Here the entries lie in *buckets* of a few dozen. The first bits of a key's hash choose the bucket through a
//! directory; a full bucket splits by the next bit, and no other entry moves. From this follow:
//!
//! * An insertion rehashes the entries of one bucket at most, unless all of them agree in the next bits of their
//!   hashes.
//! * A hash is a scan cursor that survives growth, because a bucket holds exactly the keys of one hash prefix
//!   ([`scan`]).
//! * Buckets of equal depth hold equally many keys on average, so a random entry can be drawn fairly
//!   ([`Extendible::random`]).
//! * A caller can pass over the table bucket by bucket, for example to write a snapshot.
//!
//! The table knows no keys. A [`Bucket`] does: it keeps its entries as it likes, and splits by a bit of their hashes.
//! [`MemberBucket`] is one for byte strings, [`FieldBucket`] for byte strings with values; Tallis's keyspace and sorted
//! sets have buckets of their own.
//!
//! # Representation
//!
//! ```text
//! hash        | skip | directory bits ....... | the rest: at the bucket's disposal; Tags take the last 8 bits |
//!
//! directory   00 -> bucket 0   (depth 1: holds every hash that begins with 0)
//! (depth 2)   01 -> bucket 0
//!             10 -> bucket 1   (depth 2)
//!             11 -> bucket 2   (depth 2)
//!
//! segments    | bucket 0 | bucket 1 | ... | bucket 127 |   | bucket 128 | ...
//! ```
//!
//! * The first `skip` bits of every hash are the same: they have chosen this table among others.
//! * The directory has a word of 32 bits for each prefix, and none while there is one bucket only. It doubles when a
//!   bucket as deep as the directory splits.
//! * The *depth* of a bucket, which is the number of bits that its keys share, is the length of its run of words in the
//!   directory. It is kept nowhere else.
//! * Buckets lie in segments, in the order in which they were made. A segment grows in small steps up to its full size
//!   and does not move from then on.
//!
//! # Example
//!
//! ```
//! use std::hash::{BuildHasher, RandomState};
//! use extendible::{Bucket, Extendible, MemberBucket};
//!
//! let state = RandomState::new();
//! let hash = |member: &[u8]| state.hash_one(member);
//!
//! let mut table: Extendible<MemberBucket> = Extendible::new(0);
//! for number in 0..1000 {
//!     let member = format!("member {number}").into_bytes();
//!     table.insert(hash(&member), &hash, |bucket| bucket.insert(hash(&member), &member));
//! }
//! assert_eq!(table.len(), 1000);
//! assert!(table.bucket_count() >= 1000 / MemberBucket::FULL);
//!
//! let of = hash(b"member 7");
//! assert!(table.bucket(of).is_some_and(|bucket| bucket.contains(of, b"member 7")));
//!
//! let bucket = table.bucket_mut(of).expect("it holds a member");
//! assert!(bucket.remove(of, b"member 7", &hash));
//! table.removed();
//! assert_eq!(table.len(), 999);
//! ```
//!
//! # Complexity
//!
//! n entries, in buckets of at most [`Bucket::FULL`]; expected over the hash:
//!
//! | operation | cost |
//! |---|---|
//! | [`bucket`](Extendible::bucket) | O(1): a word of the directory and the header of a segment, then the bucket itself |
//! | [`insert`](Extendible::insert) | O(1) amortised; see below |
//! | [`random`](Extendible::random), [`step`](Extendible::step) | O(1) |
//! | [`buckets`](Extendible::buckets), [`buckets_by_hash`](Extendible::buckets_by_hash) | O(n) |
//!
//! One insertion does at most this beside the work of its bucket:
//!
//! * It splits one bucket, which rehashes [`Bucket::FULL`] entries. (A second split follows where all of them went the
//!   same way, which a sound hash does once in 2^`FULL` splits.) n insertions rehash fewer than 2n entries in all.
//! * It moves the buckets of one segment, when this grows by a step: fewer than 128 buckets, whatever the size of the
//!   table.
//! * It doubles the directory, which copies all of its words. There are one to three words a bucket, so this is 4 bytes
//!   for each 15 to 40 entries of the table: 128 KiB at a million entries. It is the only step whose cost grows with
//!   the table (but for the list of segments, which has 24 bytes for thousands of entries), and it happens once
//!   whenever the table has doubled: n insertions copy fewer words in all than the directory has in the end.
//!
//! # Limits
//!
//! * Buckets do not join again. A table gives its memory back when it becomes empty; the owner of a table that has
//!   become almost empty builds it anew ([`Extendible::with_room`]).
//! * `skip` and the depth of the directory are 32 bits together at most.
//! * Keys whose hashes no split separates, which takes a broken hash or a known seed, let a bucket grow beyond
//!   [`Bucket::FULL`], and not the directory: this has at most 32 words a bucket.
//!
//! # References
//!
//! * R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong: "Extendible Hashing, a Fast Access Method for Dynamic Files",
//!   ACM Transactions on Database Systems 4(3), 1979.
//! * G. L. Steele, D. Lea, C. H. Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, for
//!   [`SplitMix64`].
//!
//! The crate is `no_std` and allocates.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bucket;
mod offsets;
mod packed;
pub mod scan;
mod segments;
mod splitmix;
mod table;
mod tags;

pub use bucket::{Bucket, Fill, Rehash};
pub use packed::{FieldBucket, LongValues, MemberBucket, NoValues, PackedBucket};
pub use splitmix::SplitMix64;
pub use table::{BucketId, CACHED, Extendible};
pub use tags::{LINE, Tags, equal};

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
