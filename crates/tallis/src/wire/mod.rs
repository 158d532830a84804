//! Values as framed bytes, to send them from one process to another.
//!
//! # Idea
//!
//! Several processes count a part each, and one merges the parts: sketches, sets and filters have unions. They send
//! each other *frames*: a value in [`bincode`](https://docs.rs/bincode) with its kind, its length and a checksum.
//!
//! # Representation
//!
//! ```text
//! 0        6        7      8                16                      16 + n           24 + n
//! +--------+--------+------+----------------+-----------------------+----------------+
//! | TALLIS | format | kind | n              | n bytes: the value    | CRC-64         |   integers little-endian
//! +--------+--------+------+----------------+-----------------------+----------------+
//! ```
//!
//! Format 1 is bincode 2 with little-endian integers of fixed width, followed by Redis's CRC-64 of all preceding bytes.
//! Another codec would be another format. The value is what serde serializes of its type; for a [`Store`](crate::Store)
//! it is its keys, sorted and without compression.
//!
//! The same value has the same frame in every process.
//!
//! # Worked example
//!
//! ```
//! use tallis::intset::IntSet;
//! use tallis::wire;
//!
//! let set: IntSet = [1, 2, 300].into_iter().collect();
//! let frame = wire::encode(&set)?;
//! assert_eq!(frame[..16], *b"TALLIS\x01\x02\x16\0\0\0\0\0\0\0");
//! assert_eq!(frame[16..24], 14_u64.to_le_bytes());
//! assert_eq!(&frame[24..38], set.as_bytes());
//! assert_eq!(frame[38..], tallis::rdb::crc64(&frame[..38]).to_le_bytes());
//! # Ok::<(), wire::Error>(())
//! ```
//!
//! # Merging
//!
//! ```
//! use tallis::{hll::HyperLogLog, wire};
//!
//! // In each of several processes:
//! let part = |users: std::ops::Range<u32>| {
//!     let mut sketch = HyperLogLog::new();
//!     for user in users {
//!         sketch.add(&user.to_le_bytes());
//!     }
//!     wire::encode(&sketch)
//! };
//! let frames = [part(0..600)?, part(400..1000)?];
//!
//! // In the one that adds up:
//! let mut all = HyperLogLog::new();
//! for frame in &frames {
//!     all.merge(&wire::decode::<HyperLogLog>(frame, 1 << 16)?);
//! }
//! let mut one = HyperLogLog::new();
//! for user in 0..1000_u32 {
//!     one.add(&user.to_le_bytes());
//! }
//! assert_eq!(all.count(), one.count());
//! # Ok::<(), wire::Error>(())
//! ```
//!
//! A whole result - the sets and sketches of many buckets, say - is a store, which
#![cfg_attr(feature = "recipes", doc = "[`Merge`](crate::Merge) adds to another:")]
#![cfg_attr(not(feature = "recipes"), doc = "`Merge` adds to another:")]
//!
//! ```
//! # #[cfg(feature = "recipes")] {
//! use tallis::{Bucket, Merge, Store, Visitors, wire};
//!
//! let part = |users: std::ops::Range<i64>| {
//!     let store = Store::new();
//!     let visitors = Visitors::new(store.clone());
//!     users.for_each(|user| drop(visitors.count_id(user, Bucket::All)));
//!     wire::encode(&store)
//! };
//! let frames = [part(0..600).unwrap(), part(400..1000).unwrap()];
//!
//! let all = Store::new();
//! for frame in &frames {
//!     Merge::new().add(&all, &wire::decode(frame, 1 << 20).unwrap()).unwrap();
//! }
//! assert_eq!(Visitors::new(all).count(Bucket::All).unwrap(), 1000);
//! # }
//! ```
//!
//! # Trust
//!
//! [`decode`] accepts any bytes and never panics. A frame whose value is longer than the limit is refused by its
//! header. While the value is decoded, a length field allocates at most four times the bytes that are there, or one
//! megabyte; the rest of the memory of a hash table is allocated as its members are read. A value is validated as one
//! of a file is: what violates the rules of its encoding is refused.
//!
//! The checksum detects damaged bytes, not forged ones.
//!
//! # Limits
//!
//! * The value of a frame has at most [`MAX_LEN`] bytes. Save larger ones to a file:
//!   [`Store::save`](crate::Store::save).
//! * Values of types that a store does not implement, such as streams, are refused by [`encode`]. They are kept in a
//!   file, too.

mod codec;
mod error;
mod frame;
mod keys;
mod kind;

pub use codec::MAX_LEN;
pub use error::Error;
pub use frame::{HEADER_LEN, Header, decode, encode, encode_keys};
pub use kind::{Framed, Kind};
