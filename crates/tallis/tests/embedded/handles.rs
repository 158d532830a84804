//! Transactions, prepared keys and entries: the keys that they may access, their errors, and what sessions and sinks
//! see of them.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]
#![expect(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "a function name has a single lifetime"
)]

use std::sync::{Arc, Barrier};
use std::thread;

use bytes::Bytes;
use tallis::{Effect, Error, ErrorKind, KeyRef, Locks, ManualClock, Reply, Sink, Store};

use crate::journal::Journal;

fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> ErrorKind {
    result.unwrap_err().kind()
}

#[test]
fn using_the_store_inside_its_own_transaction_is_an_error() {
    let store = Store::new();
    store.set("other", 1).unwrap();
    let refused = store.transaction(["k"], |tx| {
        tx.incr("k", 1)?;
        Ok([
            kind(store.get("k")),
            kind(store.incr("other", 1)),
            kind(store.dbsize()),
            kind(store.flushall()),
            kind(store.used_memory()),
            kind(store.databases()),
            kind(store.sweep(1)),
            kind(store.transaction(["other"], |tx| tx.get("other"))),
            kind(store.transaction_all(|tx| tx.dbsize())),
            kind(store.with_set("other", |set| Ok(set.len()))),
            kind(store.session().get("k")),
        ])
    });
    assert!(refused.unwrap().iter().all(|&kind| kind == ErrorKind::Locked));
    let mut session = store.session();
    let reply = store.transaction(["k"], |_| Ok(session.execute(&["GET", "k"])));
    assert!(matches!(reply.unwrap(), Reply::Error(error) if error.kind() == ErrorKind::Locked));
    // Afterwards everything works as before, also after an error and after a panic.
    assert_eq!((store.get_int("k").unwrap(), store.get_int("other").unwrap()), (Some(1), Some(1)));
    let own: Result<(), Error> =
        store.transaction(["k"], |_| Err(Error::new(ErrorKind::Io, "ERR")));
    assert_eq!(kind(own), ErrorKind::Io);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _: Result<(), Error> = store.transaction(["k"], |_| panic!("on purpose"));
    }));
    assert!(panicked.is_err());
    assert_eq!(store.incr("k", 1).unwrap(), 2);
    // Calls that need no lock of a key work.
    let looked =
        store.transaction(["k"], |_| Ok((store.changes(), store.limits(), store.profile())));
    assert_eq!(looked.unwrap().0, store.changes());
}

#[test]
fn other_stores_and_other_threads_continue_inside_a_transaction() {
    let (outer, inner) = (Store::new(), Store::new());
    let done = outer.transaction(["k"], |tx| {
        tx.incr("k", 1)?;
        let nested = inner.transaction(["k"], |inside| {
            inside.incr("k", 1)?;
            assert_eq!(kind(outer.get("k")), ErrorKind::Locked, "an outer one counts too");
            assert_eq!(kind(inner.get("k")), ErrorKind::Locked);
            Ok(())
        });
        nested?;
        assert_eq!(kind(outer.get("k")), ErrorKind::Locked);
        inner.incr("k", 1)?;
        thread::scope(|scope| {
            scope.spawn(|| inner.incr("k", 1).unwrap()).join().unwrap();
        });
        Ok(())
    });
    done.unwrap();
    assert_eq!((outer.get_int("k").unwrap(), inner.get_int("k").unwrap()), (Some(1), Some(3)));
}

#[test]
fn a_transaction_has_its_keys_and_no_others() {
    let store = Store::new();
    let keys = ["a", "b", "c", "d"];
    for named in 1..=keys.len() {
        let tried = store.transaction(&keys[..named], |tx| {
            for (at, key) in keys.iter().enumerate() {
                let result = tx.incr(key, 1);
                if at < named {
                    result?;
                } else {
                    assert_eq!(kind(result), ErrorKind::KeyNotNamed);
                    assert_eq!(kind(tx.get(key)), ErrorKind::KeyNotNamed);
                }
            }
            Ok(())
        });
        tried.unwrap();
    }
    let counts = keys.map(|key| store.get_int(key).unwrap().unwrap());
    assert_eq!(counts, [4, 3, 2, 1]);
    // Keys of different types in one tuple, and no keys.
    let owned = String::from("a");
    let sum = store.transaction((&owned, b"b", Bytes::from("c")), |tx| {
        Ok(tx.get_int("a")?.unwrap() + tx.get_int("b")?.unwrap() + tx.get_int("c")?.unwrap())
    });
    assert_eq!(sum.unwrap(), 9);
    let none: [&str; 0] = [];
    assert_eq!(kind(store.transaction(none, |tx| tx.get("a"))), ErrorKind::KeyNotNamed);
}

#[test]
fn a_read_only_key_can_be_read_concurrently_and_not_written() {
    let store = Store::builder().stripes(1024).build();
    store.set("limit", 10).unwrap();
    let limit = KeyRef::new(b"limit").read();
    let refused = store.transaction([limit], |tx| {
        assert_eq!(tx.get_int("limit")?, Some(10));
        for refused in
            [tx.incr("limit", 1).map(drop), tx.set("limit", 1), tx.del(["limit"]).map(drop)]
        {
            assert_eq!(kind(refused), ErrorKind::KeyNotNamed);
        }
        Ok(())
    });
    refused.unwrap();
    // A key that is named twice is written if either name allows it.
    let both = store.transaction([limit, KeyRef::new(b"limit")], |tx| tx.incr("limit", 1));
    assert_eq!(both.unwrap(), 11);
    // Two transactions hold it at the same time: neither waits for the other.
    let meet = Barrier::new(2);
    thread::scope(|scope| {
        for name in ["x", "y"] {
            let (store, meet) = (&store, &meet);
            scope.spawn(move || {
                // Each has its own stripe, and shares that of the limit for reading.
                let same = |a: &str, b: &str| a == b;
                assert!(!same(name, "limit"));
                let key = KeyRef::new(name.as_bytes());
                let seen = store.transaction([key, limit], |tx| {
                    meet.wait();
                    tx.get_int("limit")
                });
                assert_eq!(seen.unwrap(), Some(11));
            });
        }
    });
}

#[test]
fn an_expired_read_only_key_is_invisible_and_left_to_its_writers() {
    let clock = Arc::new(ManualClock::new(1000));
    let journal = Arc::new(Journal::default());
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    store.set("k", "v").unwrap();
    store.pexpire("k", 5).unwrap();
    clock.advance(5);
    journal.take();
    let seen = store.transaction([KeyRef::new(b"k").read()], |tx| tx.get("k"));
    assert_eq!(seen.unwrap(), None);
    assert_eq!(journal.lines(), [""; 0]);
    assert_eq!(store.get("k").unwrap(), None);
    assert_eq!(journal.lines(), ["DEL k"]);
}

#[test]
fn a_prepared_key_works_in_its_own_store_and_in_any_other() {
    let (store, other) = (Store::new(), Store::new());
    let key = store.prepare("visits");
    assert_eq!(key.as_ref(), b"visits");
    for (round, store) in [&store, &other, &store.db(3)].into_iter().enumerate() {
        assert_eq!(store.incr(&key, 1).unwrap(), 1, "{round}");
        assert_eq!(store.incr("visits", 1).unwrap(), 2, "{round}");
        assert_eq!(store.transaction([&key], |tx| tx.incr(&key, 1)).unwrap(), 3);
        assert_eq!(store.transaction(["visits"], |tx| tx.incr(&key, 1)).unwrap(), 4);
        assert_eq!(store.keys("*").unwrap(), ["visits"]);
    }
}

#[test]
fn a_transaction_has_one_time() {
    let clock = Arc::new(ManualClock::new(5));
    let store = Store::builder().clock(clock.clone()).build();
    let times = store.transaction(["k"], |tx| {
        let before = tx.now_us();
        clock.advance(1000);
        Ok((before, tx.now_us(), tx.with_string("k", |string| Ok(string.now_us()))?))
    });
    assert_eq!(times.unwrap(), (5000, 5000, 5000));
}

#[test]
fn entries_count_and_are_seen_like_their_commands() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let mut session = store.session();
    session.execute(&["WATCH", "s"]);
    let done = store.with_set("s", |set| {
        assert!(set.add("a")? && !set.add("a")? && set.add(7)?);
        assert!(set.contains("7") && set.remove("a") && !set.remove("a"));
        set.expire_at_ms(4_000_000_000_000);
        Ok((set.len(), set.exists()))
    });
    assert_eq!(done.unwrap(), (1, true));
    assert_eq!(journal.lines(), ["SADD s a", "SADD s 7", "SREM s a", "PEXPIREAT s 4000000000000"]);
    assert_eq!(store.changes(), 4);
    session.execute(&["MULTI"]);
    assert_eq!(session.execute(&["EXEC"]), Reply::NullArray);
    // Removing the last member deletes the key, and adding one creates it again.
    let emptied = store.with_set("s", |set| {
        assert!(set.remove(7));
        assert!(!set.exists() && set.is_empty() && set.expires_at_ms().is_none());
        set.add(8)
    });
    assert!(emptied.unwrap());
    assert_eq!(journal.lines(), ["SREM s 7", "SADD s 8"]);
    assert_eq!(store.ttl("s").unwrap().millis(), -1);
    // The type is checked before anything runs, and a read changes nothing.
    let changes = store.changes();
    assert_eq!(
        kind(store.with_zset("s", |_| -> Result<(), Error> { panic!() })),
        ErrorKind::WrongType
    );
    assert_eq!(store.with_zset("none", |set| Ok(set.len())).unwrap(), 0);
    assert_eq!((store.changes(), store.exists("none").unwrap()), (changes, false));
    assert_eq!(journal.lines(), [""; 0]);
}

#[test]
fn using_the_store_inside_an_entry_is_an_error() {
    let store = Store::new();
    let asked = store.with_string("k", |string| {
        string.incr(1)?;
        Ok((kind(store.get("k")), kind(store.get("other"))))
    });
    assert_eq!(asked.unwrap(), (ErrorKind::Locked, ErrorKind::Locked));
    let asked = store.transaction(["k", "l"], |tx| {
        tx.with_string("k", |_| Ok((kind(tx.get("k")), kind(tx.incr("l", 1)))))
    });
    assert_eq!(asked.unwrap(), (ErrorKind::Locked, ErrorKind::Locked));
    assert_eq!(store.incr("k", 1).unwrap(), 2);
}

/// A sink that calls the store, which is not allowed.
#[derive(Debug, Default)]
struct Asking(std::sync::OnceLock<Store>);

impl Sink for Asking {
    fn commit(&self, _: &[Effect]) {
        if let Some(store) = self.0.get() {
            assert_eq!(kind(store.get("k")), ErrorKind::Locked);
        }
    }
}

#[test]
fn using_the_store_inside_a_sink_is_an_error() {
    let sink = Arc::new(Asking::default());
    let store = Store::builder().sink(sink.clone()).build();
    sink.0.set(store.clone()).unwrap();
    assert_eq!(store.incr("k", 1).unwrap(), 1);
    assert_eq!(store.transaction(["k"], |tx| tx.incr("k", 1)).unwrap(), 2);
}

#[test]
fn one_function_runs_on_every_handle() {
    fn twice<L: Locks>(store: &Store<L>) -> Result<i64, Error> {
        store.incr("n", 1)?;
        store.incr("n", 1)
    }
    let store = Store::new();
    assert_eq!(twice(&store).unwrap(), 2);
    assert_eq!(twice(&store.session()).unwrap(), 4);
    assert_eq!(store.transaction(["n"], |tx| twice(tx)).unwrap(), 6);
    assert_eq!(store.transaction_all(|tx| twice(tx)).unwrap(), 8);
}

/// Runs SWAPDB 0 1 between WATCH and EXEC; returns whether EXEC ran.
fn exec_after_swap(
    before: impl Fn(&Store, &ManualClock),
    after: impl Fn(&Store, &ManualClock),
) -> bool {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    before(&store, &clock);
    let mut session = store.session();
    session.execute(&["WATCH", "k"]);
    after(&store, &clock);
    store.swapdb(0, 1).unwrap();
    session.execute(&["MULTI"]);
    session.execute(&["PING"]);
    session.execute(&["EXEC"]) != Reply::NullArray
}

#[test]
fn an_exchange_of_databases_touches_watched_keys_that_change() {
    let stale = |store: &Store, db: u32, clock: &ManualClock| {
        store.db(db).set("k", "v").unwrap();
        store.db(db).pexpire("k", 1).unwrap();
        clock.advance(2);
    };
    let nothing = |_: &Store, _: &ManualClock| {};
    // No key on either side, or only one that had expired before.
    assert!(exec_after_swap(nothing, nothing));
    assert!(exec_after_swap(|store, clock| stale(store, 1, clock), nothing));
    assert!(exec_after_swap(|store, clock| stale(store, 0, clock), nothing));
    assert!(exec_after_swap(
        |store, clock| {
            stale(store, 0, clock);
            stale(store, 1, clock);
        },
        nothing
    ));
    // A key that disappears, one that appears, one that expired while it was watched.
    assert!(!exec_after_swap(|store, _| store.set("k", "v").unwrap(), nothing));
    assert!(!exec_after_swap(|store, _| store.db(1).set("k", "v").unwrap(), nothing));
    assert!(!exec_after_swap(
        |store, _| {
            store.set("k", "v").unwrap();
            store.pexpire("k", 1).unwrap();
        },
        |_, clock| {
            clock.advance(2);
        }
    ));
}

#[test]
fn watching_a_key_is_not_an_access() {
    let store = Store::new();
    store.set("k", "v").unwrap();
    let Reply::Bulk(payload) = store.execute(&["DUMP", "k"]) else { panic!("DUMP is a string") };
    let words: [&[u8]; 7] = [b"RESTORE", b"k", b"0", &payload, b"REPLACE", b"IDLETIME", b"1000"];
    assert_eq!(store.execute(&words), Reply::OK);
    let mut session = store.session();
    session.execute(&["WATCH", "k"]);
    assert_eq!(store.execute(&["OBJECT", "IDLETIME", "k"]), Reply::Int(1000));
    session.execute(&["MULTI"]);
    session.execute(&["EXEC"]);
    assert_eq!(store.execute(&["OBJECT", "IDLETIME", "k"]), Reply::Int(1000));
    store.get("k").unwrap();
    assert_eq!(store.execute(&["OBJECT", "IDLETIME", "k"]), Reply::Int(0));
}

/// Names `N` keys, of which every third is read-only; the first is named again at the end.
fn in_stripes<const N: usize>(stripes: usize) {
    let store = Store::builder().stripes(stripes).hash_seed(3).build();
    let keys: [String; N] = std::array::from_fn(|at| format!("k{}", at % (N - 1).max(1)));
    let only_read = |key: &String| {
        keys.iter().enumerate().filter(|(_, one)| *one == key).all(|(at, _)| at % 3 == 1)
    };
    let named: [KeyRef<'_>; N] = std::array::from_fn(|at| {
        let key = KeyRef::new(keys[at].as_bytes());
        if at % 3 == 1 { key.read() } else { key }
    });
    let done = store.transaction(named, |tx| {
        for key in &keys {
            if only_read(key) {
                assert_eq!(tx.incr(key, 1).unwrap_err().kind(), ErrorKind::KeyNotNamed, "{key}");
            } else {
                tx.incr(key, 1)?;
            }
            tx.get(key)?;
        }
        Ok(tx.dbsize().unwrap_err().kind())
    });
    assert_eq!(done.unwrap(), ErrorKind::KeyNotNamed, "{N} keys, {stripes} stripes");
    for key in &keys {
        let times = keys.iter().filter(|one| *one == key).count();
        let times = i64::try_from(times).unwrap();
        assert_eq!(store.get_int(key).unwrap(), (!only_read(key)).then_some(times), "{key}");
    }
    // The locks have been released.
    assert_eq!(store.incr("k0", 0).is_ok(), store.transaction_all(|tx| tx.incr("k0", 0)).is_ok());
}

#[test]
fn keys_share_stripes_in_any_combination() {
    for stripes in [1, 2, 4, 64] {
        in_stripes::<1>(stripes);
        in_stripes::<2>(stripes);
        in_stripes::<3>(stripes);
        in_stripes::<4>(stripes);
        in_stripes::<5>(stripes);
        in_stripes::<9>(stripes);
    }
}
