//! Bloom filters. One program: each that is linked takes longer than its tests.

mod batch;
#[path = "../common/mod.rs"]
mod common;
mod golden;
mod hostile;
mod model;
mod room;
mod statistics;
