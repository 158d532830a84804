//! The result of an interrupt.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::{Ran, ran, run, run_with, tallis};

/// Starts the program, with pipes on all sides.
fn start(args: &[&str]) -> (Child, ChildStdin) {
    let mut command = tallis();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let input = child.stdin.take().unwrap();
    (child, input)
}

/// Sends a signal, and waits for the end of the process. The input stays open, so only the signal ends it.
fn end(child: Child, signal: &str, input: ChildStdin) -> Ran {
    send(&child, signal);
    let ran = ran(&child.wait_with_output().unwrap());
    drop(input);
    ran
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

/// Long enough for the program to read its input.
fn pause() {
    sleep(Duration::from_millis(500));
}

#[test]
fn dedup_saves_its_filter() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.rdb");
    let file = file.to_str().unwrap();
    for (signal, lines) in [("-INT", "a\nb\na\n"), ("-TERM", "c\nd\npart"), ("-HUP", "e\n")] {
        let load: &[&str] = if signal == "-INT" { &[] } else { &["--load", file] };
        let (mut child, mut input) = start(&[&["dedup", "--save", file], load].concat());
        input.write_all(lines.as_bytes()).unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{}\n", &lines[..1]));
        pause();
        let Ran { status, err, .. } = end(child, signal, input);
        assert_eq!(status, 130, "{err}");
        assert!(err.contains(" dropped; ") && err.ends_with("tallis: interrupted\n"), "{err}");
    }
    // The incomplete last line was not added.
    let ran = run_with(&["dedup", "--load", file], b"a\nb\nc\nd\npart\ne\n");
    assert_eq!(ran.out, "part\n");
}

#[test]
fn without_anything_to_save_an_interrupt_ends_the_program_at_once() {
    use std::os::unix::process::ExitStatusExt;
    for args in [&["dedup"][..], &["locate"], &["geo", "--nearest", "0,0,1"], &["cli"]] {
        let (mut child, _input) = start(args);
        pause();
        send(&child, "-TERM");
        assert_eq!(child.wait().unwrap().signal(), Some(15), "{args:?}");
    }
}

#[test]
fn a_measurement_ends_without_results() {
    let (child, input) = start(&["encodings", "--only", "records", "--sizes", "1M"]);
    pause();
    let Ran { status, out, err } = end(child, "-INT", input);
    assert_eq!((status, out.as_str()), (130, ""));
    assert_eq!(err, "tallis: interrupted: no results are shown\n");
}

#[test]
fn rows_that_were_read_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.rdb");
    let file = file.to_str().unwrap();
    for (args, rows, asked, want) in [
        (
            &["locate", "--save", file][..],
            "1,USA,CA\n2,FRA,\n3,",
            "zscore location:max max\n",
            "2\n",
        ),
        (
            &["geo", "--nearest", "0,0,1", "--save", file],
            "a,1,1\nb,2,2\nc,3",
            "zcard places\n",
            "2\n",
        ),
        (&["locate", "--save", file, "--users", "-", "/dev/null"], "1\n2\n", "dbsize\n", "0\n"),
    ] {
        let (child, mut input) = start(args);
        input.write_all(rows.as_bytes()).unwrap();
        pause();
        let Ran { status, out, err } = end(child, "-TERM", input);
        assert_eq!((status, out.as_str()), (130, ""));
        assert_eq!(err, format!("tallis: interrupted; saved to {file}\n"));
        assert_eq!(run_with(&["cli", "--load", file], asked.as_bytes()).out, want, "{args:?}");
    }
}

#[test]
fn lines_of_cli_save_their_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let file = file.to_str().unwrap();
    let (mut child, mut input) = start(&["cli", "--save", file]);
    input.write_all(b"set k v\nset other w").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "OK\n");
    let Ran { status, err, .. } = end(child, "-INT", input);
    assert_eq!((status, err), (130, format!("tallis: interrupted; saved to {file}\n")));
    assert_eq!(run(&["cli", "--load", file, "MGET", "k", "other"]).out, "v\n\n");

    // A command with a huge count is ended between two repetitions.
    let (mut child, mut input) = start(&["cli", "--load", file, "--save", file]);
    drop(child.stdout.take());
    let mut rounds = child;
    input.write_all(b"1000000000 incr n\n").unwrap();
    pause();
    // The reader of the replies has closed the pipe, which ends the program as well.
    assert!(rounds.try_wait().unwrap().is_some_and(|status| status.success()));
}

/// Everything processed until then is in the directory, and the next program can open it.
#[test]
fn a_directory_has_the_processed_input() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let dir = dir.to_str().unwrap();
    for (args, rows, asked, want) in [
        (&["locate"][..], "1,USA,CA\n2,FRA,\n3,", "zscore location:max max\n", "2\n"),
        (&["geo", "--nearest", "0,0,1"], "a,1,1\nb,2,2\nc,3", "zcard places\n", "2\n"),
        (&["dedup"], "a\nb\nc", "bf.exists dedup b\nbf.exists dedup c\n", "1\n0\n"),
        (&["cli", "--fsync", "no"], "set k v\nset other w", "mget k other\n", "v\n\n"),
    ] {
        let (child, mut input) = start(&[args, &["--dir", dir]].concat());
        input.write_all(rows.as_bytes()).unwrap();
        pause();
        let Ran { status, err, .. } = end(child, "-TERM", input);
        assert_eq!(status, 130);
        let want_err = if args[0] == "dedup" {
            "tallis: interrupted\n".to_owned()
        } else {
            format!("tallis: interrupted; saved to {dir}\n")
        };
        assert!(err.ends_with(&want_err), "{args:?}: {err}");
        let Ran { out, err, .. } = run_with(&["cli", "--dir", dir], asked.as_bytes());
        assert_eq!((out.as_str(), err.as_str()), (want, ""), "{args:?}");
    }
}

/// A failure to save is reported, and sets another exit status.
#[test]
fn an_interrupt_that_cannot_save_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let file = inside.join("seen.rdb");
    let (child, mut input) = start(&["locate", "--save", file.to_str().unwrap()]);
    input.write_all(b"1,USA,CA\n").unwrap();
    pause();
    std::fs::remove_dir(&inside).unwrap();
    let Ran { status, err, .. } = end(child, "-TERM", input);
    let want = format!("tallis: {}: No such file or directory\n", file.display());
    assert_eq!((status, err), (1, want));
}
