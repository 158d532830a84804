//! Files and payloads. One program: each that is linked takes longer than its tests.

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod corruption;
mod dump;
mod golden;
mod metadata;
mod writer;
