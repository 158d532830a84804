//! Races: sessions that watch, counts of growing values, keys that expire, and scans and sweeps during writes.

#![expect(clippy::wildcard_enum_match_arm, reason = "a reply of any other shape fails the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::thread;

use bytes::Bytes;
use tallis::{Clock, ManualClock, Reply, ScanOptions, Store};
use testkit::rng::Rng;

#[test]
fn optimistic_increments_never_lose_one() {
    const EACH: i64 = 300;
    let store = Store::new();
    let retries: usize = thread::scope(|scope| {
        let sessions: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut session = store.session();
                    let (mut done, mut retries) = (0, 0);
                    while done < EACH {
                        session.execute(&["WATCH", "counter"]);
                        let seen = match session.execute(&["GET", "counter"]) {
                            Reply::Bulk(text) => {
                                std::str::from_utf8(&text).unwrap().parse::<i64>().unwrap()
                            }
                            Reply::Nil => 0,
                            other => panic!("{other:?}"),
                        };
                        thread::yield_now();
                        session.execute(&["MULTI"]);
                        session.execute(&["SET", "counter", &(seen + 1).to_string()]);
                        match session.execute(&["EXEC"]) {
                            Reply::Array(_) => done += 1,
                            Reply::NullArray => retries += 1,
                            other => panic!("{other:?}"),
                        }
                    }
                    retries
                })
            })
            .collect();
        sessions.into_iter().map(|session| session.join().unwrap()).sum()
    });
    assert_eq!(store.get("counter").unwrap().unwrap(), (4 * EACH).to_string());
    assert!(retries > 0, "the sessions never met");
}

#[test]
fn a_count_has_everything_that_was_added_before() {
    // PFCOUNT writes the count into the value if the cached one is stale: no count may be older than the elements added
    // before it.
    const ELEMENTS: usize = 3_000;
    let alone = Store::new();
    let counts: Vec<u64> = std::iter::once(0)
        .chain((0..ELEMENTS).map(|element| {
            alone.pfadd("hll", [&element.to_string()]).unwrap();
            alone.pfcount(["hll"]).unwrap()
        }))
        .collect();
    let store = Store::new();
    let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for element in 0..ELEMENTS {
                begun.store(element + 1, Ordering::SeqCst);
                store.pfadd("hll", [&element.to_string()]).unwrap();
                ended.store(element + 1, Ordering::SeqCst);
            }
        });
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let least = ended.load(Ordering::SeqCst);
                    let count = store.pfcount(["hll"]).unwrap();
                    let most = begun.load(Ordering::SeqCst);
                    assert!(counts[least..=most].contains(&count), "{count} of {least} to {most}");
                    if least == ELEMENTS {
                        break;
                    }
                }
            });
        }
    });
    assert_eq!(store.dump("hll").unwrap(), alone.dump("hll").unwrap());
}

#[test]
fn a_key_is_never_seen_after_its_time() {
    const ROUNDS: u32 = 3_000;
    let clock = Arc::new(ManualClock::new(1_000));
    let store = Store::builder().clock(clock.clone()).stripes(4).build();
    // The value of a key is the time of its expiry.
    let (done, seen) = (AtomicBool::new(false), AtomicI64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut rounds = 0;
            while rounds < ROUNDS || seen.load(Ordering::SeqCst) < 500 {
                rounds += 1;
                clock.advance(1);
                thread::yield_now();
            }
            done.store(true, Ordering::SeqCst);
        });
        for writer in 0..2 {
            let (store, clock, done) = (&store, &clock, &done);
            scope.spawn(move || {
                let mut rng = Rng::new(writer);
                while !done.load(Ordering::SeqCst) {
                    let (key, at) =
                        (format!("k{}", rng.below(8)), clock.now_ms() + rng.range(1..=20));
                    let set = store.transaction([&key], |tx| {
                        tx.set(&key, at)?;
                        tx.pexpire_at(&key, at)
                    });
                    set.unwrap();
                }
            });
        }
        for reader in 0..2 {
            let (store, clock, done, seen) = (&store, &clock, &done, &seen);
            scope.spawn(move || {
                let mut rng = Rng::new(reader);
                let mut rounds = 0;
                while !done.load(Ordering::SeqCst) || rounds < 100 {
                    rounds += 1;
                    let now = clock.now_ms();
                    let (_, keys) =
                        store.scan_cursor(0, &ScanOptions::default().with_count(100)).unwrap();
                    let key = rng.pick(&keys).cloned().unwrap_or_else(|| Bytes::from("k0"));
                    if let Some(text) = store.get(&key).unwrap() {
                        let at: i64 = std::str::from_utf8(&text).unwrap().parse().unwrap();
                        assert!(now < at, "seen at {now}, which was to be gone at {at}");
                        seen.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    clock.advance(20);
    assert_eq!(store.scan_cursor(0, &ScanOptions::default().with_count(100)).unwrap().1, [""; 0]);
    assert!(store.keys("*").unwrap().is_empty());
}

#[test]
fn a_scan_finds_the_keys_that_stay_during_writes() {
    let store = Store::builder().stripes(8).hash_seed(1).build();
    let stays: BTreeSet<Bytes> = (0..500).map(|at| Bytes::from(format!("stays:{at}"))).collect();
    for key in &stays {
        store.set(key, 1).unwrap();
    }
    let members: BTreeSet<Bytes> = stays.clone();
    store.sadd("set", &members).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..2 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                let mut rng = Rng::new(seed);
                while !done.load(Ordering::SeqCst) {
                    // Tables grow and shrink again.
                    let names: Vec<String> =
                        (0..400).map(|_| format!("comes:{seed}:{}", rng.u64())).collect();
                    for name in &names {
                        store.set(name, 1).unwrap();
                    }
                    store.sadd("set", &names).unwrap();
                    store.srem("set", &names).unwrap();
                    store.del(&names).unwrap();
                }
            });
        }
        for count in [1, 7, 50, 300] {
            for _ in 0..3 {
                let options = ScanOptions::default().with_count(count).with_pattern("stays:*");
                let (mut cursor, mut met) = (0, BTreeSet::new());
                loop {
                    let (next, keys) = store.scan_cursor(cursor, &options).unwrap();
                    met.extend(keys);
                    cursor = next;
                    if cursor == 0 {
                        break;
                    }
                }
                assert_eq!(met, stays, "count {count}");
                let mut met = BTreeSet::new();
                loop {
                    let (next, some) = store.sscan_cursor("set", cursor, &options).unwrap();
                    met.extend(some);
                    cursor = next;
                    if cursor == 0 {
                        break;
                    }
                }
                assert_eq!(met, members, "count {count}");
            }
        }
        done.store(true, Ordering::SeqCst);
    });
}

#[test]
fn a_sweep_during_writes_removes_expired_keys_and_nothing_else() {
    const KEYS: i64 = 4_000;
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).stripes(8).build();
    let writing = AtomicUsize::new(2);
    let swept: usize = thread::scope(|scope| {
        for writer in 0..2 {
            let (store, clock, writing) = (&store, &clock, &writing);
            scope.spawn(move || {
                for number in 0..KEYS {
                    let key = format!("{writer}:{number}");
                    store.set(&key, number).unwrap();
                    // Every second key expires, immediately or not during this test.
                    if number % 2 == 0 {
                        store.pexpire_at(&key, clock.now_ms() + 1).unwrap();
                        clock.advance(1);
                    } else if number % 4 == 1 {
                        store.pexpire_at(&key, i64::MAX / 2).unwrap();
                    }
                }
                writing.fetch_sub(1, Ordering::SeqCst);
            });
        }
        let sweeper = scope.spawn(|| {
            let mut swept = 0;
            while writing.load(Ordering::SeqCst) > 0 {
                swept += store.sweep(50).unwrap();
            }
            loop {
                match store.sweep(50).unwrap() {
                    0 => break swept,
                    some => swept += some,
                }
            }
        });
        sweeper.join().unwrap()
    });
    assert!(swept <= usize::try_from(KEYS).unwrap());
    assert_eq!(
        store.dbsize().unwrap(),
        usize::try_from(KEYS).unwrap(),
        "half of both writers' keys"
    );
    for writer in 0..2 {
        for number in 0..KEYS {
            let value = store.get(format!("{writer}:{number}")).unwrap();
            assert_eq!(value.is_some(), number % 2 == 1, "{writer}:{number}");
        }
    }
}
