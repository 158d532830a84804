//! Logs and manifests. One program: each that is linked takes longer than its tests.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod golden;
mod logs;
mod manifests;
