//! Disks that fail temporarily during writes, while the log is rewritten and files are loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tallis::{Fsync, LoadOptions, OnLogError, Persistence, SaveOptions, Store};
use testkit::rng::Rng;

use super::memory_disk::{Fault, MemoryDisk};
use super::{digest, info, wait_until};

const DIR: &str = "/dir";

fn open(disk: &MemoryDisk, fsync: Fsync, on_error: OnLogError) -> Store {
    let persistence = Persistence::new().fsync(fsync).on_log_error(on_error);
    let persistence = persistence.rewrite_percentage(0).disk(Arc::new(disk.clone()));
    Store::builder().stripes(4).persistence(persistence).open(DIR).unwrap()
}

/// Changes keys in several databases, one after the other, so that their order matters.
fn change(store: &Store, rng: &mut Rng, thread: u64) {
    let db = store.db(u32::try_from(rng.below(3)).unwrap());
    let key = format!("key:{thread}:{}", rng.below(20));
    // A refused change is not in the store.
    let _ = match rng.below(4) {
        0 => db.append(&key, "x").map(drop),
        1 => db.set(&key, rng.below(1000).to_string()),
        2 => db.del([&key]).map(drop),
        _ => db.transaction(["a", "b"], |tx| {
            tx.incr("a", 1)?;
            tx.incr("b", 1).map(drop)
        }),
    };
}

/// Lets threads write while calls of the disk fail, then continues without failures, and checks the data after a crash.
fn round(seed: u64, fsync: Fsync, on_error: OnLogError) {
    let mut rng = Rng::new(seed);
    let disk = MemoryDisk::default();
    let store = open(&disk, fsync, on_error);
    let other = Store::new();
    other.set("loaded", "1").unwrap();
    other.incr("a", 5).unwrap();
    other.incr("b", 5).unwrap();
    let file = other.save_to(Vec::new(), SaveOptions::default()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for thread in 0..2 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                let mut rng = Rng::new(seed * 10 + thread);
                while !done.load(Ordering::Relaxed) {
                    change(store, &mut rng, thread);
                    thread::sleep(Duration::from_micros(50));
                }
            });
        }
        for _ in 0..6 {
            thread::sleep(Duration::from_millis(rng.below(30)));
            let call = usize::try_from(rng.below(12)).unwrap();
            disk.set_fault(Some(if rng.below(2) == 0 {
                Fault::Once(call)
            } else {
                Fault::From(call)
            }));
            // They may fail, but nothing is lost.
            match rng.below(3) {
                0 => drop(store.load_from(&file[..], LoadOptions::default())),
                1 => drop(store.sync_log()),
                _ => drop(store.rewrite_log()),
            }
            thread::sleep(Duration::from_millis(rng.below(30)));
            // After a crash at this time, the store can be opened, and no transaction is torn.
            let left = open(&disk.after_a_crash(&mut rng), fsync, on_error);
            for db in 0..3 {
                let left = left.db(db);
                assert_eq!(left.get("a").unwrap(), left.get("b").unwrap(), "seed {seed}");
            }
            if rng.below(2) == 0 {
                disk.set_fault(None);
            }
        }
        disk.set_fault(None);
        thread::sleep(Duration::from_millis(30));
        done.store(true, Ordering::Relaxed);
    });
    wait_until(|| store.sync_log().is_ok());
    let expected = digest(&store);
    let after = disk.after_a_crash(&mut rng);
    assert_eq!(digest(&open(&after, fsync, on_error)), expected, "seed {seed}, after a crash");
    drop(store);
    assert_eq!(digest(&open(&disk, fsync, on_error)), expected, "seed {seed}");
}

#[test]
fn the_log_has_the_content_of_the_store_whatever_has_failed_meanwhile() {
    let kinds = [Fsync::EverySecond, Fsync::Always, Fsync::No];
    thread::scope(|scope| {
        // Most of the time is spent waiting for the next attempt.
        for worker in 0..8 {
            scope.spawn(move || {
                for (seed, fsync) in (worker * 100..).zip(kinds.into_iter().cycle().take(6)) {
                    let go_on = (seed / 3) % 2 == 0;
                    let on_error = if go_on { OnLogError::GoOn } else { OnLogError::RefuseWrites };
                    round(seed, fsync, on_error);
                }
            });
        }
    });
}

#[test]
fn a_failed_sync_is_retried_without_further_writes() {
    for fsync in [Fsync::No, Fsync::EverySecond, Fsync::Always] {
        let disk = MemoryDisk::default();
        let store = open(&disk, fsync, OnLogError::RefuseWrites);
        store.set("k", "1").unwrap();
        wait_until(|| info(&store, "aof_buffer_length") == "0");
        disk.set_fault(Some(Fault::From(0)));
        let failed = store.sync_log().is_err();
        assert!(failed || fsync == Fsync::Always, "what was written is not synced yet");
        disk.set_fault(None);
        wait_until(|| store.sync_log().is_ok());
        store.set("k", "2").unwrap();
    }
}

#[test]
fn a_store_that_continues_may_drop_commands_that_exceed_the_buffer() {
    let disk = MemoryDisk::default();
    let store = open(&disk, Fsync::EverySecond, OnLogError::GoOn);
    store.set("first", "1").unwrap();
    store.sync_log().unwrap();
    disk.set_fault(Some(Fault::From(1)));
    let value = vec![b'v'; 8 << 20];
    for number in 0..12 {
        store.set(format!("large:{number}"), &value).unwrap();
    }
    wait_until(|| store.log_error().is_some());
    for number in 12..14 {
        store.set(format!("large:{number}"), &value).unwrap();
    }
    store.sync_log().unwrap_err();
    disk.set_fault(None);
    // The log is rewritten.
    wait_until(|| store.log_error().is_none());
    store.set("last", "1").unwrap();
    store.sync_log().unwrap();
    let expected = digest(&store);
    let after = disk.after_a_crash(&mut Rng::new(1));
    let again = open(&after, Fsync::EverySecond, OnLogError::GoOn);
    assert_eq!(again.dbsize().unwrap(), 16);
    assert_eq!(digest(&again), expected);
}
