//! `tallis uv --window`.

use std::io::{BufReader, Read, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::uv::{BY_DAY, counts, figures, json, small_log};
use crate::{Ran, data, example_log, run, run_with, tallis};

/// The path of the log as an argument.
fn log() -> String {
    data("small.log").to_str().unwrap().to_owned()
}

/// The window in the report of a run with these arguments, which change nothing else.
fn window(args: &[&str]) -> Value {
    let log = log();
    let mut report = json(&[args, &[&log]].concat(), b"");
    assert_eq!(counts(&report), BY_DAY, "{args:?}");
    report["window"].take()
}

#[test]
fn the_window_is_the_last_field_and_has_five_fields() {
    let args = ["uv", "--json", "--window", "1h", "--at", "2015-05-18T09:00:59+02:00", &log()];
    let Ran { status, out, err } = run(&args);
    assert_eq!((status, err.as_str()), (0, ""));
    let want = r#","saved":null,"window":{"from":"2015-05-18T06:00:00Z","to":"2015-05-18T07:00:00Z","exact":2,"approx":2,"keys":1}}"#;
    assert!(out.trim_end().ends_with(want), "{out}");
}

#[test]
fn windows_are_in_utc_whatever_the_zone_of_the_log() {
    for (args, exact, keys) in [
        // By their local time, two lines of this address are of the 17th.
        (&["--window", "1m", "--at", "2015-05-18T07:01:00Z"][..], 1, 1),
        (&["--window", "7h", "--at", "2015-05-18T07:00:00Z"], 3, 7),
        (&["--window", "1d", "--at", "2015-05-19T00:00:00Z"], 4, 1),
        (&["--window", "1d", "--at", "2015-05-17T10:05:00Z"], 0, 83),
        (&["--window", "15m", "--at", "2015-06-01T00:00:00Z"], 0, 15),
        // The last line is in the first second of the 20th.
        (&["--window", "24h"], 1, 83),
        (&["--window", "3d"], 5, 85),
    ] {
        let window = window(args);
        let found = [&window["exact"], &window["approx"], &window["keys"]];
        assert_eq!(
            found,
            [&Value::from(exact), &Value::from(exact), &Value::from(keys)],
            "{args:?}"
        );
    }
}

#[test]
fn the_window_is_below_the_table() {
    let out = run(&["uv", "--window", "1h", "--at", "2015-05-18T07:00:00Z", &log()]).out;
    let lines: Vec<_> = out.lines().collect();
    let [.., total, first, second] = &*lines else { panic!("{out}") };
    assert!(total.starts_with("total "), "{out}");
    assert_eq!(*first, "window from 2015-05-18T06:00:00Z to 2015-05-18T07:00:00Z");
    assert_eq!(*second, "exact 2, approx 2, error 0.00 %, 1 key");
}

#[test]
fn the_window_in_the_readme_is_the_printed_one() {
    let log = example_log();
    let args = ["uv", "--window", "24h", "--at", "2025-03-15T12:00:00Z", log.to_str().unwrap()];
    let out = run(&args).out;
    let want = "\nwindow from 2025-03-14T12:00:00Z to 2025-03-15T12:00:00Z\nexact 128, approx 127, error -0.78 %, 24 keys\n";
    assert!(out.ends_with(want), "{out}");
}

#[test]
fn a_window_without_events_is_empty_if_it_has_an_end() {
    let end = ["--window", "1h", "--at", "2015-05-18T07:00:00Z"];
    let window = &json(&[&end[..], &["-"]].concat(), b"")["window"];
    assert_eq!(
        (&window["exact"], &window["approx"], &window["keys"]),
        (&0.into(), &0.into(), &1.into())
    );
    let report = json(&["--window", "1h", "-"], b"");
    assert!(!report.as_object().unwrap().contains_key("window"), "{report}");
    let Ran { status, out, .. } = run_with(&["uv", "--window", "1h", "-"], b"");
    assert_eq!((status, out), (0, run_with(&["uv", "-"], b"").out));
}

#[test]
fn a_window_counts_the_requested_visitors_and_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let [with, without] = ["with.rdb", "without.rdb"].map(|name| folder.path().join(name));
    let [with, without] = [&with, &without].map(|file| file.to_str().unwrap());
    let args = ["--by", "ip-agent", "--every", "all", "-"];
    json(&[&["--save", without], &args[..]].concat(), &small_log());
    let report = json(&[&["--save", with, "--window", "7d"], &args[..]].concat(), &small_log());
    assert_eq!((&report["window"]["exact"], &report["total"]["exact"]), (&7.into(), &7.into()));
    let keys = |file: &str| {
        let mut keys: Vec<_> =
            run(&["cli", "--rdb", file, "keys", "*"]).out.lines().map(str::to_owned).collect();
        keys.sort_unstable();
        keys
    };
    assert!(keys(with).len() > 3);
    assert_eq!(keys(with), keys(without));
}

#[test]
fn skipped_lines_are_in_no_window() {
    let mut text = small_log();
    text.extend_from_slice(b"\nh - - [21/May/2015:00:00:00 +0000] \"GET /\" 200 x\n");
    let args = ["uv", "--json", "--lenient", "--window", "1h", "-"];
    let report: Value = serde_json::from_str(&run_with(&args, &text).out).unwrap();
    assert_eq!(report["window"]["to"], Value::from("2015-05-20T00:01:00Z"));
}

#[test]
fn errors_are_reported() {
    let log = log();
    for (args, what) in [
        (
            &["--window", "90"][..],
            "'90' for '--window <DURATION>': expected an integer followed by m, h or d",
        ),
        (&["--window", "1.5h"], "such as 15m, 24h or 7d"),
        (&["--window", ""], "'--window <DURATION>'"),
        (&["--window", "-1h"], "'-1h' for '--window <DURATION>'"),
        (&["--window", "0h"], "it must be at least 1m"),
        (&["--window", "400000d"], "it must be at most 146097d"),
        (
            &["--window", "1h", "--at", "noon"],
            "'noon' for '--at <TIME>': expected a date, a time and an offset",
        ),
        (&["--window", "1h", "--at", "2015-05-18T07:00:00"], "such as 2015-05-20T21:06:00Z"),
        (
            &["--window", "1h", "--at", "1899-12-31T00:00:00Z"],
            "it must be in the years 1900 to 2299",
        ),
        (&["--at", "2015-05-18T07:00:00Z"], "--window <DURATION>"),
    ] {
        let Ran { status, out, err } = run(&[&["uv"], args, &[&log]].concat());
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(what), "{err}");
    }
}

/// Follows a pipe with these arguments, writes the lines one by one, and waits for the figures of each.
fn follow(args: &[&str], lines: [(&str, &str); 3]) -> String {
    let mut command = tallis();
    command.args(["uv", "--follow"]).args(args).arg("-");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut input = child.stdin.take().unwrap();
    for (line, want) in lines {
        let (visitor, time) = line.split_once(' ').unwrap();
        writeln!(input, "{visitor} - - [17/May/2015:{time} +0000] \"GET /\" 200 1").unwrap();
        figures(&mut out, want);
    }
    drop(input);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    rest
}

#[test]
fn a_window_advances_with_a_followed_log() {
    let figures = |events, unique, window: &str| {
        format!(
            "2015-05-17  events {events}  exact {unique}  approx {unique}  events in all {events}  window to 2015-05-17T{window}"
        )
    };
    let rest = follow(
        &["--window", "15m"],
        [
            ("A 10:05:03", &figures(1, 1, "10:06:00Z  exact 1  approx 1")),
            ("B 10:19:59", &figures(2, 2, "10:20:00Z  exact 2  approx 2")),
            ("B 10:20:00", &figures(3, 2, "10:21:00Z  exact 1  approx 1")),
        ],
    );
    let end = "window from 2015-05-17T10:06:00Z to 2015-05-17T10:21:00Z\nexact 1, approx 1, error 0.00 %, 15 keys\n";
    assert!(rest.ends_with(end), "{rest}");
}

#[test]
fn a_window_with_an_end_does_not_move_while_a_log_is_followed() {
    let figures = |events, unique, within| {
        format!(
            concat!(
                r#"{{"bucket":"2015-05-17","events":{events},"exact":{unique},"approx":{unique},"total_events":{events},"#,
                r#""window":{{"from":"2015-05-17T10:00:00Z","to":"2015-05-17T11:00:00Z","exact":{within},"approx":{within},"keys":1}}}}"#
            ),
            events = events,
            unique = unique,
            within = within
        )
    };
    let rest = follow(
        &["--json", "--window", "1h", "--at", "2015-05-17T11:00:00Z"],
        [
            ("A 11:00:00", &figures(1, 1, 0)),
            ("B 10:59:59", &figures(2, 2, 1)),
            ("A 10:00:00", &figures(3, 2, 2)),
        ],
    );
    let report: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&report["window"]["exact"], &report["total"]["exact"]), (&2.into(), &2.into()));
}
