//! `ShardedHash` compared with a map, with the keys of Redis in Action.

use std::collections::BTreeMap;

use tallis::{ErrorKind, ShardedHash, Store, shard_key};
use testkit::rng::Rng;

#[test]
fn random_calls_agree_with_a_map_and_shards_stay_listpacks() {
    let store = Store::new();
    let hash = ShardedHash::new(store.clone(), "h", 4000, 100);
    let mut rng = Rng::new(1);
    let mut oracle: BTreeMap<String, i64> = BTreeMap::new();
    for _ in 0..20_000 {
        let number = rng.below(2000);
        let field = if rng.below(2) == 0 { format!("{number}") } else { format!("u{number}") };
        match rng.below(6) {
            0..3 => {
                let value = rng.i64();
                let new = oracle.insert(field.clone(), value).is_none();
                assert_eq!(hash.hset(&field, value).unwrap(), new);
            }
            3 => {
                assert_eq!(
                    hash.hget_as::<Option<i64>>(&field).unwrap(),
                    oracle.get(&field).copied()
                );
                assert_eq!(hash.hexists(&field).unwrap(), oracle.contains_key(&field));
            }
            4 => {
                let there = oracle.remove(&field).is_some();
                assert_eq!(hash.hdel(&field).unwrap(), usize::from(there));
            }
            _ => {
                let fields = [field, "none".to_owned(), "7".to_owned()];
                let expected = fields.clone().map(|field| oracle.get(&field).map(i64::to_string));
                let found = hash.hmget(&fields).unwrap();
                let found: Vec<Option<String>> = found
                    .into_iter()
                    .map(|value| Some(String::from_utf8(value?.to_vec()).unwrap()))
                    .collect();
                assert_eq!(found, expected);
            }
        }
    }
    let keys = store.keys("h:*").unwrap();
    // Twenty shards for the numbers, and the others by a hash over eighty.
    assert!((80..=100).contains(&keys.len()), "{}", keys.len());
    let mut fields = 0;
    for key in &keys {
        assert_eq!(store.object_encoding(key).unwrap(), Some("listpack"));
        for field in store.hkeys(key).unwrap() {
            fields += 1;
            assert_eq!(shard_key("h", &field, 4000, 100).as_bytes(), key);
        }
    }
    assert_eq!(fields, oracle.len());
}

#[test]
fn batched_fields_are_each_in_their_shard() {
    let store = Store::new();
    let hash = ShardedHash::new(&store, "h", 1000, 10);
    assert_eq!(hash.hset_multiple((0..100).map(|n| (n, n * n))).unwrap(), 100);
    assert_eq!(hash.hset_multiple([(5, 1), (500, 2), (5, 3)]).unwrap(), 1);
    assert_eq!(store.keys("h:*").unwrap().len(), 11);
    assert_eq!(hash.hget_as::<u32>(5).unwrap(), 3, "the last of two");
    assert_eq!(hash.hincr(99, 1).unwrap(), 99 * 99 + 1);
    assert_eq!(hash.shard_key(99), "h:9");
    let some = hash.hmget([99, 3, 12_345, 3]).unwrap();
    assert_eq!(some, [Some("9802".into()), Some("9".into()), None, Some("9".into())]);
    assert_eq!(hash.hdel(0..100).unwrap(), 100);
    assert_eq!(store.keys("*").unwrap(), ["h:50"]);
    assert!(hash.hmget(Vec::<i32>::new()).unwrap().is_empty());
    store.set("h:0", "text").unwrap();
    assert_eq!(hash.hget(1).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(hash.hset_multiple([(1, 1)]).unwrap_err().kind(), ErrorKind::WrongType);
}
