//! Sequences of arbitrary commands, by seed. The fuzz target `store_commands` uses the same driver.

#![expect(clippy::unwrap_used, reason = "a test whose helper fails is a failed test")]

use std::sync::Arc;

use tallis::{ManualClock, Profile, RestoreOptions, Store};
use testkit::rng::{Rng, rounds};

use driver::journal::Journal;

#[path = "../driver/mod.rs"]
mod driver;

#[test]
fn arbitrary_commands_keep_the_rules() {
    for seed in 0..rounds(1_000, 3_000) {
        let bytes = Rng::new(seed).bytes(1_500);
        driver::run(&bytes);
    }
}

#[test]
fn arbitrary_bytes_are_commands_too() {
    for len in 0..64 {
        for fill in [0, 1, 0x7f, 0xff] {
            driver::run(&vec![fill; len]);
        }
    }
}

#[test]
fn sinks_receive_the_deletion_of_an_expired_target_before_the_rename() {
    let (clock, journal) = (Arc::new(ManualClock::new(0)), Arc::new(Journal::default()));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    store.set("to", "old").unwrap();
    store.pexpire("to", 5).unwrap();
    store.set("from", "new").unwrap();
    clock.advance(5);
    journal.take();
    store.rename("from", "to").unwrap();
    assert_eq!(journal.lines(), ["DEL to", "RENAME from to"]);
}

#[test]
fn a_type_that_the_profiles_servers_do_not_know_is_refused() {
    // A set as a listpack (since version 11) and a hash with times to live (since 12), both with a footer of version 10.
    let set = with_footer(b"\x14\x0a\x0a\0\0\0\x01\0\x81a\x02\xff");
    let hash = with_footer(b"\x19\0\0\0\x18{\x19\0\0\0");
    let old = Store::builder().profile(Profile::Redis70).build();
    let new = Store::new();
    for payload in [&set, &hash] {
        let refused = old.restore("k", payload, RestoreOptions::default()).unwrap_err();
        assert_eq!(refused.to_string(), "ERR Bad data format");
    }
    new.restore("k", &set, RestoreOptions::default()).unwrap();
    assert_eq!(new.smembers("k").unwrap(), ["a"]);
}

fn with_footer(body: &[u8]) -> Vec<u8> {
    let mut payload = [body, &10_u16.to_le_bytes()].concat();
    let checksum = rdb::crc64(&payload);
    payload.extend_from_slice(&checksum.to_le_bytes());
    payload
}
