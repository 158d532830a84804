//! Transactions compared with the commands in them.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use tallis::Store;

use super::{held, pieces};
use crate::report::{Bench, Row, Section, Unit};

const KEYS: usize = 1000;
const TYPED: &str = "the typed calls";
/// The target for a transaction, and the time of its commands without one when the target was set: 10 ns more for one
/// key, 15 for two.
const ONE: [f64; 2] = [42.0, 32.0];
const TWO: [f64; 2] = [77.0, 62.0];

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "`store.transaction(keys, ...)` and the same commands without a transaction. *one key*: INCR; *two \
                keys*: INCR of each; *one key, read*: GET in place. 1,000 keys in turn, all of which exist and are in \
                the caches.";
    let store = Store::new();
    let keys: Vec<String> = (0..KEYS).map(|n| format!("user:{n:07}")).collect();
    let texts: Vec<String> = (0..KEYS).map(|n| format!("text:{n:07}")).collect();
    for (key, text) in keys.iter().zip(&texts) {
        store.set(key, 1).unwrap();
        store.set(text, "value").unwrap();
    }
    Section::new("Transactions", text)
        .row(one(bench, &store, &keys))
        .row(two(bench, &store, &keys))
        .row(read(bench, &store, &texts))
}

fn one(bench: &Bench, store: &Store, keys: &[String]) -> Row {
    let results = bench
        .race()
        .contender("a transaction", pieces(keys.len()), || {
            let add = |key: &String| store.transaction([key], |tx| tx.incr(key, 1)).unwrap();
            keys.iter().map(add).sum::<i64>()
        })
        .contender(TYPED, pieces(keys.len()), || {
            keys.iter().map(|key| store.incr(key, 1).unwrap()).sum::<i64>()
        })
        .run();
    Row::new("one key", Unit::Nanos, held(store), results).beside(TYPED, ONE)
}

fn two(bench: &Bench, store: &Store, keys: &[String]) -> Row {
    let pairs = || keys.as_chunks().0.iter();
    let results = bench
        .race()
        .contender("a transaction", pieces(keys.len() / 2), || {
            let add = |[a, b]: &[String; 2]| {
                store.transaction([a, b], |tx| Ok(tx.incr(a, 1)? + tx.incr(b, 1)?)).unwrap()
            };
            pairs().map(add).sum::<i64>()
        })
        .contender(TYPED, pieces(keys.len() / 2), || {
            let add = |[a, b]: &[String; 2]| store.incr(a, 1).unwrap() + store.incr(b, 1).unwrap();
            pairs().map(add).sum::<i64>()
        })
        .run();
    Row::new("two keys", Unit::Nanos, held(store), results).beside(TYPED, TWO)
}

fn read(bench: &Bench, store: &Store, keys: &[String]) -> Row {
    let len = |string: Option<&[u8]>| string.map_or(0, <[u8]>::len);
    let results = bench
        .race()
        .contender("a transaction", pieces(keys.len()), || {
            let get = |key: &String| store.transaction([key], |tx| tx.get_with(key, len)).unwrap();
            keys.iter().map(get).sum::<usize>()
        })
        .contender(TYPED, pieces(keys.len()), || {
            keys.iter().map(|key| store.get_with(key, len).unwrap()).sum::<usize>()
        })
        .run();
    Row::new("one key, read", Unit::Nanos, held(store), results).beside(TYPED, ONE)
}
