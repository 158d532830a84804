use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use crate::{data, decode, golden, run, run_with, tallis};

/// Returns the lines of `inspect --keys`.
fn keys(path: &Path) -> Vec<Value> {
    let shown = tallis().args(["inspect", "--keys"]).arg(path).output().unwrap();
    assert_eq!(shown.stderr, b"", "{}", path.display());
    assert!(shown.status.success(), "{}", path.display());
    let text = String::from_utf8(shown.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The bytes of a key's name.
fn name(row: &Value) -> Vec<u8> {
    row["key_b64"].as_str().map_or_else(|| row["key"].as_str().unwrap().into(), decode)
}

/// Returns the number of elements of a key according to HDT3213/rdb.
fn len_of_case(said: &Value) -> Option<usize> {
    for list in ["members", "values"] {
        if let Some(list) = said[list].as_array() {
            return Some(list.len());
        }
    }
    match said["type"].as_str().unwrap() {
        "zset" => said["entries"].as_array().map(Vec::len),
        "hash" => said["hash"].as_object().map(serde_json::Map::len),
        // Not all of its streams have a length.
        "stream" => said["len"].as_u64().map(|len| len.try_into().unwrap()),
        // A text with replacement characters has another length.
        "string" => said["value"].as_str().filter(|text| !text.contains('\u{fffd}')).map(str::len),
        other => panic!("{other}"),
    }
}

/// Returns the name here of an encoding in HDT3213/rdb.
fn encoding_of_case(said: &Value) -> &str {
    match said["encoding"].as_str().unwrap() {
        "list" => "linkedlist",
        "set" | "hash" | "hashex" => "hashtable",
        "zset" | "zset2" => "skiplist",
        "quicklist2" => "quicklist",
        _ if said["type"] == "stream" => "stream",
        other => other,
    }
}

#[test]
fn keys_are_those_that_another_reader_found() {
    let folders = [Some(data("hdt")), std::env::var_os("TALLIS_HDT").map(PathBuf::from)];
    let mut cases = 0;
    for entry in folders.iter().flatten().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let said = entry.unwrap().path();
        let file = said.with_extension("rdb");
        // Output made with a filter, for another file.
        if said.extension().is_none_or(|ending| ending != "json") || !file.exists() {
            continue;
        }
        cases += 1;
        let text = fs::read_to_string(&said).unwrap();
        let said: Vec<Value> = serde_json::from_str(&text).unwrap();
        let said = said.iter().filter(|row| row["type"] != "aux" && row["type"] != "functions");
        let (said, found) = (said.collect::<Vec<_>>(), keys(&file));
        assert_eq!(found.len(), said.len(), "{file:?}");
        for (row, said) in found.iter().zip(said) {
            let at = format!("{} of {file:?}", row["key"]);
            for field in ["db", "key", "type"] {
                assert_eq!(row[field], said[field], "{at}");
            }
            assert_eq!(row["encoding"], encoding_of_case(said), "{at}");
            if let Some(len) = len_of_case(said) {
                assert_eq!(row["len"], len, "{at}");
            }
            let expiry = said["expiration"]
                .as_str()
                .map_or(-1, |text| text.parse::<Timestamp>().unwrap().as_millisecond());
            assert_eq!(row["expire_at_ms"], expiry, "{at}");
            assert!(row["bytes_file"].as_u64() > Some(0) && row["bytes_memory"].as_u64() > Some(0));
        }
    }
    assert!(cases >= 30, "{cases}");
}

#[test]
fn keys_are_those_of_the_server() {
    let described = golden(|path| path.with_extension("json").exists());
    for path in described {
        let text = fs::read_to_string(path.with_extension("json")).unwrap();
        let said: Value = serde_json::from_str(&text).unwrap();
        let found: BTreeMap<(u64, Vec<u8>), Value> = keys(&path)
            .into_iter()
            .map(|row| ((row["db"].as_u64().unwrap(), name(&row)), row))
            .collect();
        // One file has a manual description in a simpler form.
        let Some(databases) = said["dbs"].as_object() else { continue };
        let mut expected = 0;
        for (db, keys) in databases {
            for said in keys.as_array().unwrap() {
                // One file has a manual description with only the names.
                let Some(key) = said["key_b64"].as_str() else { continue };
                expected += 1;
                let row = &found[&(db.parse().unwrap(), decode(key))];
                let at = format!("{} of {path:?}", row["key"]);
                assert_eq!(row["type"], said["type"], "{at}");
                assert_eq!(row["expire_at_ms"], said["expire_at_ms"], "{at}");
                let value =
                    if said["value_b64"].is_null() { &said["value"] } else { &said["value_b64"] };
                let len = match value {
                    Value::String(text) => decode(text).len(),
                    Value::Array(elements) => elements.len(),
                    // The value of a module, which is described in another way.
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => continue,
                };
                assert_eq!(row["len"], len, "{at}");
            }
        }
        assert!(found.len() == expected || expected == 0, "{path:?}");
    }
}

#[test]
fn json_has_the_documented_fields() {
    let path = golden(|path| path.ends_with("redis-7.0.15/16_small_all.rdb")).remove(0);
    let shown = run(&["inspect", "--json", path.to_str().unwrap()]);
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&shown.out).unwrap();
    let rows = keys(&path);
    let count = |field: &str| {
        let mut counts = BTreeMap::<String, u64>::new();
        for row in &rows {
            *counts.entry(row[field].to_string()).or_default() += 1;
        }
        let counts = counts.into_iter();
        counts.map(|(name, keys)| (name.replace('"', ""), Value::from(keys))).collect::<Value>()
    };
    assert_eq!((&report["magic"], &report["version"]), (&"REDIS".into(), &10.into()));
    assert_eq!(report["keys"], rows.len());
    assert_eq!(report["expires"], rows.iter().filter(|row| row["expire_at_ms"] != -1).count());
    assert_eq!(report["databases"], count("db"));
    assert_eq!(report["types"], count("type"));
    assert_eq!(report["encodings"], count("encoding"));
    assert_eq!(report["bytes_file"], fs::metadata(&path).unwrap().len());
    let sum = |field: &str| rows.iter().map(|row| row[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(report["bytes_memory"], sum("bytes_memory"));
    assert_eq!(report["bytes_keys"], sum("bytes_file"));
    let mut sorted = rows.clone();
    sorted.sort_by_key(|row| std::cmp::Reverse(row["bytes_memory"].as_u64()));
    let biggest = report["biggest"].as_array().unwrap();
    assert_eq!(biggest.len(), rows.len().min(10));
    assert_eq!(biggest[0]["bytes_memory"], sorted[0]["bytes_memory"]);
    assert!(rows.contains(&biggest[0]));
    let expiry: u64 =
        report["expiry"].as_object().unwrap().values().map(|keys| keys.as_u64().unwrap()).sum();
    assert_eq!(report["keys"], expiry);
}

#[test]
fn empty_keys_are_counted_separately_and_a_corrupt_value_is_refused() {
    if std::env::var_os("TALLIS_GOLDEN").is_some() {
        let path = golden(|path| path.ends_with("redis-corrupt_empty_keys.rdb")).remove(0);
        let shown = run(&["inspect", "--json", path.to_str().unwrap()]);
        let report: Value = serde_json::from_str(&shown.out).unwrap();
        assert_eq!((&report["keys"], &report["empty_keys"]), (&0.into(), &9.into()));
        let path = golden(|path| path.ends_with("redis-corrupt_ziplist.rdb")).remove(0);
        let shown = run(&["inspect", path.to_str().unwrap()]);
        assert_eq!((shown.status, shown.out.as_str()), (1, ""));
        assert!(shown.err.contains("ziplist is malformed") && shown.err.contains(" at offset "));
    }
    // A set without members; a hash whose ziplist is one byte.
    let empty = b"REDIS0009\xfe\x00\x02\x01s\x00\x00\x01k\x01v\xff\0\0\0\0\0\0\0\0";
    let shown = run_with(&["inspect", "--json", "-"], empty);
    let report: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!((&report["keys"], &report["empty_keys"]), (&1.into(), &1.into()));
    let corrupt = b"REDIS0009\xfe\x00\x00\x01k\x01v\x0d\x01h\x01x\xff\0\0\0\0\0\0\0\0";
    for args in [&["inspect", "-"][..], &["inspect", "--json", "-"]] {
        let shown = run_with(args, corrupt);
        assert_eq!((shown.status, shown.out.as_str()), (1, ""));
        assert!(shown.err.starts_with("tallis: -: key 'h' (hash): the ziplist is malformed: "));
        assert!(shown.err.ends_with(" at offset 19\n"), "{}", shown.err);
    }
    // On request, the keys before it are shown, with the same exit status.
    let shown = run_with(&["inspect", "--json", "--salvage", "-"], corrupt);
    let report: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!((shown.status, &report["keys"]), (1, &1.into()));
    assert!(shown.err.ends_with(" at offset 19\n"), "{}", shown.err);
}

/// Creates a file of many keys of several kinds.
fn example(folder: &Path) -> PathBuf {
    let file = folder.join("example.rdb");
    let mut script = String::from("select 1\nset other 1\nselect 0\n");
    for number in 0..30 {
        script.extend([
            format!("set user:{number}:name \"a, \\\"b\\\" {number}\"\n"),
            format!("sadd user:{number}:ids 1 2 3\nhset item:{number} price {number}\n"),
            format!("pexpire item:{number} 3500000\n"),
        ]);
    }
    script += "set \"\\xff\" 1\nset plain 1\nsetrange large 100000 x\n";
    let shown = run_with(&["cli", "--save", file.to_str().unwrap()], script.as_bytes());
    assert_eq!(shown.status, 0, "{}", shown.err);
    file
}

#[test]
fn the_tables_show_the_important_figures() {
    let folder = tempfile::tempdir().unwrap();
    let file = example(folder.path());
    let shown = run(&["inspect", file.to_str().unwrap(), "--top", "3"]);
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    assert!(shown.out.is_ascii() || shown.out.contains('\u{fffd}'));
    let lines: Vec<&str> = shown.out.lines().collect();
    assert!(lines[0].starts_with("RDB 10, ") && lines[0].contains(": 94 keys, "), "{}", lines[0]);
    assert_eq!(lines[1], "keys by database: 0: 93, 1: 1");
    let row = |begin: &str| {
        let found = lines.iter().find(|line| line.starts_with(begin));
        found
            .unwrap_or_else(|| panic!("{begin}: {}", shown.out))
            .split_whitespace()
            .collect::<Vec<_>>()
    };
    assert_eq!(row("set ")[..4], ["set", "intset", "30", "90"]);
    assert_eq!(row("user:")[..2], ["user:", "60"]);
    assert_eq!(row("item:")[..2], ["item:", "30"]);
    assert_eq!(row("(none)")[..2], ["(none)", "4"]);
    assert_eq!(row("in an hour"), ["in", "an", "hour", "30"]);
    assert_eq!(row("never"), ["never", "64"]);
    assert_eq!(row("large")[..5], ["large", "0", "string", "string", "100001"]);
}

#[test]
fn filters_and_formats() {
    let folder = tempfile::tempdir().unwrap();
    let file = example(folder.path());
    let file = file.to_str().unwrap();
    let count = |args: &[&str]| {
        let shown = run(&[&["inspect", "--json", file], args].concat());
        let report: Value = serde_json::from_str(&shown.out).unwrap();
        report["keys"].as_u64().unwrap()
    };
    assert_eq!(count(&["--db", "1"]), 1);
    assert_eq!(count(&["--db", "1", "--db", "0"]), 94);
    assert_eq!(count(&["--match", "user:*:ids"]), 30);
    assert_eq!(count(&["--type", "set", "--type", "hash"]), 60);
    assert_eq!(count(&["--type", "string", "--match", "[up]*"]), 31);

    let shown = run(&["inspect", "--csv", "--depth", "2", file]).out;
    assert!(shown.starts_with("section,name,keys,len,bytes_file,bytes_memory\n"));
    assert!(shown.contains("\ntype,set intset,30,90,"), "{shown}");
    assert!(shown.contains("\nprefix,user:0:,2,"), "{shown}");
    assert!(shown.contains("\nexpiry,in an hour,30,,,\n"), "{shown}");
    let shown = run(&["inspect", "--keys", "--csv", "--match", "[\\xff]", "--db", "0", file]).out;
    assert_eq!(shown.lines().count(), 1);
    let shown = run(&["inspect", "--keys", "--type", "string", file]).out;
    let odd = shown.lines().find(|line| line.contains("key_b64")).unwrap();
    assert!(odd.starts_with("{\"db\":0,\"key\":\"\u{fffd}\",\"key_b64\":\"/w==\",\"type\":\"string\",\"encoding\":\"string\",\"len\":1,"));
}
