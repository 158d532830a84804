//! Files and payloads of servers: loaded and saved again.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::prelude::*;
use serde_json::Value as Json;
use tallis::{
    CopyOptions, ManualClock, Profile, Reply, RestoreOptions, SaveOptions, Store, Target,
};
use testkit::kept::Kept;

/// Every folder of files, with the profile closest to the server that wrote them.
fn folders() -> Vec<(PathBuf, Profile)> {
    let mut roots = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")];
    roots.extend(std::env::var_os("TALLIS_GOLDEN").map(PathBuf::from));
    let mut folders = Vec::new();
    for root in roots {
        for entry in fs::read_dir(&root).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.starts_with("redis-7.0") {
                folders.push((path, Profile::Redis70));
            } else if name.starts_with("redis-unstable") {
                folders.push((path, Profile::Redis72));
            }
        }
    }
    assert!(folders.len() >= 2, "{folders:?}");
    folders
}

/// Each file of all folders, and the server's description of its data.
fn files() -> Vec<(PathBuf, Json, Profile)> {
    let mut files = Vec::new();
    for (folder, profile) in folders() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let described = path.with_extension("json");
            if path.extension().is_some_and(|kind| kind == "rdb") && described.exists() {
                let described = fs::read_to_string(described).unwrap();
                files.push((path, serde_json::from_str(&described).unwrap(), profile));
            }
        }
    }
    assert!(files.len() >= 20);
    files
}

/// Keys of these files expire in the year 2100; those that expired earlier should be loaded, too.
fn store(profile: Profile) -> Store {
    Store::builder().profile(profile).clock(Arc::new(ManualClock::new(0))).build()
}

fn decoded(text: &Json) -> Vec<u8> {
    BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap()
}

/// A value and its type, independent of the order of a hash table.
fn content(payload: &[u8]) -> (rdb::ValueType, Kept) {
    let mut payload = rdb::dump::decode(payload).unwrap();
    let value = Kept::read(payload.value().unwrap()).unwrap();
    (payload.kind(), value.with_string_as_bytes().in_order())
}

/// Compares a key with the server's description.
fn check_key(store: &Store, said: &Json, at: &str) {
    let key = decoded(&said["key_b64"]);
    let kind = store.key_type(&key).unwrap().unwrap_or_else(|| panic!("{at} is missing"));
    assert_eq!(kind, said["type"].as_str().unwrap(), "{at}");
    assert_eq!(
        store.expire_time(&key).unwrap().millis(),
        said["expire_at_ms"].as_i64().unwrap(),
        "{at}"
    );
    let encoding = store.object_encoding(&key).unwrap().unwrap();
    let theirs = said["encoding"].as_str().unwrap();
    match &*kind {
        "string" => {
            let value = store.get(&key).unwrap().unwrap();
            assert_eq!(value, decoded(&said["value_b64"]), "{at}");
            // A string that was changed in place is `raw` until it is loaded again.
            let short = value.len() <= 44 && theirs == "raw";
            assert_eq!(encoding, if short { "embstr" } else { theirs }, "{at}");
            if let Some(count) = said["pfcount"].as_u64() {
                // On a copy, because PFCOUNT stores its result.
                store.copy(&key, "copy", CopyOptions::default()).unwrap();
                assert_eq!(store.pfcount(["copy"]).unwrap(), count, "{at}");
                store.del(["copy"]).unwrap();
            }
        }
        "set" => {
            let ours: BTreeSet<Vec<u8>> =
                store.smembers(&key).unwrap().iter().map(|member| member.to_vec()).collect();
            let theirs_members: BTreeSet<Vec<u8>> =
                said["value_b64"].as_array().unwrap().iter().map(decoded).collect();
            assert_eq!(ours, theirs_members, "{at}");
            assert_eq!(encoding, theirs, "{at}");
        }
        // Fields that expire are kept unchanged.
        "hash" if said["field_expire_at_ms"].as_array().is_none_or(Vec::is_empty) => {
            let ours: BTreeSet<[Vec<u8>; 2]> = store
                .hgetall(&key)
                .unwrap()
                .iter()
                .map(|(field, value)| [field.to_vec(), value.to_vec()])
                .collect();
            let pair = |pair: &Json| [decoded(&pair[0]), decoded(&pair[1])];
            let theirs_fields: BTreeSet<[Vec<u8>; 2]> =
                said["value_b64"].as_array().unwrap().iter().map(pair).collect();
            assert_eq!(ours, theirs_fields, "{at}");
            assert_eq!(encoding, theirs, "{at}");
        }
        "list" => {
            let ours = store.lrange(&key, 0, -1).unwrap();
            let elements = said["value_b64"].as_array().unwrap().iter();
            assert_eq!(ours, elements.map(decoded).collect::<Vec<_>>(), "{at}");
            assert_eq!(encoding, theirs, "{at}");
        }
        _ => {
            assert_eq!(encoding, theirs, "{at}");
            let wrong = store.execute(&[&b"GET"[..], &key]);
            assert!(
                matches!(wrong, Reply::Error(text) if text.to_string().starts_with("WRONGTYPE")),
                "{at}"
            );
        }
    }
    let native = matches!(&*kind, "string" | "set" | "zset" | "list");
    if native || kind == "hash" && store.hgetall(&key).is_ok() {
        let digest = store.execute(&[&b"DEBUG"[..], b"DIGEST-VALUE", &key]);
        let digest: Vec<String> = digest.convert().unwrap();
        assert_eq!(digest, [said["digest_value"].as_str().unwrap()], "{at}");
    }
    let ours = store.dump(&key).unwrap().unwrap();
    assert_eq!(content(&ours), content(&decoded(&said["dump_b64"])), "{at}");
}

#[test]
fn files_of_servers_have_the_described_data() {
    let folder = tempfile::tempdir().unwrap();
    for (path, said, profile) in files() {
        let store = store(profile);
        store.load(&path).unwrap();
        let check = |store: &Store| {
            let mut keys = 0;
            for (db, said) in said["dbs"].as_object().into_iter().flatten() {
                let db = store.db(db.parse().unwrap());
                assert_eq!(db.dbsize().unwrap(), said.as_array().unwrap().len());
                for key in said.as_array().unwrap() {
                    let at = format!("{}: {}", path.display(), key["key_b64"]);
                    check_key(&db, key, &at);
                    keys += 1;
                }
            }
            keys
        };
        let keys = check(&store);
        assert!(keys > 0 || path.ends_with("20_empty.rdb") || said["dbs"].is_null(), "{path:?}");
        // Saved and loaded again, nothing is missing.
        let copy = folder.path().join("copy.rdb");
        let options = SaveOptions { version: Some(Target::V12), ..SaveOptions::default() };
        store.save_with(&copy, options).unwrap();
        let again = self::store(profile);
        again.load(&copy).unwrap();
        assert_eq!(check(&again), keys);
    }
}

#[test]
fn payloads_of_servers_are_restored_and_dumped_equally() {
    let mut payloads = 0;
    for (path, said, profile) in files() {
        let store = store(profile);
        for said in said["dbs"]
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(_, keys)| keys.as_array().unwrap())
        {
            let at = format!("{}: {}", path.display(), said["key_b64"]);
            let key = decoded(&said["key_b64"]);
            let payload = decoded(&said["dump_b64"]);
            let options = RestoreOptions::default().replace(true);
            store.restore(&key, &payload, options).unwrap_or_else(|error| panic!("{at}: {error}"));
            let ours = store.dump(&key).unwrap().unwrap();
            assert_eq!(content(&ours), content(&payload), "{at}");
            payloads += 1;
        }
    }
    assert!(payloads > 100, "{payloads}");
}

/// The records of a file that belong to no key, except for facts about the file and hints on its size.
fn extras(path: &Path) -> Vec<rdb::Record> {
    let file = fs::read(path).unwrap();
    let mut reader = rdb::Reader::new(file.as_slice()).unwrap();
    let mut extras = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        match record {
            rdb::Record::Aux { .. } | rdb::Record::ResizeDb { .. } | rdb::Record::Key { .. } => {}
            record @ (rdb::Record::SelectDb(_)
            | rdb::Record::SlotInfo { .. }
            | rdb::Record::SlotImport { .. }
            | rdb::Record::Function { .. }
            | rdb::Record::ModuleAux { .. }) => extras.push(record),
        }
    }
    extras
}

#[test]
fn functions_module_records_and_slots_are_saved_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut kinds = BTreeSet::new();
    for (path, _, profile) in files() {
        let store = store(profile);
        store.load(&path).unwrap();
        let copy = folder.path().join("copy.rdb");
        let options = SaveOptions { version: Some(Target::V12), ..SaveOptions::default() };
        store.save_with(&copy, options).unwrap();
        let (before, after) = (extras(&path), extras(&copy));
        assert_eq!(before, after, "{path:?}");
        kinds.extend(before.iter().map(|record| match record {
            rdb::Record::Function { .. } => "function",
            rdb::Record::SlotInfo { .. } | rdb::Record::SlotImport { .. } => "slot",
            rdb::Record::ModuleAux { .. } => "module",
            rdb::Record::SelectDb(_) => "database",
            other @ (rdb::Record::Aux { .. }
            | rdb::Record::ResizeDb { .. }
            | rdb::Record::Key { .. }) => panic!("{other:?}"),
        }));
    }
    assert!(kinds.contains("function") && kinds.contains("slot"), "{kinds:?}");
}
