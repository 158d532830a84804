//! Commands on all keys: scanning while the keys change, random keys, databases, invisible expired keys, and watching.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use tallis::{ErrorKind, ManualClock, Reply, ScanOptions, Store};

fn names(keys: impl IntoIterator<Item = Bytes>) -> BTreeSet<String> {
    keys.into_iter().map(|key| String::from_utf8(key.to_vec()).unwrap()).collect()
}

fn status(text: &'static str) -> Reply {
    Reply::Status(text.into())
}

/// Scans to the end, with `meanwhile` after each call; returns how often each key was found, and the maximum number of
/// keys of a call.
fn scan_all(
    store: &Store,
    options: &ScanOptions,
    mut meanwhile: impl FnMut(u32),
) -> (BTreeMap<Bytes, u32>, usize) {
    let (mut cursor, mut met, mut most) = (0, BTreeMap::new(), 0);
    for call in 0.. {
        let (next, keys) = store.scan_cursor(cursor, options).unwrap();
        most = most.max(keys.len());
        for key in keys {
            *met.entry(key).or_default() += 1;
        }
        meanwhile(call);
        cursor = next;
        if cursor == 0 {
            break;
        }
    }
    (met, most)
}

#[test]
fn a_scan_finds_every_key_that_stays() {
    for stripes in [1, 16] {
        let store = Store::builder().stripes(stripes).hash_seed(7).build();
        let staying: BTreeSet<String> = (0..3000).map(|number| format!("stays:{number}")).collect();
        for key in &staying {
            store.set(key, 1).unwrap();
        }
        for count in [1, 7, 100, 10_000] {
            let options = ScanOptions::default().with_count(count).with_pattern("stays:*");
            let (met, most) = scan_all(&store, &options, |call| {
                // The tables grow to many times their size, and shrink again.
                for number in 0..100 {
                    let key =
                        format!("comes:{}", (call / 60 % 2) * 6000 + call % 60 * 100 + number);
                    if call / 30 % 2 == 0 {
                        store.set(&key, 1).unwrap();
                    } else {
                        store.del([&key]).unwrap();
                    }
                }
            });
            assert_eq!(names(met.keys().cloned()), staying, "{stripes} stripes, count {count}");
            assert!(met.values().all(|&times| times == 1), "nothing comes twice");
            assert!(most <= 3 * count + 20, "{most} at once for a count of {count}");
        }
    }
}

#[test]
fn a_scan_takes_any_cursor_and_filters_by_type() {
    let store = Store::builder().hash_seed(8).build();
    for number in 0..50 {
        store.set(format!("string:{number}"), number).unwrap();
        store.sadd(format!("set:{number}"), [number]).unwrap();
    }
    let sets = ScanOptions::default().with_type("set").with_count(30);
    let (met, _) = scan_all(&store, &sets, |_| ());
    assert_eq!(met.len(), 50);
    assert!(met.keys().all(|key| key.starts_with(b"set:")));
    assert_eq!(scan_all(&store, &sets.clone().with_type("nonesuch"), |_| ()).0.len(), 0);
    // Cursors that were never returned.
    assert_eq!(store.scan_cursor(u64::MAX, &ScanOptions::default()).unwrap(), (0, vec![]));
    for cursor in [1, 12_345, 1 << 47, (1 << 48) - 1] {
        let (next, _) = store.scan_cursor(cursor, &ScanOptions::default()).unwrap();
        assert!(next == 0 || next > cursor);
    }
}

#[test]
fn every_key_is_equally_likely() {
    // So many keys that about half of the buckets have split once more than the others.
    let store = Store::builder().stripes(1).hash_seed(9).random_seed(10).build();
    for number in 0..3600 {
        store.set(format!("key:{number}"), 1).unwrap();
    }
    // Most of them are deleted again, so that buckets of all fill levels exist.
    for number in 300..3600 {
        store.del([format!("key:{number}")]).unwrap();
    }
    let mut counts: BTreeMap<Bytes, f64> = BTreeMap::new();
    for _ in 0..300 * 200 {
        *counts.entry(store.randomkey().unwrap().unwrap()).or_default() += 1.0;
    }
    assert_eq!(counts.len(), 300);
    // Pearson's statistic has the mean 299 and twice that variance; five sigma.
    let chi: f64 = counts.values().map(|count| (count - 200.0).powi(2) / 200.0).sum();
    assert!((chi - 299.0).abs() < 5.0 * (2.0_f64 * 299.0).sqrt(), "{chi}");
    assert_eq!(Store::new().randomkey().unwrap(), None);
}

#[test]
fn expired_keys_are_never_seen() {
    let clock = Arc::new(ManualClock::new(1_000));
    let store = Store::builder().clock(clock.clone()).build();
    for number in 0..100 {
        store.set(format!("key:{number}"), 1).unwrap();
        store.pexpire(format!("key:{number}"), 10).unwrap();
    }
    store.set("stays", 1).unwrap();
    clock.advance(9);
    assert_eq!(store.keys("*").unwrap().len(), 101);
    clock.advance(1);
    assert_eq!(store.keys("*").unwrap(), ["stays"]);
    assert_eq!(store.randomkey().unwrap().unwrap(), "stays");
    assert_eq!(store.dbsize().unwrap(), 101, "but for DBSIZE, as in Redis");
    assert_eq!(store.rename("key:1", "other").unwrap_err().kind(), ErrorKind::NoSuchKey);
    assert_eq!(store.dbsize().unwrap(), 100, "a write gives its memory back");
    assert_eq!(store.keys("key:5").unwrap(), [""; 0]);
    assert_eq!(store.exists_many(["key:2", "key:3"]).unwrap(), 0);
    assert_eq!(store.transaction(["key:4"], |tx| tx.get("key:4")).unwrap(), None);
    assert_eq!(store.dbsize().unwrap(), 96, "and so does a read");
    // The sweep stops at the given limit, and continues from there.
    assert_eq!(store.sweep(40).unwrap(), 40);
    assert_eq!(store.sweep(40).unwrap(), 40);
    assert_eq!(store.sweep(40).unwrap(), 15);
    assert_eq!((store.sweep(40).unwrap(), store.dbsize().unwrap()), (0, 1));
    // A key that is set with an expiry in the past.
    store.execute(&["SET", "late", "v", "PXAT", "5"]);
    assert_eq!(store.dbsize().unwrap(), 2);
    assert_eq!((store.get("late").unwrap(), store.dbsize().unwrap()), (None, 1));
}

#[test]
fn databases_are_flushed_swapped_and_moved_between() {
    let store = Store::new();
    for db in 0..4 {
        for number in 0..10 {
            store.db(db).set(format!("key:{number}"), db).unwrap();
        }
    }
    store.db(1).flushdb().unwrap();
    let sizes = |store: &Store| [0, 1, 2, 3].map(|db| store.db(db).dbsize().unwrap());
    assert_eq!(sizes(&store), [10, 0, 10, 10]);
    store.swapdb(1, 2).unwrap();
    assert_eq!(sizes(&store), [10, 10, 0, 10]);
    assert_eq!(store.db(1).get("key:3").unwrap().unwrap(), "2");
    assert!(store.move_key("key:3", 2).unwrap());
    assert!(!store.move_key("key:3", 2).unwrap());
    assert_eq!(store.db(2).get("key:3").unwrap().unwrap(), "0");
    assert!(!store.move_key("key:4", 3).unwrap(), "it is taken there");
    assert_eq!(store.flushall().unwrap(), 30);
    assert_eq!(sizes(&store), [0; 4]);
}

#[test]
fn a_transaction_on_named_keys_has_no_others() {
    let store = Store::new();
    store.set("a", 1).unwrap();
    let looked = store.transaction(["a"], |tx| {
        for refused in [
            tx.dbsize().map(drop),
            tx.keys("*").map(drop),
            tx.scan_cursor(0, &ScanOptions::default()).map(drop),
            tx.randomkey().map(drop),
            tx.flushall().map(drop),
            tx.swapdb(0, 1),
            tx.get("b").map(drop),
            tx.rename("a", "b"),
        ] {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyNotNamed);
        }
        assert_eq!(tx.keys("a").unwrap(), ["a"], "a name is not a pattern");
        Ok(())
    });
    looked.unwrap();
    let looked = store.transaction_all(|tx| {
        tx.rename("a", "b").unwrap();
        assert_eq!((tx.dbsize().unwrap(), tx.keys("*").unwrap().len()), (1, 1));
        assert_eq!(scan_tx(tx), 1);
        tx.flushall().unwrap();
        assert_eq!(tx.dbsize().unwrap(), 0);
        Ok(())
    });
    looked.unwrap();
}

fn scan_tx(tx: &tallis::Tx<'_>) -> usize {
    let (next, keys) = tx.scan_cursor(0, &ScanOptions::default().with_count(1000)).unwrap();
    assert_eq!(next, 0);
    keys.len()
}

/// The change between WATCH and EXEC.
type Change<'c> = &'c dyn Fn(&Store);

#[test]
fn a_watch_sees_every_change_and_nothing_else() {
    let clock = Arc::new(ManualClock::new(0));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    Store::new().save(&file).unwrap();
    let store = Store::builder().clock(clock.clone()).build();
    let load = |store: &Store| store.load(&file).unwrap();
    let cases: [(&str, Change<'_>, bool); 14] = [
        ("nothing", &|_| (), false),
        ("reading", &|store| drop(store.get("k")), false),
        ("another key", &|store| store.set("l", 1).unwrap(), false),
        ("another database", &|store| store.db(1).set("k", 1).unwrap(), false),
        ("setting", &|store| store.set("k", 1).unwrap(), true),
        ("a failing command", &|store| drop(store.sadd("k", [1])), false),
        ("an expiry", &|store| assert!(store.expire("k", 100).unwrap()), true),
        ("an expiry that comes", &|store| assert!(store.pexpire("e", 1).unwrap()), false),
        ("deleting", &|store| assert_eq!(store.del(["k"]).unwrap(), 1), true),
        ("renaming to it", &|store| store.rename("l", "k").unwrap(), true),
        ("flushing", &|store| drop(store.flushall()), true),
        ("flushing another database", &|store| drop(store.db(3).flushdb()), false),
        ("swapping", &|store| store.swapdb(0, 5).unwrap(), true),
        ("loading", &load, true),
    ];
    for (what, change, seen) in cases {
        store.flushall().unwrap();
        store.mset(&[("k", "v"), ("l", "v"), ("e", "v")]).unwrap();
        let mut session = store.session();
        assert_eq!(session.execute(&["WATCH", "k"]), Reply::OK);
        change(&store);
        session.execute(&["MULTI"]);
        assert_eq!(session.execute(&["PING"]), status("QUEUED"));
        let done = session.execute(&["EXEC"]);
        let want = if seen { Reply::NullArray } else { Reply::Array(vec![status("PONG")]) };
        assert_eq!(done, want, "{what}");
    }

    // A key that expires between WATCH and EXEC has changed, whether or not it was accessed.
    for look in [false, true] {
        store.flushall().unwrap();
        store.set("k", "v").unwrap();
        store.pexpire("k", 10).unwrap();
        let mut session = store.session();
        session.execute(&["WATCH", "k"]);
        clock.advance(10);
        if look {
            store.get("k").unwrap();
        }
        session.execute(&["MULTI"]);
        assert_eq!(session.execute(&["EXEC"]), Reply::NullArray);
        // A key that had expired before does not exist, so it does not change.
        store.set("k", "v").unwrap();
        store.pexpire("k", 10).unwrap();
        clock.advance(10);
        session.execute(&["WATCH", "k"]);
        store.sweep(10).unwrap();
        session.execute(&["MULTI"]);
        assert_eq!(session.execute(&["EXEC"]), Reply::Array(vec![]));
    }
}

#[test]
fn exec_locks_what_its_commands_touch() {
    let store = Store::new();
    let mut session = store.session();
    for words in [
        &["MULTI"][..],
        &["SET", "a", "1"],
        &["SELECT", "1"],
        &["SET", "a", "2"],
        &["MOVE", "a", "2"],
        &["SINTERCARD", "2", "x", "y"],
        &["OBJECT", "ENCODING", "z"],
        &["MEMORY", "USAGE", "m"],
        &["DBSIZE"],
        &["KEYS", "*"],
        &["INCR", "text"],
        &["SADD", "a"],
    ] {
        session.execute(words);
    }
    // The last command has too few words, so nothing runs.
    let aborted = session.execute(&["EXEC"]);
    assert!(matches!(aborted, Reply::Error(text) if text.to_string().starts_with("EXECABORT")));
    assert_eq!((store.dbsize().unwrap(), session.db_number()), (0, 0));

    store.db(1).set("text", "x").unwrap();
    for words in [
        &["MULTI"][..],
        &["SELECT", "1"],
        &["SET", "a", "2"],
        &["INCR", "text"],
        &["MOVE", "a", "2"],
        &["SINTERCARD", "2", "x", "y"],
        &["OBJECT", "ENCODING", "text"],
    ] {
        session.execute(words);
    }
    let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("EXEC has an array") };
    assert_eq!(replies.len(), 6);
    assert!(replies[2].is_error(), "what ran before and after an error stays");
    assert_eq!(replies[3], Reply::Int(1));
    assert_eq!(replies[5], Reply::Bulk("embstr".into()));
    assert_eq!(store.db(2).get("a").unwrap().unwrap(), "2");
    assert_eq!(session.db_number(), 1, "a SELECT outlasts its transaction");
}

#[test]
fn an_iteration_yields_the_keys_that_stay_while_the_loop_writes() {
    let store = Store::builder().hash_seed(7).build();
    let staying: BTreeSet<Bytes> = (0..500).map(|n| format!("stays:{n}").into()).collect();
    for key in &staying {
        store.set(key, 1).unwrap();
    }
    let mut met = BTreeSet::new();
    for (step, key) in store.scan_match("stays:*").enumerate() {
        // The table grows to many times its size.
        for n in 0..20 {
            store.set(format!("comes:{step}:{n}"), 1).unwrap();
        }
        met.insert(key.unwrap());
    }
    assert_eq!(met, staying);

    let deleted: Vec<Bytes> = store
        .scan_options(ScanOptions::default().with_count(7).with_type("STRING"))
        .map(|key| key.unwrap())
        .inspect(|key| assert_eq!(store.del(key).unwrap(), 1))
        .collect();
    assert!(deleted.len() > 10_000 && store.dbsize().unwrap() == 0, "{}", deleted.len());
    assert_eq!(store.scan().count(), 0);
}

#[test]
fn members_are_iterated_and_a_wrong_type_ends_the_iteration() {
    let store = Store::new();
    store.sadd("small", [3, 1, 2]).unwrap();
    let members =
        |found: Result<Vec<Bytes>, _>| found.unwrap().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(members(store.sscan("small").collect()), members(store.smembers("small")));
    store.sadd("large", 0..2000).unwrap();
    assert_eq!(members(store.sscan("large").collect()).len(), 2000);
    assert_eq!(members(store.sscan_match("large", "*77").collect()).len(), 20);
    let few = ScanOptions::default().with_count(3);
    assert_eq!(members(store.sscan_options("large", few.clone()).collect()).len(), 2000);

    let scores: Vec<(f64, u32)> = (0..300).map(|n| (f64::from(n) / 4.0, n)).collect();
    store.zadd_multiple("z", &scores).unwrap();
    let found: Result<BTreeMap<Bytes, f64>, _> = store.zscan("z").collect();
    let found = found.unwrap();
    assert_eq!((found.len(), found[&b"7"[..]]), (300, 1.75));
    assert_eq!(store.zscan_match("z", "1?").count(), 10);
    assert_eq!(store.zscan_options("z", few).count(), 300);

    let mut wrong = store.sscan("z");
    assert_eq!(wrong.next().unwrap().unwrap_err().kind(), ErrorKind::WrongType);
    assert!(wrong.next().is_none() && wrong.next().is_none());
    assert_eq!(store.zscan("small").next().unwrap().unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.zscan("none").size_hint(), (0, None));
    let refused = store.transaction("small", |tx| {
        assert_eq!(tx.sscan("small").count(), 3);
        tx.sscan("large").collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyNotNamed);
}

#[test]
fn a_scan_removes_the_expired_keys_whose_names_match() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    for n in 0..100 {
        store.set(format!("kept:{n}"), n).unwrap();
        store.set(format!("gone:{n}"), n).unwrap();
        store.pexpire(format!("gone:{n}"), 1).unwrap();
    }
    clock.advance(1);
    let scanned = |options: ScanOptions| store.scan_options(options).count();
    assert_eq!(scanned(ScanOptions::default().with_pattern("kept:*")), 100);
    assert_eq!(store.dbsize().unwrap(), 200);
    assert_eq!(scanned(ScanOptions::default().with_pattern("gone:?")), 0);
    assert_eq!(store.dbsize().unwrap(), 190);
    // Whatever their type was.
    assert_eq!(scanned(ScanOptions::default().with_type("set")), 0);
    assert_eq!(store.dbsize().unwrap(), 100);
    assert_eq!(scanned(ScanOptions::default()), 100);
}
