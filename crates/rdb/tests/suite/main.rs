//! Files and payloads. One binary, because linking takes longer than running the tests.

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod corruption;
mod dump;
mod golden;
mod metadata;
mod writer;
