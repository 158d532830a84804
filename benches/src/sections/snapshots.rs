//! Snapshots while other threads write: how long these wait, and how much memory is used.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tallis::{SaveOptions, Store};
use testkit::rng::Rng;

use super::files::{folder_in_memory, mixed};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The step from one element of the list to the next that is written: a prime, so that every element is reached.
const STRIDE: usize = 7919;

/// The names on the page, of ours and of the save that blocks all writers.
const OURS: &str = "tallis";
const LONGEST: &str = "the longest";
const HELD: &str = "a save that holds writers";
const STORE: &str = "the whole store";
const WRITTEN: &str = "what was written over, and 64 MB";

/// Rounds of a snapshot, each of which takes seconds.
const ROUNDS: usize = 5;

/// The capacity of the Bloom filter per item that is added.
const FILTER: usize = 8;

/// Bytes of each small value that is added to the mixed store.
const SMALL: usize = 100;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let (scale, rounds) = if quick { (200, 2) } else { (1, ROUNDS) };
    let folder = folder_in_memory();
    let file = folder.path().join("dump.rdb");
    let sizes =
        Sizes { million: 1_000_000 / scale, small: 4_000_000 / scale, bitmaps: 200 / scale };
    let store = filled(scale, sizes);
    let bytes = store.used_memory().unwrap();
    let touched = Touched::bytes(bytes);
    let text = format!(
        "The store of the section on files with {} more small strings and a Bloom filter of {} items, {} MB, saved to \
         a file in memory while one thread writes and another reads. *Written over*: the writer writes to the whole \
         store once, each value by a command that does not change its size. A wait is the time of one command. \
         *{HELD}* is `Store::save` of the same store. The targets are 1 ms for the wait of all but one in a thousand \
         commands, and 20 ms for the longest wait; three threads share two cores, so the pauses of the system's \
         scheduler are included.",
        sizes.small,
        FILTER * sizes.million,
        bytes / 1_000_000,
    );
    let save = held(&store, &file, rounds);
    let rounds: Vec<Seen> =
        (0..rounds).map(|round| beside(bench, &store, &file, round as u64, sizes)).collect();
    let one_percent = one_percent(bench, &store, &file, sizes);
    let written = Sample::exact(as_f64(bytes + (64 << 20)));
    Section::new("Snapshots beside writers", &text)
        .row(waits("wait of a writer", &rounds, |seen| &seen.writer, &save, touched))
        .row(waits("wait of a reader", &rounds, |seen| &seen.reader, &save, touched))
        .row(memory(
            "extra memory, all of it written over",
            sample(&rounds, |seen| seen.extra),
            WRITTEN,
            written,
            1.0,
        ))
        .row(memory(
            "extra memory, 1 % of the small keys written",
            one_percent,
            STORE,
            Sample::exact(as_f64(bytes)),
            0.1,
        ))
}

#[derive(Clone, Copy)]
struct Sizes {
    million: usize,
    small: usize,
    bitmaps: usize,
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn as_f64(number: usize) -> f64 {
    number as f64
}

fn filled(scale: usize, sizes: Sizes) -> Store {
    let store = mixed(scale);
    for number in 0..sizes.small {
        store.set(small(number), [b'v'; SMALL]).unwrap();
    }
    let items = (FILTER * sizes.million) as u64;
    store.bf_reserve("filter", &tallis::bloom::Settings::new(items, 0.01)).unwrap();
    store
}

fn small(number: usize) -> String {
    format!("small:{number}")
}

/// Measures a save that blocks writers.
#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn held(store: &Store, file: &Path, rounds: usize) -> Result {
    let times = (0..rounds).map(|_| {
        let start = Instant::now();
        store.save_with(file, SaveOptions { threads: 1, ..SaveOptions::default() }).unwrap();
        nanos(start.elapsed())
    });
    Result::of(HELD, false, times.collect())
}

fn nanos(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// The measurements of a round.
struct Seen {
    writer: Waits,
    reader: Waits,
    /// The peak of the bytes held in addition to those of the store.
    extra: f64,
}

/// The waits of the commands in a round, in nanoseconds.
struct Waits {
    /// The longest of all but one in a thousand.
    most: f64,
    longest: f64,
}

impl Waits {
    fn of(mut nanos: Vec<u32>) -> Self {
        nanos.sort_unstable();
        let most = nanos.len() - 1 - nanos.len() / 1000;
        Self { most: nanos[most].into(), longest: nanos[nanos.len() - 1].into() }
    }
}

/// Takes a snapshot while other threads read the store, and write to the whole store once.
fn beside(bench: &Bench, store: &Store, file: &Path, seed: u64, sizes: Sizes) -> Seen {
    let done = AtomicBool::new(false);
    // The maximum number of waits in a round, so that their memory is allocated before.
    let many = 9 * (sizes.million + sizes.small);
    let mut waits = [Vec::with_capacity(many), Vec::with_capacity(many)];
    let [writes, reads] = &mut waits;
    let run = || {
        thread::scope(|scope| {
            let done = &done;
            scope.spawn(move || {
                let snapshot = || store.snapshot(file).unwrap();
                snapshot();
                done.store(true, Ordering::Relaxed);
            });
            scope.spawn(move || {
                let mut rng = Rng::new(seed);
                while !done.load(Ordering::Relaxed) && reads.len() < many {
                    timed(reads, || read(store, &mut rng, sizes));
                }
            });
            for number in 0.. {
                let over = number >= sizes.million.max(sizes.small);
                if over || done.load(Ordering::Relaxed) {
                    break;
                }
                write_over(store, number, sizes, writes);
            }
        });
    };
    let ((), _, peak) = bench.peak(run);
    let [writer, reader] = waits.map(Waits::of);
    Seen { writer, reader, extra: as_f64(peak) }
}

#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn timed<T>(waits: &mut Vec<u32>, work: impl FnOnce() -> T) {
    let start = Instant::now();
    black_box(work());
    waits.push(u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX));
}

/// Writes the values with an index, each without a change of its size.
fn write_over(store: &Store, number: usize, sizes: Sizes, waits: &mut Vec<u32>) {
    if number < sizes.small {
        timed(waits, || store.set(small(number), [b'w'; SMALL]).unwrap());
    }
    if number >= sizes.million {
        return;
    }
    let key = format!("key:{number:08}");
    timed(waits, || store.set(key, format!("other:{number:010}")).unwrap());
    let member = format!("member:{number:07}");
    timed(waits, || store.zadd("board", member, as_f64(number)).unwrap());
    let (key, field) = (format!("user:{}", number / 10), format!("field:{}", number % 10));
    timed(waits, || store.hset(key, field, format!("{number:016x}")).unwrap());
    // Spread over the list, from one node to another.
    let index = i64::try_from(number * STRIDE % sizes.million).unwrap();
    timed(waits, || store.lset("list", index, format!("another:{number:08}")).unwrap());
    timed(waits, || store.bf_add("filter", format!("member:{number:07}")).unwrap());
    // The bitmaps of 1 MiB, in parts of 256 bytes.
    let (bitmap, part) = (number % sizes.bitmaps, number / sizes.bitmaps);
    let offset = part * 256 % (1 << 20);
    let key = format!("bitmap:{bitmap}");
    timed(waits, || store.setrange(key, offset, [b'b'; 256]).unwrap());
}

fn read(store: &Store, rng: &mut Rng, sizes: Sizes) -> bool {
    let number = rng.below(sizes.million as u64);
    match rng.below(4) {
        0 => store.get(format!("key:{number:08}")).unwrap().is_some(),
        1 => store.zscore("board", format!("member:{number:07}")).unwrap().is_some(),
        2 => store.hget(format!("user:{}", number / 10), "field:3").unwrap().is_some(),
        _ => store.getbit("bitmap:0", number).unwrap(),
    }
}

/// Returns the peak of the memory in addition to that of the store while one in a hundred small keys is written
/// repeatedly.
fn one_percent(bench: &Bench, store: &Store, file: &Path, sizes: Sizes) -> Sample {
    let figures = (0..3).map(|round| {
        let mut rng = Rng::new(round);
        let done = AtomicBool::new(false);
        let run = || {
            thread::scope(|scope| {
                let done = &done;
                scope.spawn(move || {
                    let output = BufWriter::new(File::create(file).unwrap());
                    store.snapshot_to(output, SaveOptions::default()).unwrap();
                    done.store(true, Ordering::Relaxed);
                });
                while !done.load(Ordering::Relaxed) {
                    let number = rng.below(sizes.small as u64 / 100) * 100;
                    let key = small(usize::try_from(number).unwrap());
                    store.set(key, [b'x'; SMALL]).unwrap();
                }
            });
        };
        as_f64(bench.peak(run).2)
    });
    Sample::of(figures.collect())
}

fn sample(rounds: &[Seen], figure: impl Fn(&Seen) -> f64) -> Sample {
    Sample::of(rounds.iter().map(figure).collect())
}

fn waits(
    work: &str,
    rounds: &[Seen],
    of: impl Fn(&Seen) -> &Waits,
    save: &Result,
    touched: Touched,
) -> Row {
    let most = sample(rounds, |seen| of(seen).most);
    let longest = sample(rounds, |seen| of(seen).longest);
    let results = vec![Result::new(OURS, most), Result::new(LONGEST, longest), save.clone()];
    Row::new(&format!("{work}, all but one in a thousand"), Unit::Nanos, touched, results)
}

fn memory(work: &str, ours: Sample, beside: &str, theirs: Sample, factor: f64) -> Row {
    let results = vec![Result::new(OURS, ours), Result::new(beside, theirs)];
    Row::new(work, Unit::Bytes, Touched::NOTHING, results).factor(beside, factor)
}
