//! SORT of a list of a hundred thousand elements: all of it, and the first ten, compared with a sort of a plain vector.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tallis::{SortOptions, Store};
use tallis_benches::inputs::shuffled;

const ELEMENTS: usize = 100_000;

fn sort(c: &mut Criterion) {
    let numbers = shuffled(1, ELEMENTS);
    let texts: Vec<String> = numbers.iter().map(|n| format!("name:{n}")).collect();
    let store = Store::new();
    store.rpush("numbers", numbers.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    store.rpush("texts", &texts).unwrap();
    let weights: Vec<_> = numbers.iter().map(|n| (format!("w:{n}"), n % 1000)).collect();
    store.mset(&weights).unwrap();

    let number = SortOptions::default();
    let cases = [
        ("numbers", "numbers", number.clone()),
        ("texts", "texts", number.clone().alpha()),
        ("by a pattern", "numbers", number.by("w:*")),
    ];
    let mut group = c.benchmark_group("sort");
    group.sample_size(20).throughput(Throughput::Elements(ELEMENTS as u64));
    for (name, key, options) in cases {
        let first = options.clone().limit(0, 10);
        let all = store.sort(key, &options).unwrap();
        assert_eq!(store.sort(key, &first).unwrap(), all[..10]);
        for (part, options) in [("all", options), ("the first ten", first)] {
            group.bench_function(BenchmarkId::new(name, part), |b| {
                b.iter(|| black_box(store.sort(key, &options).unwrap()));
            });
        }
    }
    group.bench_function("a vector of integers", |b| {
        b.iter(|| {
            let mut sorted = black_box(&numbers).clone();
            sorted.sort_unstable();
            sorted
        });
    });
    group.bench_function("a vector of strings", |b| {
        b.iter(|| {
            let mut sorted = black_box(&texts).clone();
            sorted.sort_unstable();
            sorted
        });
    });
    group.finish();
}

criterion_group!(benches, sort);
criterion_main!(benches);
