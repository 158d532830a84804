//! The data that is on the disk when a command has returned, even if another thread wrote it.

use std::sync::Arc;

use shuttle::rand::{Rng as _, thread_rng};
use shuttle::thread;
use tallis::{ErrorKind, Fsync, OnLogError, Persistence, Store};

use super::memory_disk::{Fault, MemoryDisk};
use super::{builder, check};

const DIR: &str = "/dir";

/// The number of threads that write, and of their writes.
const WRITERS: usize = 3;
const EACH: usize = 2;

fn open(disk: &MemoryDisk, on_error: OnLogError) -> Store {
    let persistence =
        Persistence::new().fsync(Fsync::Always).on_log_error(on_error).disk(Arc::new(disk.clone()));
    builder().persistence(persistence).open(DIR).unwrap()
}

/// Whether the disk has a text that would remain if the machine stopped now.
fn has(disk: &MemoryDisk, text: &str) -> bool {
    disk.synced().windows(text.len()).any(|part| part == text.as_bytes())
}

/// Each of some threads writes its own keys, and every acknowledged write is on the disk at that time.
fn write(store: &Store, disk: &MemoryDisk) -> Vec<String> {
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, disk) = (store.clone(), disk.clone());
            thread::spawn(move || {
                let mut acknowledged = Vec::new();
                for n in 0..EACH {
                    let key = format!("<{writer}.{n}>");
                    match store.set(&key, "v") {
                        Ok(()) => {
                            assert!(has(&disk, &key), "{key} is acknowledged and not on the disk");
                            acknowledged.push(key);
                        }
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Io, "{error}"),
                    }
                }
                acknowledged
            })
        })
        .collect();
    writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
}

/// Runs `work` on a store, closes it, and checks the keys that were acknowledged.
fn survives(on_error: OnLogError, work: impl FnOnce(&Store, &MemoryDisk) -> Vec<String>) {
    let disk = MemoryDisk::default();
    let store = open(&disk, on_error);
    let acknowledged = work(&store, &disk);
    drop(store);
    let store = open(&disk, OnLogError::RefuseWrites);
    for key in acknowledged {
        assert!(store.exists(&key).unwrap(), "{key} was acknowledged");
    }
}

#[test]
fn acknowledged_writes_are_on_the_disk() {
    check(|| {
        survives(OnLogError::RefuseWrites, |store, disk| {
            let acknowledged = write(store, disk);
            assert_eq!(acknowledged.len(), WRITERS * EACH);
            acknowledged
        });
    });
}

#[test]
fn no_acknowledged_write_is_lost_when_the_log_is_rewritten_meanwhile() {
    check(|| {
        survives(OnLogError::RefuseWrites, |store, disk| {
            store.set("before", "v").unwrap();
            let rewriter = {
                let store = store.clone();
                thread::spawn(move || store.rewrite_log().unwrap())
            };
            let mut acknowledged = write(store, disk);
            acknowledged.push("before".to_owned());
            rewriter.join().unwrap();
            acknowledged
        });
    });
}

#[test]
fn no_acknowledged_write_is_lost_when_the_disk_fails_once() {
    check(|| {
        let goes_on = thread_rng().gen_bool(0.5);
        let on_error = if goes_on { OnLogError::GoOn } else { OnLogError::RefuseWrites };
        survives(on_error, |store, disk| {
            disk.set_fault(Some(Fault::Once(thread_rng().gen_range(1..6))));
            let acknowledged = write(store, disk);
            disk.set_fault(None);
            acknowledged
        });
    });
}

#[test]
fn a_command_returns_when_syncing_is_disabled_meanwhile() {
    check(|| {
        survives(OnLogError::RefuseWrites, |store, _| {
            let setter = {
                let store = store.clone();
                thread::spawn(move || {
                    for value in ["everysec", "no"] {
                        let set = store.execute(&["CONFIG", "SET", "appendfsync", value]);
                        assert!(!set.is_error(), "{set:?}");
                    }
                })
            };
            let writers = [0, 1].map(|writer| {
                let store = store.clone();
                thread::spawn(move || {
                    for n in 0..EACH {
                        store.set(format!("<{writer}.{n}>"), "v").unwrap();
                    }
                })
            });
            for thread in writers {
                thread.join().unwrap();
            }
            setter.join().unwrap();
            // Closing writes the data that no command has waited for.
            vec!["<0.1>".to_owned(), "<1.1>".to_owned()]
        });
    });
}
