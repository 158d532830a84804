//! Stores on a disk that loses unsynced data, fails or becomes full.

use std::sync::Arc;

use tallis::{
    ErrorKind, Fsync, KeyRef, LoadOptions, OnLogError, Persistence, SaveOptions, Store,
    StoreBuilder,
};
use testkit::rng::Rng;

use super::memory_disk::{Fault, MemoryDisk};
use super::wait_until;

const DIR: &str = "/dir";

/// The number of transactions in a round.
const STEPS: u64 = 12;

fn on(disk: &MemoryDisk, fsync: Fsync) -> StoreBuilder {
    let persistence = Persistence::new().fsync(fsync).disk(Arc::new(disk.clone()));
    Store::builder().stripes(4).persistence(persistence)
}

/// A transaction on two keys, which are equal unless it is torn.
fn step(store: &Store) -> Result<i64, tallis::Error> {
    store.transaction(["a", "b"], |tx| {
        tx.incr("a", 1)?;
        tx.incr("b", 1)
    })
}

/// Returns the number of steps in a store.
fn steps(store: &Store) -> u64 {
    let [a, b] = ["a", "b"].map(|key| store.get(key).unwrap());
    assert_eq!(a, b, "a transaction is whole or not there");
    a.map_or(0, |count| std::str::from_utf8(&count).unwrap().parse().unwrap())
}

/// Runs steps until the disk has failed or all are done; returns the number of acknowledged steps.
fn work(disk: &MemoryDisk) -> u64 {
    let mut acknowledged = 0;
    let Ok(store) = on(disk, Fsync::Always).open(DIR) else { return 0 };
    for number in 0..STEPS {
        if number == STEPS / 2 {
            // It may fail, but nothing is lost.
            let _ = store.rewrite_log();
        }
        match step(&store) {
            Ok(count) => acknowledged = u64::try_from(count).unwrap(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Io, "{error}");
                assert!(error.to_string().starts_with("MISCONF"), "{error}");
                // The data in memory can be read.
                assert!(steps(&store) >= acknowledged);
            }
        }
    }
    acknowledged
}

#[test]
fn acknowledged_steps_exist_whichever_call_fails() {
    let mut rng = Rng::new(7);
    for fault in [Fault::Once, Fault::From] {
        let mut call = 1;
        loop {
            let disk = MemoryDisk::default();
            let store = on(&disk, Fsync::Always).open(DIR).unwrap();
            step(&store).unwrap();
            drop(store);
            disk.set_fault(Some(fault(call)));
            let acknowledged = work(&disk).max(1);
            let failed = disk.failed();
            disk.set_fault(None);
            for disk in [disk.after_a_crash(&mut rng), disk] {
                let store = on(&disk, Fsync::Always).open(DIR).unwrap();
                let found = steps(&store);
                assert!(found >= acknowledged, "{found} of {acknowledged}, {:?}", fault(call));
                step(&store).unwrap();
            }
            if failed == 0 {
                break;
            }
            call += 1;
        }
        assert!(call > 20, "{call} calls");
    }
}

#[test]
fn acknowledged_steps_exist_wherever_the_disk_is_full() {
    let mut rng = Rng::new(8);
    for bytes in (0..1500).step_by(7) {
        let disk = MemoryDisk::default();
        disk.set_fault(Some(Fault::FullAt(bytes)));
        let acknowledged = work(&disk);
        disk.set_fault(None);
        for disk in [disk.after_a_crash(&mut rng), disk] {
            let store = on(&disk, Fsync::Always).open(DIR).unwrap();
            assert!(steps(&store) >= acknowledged, "full at {bytes}");
        }
    }
}

#[test]
fn synced_data_exists_whenever_the_machine_stops() {
    let mut rng = Rng::new(9);
    for _ in 0..50 {
        let disk = MemoryDisk::default();
        let store = on(&disk, Fsync::EverySecond).open(DIR).unwrap();
        let mut synced = 0;
        for _ in 0..rng.below(20) {
            let count = u64::try_from(step(&store).unwrap()).unwrap();
            if rng.below(3) == 0 {
                store.sync_log().unwrap();
                synced = count;
            }
        }
        let after = disk.after_a_crash(&mut rng);
        let store = on(&after, Fsync::EverySecond).open(DIR).unwrap();
        assert!(steps(&store) >= synced);
    }
}

#[test]
fn writes_are_refused_until_the_disk_can_be_written_again() {
    let disk = MemoryDisk::default();
    let store = on(&disk, Fsync::EverySecond).open(DIR).unwrap();
    step(&store).unwrap();
    store.sync_log().unwrap();
    disk.set_fault(Some(Fault::From(1)));
    step(&store).unwrap();
    wait_until(|| store.log_error().is_some());
    let refused = step(&store).unwrap_err();
    let text = "MISCONF Errors writing to the AOF file: the disk fails";
    assert_eq!(refused.to_string(), text);
    assert_eq!(store.set("k", "v").unwrap_err().to_string(), text);
    assert_eq!(store.flushall().unwrap_err().to_string(), text);
    assert_eq!(steps(&store), 2);
    let mut session = store.session();
    assert!(!session.execute(&["GET", "a"]).is_error());
    assert!(session.execute(&["SET", "k", "v"]).is_error());
    session.execute(&["MULTI"]);
    session.execute(&["SET", "k", "v"]);
    assert!(session.execute(&["EXEC"]).is_error());

    disk.set_fault(None);
    wait_until(|| store.log_error().is_none());
    step(&store).unwrap();
    drop((store, session));
    assert_eq!(steps(&on(&disk, Fsync::EverySecond).open(DIR).unwrap()), 3);
}

#[test]
fn many_transactions_are_acknowledged_and_refused_as_one() {
    let disk = MemoryDisk::default();
    let store = on(&disk, Fsync::Always).open(DIR).unwrap();
    let pairs = [["a", "b"]; 3];
    let mut ran = 0;
    let mut steps_at_once = || {
        let outcome = store.transaction_many(&pairs, |_, tx| {
            ran += 1;
            tx.incr("a", 1).unwrap();
            tx.incr("b", 1).unwrap();
        });
        (outcome, ran)
    };
    assert_eq!(steps_at_once(), (Ok(()), 3));
    let after = disk.after_a_crash(&mut Rng::new(13));
    assert_eq!(steps(&on(&after, Fsync::Always).open(DIR).unwrap()), 3);

    disk.set_fault(Some(Fault::From(1)));
    let (outcome, ran) = steps_at_once();
    assert_eq!((outcome.unwrap_err().kind(), ran), (ErrorKind::Io, 6));
    wait_until(|| store.log_error().is_some());
    let (outcome, ran) = steps_at_once();
    assert_eq!((outcome.unwrap_err().kind(), ran), (ErrorKind::Io, 6), "refused before they run");
    // Read-only transactions are not refused.
    let mut read = 0;
    let key = [KeyRef::new(b"a").read()];
    store.transaction_many(&key, |_, tx| read = tx.get_int("a").unwrap().unwrap()).unwrap();
    assert_eq!(read, 6);
}

#[test]
fn a_store_may_continue_while_the_disk_fails() {
    let disk = MemoryDisk::default();
    let going_on = || {
        let persistence = Persistence::new().disk(Arc::new(disk.clone()));
        Store::builder().persistence(persistence.on_log_error(OnLogError::GoOn)).open(DIR).unwrap()
    };
    let store = going_on();
    disk.set_fault(Some(Fault::From(1)));
    step(&store).unwrap();
    wait_until(|| store.log_error().is_some());
    step(&store).unwrap();
    disk.set_fault(None);
    wait_until(|| store.log_error().is_none());
    step(&store).unwrap();
    drop(store);
    assert_eq!(steps(&going_on()), 3);
}

#[test]
fn a_loaded_file_exists_after_reopening() {
    let disk = MemoryDisk::default();
    let other = Store::new();
    for _ in 0..5 {
        step(&other).unwrap();
    }
    let file = other.save_to(Vec::new(), SaveOptions::default()).unwrap();
    let store = on(&disk, Fsync::Always).open(DIR).unwrap();
    step(&store).unwrap();
    store.load_from(&file[..], LoadOptions::default()).unwrap();
    step(&store).unwrap();
    let after = disk.after_a_crash(&mut Rng::new(10));
    assert_eq!(steps(&on(&after, Fsync::Always).open(DIR).unwrap()), 6);

    // The log lags behind the memory until it can be rewritten.
    disk.set_fault(Some(Fault::From(1)));
    store.load_from(&file[..], LoadOptions::default()).unwrap_err();
    assert_eq!(steps(&store), 5);
    assert!(step(&store).unwrap_err().to_string().starts_with("MISCONF"));
    let after = disk.after_a_crash(&mut Rng::new(11));
    assert_eq!(steps(&on(&after, Fsync::Always).open(DIR).unwrap()), 6);
    disk.set_fault(None);
    wait_until(|| store.log_error().is_none());
    step(&store).unwrap();
    let after = disk.after_a_crash(&mut Rng::new(12));
    assert_eq!(steps(&on(&after, Fsync::Always).open(DIR).unwrap()), 6);
}

#[test]
fn a_log_that_has_grown_is_rewritten() {
    let disk = MemoryDisk::default();
    let persistence = Persistence::new().disk(Arc::new(disk.clone()));
    let persistence = persistence.rewrite_percentage(50).rewrite_min_size(2000);
    let store = Store::builder().persistence(persistence).open(DIR).unwrap();
    for _ in 0..3 {
        let before = disk.names();
        for _ in 0..50 {
            step(&store).unwrap();
        }
        // One base, one increment, the manifest and nothing else; of these, only the manifest existed before.
        wait_until(|| {
            let names = disk.names();
            names.len() == 3 && names.iter().filter(|name| before.contains(name)).count() == 1
        });
    }
    drop(store);
    assert_eq!(steps(&on(&disk, Fsync::EverySecond).open(DIR).unwrap()), 150);
}

#[test]
fn a_failed_snapshot_keeps_the_previous_one() {
    let mut rng = Rng::new(13);
    let path = "/dir/dump.rdb";
    let faults = (1..40).flat_map(|call| [Fault::Once(call), Fault::From(call)]);
    let full = (0..4000).step_by(37).map(Fault::FullAt);
    let mut failures = 0;
    for fault in faults.chain(full) {
        let disk = MemoryDisk::default();
        disk.put("/dir/other", Vec::new());
        let store = on(&disk, Fsync::No).build();
        for number in 0..50 {
            store.set(format!("key:{number}"), "old").unwrap();
        }
        store.snapshot(path).unwrap();
        for number in 0..50 {
            store.set(format!("key:{number}"), "new").unwrap();
        }
        disk.set_fault(Some(fault));
        let saved = store.snapshot(path);
        disk.set_fault(None);
        failures += usize::from(saved.is_err());
        if let Err(error) = &saved {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        }
        for disk in [disk.after_a_crash(&mut rng), disk] {
            let found = on(&disk, Fsync::No).build();
            found.load(path).unwrap();
            assert_eq!(found.dbsize().unwrap(), 50);
            let value = found.get("key:0").unwrap();
            for number in 0..50 {
                assert_eq!(found.get(format!("key:{number}")).unwrap(), value);
            }
            if saved.is_ok() {
                assert_eq!(value.as_deref(), Some(&b"new"[..]), "{fault:?}");
            }
        }
        // The store continues, and its next snapshot is complete.
        store.snapshot(path).unwrap();
    }
    assert!(failures > 10, "{failures}");
}
