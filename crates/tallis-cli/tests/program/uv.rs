use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::uv_formats::gzip;
use crate::{Ran, data, example_log, feed, ran, run, run_with, tallis};

/// Runs `tallis uv --json` with these arguments and this input, and returns its output.
pub(crate) fn json(args: &[&str], input: &[u8]) -> Value {
    let args = [&["uv", "--json"], args].concat();
    let Ran { status, out, err } = run_with(&args, input);
    assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
    assert!(out.ends_with("}\n") && out.lines().count() == 1, "{out}");
    serde_json::from_str(&out).unwrap()
}

/// `bucket events exact` of each bucket, then of the total.
pub(crate) fn counts(report: &Value) -> Vec<String> {
    let row = |name: &str, row: &Value| format!("{name} {} {}", row["events"], row["exact"]);
    let buckets = report["buckets"].as_array().unwrap().iter();
    buckets
        .map(|bucket| row(bucket["bucket"].as_str().unwrap(), bucket))
        .chain([row("total", &report["total"])])
        .collect()
}

pub(crate) fn small_log() -> Vec<u8> {
    fs::read(data("small.log")).unwrap()
}

pub(crate) const BY_DAY: [&str; 4] =
    ["2015-05-17 4 2", "2015-05-18 4 4", "2015-05-20 1 1", "total 9 5"];

#[test]
fn days_are_those_of_each_lines_own_zone() {
    let out = run(&["uv", "--json", data("small.log").to_str().unwrap()]).out;
    let (head, rest) = out.split_once(",\"bytes\":{\"sets\":").unwrap();
    assert_eq!(
        head,
        concat!(
            r#"{"buckets":[{"bucket":"2015-05-17","events":4,"exact":2,"approx":2},"#,
            r#"{"bucket":"2015-05-18","events":4,"exact":4,"approx":4},"#,
            r#"{"bucket":"2015-05-20","events":1,"exact":1,"approx":1}],"#,
            r#""total":{"events":9,"exact":5,"approx":5},"skipped":0"#
        )
    );
    let (sets, rest) = rest.split_once(",\"hll\":").unwrap();
    let (hll, rest) = rest.split_once('}').unwrap();
    assert!(sets.parse::<u64>().unwrap() > 0 && hll.parse::<u64>().unwrap() > 0);
    assert_eq!(rest, ",\"saved\":null}\n");
}

#[test]
fn buckets_may_be_hours_or_everything() {
    let log = small_log();
    assert_eq!(
        counts(&json(&["--every", "hour", "-"], &log)),
        [
            "2015-05-17T10 2 1",
            "2015-05-17T11 1 1",
            "2015-05-17T23 1 1",
            "2015-05-18T00 1 1",
            "2015-05-18T08 1 1",
            "2015-05-18T09 2 2",
            "2015-05-20T00 1 1",
            "total 9 5",
        ]
    );
    assert_eq!(counts(&json(&["--every", "all", "-"], &log)), ["all 9 5", "total 9 5"]);
    assert_eq!(counts(&json(&["--every", "day", "-"], &log)), BY_DAY);
}

#[test]
fn visitors_may_be_identified_by_agent_or_field() {
    let log = small_log();
    let total = |by: &str| counts(&json(&["--every", "all", "--by", by, "-"], &log))[1].clone();
    // 192.0.2.1 occurs with three agents.
    assert_eq!(total("ip-agent"), "total 9 7");
    assert_eq!(total("ip"), total("field:1"));
    // The user field; for "Frank Zappa" it is "Frank".
    assert_eq!(total("field:3"), "total 9 3");
    let missing = run_with(&["uv", "--by", "field:11", "-"], &log);
    assert_eq!(missing.status, 2);
    assert!(missing.err.ends_with("-:4: no field 11 (column 77)\n"), "{}", missing.err);
}

#[test]
fn an_empty_log_has_no_buckets() {
    assert_eq!(counts(&json(&["-"], b"")), ["total 0 0"]);
    assert_eq!(run_with(&["uv", "-"], b"").status, 0);
}

#[test]
fn the_table_shows_the_same_numbers() {
    let Ran { status, out, err } = run(&["uv", data("small.log").to_str().unwrap()]);
    assert_eq!((status, err.as_str()), (0, ""));
    let words: Vec<Vec<_>> =
        out.lines().map(|line| line.split_whitespace().take(5).collect()).collect();
    assert_eq!(words[0], ["bucket", "events", "exact", "approx", "error"]);
    assert_eq!(words[2], ["2015-05-17", "4", "2", "2", "0.00"]);
    assert_eq!(words.last().unwrap(), &["total", "9", "5", "5", "0.00"]);
    assert!(out.is_ascii() && !out.contains('\x1b'), "{out}");
}

#[test]
fn the_example_log_has_the_counts_of_the_simplest_program() {
    let log = fs::read_to_string(example_log()).unwrap();
    let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut days: BTreeMap<String, (u64, HashSet<&str>)> = BTreeMap::new();
    let mut all = HashSet::new();
    for line in log.lines() {
        let host = line.split(' ').next().unwrap();
        let date = &line[line.find('[').unwrap() + 1..][..11];
        let month = months.iter().position(|month| *month == &date[3..6]).unwrap() + 1;
        let day = days.entry(format!("{}-{month:02}-{}", &date[7..], &date[..2])).or_default();
        day.0 += 1;
        day.1.insert(host);
        all.insert(host);
    }
    let report = json(&[example_log().to_str().unwrap()], b"");
    let want: Vec<_> = days
        .iter()
        .map(|(day, (events, hosts))| format!("{day} {events} {}", hosts.len()))
        .chain([format!("total {} {}", log.lines().count(), all.len())])
        .collect();
    assert_eq!(counts(&report), want);
    assert!(days.len() > 1, "several days");
    for row in report["buckets"].as_array().unwrap().iter().chain([&report["total"]]) {
        let (exact, approx) = (row["exact"].as_f64().unwrap(), row["approx"].as_f64().unwrap());
        assert!((approx - exact).abs() <= exact * 0.03, "{row}");
    }
}

#[test]
fn an_invalid_line_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    fs::write(&saved, "older").unwrap();
    let log = folder.path().join("bad.log");
    let mut text = small_log();
    text.extend_from_slice(b"\nh - - [31/Feb/2015:00:00:00 +0000] \"GET /\" 200 1\nmore\n");
    fs::write(&log, &text).unwrap();
    let log = log.to_str().unwrap();
    for json in [&["--json"][..], &[]] {
        let args = [&["uv", "--save", saved.to_str().unwrap(), log], json].concat();
        let Ran { status, out, err } = run(&args);
        assert_eq!((status, out.as_str()), (2, ""));
        let want = format!("{log}:10: bad time: day 31 in February 2015 (column 8)\n");
        assert!(err.ends_with(&want), "{err}");
        assert_eq!(fs::read(&saved).unwrap(), b"older");
    }
}

#[test]
fn lenient_counts_the_lines_it_skips() {
    let mut text = small_log();
    text.extend_from_slice(b"\n\nbad\n");
    text.resize(text.len() + (1 << 20) + 1, b'x');
    text.extend_from_slice(b"\nbad\nbad\nbad");
    let Ran { status, out, err } = run_with(&["uv", "--lenient", "--json", "-"], &text);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &report["skipped"]), (0, &Value::from(6)));
    assert_eq!(counts(&report), BY_DAY);
    let said: Vec<_> = err.lines().collect();
    assert_eq!(
        said,
        [
            "tallis: -:10: no host at the start of the line (column 1)",
            "tallis: -:11: no ident and user after the host (column 4)",
            "tallis: -:12: the line is longer than 1 MiB",
            "tallis: -:13: no ident and user after the host (column 4)",
            "tallis: -:14: no ident and user after the host (column 4)",
            "tallis: 6 lines skipped",
        ]
    );
    assert_eq!(
        run_with(&["uv", "--lenient", "-"], b"bad\n").out.lines().last(),
        Some("1 line skipped")
    );
}

#[test]
fn logs_that_cannot_be_read_are_reported_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    for (log, what) in [(&*missing, "No such file or directory"), (folder.path(), "is a directory")]
    {
        let log = log.to_str().unwrap();
        // The log before it has an invalid line.
        let Ran { status, out, err } = run_with(&["uv", "-", log], b"bad\n");
        assert_eq!((status, out.as_str()), (1, ""));
        assert_eq!(err, format!("tallis: {log}: {what}\n"));
    }
}

#[test]
fn a_saved_file_can_be_queried() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let saved = saved.to_str().unwrap();
    let report = json(&["--save", saved, "--expected", "1000", "-"], &small_log());
    assert_eq!(report["saved"], Value::from(saved));
    let asked = b"get unique:2015-05-17\nget unique:2015-05-17:expected\n\
        get unique:2015-05-18:expected\nget unique:2015-05-20:expected\n\
        pfcount uv:2015-05-17 uv:2015-05-18 uv:2015-05-20\n";
    // For the 18th, 1.5 times the day before; the 19th was not counted.
    assert_eq!(run_with(&["cli", "--rdb", saved], asked).out, "2\n2048\n4\n2048\n5\n");

    let default = json(&["--save", saved, "--every", "all", "-"], &small_log());
    assert_eq!(default["saved"], Value::from(saved));
    let asked = b"get unique:all\nget unique:all:expected\npfcount uv:all\n";
    assert_eq!(run_with(&["cli", "--rdb", saved], asked).out, "5\n2097152\n5\n");
}

/// A large forecast may create many more shards than there are visitors.
#[test]
fn a_large_forecast_takes_no_longer_than_a_small_one() {
    for expected in ["100000000000", "1e11", "100G"] {
        let report = json(&["--expected", expected, "--every", "all", "-"], &small_log());
        assert_eq!(counts(&report), ["all 9 5", "total 9 5"]);
    }
    let Ran { status, err, .. } = run_with(&["uv", "--expected", "1e15", "-"], &small_log());
    assert_eq!(status, 1);
    assert!(err.contains(" visitors is above "), "{err}");
}

#[test]
fn the_forecast_follows_from_the_size_of_the_logs() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (log, packed, saved) = (name("log"), name("log.gz"), name("out.rdb"));
    let text = fs::read(example_log()).unwrap();
    fs::write(&log, &text).unwrap();
    fs::write(&packed, gzip(&text)).unwrap();
    let expected = |args: &[&str]| {
        json(&[&["--every", "all", "--save", &saved], args].concat(), &text);
        let out = run(&["cli", "--rdb", &saved, "get", "unique:all:expected"]).out;
        out.trim().parse::<u64>().unwrap()
    };
    // One visitor per 400 bytes, times 1.5, rounded up to a power of two.
    assert_eq!(expected(&[&log]), 4096);
    assert_eq!(expected(&[&log, &log]), 8192);
    assert!((512..=8192).contains(&expected(&[&packed])));
    assert_eq!(expected(&["-"]), 2_097_152);
    assert_eq!(expected(&[&log, "-"]), 2_097_152);
    assert_eq!(expected(&["--expected", "1k", &log]), 2048);
}

/// The ids are part of the contract: a client that knows a name can query it.
#[test]
fn ids_are_digests_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let saved = saved.to_str().unwrap();
    let line = br#"83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1"#;
    json(&["--save", saved, "--expected", "1", "-"], line);
    // Of c2a8a5f6-13cf-0caa-660f-ab542837ed35, the first fifteen digits.
    let id = 0x0c2a_8a5f_613c_f0ca_u64;
    assert_eq!(
        run(&["cli", "--rdb", saved, "smembers", "unique:2015-05-17:0"]).out,
        format!("{id}\n")
    );
    let again =
        ["cli", "--rdb", saved, "pfadd", "uv:2015-05-17", "c2a8a5f6-13cf-0caa-660f-ab542837ed35"];
    assert_eq!(run(&again).out, "0\n");
}

#[test]
fn a_file_that_cannot_be_saved_sets_the_exit_status_but_keeps_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none/out.rdb");
    let found = run_with(&["uv", "-", "--save", missing.to_str().unwrap()], &small_log());
    assert_eq!((found.status, found.out.as_str()), (1, ""));
    assert!(found.err.contains("/none: No such file or directory"), "{}", found.err);

    let found = run_with(&["uv", "-", "--save", folder.path().to_str().unwrap()], &small_log());
    assert_eq!((found.status, found.out.as_str()), (1, ""));
    assert!(found.err.ends_with(": is a directory\n"), "{}", found.err);

    let saved = folder.path().join("out.rdb");
    fs::write(&saved, "older").unwrap();
    // A limit on the size of files simulates a full disk.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    shell.arg(tallis().get_program()).args(["uv", "--json", "--save"]).arg(&saved).arg("-");
    let log = fs::read(example_log()).unwrap();
    let found = ran(&feed(&mut shell, &log));
    assert_eq!(found.status, 1);
    let want = format!("tallis: {}: File too large\n", saved.display());
    assert_eq!(found.err, want);
    let report: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!((&report["saved"], &report["total"]["events"]), (&Value::Null, &Value::from(4000)));
    assert_eq!(fs::read(&saved).unwrap(), b"older");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_reader_that_closes_the_pipe_is_not_an_error() {
    let mut child = tallis()
        .args(["uv", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(&small_log()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
}

#[test]
fn invalid_command_lines_are_reported() {
    for args in [
        &["uv", "--by", "name", "-"][..],
        &["uv", "--by", "field:0", "-"],
        &["uv", "--every", "week", "-"],
        &["uv", "--expected", "-1", "-"],
        &["uv", "--expected", "0", "-"],
        &["uv", "--expected", "1e", "-"],
        &["nosuch"],
        &[],
    ] {
        let Ran { status, out, err } = run(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains("--help") || err.contains("Usage"), "{err}");
    }
    for args in [&["--help"][..], &["uv", "--help"], &["cli", "--help"], &["--version"]] {
        assert_eq!(run(args).status, 0, "{args:?}");
    }
}

/// A line of a log for that visitor.
fn visit(visitor: u32) -> String {
    format!("192.0.2.{visitor} - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 512\n")
}

/// Reads a line of figures, printed each second, until it is this one.
pub(crate) fn figures(out: &mut impl BufRead, want: &str) {
    let mut line = String::new();
    for _ in 0..60 {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "no {want}");
        if line.trim_end() == want {
            return;
        }
    }
    panic!("{line} and not {want}");
}

#[test]
fn a_growing_log_is_followed_through_its_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let (log, saved) = (folder.path().join("access.log"), folder.path().join("visitors.rdb"));
    fs::write(&log, visit(1) + &visit(2)).unwrap();
    let mut command = tallis();
    command.args(["uv", "--follow", "--json", "--save"]).arg(&saved).arg(&log);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let latest = |events: u32, unique: u32| {
        format!(
            r#"{{"bucket":"2015-05-17","events":{events},"exact":{unique},"approx":{unique},"total_events":{events}}}"#
        )
    };
    figures(&mut out, &latest(2, 2));
    let append = |text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    // An incomplete line is not counted until it is complete.
    append(&(visit(2) + &visit(3)[..20]));
    figures(&mut out, &latest(3, 2));
    append(&visit(3)[20..]);
    figures(&mut out, &latest(4, 3));
    // The log is truncated and begun again.
    fs::write(&log, visit(4)).unwrap();
    figures(&mut out, &latest(5, 4));
    // Another file is renamed to the log.
    let other = folder.path().join("other");
    fs::write(&other, visit(5) + &visit(6)).unwrap();
    fs::rename(&other, &log).unwrap();
    figures(&mut out, &latest(7, 6));
    // A last line without a line feed is counted at the end.
    append(visit(7).trim_end());
    sleep(Duration::from_millis(300));
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&report["total"]["events"], &report["total"]["exact"]), (&8.into(), &7.into()));
    assert!(saved.exists());
}

#[test]
fn a_pipe_is_followed_to_its_end() {
    let mut command = tallis();
    command.args(["uv", "--follow", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut input = child.stdin.take().unwrap();
    input.write_all((visit(1) + &visit(1)).as_bytes()).unwrap();
    figures(&mut out, "2015-05-17  events 2  exact 1  approx 1  events in all 2");
    input.write_all(visit(2).trim_end().as_bytes()).unwrap();
    drop(input);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    let total: Vec<&str> = rest.lines().last().unwrap().split_whitespace().take(4).collect();
    assert_eq!(total, ["total", "3", "2", "2"]);
}

#[test]
fn inputs_that_cannot_be_followed_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("log.gz");
    fs::write(&packed, gzip(&small_log())).unwrap();
    let ran = run(&["uv", "--follow", packed.to_str().unwrap()]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("gzip cannot be followed"), "{}", ran.err);
    let bad = folder.path().join("bad.log");
    fs::write(&bad, "no log\n").unwrap();
    assert_eq!(run(&["uv", "--follow", bad.to_str().unwrap()]).status, 2);
}
