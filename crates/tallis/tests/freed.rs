//! Large values are freed after their stripe is unlocked. A transaction holds its locks until it ends, so it shows when
//! memory is freed.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::sync::Arc;

use tallis::{
    Aggregate, CopyOptions, ExpireOption, ManualClock, RestoreOptions, SortOptions, Store, Tx,
};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// Members of each collection.
const MEMBERS: u32 = 10_000;
/// Bytes that each of them takes at least.
const LARGE: usize = 60_000;

/// A command, and its call.
type Call = (&'static str, fn(&Tx<'_>));

/// Calls that take a large collection from its key, or replace it.
const CALLS: [Call; 11] = [
    ("DEL", |tx| assert_eq!(tx.del("a").unwrap(), 1)),
    ("UNLINK", |tx| assert_eq!(tx.unlink("a").unwrap(), 1)),
    ("SET", |tx| tx.set("a", "text").unwrap()),
    ("RENAME", |tx| tx.rename("list", "a").unwrap()),
    ("COPY", |tx| assert!(tx.copy("list", "a", CopyOptions::default().replace(true)).unwrap())),
    ("RESTORE", |tx| {
        let payload = tx.dump("list").unwrap().unwrap();
        tx.restore("a", payload, RestoreOptions::default().replace(true)).unwrap();
    }),
    ("SUNIONSTORE", |tx| assert_eq!(tx.sunionstore("a", "set").unwrap(), 1)),
    ("ZUNIONSTORE", |tx| assert_eq!(tx.zunionstore("a", "set", &[], Aggregate::Sum).unwrap(), 1)),
    ("SORT", |tx| assert_eq!(tx.sort_store("list", "a", &SortOptions::default()).unwrap(), 1)),
    ("EXPIRE", |tx| assert!(tx.expire("a", -1).unwrap())),
    ("PEXPIREAT", |tx| assert!(tx.pexpire_at("a", 1).unwrap())),
];

fn fill(store: &Store, kind: &str, key: &str) {
    let members = || (0..MEMBERS).map(|n| format!("member:{n}"));
    let all: Vec<String> = members().collect();
    match kind {
        "set" => drop(store.sadd(key, &all).unwrap()),
        "list" => drop(store.rpush(key, &all).unwrap()),
        "zset" => {
            let scored = members().zip(0..).map(|(member, n)| (f64::from(n), member));
            store.zadd_multiple(key, scored.collect::<Vec<_>>()).unwrap();
        }
        "hash" => drop(store.hset_multiple(key, members().map(|n| (n.clone(), n))).unwrap()),
        "timed" => {
            fill(store, "hash", key);
            store.hpexpire(key, 1_u64 << 40, ExpireOption::Always, "member:1").unwrap();
        }
        other => unreachable!("{other}"),
    }
}

/// The bytes that `work` frees before the transaction ends, and those that are freed in all.
fn freed(store: &Store, keys: &[&str], work: impl FnOnce(&Tx<'_>)) -> (usize, usize) {
    let before = ALLOCATOR.live();
    let within = store
        .transaction(keys, |tx| {
            work(tx);
            Ok::<_, tallis::Error>(before.saturating_sub(ALLOCATOR.live()))
        })
        .unwrap();
    (within, before.saturating_sub(ALLOCATOR.live()))
}

fn by_calls() {
    for kind in ["set", "list", "zset", "hash", "timed"] {
        for (name, call) in CALLS {
            let store = Store::new();
            fill(&store, kind, "a");
            store.rpush("list", ["1"]).unwrap();
            store.sadd("set", ["1"]).unwrap();
            let (within, all) = freed(&store, &["a", "list", "set"], call);
            assert!(all > LARGE, "{kind}: {name} frees {all}");
            assert!(within < LARGE / 4, "{kind}: {name} frees {within} of {all} at once");
        }
    }
}

fn by_time() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    fill(&store, "set", "a");
    store.pexpire("a", 5).unwrap();
    clock.advance(5);
    let (within, all) = freed(&store, &["a"], |tx| assert!(!tx.exists("a").unwrap()));
    assert!(within < LARGE / 4 && all > LARGE, "{within} of {all}");
}

fn whole_databases() {
    for (name, other_keys) in [("FLUSHDB", 1), ("FLUSHALL", 0)] {
        let store = Store::new();
        fill(&store, "set", "a");
        let other = store.db(3);
        fill(&other, "hash", "b");
        let before = ALLOCATOR.live();
        let within = store
            .transaction_all(|tx| {
                if name == "FLUSHDB" { tx.flushdb() } else { tx.flushall() }?;
                Ok(before.saturating_sub(ALLOCATOR.live()))
            })
            .unwrap();
        let all = before.saturating_sub(ALLOCATOR.live());
        assert!(within < LARGE / 4 && all > LARGE, "{name}: {within} of {all}");
        assert_eq!(other.dbsize().unwrap(), other_keys);
    }
}

/// A transaction may replace a value, or flush, any number of times before it ends.
fn not_without_limit() {
    let store = Store::new();
    fill(&store, "set", "a");
    ALLOCATOR.reset_peak();
    let one = ALLOCATOR.live();
    let (_, all) = freed(&store, &["a", "b"], |tx| {
        for _ in 0..200 {
            tx.copy("a", "b", CopyOptions::default()).unwrap();
            tx.del("b").unwrap();
        }
    });
    assert!(ALLOCATOR.peak() < one * 30, "{} at the peak, {one} before", ALLOCATOR.peak());
    assert!(all < LARGE, "{all}");

    let members: Vec<String> = (0..MEMBERS).map(|n| format!("member:{n}")).collect();
    ALLOCATOR.reset_peak();
    store
        .transaction_all(|tx| {
            for _ in 0..200 {
                tx.sadd("a", &members)?;
                tx.flushall()?;
            }
            Ok(())
        })
        .unwrap();
    assert!(ALLOCATOR.peak() < one * 30, "{} at the peak, {one} before", ALLOCATOR.peak());
}

/// A single test, so that no other thread allocates at the same time.
#[test]
fn large_values_are_freed_after_their_locks() {
    by_calls();
    by_time();
    whole_databases();
    not_without_limit();
}
