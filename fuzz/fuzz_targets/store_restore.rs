//! Any bytes as a payload for RESTORE, under both profiles; then commands on what it made.
//!
//! By the first byte the payload is taken as it is, or with a footer made right.
#![no_main]

use bytes::Bytes;
use tallis::{Limits, Profile, Reply, RestoreOptions, Store};

/// Commands of every family, on the key or on it and another: none may panic, whatever the value is.
const COMMANDS: &[&[&str]] = &[
    &["TYPE", "k"],
    &["OBJECT", "ENCODING", "k"],
    &["DEBUG", "OBJECT", "k"],
    &["MEMORY", "USAGE", "k"],
    &["SCARD", "k"],
    &["SMEMBERS", "k"],
    &["SISMEMBER", "k", "7"],
    &["SRANDMEMBER", "k", "-3"],
    &["SSCAN", "k", "0"],
    &["SUNIONSTORE", "other", "k", "small"],
    &["SINTER", "k", "small"],
    &["SDIFF", "small", "k"],
    &["SADD", "k", "7", "text", "-70000", "a text that is longer than the others"],
    &["SREM", "k", "7"],
    &["SPOP", "k"],
    &["SPOP", "k", "2"],
    &["STRLEN", "k"],
    &["GETRANGE", "k", "1", "-2"],
    &["PFCOUNT", "k"],
    &["PFADD", "k", "x", "y"],
    &["PFMERGE", "union", "k"],
    &["PFDEBUG", "DECODE", "k"],
    &["PFDEBUG", "GETREG", "k"],
    &["PFCOUNT", "k", "union"],
    &["BF.INFO", "k"],
    &["BF.DEBUG", "k"],
    &["BF.CARD", "k"],
    &["BF.MEXISTS", "k", "a", "7", ""],
    &["BF.SCANDUMP", "k", "0"],
    &["BF.SCANDUMP", "k", "1"],
    &["BF.LOADCHUNK", "k", "2", "x"],
    &["BF.LOADCHUNK", "k", "9", "eight by"],
    &["BF.ADD", "k", "a"],
    &["BF.MADD", "k", "a", "b", "c", "d", "", "7"],
    &["BF.INSERT", "k", "NOCREATE", "ITEMS", "e", "f", "g"],
    &["BF.RESERVE", "k", "0.01", "10"],
    &["INCR", "k"],
    &["INCRBYFLOAT", "k", "1.5"],
    &["APPEND", "k", "abc"],
    &["SETRANGE", "k", "3", "z"],
    &["COPY", "k", "copy", "REPLACE"],
    &["RENAME", "k", "k2"],
    &["RENAME", "k2", "k"],
    &["EXPIRE", "k", "100"],
];

fn store(profile: Profile, limits: Limits) -> Store {
    Store::builder().hash_seed(1).random_seed(2).profile(profile).limits(limits).build()
}

/// The value comes back from its payload, and that payload from it again.
fn check(store: &Store, profile: Profile, limits: Limits) {
    let Ok(Some(payload)) = store.dump("k") else { return };
    let restored = |payload: &Bytes| {
        let store = self::store(profile, limits);
        store.restore("k", payload, RestoreOptions::default()).expect("its own payload");
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
        for words in COMMANDS {
            // An error is an answer too.
            let _ = store.execute(words);
            check(&store, profile, limits);
        }
    }
});
