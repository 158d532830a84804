//! What is there when a store is opened again.

use std::fs;

use tallis::{ErrorKind, Store};

use crate::digest;

#[test]
fn what_was_done_is_there_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    store.set("k", "v").unwrap();
    store.db(3).sadd("s", ["a", "b"]).unwrap();
    store.incr("n", 5).unwrap();
    store
        .transaction(["a", "b"], |tx| {
            tx.set("a", "1")?;
            tx.set("b", "2")
        })
        .unwrap();
    let before = digest(&store);
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(digest(&store), before);
    let base = dir.path().join("appendonlydir/appendonly.aof.1.base.rdb");
    let base = fs::metadata(base).unwrap().len();
    let info: String = store.execute(&["INFO", "persistence"]).convert().unwrap();
    let (log, base) = ("aof_enabled:1\r\n", format!("aof_base_size:{base}\r\n"));
    assert!(info.contains("rdb_changes_since_last_save:0\r\n"), "{info}");
    assert!(info.contains(log) && info.contains(&base), "{info}");
    let log = fs::read(dir.path().join("appendonlydir/appendonly.aof.1.incr.aof")).unwrap();
    let lines = log.split(|&byte| byte == b'\n').count();
    assert!(lines > 10, "{}", log.escape_ascii());
}

#[test]
fn a_second_opener_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let other = store.db(5);
    drop(store);
    let error = Store::open(dir.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().ends_with("is open already"), "{error}");
    drop(other);
    Store::open(dir.path()).unwrap();
}
