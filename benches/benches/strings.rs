//! SET, GET and PFADD over many keys, by the typed calls.
//!
//! A million keys are used in random order, so that the caches hold what they would hold in a store of that size: a
//! figure here is mostly cache misses. `dispatcher.rs` measures the same commands on few keys.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tallis::Store;
use tallis_benches::inputs::{Turns, Words, shuffled};

const KEYS: usize = 1_000_000;
/// Keys used in one iteration.
const TURN: usize = 10_000;
/// Keys, each with a sketch.
const SKETCHES: usize = 100_000;

fn strings(c: &mut Criterion) {
    let order = shuffled(1, KEYS);
    let keys: Words = order.iter().map(|n| format!("key:{n}")).collect();
    let values: Words = order.iter().map(|n| format!("value:{n}")).collect();
    let asked: Words = shuffled(2, KEYS).iter().map(|n| format!("key:{n}")).collect();
    let fill = |store: Store| {
        for (key, value) in keys.iter().zip(values.iter()) {
            store.set(key, value).unwrap();
        }
        store
    };
    let mut group = c.benchmark_group("strings");
    group.sample_size(10);
    group.throughput(Throughput::Elements(KEYS as u64));
    group.bench_function("set, a new key", |b| {
        b.iter_batched(Store::new, fill, BatchSize::PerIteration);
    });

    let store = fill(Store::new());
    assert_eq!(store.dbsize().unwrap(), KEYS);
    group.throughput(Throughput::Elements(TURN as u64));
    group.sample_size(50);
    let mut turns = Turns::new(TURN, KEYS);
    group.bench_function("get", |b| {
        b.iter(|| {
            for key in asked.range(turns.turn()) {
                black_box(store.get(key).unwrap().unwrap());
            }
        });
    });
    group.bench_function("set, a key that is there", |b| {
        b.iter(|| {
            for key in asked.range(turns.turn()) {
                store.set(key, b"another:1234").unwrap();
            }
        });
    });
    group.finish();
}

fn sketches(c: &mut Criterion) {
    let order = shuffled(3, 5 * SKETCHES);
    let keys: Words = order.iter().map(|n| format!("uv:{}", n % SKETCHES)).collect();
    let elements: Words = order.iter().map(|n| format!("element:{n}")).collect();
    let mut group = c.benchmark_group("sketches");
    group.sample_size(10);
    group.throughput(Throughput::Elements(5 * SKETCHES as u64));
    group.bench_function("pfadd, new sparse keys of 5 elements", |b| {
        b.iter_batched(
            Store::new,
            |store| {
                for (key, element) in keys.iter().zip(elements.iter()) {
                    store.pfadd(key, [element]).unwrap();
                }
                store
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, strings, sketches);
criterion_main!(benches);
