//! `tallis merge`, and `tallis uv --emit`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::Value;
use tallis::{Store, Visitors};
use testkit::live;

use crate::{example_log, run, tallis};

/// The example log, divided by lines into four files.
fn quarters(folder: &Path) -> Vec<PathBuf> {
    let log = fs::read_to_string(example_log()).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    // Parts of unequal size, none of which ends at the end of a day.
    let cuts = [0, 700, 1900, 2000, lines.len()];
    let pieces = cuts.windows(2).enumerate().map(|(at, cut)| {
        let path = folder.join(format!("log.{at}"));
        fs::write(&path, lines[cut[0]..cut[1]].join("\n") + "\n").unwrap();
        path
    });
    pieces.collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program, which must succeed, and returns its output.
fn done(args: &[&str]) -> String {
    let ran = run(args);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
    ran.out
}

fn load(path: &Path) -> Store {
    let store = Store::new();
    store.load(path).unwrap();
    store
}

/// For each bucket `unique:BUCKET`, the ids, and the registers of `uv:BUCKET`.
fn counted(store: &Store) -> Vec<(String, u64, Vec<i64>, Vec<u8>)> {
    let visitors = Visitors::new(store.clone());
    let mut buckets = Vec::new();
    let mut keys = store.keys("uv:*").unwrap();
    keys.sort();
    for key in keys {
        let bucket = std::str::from_utf8(&key[3..]).unwrap().to_owned();
        let of: tallis::Bucket = match bucket.split_once('T') {
            _ if bucket == "all" => tallis::Bucket::All,
            None => tallis::Bucket::Day(bucket.parse().unwrap()),
            Some((day, hour)) => tallis::Bucket::hour(day.parse().unwrap(), hour.parse().unwrap()),
        };
        let mut ids = visitors.ids(of).unwrap();
        ids.sort_unstable();
        let registers = store.pfdebug_getreg(&key).unwrap().unwrap();
        buckets.push((bucket, visitors.count(of).unwrap(), ids, registers));
    }
    buckets
}

#[test]
fn four_processes_count_like_one() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = quarters(folder.path());
    let whole = folder.path().join("whole.rdb");
    let merged = folder.path().join("merged.rdb");
    for form in ["book", "tagged", "split", "compact"] {
        for every in ["day", "hour", "all"] {
            let log = example_log();
            let options = ["--form", form, "--every", every];
            let one = ["uv", "--json", "--save", text(&whole), text(&log)];
            let report: Value =
                serde_json::from_str(&done(&[&one[..], &options].concat())).unwrap();

            let parts: Vec<PathBuf> =
                (0..4).map(|at| folder.path().join(format!("part.{at}"))).collect();
            let children: Vec<Child> = pieces
                .iter()
                .zip(&parts)
                .map(|(log, part)| {
                    let mut command = tallis();
                    command.args(["uv", "--json", "--emit", text(part), text(log)]).args(options);
                    command.stdout(std::process::Stdio::null()).spawn().unwrap()
                })
                .collect();
            for mut child in children {
                assert!(child.wait().unwrap().success());
            }
            let mut args = vec!["merge", "--json", text(&merged)];
            args.extend(parts.iter().map(|part| text(part)));
            let printed: Value = serde_json::from_str(&done(&args)).unwrap();
            assert_eq!(printed["files"].as_array().unwrap().len(), 4);
            assert!(printed["merged"]["sketches"].as_u64().unwrap() > 0);

            let (one, four) = (counted(&load(&whole)), counted(&load(&merged)));
            assert_eq!(one.len(), report["buckets"].as_array().unwrap().len());
            assert_eq!(one, four, "{form} {every}");
            for (row, (bucket, exact, ids, _)) in
                report["buckets"].as_array().unwrap().iter().zip(&four)
            {
                assert_eq!(row["bucket"].as_str().unwrap(), bucket);
                assert_eq!((row["exact"].as_u64().unwrap(), ids.len() as u64), (*exact, *exact));
            }
            let keys = four.iter().map(|(bucket, ..)| format!("uv:{bucket}")).collect::<Vec<_>>();
            let total = load(&merged).pfcount(keys.as_slice()).unwrap();
            assert_eq!(report["total"]["approx"].as_u64(), Some(total));
        }
    }
}

#[test]
fn parts_with_other_forms_and_shards_are_counted_together() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = quarters(folder.path());
    let options: [&[&str]; 4] = [
        &["--form", "tagged", "--expected", "1000"],
        &["--form", "book", "--expected", "1000000"],
        &["--form", "split"],
        &["--form", "compact"],
    ];
    let mut parts = Vec::new();
    for (at, (log, options)) in pieces.iter().zip(options).enumerate() {
        let part = folder.path().join(format!("part.{at}"));
        // Frames and files may be mixed.
        let to = if at % 2 == 0 { "--emit" } else { "--save" };
        done(&[&["uv", "--json", to, text(&part), text(log)], options].concat());
        parts.push(part);
    }
    let whole = folder.path().join("whole.rdb");
    done(&["uv", "--json", "--save", text(&whole), text(&example_log())]);
    let expected = counted(&load(&whole));
    for turn in 0..4 {
        parts.rotate_left(turn);
        let merged = folder.path().join("merged.rdb");
        let mut args = vec!["merge", text(&merged)];
        args.extend(parts.iter().map(|part| text(part)));
        let table = done(&args);
        assert_eq!(table.lines().count(), 5, "{table}");
        assert!(table.contains(", buckets ") || table.contains(": buckets "), "{table}");
        assert_eq!(counted(&load(&merged)), expected);
    }
}

/// Saves a store that `fill` has filled.
fn saved(path: &Path, fill: impl FnOnce(&Store)) {
    let store = Store::new();
    fill(&store);
    store.save(path).unwrap();
}

#[test]
fn conflicts_are_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, out] = ["old.rdb", "new.rdb", "out.rdb"].map(|name| folder.path().join(name));
    saved(&old, |store| {
        store.rpush("list", ["a"]).unwrap();
        store.set("type", "x").unwrap();
        store.hset("hash", "f", "1").unwrap();
        store.sadd("set", ["a"]).unwrap();
    });
    saved(&new, |store| {
        store.rpush("list", ["b"]).unwrap();
        store.sadd("type", ["x"]).unwrap();
        store.hset("hash", "f", "2").unwrap();
        store.sadd("set", ["b"]).unwrap();
    });
    fs::write(&out, "as it was").unwrap();
    let refused = run(&["merge", text(&out), text(&old), text(&new)]);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    let file = text(&new);
    let expected = format!(
        "tallis: {file}: key 'hash' (hash): the values of field 'f' differ\n\
         tallis: {file}: key 'list' (list): the values differ\n\
         tallis: {file}: key 'type' (string and set): the types differ\n"
    );
    assert_eq!(refused.err, expected);
    assert_eq!(fs::read_to_string(&out).unwrap(), "as it was");

    let table = done(&["merge", "--prefer", "last", text(&out), text(&old), text(&new)]);
    let last = table.lines().last().unwrap();
    assert!(last.ends_with(": 4 keys: taken 4, sets 1, hashes 1, replaced 2"), "{table}");
    let store = load(&out);
    assert_eq!(store.lrange("list", 0, -1).unwrap(), ["b"]);
    assert_eq!(store.scard("type").unwrap(), 1);
    assert_eq!(store.hget("hash", "f").unwrap().as_deref(), Some(&b"2"[..]));
    assert_eq!(store.scard("set").unwrap(), 2);
}

#[test]
fn many_conflicts_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, out] = ["old.rdb", "new.rdb", "out.rdb"].map(|name| folder.path().join(name));
    for (path, value) in [(&old, "a"), (&new, "b")] {
        saved(path, |store| {
            for key in 0..30 {
                store.set(key, value).unwrap();
            }
        });
    }
    let refused = run(&["merge", text(&out), text(&old), text(&new)]);
    assert_eq!(refused.err.lines().count(), 21);
    assert!(refused.err.ends_with("and 10 more keys\n"), "{}", refused.err);
    assert!(!out.exists());
}

#[test]
fn numbers_are_merged_as_requested() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, out] = ["old.rdb", "new.rdb", "out.rdb"].map(|name| folder.path().join(name));
    saved(&old, |store| {
        store.set("n", 7).unwrap();
        store.zadd("z", "m", 7).unwrap();
    });
    saved(&new, |store| {
        store.set("n", 5).unwrap();
        store.zadd("z", "m", 5).unwrap();
    });
    for (options, counter, score) in [
        (&[][..], 12, 7.0),
        (&["--counters", "max", "--scores", "sum"][..], 7, 12.0),
        (&["--counters", "last", "--scores", "last"][..], 5, 5.0),
    ] {
        done(&[&["merge", text(&out), text(&old), text(&new)], options].concat());
        let store = load(&out);
        assert_eq!(store.get_int("n").unwrap(), Some(counter));
        assert_eq!(store.zscore("z", "m").unwrap(), Some(score));
    }
    // The destination may be one of the files.
    done(&["merge", text(&old), text(&old), text(&new)]);
    assert_eq!(load(&old).get_int("n").unwrap(), Some(12));
}

#[test]
fn locations_of_later_files_replace_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, old, new, out] =
        ["1.csv", "2.csv", "old.rdb", "new.rdb", "out.rdb"].map(|name| folder.path().join(name));
    fs::write(&first, "0,USA,CA\n1,FRA,\n").unwrap();
    fs::write(&second, "1,USA,NY\n9,DEU,\n").unwrap();
    for (csv, rdb) in [(&first, &old), (&second, &new)] {
        done(&["locate", "--json", "--save", text(rdb), text(csv)]);
    }
    done(&["merge", text(&out), text(&old), text(&new)]);
    let locations = tallis::Locations::new(load(&out));
    assert_eq!(locations.get(0).unwrap(), Some(("USA", Some("CA"))));
    assert_eq!(locations.get(1).unwrap(), Some(("USA", Some("NY"))));
    assert_eq!(locations.get(9).unwrap(), Some(("DEU", None)));
    assert_eq!(locations.largest_user().unwrap(), Some(9));
}

#[test]
fn other_and_damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [log, part, out] = ["log", "part", "out.rdb"].map(|name| folder.path().join(name));
    fs::write(&log, "::1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 512\n").unwrap();
    done(&["uv", "--json", "--emit", text(&part), text(&log)]);
    let frame = fs::read(&part).unwrap();
    let refused = |file: &Path| {
        let ran = run(&["merge", text(&out), text(file)]);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""));
        assert!(!out.exists());
        ran.err.replace(text(file), "FILE")
    };
    let (need, got) = (frame.len(), frame.len() - 9);
    fs::write(&part, &frame[..got]).unwrap();
    assert_eq!(
        refused(&part),
        format!("tallis: FILE: the frame is truncated: {got} of {need} bytes\n")
    );
    let mut changed = frame.clone();
    changed[20] ^= 1;
    fs::write(&part, &changed).unwrap();
    assert!(refused(&part).starts_with("tallis: FILE: checksum mismatch: stored "));
    assert!(refused(&log).starts_with("tallis: cannot load FILE: "), "{}", refused(&log));
    assert_eq!(refused(&folder.path().join("none")), "tallis: FILE: No such file or directory\n");
    assert_eq!(run(&["merge", text(&out)]).status, 2);
}

#[test]
fn a_server_has_the_same_counts() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, out] = ["old.rdb", "new.rdb", "out.rdb"].map(|name| folder.path().join(name));
    let fill = |store: &Store, numbers: std::ops::Range<i64>| {
        for number in numbers {
            store.sadd("ints", [number]).unwrap();
            store.sadd("words", [format!("word {number}")]).unwrap();
            store.pfadd("sketch", [number]).unwrap();
            store.zadd("scores", number, number % 50).unwrap();
        }
        store.pfadd("sparse", ["a", "b"]).unwrap();
    };
    saved(&old, |store| fill(store, 0..3000));
    saved(&new, |store| fill(store, 2000..5000));
    done(&["merge", "--json", text(&out), text(&old), text(&new)]);

    let Some(server) = live::server_with(&live::Options::new().rdb(&out)) else { return };
    server.check_rdb(&out).unwrap();
    let mut connection = server.connect();
    let mut ask = |words: &[&[u8]]| live::command(&mut connection, words).unwrap();
    // The server merges the two files itself.
    for (end, path) in [("1", &old), ("2", &new)] {
        let store = Store::builder().profile(tallis::Profile::Redis70).build();
        store.load(path).unwrap();
        for key in ["ints", "words", "sketch", "scores", "sparse"] {
            let payload = store.dump(key).unwrap().unwrap();
            ask(&[b"RESTORE", format!("{key}:{end}").as_bytes(), b"0", &payload]);
        }
    }
    let two = |key: &str| [format!("{key}:1").into_bytes(), format!("{key}:2").into_bytes()];
    for key in ["ints", "words"] {
        let [one, two] = two(key);
        ask(&[b"SUNIONSTORE", b"union", &one, &two]);
        assert_eq!(ask(&[b"SCARD", b"union"]), ask(&[b"SCARD", key.as_bytes()]));
        let differ = ask(&[b"SDIFF", b"union", key.as_bytes()]);
        assert_eq!(differ, ask(&[b"SDIFF", b"none"]));
    }
    for key in ["sketch", "sparse"] {
        let [one, two] = two(key);
        ask(&[b"PFMERGE", b"merged", &one, &two]);
        assert_eq!(ask(&[b"PFCOUNT", b"merged"]), ask(&[b"PFCOUNT", key.as_bytes()]));
        let registers = ask(&[b"PFDEBUG", b"GETREG", b"merged"]);
        assert_eq!(registers, ask(&[b"PFDEBUG", b"GETREG", key.as_bytes()]));
        ask(&[b"DEL", b"merged"]);
    }
    ask(&[b"ZUNIONSTORE", b"zunion", b"2", b"scores:1", b"scores:2", b"AGGREGATE", b"MAX"]);
    let union = ask(&[b"ZRANGE", b"zunion", b"0", b"-1", b"WITHSCORES"]);
    assert_eq!(union, ask(&[b"ZRANGE", b"scores", b"0", b"-1", b"WITHSCORES"]));
}
