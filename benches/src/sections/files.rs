//! Files: a mixed store, written to and read from a file system in memory.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use rdb_rs::RdbDecoder;
use rdb_rs::filter::Simple;
use tallis::{LoadOptions, SaveOptions, Store};
use tallis_cli::{Args, Command, inspect};
use tempfile::TempDir;
use testkit::live::Options;
use testkit::rng::Rng;

use super::held;
use super::live::{Live, SERVER, command};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// Rounds of work that takes a second.
const ROUNDS: usize = 11;

/// The names of our contenders on the page, with two threads and with one.
const OURS: &str = "tallis";
const ONE: &str = "one thread";

/// A folder in memory, on systems that have it.
const MEMORY: &str = "/dev/shm";

pub(super) fn measure(bench: &Bench) -> Section {
    let scale = if bench.effort().is_quick() { 200 } else { 1 };
    let store = mixed(scale);
    let folder = folder_in_memory();
    let plain = SaveOptions { compression: false, ..SaveOptions::default() };
    let file = folder.path().join("dump.rdb");
    store.save_with(&file, plain).unwrap();
    let bytes = std::fs::metadata(&file).unwrap().len();
    let text = format!(
        "A store of {} MB: a sorted set of {million} members, {million} ids in sets of shards, {sketches} dense \
         HyperLogLogs, {bitmaps} bitmaps of 1 MiB, {million} small strings, {hashes} hashes of 10 fields, and a list \
         of {million} elements; its file of {} MB is in memory (`{MEMORY}`), so that no disk is measured. \
         *redis-server* is the installed one with the same keys; its time is its own for SAVE, and for DEBUG RELOAD \
         NOSAVE of an empty keyspace. *rdb 0.4* is the parser of that name, which reads every value and keeps none; \
         `tallis inspect` also counts by type, encoding and prefix, and estimates memory.",
        store.used_memory().unwrap() / 1_000_000,
        bytes / 1_000_000,
        million = 1_000_000 / scale,
        sketches = 1000 / scale,
        bitmaps = 200 / scale,
        hashes = 100_000 / scale,
    );
    let dir = folder.path().display().to_string();
    let options = Options::new().config("dir", &dir).config("enable-debug-command", "yes");
    let mut live = Live::start_with(&options);
    let [inspect_time, inspect_peak] = inspecting(bench, &file);
    let [by_two, by_one] = load(bench, &file, live.as_mut());
    Section::new("Files", &text)
        .row(by_two)
        .row(by_one)
        .row(peak(bench, &file))
        .row(inspect_time)
        .row(inspect_peak)
        .row(save(bench, &store, &folder.path().join("saved.rdb"), false, live.as_mut()))
        .row(save(bench, &store, &folder.path().join("saved.rdb"), true, live.as_mut()))
}

/// Returns a folder in memory, if the machine has one, or else on disk.
pub(super) fn folder_in_memory() -> TempDir {
    let memory = Path::new(MEMORY);
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.unwrap()
}

/// Returns a store of values of every kind, smaller by the factor `scale`.
pub(super) fn mixed(scale: usize) -> Store {
    let mut rng = Rng::new(1);
    let mut next = move || rng.u64();
    let store = Store::new();
    let million = 1_000_000 / scale;
    for number in 0..million {
        #[expect(clippy::cast_precision_loss, reason = "24 bits")]
        let score = (next() >> 40) as f64;
        store.zadd("board", format!("member:{number:07}"), score).unwrap();
        let id = i64::try_from(next() >> 4).unwrap();
        store.sadd(format!("unique:2015-05-17:{}", id % 8192), [id]).unwrap();
        store.set(format!("key:{number:08}"), format!("value:{number:010}")).unwrap();
        store.rpush("list", [format!("element:{number:08}")]).unwrap();
        let (key, field) = (format!("user:{}", number / 10), format!("field:{}", number % 10));
        store.hset(key, field, format!("{:016x}", next())).unwrap();
    }
    for number in 0..1000 / scale {
        let items: Vec<String> = (0..3000).map(|_| next().to_string()).collect();
        store.pfadd(format!("uv:{number}"), &items).unwrap();
    }
    for number in 0..200 / scale {
        let words = (0..1 << 17).flat_map(|_| (next() & next()).to_le_bytes());
        store.set(format!("bitmap:{number}"), words.collect::<Vec<u8>>()).unwrap();
    }
    store
}

/// Returns the server's own time for a command.
fn server(live: &mut Live, name: &str, words: &[&str]) -> Duration {
    let mut call = redis::Cmd::new();
    for word in words {
        call.arg(word);
    }
    Duration::from_secs_f64(live.nanos(name, [call]) / 1e9)
}

fn load(bench: &Bench, file: &PathBuf, live: Option<&mut Live>) -> [Row; 2] {
    let read = |threads| {
        let store = Store::new();
        store.load_with(file, LoadOptions { threads, ..LoadOptions::default() }).unwrap();
        store
    };
    let touched = held(&read(1));
    let mut race = bench
        .race()
        .at_most(ROUNDS)
        .contender_from(OURS, 1, || (), move |()| read(2))
        .contender_from(ONE, 1, || (), move |()| read(1))
        .rivals();
    if let Some(live) = live {
        race = race.timed(SERVER, 1, || {
            live.run([command([b"FLUSHALL"])]);
            server(live, "DEBUG", &["DEBUG", "RELOAD", "NOSAVE"])
        });
    }
    let both = race.run();
    let by_one = both.iter().filter(|result| result.name != OURS).cloned().map(|mut result| {
        if result.name == ONE {
            OURS.clone_into(&mut result.name);
        }
        result
    });
    let by_one = Row::new("load, one thread", Unit::Nanos, touched, by_one.collect());
    [
        Row::new("load, two threads", Unit::Nanos, touched, both).factor(SERVER, 0.5),
        by_one.factor(SERVER, 0.7),
    ]
}

fn save(
    bench: &Bench,
    store: &Store,
    file: &PathBuf,
    compression: bool,
    live: Option<&mut Live>,
) -> Row {
    let write = |threads| {
        let options = SaveOptions { compression, threads, ..SaveOptions::default() };
        store.save_with(file, options).unwrap();
    };
    let mut race = bench
        .race()
        .at_most(ROUNDS)
        .contender(OURS, 1, || write(2))
        .contender(ONE, 1, || write(1))
        .rivals();
    if let Some(live) = live {
        let setting: &[u8] = if compression { b"yes" } else { b"no" };
        live.run([command([b"CONFIG", b"SET", b"rdbcompression", setting])]);
        race = race.timed(SERVER, 1, || server(live, "SAVE", &["SAVE"]));
    }
    let (work, aim) = if compression {
        ("save with LZF, two threads", 0.4)
    } else {
        ("save without LZF, two threads", 0.35)
    };
    Row::new(work, Unit::Nanos, held(store), race.run()).factor(SERVER, aim)
}

/// Measures the time and the peak memory of `tallis inspect --json` on a file, compared with a parser that reads every
/// value and keeps none.
fn inspecting(bench: &Bench, file: &Path) -> [Row; 2] {
    const RIVAL: &str = "rdb 0.4";
    let words = ["tallis", "inspect", "--json", file.to_str().unwrap()];
    let Command::Inspect(args) = Args::parse_from(words).command else { unreachable!() };
    let bytes = std::fs::metadata(file).unwrap().len();
    let touched = Touched::bytes(usize::try_from(bytes).unwrap());
    let ours = || {
        let mut shown = Vec::new();
        inspect::write(&args, false, &mut shown).unwrap();
        shown
    };
    let theirs = || {
        let file = BufReader::new(File::open(file).unwrap());
        let values = RdbDecoder::new(file, Simple::new()).unwrap();
        values.for_each(|value| drop(black_box(value.unwrap())));
    };
    let time = bench
        .race()
        .at_most(ROUNDS)
        .contender(OURS, 1, ours)
        .rivals()
        .contender(RIVAL, 1, theirs)
        .run();
    let (_, _, our_peak) = bench.peak(ours);
    let ((), _, their_peak) = bench.peak(theirs);
    let peaks = vec![Result::new(OURS, exact(our_peak)), Result::new(RIVAL, exact(their_peak))];
    [
        Row::new("inspect", Unit::Nanos, touched, time).factor(RIVAL, 1.0),
        Row::new("peak memory of inspect", Unit::Bytes, Touched::NOTHING, peaks).target(50e6),
    ]
}

/// Measures the peak memory of a load, compared with the memory of the store after it.
fn peak(bench: &Bench, file: &PathBuf) -> Row {
    let (store, held, peak) = bench.peak(|| {
        let store = Store::new();
        store.load(file).unwrap();
        store
    });
    drop(store);
    let results = vec![Result::new(OURS, exact(peak)), Result::new("after the load", exact(held))];
    Row::new("peak memory of a load", Unit::Bytes, Touched::NOTHING, results)
        .factor("after the load", 1.1)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn exact(bytes: usize) -> Sample {
    Sample::exact(bytes as f64)
}
