//! Commands that read many keys of a store that exceeds the caches.

use std::sync::Arc;

use bytes::Bytes;
use tallis::{Aggregate, ManualClock, Store};
use testkit::rng::Rng;

const KEYS: u64 = 40_000;

/// Strings, integers, long strings, keys of other types, and keys that have expired.
fn filled() -> (Arc<ManualClock>, Store) {
    let clock = Arc::new(ManualClock::new(1_600_000_000_000));
    let store = Store::builder().clock(clock.clone()).hash_seed(3).stripes(4).build();
    for n in 0..KEYS {
        let key = format!("key:{n}");
        match n % 8 {
            0 => store.set(key, n).unwrap(),
            1 => store.set(key, format!("text {n}")).unwrap(),
            2 => store.set(key, "long ".repeat(10 + usize::try_from(n % 50).unwrap())).unwrap(),
            3 => drop(store.sadd(key, [n, n / 3]).unwrap()),
            4 => drop(store.pfadd(key, [n, n / 3]).unwrap()),
            5 => drop(store.zadd(key, format!("member {}", n / 10), 1).unwrap()),
            6 => drop(store.sadd(format!("a key of more than so many bytes: {n}"), [n]).unwrap()),
            _ => {
                store.set(&key, n).unwrap();
                assert!(store.expire(&key, 10).unwrap());
            }
        }
    }
    clock.advance(5_000);
    (clock, store)
}

/// Some keys, of which a few are repeated or do not exist.
fn some_keys(rng: &mut Rng, kind: Option<u64>) -> Vec<String> {
    let count = *rng.pick(&[1, 4, 5, 6, 63, 64, 65, 200]).unwrap();
    let mut key = || {
        let n = rng.below(KEYS + KEYS / 8);
        let n = kind.map_or(n, |kind| n / 8 * 8 + kind);
        if n % 8 == 6 {
            format!("a key of more than so many bytes: {n}")
        } else {
            format!("key:{n}")
        }
    };
    (0..count).map(|_| key()).collect()
}

fn strings_one_by_one(store: &Store, keys: &[String]) -> Vec<Option<Bytes>> {
    keys.iter().map(|key| store.get(key).ok().flatten()).collect()
}

#[test]
fn keys_that_are_read_together_equal_those_read_one_by_one() {
    let (clock, store) = filled();
    let mut rng = Rng::new(5);
    for round in 0..300 {
        if round == 150 {
            clock.advance(5_000);
        }
        let keys = some_keys(&mut rng, None);
        assert_eq!(store.mget(&keys).unwrap(), strings_one_by_one(&store, &keys));
        let there = keys.iter().filter(|key| store.exists(key).unwrap()).count();
        assert_eq!(store.exists_many(&keys).unwrap(), there);
        clock.advance_us(1);
        assert_eq!(store.touch(&keys).unwrap(), there);
        let found = store.transaction(&keys, |tx| Ok((tx.mget(&keys)?, tx.exists_many(&keys)?)));
        assert_eq!(found.unwrap(), (strings_one_by_one(&store, &keys), there));
    }
    assert!(!store.exists("key:7").unwrap());
}

#[test]
fn a_key_that_is_read_with_others_has_its_access_time_updated() {
    let (clock, store) = filled();
    let keys: Vec<String> = (0..100).map(|n| format!("key:{}", n * 8)).collect();
    let idle = |key: &String| store.object_idletime(key).unwrap();
    clock.advance(1_000_000);
    assert_eq!(store.exists_many(&keys).unwrap(), 100);
    assert!(keys.iter().all(|key| idle(key) == Some(1_005)), "EXISTS notes no access");
    store.mget(&keys[..50]).unwrap();
    assert_eq!(store.touch(&keys[50..]).unwrap(), 50);
    assert!(keys.iter().all(|key| idle(key) == Some(0)));
}

#[test]
fn strings_that_are_read_together_are_short_or_long() {
    let (_clock, store) = filled();
    let mut rng = Rng::new(6);
    for kind in [0, 1, 2] {
        for _ in 0..20 {
            let keys = some_keys(&mut rng, Some(kind));
            assert_eq!(store.mget(&keys).unwrap(), strings_one_by_one(&store, &keys));
        }
    }
}

#[test]
fn sets_hyperloglogs_and_sorted_sets_are_read_together() {
    let (_clock, store) = filled();
    let mut rng = Rng::new(7);
    for _ in 0..40 {
        let keys = some_keys(&mut rng, Some(3));
        let mut members: Vec<Bytes> =
            keys.iter().flat_map(|key| store.smembers(key).unwrap()).collect();
        members.sort();
        members.dedup();
        let mut union = store.sunion(&keys).unwrap();
        union.sort();
        assert_eq!(union, members);

        let keys = some_keys(&mut rng, Some(4));
        store.del("merged").unwrap();
        store.pfmerge("merged", &keys).unwrap();
        assert_eq!(store.pfcount(&keys).unwrap(), store.pfcount("merged").unwrap());

        let mut keys = some_keys(&mut rng, Some(5));
        let sum: usize = {
            let mut members: Vec<_> =
                keys.iter().flat_map(|key| store.zrange(key, 0, -1).unwrap()).collect();
            members.sort();
            members.dedup();
            members.len()
        };
        assert_eq!(store.zunionstore("union", &keys, &[], Aggregate::Sum).unwrap(), sum);
        keys.push("key:0".into());
        assert!(store.sunion(&keys).is_err());
    }
}
