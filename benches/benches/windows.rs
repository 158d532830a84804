//! Unique visitors of any range: a visit in both fillings, and a count over 84 dense keys.
//!
//! The rows to compare: `windows` goes through the recipe, `commands` is the store's PFADD and PFCOUNT on the same keys, and
//! `hll` is the sketches without a store.
#![expect(clippy::unwrap_used, reason = "a benchmark: what fails here stops it")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hll::{Hll, Union};
use jiff::Timestamp;
use tallis::prelude::*;
use tallis::{ManualClock, Store, UvFilling, UvLevel, UvWindows};
use testkit::rng::Rng;

const START: i64 = 1_569_664_800;
const HOUR: i64 = 3600;
/// Visits of an iteration.
const TURN: usize = 10_000;

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn users() -> Vec<[u8; 16]> {
    let mut rng = Rng::new(1);
    let mut user = || (u128::from(rng.u64()) << 64 | u128::from(rng.u64())).to_le_bytes();
    (0..200_000).map(|_| user()).collect()
}

fn windows(filling: UvFilling) -> (UvWindows, Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START * 1000));
    let store = Store::builder().clock(clock.clone()).build();
    (UvWindows::new(store.clone(), "USER:LOGIN:").filling(filling), store, clock)
}

fn visits(c: &mut Criterion) {
    let users = users();
    for (filling, name, levels) in
        [(UvFilling::WriteThrough, "written through", 4), (UvFilling::RollUp, "rolled up", 1)]
    {
        let mut group = c.benchmark_group(format!("windows, a visit, {name}"));
        group.throughput(Throughput::Elements(TURN as u64));
        group.sample_size(50);
        let (dense, store, _) = windows(filling);
        let bucket = |level| dense.calendar().bucket(level, second(START)).unwrap();
        let keys: Vec<Vec<u8>> =
            UvLevel::ALL.into_iter().take(levels).map(|level| dense.key(&bucket(level))).collect();
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
    let users = users();
    let (windows, store, clock) = windows(UvFilling::RollUp);
    let (from, to) = (second(START + HOUR / 2), second(START + 25 * HOUR + HOUR / 2));
    let mut rng = Rng::new(3);
    for minute in 0..26 * 60 {
        let now = START + minute * 60;
        clock.set(now * 1000);
        for _ in 0..3000 {
            windows.record(rng.pick(&users).unwrap(), second(now)).unwrap();
        }
    }
    clock.set((START + 26 * HOUR) * 1000);
    windows.roll_up().unwrap();
    let keys = windows.cover(from, to).unwrap();
    assert_eq!(keys.len(), 84);
    let blobs: Vec<_> = keys.iter().map(|key| store.get(key).unwrap().unwrap()).collect();
    let union = || {
        let views: Vec<Hll<'_>> = blobs.iter().map(|blob| Hll::new(blob).unwrap()).collect();
        let mut union = Union::new();
        union.merge_all(&views).unwrap();
        union.count()
    };
    assert_eq!(windows.count(from, to).unwrap(), union());
    let mut group = c.benchmark_group("windows, a count over 84 dense keys");
    group.bench_function("windows", |b| b.iter(|| windows.count(from, to).unwrap()));
    group.bench_function("commands", |b| b.iter(|| store.pfcount(&keys).unwrap()));
    group.bench_function("hll", |b| b.iter(union));
    group.bench_function("the cover alone", |b| {
        b.iter(|| windows.calendar().cover(from, to).unwrap());
    });
    group.finish();
}

criterion_group!(benches, visits, counts);
criterion_main!(benches);
