#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! * [`Store`] is a handle on a keyspace. Its methods are the commands, typed, with the names of the `redis` crate.
//! * [`Store::execute`] and [`Session`] take a command as words and return a [`Reply`], with the texts of Redis.
//! * [`Store::transaction`] runs several commands atomically; [`Store::with_set`] and similar methods run several
//!   operations on one value after one lookup.
//! * [`Store::save`] and [`Store::load`] write and read RDB files, which `redis-server` reads and writes too.
//! * [`Visitors`], [`UvWindows`], [`ShardedSet`], [`Locations`] and [`Cohorts`] are recipes: data models on the
//!   structures, as types. So are the rate limits [`SlidingWindow`], [`Funnel`] and [`SlidingCounter`], and [`Dedup`],
//!   which remembers seen items. A [`Procedure`] is an atomic step of a recipe of your own.
//! * A [`Backend`] holds the keys of a recipe: a store, or with the features `redis` and `redis2` a server or a cluster
//!   (`Server`). An [`AsyncBackend`] is one whose calls return futures.
//! * A [`Sink`] receives every change, a [`Clock`] returns the time, [`Limits`] set when encodings change, and a
//!   [`Profile`] chooses the server version whose bytes and replies are produced.
//!
//! ```
//! use tallis::Store;
//!
//! let store = Store::new();
//! store.sadd("s", [3, 1, 2])?;
//! store.pfadd("uv", ["alice", "bob"])?;
//! assert_eq!((store.scard("s")?, store.pfcount(["uv"])?), (3, 2));
//! # Ok::<(), tallis::Error>(())
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "wire")]
pub mod wire;

#[cfg(feature = "recipes")]
pub use recipes::*;
pub use store::*;

/// Reads and writes append-only files: the manifest and the commands.
pub use aof;
/// Bitmaps, bit fields and packed records.
pub use bitpack;
/// Bloom filters: settings, planning, merging.
pub use bloom;
/// Geographic points, distances and geohashes.
pub use geo;
/// `HyperLogLog`s.
pub use hll;
/// Intsets: sorted arrays of integers.
pub use intset;
/// Listpacks: lists of short strings and integers in one allocation.
pub use listpack;
/// Quicklists: lists of listpacks, with an index over them.
pub use quicklist;
/// RDB files and DUMP payloads.
pub use rdb;
/// RESP2 and RESP3: requests and replies.
pub use resp;
/// Sorted sets, as skip lists.
pub use skiplist_zset;
