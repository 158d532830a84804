//! Hashes by typed calls, compared with a map.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::sync::Arc;

use bytes::Bytes;
use tallis::rdb::{self, Blob};
use tallis::{ErrorKind, Limits, Member, Profile, RestoreOptions, ScanOptions, Store, Target};
use testkit::rng::Rng;

use crate::journal::Journal;
use crate::payload::{kinds, listpack, payload};

/// Limits that a few fields reach.
fn low() -> Limits {
    Limits { hash_max_listpack_entries: 8, hash_max_listpack_value: 40, ..Limits::default() }
}

fn sorted(store: &Store, key: &str) -> BTreeMap<Bytes, Bytes> {
    store.hgetall(key).unwrap().into_iter().collect()
}

#[test]
fn random_calls_agree_with_a_map() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let store = Store::builder().limits(low()).build();
        let mut oracle: BTreeMap<Bytes, Bytes> = BTreeMap::new();
        // With the first seeds, hashes stay small, so that they remain listpacks.
        let fields = [6, 7, 8, 60, 600, 5000][usize::try_from(seed).unwrap()];
        for _ in 0..8000 {
            let field = Bytes::from(format!("field:{}", rng.below(fields)));
            let lengths = [1, 5, 5, 5, 39, if fields > 8 { 300 } else { 40 }];
            let len = lengths[rng.index(lengths.len())];
            let value = Bytes::from(rng.bytes(len));
            match rng.below(10) {
                0..4 => {
                    let new = oracle.insert(field.clone(), value.clone()).is_none();
                    assert_eq!(store.hset("h", &field, &value).unwrap(), usize::from(new));
                }
                4 => {
                    let new = !oracle.contains_key(&field);
                    if new {
                        oracle.insert(field.clone(), value.clone());
                    }
                    assert_eq!(store.hset_nx("h", &field, &value).unwrap(), new);
                }
                5..7 => {
                    let there = oracle.remove(&field).is_some();
                    assert_eq!(store.hdel("h", &field).unwrap(), usize::from(there));
                }
                7 => {
                    assert_eq!(store.hget("h", &field).unwrap(), oracle.get(&field).cloned());
                    let len = oracle.get(&field).map_or(0, Bytes::len);
                    assert_eq!(store.hstrlen("h", &field).unwrap(), len);
                }
                8 => {
                    assert_eq!(store.hexists("h", &field).unwrap(), oracle.contains_key(&field));
                    assert_eq!(store.hlen("h").unwrap(), oracle.len());
                }
                _ => {
                    let drawn = store.hrandfield_withvalues("h", 5).unwrap();
                    assert_eq!(drawn.len(), oracle.len().min(5));
                    let drawn: BTreeMap<Bytes, Bytes> = drawn.into_iter().collect();
                    assert_eq!(drawn.len(), oracle.len().min(5), "different ones");
                    assert!(drawn.iter().all(|(field, value)| oracle.get(field) == Some(value)));
                }
            }
        }
        assert_eq!(sorted(&store, "h"), oracle);
        let encoding = store.object_encoding("h").unwrap();
        assert_eq!(encoding, Some(if fields <= 8 { "listpack" } else { "hashtable" }));
        let found: BTreeMap<Bytes, Bytes> = store.hscan("h").collect::<Result<_, _>>().unwrap();
        assert_eq!(found, oracle);
        let some: Vec<_> = store.hscan_match("h", "*:1*").collect::<Result<_, _>>().unwrap();
        assert_eq!(some.len(), oracle.keys().filter(|field| field.starts_with(b"field:1")).count());
    }
}

#[test]
fn batched_calls_take_one_or_many_of_any_type() {
    let store = Store::new();
    assert_eq!(store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap(), 2);
    assert_eq!(store.hset_multiple("h", vec![(1, "x"), (2, "y")]).unwrap(), 2);
    assert_eq!(store.hset_multiple("h", &[("a", 1.5)]).unwrap(), 0);
    assert_eq!(store.hset_multiple("none", Vec::<(u8, u8)>::new()).unwrap(), 0);
    assert!(!store.exists("none").unwrap());
    let some = store.hmget("h", ["a", "1", "none"]).unwrap();
    assert_eq!(some, [Some("1.5".into()), Some("x".into()), None]);
    let (a, one): (f64, char) = store.hmget_as("h", ["a", "1"]).unwrap();
    assert_eq!((a, one), (1.5, 'x'));
    let all: HashMap<String, String> = store.hgetall_as("h").unwrap();
    assert_eq!(all.len(), 4);
    let mut keys: Vec<String> = store.hkeys_as("h").unwrap();
    keys.sort();
    assert_eq!(keys, ["1", "2", "a", "b"]);
    let mut values: Vec<String> = store.hvals_as("h").unwrap();
    values.sort();
    assert_eq!(values, ["1.5", "2", "x", "y"]);
    assert_eq!(store.hget_with("h", "b", <[u8]>::len).unwrap(), Some(1));
    assert_eq!(store.hdel("h", ["a", "b", "none"]).unwrap(), 2);
    assert_eq!(store.hdel("h", 1..=2).unwrap(), 2);
    assert!(!store.exists("h").unwrap());
}

#[test]
fn counters_count_and_refuse() {
    let store = Store::new();
    assert_eq!(store.hincr("h", "n", 5u8).unwrap(), 5);
    assert_eq!(store.hincr("h", "n", i64::MIN).unwrap(), i64::MIN + 5);
    assert_eq!(store.hincr("h", "n", -6).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(store.hincr("h", "n", u64::MAX).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(store.hincr_float("h", "f", 0.1).unwrap().to_string(), "0.1");
    assert_eq!(store.hincr_float("h", "f", 0.2).unwrap().to_string(), "0.3");
    assert_eq!(store.hget_as::<String>("h", "f").unwrap(), "0.3");
    let infinite = store.hincr_float("h", "f", f64::INFINITY).unwrap_err();
    assert_eq!(infinite.kind(), ErrorKind::NotInteger);
    store.hset("h", "text", "x").unwrap();
    assert_eq!(store.hincr("h", "text", 1).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(store.hincr_float("h", "text", 1.0).unwrap_err().kind(), ErrorKind::NotInteger);
    store.set("s", "v").unwrap();
    let before = store.changes();
    assert_eq!(store.hincr("s", "f", 1).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.hset("s", "f", 1).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.hgetall("s").unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.hscan("s").next().unwrap().unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.changes(), before);
}

#[test]
fn draws_are_fair_in_every_encoding() {
    for count in [10, 700] {
        let store = Store::builder().random_seed(5).build();
        store.hset_multiple("h", (0..count).map(|n| (n, n))).unwrap();
        let mut seen: HashMap<u32, u32> = HashMap::new();
        let draws: Vec<u32> =
            (0..count * 100).map(|_| store.hrandfield_as::<u32>("h").unwrap()).collect();
        for field in draws {
            *seen.entry(field).or_default() += 1;
        }
        assert!((0..count).all(|n| (50..170).contains(&seen[&n])), "{count}: {seen:?}");
        let repeats = store.hrandfield_multiple("h", -2000).unwrap();
        assert_eq!(repeats.len(), 2000);
        assert_eq!(store.hrandfield_multiple("h", i64::MAX).unwrap().len(), count as usize);
        assert_eq!(
            store.hrandfield_multiple("h", i64::MIN).unwrap_err().kind(),
            ErrorKind::NotInteger
        );
    }
}

#[test]
fn an_entry_runs_several_steps_at_once_and_informs_the_sinks() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let visits = store
        .with_hash("user", |user| {
            assert!(user.is_empty());
            assert!(user.set("name", "ann")?);
            assert!(!user.set_new("name", "bob")?);
            assert!(user.set_new("seen", 1)?);
            assert_eq!(user.remove(["none", "seen"]), 1);
            assert!(matches!(user.get("name"), Some(Member::Bytes(b"ann"))));
            let mut fields = 0;
            user.for_each(|_, _| fields += 1);
            assert_eq!((fields, user.len()), (1, 1));
            user.incr("visits", 3)
        })
        .unwrap();
    assert_eq!(visits, 3);
    store.hincr_float("user", "score", 2.5).unwrap();
    store.hdel("user", ["name", "visits", "score"]).unwrap();
    assert!(!store.exists("user").unwrap());
    assert_eq!(
        journal.lines(),
        [
            "HSET user name ann",
            "HSET user seen 1",
            "HDEL user none seen",
            "HSET user visits 3",
            "HSET user score 2.5",
            "HDEL user name visits score",
        ]
    );
}

#[test]
fn a_cursor_survives_growth() {
    let store = Store::builder().limits(low()).build();
    store.hset_multiple("h", (0..200).map(|n| (n, n))).unwrap();
    let (mut cursor, mut seen, mut steps) = (0, BTreeMap::new(), 0);
    loop {
        let options = ScanOptions::default().with_count(20);
        let (next, found) = store.hscan_cursor("h", cursor, &options).unwrap();
        seen.extend(found);
        if steps < 20 {
            store.hset_multiple("h", (0..300).map(|n| (1000 + steps * 300 + n, n))).unwrap();
        }
        (cursor, steps) = (next, steps + 1);
        if cursor == 0 {
            break;
        }
    }
    assert!(steps > 20, "{steps} steps: the hash has not grown to its end");
    assert!((0..200).all(|n: u32| seen.contains_key(n.to_string().as_bytes())));
}

#[test]
fn duplicate_fields_count_towards_the_limit_in_72_and_not_in_70() {
    for (profile, expected) in [(Profile::Redis72, "hashtable"), (Profile::Redis70, "listpack")] {
        let store = Store::builder().limits(low()).profile(profile).build();
        // Nine fields, eight of them different.
        store.hset_multiple("h", (0..9).map(|n| (n % 8, n))).unwrap();
        assert_eq!(store.object_encoding("h").unwrap(), Some(expected));
        store.hset_multiple("i", (0..8).map(|n| (n, n))).unwrap();
        assert_eq!(store.object_encoding("i").unwrap(), Some("listpack"));
        store.hset_multiple("i", (0..9).map(|n| (n % 8, n))).unwrap();
        assert_eq!(store.object_encoding("i").unwrap(), Some(expected));
        assert_eq!(store.hget_as::<u8>("i", 0).unwrap(), 8);
    }
}

#[test]
fn an_invalid_hash_is_not_restored() {
    let blob = |blob: Blob, bytes: &[u8]| payload(|value| value.blob(blob, bytes));
    let table = |strings: &[&str]| {
        payload(|value| {
            let mut fields = value.hash(strings.len() as u64 / 2)?;
            strings.iter().try_for_each(|string| fields.member(string.as_bytes()))?;
            fields.finish()
        })
    };
    let store = Store::new();
    let refused = [
        blob(Blob::HashListpack, &listpack(&["f", "1", "f", "2"])),
        // An integer and its text are the same field.
        blob(Blob::HashListpack, b"\x11\0\0\0\x04\0\x01\x01\x02\x01\x811\x02\x03\x01\xff"),
        blob(Blob::HashListpack, &listpack(&["f", "1", "g"])),
        blob(Blob::HashListpack, &listpack(&[])),
        blob(Blob::HashListpack, b"junk"),
        table(&["f", "1", "f", "2"]),
        table(&[]),
    ];
    for payload in refused {
        let error = store.restore("h", &payload, RestoreOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(!store.exists("h").unwrap());
    }
    for payload in
        [blob(Blob::HashListpack, &listpack(&["f", "1", "g", "f"])), table(&["f", "1", "g", "f"])]
    {
        store.restore("h", &payload, RestoreOptions::default().replace(true)).unwrap();
        assert_eq!(store.hmget_as::<Vec<String>>("h", ["f", "g"]).unwrap(), ["1", "f"]);
    }
}

/// By the number of its fields: eight are a listpack, nine are not.
#[test]
fn the_encoding_of_a_restored_hash_follows_the_limit() {
    let store = Store::builder().limits(low()).build();
    for (count, expected) in [(8, "listpack"), (9, "hashtable")] {
        let strings: Vec<String> = (0..count * 2).map(|n| n.to_string()).collect();
        let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
        let packed = payload(|value| value.blob(Blob::HashListpack, &listpack(&strings)));
        let table = payload(|value| {
            let mut fields = value.hash(count)?;
            strings.iter().try_for_each(|string| fields.member(string.as_bytes()))?;
            fields.finish()
        });
        for payload in [packed, table] {
            store.restore("h", &payload, RestoreOptions::default().replace(true)).unwrap();
            assert_eq!(store.object_encoding("h").unwrap(), Some(expected));
            assert_eq!(store.hget_as::<u8>("h", 2).unwrap(), 3);
        }
    }
}

/// The types of hashes that occur only in files.
const ZIPMAP: u8 = 9;
const ZIPLIST: u8 = 13;

/// Encodings in files for which no supported version of payloads has a form.
#[test]
fn ziplists_and_zipmaps_are_read_and_invalid_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.rdb");
    let load = |kind: u8, blob: &[u8]| {
        let mut file = b"REDIS0006\xfe\x00".to_vec();
        file.extend([kind, 1, b'h', u8::try_from(blob.len()).unwrap()]);
        file.extend(blob);
        file.extend(b"\xff\0\0\0\0\0\0\0\0");
        fs::write(&path, file).unwrap();
        let store = Store::builder().limits(low()).build();
        store.load(&path)?;
        Ok::<_, tallis::Error>(store)
    };
    let store = load(ZIPMAP, b"\x02\x01f\x02\x0012\x01g\x01\x01x?\xff").unwrap();
    assert_eq!(store.object_encoding("h").unwrap(), Some("listpack"));
    assert_eq!(store.hmget_as::<Vec<String>>("h", ["f", "g"]).unwrap(), ["12", "x"]);
    let long = [&b"\x01\x01f\x29\x00"[..], &[b'v'; 41], b"\xff"].concat();
    assert_eq!(load(ZIPMAP, &long).unwrap().object_encoding("h").unwrap(), Some("hashtable"));
    assert!(!load(ZIPMAP, b"\x00\xff").unwrap().exists("h").unwrap(), "no field, no key");
    let store = load(ZIPLIST, b"\x10\0\0\0\x0d\0\0\0\x02\0\0\x01f\x03\xf6\xff").unwrap();
    assert_eq!(store.hget_as::<u8>("h", "f").unwrap(), 5);
    for (kind, blob, why) in [
        (ZIPMAP, &b"\x02\x01f\x01\x00a\x01f\x01\x00b\xff"[..], "duplicate field"),
        (ZIPMAP, b"\x02\x01f\x01\x00a\xff", "zipmap is malformed"),
        (ZIPLIST, b"\x0d\0\0\0\x0a\0\0\0\x01\0\0\xf6\xff", "without a value"),
        (ZIPLIST, b"junk", "ziplist is malformed"),
    ] {
        let error = load(kind, blob).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_file_has_the_form_that_its_version_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.rdb");
    let store = Store::builder().limits(low()).build();
    store.hset_multiple("small", [("a", "1"), ("b", "two")]).unwrap();
    store.hset_multiple("large", (0..300).map(|n| (n, n))).unwrap();
    store.hset("large", "long", vec![7; 1000]).unwrap();
    for (target, small) in [
        (Target::V9, rdb::ValueType::Hash),
        (Target::V10, rdb::ValueType::HashListpack),
        (Target::V11, rdb::ValueType::HashListpack),
    ] {
        let options =
            tallis::SaveOptions { version: Some(target), ..tallis::SaveOptions::default() };
        store.save_with(&path, options).unwrap();
        let expected = [(b"large".to_vec(), rdb::ValueType::Hash), (b"small".to_vec(), small)];
        assert_eq!(kinds(&path), BTreeMap::from(expected));
        let again = Store::builder().limits(low()).build();
        again.load(&path).unwrap();
        for key in ["small", "large"] {
            assert_eq!(sorted(&again, key), sorted(&store, key));
            assert_eq!(again.object_encoding(key).unwrap(), store.object_encoding(key).unwrap());
        }
        assert_eq!(again.hstrlen("large", "long").unwrap(), 1000);
    }
}
