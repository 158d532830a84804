//! Bloom filters, and the deduplication of lines.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;

use ::bloom::{BloomFilter, Settings};
use tallis::{Dedup, Store};
use tallis_cli::dedup::Sieve;
use tallis_cli::uv::Source;
use testkit::rng::Rng;

use crate::filters::{Batches, Classic, ERROR, Filter, Split, Stored, StoredBatches, keys};
use crate::report::{Bench, Race, Result, Row, Sample, Section, Touched, Unit};

/// Keys per turn: few enough to stay in the caches while a turn is prepared, unlike the filter.
const TURN: u32 = 20_000;

/// Bytes of a line, line feed included.
const LINE: usize = 41;

type Fast = fastbloom::BloomFilter;
type Plain = bloomfilter::Bloom<u64>;

/// The targets for a hit and for a miss in the large filter, in nanoseconds, where fastbloom takes 9 and 17.
const HIT: f64 = 18.0;
const MISS: f64 = 12.0;

pub(super) fn measure(bench: &Bench) -> Section {
    let [large, huge, lines] = if bench.effort().is_quick() {
        [100_000, 200_000, 20_000]
    } else {
        [10_000_000, 100_000_000, 1_000_000]
    };
    let text = format!(
        "u64 keys at an error rate of 1 %. *Add* fills a filter from empty to full; *hit* queries a full filter for \
         keys that were added, *miss* for keys that were not. *classic* is RedisBloom's algorithm in plain Rust. \
         {large} keys: filters that scale, with 8 probes per key where the other crates have 7; {huge} keys: filters \
         that do not scale, with 7. *sbbf-rs-safe* is a blocked filter: all bits of a key are in 32 bytes. *By 100*: \
         keys in batches of a hundred. *the store*: BF.ADD, BF.EXISTS, BF.MADD and BF.MEXISTS of the typed interface \
         on one key. *Lines*: the work of `tallis dedup` on a file of {lines} lines of 40 bytes, about a third of \
         which are duplicates, in one thread; the page cache is warm, and the output is discarded."
    );
    let scaling = Settings::new(large, ERROR);
    let fixed = Settings::new(huge, ERROR).non_scaling();
    let mut rows = vec![add(bench, &scaling)];
    rows.extend(ask(bench, &scaling));
    rows.push(bytes(bench, &scaling));
    rows.extend([add_many(bench, &scaling), huge_add(bench, &fixed)]);
    rows.extend(huge_ask(bench, &fixed));
    rows.push(dedup(bench, lines));
    rows.into_iter().fold(Section::new("Bloom filters", &text), Section::row)
}

/// A filter that is filled turn by turn, and emptied when it is full.
struct Filling<F> {
    filter: RefCell<F>,
    next: Cell<u64>,
    settings: Settings,
}

impl<F: Filter> Filling<F> {
    fn new(settings: &Settings) -> Self {
        let filter = RefCell::new(F::make(settings));
        Self { filter, next: Cell::new(0), settings: *settings }
    }

    fn race<'a>(&'a self, race: Race<'a>) -> Race<'a> {
        race.contender_from(
            F::NAME,
            TURN,
            || {
                let start = self.next.get();
                self.next.set((start + u64::from(TURN)) % self.settings.capacity());
                if start == 0 {
                    *self.filter.borrow_mut() = F::make(&self.settings);
                }
                keys(start..start + u64::from(TURN))
            },
            |keys| self.filter.borrow_mut().add(&keys),
        )
    }
}

/// Queries a full filter for keys from `first` on.
fn asks<'a, F: Filter>(race: Race<'a>, full: &'a F, count: u64, first: u64) -> Race<'a> {
    let mut next = 0;
    race.contender_from(
        F::NAME,
        TURN,
        move || {
            let start = first + next;
            next = (next + u64::from(TURN)) % count;
            keys(start..start + u64::from(TURN))
        },
        |keys| full.ask(&keys),
    )
}

fn full<F: Filter>(settings: &Settings) -> F {
    let mut filter = F::make(settings);
    for start in (0..settings.capacity()).step_by(TURN as usize) {
        filter.add(&keys(start..start + u64::from(TURN)));
    }
    filter
}

fn millions(settings: &Settings, work: &str) -> String {
    match settings.capacity() {
        count @ 1_000_000.. => format!("{} million: {work}", count / 1_000_000),
        count => format!("{count}: {work}"),
    }
}

/// Returns the bytes of a filter with these settings.
fn filter(settings: &Settings) -> Touched {
    let filter = settings.build().unwrap();
    Touched::bytes(filter.links().map(|link| link.as_bytes().len()).sum())
}

/// Returns a row whose target was set beside fastbloom: ours and theirs.
fn row(settings: &Settings, work: &str, results: Vec<Result>, of: [f64; 2]) -> Row {
    Row::new(&millions(settings, work), Unit::Nanos, filter(settings), results)
        .beside(Fast::NAME, of)
}

fn add(bench: &Bench, settings: &Settings) -> Row {
    let (alone, stored) = (Filling::<BloomFilter>::new(settings), Filling::<Stored>::new(settings));
    let (fast, classic) = (Filling::<Fast>::new(settings), Filling::<Classic>::new(settings));
    let (plain, split) = (Filling::<Plain>::new(settings), Filling::<Split>::new(settings));
    let race = classic.race(fast.race(stored.race(alone.race(bench.race())).rivals()));
    let results = split.race(plain.race(race)).run();
    row(settings, "add", results, [20.0, 8.0])
}

/// Measures hits and misses, one by one and in batches of 100, of the same full filters.
fn ask(bench: &Bench, settings: &Settings) -> Vec<Row> {
    let (alone, stored) = (full::<BloomFilter>(settings), full::<Stored>(settings));
    let (fast, classic) = (full::<Fast>(settings), full::<Classic>(settings));
    let (plain, split) = (full::<Plain>(settings), full::<Split>(settings));
    let (by_100, stored_by_100) = (full::<Batches>(settings), full::<StoredBatches>(settings));
    let count = settings.capacity();
    let one_by_one = |first| {
        let race = asks(asks(bench.race(), &alone, count, first), &stored, count, first);
        let race = asks(asks(race.rivals(), &fast, count, first), &classic, count, first);
        asks(asks(race, &plain, count, first), &split, count, first).run()
    };
    let batches = |first| {
        let race = asks(asks(bench.race(), &by_100, count, first), &stored_by_100, count, first);
        asks(race.rivals(), &fast, count, first).run()
    };
    vec![
        row(settings, "hit", one_by_one(0), [HIT, 9.0]),
        row(settings, "miss", one_by_one(count), [MISS, 17.0]),
        row(settings, "hit, by 100", batches(0), [12.0, 9.0]),
        row(settings, "miss, by 100", batches(count), [12.0, 17.0]),
        through_the_store(settings, bench, &stored, &alone),
    ]
}

/// Measures the bytes of a full filter, and the percentage of false positives.
fn bytes(bench: &Bench, settings: &Settings) -> Row {
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    results.push(measured::<BloomFilter>(bench, settings, false, &mut errors));
    results.push(measured::<Fast>(bench, settings, true, &mut errors));
    results.push(measured::<Plain>(bench, settings, true, &mut errors));
    results.push(measured::<Split>(bench, settings, true, &mut errors));
    let note = format!("false positives: {}", errors.join(", "));
    let work = millions(settings, "bytes a key");
    Row::new(&work, Unit::Bytes, Touched::NOTHING, results).note(&note)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn measured<F: Filter>(
    bench: &Bench,
    settings: &Settings,
    rival: bool,
    errors: &mut Vec<String>,
) -> Result {
    let (filter, bytes) = bench.held(|| full::<F>(settings));
    let count = settings.capacity();
    let asked = count.min(200_000);
    let there = keys(0..asked);
    assert_eq!(filter.ask(&there), there.len(), "{}: keys that were added", F::NAME);
    let error = filter.ask(&keys(count..count + asked)) as f64 / asked as f64;
    assert!(error < 1.3 * ERROR, "{}: {error}", F::NAME);
    errors.push(format!("{} {:.2} %", F::NAME, 100.0 * error));
    let each = Sample::exact(bytes as f64 / count as f64);
    Result { rival, ..Result::new(F::NAME, each) }
}

/// Measures queries of which one in two is a hit.
fn through_the_store(
    settings: &Settings,
    bench: &Bench,
    stored: &Stored,
    alone: &BloomFilter,
) -> Row {
    let count = settings.capacity();
    let half = |range: std::ops::Range<u64>| {
        let mut half = keys(range.clone());
        half.extend(keys(range.start + count..range.end + count));
        Rng::new(range.start).shuffle(&mut half);
        half
    };
    let setup = || {
        let mut next = 0;
        move || {
            let start = next;
            next = (next + u64::from(TURN) / 2) % count;
            half(start..start + u64::from(TURN) / 2)
        }
    };
    let results = bench
        .race()
        .contender_from(Stored::NAME, TURN, setup(), |keys| stored.ask(&keys))
        .contender_from(BloomFilter::NAME, TURN, setup(), |keys| alone.ask(&keys))
        .run();
    // From the targets of the structure: half a hit and half a miss.
    let name = millions(settings, "BF.EXISTS, every other one there");
    Row::new(&name, Unit::Nanos, filter(settings), results)
        .beside(BloomFilter::NAME, [40.0, f64::midpoint(HIT, MISS)])
        .note("a server took 160 ns when the target was set")
}

fn add_many(bench: &Bench, settings: &Settings) -> Row {
    let (alone, stored) =
        (Filling::<Batches>::new(settings), Filling::<StoredBatches>::new(settings));
    let fast = Filling::<Fast>::new(settings);
    let results = fast.race(stored.race(alone.race(bench.race())).rivals()).run();
    row(settings, "add, by 100", results, [12.0, 8.0])
}

fn huge_add(bench: &Bench, settings: &Settings) -> Row {
    let (alone, by_100) =
        (Filling::<BloomFilter>::new(settings), Filling::<Batches>::new(settings));
    let fast = Filling::<Fast>::new(settings);
    let results = fast.race(by_100.race(alone.race(bench.race())).rivals()).run();
    row(settings, "add", results, [75.0, 82.0])
}

fn huge_ask(bench: &Bench, settings: &Settings) -> Vec<Row> {
    // Filled in batches, which gives the same filter faster.
    let by_100 = full::<Batches>(settings);
    let fast = full::<Fast>(settings);
    let count = settings.capacity();
    let one_by_one = |first| {
        let race = asks(bench.race(), by_100.alone(), count, first);
        asks(race.rivals(), &fast, count, first).run()
    };
    let batches = |first| {
        let race = asks(bench.race(), &by_100, count, first);
        asks(race.rivals(), &fast, count, first).run()
    };
    vec![
        row(settings, "hit", one_by_one(0), [75.0, 77.0]),
        row(settings, "miss", one_by_one(count), [45.0, 49.0]),
        row(settings, "hit, by 100", batches(0), [35.0, 77.0]),
        row(settings, "miss, by 100", batches(count), [35.0, 49.0]),
    ]
}

fn dedup(bench: &Bench, count: u64) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.txt");
    let mut rng = Rng::new(1);
    let mut lines = Vec::with_capacity(usize::try_from(count).unwrap() * LINE);
    // Of n draws from n values, about a third are duplicates.
    for _ in 0..count {
        lines.extend_from_slice(format!("{:040}\n", rng.below(count)).as_bytes());
    }
    fs::write(&file, lines).unwrap();
    let pieces = u32::try_from(count).unwrap();
    let results = bench.race().contender("tallis", pieces, || each_once(&file, count)).run();
    let rates = results.iter().map(Result::per_second).collect();
    Row::new("lines a second", Unit::PerSecond, filter(&Settings::new(count, ERROR)), rates)
        .target(5e6)
}

fn each_once(file: &Path, count: u64) {
    let seen = Dedup::new(Store::new(), "dedup", count, ERROR).unwrap();
    let mut sieve = Sieve::new(&seen, std::io::sink());
    let mut source = Source::open(file).unwrap();
    while let Some(lines) = source.next_lines().unwrap() {
        sieve.pass(lines.unwrap()).unwrap();
    }
    assert_eq!(sieve.read(), count);
}
