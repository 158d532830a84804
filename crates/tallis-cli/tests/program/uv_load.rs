//! `tallis uv --load`, and interrupted runs.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::uv::{counts, json};
use crate::{Ran, example_log, run, run_with, tallis};

/// The lines of the example log by day.
pub(crate) fn days() -> Vec<String> {
    let log = fs::read_to_string(example_log()).unwrap();
    let mut days: Vec<(String, String)> = Vec::new();
    for line in log.lines() {
        let day = line[line.find('[').unwrap() + 1..][..11].to_owned();
        if days.last().is_none_or(|(last, _)| *last != day) {
            days.push((day, String::new()));
        }
        let (_, text) = days.last_mut().unwrap();
        text.push_str(line);
        text.push('\n');
    }
    days.into_iter().map(|(_, text)| text).collect()
}

/// Every key of a file with its payload, in key order.
pub(crate) fn values(file: &str) -> Vec<(String, String)> {
    let mut keys: Vec<_> =
        run(&["cli", "--rdb", file, "keys", "*"]).out.lines().map(str::to_owned).collect();
    keys.sort_unstable();
    let asked: String = keys.iter().flat_map(|key| ["dump ", key, "\n"]).collect();
    let dumps = run_with(&["cli", "--rdb", file], asked.as_bytes()).out;
    let dumps: Vec<_> = dumps.lines().map(str::to_owned).collect();
    assert!(dumps.len() >= keys.len() && !keys.is_empty());
    keys.into_iter().zip(dumps).collect()
}

#[test]
fn day_by_day_is_the_same_as_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for form in ["book", "tagged", "split", "compact"] {
        let mut form = vec!["--form", form];
        if ["book", "tagged"].contains(&form[1]) {
            form.extend(["--expected", "1k"]);
        }
        let (file, whole) = (name("day.rdb"), name("whole.rdb"));
        let all =
            json(&[&form[..], &["--save", &whole, example_log().to_str().unwrap()]].concat(), b"");
        let mut rows = Vec::new();
        for (at, day) in days().iter().enumerate() {
            let load: &[&str] = if at == 0 { &[] } else { &["--load", &file] };
            let args = [&form[..], load, &["--save", &file, "-"]].concat();
            let report = json(&args, day.as_bytes());
            assert_eq!(report["loaded"], if at == 0 { Value::Null } else { Value::from(&*file) });
            assert_eq!(report["buckets"].as_array().unwrap().len(), 1, "{report}");
            rows.push(counts(&report)[0].clone());
        }
        assert_eq!(rows, counts(&all)[..rows.len()]);
        assert_eq!(values(&file), values(&whole), "{form:?}");
    }
}

#[test]
fn a_bucket_in_the_file_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day.rdb");
    let file = file.to_str().unwrap();
    let day = &days()[0];
    let lines: Vec<_> = day.split_inclusive('\n').collect();
    let (morning, evening) = lines.split_at(lines.len() / 3);
    let whole = json(&["-"], day.as_bytes());
    let first = json(&["--save", file, "-"], morning.concat().as_bytes());
    let second = json(&["--load", file, "--save", file, "-"], evening.concat().as_bytes());
    let sum =
        first["total"]["events"].as_u64().unwrap() + second["total"]["events"].as_u64().unwrap();
    assert_eq!(whole["total"]["events"], Value::from(sum));
    for figure in ["exact", "approx"] {
        assert_eq!(second["total"][figure], whole["total"][figure], "{figure}");
    }
    // The same lines again add events, but no visitors.
    let again = json(&["--load", file, "-"], day.as_bytes());
    assert_eq!(counts(&again), counts(&whole));
}

#[test]
fn a_file_without_the_required_keys_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (none, other, split, bits) =
        (name("none.rdb"), name("other.rdb"), name("split.rdb"), name("bits.rdb"));
    run(&["cli", "--save", &other, "set", "unique:2015-05-17", "7"]);
    assert!(Path::new(&other).exists());
    run(&["cli", "--save", &bits, "set", "unique:2015-05-17:bitmap", "7"]);
    json(&["--form", "split", "--save", &split, "-"], days()[0].as_bytes());
    let mine = name("compact.rdb");
    json(&["--form", "compact", "--save", &mine, "-"], days()[0].as_bytes());
    let tagged = name("tagged.rdb");
    json(&["--form", "tagged", "--save", &tagged, "-"], days()[0].as_bytes());
    let text = name("text.rdb");
    fs::write(&text, "REDIS").unwrap();
    for (file, form, what) in [
        (&none, "book", "No such file or directory"),
        (&other, "book", "it contains no visitors: it has no key unique:BUCKET"),
        (&split, "book", "unique:2025-03-12 was counted with --form split"),
        (&split, "compact", "unique:2025-03-12 was counted with --form split"),
        (&mine, "split", "unique:2025-03-12 was counted with --form compact"),
        (&tagged, "book", "unique:2025-03-12 was counted with --form tagged"),
        (&bits, "book", "unique:2015-05-17 was counted in a bitmap"),
        (&text, "book", ""),
    ] {
        // The log is not read before that.
        let Ran { status, out, err } =
            run_with(&["uv", "--form", form, "--load", file, "-"], b"bad\n");
        assert_eq!((status, out.as_str()), (1, ""), "{file}");
        assert!(
            err.starts_with("tallis: ") && err.contains(&**file) && err.contains(what),
            "{err}"
        );
    }
    let without = name("without.rdb");
    run(&["cli", "--rdb", &mine, "--save", &without, "del", "uv:2025-03-12"]);
    let args = ["uv", "--form", "compact", "--load", &without, "-"];
    let Ran { status, err, .. } = run_with(&args, days()[0].as_bytes());
    assert_eq!(status, 1);
    assert!(err.contains("unique:2025-03-12, is missing"), "{err}");
    // The count of another day still gives a forecast.
    assert_eq!(run_with(&args, days()[1].as_bytes()).status, 0);
}

#[test]
fn an_interrupted_run_reports_what_it_has_counted() {
    for (signal, threads) in [("INT", "1"), ("TERM", "2")] {
        let folder = tempfile::tempdir().unwrap();
        let (saved, plot) = (folder.path().join("day.rdb"), folder.path().join("day.svg"));
        let mut command = tallis();
        command
            .args(["uv", "--json", "--threads", threads, "--save"])
            .arg(&saved)
            .arg("--plot")
            .arg(&plot)
            .arg("--dir")
            .arg(folder.path().join("d"));
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let log = fs::read(example_log()).unwrap();
        // Complete lines that arrive at once, and an incomplete one.
        input.write_all(&log.repeat(3)).unwrap();
        input.write_all(&log[..50]).unwrap();
        sleep(Duration::from_millis(700));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        drop(input);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {err}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let events = report["total"]["events"].as_u64().unwrap();
        assert!((1..=12_000).contains(&events), "{report}");
        assert_eq!(report["saved"], Value::from(saved.to_str().unwrap()));
        assert!(plot.exists());
        let dir = folder.path().join("d");
        assert_eq!(values(dir.to_str().unwrap()), values(saved.to_str().unwrap()));
        let first = report["buckets"][0]["bucket"].as_str().unwrap();
        let exact =
            run(&["cli", "--rdb", saved.to_str().unwrap(), "get", &format!("unique:{first}")]);
        assert_eq!(exact.out, format!("{}\n", report["buckets"][0]["exact"]));
    }
}

#[test]
fn the_end_of_a_pipe_is_not_an_interrupt() {
    let mut child =
        tallis().args(["uv"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for line in days()[0].split_inclusive('\n').take(3) {
        input.write_all(line.as_bytes()).unwrap();
        sleep(Duration::from_millis(150));
    }
    drop(input);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(out.lines().last().unwrap().starts_with("total             3"), "{out}");
}
