//! Bloom filters: adding and querying u64 keys at an error rate of 1 %, compared with the plain algorithm and other
//! crates.
//!
//! 10 million keys, and, if `BLOOM_HUGE` is set, 100 million in filters that do not scale.

use std::cell::{Cell, RefCell};
use std::hint::black_box;

use bloom::{BloomFilter, Settings};
use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use tallis_benches::filters::{Batches, Classic, ERROR, Filter, Stored, StoredBatches, keys};

/// Keys per turn: few enough to stay in the caches while a turn is prepared, unlike the filter.
const TURN: u64 = 20_000;

fn race<F: Filter>(groups: &mut Groups<'_>, settings: &Settings) {
    let count = settings.capacity();
    let filter = RefCell::new(F::make(settings));
    let next = Cell::new(0);
    let turn = |first: u64| {
        let start = next.get();
        next.set((start + TURN) % count);
        (start, keys(first + start..first + start + TURN))
    };
    groups.bench(F::NAME, "add", count, |b| {
        next.set(0);
        b.iter_batched(
            || {
                let (start, keys) = turn(0);
                if start == 0 {
                    *filter.borrow_mut() = F::make(settings);
                }
                keys
            },
            |keys| filter.borrow_mut().add(&keys),
            BatchSize::PerIteration,
        );
    });
    let mut full = F::make(settings);
    for start in (0..count).step_by(usize::try_from(TURN).unwrap_or(usize::MAX)) {
        full.add(&keys(start..start + TURN));
    }
    assert_eq!(full.ask(&keys(0..TURN)) as u64, TURN);
    let wrong = full.ask(&keys(count..count + TURN)) as u64;
    assert!(wrong < TURN / 50, "{}: {wrong} of {TURN}", F::NAME);
    for (name, first) in [("hit", 0), ("miss", count)] {
        next.set(0);
        groups.bench(F::NAME, name, count, |b| {
            b.iter_batched(
                || turn(first).1,
                |keys| black_box(&full).ask(&keys),
                BatchSize::PerIteration,
            );
        });
    }
}

struct Groups<'a>(&'a mut Criterion);

impl Groups<'_> {
    fn bench(
        &mut self,
        name: &str,
        work: &str,
        count: u64,
        run: impl FnMut(&mut criterion::Bencher<'_, WallTime>),
    ) {
        let millions = count / 1_000_000;
        let mut group: BenchmarkGroup<'_, WallTime> =
            self.0.benchmark_group(format!("bloom/{millions} million, {work}"));
        group.throughput(Throughput::Elements(TURN));
        let mut run = run;
        group.bench_function(BenchmarkId::from_parameter(name), |b| run(b));
        group.finish();
    }
}

fn all(c: &mut Criterion, settings: &Settings) {
    let mut groups = Groups(c);
    race::<BloomFilter>(&mut groups, settings);
    race::<Batches>(&mut groups, settings);
    race::<Stored>(&mut groups, settings);
    race::<StoredBatches>(&mut groups, settings);
    race::<fastbloom::BloomFilter>(&mut groups, settings);
    race::<bloomfilter::Bloom<u64>>(&mut groups, settings);
    race::<Classic>(&mut groups, settings);
}

fn filters(c: &mut Criterion) {
    all(c, &Settings::new(10_000_000, ERROR));
    if std::env::var_os("BLOOM_HUGE").is_some() {
        all(c, &Settings::new(100_000_000, ERROR).non_scaling());
    }
}

fn hash(c: &mut Criterion) {
    let mut group = c.benchmark_group("bloom/hash");
    let text = b"0f6c2d9e-1b1c-4c58-9a4e-3f2b7a9d8c1e, and a good deal more of text behind it";
    for len in [8, 16, 36, 76] {
        group.bench_function(format!("{len} bytes"), |b| {
            b.iter(|| bloom::ItemHash::of(black_box(&text[..len])));
        });
    }
    group.finish();
}

criterion_group!(benches, filters, hash);
criterion_main!(benches);
