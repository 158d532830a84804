//! The main task of the program: a log, line by line.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use tallis::Store;
use tallis_cli::uv::{self, LogLine};
use tallis_cli::{Args, Command};

use super::held;
use crate::report::{Bench, Result, Row, Section, Unit};

/// The lines of the example log.
const EXAMPLE: u32 = 4_000;

/// The number of logs for two threads, and how many times as long each of them is.
const LOGS: u32 = 2;
const LONGER: u32 = 4;

pub(super) fn measure(bench: &Bench) -> Section {
    let text = format!(
        "The work of `tallis uv` on the lines of a file: reading, parsing, exact and approximate counting. The log is \
         the example, repeated {times} times, in Combined Log Format, or the same lines as JSON objects as Caddy writes \
         them; the page cache is warm. Two logs on two threads: the time that one thread takes for two logs of \
         {long},000 lines each, in which every repetition of the example has other visitors, divided by the time of \
         two threads; a shared machine may not have two cores free.",
        times = times(bench),
        long = EXAMPLE * times(bench) * LONGER / 1_000,
    );
    let folder = tempfile::tempdir().unwrap();
    Section::new("tallis uv", &text)
        .row(lines(bench, folder.path()).target(1e6))
        .row(json_lines(bench, folder.path()).target(1e6))
        .row(threads(bench, folder.path()).target(1.8))
}

/// Returns how many times the example log is repeated.
fn times(bench: &Bench) -> u32 {
    if bench.effort().is_quick() { 2 } else { 25 }
}

fn example() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/access.log");
    fs::read_to_string(file).unwrap()
}

fn lines(bench: &Bench, folder: &Path) -> Row {
    let log = folder.join("access.log");
    fs::write(&log, example().repeat(times(bench) as usize)).unwrap();
    let lines = EXAMPLE * times(bench);
    let work = || count(&[], std::slice::from_ref(&log), u64::from(lines));
    let touched = held(&work());
    let results = bench.race().contender("tallis", lines, work).run();
    let rates = results.iter().map(Result::per_second).collect();
    Row::new("lines a second", Unit::PerSecond, touched, rates)
}

fn json_lines(bench: &Bench, folder: &Path) -> Row {
    let mut objects = String::new();
    for line in example().lines() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(['\\', '"'], "");
        let line = LogLine::parse(line.as_bytes()).unwrap();
        let time = line.time.minute_of_utc() * 60 + i64::from(line.time.second);
        let (host, request) = (text(line.host), text(line.request));
        let agent = text(line.agent().unwrap().unwrap_or_default());
        writeln!(
            objects,
            r#"{{"level":"info","ts":{time}.25,"logger":"http.log.access","msg":"handled request","request":{{"remote_ip":"{host}","remote_port":"41342","proto":"HTTP/2.0","uri":"{request}","headers":{{"User-Agent":["{agent}"],"Accept":["*/*"]}},"tls":{{"resumed":false,"version":772,"proto":"h2"}}}},"duration":0.000929675,"size":10900,"status":200,"resp_headers":{{"Server":["Caddy"]}}}}"#
        )
        .unwrap();
    }
    let log = folder.join("access.json");
    fs::write(&log, objects.repeat(times(bench) as usize)).unwrap();
    let lines = EXAMPLE * times(bench);
    let options = ["--format", "json", "--by", ".request.remote_ip", "--time", ".ts"];
    let work = || count(&options, std::slice::from_ref(&log), u64::from(lines));
    let touched = held(&work());
    let results = bench.race().contender("tallis", lines, work).run();
    let rates = results.iter().map(Result::per_second).collect();
    Row::new("lines of JSON a second", Unit::PerSecond, touched, rates)
}

#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn threads(bench: &Bench, folder: &Path) -> Row {
    let example = example();
    let logs: Vec<PathBuf> = (0..LOGS)
        .map(|log| {
            let mut text = String::new();
            for time in 0..times(bench) * LONGER {
                for line in example.lines() {
                    writeln!(text, "{log}.{time}.{line}").unwrap();
                }
            }
            let file = folder.join(format!("{log}.log"));
            fs::write(&file, text).unwrap();
            file
        })
        .collect();
    let lines = u64::from(EXAMPLE * times(bench) * LONGER * LOGS);
    let seconds = |threads: &str| {
        let start = Instant::now();
        drop(count(&["--threads", threads], &logs, lines));
        start.elapsed().as_secs_f64()
    };
    let touched = held(&count(&[], &logs, lines));
    let rounds = if bench.effort().is_quick() { 1 } else { 11 };
    let factors = (0..rounds).map(|_| seconds("1") / seconds("2")).collect();
    let result = Result::of("tallis", false, factors);
    Row::new("two logs on two threads against one", Unit::Times, touched, vec![result])
}

/// Counts logs as the program does, and returns the store.
fn count(options: &[&str], logs: &[PathBuf], lines: u64) -> Store {
    let logs = logs.iter().map(|log| log.to_str().unwrap());
    let words = ["tallis", "uv"].into_iter().chain(options.iter().copied()).chain(logs);
    let Command::Uv(args) = Args::parse_from(words).command else { unreachable!("it is uv") };
    let store = Store::new();
    let report = uv::count(&args, &store).unwrap();
    assert_eq!(report.total.events, lines);
    store
}
