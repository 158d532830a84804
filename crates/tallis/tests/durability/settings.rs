//! The settings of a store that is kept in a directory, read and changed by CONFIG.

use std::sync::Arc;

use tallis::{Persistence, Store};

use super::memory_disk::MemoryDisk;
use super::{info, wait_until};

const DIR: &str = "/dir";

fn get(store: &Store, name: &str) -> String {
    let pairs: Vec<(String, String)> = store.execute(&["CONFIG", "GET", name]).convert().unwrap();
    let [(_, value)] = &pairs[..] else { panic!("{name}: {pairs:?}") };
    value.clone()
}

fn set(store: &Store, name: &str, value: &str) -> Result<(), String> {
    let reply = store.execute(&["CONFIG", "SET", name, value]);
    if let tallis::Reply::Error(error) = reply { Err(error.to_string()) } else { Ok(()) }
}

#[test]
fn config_shows_how_a_store_is_kept() {
    let disk = Arc::new(MemoryDisk::default());
    let persistence = Persistence::new()
        .disk(disk.clone())
        .fsync(tallis::Fsync::Always)
        .rewrite_percentage(150)
        .rewrite_min_size(1000)
        .load_truncated(false)
        .log_folder("logs")
        .log_name("own.aof")
        .dump_name("own.rdb")
        .save_after(std::time::Duration::from_secs(60), 1000);
    let store = Store::builder().persistence(persistence).open(DIR).unwrap();
    for (name, value) in [
        ("appendonly", "yes"),
        ("appendfsync", "always"),
        ("auto-aof-rewrite-percentage", "150"),
        ("auto-aof-rewrite-min-size", "1000"),
        ("aof-load-truncated", "no"),
        ("appenddirname", "logs"),
        ("appendfilename", "own.aof"),
        ("dbfilename", "own.rdb"),
        ("dir", DIR),
        ("save", "60 1000"),
    ] {
        assert_eq!(get(&store, name), value, "{name}");
    }
    assert!(
        disk.names().contains(&"/dir/logs/own.aof.1.incr.aof".to_owned()),
        "{:?}",
        disk.names()
    );
    store.set("k", "v").unwrap();
    assert_eq!(store.execute(&["SAVE"]), tallis::Reply::OK);
    assert!(disk.names().contains(&"/dir/own.rdb".to_owned()));
    assert_eq!(get(&Store::new(), "appendonly"), "no");
}

#[test]
fn settings_of_a_file_are_in_effect_when_a_store_is_opened() {
    let disk = Arc::new(MemoryDisk::default());
    let mut builder = Store::builder().persistence(Persistence::new().disk(disk.clone()));
    for (name, value) in [
        ("appendonly", "no"),
        ("appendfsync", "no"),
        ("auto-aof-rewrite-percentage", "7"),
        ("auto-aof-rewrite-min-size", "1mb"),
        ("aof-load-truncated", "no"),
        ("appenddirname", "logs"),
        ("appendfilename", "own.aof"),
        ("dbfilename", "own.rdb"),
        ("save", "60 1000 300 1"),
    ] {
        builder = builder.setting(name, value).unwrap();
    }
    let store = builder.open(DIR).unwrap();
    for (name, value) in [
        ("appendonly", "no"),
        ("appendfsync", "no"),
        ("auto-aof-rewrite-percentage", "7"),
        ("auto-aof-rewrite-min-size", "1048576"),
        ("aof-load-truncated", "no"),
        ("appenddirname", "logs"),
        ("appendfilename", "own.aof"),
        ("dbfilename", "own.rdb"),
        ("save", "60 1000 300 1"),
    ] {
        assert_eq!(get(&store, name), value, "{name}");
    }
    store.set("k", "v").unwrap();
    drop(store);
    assert_eq!(disk.names(), ["/dir/own.rdb"]);
}

#[test]
fn config_set_changes_how_a_store_is_kept() {
    let disk = Arc::new(MemoryDisk::default());
    let store =
        Store::builder().persistence(Persistence::new().disk(disk.clone())).open(DIR).unwrap();
    let synced = || {
        let mut rng = testkit::rng::Rng::new(3);
        let after = Arc::new(disk.after_a_crash(&mut rng));
        let again = Store::builder().persistence(Persistence::new().disk(after)).open(DIR).unwrap();
        again.get("k").unwrap()
    };
    set(&store, "appendfsync", "always").unwrap();
    store.set("k", "1").unwrap();
    assert_eq!(synced().as_deref(), Some(&b"1"[..]));
    set(&store, "appendfsync", "no").unwrap();

    // A log of this size is not rewritten automatically until the setting allows it.
    for _ in 0..100 {
        store.incr("n", 1).unwrap();
    }
    store.sync_log().unwrap();
    assert_eq!(info(&store, "aof_rewrites"), "0");
    set(&store, "auto-aof-rewrite-min-size", "100").unwrap();
    wait_until(|| info(&store, "aof_rewrites") == "1");
    set(&store, "auto-aof-rewrite-percentage", "0").unwrap();
    for _ in 0..1000 {
        store.incr("n", 1).unwrap();
    }
    store.sync_log().unwrap();
    assert_eq!(info(&store, "aof_rewrites"), "1");

    set(&store, "appendonly", "yes").unwrap();
    let error = set(&store, "appendonly", "no").unwrap_err();
    assert_eq!(
        error,
        "ERR CONFIG SET failed (possibly related to argument 'appendonly') - can't be changed while the directory is \
         open"
    );
    assert_eq!(get(&store, "appendonly"), "yes");
    assert!(set(&store, "dir", "/tmp").unwrap_err().ends_with("can't set protected config"));
}
