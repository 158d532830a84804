//! Logs written by servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tallis::{Error, ErrorKind, LoadOptions, Profile, Reply, Store};

use super::folder;

/// Every key of each log: its database, its name, its expiry, DEBUG DIGEST-VALUE, and DUMP.
const KEYS: &str = include_str!("../data/aof/keys.txt");

/// The commands that end the logs with types that are not supported here.
const REFUSED: [(&str, &str); 7] = [
    ("redis-7.0.15/aof_norewrite", "command 'XADD' on key 'st' at offset 2078"),
    ("redis-7.0.15/aof_plain", "command 'XADD' on key 'st' at offset 825"),
    ("redis-7.0.15/aof_timestamps", "command 'XADD' on key 'st' at offset 39"),
    ("redis-unstable/aof_hash_ttl_plain", "command 'HPEXPIREAT' on key 'h' at offset 59"),
    ("redis-unstable/aof_norewrite", "command 'XADD' on key 'st' at offset 2078"),
    ("redis-unstable/aof_plain", "command 'XADD' on key 'st' at offset 794"),
    ("redis-unstable/aof_timestamps", "command 'XADD' on key 'st' at offset 161"),
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/aof")
}

fn decoded(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

#[test]
fn logs_of_servers_are_replayed_in_full_or_name_the_command() {
    let mut logs: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in KEYS.lines() {
        let (log, key) = line.split_once(' ').unwrap();
        logs.entry(log).or_default().push(key.split(' ').collect());
    }
    assert_eq!(logs.len(), 17);
    for (name, keys) in logs {
        let dir = tempfile::tempdir().unwrap();
        folder::copy(&data().join(name), dir.path());
        let before = folder::files(dir.path());
        let opened = Store::builder().profile(Profile::Redis70).open(dir.path());
        let refused = REFUSED.iter().find(|(log, _)| *log == name);
        match (opened, refused) {
            (Ok(store), None) => compare(&store, name, &keys),
            (Err(error), Some((_, text))) => {
                assert_eq!(error.kind(), ErrorKind::UnknownCommand);
                let text = format!("{text}: unknown command");
                assert!(error.to_string().ends_with(&text), "{name}: {error}");
                assert_eq!(folder::files(dir.path()), before, "{name}");
                salvage(&dir.path().join("appendonlydir"), &error);
            }
            (opened, _) => panic!("{name}: {:?}", opened.map(drop)),
        }
    }
}

/// Checks that salvage keeps the data before the command, and returns its error.
fn salvage(log: &Path, error: &Error) {
    let store = Store::builder().profile(Profile::Redis70).build();
    store.set("old", "1").unwrap();
    assert_eq!(store.load(log).unwrap_err(), *error);
    assert!(store.exists("old").unwrap());
    let options = LoadOptions { salvage: true, ..LoadOptions::default() };
    let report = store.load_with(log, options).unwrap();
    assert_eq!(report.damage.as_ref(), Some(error));
    let file = report.damaged_file.unwrap();
    assert!(error.to_string().starts_with(&format!("cannot load {}: ", file.display())));
    let found: usize = store.databases().unwrap().iter().map(|db| db.keys).sum();
    assert_eq!(found as u64, report.keys);
    assert!(!store.exists("old").unwrap());
    let text = error.to_string();
    let offset = text.split("offset ").nth(1).and_then(|rest| rest.split(':').next()).unwrap();
    assert_eq!(report.keys > 0, offset.parse::<u64>().unwrap() > 40, "{error}");
}

fn compare(store: &Store, name: &str, keys: &[Vec<&str>]) {
    let found: usize = store.databases().unwrap().iter().map(|db| db.keys).sum();
    assert_eq!(found, keys.len(), "{name}");
    for line in keys {
        let &[db, key, expires, digest, dump] = &line[..] else { panic!("{line:?}") };
        let store = store.db(db.parse().unwrap());
        let key = decoded(key);
        let text = format!("{name}: {}", key.escape_ascii());
        assert_eq!(
            store.expire_time(&key).unwrap().millis(),
            expires.parse::<i64>().unwrap(),
            "{text}"
        );
        if store.key_type(&key).unwrap().as_deref() == Some("stream") {
            // It is kept unchanged; DUMP ends with the version and a checksum, which differ.
            let (ours, theirs) = (store.dump(&key).unwrap().unwrap(), decoded(dump));
            assert_eq!(ours[..ours.len() - 10], theirs[..theirs.len() - 10], "{text}");
        } else {
            let reply = store.execute(&[&b"DEBUG"[..], b"DIGEST-VALUE", &key]);
            assert_eq!(
                reply,
                Reply::Array(vec![Reply::Status(digest.to_owned().into())]),
                "{text}"
            );
        }
    }
}
