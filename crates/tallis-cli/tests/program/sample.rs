//! A real server's log, counted by windows and by the simplest method: see `data/README.md`.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use flate2::read::GzDecoder;
use jiff::Timestamp;
use jiff::fmt::strtime;
use serde_json::Value;
use tallis::{ManualClock, Store, UvFilling, UvWindows};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/apache_logs.gz")
}

fn at(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

fn timestamp(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// The time in seconds and the address of each line.
struct Events(Vec<(i64, String)>);

impl Events {
    fn of_sample() -> Self {
        let mut text = String::new();
        GzDecoder::new(File::open(sample()).unwrap()).read_to_string(&mut text).unwrap();
        let event = |line: &str| {
            let (address, _) = line.split_once(' ').unwrap();
            let (time, _) = line.split_once('[').unwrap().1.split_once(']').unwrap();
            let time = strtime::parse("%d/%b/%Y:%H:%M:%S %z", time).unwrap();
            (time.to_timestamp().unwrap().as_second(), address.to_owned())
        };
        let events: Vec<_> = text.lines().map(event).collect();
        assert_eq!(events.len(), 10_000);
        Self(events)
    }

    /// Returns the number of different addresses from one second up to another, exclusive.
    fn unique(&self, from: i64, to: i64) -> u64 {
        let within = self.0.iter().filter(|(second, _)| (from..to).contains(second));
        within.map(|(_, address)| address).collect::<HashSet<_>>().len() as u64
    }
}

/// Whether an approximate count is within 2 %, or within one for small counts.
fn close(exact: u64, approx: u64) -> bool {
    exact.abs_diff(approx) <= (exact / 50).max(1)
}

/// The counts of the hour, the day and the week before a time, exact and approximate, recorded and merged by the times
/// in the log.
fn figures(events: &Events, now: &str, filling: UvFilling) -> [(u64, u64); 3] {
    let now = at(now);
    let mut latest = 0;
    let clock = Arc::new(ManualClock::new(latest));
    let windows = UvWindows::new(Store::builder().clock(clock.clone()).build(), "uv:");
    let windows = windows.filling(filling);
    for (second, address) in events.0.iter().filter(|(second, _)| *second < now) {
        latest = latest.max(*second);
        clock.set(latest * 1000);
        windows.record(address.as_str(), timestamp(*second)).unwrap();
    }
    clock.set(now * 1000);
    let end = now - now.rem_euclid(MINUTE);
    let approx = [windows.hourly(), windows.daily(), windows.weekly()].map(Result::unwrap);
    let exact = [HOUR, DAY, 7 * DAY].map(|length| events.unique(end - length, end));
    std::array::from_fn(|place| (exact[place], approx[place]))
}

#[test]
fn hourly_daily_and_weekly_visitors_exact_and_approximate() {
    let events = Events::of_sample();
    let cases = [
        ("2015-05-17T10:06:20Z", [22, 22, 22]),
        ("2015-05-17T14:30:00Z", [25, 115, 115]),
        ("2015-05-18T10:06:20Z", [52, 562, 574]),
        ("2015-05-19T00:00:00Z", [42, 627, 890]),
        ("2015-05-20T21:06:00Z", [25, 543, 1_753]),
        ("2015-05-24T10:05:00Z", [0, 0, 1_753]),
        ("2015-05-24T10:06:00Z", [0, 0, 1_741]),
        ("2015-05-25T10:06:00Z", [0, 0, 1_310]),
    ];
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        for (now, want) in cases {
            let figures = figures(&events, now, filling);
            println!("{now} {filling:?} (exact, approx): {figures:?}");
            assert_eq!(figures.map(|(exact, _)| exact), want, "{now}");
            assert!(figures.iter().all(|&(exact, approx)| close(exact, approx)), "{figures:?}");
        }
    }
}

/// Returns the window in the program's report.
fn window(args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tallis"));
    let output = command.args(["uv", "--json"]).args(args).arg(sample()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["window"].take()
}

#[test]
fn windows_of_the_program_match_the_simplest_count() {
    let events = Events::of_sample();
    let lengths =
        [("1m", MINUTE), ("90m", 90 * MINUTE), ("1h", HOUR), ("24h", DAY), ("7d", 7 * DAY)];
    let ends = [
        "2015-05-17T10:05:00Z",
        "2015-05-17T10:06:59Z",
        "2015-05-18T00:00:00+02:00",
        "2015-05-19T12:05:30Z",
        "2015-05-20T21:06:00Z",
        "2015-05-24T22:00:00-05:00",
    ];
    for (length, seconds) in lengths {
        let mut told: Vec<_> = ends
            .iter()
            .map(|end| (at(end) / MINUTE * MINUTE, window(&["--window", length, "--at", end])))
            .collect();
        // The last line is from 21:05:59 or before.
        told.push((at("2015-05-20T21:06:00Z"), window(&["--window", length])));
        for (end, told) in told {
            let from = end - seconds;
            assert_eq!(told["from"], Value::from(timestamp(from).to_string()));
            assert_eq!(told["to"], Value::from(timestamp(end).to_string()));
            let exact = told["exact"].as_u64().unwrap();
            assert_eq!(exact, events.unique(from, end), "{told}");
            assert!(close(exact, told["approx"].as_u64().unwrap()), "{told}");
        }
    }
}
