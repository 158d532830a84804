//! Calls with many members or fields of one listpack: from some number on they are hashed, not searched for one by one.

use tallis::{Limits, Profile, Store};
use testkit::rng::Rng;

/// Some are given twice.
#[test]
fn many_members_and_fields_that_are_added_equal_single_ones() {
    let mut rng = Rng::new(9);
    for round in 0..200 {
        // From 7.2 on, a call with more fields than the limit makes a hash table, also of fewer fields.
        let (profile, hash_max_listpack_entries) =
            [(Profile::Redis70, 60), (Profile::Redis72, 128)][round % 2];
        let limits = Limits { hash_max_listpack_entries, ..Limits::default() };
        let [many, one] =
            [(); 2].map(|()| Store::builder().profile(profile).limits(limits).build());
        let mut name = || match rng.below(200) {
            n if n % 3 == 0 => n.to_string(),
            n => format!("name:{n}"),
        };
        for count in
            [[0, 31, 120], [100, 60, 120], [128, 1, 20], [3, 120, 64], [120, 5, 9]][round % 5]
        {
            let names: Vec<String> = (0..count).map(|_| name()).collect();
            let pairs: Vec<_> = names.iter().zip(0_u32..).collect();
            let single = names.iter().map(|name| one.sadd("set", name).unwrap());
            assert_eq!(many.sadd("set", &names).unwrap(), single.sum::<usize>());
            let single = pairs.iter().map(|(name, n)| one.hset("hash", name, n).unwrap());
            assert_eq!(many.hset_multiple("hash", &pairs).unwrap(), single.sum::<usize>());
            for key in ["set", "hash"] {
                let encoding = many.object_encoding(key).unwrap();
                assert_eq!(encoding, one.object_encoding(key).unwrap(), "{key} {count}");
                if encoding == Some("listpack") {
                    assert_eq!(many.dump(key).unwrap(), one.dump(key).unwrap());
                }
            }
            let sorted = |store: &Store| {
                let mut members = store.smembers("set").unwrap();
                let mut fields = store.hgetall("hash").unwrap();
                members.sort();
                fields.sort();
                (members, fields)
            };
            assert_eq!(sorted(&many), sorted(&one));
        }
    }
}

#[test]
fn many_members_and_fields_of_a_listpack_equal_single_ones() {
    let mut rng = Rng::new(8);
    for round in 0..200 {
        let store = Store::new();
        let size = [1, 15, 16, 31, 32, 33, 100, 128][rng.index(8)];
        let mut name = || match rng.below(3 * size) {
            0 => String::new(),
            n if n % 3 == 0 => n.to_string(),
            n => format!("name:{n}"),
        };
        let names: Vec<String> = (0..size).map(|_| name()).collect();
        let sought: Vec<String> = (0..[1, 15, 16, 31, 32, 90][round % 6]).map(|_| name()).collect();
        store.sadd("set", &names).unwrap();
        for (n, name) in (0_u32..).zip(&names) {
            store
                .hset("hash", name, if n % 2 == 0 { name.clone() } else { n.to_string() })
                .unwrap();
            store.zadd("zset", name, f64::from(n) / 2.0).unwrap();
        }
        for key in ["set", "hash", "zset"] {
            assert_eq!(store.object_encoding(key).unwrap(), Some("listpack"), "{names:?}");
        }
        let each = |name: &String| store.sismember("set", name).unwrap();
        assert_eq!(
            store.smismember("set", &sought).unwrap(),
            sought.iter().map(each).collect::<Vec<_>>()
        );
        let each = |name: &String| store.hget("hash", name).unwrap();
        assert_eq!(
            store.hmget("hash", &sought).unwrap(),
            sought.iter().map(each).collect::<Vec<_>>()
        );
        let each = |name: &String| store.zscore("zset", name).unwrap();
        let scores = store.zscore_multiple("zset", &sought).unwrap();
        assert_eq!(scores, sought.iter().map(each).collect::<Vec<_>>());
    }
}
