//! What recipes refuse: whatever their keys hold, a call does all of it or changes nothing.

#![expect(clippy::unwrap_used, reason = "a test whose helper cannot go on fails")]

mod cohorts;
mod dedup;
mod limits;
mod locations;
mod refusal;
mod windows;

use std::collections::BTreeMap;
use std::fmt::Debug;

use bytes::Bytes;
use tallis::{Error, Store};

/// Puts something at a key that a recipe does not expect there.
type Plant = fn(&Store, &str);

/// Values of wrong types, strings that are no numbers, and counters that are full.
const PLANTS: [(&str, Plant); 7] = [
    ("a set of texts", |store, key| assert_eq!(store.sadd(key, ["a", "b"]).unwrap(), 2)),
    ("a sorted set", |store, key| assert_eq!(store.zadd(key, "a", 1.0).unwrap(), 1)),
    ("a text", |store, key| store.set(key, "soon").unwrap()),
    ("an empty text", |store, key| store.set(key, "").unwrap()),
    ("a fraction", |store, key| store.set(key, "1.5").unwrap()),
    ("the greatest integer", |store, key| store.set(key, i64::MAX).unwrap()),
    ("the least integer", |store, key| store.set(key, i64::MIN).unwrap()),
];

/// All keys with their payloads.
fn dumps(store: &Store) -> BTreeMap<Bytes, Option<Vec<u8>>> {
    let dump = |key: Bytes| {
        let payload = store.dump(&key).unwrap().map(|payload| payload.to_vec());
        (key, payload)
    };
    store.keys("*").unwrap().into_iter().map(dump).collect()
}

/// Makes the call on a store from `make` in which one of the keys holds something else, for each of the keys and each
/// plant: an error must leave all keys as they were, and of a success `whole` checks that all of it was done. Returns how
/// many calls were refused.
fn all_or_nothing<R: Debug>(
    make: impl Fn() -> Store,
    keys: &[&str],
    call: impl Fn(&Store) -> Result<R, Error>,
    whole: impl Fn(&Store, R),
) -> usize {
    let mut refused = 0;
    for key in keys {
        for (what, plant) in PLANTS {
            let store = make();
            store.del([key]).unwrap();
            plant(&store, key);
            let before = dumps(&store);
            match call(&store) {
                Ok(done) => whole(&store, done),
                Err(error) => {
                    refused += 1;
                    assert_eq!(dumps(&store), before, "{what} at {key}: {error}");
                }
            }
        }
    }
    refused
}
