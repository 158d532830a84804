//! The store and the recipes in one process. One binary, because linking takes longer than running the tests.

#![expect(
    clippy::duplicate_mod,
    reason = "the module that the fuzz targets share has its own journal"
)]

#[path = "../answer/mod.rs"]
mod answer;
mod batches;
#[path = "../beside/mod.rs"]
mod beside;
mod bits;
#[path = "../bloom/mod.rs"]
mod bloom;
#[cfg(feature = "calendar")]
#[path = "../cohorts/mod.rs"]
mod cohorts;
mod commands;
#[cfg(feature = "calendar")]
#[path = "../concurrency/mod.rs"]
mod concurrency;
#[cfg(feature = "calendar")]
mod dedup;
mod draws;
#[path = "../durability/mod.rs"]
mod durability;
#[path = "../expiring/mod.rs"]
mod expiring;
mod fields;
mod file_values;
mod files;
mod geo;
mod golden;
mod handles;
mod hashes;
#[cfg(feature = "calendar")]
mod ids;
#[path = "../journal/mod.rs"]
mod journal;
mod keyspace;
#[cfg(feature = "calendar")]
#[path = "../limits/mod.rs"]
mod limits;
mod lists;
#[cfg(feature = "calendar")]
mod locations;
#[cfg(feature = "calendar")]
#[path = "../many/mod.rs"]
mod many;
#[cfg(feature = "calendar")]
mod merge;
mod payload;
#[cfg(feature = "calendar")]
#[path = "../procedures/mod.rs"]
mod procedures;
#[cfg(all(feature = "async", feature = "redis", feature = "redis2"))]
#[path = "../redis_crate/mod.rs"]
mod redis_crate;
mod scripts;
mod sequences;
#[cfg(all(feature = "calendar", feature = "serde"))]
mod serde;
mod server;
mod sets;
#[cfg(feature = "recipes")]
mod sharded_hash;
#[cfg(feature = "calendar")]
mod sharded_set;
mod snapshots;
mod sort;
#[cfg(feature = "calendar")]
#[path = "../splitting/mod.rs"]
mod splitting;
#[path = "../answer/limits.rs"]
mod store_limits;
mod strings;
mod sweeper;
#[cfg(feature = "calendar")]
mod visitors;
#[cfg(feature = "calendar")]
#[path = "../windows/mod.rs"]
mod windows;
#[cfg(feature = "wire")]
mod wire;
mod zsets;
