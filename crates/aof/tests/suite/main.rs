//! Logs and manifests. One binary, because linking takes longer than running the tests.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod golden;
mod logs;
mod manifests;
