//! Unique visitors of any range: a visit in both fillings, and a count over 84 dense keys.
//!
//! The rows to compare: `windows` uses the recipe, `commands` uses the store's PFADD and PFCOUNT on the same keys, and
//! `hll` uses the sketches without a store.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tallis::UvFilling;
use tallis_benches::uv::{Dense, START, keys, second, users, windows};

/// Visits in one iteration.
const TURN: usize = 10_000;

fn visits(c: &mut Criterion) {
    let users = users(1, 200_000);
    for (filling, name, levels) in
        [(UvFilling::WriteThrough, "written through", 4), (UvFilling::RollUp, "rolled up", 1)]
    {
        let mut group = c.benchmark_group(format!("windows, a visit, {name}"));
        group.throughput(Throughput::Elements(TURN as u64));
        group.sample_size(50);
        let (dense, store, _) = windows(filling);
        let keys = keys(START, levels);
        for user in &users {
            dense.record(user, second(START)).unwrap();
        }
        group.bench_function("windows, dense", |b| {
            b.iter(|| {
                for user in &users[..TURN] {
                    black_box(dense.record(user, second(START)).unwrap());
                }
            });
        });
        group.bench_function("commands, dense", |b| {
            b.iter(|| {
                for user in &users[..TURN] {
                    for key in &keys {
                        black_box(store.pfadd(key, [user]).unwrap());
                    }
                }
            });
        });
        let (sparse, _, clock) = windows(filling);
        let (mut now, mut turn) = (START, users.iter().cycle());
        group.bench_function("windows, 500 a minute", |b| {
            b.iter(|| {
                for number in 0..TURN {
                    if number % 500 == 0 {
                        now += 60;
                        clock.set(now * 1000);
                    }
                    black_box(sparse.record(turn.next().unwrap(), second(now)).unwrap());
                }
            });
        });
        group.finish();
    }
}

fn counts(c: &mut Criterion) {
    let dense = Dense::fill();
    let mut group = c.benchmark_group("windows, a count over 84 dense keys");
    group.bench_function("windows", |b| b.iter(|| dense.count()));
    group.bench_function("commands", |b| b.iter(|| dense.store.pfcount(&dense.keys).unwrap()));
    group.bench_function("hll", |b| b.iter(|| dense.union()));
    group.bench_function("the cover alone", |b| {
        b.iter(|| dense.windows.calendar().cover(dense.from, dense.to).unwrap());
    });
    group.finish();
}

criterion_group!(benches, visits, counts);
criterion_main!(benches);
