//! Append-only logs with commands that accept a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::live;

use crate::directory::{contents, last_increment};
use crate::live::redis_cli;
use crate::uv_load::values;
use crate::{Ran, decode, run, run_with};

/// The logs written by servers.
fn golden_logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tallis/tests/data/aof")
}

/// A directory with a log of complete files: a base and two increments.
fn example(folder: &Path) -> String {
    let dir = folder.join("d");
    let log = dir.join("appendonlydir");
    fs::create_dir_all(&log).unwrap();
    let golden = golden_logs().join("redis-7.0.15/aof_multi_incr/appendonlydir");
    for file in fs::read_dir(golden).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), log.join(file.file_name())).unwrap();
    }
    dir.to_str().unwrap().to_owned()
}

/// A command in the format of a log.
fn command(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len())).collect();
    format!("*{}\r\n{}", words.len(), words.concat())
}

fn append(file: &Path, bytes: &[u8]) {
    fs::write(file, [&fs::read(file).unwrap(), bytes].concat()).unwrap();
}

/// The values of each key on a server: `folder db key ttl digest dump`.
fn keys_of_servers() -> BTreeMap<String, Vec<[String; 3]>> {
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for line in fs::read_to_string(golden_logs().join("keys.txt")).unwrap().lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let key = decode(fields[2]).escape_ascii().to_string();
        // Tallis does not compute the digest of a stream.
        if key == "st" {
            continue;
        }
        let row = [fields[1].to_owned(), key, fields[4].to_owned()];
        found.entry(fields[0].to_owned()).or_default().push(row);
    }
    assert!(found.len() > 10);
    found
}

#[test]
fn the_logs_of_servers_are_converted_completely_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.rdb");
    let out = out.to_str().unwrap();
    let mut refused = 0;
    for (name, keys) in keys_of_servers() {
        let log = golden_logs().join(&name);
        let before = contents(&log);
        let log = log.to_str().unwrap();
        let checked = run(&["check", log]);
        let ran = run(&["convert", log, out, "--rdb-version", "12"]);
        assert_eq!(contents(Path::new(log)), before);
        assert_eq!((ran.status, &ran.err), (checked.status, &checked.err), "{name}");
        if ran.status != 0 {
            let says = [
                ": command 'XADD' on key 'st' at offset ",
                ": command 'HPEXPIREAT' on key 'h' at offset ",
            ];
            assert!(says.iter().any(|text| ran.err.contains(text)), "{name}: {}", ran.err);
            assert!(ran.err.ends_with(": unknown command\n"), "{}", ran.err);
            assert!(!Path::new(out).exists());
            refused += 1;
            continue;
        }
        let asked: Vec<_> = keys
            .iter()
            .map(|[db, key, _]| format!("select {db}\ndebug digest-value \"{key}\"\n"))
            .collect();
        let want: Vec<_> = keys.iter().map(|[_, _, digest]| format!("OK\n{digest}\n")).collect();
        let got = run_with(&["cli", "--load", out], asked.concat().as_bytes());
        assert_eq!(got.out, want.concat(), "{name}");
        assert_eq!(values(out), values(log), "{name}");
        fs::remove_file(out).unwrap();
    }
    assert!((3..10).contains(&refused));
}

#[test]
fn a_server_reports_the_same_of_the_file_as_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.rdb");
    let out = out.to_str().unwrap();
    for preamble in ["yes", "no"] {
        let options = live::Options::new()
            .config("appendonly", "yes")
            .config("appendfsync", "always")
            .config("aof-use-rdb-preamble", preamble);
        let Some(server) = live::server_with(&options) else { return };
        let half = b"set k v\nset n 12\nsadd s a b c\nsadd i 1 2 3\nrpush l 1 2 3\nhset h f v g w\n\
            zadd z 1 a 2.5 b\npfadd hll a b c\nsetbit bits 1000 1\nset e v ex 1000\nselect 3\nset other x\n";
        let rest = b"multi\nincr n\nspop i\nlpop l\nexec\nhincrby h n 3\nexpire k 5000\nset gone v px 1\n\
            sort l store sorted\ngeoadd places 13.3 38.1 p\nsunionstore u s i\nselect 3\nappend other y\n";
        redis_cli(&server, &[], half);
        redis_cli(&server, &["bgrewriteaof"], b"");
        while redis_cli(&server, &["info", "persistence"], b"")
            .contains("aof_rewrite_in_progress:1")
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        redis_cli(&server, &[], rest);
        let digest = redis_cli(&server, &["debug", "digest"], b"");
        for dir in [server.folder().to_path_buf(), server.folder().join("appendonlydir")] {
            let dir = dir.to_str().unwrap();
            assert_eq!(run(&["check", dir]).status, 0);
            let ran = run(&["convert", dir, out, "--rdb-version", "10"]);
            assert_eq!((ran.status, ran.err.as_str()), (0, ""));
            let loaded = live::server_with(&live::Options::new().rdb(out)).unwrap();
            loaded.check_rdb(out).unwrap();
            assert_eq!(redis_cli(&loaded, &["debug", "digest"], b""), digest);
        }
    }
}

#[test]
fn a_directory_of_the_program_is_opened_by_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let dir = dir.to_str().unwrap();
    let lines = b"set k v\nmulti\nrpush l 1 2\nhset h f v\nexec\nselect 2\nsadd s a b\n";
    assert_eq!(run_with(&["cli", "--dir", dir], lines).status, 0);
    let options = live::Options::new().config("appendonly", "yes").config("dir", dir);
    let Some(server) = live::server_with(&options) else { return };
    let asked = b"get k\nlrange l 0 -1\nhgetall h\nselect 2\nscard s\n";
    assert_eq!(redis_cli(&server, &[], asked), run_with(&["cli", "--load", dir], asked).out);
    server.check_aof(Path::new(dir).join("appendonlydir/appendonly.aof.manifest")).unwrap();
}

/// As set by `appendfilename`.
#[test]
fn a_log_with_another_name_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        live::Options::new().config("appendonly", "yes").config("appendfilename", "other");
    let Some(server) = live::server_with(&options) else { return };
    redis_cli(&server, &[], b"set k v\nconfig set appendfsync always\nrpush l 1 2\n");
    let log = folder.path().join("d/appendonlydir");
    fs::create_dir_all(&log).unwrap();
    for file in fs::read_dir(server.folder().join("appendonlydir")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), log.join(file.file_name())).unwrap();
    }
    let dir = folder.path().join("d");
    let dir = dir.to_str().unwrap();
    assert_eq!(run(&["cli", "--load", dir, "GET", "k"]).out, "v\n");
    assert_eq!(run(&["cli", "--dir", dir, "RPUSH", "l", "3"]).out, "3\n");
    assert_eq!(run(&["cli", "--dir", dir, "DBSIZE"]).out, "2\n");
    let names: Vec<_> = contents(&log).into_iter().map(|(path, _)| path).collect();
    let names: Vec<_> =
        names.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["other.1.base.rdb", "other.1.incr.aof", "other.manifest"]);
    fs::write(log.join("other.manifest"), "x\n").unwrap();
    let ran = run(&["cli", "--dir", dir, "DBSIZE"]);
    let says = format!("tallis: {}: ", log.join("other.manifest").display());
    assert!(ran.status == 1 && ran.err.starts_with(&says), "{}", ran.err);
}

#[test]
fn every_file_of_a_log_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let dir = example(folder.path());
    let log = format!("{dir}/appendonlydir/appendonly.aof");
    let [base, first, last] =
        [".2.base.rdb", ".2.incr.aof", ".3.incr.aof"].map(|end| format!("{log}{end}"));
    let ok = [
        format!("{base}: ok, base, RDB 10, 17 keys, 762 bytes, 1 with an expiry\n"),
        format!("{first}: ok, increment, 2 commands, 57 bytes\n"),
        format!("{last}: ok, increment, 31 commands, 980 bytes\n"),
    ];
    for path in [&dir, &format!("{dir}/appendonlydir")] {
        let ran = run(&["check", path]);
        assert_eq!((ran.status, ran.out, ran.err.as_str()), (0, ok.concat(), ""));
    }
    let ran = run(&["check", "--json", &dir]);
    let reports: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let field = |name: &str| reports.iter().map(|report| report[name].clone()).collect::<Vec<_>>();
    assert_eq!(field("kind"), ["base", "increment", "increment"]);
    assert_eq!(field("commands"), [Value::Null, 2.into(), 31.into()]);
    assert_eq!(field("keys"), [17, 0, 0]);
    assert_eq!(field("ok"), [true, true, true]);
    // One of its files.
    assert_eq!(run(&["check", &last]).out, format!("{last}: ok, log, 31 commands, 980 bytes\n"));

    // The end is incomplete.
    let whole = [&base, &first, &last].map(|file| fs::read(file).unwrap());
    append(Path::new(&last), b"*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n");
    let torn = "the last command or transaction is incomplete; ";
    let cut = format!("tallis: {last}: {torn}Store::open truncates the file at offset 980\n");
    let ran = run(&["check", &dir]);
    assert_eq!((ran.status, ran.out, ran.err.clone()), (1, ok[..2].concat(), cut.clone()));
    let ran = run(&["check", &last]);
    let want = format!("tallis: {last}: {torn}the file is valid up to its start at offset 980\n");
    assert_eq!((ran.status, ran.out.as_str(), ran.err), (1, "", want));
    let ran = run(&["check", "--json", &dir]);
    let report: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&report["ok"], &report["offset"], &report["commands"]),
        (&false.into(), &980.into(), &33.into())
    );
    // If an empty increment follows, the result is the same.
    let manifest = PathBuf::from(format!("{log}.manifest"));
    append(&manifest, b"file appendonly.aof.4.incr.aof seq 4 type i\n");
    let next = format!("{log}.4.incr.aof");
    fs::write(&next, "").unwrap();
    let ran = run(&["check", &dir]);
    let empty = format!("{next}: ok, increment, 0 commands, 0 bytes\n");
    assert_eq!((ran.status, ran.out, ran.err), (1, ok[..2].concat() + &empty, cut));
    // If the next increment has commands, the incomplete end before it is damage.
    fs::write(&next, command(&["SET", "k", "v"])).unwrap();
    let ran = run(&["check", &dir]);
    assert!(
        ran.err.ends_with("; the file is valid up to its start at offset 980\n"),
        "{}",
        ran.err
    );
    assert_eq!(run(&["cli", "--dir", &dir, "PING"]).status, 1);
    fs::write(&last, &whole[2]).unwrap();

    // A command that cannot be run is reported with its key and offset.
    for (words, says) in [
        (
            &["XADD", "x", "*", "f", "v"][..],
            "command 'XADD' on key 'x' at offset 57: unknown command",
        ),
        (
            &["LPOP", "st"],
            "command 'LPOP' on key 'st' at offset 57: the store has no commands for values of type stream",
        ),
    ] {
        append(Path::new(&first), command(words).as_bytes());
        let ran = run(&["check", &dir]);
        let want = format!("tallis: {first}: {says}\n");
        assert_eq!((ran.status, ran.err.as_str()), (1, want.as_str()));
        assert!(ran.out.starts_with(&ok[0]) && ran.out.contains(&last));
        for args in [["inspect", &dir].as_slice(), &["convert", &dir, "-"]] {
            let ran = run(args);
            assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (1, "", want.as_str()));
        }
        let json = run(&["check", "--json", &dir]).out;
        let report: Value = serde_json::from_str(json.lines().nth(1).unwrap()).unwrap();
        assert_eq!((&report["ok"], &report["error"]), (&false.into(), &says.into()));
        fs::write(&first, &whole[1]).unwrap();
    }

    // Damage anywhere, and a missing file: the others are checked.
    append(Path::new(&first), b"x");
    let mut damaged = whole[0].clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&base, damaged).unwrap();
    fs::remove_file(&last).unwrap();
    let ran = run(&["check", &dir]);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(
        lines[0].starts_with(&format!("tallis: {base}: ")) && lines[0].contains("checksum"),
        "{}",
        lines[0]
    );
    assert_eq!(lines[1], format!("tallis: {first}: expected '*' or '#', got 'x' at offset 57"));
    assert_eq!(lines[2], format!("tallis: {last}: No such file or directory"));
    assert_eq!((ran.status, lines.len(), ran.out.lines().count()), (1, 3, 1));

    fs::write(&manifest, "file x seq 1 type q\n").unwrap();
    let ran = run(&["check", &dir]);
    assert!(
        ran.err.starts_with(&format!("tallis: {}: ", manifest.display()))
            && ran.err.contains("line 1")
    );
    assert_eq!((ran.status, ran.err.lines().count()), (1, 1));
}

#[test]
fn what_precedes_the_damage_is_salvaged() {
    let folder = tempfile::tempdir().unwrap();
    let dir = example(folder.path());
    let [whole, part] =
        ["whole.rdb", "part.rdb"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    assert_eq!(run(&["convert", &dir, &whole]).status, 0);
    let last = last_increment(&dir);
    append(&last, command(&["XADD", "x", "*", "f", "v"]).as_bytes());
    let before = contents(Path::new(&dir));
    let says = format!(
        "tallis: {}: command 'XADD' on key 'x' at offset 980: unknown command\n",
        last.display()
    );

    let Ran { status, err, .. } = run(&["convert", &dir, &part]);
    assert_eq!((status, err.as_str()), (1, says.as_str()));
    assert!(!Path::new(&part).exists());
    let Ran { status, err, .. } = run(&["convert", "--salvage", &dir, &part]);
    assert_eq!((status, err.as_str()), (1, says.as_str()));
    assert_eq!(values(&part), values(&whole));

    let inspected = |args: &[&str]| {
        let ran = run(&[&["inspect", "--json"], args].concat());
        let mut report: Value = serde_json::from_str(&ran.out).unwrap();
        // The order of keys differs between files, and so does the length of the time of writing.
        for field in ["bytes_file", "groups", "biggest"] {
            report.as_object_mut().unwrap().remove(field);
        }
        (ran.status, ran.err, report)
    };
    let (status, err, salvaged) = inspected(&["--salvage", &dir]);
    assert_eq!((status, err), (1, says));
    assert_eq!((0, String::new(), salvaged), inspected(&[&whole]));
    assert_eq!(contents(Path::new(&dir)), before);

    // After damage in the middle, the rest is lost as well.
    let first = format!("{dir}/appendonlydir/appendonly.aof.2.incr.aof");
    append(Path::new(&first), b"*1\r\n");
    let ran = run(&["convert", "--salvage", &dir, &part]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.starts_with(&format!("tallis: {first}: ")) && ran.err.contains(" at offset 57"),
        "{}",
        ran.err
    );
    assert!(values(&part).len() < values(&whole).len());
}

#[test]
fn a_single_file_is_a_log_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("appendonly.aof");
    let name = log.to_str().unwrap();
    let commands = [
        command(&["SELECT", "0"]),
        command(&["SET", "k", "v"]),
        command(&["RPUSH", "l", "1", "2"]),
    ]
    .concat();
    // A log of a server before Redis 7: an RDB file and then commands, or only commands.
    let rdb = b"REDIS0009\xfe\x00\x00\x01o\x01v\xff\0\0\0\0\0\0\0\0";
    for (head, says, keys) in [
        (&b""[..], "3 commands, 86 bytes", "2\n"),
        (rdb, "RDB 9, 1 key, 3 commands, 111 bytes", "3\n"),
    ] {
        fs::write(&log, [head, commands.as_bytes()].concat()).unwrap();
        let checked = run(&["check", name]);
        assert_eq!((checked.status, checked.out), (0, format!("{name}: ok, log, {says}\n")));
        assert_eq!(run(&["cli", "--load", name, "DBSIZE"]).out, keys);
        assert_eq!(
            run(&["convert", "--to", "json", name, "-"]).out.lines().count().to_string() + "\n",
            keys
        );
        let report: Value = serde_json::from_str(&run(&["inspect", "--json", name]).out).unwrap();
        assert_eq!(report["keys"].to_string() + "\n", keys);
    }
    append(&log, b"*2\r\n");
    let ran = run(&["convert", name, "-"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(
        ran.err.starts_with(&format!("tallis: {name}: ")) && ran.err.contains(" offset 111"),
        "{}",
        ran.err
    );
    // An RDB file without commands after it is accepted, too.
    fs::write(&log, rdb).unwrap();
    assert_eq!(run(&["check", name]).out, format!("{name}: ok, log, RDB 9, 1 key, 25 bytes\n"));
    fs::write(&log, "").unwrap();
    assert_eq!(run(&["check", name]).out, format!("{name}: ok, log, 0 commands, 0 bytes\n"));
    assert_eq!(run(&["cli", "--load", name, "DBSIZE"]).out, "0\n");
}

#[test]
fn a_folder_without_a_log_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let [empty, none] =
        ["empty", "none"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    fs::create_dir(&empty).unwrap();
    let out = folder.path().join("out.rdb");
    let out = out.to_str().unwrap();
    for (path, says) in
        [(&empty, "the directory has no log manifest"), (&none, "No such file or directory")]
    {
        let want = format!("tallis: {path}: {says}\n");
        for args in [
            &["check", path][..],
            &["inspect", path],
            &["convert", path, out],
            &["convert", "--salvage", path, out],
            &["cli", "--load", path, "PING"],
            &["cli", "--salvage", "--load", path, "PING"],
            &["uv", "--load", path, "-"],
        ] {
            let ran = run(args);
            assert_eq!(
                (ran.status, ran.out.as_str(), ran.err.as_str()),
                (1, "", want.as_str()),
                "{args:?}"
            );
        }
    }
    assert!(!Path::new(out).exists());
}
