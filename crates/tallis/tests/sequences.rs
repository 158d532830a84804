//! Sequences of arbitrary commands, by seed. The fuzz target `store_commands` goes on with the same driver.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

use std::sync::{Arc, Mutex};

use tallis::prelude::*;
use tallis::{Effect, ManualClock, Sink, Store};
use testkit::rng::Rng;

mod driver;

#[test]
fn arbitrary_commands_keep_the_rules() {
    for seed in 0..3_000 {
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

#[derive(Debug, Default)]
struct Journal(Mutex<Vec<Effect>>);

impl Sink for Journal {
    fn commit(&self, effects: &[Effect]) {
        self.0.lock().unwrap().extend_from_slice(effects);
    }
}

#[test]
fn sinks_hear_of_an_expired_target_before_its_name_is_taken() {
    let (clock, journal) = (Arc::new(ManualClock::new(0)), Arc::new(Journal::default()));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    store.set("to", "old").unwrap();
    store.pexpire("to", 5).unwrap();
    store.set("from", "new").unwrap();
    clock.advance(5);
    journal.0.lock().unwrap().clear();
    store.rename("from", "to").unwrap();
    let effects = journal.0.lock().unwrap();
    let words: Vec<&[bytes::Bytes]> = effects.iter().map(|effect| &effect.args[..]).collect();
    assert_eq!(words, [&["DEL", "to"][..], &["RENAME", "from", "to"][..]]);
}
