//! Stores that are kept on disk: their data after an end of any kind.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod crash;
mod damaged;
mod disks;
mod folder;
mod golden;
mod live;
mod meanwhile;
mod memory_disk;
mod reopen;
mod saving;
mod scripts;
mod settings;

use std::time::Duration;

use tallis::{Reply, Store};

/// Waits until a condition is true.
fn wait_until(what: impl Fn() -> bool) {
    for _ in 0..4000 {
        if what() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it takes too long");
}

/// The value of a field of INFO persistence.
fn info(store: &Store, name: &str) -> String {
    let text: String = store.execute(&["INFO", "persistence"]).convert().unwrap();
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(other, _)| *other == name).unwrap().1.to_owned()
}

/// DEBUG DIGEST of a store.
fn digest(store: &Store) -> String {
    let Reply::Status(digest) = store.execute(&["DEBUG", "DIGEST"]) else {
        panic!("DEBUG DIGEST replies a status");
    };
    digest.to_string()
}
