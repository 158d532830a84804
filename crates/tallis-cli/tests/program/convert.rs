use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::live;

use crate::live::redis_cli;
use crate::{data, decode, golden, run, run_with};

/// The server's digest of all its data.
fn digest(server: &live::Server) -> String {
    redis_cli(server, &["DEBUG", "DIGEST"], b"")
}

fn digest_of_file(path: &Path) -> Option<String> {
    let server = live::server_with(&live::Options::new().rdb(path))?;
    Some(digest(&server))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Files of a live server's own version and of older ones, with values of every native type.
fn native() -> Vec<PathBuf> {
    let names = [
        "02_intsets",
        "03_sets",
        "04_zsets",
        "05_hashes",
        "06_lists",
        "07_expires",
        "08_hll",
        "12_multidb",
        "13_stream",
        "16_small_all",
        "17_nocompress",
        "hash_as_ziplist",
        "redis-list-quicklist",
        "ziplist_with_integers",
        "zipmap_that_compresses_easily",
        "redis-zset-ziplist",
        "linkedlist",
        "regular_sorted_set",
    ];
    golden(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        names.contains(&name) && !path.to_str().unwrap().contains("unstable")
    })
}

#[test]
fn a_server_loads_what_is_written_for_every_version() {
    let folder = tempfile::tempdir().unwrap();
    for path in native() {
        let Some(original) = digest_of_file(&path) else { return };
        for options in [
            &[][..],
            &["--rdb-version", "9"],
            &["--no-compression"],
            &["--rdb-version=9", "--no-compression"],
        ] {
            let stream = path.ends_with("13_stream.rdb");
            if stream && options.iter().any(|option| option.ends_with('9')) {
                continue;
            }
            let written = folder.path().join("written.rdb");
            let shown = run(&[&["convert", text(&path), text(&written)], options].concat());
            assert_eq!((shown.status, shown.err.as_str()), (0, ""), "{path:?} {options:?}");
            let version = fs::read(&written).unwrap()[..9].to_vec();
            let nine = options.iter().any(|option| option.ends_with('9'));
            assert_eq!(version, if nine { b"REDIS0009" } else { b"REDIS0010" });
            assert_eq!(digest_of_file(&written), Some(original.clone()), "{path:?} {options:?}");
            // Later versions have every encoding, so nothing is converted.
            let later = folder.path().join("later.rdb");
            assert_eq!(
                run(&["convert", "--rdb-version", "12", text(&written), text(&later)]).status,
                0
            );
            let (written, later) = (fs::read(&written).unwrap(), fs::read(&later).unwrap());
            assert_eq!(written[9..written.len() - 8], later[9..later.len() - 8]);
        }
    }
}

#[test]
fn a_server_and_tallis_accept_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for path in native() {
        let Some(original) = digest_of_file(&path) else { return };
        let shown = run(&["convert", "--to", "commands", text(&path), "-"]);
        assert_eq!((shown.status, shown.err.as_str()), (0, ""), "{path:?}");
        let server = live::server().unwrap();
        let replies = redis_cli(&server, &[], shown.out.as_bytes());
        assert!(!replies.contains("ERR") && !replies.contains("Invalid"), "{path:?}: {replies}");
        assert_eq!(digest(&server), original, "{path:?}");

        let saved = folder.path().join("saved.rdb");
        let fed = run_with(&["cli", "--save", text(&saved)], shown.out.as_bytes());
        assert!(fed.status == 0 && !fed.out.contains("ERR"), "{path:?}: {}", fed.out);
        assert_eq!(digest_of_file(&saved), Some(original), "{path:?}");
    }
}

#[test]
fn metadata_of_modules_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, written) = (folder.path().join("file.rdb"), folder.path().join("written.rdb"));
    // One class of four bytes, with a number and a string.
    let metadata = b"\xf3\x01ABCD\x02\x05\x05\x03xyz\x00";
    let head = b"REDIS0013\xfe\x00\x00\x01a\xc0\x01\xfc\x00\x00\x00\x00\x00\x01\x00\x00";
    let end = b"\x00\x01b\xc0\x02\xff\x00\x00\x00\x00\x00\x00\x00\x00";
    let bytes = [&head[..], metadata, end].concat();
    fs::write(&file, &bytes).unwrap();
    assert_eq!(run(&["check", text(&file)]).status, 0);
    assert_eq!(run(&["convert", text(&file), text(&written)]).status, 0);
    let end = bytes.len() - 8;
    assert_eq!(fs::read(&written).unwrap()[..end], bytes[..end]);
    assert_eq!(run(&["convert", "--match", "a", text(&file), text(&written)]).status, 0);
    assert!(fs::read(&written).unwrap().starts_with(b"REDIS0010"));
    let refused = run(&["convert", "--rdb-version", "12", text(&file), text(&written)]);
    assert_eq!(refused.status, 1);
    assert!(refused.err.contains("key 'b'") && refused.err.contains("243"), "{}", refused.err);
}

#[test]
fn the_default_version_is_the_lowest_that_supports_every_value() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("written.rdb");
    for (name, version) in [("03_sets", "0010"), ("15_hash_field_ttl", "0012")] {
        let path = golden(|path| path.ends_with(format!("redis-unstable/{name}.rdb"))).remove(0);
        assert!(fs::read(&path).unwrap().starts_with(b"REDIS0012"));
        assert_eq!(run(&["convert", text(&path), text(&written)]).status, 0);
        let bytes = fs::read(&written).unwrap();
        assert_eq!(&bytes[5..9], version.as_bytes(), "{name}");
        assert_eq!(run(&["check", text(&written)]).status, 0);
        // The same from standard input, which is read twice.
        let shown =
            run_with(&["convert", "--to=rdb", "-", text(&written)], &fs::read(&path).unwrap());
        assert_eq!((shown.status, fs::read(&written).unwrap()), (0, bytes));
    }
    let valkey = data("hdt/valkey_hash2_with_hfe.rdb");
    assert_eq!(run(&["convert", text(&valkey), text(&written)]).status, 0);
    assert!(fs::read(&written).unwrap().starts_with(b"VALKEY080"));
    let keys = |file: &Path| run(&["inspect", "--keys", text(file)]).out;
    assert_eq!(keys(&written), keys(&valkey));
    let path = golden(|path| path.ends_with("redis-8.6/all_types.rdb")).remove(0);
    assert_eq!(run(&["convert", text(&path), text(&written)]).status, 0);
    assert!(fs::read(&written).unwrap().starts_with(b"REDIS0013"));
    assert_eq!(keys(&written), keys(&path));
    let path = golden(|path| path.ends_with("redis-unstable/15_hash_field_ttl.rdb")).remove(0);
    fs::write(&written, "older").unwrap();
    let refused = run(&["convert", "--rdb-version", "11", text(&path), text(&written)]);
    assert_eq!(refused.status, 1);
    let begin = format!("tallis: {}: key 'hfe:", text(&path));
    assert!(
        refused.err.starts_with(&begin)
            && refused.err.contains(" (hash): version 11 has no encoding for a hash of type 2"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains(" at offset "), "{}", refused.err);
    assert_eq!(fs::read(&written).unwrap(), b"older");
    // Without those keys, the version supports every value.
    let some =
        run(&["convert", "--rdb-version", "11", "--type", "string", text(&path), text(&written)]);
    assert_eq!(some.status, 0, "{}", some.err);
}

const SCRIPT: &str = "set k v\nset n 17\nset bin \"\\xff\\x00\"\nset \"\\xfe\" x\nrpush l a b 3\nsadd i 3 1 2\nsadd s a \"\\x80\"\n\
    zadd z 1.5 m -inf low\nhset h f v \"\\xfd\" w\npexpireat k 4102444800000\nselect 3\nset other 1\nbf.reserve b 0.01 100\nbf.add b x\n";

fn example(folder: &Path) -> PathBuf {
    let file = folder.join("example.rdb");
    let shown = run_with(&["cli", "--save", text(&file)], SCRIPT.as_bytes());
    assert_eq!(shown.status, 0, "{}", shown.err);
    file
}

#[test]
fn json_has_one_object_per_line() {
    let folder = tempfile::tempdir().unwrap();
    let shown = run(&["convert", "--to", "json", text(&example(folder.path())), "-"]);
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    let mut rows: Vec<Value> =
        shown.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows.sort_by_key(|row| (row["db"].as_u64(), row["key"].as_str().unwrap().to_owned()));
    let bloom = rows.remove(rows.len() - 2);
    assert_eq!((&bloom["key"], &bloom["type"]), (&"b".into(), &"MBbloom--".into()));
    let payload = decode(bloom["dump_b64"].as_str().unwrap());
    assert_eq!(payload[0], 7);
    let row = |key: &str, kind: &str, encoding: &str, value: Value| json!({"db": 0, "key": key, "type": kind, "encoding": encoding, "expire_at_ms": -1, "value": value});
    let mut want = vec![
        row("bin", "string", "string", json!({"b64": "/wA="})),
        row("h", "hash", "listpack", json!([["f", "v"], [{"b64": "/Q=="}, "w"]])),
        row("i", "set", "intset", json!(["1", "2", "3"])),
        row("k", "string", "string", json!("v")),
        row("l", "list", "quicklist", json!(["a", "b", "3"])),
        row("n", "string", "string", json!("17")),
        row("s", "set", "hashtable", json!(["a", {"b64": "gA=="}])),
        row("z", "zset", "listpack", json!([["low", "-inf"], ["m", 1.5]])),
        row("\u{fffd}", "string", "string", json!("x")),
        row("other", "string", "string", json!("1")),
    ];
    want[3]["expire_at_ms"] = 4_102_444_800_000_u64.into();
    want[8]["key_b64"] = "/g==".into();
    want[9]["db"] = 3.into();
    assert_eq!(rows, want);
}

#[test]
fn commands_are_one_per_line_in_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let file = example(folder.path());
    let shown = run(&["convert", "--to", "commands", text(&file), "-"]);
    let lines: Vec<&str> = shown.out.lines().collect();
    for line in [
        "SELECT 0",
        "SET k v",
        "PEXPIREAT k 4102444800000",
        "SET bin \"\\xff\\x00\"",
        "RPUSH l a b 3",
        "ZADD z -inf low 1.5 m",
        "HSET h f v \"\\xfd\" w",
        "SELECT 3",
        "SET other 1",
    ] {
        assert!(lines.contains(&line), "{line}: {}", shown.out);
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("SELECT")).count(), 2);
    let big = folder.path().join("big.rdb");
    let mut script = String::from("sadd s");
    script.extend((0..1000).map(|number| format!(" member:{number}")));
    script += "\nsetrange long 2500000 x\n";
    assert_eq!(run_with(&["cli", "--save", text(&big)], script.as_bytes()).status, 0);
    let shown = run(&["convert", "--to", "commands", text(&big), "-"]);
    let count = |begin: &str| shown.out.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!((count("SADD s "), count("SET long "), count("APPEND long ")), (8, 1, 2));
    let saved = folder.path().join("saved.rdb");
    run_with(&["cli", "--save", text(&saved)], shown.out.as_bytes());
    let digest = |file: &Path| run(&["cli", "--rdb", text(file), "DEBUG", "DIGEST"]).out;
    assert_eq!(digest(&saved), digest(&big));
}

#[test]
fn filters_select_what_is_requested() {
    let folder = tempfile::tempdir().unwrap();
    let (file, written) = (example(folder.path()), folder.path().join("written.rdb"));
    let keys = |args: &[&str]| {
        let shown = run(&[&["convert", text(&file), text(&written)], args].concat());
        assert_eq!((shown.status, shown.err.as_str()), (0, ""));
        let mut keys: Vec<String> = run(&["convert", "--to", "json", text(&written), "-"])
            .out
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned()
            })
            .collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(keys(&["--db", "3"]), "b other");
    assert_eq!(keys(&["--type", "set"]), "i s");
    assert_eq!(keys(&["--type", "MBbloom--", "--type", "zset"]), "b z");
    assert_eq!(keys(&["--match", "[a-i]*", "--type", "string"]), "bin");
    assert_eq!(keys(&["--db", "7"]), "");
}

#[test]
fn damage_keeps_the_older_file_or_is_skipped_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let (damaged, written) = (folder.path().join("damaged"), folder.path().join("written"));
    // A string, a hash whose ziplist is one byte, a string.
    let bytes = b"REDIS0009\xfe\x00\x00\x01k\x01v\x0d\x01h\x01x\x00\x01l\x01v\xff\0\0\0\0\0\0\0\0";
    fs::write(&written, "older").unwrap();
    for (name, bytes, offset) in
        [("corrupt", &bytes[..], 19), ("cut", &bytes[..18], 17), ("torn", &bytes[..15], 14)]
    {
        fs::write(&damaged, bytes).unwrap();
        for to in ["rdb", "json", "commands"] {
            // Values that are copied unchanged are not decoded.
            let copied = name == "corrupt" && to == "rdb";
            let refused = run(&["convert", "--to", to, text(&damaged), text(&written)]);
            if !copied {
                assert_eq!(refused.status, 1, "{name} {to}");
                assert!(
                    refused.err.ends_with(&format!(" at offset {offset}\n")),
                    "{}",
                    refused.err
                );
                assert_eq!(fs::read(&written).unwrap(), b"older", "{name} {to}");
            }
            let kept = run(&["convert", "--salvage", "--to", to, text(&damaged), text(&written)]);
            assert_eq!(kept.status, 1);
            assert!(
                kept.err.ends_with(&format!(" at offset {offset}\n")),
                "{name} {to} {}",
                kept.err
            );
            let kept = fs::read(&written).unwrap();
            let many = usize::from(name != "torn");
            match to {
                "rdb" => {
                    let shown = run(&["check", text(&written)]);
                    let keys = if many == 1 { "1 key," } else { "0 keys," };
                    assert!(shown.status == 0 && shown.out.contains(keys), "{}", shown.out);
                }
                "json" => assert_eq!(kept.split(|&byte| byte == b'\n').count(), many + 1),
                _ => assert_eq!(kept, [&b""[..], b"SELECT 0\nSET k v\n"][many]),
            }
            fs::write(&written, "older").unwrap();
        }
    }
}
