//! Splitting sets: compared with plain ones, with threads, in files, and by their keys.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod algebra;
mod compact;
mod keys;
mod model;
mod shape;
mod threads;
mod visitors;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::journal::Journal;
use bytes::Bytes;
use tallis::{Error, ShardedSet, Store, shard_key};

type Model = BTreeSet<String>;

/// All elements of an iterator, which must be different.
fn gathered(found: impl Iterator<Item = Result<Bytes, Error>>) -> Model {
    let all: Vec<Bytes> = found.map(Result::unwrap).collect();
    let set: Model = all.iter().map(|m| String::from_utf8_lossy(m).into_owned()).collect();
    assert_eq!(set.len(), all.len(), "no member comes twice");
    set
}

/// The shard of a member by the book's own function, which divides by a power of two, and the rule of linear hashing.
fn shard_by_the_book(member: &str, shards: u64) -> u64 {
    let rest = |of: u64| -> u64 {
        let key = shard_key("b", format!("x{member}"), of, 2);
        key.strip_prefix("b:").unwrap().parse().unwrap()
    };
    let round = (0..64).map(|bit| 1 << bit).take_while(|&power| power <= shards).last().unwrap();
    if rest(2 * round) < shards { rest(2 * round) } else { rest(round) }
}

/// The number in a string, if the key exists.
fn number(store: &Store, key: &str) -> Option<u64> {
    store.get(key).unwrap().map(|text| String::from_utf8_lossy(&text).parse().unwrap())
}

/// The suffix of the key of the shard with that number, of this many: the last bits of its hashes, with a 1 before
/// them.
fn end(number: u64, shards: u64) -> u64 {
    let round = (0..64).map(|bit| 1 << bit).take_while(|&power| power <= shards).last().unwrap();
    let is_split = number >= round || number + round < shards;
    number + if is_split { 2 * round } else { round }
}

/// The keys of all shards of a set.
fn shard_keys(base: &str, shards: u64) -> Vec<String> {
    (0..shards).map(|number| format!("{base}:{}", end(number, shards))).collect()
}

/// The encodings of all shards of a set.
fn encodings(store: &Store, base: &str, shards: u64) -> Vec<&'static str> {
    let keys = shard_keys(base, shards);
    keys.iter().filter_map(|key| store.object_encoding(key).unwrap()).collect()
}

/// Whether this number of shards is right for this number of evenly distributed members.
fn is_right(shards: u64, members: u64) -> bool {
    members <= 330 * shards && (shards == 1 || members >= 50 * (shards - 1))
}

/// Checks all keys of the set at `base` and their members. Returns the number of shards.
fn validate(store: &Store, base: &str, model: &Model) -> u64 {
    validate_by(store, base, model, shard_by_the_book)
}

/// The same for members with another distribution.
fn validate_by(
    store: &Store,
    base: &str,
    model: &Model,
    shard_of: impl Fn(&str, u64) -> u64,
) -> u64 {
    let shards = number(store, &format!("{base}:shards")).unwrap_or(1);
    assert!(!store.exists(base).unwrap());
    let mut left = model.clone();
    let keys = shard_keys(base, shards);
    for (number, key) in (0..).zip(&keys) {
        for member in store.smembers(key).unwrap() {
            let member = String::from_utf8_lossy(&member).into_owned();
            assert_eq!(shard_of(&member, shards), number, "{member}");
            assert!(left.remove(&member), "{member} is not to be there, or twice");
        }
    }
    assert_eq!(left, Model::new(), "missing");
    for key in store.keys(format!("{base}:*")).unwrap() {
        let key = String::from_utf8_lossy(&key).into_owned();
        assert!(key == format!("{base}:shards") || keys.contains(&key), "{key}");
    }
    shards
}

/// Creates a set with these members.
fn filled(store: &Store, base: &str, model: &Model) -> ShardedSet {
    let set = ShardedSet::splitting(store.clone(), base);
    assert_eq!(set.add_many(model).unwrap(), model.len() as u64);
    set
}

fn journaled() -> (Store, Arc<Journal>) {
    let journal = Arc::new(Journal::default());
    (Store::builder().hash_seed(1).sink(journal.clone()).build(), journal)
}

/// Whether both stores have the same keys with the same payloads.
fn assert_same_dumps(a: &Store, b: &Store) {
    let mut keys = a.keys("*").unwrap();
    let mut others = b.keys("*").unwrap();
    keys.sort_unstable();
    others.sort_unstable();
    assert_eq!(keys, others);
    for key in keys {
        assert_eq!(a.dump(&key).unwrap(), b.dump(&key).unwrap(), "{}", key.escape_ascii());
    }
}
