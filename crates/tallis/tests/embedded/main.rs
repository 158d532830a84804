//! The store and the recipes in the process. One program: each that is linked takes longer than its tests.

mod batches;
mod bits;
mod commands;
#[cfg(feature = "calendar")]
mod dedup;
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
mod lists;
#[cfg(feature = "calendar")]
mod locations;
#[cfg(feature = "calendar")]
mod merge;
mod payload;
mod scripts;
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
mod strings;
mod sweeper;
#[cfg(feature = "calendar")]
mod visitors;
#[cfg(feature = "wire")]
mod wire;
mod zsets;
