//! Values as bytes that go from one process to another.
//!
//! # Idea
//!
//! Several processes count a part each, and one adds the parts up: sketches are merged, sets united, filters or-ed.
//! What goes between them is a *frame*: a value in [`bincode`](https://docs.rs/bincode) with what tells the receiver
//! which value it is, how long it is and whether it came whole.
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
//! Format 1 is bincode 2 with little-endian integers of their full width, and Redis's CRC-64 of all that comes before
//! it. Another codec would be another format. The value is what serde makes of its type; of a [`Store`](crate::Store)
//! it is its keys, in order, none of them compressed.
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
//! # Adding up
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
//! [`decode`] takes any bytes. It never panics. A frame whose value is longer than the limit is refused by its
//! header. While the value is read, no length in it makes more be allocated than four times the bytes that are there,
//! or one megabyte; what a table of members takes beyond its bytes comes as they are read. A value is checked as one of
//! a file is: what breaks the rules of its encoding is refused.
//!
//! The checksum finds bytes that were damaged, not bytes that were forged.
//!
//! # Limits
//!
//! * The value of a frame has at most [`MAX_LEN`] bytes. What is larger goes by a file:
//!   [`Store::save`](crate::Store::save).
//! * So do values of types that a store does not work on, streams for example: they are refused by [`encode`].

mod codec;
mod error;
mod frame;
mod keys;
mod kind;

pub use codec::MAX_LEN;
pub use error::Error;
pub use frame::{HEADER_LEN, Header, decode, encode, encode_keys};
pub use kind::{Framed, Kind};
