//! Stores that are kept on disk: what is there again after an end of any kind.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

#[path = "../answer/mod.rs"]
mod answer;
mod crash;
mod damaged;
mod disks;
mod folder;
mod golden;
mod live;
mod memory_disk;
mod reopen;

use tallis::{Reply, Store};

/// DEBUG DIGEST of a store.
fn digest(store: &Store) -> String {
    let Reply::Status(digest) = store.execute(&["DEBUG", "DIGEST"]) else {
        panic!("DEBUG DIGEST replies a status");
    };
    digest.to_string()
}
