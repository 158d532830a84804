//! The filters in the files of servers: their replies, and their bytes after loading and saving.

use std::path::Path;
use std::{fs, sync::Arc};

use base64::prelude::*;
use serde_json::Value as Json;
use tallis::bloom::Settings;
use tallis::{ManualClock, Profile, Reply, RestoreOptions, SaveOptions, Store, Target};

/// A filter on a server, and the server's replies about it.
pub(crate) struct Recorded {
    pub(crate) key: String,
    pub(crate) payload: Vec<u8>,
    info: Json,
    pieces: Vec<(u64, Vec<u8>)>,
    items: Vec<String>,
    answers: String,
}

/// The folders, with the profile and the version of files of the server that wrote them.
const FOLDERS: [(&str, Profile, Target); 2] = [
    ("redis-7.0.15", Profile::Redis70, Target::V10),
    ("redis-unstable", Profile::Redis72, Target::V12),
];

fn file(folder: &str, ending: &str) -> std::path::PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    data.join(folder).join("11_bloom").with_extension(ending)
}

fn decoded(text: &Json) -> Vec<u8> {
    BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap()
}

fn items(said: &Json) -> Vec<String> {
    let Some(range) = said.as_str() else {
        // The empty filter was not queried.
        return said
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item.as_str().unwrap().into())
            .collect();
    };
    let (first, last) = range.split_once("..").unwrap();
    let name = first.trim_end_matches('0');
    let last: u32 = last.strip_prefix(name).unwrap().parse().unwrap();
    (0..=last).map(|n| format!("{name}{n}")).collect()
}

pub(crate) fn recorded(folder: &str) -> Vec<Recorded> {
    let said: Json =
        serde_json::from_str(&fs::read_to_string(file(folder, "json")).unwrap()).unwrap();
    let all = said["dbs"]["0"].as_array().unwrap().iter().map(|of| {
        let key = of["key"].as_str().unwrap().to_owned();
        let piece = |piece: &Json| (piece[0].as_u64().unwrap(), decoded(&piece[1]));
        let asked = &said["bloom"][&key];
        Recorded {
            payload: decoded(&of["dump_b64"]),
            info: of["info"].clone(),
            pieces: of["scandump"].as_array().unwrap().iter().map(piece).collect(),
            items: items(&asked["items"]),
            answers: asked["exists"].as_str().unwrap_or_default().to_owned(),
            key,
        }
    });
    let all: Vec<Recorded> = all.collect();
    assert_eq!(all.len(), 6);
    all
}

fn store(profile: Profile) -> Store {
    Store::builder().profile(profile).clock(Arc::new(ManualClock::new(0))).build()
}

/// Checks that payload, chunks, numbers and answers are those of the server.
fn agrees(store: &Store, key: &str, with: &Recorded) {
    let said = with.info.as_array().unwrap();
    let info = store.execute(&["BF.INFO", key]).into_resp2(store.profile());
    let Reply::Array(info) = info else { panic!("{key}: {info:?}") };
    assert_eq!(info.len(), said.len());
    for (ours, theirs) in info.iter().zip(said) {
        let theirs = match theirs {
            Json::Null => Reply::Nil,
            Json::Number(number) => Reply::Int(number.as_i64().unwrap()),
            name @ (Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_)) => {
                Reply::Status(String::from_utf8(decoded(&name["b64"])).unwrap().into())
            }
        };
        assert_eq!(*ours, theirs, "{key}");
    }
    let known = store.bf_mexists(key, &with.items).unwrap();
    let known: String = known.iter().map(|&known| if known { '1' } else { '0' }).collect();
    assert!(known == with.answers, "{key}: other answers");
    for (item, answer) in with.items.iter().zip(with.answers.chars()).step_by(37) {
        assert_eq!(store.bf_exists(key, item.as_str()).unwrap(), answer == '1', "{key} {item}");
    }
    let (mut cursor, mut pieces) = (0, Vec::new());
    while let Some((next, piece)) = store.bf_scandump(key, cursor).unwrap() {
        cursor = next;
        pieces.push((next, piece.to_vec()));
    }
    assert!(pieces == with.pieces, "{key}: other pieces");
    let payload = store.dump(key).unwrap().unwrap();
    // After the value there is the version of the server that wrote it.
    let value = |payload: &[u8]| payload[..payload.len() - 10].to_vec();
    assert!(value(&payload) == value(&with.payload), "{key}: another payload");
    assert_eq!(store.key_type(key).unwrap().as_deref(), Some("MBbloom--"));
}

#[test]
fn files_of_servers_load_answer_and_are_saved_equally() {
    let folder = tempfile::tempdir().unwrap();
    for (name, profile, target) in FOLDERS {
        let first = store(profile);
        first.load(file(name, "rdb")).unwrap();
        let copy = folder.path().join(name);
        first
            .save_with(&copy, SaveOptions { version: Some(target), ..SaveOptions::default() })
            .unwrap();
        let second = store(profile);
        second.load(&copy).unwrap();
        for with in recorded(name) {
            agrees(&first, &with.key, &with);
            agrees(&second, &with.key, &with);
        }
        assert_eq!(second.dbsize().unwrap(), 6);
    }
}

#[test]
fn payloads_and_chunks_of_servers_create_the_same_filters() {
    for (name, profile, _) in FOLDERS {
        let store = store(profile);
        for with in recorded(name) {
            store.restore("restored", &with.payload, RestoreOptions::default()).unwrap();
            agrees(&store, "restored", &with);
            for (cursor, piece) in &with.pieces {
                store.bf_loadchunk("pieces", *cursor, piece).unwrap();
            }
            agrees(&store, "pieces", &with);
            store.rename("pieces", "renamed").unwrap();
            store.copy("renamed", "copied", tallis::CopyOptions::default()).unwrap();
            store.bf_add("renamed", "what the copy does not get").unwrap();
            agrees(&store, "copied", &with);
            store.flushall().unwrap();
        }
    }
}

/// The commands are described in the `README.md` of the recordings in the crate `bloom`.
#[test]
fn the_same_commands_create_the_same_bytes() {
    let store = store(Profile::Redis70);
    let all = |name: &str, count: u32| (0..count).map(|n| format!("{name}{n}")).collect::<Vec<_>>();
    let words = |items: &[String]| items.iter().map(|item| item.clone().into_bytes()).collect();
    store.bf_add("bf:default", "a").unwrap();
    store.bf_madd("bf:default", ["b", "c"]).unwrap();
    store.bf_reserve("bf:1000", &Settings::new(1000, 0.001)).unwrap();
    store.bf_madd("bf:1000", all("item", 500)).unwrap();
    store.bf_reserve("bf:noscale", &Settings::new(100, 0.01).non_scaling()).unwrap();
    store.bf_madd("bf:noscale", all("x", 50)).unwrap();
    store.bf_reserve("bf:exp4", &Settings::new(50, 0.05).expansion(4)).unwrap();
    for item in all("y", 600) {
        store.bf_add("bf:exp4", item.as_str()).unwrap();
    }
    // In one command by words; the server received the items one by one.
    let mut command: Vec<Vec<u8>> = vec![b"BF.MADD".to_vec(), b"bf:scaled".to_vec()];
    command.extend::<Vec<Vec<u8>>>(words(&all("s", 1000)));
    assert!(!store.execute(&command).is_error());
    store.bf_reserve("bf:empty", &Settings::new(10, 0.01)).unwrap();
    for with in recorded("redis-7.0.15") {
        agrees(&store, &with.key, &with);
    }
}
