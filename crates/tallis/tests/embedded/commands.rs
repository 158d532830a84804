//! The typed calls, family by family: their results, and that a failed call changes nothing.

use std::sync::Arc;

use tallis::{
    BitFieldOp, Clock, Error, ErrorKind, ExistenceCheck, Expiry, FieldType, Limits, ManualClock,
    Overflow, Reply, SetExpiry, SetOptions, Store,
};
use testkit::rng::Rng;

use crate::journal::Journal;

#[test]
fn numbers_stay_numbers_and_count() {
    let store = Store::new();
    assert_eq!(store.incr("n", 1).unwrap(), 1);
    assert_eq!(store.incr("n", -3).unwrap(), -2);
    store.set("n", i64::MAX).unwrap();
    let error = store.incr("n", 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotInteger);
    assert_eq!(store.get("n").unwrap().unwrap(), i64::MAX.to_string());
    store.set("n", "1.5").unwrap();
    assert_eq!(store.incr("n", 1).unwrap_err().kind(), ErrorKind::NotInteger);
    assert!(!store.set_nx("n", "other").unwrap());
    assert!(store.set_nx("m", "other").unwrap());
}

#[test]
fn strings_report_their_encoding_as_redis_does() {
    let store = Store::new();
    for (value, encoding) in [("12", "int"), ("x", "embstr"), ("", "embstr"), ("012", "embstr")] {
        store.set("k", value).unwrap();
        assert_eq!(store.object_encoding("k").unwrap(), Some(encoding), "{value:?}");
    }
    store.set("k", "x".repeat(44)).unwrap();
    assert_eq!(store.object_encoding("k").unwrap(), Some("embstr"));
    store.set("k", "x".repeat(45)).unwrap();
    assert_eq!(store.object_encoding("k").unwrap(), Some("raw"));
    assert_eq!(store.object_encoding("none").unwrap(), None);
}

#[test]
fn a_wrong_type_is_refused_and_nothing_changes() {
    let store = Store::new();
    store.sadd("set", [1]).unwrap();
    store.set("text", "plain").unwrap();
    store.set("number", 5).unwrap();
    let before = (store.changes(), store.dump("set").unwrap(), store.dump("text").unwrap());
    let kinds = [
        store.get("set").map(drop),
        store.incr("set", 1).map(drop),
        store.sadd("text", [1]).map(drop),
        store.srem("number", [1]).map(drop),
        store.scard("text").map(drop),
        store.smembers("text").map(drop),
        store.sismember("text", 1).map(drop),
        store.pfadd("set", ["x"]).map(drop),
        store.pfcount(["set"]).map(drop),
        store.pfcount(["set", "none"]).map(drop),
        store.pfmerge("set", ["none"]),
        store.pfmerge("none", ["set"]),
    ]
    .map(|result| result.unwrap_err().kind());
    assert_eq!(kinds, [ErrorKind::WrongType; 12]);
    for result in [
        store.pfadd("text", ["x"]).map(drop),
        store.pfadd("number", ["x"]).map(drop),
        store.pfcount(["text"]).map(drop),
        store.pfmerge("none", ["text"]),
    ] {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::InvalidHll);
    }
    assert_eq!(before, (store.changes(), store.dump("set").unwrap(), store.dump("text").unwrap()));
    assert!(!store.exists("none").unwrap());
}

#[test]
fn a_damaged_hyperloglog_is_refused_and_stays() {
    let store = Store::new();
    let mut damaged = hll::HyperLogLog::from_iter(["a", "b", "c"]).into_bytes();
    damaged.push(0x7f);
    store.set("h", &damaged).unwrap();
    for result in [
        store.pfcount(["h"]).map(drop),
        store.pfcount(["h", "none"]).map(drop),
        store.pfmerge("none", ["h"]),
    ] {
        assert_eq!(result.unwrap_err().to_string(), "INVALIDOBJ Corrupted HLL object detected");
    }
    assert_eq!(store.get("h").unwrap().unwrap(), damaged);
    assert!(!store.exists("none").unwrap());
    // If several keys are invalid, the first one is reported.
    store.sadd("set", [1]).unwrap();
    let kind = |keys: &[&str]| store.pfcount(keys).unwrap_err().kind();
    assert_eq!(kind(&["none", "h", "set"]), ErrorKind::InvalidHll);
    assert_eq!(kind(&["none", "set", "h"]), ErrorKind::WrongType);
}

#[test]
fn pfcount_caches_its_result_and_pfadd_invalidates_it() {
    let store = Store::new();
    store.pfadd("h", ["a", "b"]).unwrap();
    let stale = store.get("h").unwrap().unwrap();
    assert_eq!(stale[15] & 0x80, 0x80);
    assert_eq!(store.pfcount(["h"]).unwrap(), 2);
    let fresh = store.get("h").unwrap().unwrap();
    assert_eq!(fresh[8..16], [2, 0, 0, 0, 0, 0, 0, 0]);
    let changes = store.changes();
    assert_eq!(store.pfcount(["h"]).unwrap(), 2);
    assert!(!store.pfadd("h", ["a"]).unwrap());
    assert_eq!(store.changes(), changes, "neither changed anything");
    assert!(store.pfadd("h", ["c"]).unwrap());
    assert_eq!(store.get("h").unwrap().unwrap()[8..16], [2, 0, 0, 0, 0, 0, 0, 0x80]);
    // PFADD on a new key counts as a change even without elements.
    assert!(store.pfadd("empty", [""; 0]).unwrap());
    assert_eq!(store.pfcount(["empty"]).unwrap(), 0);
}

#[test]
fn keys_expire_to_the_millisecond() {
    let clock = Arc::new(ManualClock::new(1_000));
    let store = Store::builder().clock(clock.clone()).build();
    store.set("k", "v").unwrap();
    assert_eq!((store.ttl("k").unwrap().secs(), store.ttl("none").unwrap().secs()), (-1, -2));
    assert!(store.pexpire("k", 1_500).unwrap());
    assert_eq!((store.ttl("k").unwrap().millis(), store.ttl("k").unwrap().secs()), (1_500, 2));
    clock.advance(1_499);
    assert_eq!(store.ttl("k").unwrap().millis(), 1);
    assert_eq!(store.get("k").unwrap().unwrap(), "v");
    clock.advance(1);
    assert_eq!(store.get("k").unwrap(), None);
    assert_eq!(store.exists_many(["k", "k"]).unwrap(), 0);
    assert_eq!(store.key_type("k").unwrap(), None);
    // A write does not find an expired value.
    assert_eq!(store.incr("k", 1).unwrap(), 1);
    assert_eq!(store.ttl("k").unwrap().secs(), -1);

    // INCR keeps an expiry, SET and PERSIST remove it, and one in the past deletes the key.
    store.pexpire("k", 100).unwrap();
    store.incr("k", 1).unwrap();
    assert_eq!(store.ttl("k").unwrap().millis(), 100);
    store.set("k", "w").unwrap();
    assert_eq!(store.ttl("k").unwrap().millis(), -1);
    store.pexpire("k", 100).unwrap();
    assert!(store.persist("k").unwrap() && !store.persist("k").unwrap());
    assert!(store.expire("k", -1).unwrap());
    assert!(!store.exists("k").unwrap());
    assert!(!store.expire("k", 1).unwrap());
    let error = store.expire("k", i64::MAX).unwrap_err();
    assert_eq!(error.to_string(), "ERR invalid expire time in 'expire' command");
}

#[test]
fn a_sweep_removes_expired_keys_and_is_bounded() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    for key in 0..100 {
        store.db(key % 3).set(key.to_string(), key).unwrap();
        if key % 2 == 0 {
            store.db(key % 3).pexpire(key.to_string(), 10).unwrap();
        }
    }
    assert_eq!(store.sweep(1000).unwrap(), 0);
    clock.advance(10);
    assert_eq!(store.sweep(20).unwrap(), 20);
    assert_eq!(store.sweep(1000).unwrap(), 30);
    assert_eq!((0..3).map(|db| store.db(db).dbsize().unwrap()).sum::<usize>(), 50);
}

#[test]
fn idle_time_counts_from_the_last_touch() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    store.set("k", "v").unwrap();
    clock.advance(7_000);
    assert_eq!(store.object_idletime("k").unwrap(), Some(7));
    assert_eq!(
        store.object_idletime("k").unwrap(),
        Some(7),
        "OBJECT IDLETIME does not touch the key"
    );
    store.get("k").unwrap();
    assert_eq!(store.object_idletime("k").unwrap(), Some(0));
}

#[test]
fn limits_are_the_stores_own() {
    let limits =
        Limits { set_max_intset_entries: 3, hll_sparse_max_bytes: 100, ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    store.sadd("s", 0..3).unwrap();
    assert_eq!(store.object_encoding("s").unwrap(), Some("intset"));
    store.sadd("s", [3]).unwrap();
    assert_eq!(store.object_encoding("s").unwrap(), Some("hashtable"));
    store.set_limits(Limits { set_max_intset_entries: 4, ..limits });
    store.sadd("t", 0..4).unwrap();
    assert_eq!(store.object_encoding("t").unwrap(), Some("intset"));
    let elements: Vec<String> = (0..100).map(|i| i.to_string()).collect();
    store.pfadd("h", &elements).unwrap();
    assert_eq!(store.get("h").unwrap().unwrap().len(), hll::DENSE_LEN);
}

/// One of the commands that change strings, with random options.
fn change_string(store: &Store, key: &str, member: i64, rng: &mut Rng) -> Result<(), Error> {
    let other = format!("k{}", rng.below(12));
    let number = member.unsigned_abs();
    let soon = 1_700_000_000_000 + rng.below(500_000);
    match rng.below(24) {
        18 => store.setbit(key, rng.below(300), number.is_multiple_of(2)).map(drop),
        19 => {
            let name = ["i1", "u7", "i8", "i64"][rng.index(4)];
            let field: FieldType = name.parse().expect("a type");
            let overflow = [Overflow::Wrap, Overflow::Sat, Overflow::Fail][rng.index(3)];
            let set = BitFieldOp::set(field, rng.below(300), member).overflow(overflow);
            store.bitfield(key, [set, BitFieldOp::incr_by(field, rng.below(300), member)]).map(drop)
        }
        20 => store.bit_or(key, [key, &other]).map(drop),
        21 => store.bit_not(key, &other).map(drop),
        22 => store.bit_one(key, [&other, key]).map(drop),
        23 => store.bit_diff(&other, [key, "k1"]).map(drop),
        0 => store.append(key, member).map(drop),
        1 => store.setrange(key, rng.index(30), &other).map(drop),
        2 => store.getset(key, member).map(drop),
        3 => store.get_del(key).map(drop),
        4 => store.set_ex(key, &other, number + 1),
        5 => store.pset_ex(key, member, number + 1),
        6 => store.mset(&[(key, member), (&other, number.cast_signed())]),
        7 => store.mset_nx(&[(key, member), (&other, -member)]).map(drop),
        8 => store.incr_float(key, f64::from(member.to_le_bytes()[0]) / 8.0).map(drop),
        9 => store.decr(key, member).map(drop),
        10 => store.get_ex(key, Expiry::PX(number + 1)).map(drop),
        11 => store.get_ex(key, Expiry::PERSIST).map(drop),
        12 => store.get_ex(key, Expiry::PXAT(soon)).map(drop),
        13 => store.pfdebug_getreg(key).map(drop),
        14 => store.pfdebug_todense(key).map(drop),
        choice => {
            let expiry = match choice {
                15 => SetExpiry::PXAT(soon),
                16 => SetExpiry::KEEPTTL,
                _ => SetExpiry::EX(number / 100 + 1),
            };
            let mut options = SetOptions::default().get(rng.chance(1, 2));
            if rng.chance(1, 2) {
                options = options.with_expiration(expiry);
            }
            if rng.chance(1, 2) {
                options = options.conditional_set(ExistenceCheck::XX);
            }
            store
                .set_options(key, "a string that is too long for the value itself", options)
                .map(drop)
        }
    }
}

#[test]
fn the_effects_of_a_store_make_the_same_store_again() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let journal = Arc::new(Journal::default());
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let store = store.db(u32::try_from(rng.below(2)).unwrap());
        let key = format!("k{}", rng.below(12));
        let member = i64::try_from(rng.below(700)).unwrap();
        let result: Result<(), Error> = match rng.below(32) {
            0..3 => store.sadd(&key, [member, member * 1000]).map(drop),
            3 => store.sadd(&key, [&format!("m{member}")]).map(drop),
            4 => store.srem(&key, [member]).map(drop),
            5 => store.incr(&key, member).map(drop),
            6 => store.set(&key, member),
            7 => store.del([&key]).map(drop),
            8 => store.pexpire(&key, member).map(drop),
            9 => store.persist(&key).map(drop),
            10 => store.pfadd(&key, [member]).map(drop),
            11 => store.pfcount([&key]).map(drop),
            12 => store.pfmerge(&key, [format!("k{}", rng.below(12))]),
            13 => {
                clock.advance(i64::try_from(rng.below(50)).unwrap());
                store.set_nx(&key, "new").map(drop)
            }
            _ => change_string(&store, &key, member, &mut rng),
        };
        if let Err(error) = result {
            assert!(matches!(
                error.kind(),
                ErrorKind::WrongType | ErrorKind::InvalidHll | ErrorKind::NotInteger
            ));
        }
    }
    store.sweep(usize::MAX).unwrap();

    // Replayed at an earlier time, so that nothing expires by itself.
    let again = Store::builder().clock(Arc::new(ManualClock::new(0))).build();
    for effect in journal.take() {
        let reply = again.db(effect.db).execute(&effect.args);
        assert!(!matches!(reply, Reply::Error(_)), "{effect:?}: {reply:?}");
    }
    for db in 0..2 {
        let (store, again) = (store.db(db), again.db(db));
        assert_eq!(store.dbsize().unwrap(), again.dbsize().unwrap());
        for key in (0..12).map(|key| format!("k{key}")) {
            assert_eq!(store.key_type(&key).unwrap(), again.key_type(&key).unwrap(), "{key}");
            match (store.object_encoding(&key).unwrap(), again.object_encoding(&key).unwrap()) {
                // INCRBYFLOAT leaves text; replayed as a SET it is a number if possible, as in a replica of Redis.
                (Some("embstr"), Some("int")) => {}
                (ours, theirs) => assert_eq!(ours, theirs, "{key}"),
            }
            let (left, at) = (store.ttl(&key).unwrap().millis(), again.ttl(&key).unwrap().millis());
            assert_eq!(if left < 0 { left } else { left + clock.now_ms() }, at, "{key}");
            if store.key_type(&key).unwrap().as_deref() == Some("set") {
                let sorted = |store: &Store| {
                    let mut members = store.smembers(&key).unwrap();
                    members.sort();
                    members
                };
                assert_eq!(sorted(&store), sorted(&again));
            } else {
                assert_eq!(store.get(&key).unwrap(), again.get(&key).unwrap());
            }
        }
    }
}
