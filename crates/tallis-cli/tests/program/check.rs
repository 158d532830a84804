use std::fs;

use serde_json::Value;

use crate::{golden, run, run_with, tallis};

/// A file of version 9 with these records, without a checksum.
fn file(records: &[u8]) -> Vec<u8> {
    [b"REDIS0009\xfe\x00", records, b"\xff\0\0\0\0\0\0\0\0"].concat()
}

#[test]
fn valid_files_are_ok_and_their_content_is_summarized() {
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("one.rdb");
    fs::write(&one, file(b"\x00\x01k\x01v\xfc\0\0\0\0\0\0\0\x01\x02\x01s\x01\x01m")).unwrap();
    let name = one.to_str().unwrap();
    let shown = run(&["check", name]);
    assert_eq!(shown.out, format!("{name}: ok, RDB 9, 2 keys, 40 bytes, 1 with an expiry\n"));
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));

    // The commands of a log follow the file that it begins with.
    let mut log = fs::read(&one).unwrap();
    log.extend_from_slice(b"*1\r\n$4\r\nPING\r\n");
    fs::write(&one, log).unwrap();
    assert!(run(&["check", name]).out.ends_with("with an expiry, 14 bytes after its end\n"));

    let input = file(b"\x00\x01k\x01v");
    assert_eq!(run_with(&["check", "-"], &input).out, "-: ok, RDB 9, 1 key, 25 bytes\n");
    let json: Value =
        serde_json::from_str(&run_with(&["check", "--json", "-"], &input).out).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!((&json["magic"], &json["version"]), (&"REDIS".into(), &9.into()));
    assert_eq!((&json["keys"], &json["bytes"]), (&1.into(), &25.into()));
}

#[test]
fn damaged_files_are_reported_with_the_offset_and_the_others_are_checked_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = write("good", &file(b"\x00\x01k\x01v"));
    let cut = write("cut", &file(b"\x00\x01k\x05v"));
    let twice = write("twice", &file(b"\x02\x01s\x02\x01m\x01m"));
    let no_file = write("text", b"hello, world");
    let missing = folder.path().join("missing").to_str().unwrap().to_owned();
    let shown = run(&["check", &cut, &good, &twice, &missing, &no_file]);
    assert_eq!(shown.status, 1);
    assert_eq!(shown.out, format!("{good}: ok, RDB 9, 1 key, 25 bytes\n"));
    let lines: Vec<&str> = shown.err.lines().collect();
    assert_eq!(
        lines,
        [
            // The end is read as the rest of the value and the beginning of another key.
            &format!("tallis: {cut}: key '' (string): unexpected end of input at offset 25"),
            &format!("tallis: {twice}: key 's' (set): the set has a duplicate member at offset 14"),
            &format!("tallis: {missing}: No such file or directory"),
            &format!("tallis: {no_file}: not an RDB file at offset 0"),
        ]
    );
    let json: Value = serde_json::from_str(&run(&["check", "--json", &twice]).out).unwrap();
    assert_eq!((&json["ok"], &json["offset"]), (&false.into(), &14.into()));
    assert_eq!(json["error"], "key 's' (set): the set has a duplicate member");
    assert_eq!(run::<&str>(&["check"]).status, 2);
}

#[test]
fn every_file_of_servers_is_valid_except_the_corrupt_one() {
    for path in golden(|_| true) {
        let shown = run(&[&"check".into(), &path]);
        if path.ends_with("redis-corrupt_ziplist.rdb") {
            assert_eq!((shown.status, shown.out.as_str()), (1, ""), "{path:?}");
            assert!(
                shown.err.contains("ziplist is malformed") && shown.err.contains(" at offset ")
            );
        } else {
            assert_eq!((shown.status, shown.err.as_str()), (0, ""), "{path:?}");
        }
        if path.ends_with("redis-corrupt_empty_keys.rdb") {
            assert!(
                shown.out.contains(", 0 keys, ") && shown.out.contains("9 empty keys left out")
            );
        }
    }
}

#[test]
fn any_changed_byte_is_detected() {
    let path = golden(|path| path.ends_with("redis-7.0.15/16_small_all.rdb")).remove(0);
    let bytes = fs::read(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..bytes.len())
        .step_by(7)
        .map(|at| {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let path = folder.path().join(at.to_string());
            fs::write(&path, damaged).unwrap();
            path
        })
        .collect();
    let output = tallis().arg("check").args(&files).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), files.len());
}
