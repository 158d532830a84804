//! Loading and saving files: the version that a store needs, threads, salvage of a damaged file, and the attributes of
//! keys.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rdb::{Attributes, RawValue, Reader, Record, ValueType, WriteOptions, Writer};
use tallis::{ErrorKind, LoadOptions, LoadReport, ManualClock, SaveOptions, Store, Target};
use testkit::rng::{Rng, rounds};

const SALVAGE: LoadOptions = LoadOptions { salvage: true, checksum: true, threads: 1 };
const PLAIN: Attributes = Attributes { expire_at_ms: None, idle_s: None, freq: None };

/// The expiry of the fields below, in milliseconds since the epoch.
const LATER: i64 = 4_102_444_800_000;

/// A hash of one field with an expiry, in Redis's form and in Valkey's.
fn hash_of_redis() -> RawValue {
    let body = [&LATER.to_le_bytes()[..], b"\x01\x01\x01f\x01v"].concat();
    RawValue::new(ValueType::HashTtl, body).unwrap()
}

fn hash_of_valkey() -> RawValue {
    let body = [b"\x01\x01f\x01v".as_slice(), &LATER.to_le_bytes()].concat();
    RawValue::new(ValueType::ValkeyHashTtl, body).unwrap()
}

fn stream() -> RawValue {
    // No nodes, no entries, three ids of 0-0, nothing ever added, no groups.
    RawValue::new(ValueType::Stream3, vec![0; 10]).unwrap()
}

fn file_of(target: Target, keys: &[(&str, &RawValue)]) -> Vec<u8> {
    let options = WriteOptions { target, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for (key, value) in keys {
        writer.key(key.as_bytes(), PLAIN).raw(value).unwrap();
    }
    writer.finish().unwrap()
}

fn loaded(file: &[u8]) -> Store {
    let store = Store::new();
    store.load_from(file, LoadOptions::default()).unwrap();
    store
}

fn saved(store: &Store) -> Vec<u8> {
    store.save_to(Vec::new(), SaveOptions::default()).unwrap()
}

fn version_of(file: &[u8]) -> rdb::Version {
    Reader::new(file).unwrap().version()
}

#[test]
fn the_version_is_the_lowest_that_has_every_value() {
    let store = Store::builder().profile(tallis::Profile::Redis72).build();
    store.sadd("listpack", ["a"]).unwrap();
    store.rpush("list", ["a"]).unwrap();
    assert_eq!(version_of(&saved(&store)), Target::V10.version(), "native values never raise it");

    let (redis, valkey, stream) = (hash_of_redis(), hash_of_valkey(), stream());
    for (from, to, keys) in [
        (Target::V11, Target::V11, vec![("s", &stream)]),
        (Target::V12, Target::V12, vec![("h", &redis)]),
        (Target::V12, Target::V12, vec![("h", &redis), ("s", &stream)]),
        (Target::Valkey80, Target::Valkey80, vec![("h", &valkey)]),
        (Target::Valkey80, Target::Valkey80, vec![("s", &stream), ("h", &valkey)]),
    ] {
        let store = loaded(&file_of(from, &keys));
        store.sadd("native", [1]).unwrap();
        let again = saved(&store);
        assert_eq!(version_of(&again), to.version());
        let reloaded = loaded(&again);
        assert_eq!(digest(&reloaded), digest(&store));
        if keys.iter().any(|&(name, _)| name == "h") {
            assert_eq!(reloaded.hexpire_time("h", "f").unwrap()[0].millis(), LATER);
        }

        // Expired values do not raise it.
        for (key, _) in keys {
            store.del([key]).unwrap();
        }
        assert_eq!(version_of(&saved(&store)), Target::V10.version());
    }
}

#[test]
fn a_restored_value_raises_the_version_too() {
    let source = loaded(&file_of(Target::V12, &[("h", &hash_of_redis())]));
    let payload = source.dump("h").unwrap().unwrap();
    let store = Store::new();
    store.restore("h", &payload, tallis::RestoreOptions::default()).unwrap();
    assert_eq!(version_of(&saved(&store)), Target::V12.version());
}

#[test]
fn fields_that_expire_are_converted_between_the_lines_of_servers() {
    let store = loaded(&file_of(Target::V12, &[("redis", &hash_of_redis())]));
    let valkey = loaded(&file_of(Target::Valkey80, &[("valkey", &hash_of_valkey())]));
    let payload = valkey.dump("valkey").unwrap().unwrap();
    store.restore("valkey", &payload, tallis::RestoreOptions::default()).unwrap();
    for version in Target::ALL {
        let options = SaveOptions { version: Some(version), ..SaveOptions::default() };
        let saved = store.save_to(Vec::new(), options);
        if version.has(ValueType::HashTtl) || version.has(ValueType::ValkeyHashTtl) {
            assert_eq!(digest(&loaded(&saved.unwrap())), digest(&store), "{version:?}");
        } else {
            let error = saved.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.to_string().contains("key '"), "{error}");
        }
    }
}

fn digest(store: &Store) -> String {
    format!("{:?}", store.session().execute(&["DEBUG", "DIGEST"]))
}

#[test]
fn threads_report_the_first_of_several_invalid_values() {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    let mut first = None;
    let valid = rounds(100_000, 200_000);
    for number in 0..2 * valid {
        let key = format!("key:{number}");
        if number >= valid && number % 7 == 0 {
            first.get_or_insert(number);
            writer.key(key.as_bytes(), PLAIN).blob(rdb::Blob::IntSet, b"no intset").unwrap();
        } else {
            writer.key(key.as_bytes(), PLAIN).int(number.cast_signed()).unwrap();
        }
    }
    let file = writer.finish().unwrap();
    let first = first.unwrap();
    let expected = format!("key 'key:{first}'");
    for threads in [1, 2, 2, 2, 3, 4] {
        let options = LoadOptions { threads, ..LoadOptions::default() };
        let error = Store::new().load_from(&file[..], options).unwrap_err().to_string();
        assert!(error.contains(&expected), "{threads} threads: {error}");
        let store = Store::new();
        let report = store.load_from(&file[..], LoadOptions { threads, ..SALVAGE }).unwrap();
        assert_eq!(report.damage.unwrap().to_string(), error);
        assert_eq!((report.keys, store.dbsize().unwrap() as u64), (first, first));
    }
}

#[test]
fn data_after_a_duplicate_key_is_not_salvaged() {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    for key in ["a", "b", "a", "c", "d"] {
        writer.key(key.as_bytes(), PLAIN).int(1).unwrap();
    }
    let store = Store::new();
    let report = store.load_from(&writer.finish().unwrap()[..], SALVAGE).unwrap();
    assert!(report.damage.unwrap().to_string().contains("key 'a'"));
    let mut keys = store.keys("*").unwrap();
    keys.sort_unstable();
    assert_eq!(keys, ["a", "b"]);
}

#[test]
fn a_duplicate_key_is_reported_before_later_errors() {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    for key in ["a", "a", "b"] {
        writer.key(key.as_bytes(), PLAIN).int(1).unwrap();
    }
    writer.key(b"bad", PLAIN).blob(rdb::Blob::IntSet, b"no intset").unwrap();
    let file = writer.finish().unwrap();
    for threads in [1, 2] {
        let options = LoadOptions { threads, ..LoadOptions::default() };
        let error = Store::new().load_from(&file[..], options).unwrap_err().to_string();
        assert!(error.contains("key 'a'"), "{error}");
    }
}

/// Values of every type, some of them large, in two databases.
fn mixed() -> Store {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Store::builder().clock(clock).hash_seed(7).build();
    for number in 0..30_000_i32 {
        store.set(format!("s:{number}"), format!("value {number}")).unwrap();
        store.zadd("z", format!("member {number}"), f64::from(number)).unwrap();
        store.rpush("l", [format!("element {number}")]).unwrap();
        store.hset("h", format!("field {number}"), number).unwrap();
        if number % 10 == 0 {
            store.sadd(format!("i:{}", number % 1000), [i64::from(number) * 77]).unwrap();
            store.db(3).pfadd(format!("p:{}", number % 7), [number.to_string()]).unwrap();
            store.db(3).expire(format!("p:{}", number % 7), 1000).unwrap();
        }
    }
    // Larger than a batch of a thread, and than what is read of a file at once.
    store.set("noise", Rng::new(1).bytes(3_000_000)).unwrap();
    store.set("zeros", vec![0; 5_000_000]).unwrap();
    store.bf_add("b", "item").unwrap();
    store
}

#[test]
fn threads_write_the_same_bytes_and_read_the_same_keys() {
    let store = mixed();
    for compression in [false, true] {
        let file = |threads| {
            let options = SaveOptions { compression, threads, ..SaveOptions::default() };
            store.save_to(Vec::new(), options).unwrap()
        };
        let one = file(1);
        assert!(one.len() > 3_000_000);
        for threads in [2, 3, 8] {
            assert!(file(threads) == one, "{threads} threads, compression {compression}");
        }
        let read = |threads| {
            let clock = Arc::new(ManualClock::new(1_700_000_000_000));
            let again = Store::builder().clock(clock).hash_seed(7).build();
            let options = LoadOptions { threads, ..LoadOptions::default() };
            let report = again.load_from(&one[..], options).unwrap();
            (digest(&again), again.dbsize().unwrap(), report.keys)
        };
        let expected = (digest(&store), store.dbsize().unwrap(), 30_113);
        for threads in [1, 2, 3] {
            assert_eq!(read(threads), expected, "{threads} threads");
        }
    }
}

#[test]
fn threads_report_the_first_error() {
    let store = Store::new();
    for number in 0..100_000 {
        store.set(format!("key:{number}"), "a value of some length").unwrap();
    }
    let options = SaveOptions { checksum: false, ..SaveOptions::default() };
    let mut file = store.save_to(Vec::new(), options).unwrap();
    // The type bytes are replaced by an unknown one.
    let places: Vec<usize> =
        (0..file.len() - 5).filter(|&at| file[at..].starts_with(b"key:")).collect();
    for place in places.iter().skip(60_000).step_by(10_000) {
        file[place - 2] = 27;
    }
    let text = |threads| {
        let options = LoadOptions { threads, ..LoadOptions::default() };
        store.load_from(&file[..], options).unwrap_err().to_string()
    };
    let one = text(1);
    assert!(one.starts_with("cannot load: unknown type 27 of key 'key:"), "{one}");
    assert!(one.ends_with(&format!("at offset {}", places[60_000] - 2)), "{one}");
    for _ in 0..20 {
        assert_eq!(text(2), one);
    }
    assert_eq!(store.dbsize().unwrap(), 100_000, "the store is as it was");
}

#[test]
fn the_data_before_the_damage_is_salvaged() {
    let values: Vec<_> =
        (0..50).map(|_| RawValue::new(ValueType::String, b"\x01v".to_vec()).unwrap()).collect();
    let names: Vec<String> = (0..50).map(|number| format!("k{number:02}")).collect();
    let keys: Vec<(&str, &RawValue)> = names.iter().map(String::as_str).zip(&values).collect();
    let whole = file_of(Target::V10, &keys);
    let salvage = |file: &[u8]| -> (LoadReport, Vec<String>) {
        let store = Store::new();
        store.set("before", "x").unwrap();
        let report = store.load_from(file, SALVAGE).unwrap();
        let mut found: Vec<_> = store
            .keys("*")
            .unwrap()
            .into_iter()
            .map(|key| String::from_utf8(key.to_vec()).unwrap())
            .collect();
        found.sort();
        (report, found)
    };
    let (report, found) = salvage(&whole);
    assert!(report.damage.is_none() && found == names && report.keys == 50);
    // After the header of 9 bytes, a key takes 7.
    for cut in 9..whole.len() {
        let (report, found) = salvage(&whole[..cut]);
        let complete = ((cut - 9) / 7).min(50);
        assert_eq!(found, names[..complete], "cut at {cut}");
        let damage = report.damage.unwrap();
        assert_eq!(damage.kind(), ErrorKind::Corrupt);
        assert!(damage.to_string().contains("at offset"), "{damage}");
    }
    // Nothing but the key is known of a value of unknown type.
    let mut unknown = whole.clone();
    unknown[9 + 7 * 20] = 30;
    let (report, found) = salvage(&unknown);
    assert_eq!(found, names[..20]);
    let damage = report.damage.unwrap().to_string();
    assert_eq!(damage, "cannot load: unknown type 30 of key 'k20' at offset 149");
    // All data is loaded, but the checksum does not match.
    let mut changed = whole.clone();
    changed[9 + 6] = b'w';
    let (report, found) = salvage(&changed);
    assert!(found == names && report.damage.unwrap().to_string().contains("checksum"));
    // A file with an invalid header is refused nevertheless.
    let store = Store::new();
    store.set("k", "v").unwrap();
    for no_file in [&b""[..], b"REDIS", b"REDIX0010", b"REDIS0099"] {
        assert!(store.load_from(no_file, SALVAGE).is_err());
    }
    assert_eq!(store.dbsize().unwrap(), 1);
}

#[test]
fn access_times_and_frequencies_are_restored() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = || Store::builder().clock(clock.clone()).build();
    let used = |file: &[u8]| {
        let mut reader = Reader::new(file).unwrap();
        let mut used = Vec::new();
        let mut db = 0;
        while let Some(record) = reader.next_record().unwrap() {
            if let Record::SelectDb(number) = record {
                db = number;
            }
            if let Record::Key { key, attributes, .. } = record {
                used.push((db, String::from_utf8(key).unwrap(), attributes));
            }
        }
        used.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        used
    };
    let write = |keys: &[(u32, &str, Attributes)]| {
        let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
        for (db, key, attributes) in keys {
            writer.select_db(*db).unwrap();
            writer.key(key.as_bytes(), *attributes).string(b"v").unwrap();
        }
        writer.finish().unwrap()
    };
    let expire_at_ms = Some(1_800_000_000_000);
    let frequent = |freq| Attributes { expire_at_ms, idle_s: None, freq: Some(freq) };
    let idle = |idle_s| Attributes { expire_at_ms, idle_s: Some(idle_s), freq: None };
    let owned = |keys: &[(u32, &str, Attributes)]| {
        keys.iter().map(|&(db, key, of)| (db, key.to_owned(), of)).collect::<Vec<_>>()
    };
    for keys in [
        [(0, "a", frequent(7)), (0, "b", frequent(255)), (9, "a", frequent(0))],
        [(0, "a", idle(0)), (0, "b", idle(100_000)), (9, "a", idle(5))],
        [(0, "a", PLAIN), (0, "b", PLAIN), (9, "a", PLAIN)],
    ] {
        let store = store();
        store.load_from(&write(&keys)[..], LoadOptions::default()).unwrap();
        assert_eq!(used(&saved(&store)), owned(&keys));
    }
    // Time passes, and reads update the access times.
    let store = store();
    store
        .load_from(&write(&[(0, "a", idle(10)), (0, "b", idle(20))])[..], LoadOptions::default())
        .unwrap();
    clock.advance(30_000);
    assert!(store.get("b").unwrap().is_some());
    store.set("c", "new").unwrap();
    let idle_times: Vec<_> =
        used(&saved(&store)).into_iter().map(|(_, key, of)| (key, of.idle_s.unwrap())).collect();
    assert_eq!(idle_times, [("a".to_owned(), 40), ("b".to_owned(), 0), ("c".to_owned(), 0)]);
}

#[test]
fn a_migration_of_slots_is_kept_for_valkey() {
    let options = WriteOptions { target: Target::Valkey80, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    let body = b"\x03job\x02\x01\x05\x40\x64\x40\xc8";
    writer.slot_import(body).unwrap();
    assert!(writer.slot_import(b"\x03job\x02\x01\x05").is_err());
    writer.key(b"h", PLAIN).raw(&hash_of_valkey()).unwrap();
    let again = saved(&loaded(&writer.finish().unwrap()));
    let mut reader = Reader::new(&again[..]).unwrap();
    let mut bodies = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::SlotImport { body } = record {
            bodies.push(body);
        }
    }
    assert_eq!(bodies, [body]);
}

#[test]
fn metadata_of_modules_stays_with_the_name_of_the_key() {
    let metadata = b"\x01ABCD\x02\x05\x05\x03xyz\x00";
    let file = || {
        let options = WriteOptions { target: Target::V13, ..WriteOptions::default() };
        let mut writer = Writer::new(Vec::new(), options).unwrap();
        writer.select_db(2).unwrap();
        writer.key(b"a", PLAIN).metadata(metadata).string(b"1").unwrap();
        writer.key(b"b", PLAIN).string(b"2").unwrap();
        writer.finish().unwrap()
    };
    let found = |file: &[u8]| {
        let mut reader = Reader::new(file).unwrap();
        let mut found = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            if let Record::Key { key, metadata, .. } = record {
                found.push((String::from_utf8(key).unwrap(), metadata));
            }
        }
        found.sort();
        found
    };
    let store = loaded(&file());
    store.db(0).set("a", "of another database").unwrap();
    store.db(2).append("a", "23").unwrap();
    let again = saved(&store);
    assert_eq!(version_of(&again), Target::V13.version());
    let expected = [("a", &b""[..]), ("a", metadata), ("b", b"")];
    assert_eq!(found(&again), expected.map(|(key, bytes)| (key.to_owned(), bytes.to_vec())));

    let options = SaveOptions { version: Some(Target::V12), ..SaveOptions::default() };
    let error = store.save_to(Vec::new(), options).unwrap_err().to_string();
    assert!(error.contains("key 'a'") && error.contains("243"), "{error}");

    store.db(2).del("a").unwrap();
    assert_eq!(version_of(&saved(&store)), Target::V10.version());
}

#[test]
fn a_file_of_redis_8_6_is_loaded_and_saved() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/redis-8.6/all_types.rdb");
    // A time before one of its keys expires.
    let clock = Arc::new(ManualClock::new(1_500_000_000_000));
    let store = Store::builder().clock(clock).build();
    let report = store.load_with(&path, LoadOptions::default()).unwrap();
    assert_eq!((report.keys, report.expired, report.empty), (12, 0, 0));
    assert_eq!(store.key_type("stream").unwrap().as_deref(), Some("stream"));
    assert_eq!(store.lrange("lp_ints", 0, 1).unwrap().len(), 2);

    let values = |file: &[u8]| {
        let mut reader = Reader::new(file).unwrap();
        let mut values = BTreeMap::new();
        while let Some(record) = reader.next_record().unwrap() {
            let Record::Key { key, kind, attributes, .. } = record else { continue };
            let raw = reader.raw_value().unwrap();
            let is_kept = matches!(kind.type_name(), "stream" | "module")
                || matches!(kind, ValueType::HashTtl | ValueType::HashTtlListpack);
            values.insert(key, (attributes, kind, is_kept.then(|| raw.into_body())));
        }
        values
    };
    let again = saved(&store);
    assert_eq!(version_of(&again), Target::V13.version());
    let (before, after) = (values(&std::fs::read(&path).unwrap()), values(&again));
    assert_eq!(before.len(), 12);
    assert!(before.values().any(|(_, kind, _)| *kind == ValueType::Stream4));
    assert_eq!(after.len(), before.len());
    for (key, (attributes, kind, kept)) in &before {
        assert_eq!(after[key].0, *attributes);
        if kept.is_some() {
            assert_eq!((after[key].1, &after[key].2), (*kind, kept));
        }
    }
}

fn corrupt(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corrupt").join(name)
}

#[test]
fn empty_keys_are_counted_and_omitted() {
    let store = Store::new();
    let report =
        store.load_with(corrupt("redis-corrupt_empty_keys.rdb"), LoadOptions::default()).unwrap();
    assert_eq!((report.empty, report.keys), (9, 0));
    let error = store.load(corrupt("redis-corrupt_ziplist.rdb")).unwrap_err().to_string();
    assert!(error.contains("at offset"), "{error}");
}
