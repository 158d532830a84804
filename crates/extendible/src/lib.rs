#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A plain hash table rehashes all of its entries when it grows, and the call that triggers this waits. Here the
//! entries are in *buckets* of a few dozen. The first bits of a key's hash select the bucket through a directory; a
//! full bucket splits by the next bit, and no other entry moves. It follows:
//!
//! * An insertion rehashes the entries of one bucket at most, unless all of them agree in the next bits of their
//!   hashes.
//! * A hash is a scan cursor that survives growth, because a bucket holds exactly the keys of one hash prefix
//!   ([`scan`]).
//! * Buckets of equal depth hold equally many keys on average, so random entries can be drawn with equal probability
//!   ([`Extendible::random`]).
//! * A caller can iterate over the table bucket by bucket, for example to write a snapshot.
//!
//! The table does not store keys. A [`Bucket`] does: it stores its entries in any form, and splits by a bit of their
//! hashes. [`MemberBucket`] is one for byte strings, [`FieldBucket`] for byte strings with values; Tallis's keyspace
//! and sorted sets have buckets of their own.
//!
//! ## Representation
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
//! * The first `skip` bits of every hash are the same: they have selected this table among others.
//! * The directory has a 32-bit word for each prefix, and none while there is a single bucket. It doubles when a bucket
//!   as deep as the directory splits.
//! * The *depth* of a bucket, which is the number of bits that its keys share, follows from the length of its run of
//!   words in the directory. It is not stored elsewhere.
//! * Buckets are in segments, in the order of their creation. A segment grows in small steps up to its full size and
//!   does not move from then on.
//!
//! ## Complexity
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
//! In addition to the work of its bucket, one insertion does at most this:
//!
//! * It splits one bucket, which rehashes [`Bucket::FULL`] entries. (A second split follows if all of them have the
//!   same bit, which happens once in 2^`FULL` splits with a good hash.) n insertions rehash fewer than 2n entries in
//!   total.
//! * It moves the buckets of one segment if this grows by a step: fewer than 128 buckets, independent of the size of
//!   the table.
//! * It doubles the directory, which copies all of its words. There are one to three words per bucket, so this is 4
//!   bytes per 15 to 40 entries of the table: 128 KiB at a million entries. It is the only step whose cost grows with
//!   the table (except the list of segments, which has 24 bytes per thousands of entries), and it happens once each
//!   time the table doubles: n insertions copy fewer words in total than the final directory has.
//!
//! ## References
//!
//! * R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong: "Extendible Hashing, a Fast Access Method for Dynamic Files",
//!   ACM Transactions on Database Systems 4(3), 1979.
//! * G. L. Steele, D. Lea, C. H. Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, for
//!   [`SplitMix64`].
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
