//! Any bytes as a payload for RESTORE, under both profiles; then commands on the restored value.
//!
//! By the first byte, the payload is restored unchanged or with a valid footer appended.
#![no_main]

use bytes::Bytes;
use tallis::{Limits, Profile, Reply, RestoreOptions, Store};
use testkit::kept::ON_ANY_VALUE;

fn store(profile: Profile, limits: Limits) -> Store {
    Store::builder().hash_seed(1).random_seed(2).profile(profile).limits(limits).build()
}

/// A value can be restored from its payload, and the restored value from the payload of that.
fn check(store: &Store, profile: Profile, limits: Limits) {
    let Ok(Some(payload)) = store.dump("k") else { return };
    let restored = |payload: &Bytes| {
        let store = self::store(profile, limits);
        store.restore("k", payload, RestoreOptions::default()).expect("a payload of this store");
        store
    };
    let second = restored(&payload);
    let again = second.dump("k").expect("a value").expect("a key");
    let third = restored(&again);
    let encoding = |store: &Store| store.object_encoding("k").expect("a key");
    assert_eq!(encoding(&third), encoding(&second));
    match store.key_type("k").expect("no error").as_deref() {
        Some("set") => {
            let members = |store: &Store| {
                let mut members = store.smembers("k").expect("a set");
                members.sort_unstable();
                members
            };
            assert_eq!(members(&second), members(store));
            assert_eq!(members(&third), members(store));
        }
        Some("hash") => {
            let fields = |store: &Store| {
                let mut fields = store.hgetall("k").expect("a hash");
                fields.sort_unstable();
                fields
            };
            assert_eq!(fields(&second), fields(store));
            assert_eq!(fields(&third), fields(store));
        }
        // A skip list that has become small is loaded as a listpack.
        Some("zset") => {
            let members =
                |store: &Store| store.zrange_withscores("k", 0, -1).expect("a sorted set");
            assert_eq!(members(&second), members(store));
            assert_eq!(members(&third), members(store));
        }
        Some("string") => assert_eq!(second.get("k").unwrap(), store.get("k").unwrap()),
        _ => assert_eq!(again, payload),
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, bytes)) = bytes.split_first() else { return };
    let mut payload = bytes.to_vec();
    if flags & 1 == 0 {
        let version: u16 = [10, 11, 12, 80][usize::from(flags >> 1 & 3)];
        payload.extend_from_slice(&version.to_le_bytes());
        let checksum = rdb::crc64(&payload);
        payload.extend_from_slice(&checksum.to_le_bytes());
    }
    let low = Limits {
        set_max_intset_entries: 4,
        set_max_listpack_entries: 3,
        set_max_listpack_value: 6,
        zset_max_listpack_entries: 2,
        zset_max_listpack_value: 3,
        hash_max_listpack_entries: 2,
        hash_max_listpack_value: 3,
        list_max_listpack_size: 2,
        list_compress_depth: 1,
        hll_sparse_max_bytes: 40,
        bloom_memory_usage_limit: 1 << 20,
    };
    let limits = if flags & 8 == 0 { Limits::default() } else { low };
    for profile in [Profile::Redis70, Profile::Redis72] {
        let store = store(profile, limits);
        store.sadd("small", ["7", "text"]).expect("a fresh key");
        let reply = store.execute(&[b"RESTORE".as_slice(), b"k", b"0", &payload]);
        if reply != Reply::OK {
            assert!(reply.is_error());
            assert!(!store.exists("k").expect("no error"));
            continue;
        }
        check(&store, profile, limits);
        for words in ON_ANY_VALUE {
            // An error is a valid reply too.
            let _ = store.execute(words);
            check(&store, profile, limits);
        }
    }
});
