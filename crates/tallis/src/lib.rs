//! Redis's data structures inside your process.
//!
//! A [`Store`] keeps Redis's values in Redis's own encodings, answers Redis's commands, and reads and writes Redis's
//! files, with no server and no network.
//!
//! # A tour
//!
//! * [`Store`] is a handle on a keyspace; its methods are the commands, typed, under the names of the `redis` crate.
//! * [`Store::execute`] and [`Session`] take a command as words and return a [`Reply`], every text as Redis says it.
//! * [`Store::transaction`] makes several commands one; [`Store::with_set`] and its like work on one value, found once.
//! * [`Store::save`] and [`Store::load`] are snapshots that a `redis-server` opens and writes.
//! * [`Visitors`], [`UvWindows`], [`ShardedSet`], [`Locations`] and [`Cohorts`] are recipes: what people build on the
//!   structures, as types of their own. So are the rate limits [`SlidingWindow`], [`Funnel`] and [`SlidingCounter`],
//!   and [`Dedup`], which knows what it has seen. A [`Procedure`] is a step of a recipe of your own.
//! * A [`Backend`] is where a recipe has its keys: a store, or with the features `redis` and `redis2` a server or a
//!   cluster (`Server`). An [`AsyncBackend`] is one whose calls are futures.
//! * A [`Sink`] receives every change, a [`Clock`] gives the time, [`Limits`] say when encodings change, a [`Profile`]
//!   which servers' bytes they are.
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
//!
//! # Features
//!
//! | feature | on by default | what it brings |
//! |---|---|---|
//! | `recipes` | yes | the recipes; without it the crate is the store and the structures |
//! | `calendar` | yes | recipes by the calendar, and [`jiff`]: [`UvWindows`], [`Cohorts`], the days and hours of [`Visitors`] |
//! | `redis`, `redis2` | no | `Store::redis_connection`, `redis2_connection`: connections of the `redis` crate, 1.x and 2.0, that lead to a store; `Server`: the recipes on a server or a cluster, by connections of that crate |
//! | `async` | no | with `redis` or `redis2`: the asynchronous calls of those connections; `AsyncServer`, for the calls of recipes that end with `_async` |
//! | `wire` | no | `wire`: values framed as bytes, to be sent from one process to another |
//! | `serde` | no | `Serialize` and `Deserialize` of options and figures, and of the structures' values as their bytes; structs as hashes |
//!
//! # Limits
//!
//! Strings and members are at most 512 MiB long, as in Redis. Nothing is evicted. Values of types that the store does
//! not work on pass through a load and a save as they are; other commands on them answer WRONGTYPE.

#![forbid(unsafe_code)]

#[cfg(feature = "wire")]
pub mod wire;

#[cfg(feature = "recipes")]
pub use recipes::*;
pub use store::*;

/// Append-only logs: the manifest and the commands.
pub use aof;
/// Bitmaps, bit fields and packed records.
pub use bitpack;
/// Bloom filters: settings, planning, merging.
pub use bloom;
/// Points on the map, the units of distances, and what is near.
pub use geo;
/// `HyperLogLog`.
pub use hll;
/// Sorted sets of integers.
pub use intset;
/// Lists of short strings and integers in one block.
pub use listpack;
/// Lists of listpacks, with an index over them.
pub use quicklist;
/// RDB files and DUMP payloads.
pub use rdb;
/// RESP2 and RESP3: requests and replies.
pub use resp;
/// Sorted sets.
pub use skiplist_zset;

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
