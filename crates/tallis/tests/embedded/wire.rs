//! Values are restored from their frames, frames are deterministic, and invalid frames are refused.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Debug;

use proptest::prelude::*;
use tallis::bitpack::Bitmap;
use tallis::bloom::{BloomFilter, Settings};
use tallis::hll::HyperLogLog;
use tallis::intset::IntSet;
use tallis::listpack::ListPack;
use tallis::quicklist::{Fill, Limits as ListLimits, QuickList};
use tallis::rdb::crc64;
use tallis::skiplist_zset::{Limits as ZSetLimits, ZSet};
use tallis::wire::{self, Error, Framed, HEADER_LEN, Header, Kind, MAX_LEN};
use tallis::{ExpireOption, Limits, ManualClock, Store};

/// Recomputes the checksum after a change.
fn summed(mut frame: Vec<u8>) -> Vec<u8> {
    let end = frame.len() - 8;
    frame.truncate(end);
    let sum = crc64(&frame);
    frame.extend(sum.to_le_bytes());
    frame
}

/// A frame of these bytes.
fn frame_of(kind: Kind, value: &[u8]) -> Vec<u8> {
    let mut frame = b"TALLIS\x01".to_vec();
    frame.push(kind as u8);
    frame.extend((value.len() as u64).to_le_bytes());
    frame.extend(value);
    frame.extend([0; 8]);
    summed(frame)
}

/// Changes each byte of a frame and truncates it at each: an accepted value must be usable.
fn survives<T: Framed>(frame: &[u8], used: impl Fn(&T)) {
    let limit = frame.len() as u64;
    assert!(wire::decode::<T>(frame, limit).is_ok());
    let mut refused = 0;
    let mut attempt = |bytes: Vec<u8>| match wire::decode::<T>(&bytes, limit) {
        Ok(value) => {
            used(&value);
            let again = wire::encode(&value).unwrap();
            assert!(wire::decode::<T>(&again, u64::MAX).is_ok());
        }
        Err(_) => refused += 1,
    };
    for at in 0..frame.len() {
        let mut changed = frame.to_vec();
        changed[at] ^= 0x40;
        assert!(wire::decode::<T>(&changed, limit).is_err(), "byte {at}");
        for flip in [1, 0x7f, 0x80, 0xff] {
            let mut bytes = frame.to_vec();
            bytes[at] ^= flip;
            attempt(summed(bytes));
        }
        assert!(wire::decode::<T>(&frame[..at], limit).is_err(), "cut at {at}");
        // The value truncated, in a valid frame.
        if (HEADER_LEN..frame.len() - 8).contains(&at) {
            attempt(frame_of(T::KIND, &frame[HEADER_LEN..at]));
        }
    }
    assert!(refused > 0);
}

fn sketch(users: std::ops::Range<u32>) -> HyperLogLog {
    let mut sketch = HyperLogLog::new();
    for user in users {
        sketch.add(&user.to_le_bytes());
    }
    sketch
}

fn filter(items: u32) -> BloomFilter {
    let mut filter = Settings::new(10, 0.01).build().unwrap();
    for item in 0..items {
        filter.add(&item.to_le_bytes()).unwrap();
    }
    filter
}

fn zset(members: usize) -> ZSet {
    let scores = [f64::NEG_INFINITY, -0.1, 5e-324, 7.0, f64::INFINITY];
    let entries = (0..members).map(|i| (format!("member {i}"), scores[i % 5]));
    ZSet::from_entries(entries, &ZSetLimits::default()).unwrap()
}

fn list() -> QuickList {
    let limits = ListLimits { fill: Fill::new(3), plain_from: 40, ..Default::default() };
    let mut list = QuickList::new(limits);
    for number in 0..9_usize {
        list.push_back("x".repeat(number * number).as_str()).unwrap();
    }
    list
}

fn listpack() -> ListPack {
    let mut list = ListPack::new();
    for entry in ["abc", "300", "-70000", ""] {
        list.push_back(entry).unwrap();
    }
    list
}

/// Sets a different expiry for each field.
fn expires(store: &Store, key: &str, fields: &[&str]) {
    for (at, field) in (4_102_444_800_123_i64..).zip(fields) {
        let at = at + field.parse::<i64>().unwrap_or(0);
        store.hpexpire_at(key, at, ExpireOption::Always, field).unwrap();
    }
}

/// Creates a key of every type in every encoding; the caller determines the order of insertion.
fn everything(order: impl Fn(Vec<i64>) -> Vec<i64>) -> Store {
    let limits = Limits {
        set_max_intset_entries: 8,
        set_max_listpack_entries: 8,
        hash_max_listpack_entries: 8,
        zset_max_listpack_entries: 8,
        ..Limits::default()
    };
    let store = Store::builder().limits(limits).build();
    let many = || order((0..50).collect());
    store.set("string", "text").unwrap();
    store.set("number", 12_345).unwrap();
    store.set("long", "abc".repeat(100)).unwrap();
    store.pfadd("hll", ["a", "b"]).unwrap();
    store.sadd("ints", [3, 70_000, 1]).unwrap();
    store.sadd("few", ["a", "b"]).unwrap();
    store.sadd("many", many()).unwrap();
    store.zadd("scores", "m", 1.5).unwrap();
    store.hset("hash", "f", "v").unwrap();
    store.hset_multiple("timed", [("f", "v"), ("g", "v"), ("h", "v")]).unwrap();
    expires(&store, "timed", &["h", "f"]);
    for number in many() {
        store.hset("timed fields", number, "v").unwrap();
        expires(&store, "timed fields", &[&number.to_string()]);
    }
    store.hset("timed fields", "lasting", "v").unwrap();
    for number in many() {
        store.zadd("leaders", number, number % 7).unwrap();
        store.hset("fields", number, "v").unwrap();
        store.bf_add("seen", number).unwrap();
    }
    for number in 0..300 {
        store.rpush("list", [format!("{number}").repeat(20)]).unwrap();
    }
    store.db(3).set("other", "db").unwrap();
    store.pexpire_at("string", 4_102_444_800_123_i64).unwrap();
    store
}

fn dumps(store: &Store) -> Vec<(u32, Vec<u8>, i64, Vec<u8>)> {
    let mut dumps = Vec::new();
    for db in store.databases().unwrap() {
        let handle = store.db(db.number);
        for key in handle.keys("*").unwrap() {
            let ttl = i64::from(handle.ttl(&key).unwrap().millis() > 0);
            dumps.push((db.number, key.to_vec(), ttl, handle.dump(&key).unwrap().unwrap().into()));
        }
    }
    dumps.sort();
    dumps
}

#[test]
fn values_are_restored_and_their_frames_are_deterministic() {
    fn comes_back<T: Framed + PartialEq + Debug>(value: &T) {
        let frame = wire::encode(value).unwrap();
        let header = Header::read(&frame).unwrap();
        assert_eq!(header.kind(), Some(T::KIND));
        assert_eq!(header.rest(), (frame.len() - HEADER_LEN) as u64);
        let copy: T = wire::decode(&frame, header.value_len()).unwrap();
        assert_eq!(&copy, value);
        assert_eq!(wire::encode(&copy).unwrap(), frame);
    }
    for users in [0, 5, 5000] {
        comes_back(&sketch(0..users));
    }
    comes_back(&[3, -70_000, 1 << 40].into_iter().collect::<IntSet>());
    comes_back(&filter(3));
    comes_back(&filter(300));
    comes_back(&listpack());
    comes_back(&[1, 9, 64].into_iter().collect::<Bitmap>());
    for members in [0, 5, 1000] {
        let set = zset(members);
        let copy: ZSet = wire::decode(&wire::encode(&set).unwrap(), u64::MAX).unwrap();
        let entries = |set: &ZSet| {
            set.iter().map(|(m, score)| (m.to_vec(), score.to_bits())).collect::<Vec<_>>()
        };
        assert_eq!(entries(&copy), entries(&set));
    }
    let copy: QuickList = wire::decode(&wire::encode(&list()).unwrap(), 1 << 20).unwrap();
    let nodes = |list: &QuickList| {
        list.nodes().map(|node| (node.is_plain(), node.bytes().into_owned())).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&copy), nodes(&list()));
}

#[test]
fn a_store_is_restored_key_by_key() {
    let store = everything(|many| many);
    let frame = wire::encode(&store).unwrap();
    let copy: Store = wire::decode(&frame, 1 << 20).unwrap();
    let (before, after) = (dumps(&store), dumps(&copy));
    let keys = |dumps: &[(u32, Vec<u8>, i64, Vec<u8>)]| {
        dumps.iter().map(|(db, key, ttl, _)| (*db, key.clone(), *ttl)).collect::<Vec<_>>()
    };
    assert_eq!(keys(&before), keys(&after));
    // The copy has other limits, so some large tables are small encodings there; under the same limits, the bytes are
    // equal.
    let small =
        ["string", "number", "long", "hll", "ints", "few", "scores", "hash", "timed", "list"];
    for key in small {
        assert_eq!(copy.dump(key).unwrap(), store.dump(key).unwrap(), "{key}");
    }
    assert_eq!(copy.smembers("many").unwrap().len(), 50);
    assert_eq!(copy.zrange("leaders", 0, -1).unwrap(), store.zrange("leaders", 0, -1).unwrap());
    assert_eq!(copy.hlen("fields").unwrap(), 50);
    let mut fields = store.hkeys("timed fields").unwrap();
    fields.sort();
    assert_eq!(fields.len(), 51);
    let times = |store: &Store| store.hexpire_time("timed fields", &fields).unwrap();
    assert_eq!(times(&copy), times(&store));
    assert_eq!(copy.bf_info("seen").unwrap(), store.bf_info("seen").unwrap());
    assert_eq!(copy.ttl("string").unwrap().secs(), store.ttl("string").unwrap().secs());

    // Tables are laid out by random hashes, and filled in another order.
    let other = everything(|many| many.into_iter().rev().collect());
    other.del(["seen"]).unwrap();
    store.del(["seen"]).unwrap();
    assert_eq!(wire::encode(&other).unwrap(), wire::encode(&store).unwrap());
}

#[test]
fn some_keys_of_a_database_can_be_framed() {
    let store = everything(|many| many);
    let frame = wire::encode_keys(&store, &["many", "none", "ints", "many"]).unwrap();
    let copy: Store = wire::decode(&frame, 1 << 20).unwrap();
    let mut keys = copy.keys("*").unwrap();
    keys.sort();
    assert_eq!(keys, ["ints", "many"]);
    let frame = wire::encode_keys(&store.db(3), &["other"]).unwrap();
    let copy: Store = wire::decode(&frame, 1 << 20).unwrap();
    assert_eq!(copy.get("other").unwrap().as_deref(), Some(&b"db"[..]));
}

#[test]
fn expired_keys_are_omitted() {
    let clock = std::sync::Arc::new(ManualClock::new(1_000));
    let store = Store::builder().clock(clock).build();
    store.set("gone", 1).unwrap();
    store.pexpire_at("gone", 2_000).unwrap();
    store.set("here", 1).unwrap();
    store.hset_multiple("hash", [("gone", 1), ("here", 1)]).unwrap();
    store.hpexpire_at("hash", 2_000, ExpireOption::Always, "gone").unwrap();
    let frame = wire::encode(&store).unwrap();
    let copy: Store = wire::decode(&frame, 1 << 20).unwrap();
    let mut keys = copy.keys("*").unwrap();
    keys.sort();
    assert_eq!(keys, ["hash", "here"]);
    assert_eq!(copy.hgetall("hash").unwrap(), [("here".into(), "1".into())]);
}

#[test]
fn types_that_only_files_have_are_named() {
    let payload = {
        let stream = tallis::rdb::ModuleId::new(*b"TopK-TYPE", 0).unwrap();
        let options = tallis::rdb::WriteOptions::default();
        tallis::rdb::dump::encode(options, |to| to.module(stream)?.finish()).unwrap()
    };
    let store = Store::new();
    store.restore("top", payload, tallis::RestoreOptions::default()).unwrap();
    let error = wire::encode(&store).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value cannot be framed: key 'top' has a type that is supported only in files"
    );
}

#[test]
fn invalid_frames_are_named() {
    let frame = wire::encode(&listpack()).unwrap();
    let read = |bytes: &[u8]| wire::decode::<ListPack>(bytes, 1 << 20).unwrap_err();
    assert_eq!(read(b""), Error::BadMagic);
    assert_eq!(read(b"REDIS0011"), Error::BadMagic);
    assert_eq!(read(b"TALL"), Error::Truncated { need: 16, got: 4 });
    let mut later = frame.clone();
    later[6] = 9;
    assert_eq!(read(&later), Error::UnknownFormat(9));
    let mut other = frame.clone();
    other[7] = 200;
    let error = read(&other);
    assert_eq!(error, Error::Kind { expected: Kind::ListPack, got: 200 });
    assert_eq!(error.to_string(), "the frame holds a value of kind 200, not a listpack");
    assert_eq!(Header::read(&other).unwrap().kind(), None);
    let (need, got) = (frame.len() as u64, frame.len() as u64 - 1);
    assert_eq!(read(&frame[..frame.len() - 1]), Error::Truncated { need, got });
    assert_eq!(read(&[&frame[..], b"x"].concat()), Error::Trailing { bytes: 1 });
    let mut changed = frame.clone();
    changed[20] ^= 1;
    assert!(matches!(read(&changed), Error::Checksum { .. }));
    let len = frame.len() as u64 - 24;
    let too_long = wire::decode::<ListPack>(&frame, len - 1).unwrap_err();
    assert_eq!(too_long, Error::TooLong { len, limit: len - 1 });
    let mut long = frame.clone();
    long[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    let too_long = wire::decode::<ListPack>(&long, u64::MAX).unwrap_err();
    assert_eq!(too_long, Error::TooLong { len: u64::MAX, limit: MAX_LEN });
    let read = |kind, value: &[u8]| wire::decode::<IntSet>(&frame_of(kind, value), 99).unwrap_err();
    assert_eq!(
        read(Kind::IntSet, b"\x0c\0\0\0\0\0\0\0\x02\0\0\0\x02\0\0\0\x05\0\x05\0").to_string(),
        "the value is malformed: intset member 5 at offset 10 is not greater than 5"
    );
    assert_eq!(
        read(Kind::IntSet, b"\x0c\0\0\0\0\0\0\0\x02\0\0\0").to_string(),
        "the value is malformed: unexpected end"
    );
    assert_eq!(
        read(Kind::IntSet, b"\x08\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0x").to_string(),
        "the value is malformed: 1 trailing bytes"
    );
}

#[test]
fn changed_and_truncated_frames_are_refused_or_values() {
    survives(&wire::encode(&sketch(0..40)).unwrap(), |sketch: &HyperLogLog| {
        assert!(sketch.count() < 1 << 63);
    });
    survives(
        &wire::encode(&[3, -70_000].into_iter().collect::<IntSet>()).unwrap(),
        |set: &IntSet| {
            assert!(set.iter().is_sorted());
        },
    );
    survives(&wire::encode(&filter(30)).unwrap(), |filter: &BloomFilter| {
        assert!(filter.links().all(|link| link.set_bits() <= link.bits()));
        assert!(!filter.contains(b"x") || filter.saturation() > 0.0);
    });
    survives(&wire::encode(&zset(9)).unwrap(), |set: &ZSet| {
        assert_eq!(set.iter().count(), set.len());
    });
    survives(&wire::encode(&listpack()).unwrap(), |list: &ListPack| {
        assert_eq!(list.iter().count(), list.len());
    });
    survives(&wire::encode(&list()).unwrap(), |list: &QuickList| {
        assert_eq!(list.iter().count(), list.len());
    });
    let small = everything(|many| many.into_iter().take(9).collect());
    small.del(["list", "long"]).unwrap();
    survives(&wire::encode(&small).unwrap(), |store: &Store| drop(dumps(store)));
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_a_store(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(store) = wire::decode::<Store>(&frame_of(Kind::Keys, &bytes), 1 << 10) {
            dumps(&store);
        }
        prop_assert!(wire::decode::<Store>(&bytes, 1 << 10).is_err());
    }

    #[test]
    fn sketches_and_sets_that_were_divided_add_up(
        users in prop::collection::vec(0..5000_u32, 0..2000),
        cuts in 1..6_usize,
    ) {
        let mut one = HyperLogLog::new();
        let mut all = HyperLogLog::new();
        let mut union = IntSet::new();
        for part in users.chunks((users.len() / cuts).max(1)) {
            let mut sketch = HyperLogLog::new();
            for user in part {
                one.add(&user.to_le_bytes());
                sketch.add(&user.to_le_bytes());
            }
            let set: IntSet = part.iter().map(|&user| i64::from(user)).collect();
            all.merge(&wire::decode::<HyperLogLog>(&wire::encode(&sketch).unwrap(), 1 << 16).unwrap());
            let set: IntSet = wire::decode(&wire::encode(&set).unwrap(), 1 << 16).unwrap();
            union.extend(set.iter());
        }
        prop_assert_eq!(all.count(), one.count());
        let distinct: std::collections::BTreeSet<_> = users.iter().collect();
        prop_assert_eq!(union.len(), distinct.len());
    }
}
