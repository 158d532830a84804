//! Compares the table with a plain map, through growth, splits and shrinking.

use std::collections::BTreeMap;

use ahash::RandomState;
use extendible::Extendible;
use testkit::rng::Rng;

use super::keys::{Entry, KeyBucket};
use crate::key::{HashedKey, Key};
use crate::value::Value;

/// A hash for tests: fixed, and of the same quality as the store's.
fn hash(bytes: &[u8]) -> u64 {
    RandomState::with_seeds(1, 2, 3, 4).hash_one(bytes)
}

/// The same hash with its first `skip` bits cleared, as for one stripe of a store.
fn skipped(skip: u8) -> impl Fn(&[u8]) -> u64 {
    move |bytes| hash(bytes) << skip >> skip
}

fn number_at(table: &Extendible<KeyBucket>, hash: u64, bytes: &[u8]) -> Option<i64> {
    let bucket = table.bucket(hash)?;
    let value = &bucket.entry(bucket.find(HashedKey::new(hash, bytes))?).value;
    let Value::Int(number) = value else { panic!("expected a number, got {value:?}") };
    Some(*number)
}

fn check_against(
    table: &Extendible<KeyBucket>,
    model: &BTreeMap<Vec<u8>, (i64, Option<i64>)>,
    hash: &impl Fn(&[u8]) -> u64,
) {
    assert_eq!(table.len(), model.len());
    table.verify();
    for (key, &(number, expires)) in model {
        let hashed = hash(key);
        assert_eq!(number_at(table, hashed, key), Some(number));
        let bucket = table.bucket(hashed).unwrap();
        let position = bucket.find(HashedKey::new(hashed, key)).unwrap();
        assert_eq!(bucket.expires_at(position), expires);
    }
    let scanned: BTreeMap<Vec<u8>, Option<i64>> = table
        .buckets()
        .flat_map(KeyBucket::iter)
        .map(|(entry, expires)| (entry.key.as_bytes().to_vec(), expires))
        .collect();
    assert!(
        scanned
            .iter()
            .eq(model.iter().map(|(key, (_, expires))| (key, expires)).collect::<Vec<_>>())
    );
    let expiring: usize = table.buckets().map(KeyBucket::expiring).sum();
    assert_eq!(expiring, model.values().filter(|(_, expires)| expires.is_some()).count());
}

fn drive_keys(seed: u64, skip: u8, keys: u64, steps: usize) {
    let hash = skipped(skip);
    let mut rng = Rng::new(seed);
    let mut table: Extendible<KeyBucket> = Extendible::new(skip);
    let mut model: BTreeMap<Vec<u8>, (i64, Option<i64>)> = BTreeMap::new();
    for step in 0..steps {
        let key = format!("key:{}", rng.below(keys)).into_bytes();
        let hashed = HashedKey::new(hash(&key), &key);
        let found = table.bucket(hashed.hash).and_then(|bucket| bucket.find(hashed));
        assert_eq!(found.is_some(), model.contains_key(&key));
        // Two of three steps add in the first half; then two of three remove.
        let add = rng.below(3) < if step < steps / 2 { 2 } else { 1 };
        match found {
            Some(position) if add => {
                let expires = (rng.below(2) == 0).then(|| rng.range(0..=1000));
                table.bucket_mut(hashed.hash).unwrap().set_expiry(position, expires);
                model.get_mut(&key).unwrap().1 = expires;
            }
            Some(position) => {
                table.bucket_mut(hashed.hash).unwrap().remove(position, &hash);
                table.removed();
                model.remove(&key);
            }
            None if add => {
                let number = i64::try_from(step).unwrap();
                let entry = Entry { key: Key::new(&key), value: Value::Int(number) };
                table.insert(hashed.hash, &hash, |bucket| {
                    bucket.insert(hashed.hash, entry, 0, false)
                });
                model.insert(key, (number, None));
            }
            None => {}
        }
        if step % (steps / 8) == 0 {
            check_against(&table, &model, &hash);
        }
    }
    check_against(&table, &model, &hash);
    assert!(table.buckets().count() > 1 || keys < 1000, "the test is to reach splits");
}

#[test]
fn keys_are_found_through_growth_and_shrinking() {
    drive_keys(1, 0, 100, 4_000);
    drive_keys(2, 0, 20_000, 60_000);
    drive_keys(3, 6, 20_000, 60_000);
}

#[test]
fn a_table_that_is_emptied_holds_nothing() {
    let mut table: Extendible<KeyBucket> = Extendible::new(0);
    let keys: Vec<String> = (0..2000).map(|i| format!("key:{i}")).collect();
    for key in &keys {
        let hashed = hash(key.as_bytes());
        let entry = Entry { key: Key::new(key.as_bytes()), value: Value::Int(0) };
        table.insert(hashed, &hash, |bucket| bucket.insert(hashed, entry, 0, false));
    }
    assert!(table.heap_bytes() > 2000 * size_of::<Entry>());
    for key in &keys {
        let hashed = HashedKey::new(hash(key.as_bytes()), key.as_bytes());
        let bucket = table.bucket_mut(hashed.hash).unwrap();
        let position = bucket.find(hashed).unwrap();
        bucket.remove(position, &hash);
        table.removed();
    }
    assert_eq!((table.len(), table.heap_bytes()), (0, 0));
}

#[test]
fn keys_that_crowd_into_one_prefix_do_not_blow_up_the_directory() {
    // A hash that differs in its last bits only: no split can separate these keys.
    let crowded = |bytes: &[u8]| hash(bytes) & 0xffff;
    let mut table: Extendible<KeyBucket> = Extendible::new(0);
    for i in 0..3000 {
        let key = format!("key:{i}");
        let hashed = crowded(key.as_bytes());
        let entry = Entry { key: Key::new(key.as_bytes()), value: Value::Int(i) };
        table.insert(hashed, &crowded, |bucket| bucket.insert(hashed, entry, 0, false));
    }
    assert!(table.depth() <= 8, "{}", table.depth());
    for i in 0..3000 {
        let key = format!("key:{i}");
        assert_eq!(number_at(&table, crowded(key.as_bytes()), key.as_bytes()), Some(i));
    }
}

#[test]
fn a_bucket_of_keys_is_two_cache_lines() {
    assert_eq!((size_of::<KeyBucket>(), align_of::<KeyBucket>()), (128, 64));
}
