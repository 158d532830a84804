//! Bloom filters. One binary, because linking takes longer than running the tests.

mod batch;
#[path = "../common/mod.rs"]
mod common;
mod golden;
mod hostile;
mod model;
mod room;
mod statistics;
