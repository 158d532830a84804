//! Nodes with changed bytes, or truncated ones: the list works and never panics.

#[path = "../untrusted/mod.rs"]
mod untrusted;

use quicklist::{Fill, Limits, QuickList};
use testkit::rng::Rng;

/// Three nodes, the second one plain, in the form that `untrusted` reads.
fn sample(settings: u8) -> Vec<u8> {
    let limits = Limits { fill: Fill::new(4), plain_from: 40, ..Limits::default() };
    let mut list = QuickList::new(limits);
    for text in ["a", "17", "-40000", "of some length, but short"] {
        list.push_back(text).expect("room");
    }
    list.push_back("a plain element of more than forty bytes").expect("room");
    for number in [5_000_000_000, 300, 9, 1] {
        list.push_back(number).expect("room");
    }
    let mut bytes = vec![settings];
    for node in list.nodes() {
        let [low, high, ..] = u32::try_from(node.size()).expect("short").to_le_bytes();
        bytes.extend([u8::from(!node.is_plain()), low, high]);
        bytes.extend_from_slice(&node.bytes());
    }
    bytes
}

#[test]
fn whole_nodes_are_taken_as_they_are() {
    for settings in 0..=255 {
        assert!(untrusted::run(&sample(settings)));
    }
}

#[test]
fn any_byte_may_be_another() {
    let mut rng = Rng::new(1);
    let mut broken = 0;
    for at in 1..sample(0).len() {
        for _ in 0..40 {
            let mut bytes = sample(rng.u64().to_le_bytes()[0]);
            bytes[at] = rng.u64().to_le_bytes()[0];
            broken += usize::from(!untrusted::run(&bytes));
        }
    }
    assert!(broken > 500, "{broken}");
}

#[test]
fn several_bytes_may_be_others() {
    let mut rng = Rng::new(2);
    for _ in 0..10_000 {
        let mut bytes = sample(rng.u64().to_le_bytes()[0]);
        for _ in 0..rng.below(6) {
            let at = rng.index(bytes.len());
            bytes[at] = rng.u64().to_le_bytes()[0];
        }
        bytes.truncate(rng.index(bytes.len() + 20).max(1));
        untrusted::run(&bytes);
    }
}
