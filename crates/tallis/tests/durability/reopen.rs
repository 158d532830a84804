//! The data of a store that is opened again.

use std::fs;

use tallis::{ErrorKind, LoadOptions, Persistence, SaveOptions, Store};

use super::digest;
use super::folder::files;

#[test]
fn committed_changes_exist_after_reopening() {
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
fn a_log_of_another_name_is_not_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let named = |name: &str| Store::builder().persistence(Persistence::new().log_name(name));
    named("own.aof").open(dir.path()).unwrap().set("k", "v").unwrap();
    let before = files(dir.path());
    let error = Store::open(dir.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let text = error.to_string();
    assert!(text.ends_with("own.aof.manifest does"), "{text}");
    // A log that has lost its manifest is not ignored either.
    fs::remove_file(dir.path().join("appendonlydir/own.aof.manifest")).unwrap();
    let error = named("own.aof").open(dir.path()).unwrap_err();
    assert!(error.to_string().ends_with("own.aof.1.incr.aof does"), "{error}");
    assert_eq!(files(dir.path()).len(), before.len() - 1, "nothing was made");
}

#[test]
fn each_file_of_a_log_begins_without_a_selected_database() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    store.db(3).set("before", "1").unwrap();
    store.rewrite_log().unwrap();
    store.db(3).set("after", "2").unwrap();
    let before = digest(&store);
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(digest(&store), before);
    assert_eq!(store.db(3).dbsize().unwrap(), 2);
    // Commands appended to an existing file do not depend on one either.
    store.set("first", "1").unwrap();
    store.db(3).set("third", "1").unwrap();
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!([store.dbsize().unwrap(), store.db(3).dbsize().unwrap()], [1, 3]);
}

#[test]
fn a_second_opener_gets_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let other = store.db(5);
    drop(store);
    let error = Store::open(dir.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().ends_with("is already open"), "{error}");
    drop(other);
    Store::open(dir.path()).unwrap();
}

/// A log of a server before Redis 7, or a file of a newer one.
#[test]
fn a_single_file_of_a_log_is_loaded_with_its_commands() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("appendonly.aof");
    let commands = b"*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n";
    let before = Store::new();
    before.set("n", "40").unwrap();
    let rdb = before.save_to(Vec::new(), SaveOptions::default()).unwrap();
    for (head, n) in [(&rdb[..], 42), (b"", 2)] {
        fs::write(&file, [head, commands].concat()).unwrap();
        let store = Store::new();
        store.set("old", "1").unwrap();
        let report = store.load_with(&file, LoadOptions::default()).unwrap();
        assert_eq!((report.keys, report.commands), (1, 2));
        assert_eq!(store.incr("n", 0).unwrap(), n);
        assert!(!store.exists("old").unwrap());

        fs::write(&file, [head, commands, b"*2\r\n$4\r\nINCR"].concat()).unwrap();
        let error = store.load(&file).unwrap_err();
        let offset = format!("valid up to offset {}", head.len() + commands.len());
        assert!(error.to_string().ends_with(&offset), "{error}");
        let salvage = LoadOptions { salvage: true, ..LoadOptions::default() };
        let report = store.load_with(&file, salvage).unwrap();
        assert_eq!((report.keys, report.commands, report.damage), (1, 2, Some(error)));
        assert_eq!(report.damaged_file, Some(file.clone()));
    }
}

#[test]
fn a_missing_file_of_the_manifest_is_named() {
    let dir = tempfile::tempdir().unwrap();
    Store::open(dir.path()).unwrap().set("k", "v").unwrap();
    let log = dir.path().join("appendonlydir/appendonly.aof.1.incr.aof");
    fs::remove_file(&log).unwrap();
    let store = Store::new();
    let error = store.load(dir.path()).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot load {}: ", log.display())), "{error}");
    let salvage = LoadOptions { salvage: true, ..LoadOptions::default() };
    let report = store.load_with(dir.path(), salvage).unwrap();
    assert_eq!((report.keys, report.damaged_file), (0, Some(log)));
    assert!(Store::open(dir.path()).is_err());
}
