use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::{Ran, feed, ran, run, run_with, tallis};

#[test]
fn one_command_in_the_arguments() {
    let set = run(&["cli", "SADD", "s", "a", "b c", ""]);
    assert_eq!((set.status, set.out.as_str(), set.err.as_str()), (0, "3\n", ""));
    assert_eq!(run(&["cli", "--no-raw", "SADD", "s", "a"]).out, "(integer) 1\n");
    assert_eq!(run(&["cli", "get", "nosuch"]).out, "\n");
    assert_eq!(run(&["cli", "--no-raw", "get", "nosuch"]).out, "(nil)\n");
    // An argument after the command that looks like an option belongs to the command.
    assert_eq!(run(&["cli", "ECHO", "--no-raw"]).out, "--no-raw\n");
    assert_eq!(run(&["cli", "ECHO", "-1"]).out, "-1\n");
}

#[test]
fn an_error_is_a_reply_like_any_other() {
    let Ran { status, out, err } = run(&["cli", "incr"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "ERR wrong number of arguments for 'incr' command\n\n");
}

#[test]
fn one_command_per_line_of_the_input() {
    let input =
        b"set \"a\\x00b\" 'x\\n' \n\nget \"a\\x00b\"\r\nsadd s 1 2\nsmembers s\nget \"open\n";
    assert_eq!(run_with(&["cli"], input).out, "OK\nx\\n\n2\n1\n2\nInvalid argument(s)\n");
    assert_eq!(
        run_with(&["cli", "--no-raw"], input).out,
        "OK\n\"x\\\\n\"\n(integer) 2\n1) \"1\"\n2) \"2\"\nInvalid argument(s)\n"
    );
    assert_eq!(run_with(&["cli"], b"").out, "");
}

#[test]
fn replies_come_before_the_next_command_is_read() {
    let mut child =
        tallis().arg("cli").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 1..=3 {
        input.write_all(b"incr n\n").unwrap();
        assert_eq!(output.next().unwrap().unwrap(), number.to_string());
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn replies_have_the_requested_format() {
    let words = ["CONFIG", "GET", "databases"];
    let shown = |options: &[&str], words: &[&str]| run(&[&["cli"], options, words].concat()).out;
    assert_eq!(shown(&["--no-raw"], &words), "1) \"databases\"\n2) \"16\"\n");
    assert_eq!(shown(&["--no-raw", "-3"], &words), "1# \"databases\" => \"16\"\n");
    assert_eq!(shown(&["-3"], &words), "databases 16\n");
    assert_eq!(shown(&[], &words), "databases\n16\n");
    let input = b"sadd s 1 2\nsmembers s\nsmembers none\nhello 2\nsmembers s\n";
    let out = run_with(&["cli", "-3", "--no-raw"], input).out;
    assert!(out.starts_with("(integer) 2\n1~ \"1\"\n2~ \"2\"\n(empty set)\n 1) "), "{out}");
    assert!(out.ends_with("\n1) \"1\"\n2) \"2\"\n"), "{out}");
    // Text for people is printed unchanged, without an additional line feed.
    for options in [&[][..], &["-3"], &["--no-raw"], &["--no-raw", "-3"]] {
        assert_eq!(shown(options, &["INFO", "keyspace"]), "# Keyspace\r\n");
        assert_eq!(shown(options, &["INFO", "nosuch"]), "");
    }
}

#[test]
fn the_default_profile_is_the_newer_one() {
    let shown = |options: &[&str]| {
        let words = ["CONFIG", "GET", "set-max-listpack-*"];
        run(&[&["cli"], options, &words].concat()).out
    };
    let known = "set-max-listpack-entries\n128\nset-max-listpack-value\n64\n";
    assert_eq!(shown(&[]), known);
    assert_eq!(shown(&["--profile", "7.2"]), known);
    assert_eq!(shown(&["--profile", "7.0"]), "\n");
    let other = run(&["cli", "--profile", "7.1", "PING"]);
    assert_eq!((other.status, other.out.as_str()), (2, ""));
    assert!(other.err.contains("7.0, 7.2"), "{}", other.err);
}

#[test]
fn files_are_loaded_first_and_saved_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let file = file.to_str().unwrap();
    assert_eq!(run(&["cli", "--save", file, "SET", "k", "v"]).out, "OK\n");
    assert_eq!(run(&["cli", "--rdb", file, "GET", "k"]).out, "v\n");
    let input = b"set k w\nselect 3\nset other 1\nquit\nset k x\n";
    assert_eq!(run_with(&["cli", "--rdb", file, "--save", file], input).out, "OK\nOK\nOK\n");
    assert_eq!(run(&["cli", "--load", file, "GET", "k"]).out, "w\n");
    let input = b"get k\nselect 3\nget other\n";
    assert_eq!(run_with(&["cli", "--rdb", file], input).out, "w\nOK\n1\n");
}

#[test]
fn a_file_that_cannot_be_loaded_is_reported_with_the_offset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let name = file.to_str().unwrap();
    let missing = run(&["cli", "--rdb", name, "GET", "k"]);
    assert_eq!((missing.status, missing.out.as_str()), (1, ""));
    assert_eq!(missing.err, format!("tallis: {name}: No such file or directory\n"));

    run(&["cli", "--save", name, "SET", "k", "v"]);
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let other = folder.path().join("other.rdb");
    let damaged = run(&["cli", "--rdb", name, "--save", other.to_str().unwrap(), "GET", "k"]);
    assert_eq!((damaged.status, damaged.out.as_str()), (1, ""));
    assert!(damaged.err.starts_with(&format!("tallis: {name}: ")), "{}", damaged.err);
    assert!(damaged.err.contains("offset"), "{}", damaged.err);
    assert!(!other.exists());
}

#[test]
fn the_readable_part_of_a_damaged_file_is_salvaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let name = file.to_str().unwrap();
    run(&["cli", "--save", name, "SET", "k", "v"]);
    let bytes = fs::read(&file).unwrap();
    // Without its end and its checksum.
    fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    let Ran { status, out, err } = run(&["cli", "--load", name, "--salvage", "GET", "k"]);
    assert_eq!((status, out.as_str()), (0, "v\n"));
    let lines: Vec<_> = err.lines().collect();
    assert!(lines[0].starts_with(&format!("tallis: {name}: ")) && lines[0].contains("offset"));
    assert_eq!(lines[1..], [format!("tallis: {name}: loaded 1 key from before the damage")]);
    let quiet = run(&["cli", "-q", "--load", name, "--salvage", "GET", "k"]);
    assert_eq!(quiet.err.lines().collect::<Vec<_>>(), lines[..1]);
    assert_eq!(run(&["cli", "--load", name, "GET", "k"]).status, 1);
    assert_eq!(run(&["cli", "--salvage", "GET", "k"]).status, 2);
}

#[test]
fn files_have_the_requested_version() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let name = file.to_str().unwrap();
    for (version, magic) in [
        (&[][..], "REDIS0010"),
        (&["--rdb-version", "9"], "REDIS0009"),
        (&["--rdb-version", "12"], "REDIS0012"),
        (&["--rdb-version=80"], "VALKEY080"),
    ] {
        let args = [&["cli", "--save", name], version, &["SADD", "s", "a"]].concat();
        assert_eq!(run(&args).out, "1\n");
        assert!(fs::read(&file).unwrap().starts_with(magic.as_bytes()), "{version:?}");
        assert_eq!(run(&["cli", "--load", name, "SMEMBERS", "s"]).out, "a\n");
    }
    for args in [["--save", name, "--rdb-version", "8"], ["--load", name, "--rdb-version", "9"]] {
        assert_eq!(run(&[&["cli"][..], &args, &["PING"]].concat()).status, 2, "{args:?}");
    }
}

#[test]
fn a_file_that_cannot_be_saved_sets_the_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none/dump.rdb");
    let Ran { status, out, err } =
        run(&["cli", "--save", missing.to_str().unwrap(), "SET", "k", "v"]);
    assert_eq!((status, out.as_str()), (1, ""));
    let missing = missing.parent().unwrap();
    assert_eq!(err, format!("tallis: {}: No such file or directory\n", missing.display()));

    // A failure at the end leaves the older file and no other.
    let file = folder.path().join("dump.rdb");
    fs::write(&file, "older").unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    shell.arg(tallis().get_program()).args(["cli", "--save"]).arg(&file);
    let mut input = b"sadd s".to_vec();
    for number in 0..500 {
        input.extend_from_slice(format!(" member:{number}").as_bytes());
    }
    let Ran { status, out, err } = ran(&feed(&mut shell, &input));
    assert_eq!((status, out.as_str()), (1, "500\n"));
    assert_eq!(err, format!("tallis: {}: File too large\n", file.display()));
    assert_eq!(fs::read(&file).unwrap(), b"older");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn help_is_available() {
    let Ran { status, out, err } = run(&["cli", "help", "getdel"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("\n  GETDEL key\n  summary: "), "{out}");
    assert_eq!(run_with(&["cli"], b"help getdel\nping\n").out, out + "PONG\n");
}

#[test]
fn long_output_is_written_incrementally() {
    let mut input = b"sadd s".to_vec();
    for number in 0..5000 {
        input.extend_from_slice(format!(" member:{number}").as_bytes());
    }
    input.extend_from_slice(b"\n40 smembers s\n");
    let out = run_with(&["cli"], &input).out;
    assert_eq!(out.lines().count(), 1 + 40 * 5000);
}
