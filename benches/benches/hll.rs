//! HyperLogLog: additions, counts and unions, compared with the plain algorithm and other crates.
//!
//! `classic` is Redis's algorithm in plain Rust. The other crates have their own encodings: hyperloglockless keeps one
//! byte per register and updates a sum with each addition, so a count only reads that sum.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hll::{Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};
use tallis_benches::classic::hll as classic;

/// Returns distinct elements of 16 bytes, the same in every run.
fn elements(seed: u64, number: u64) -> Vec<[u8; 16]> {
    (0..number)
        .map(|i| {
            let low = hll::hash(&(seed << 40 | i).to_le_bytes());
            let mut element = [0; 16];
            element[..8].copy_from_slice(&low.to_le_bytes());
            element[8..].copy_from_slice(&hll::hash(&low.to_le_bytes()).to_le_bytes());
            element
        })
        .collect()
}

fn dense(seed: u64, number: u64) -> Vec<u8> {
    let mut sketch: HyperLogLog = elements(seed, number).into_iter().collect();
    sketch.promote();
    sketch.into_bytes()
}

fn classic_dense(seed: u64, number: u64) -> classic::Dense {
    let mut sketch = classic::Dense::new();
    for element in elements(seed, number) {
        sketch.add(&element);
    }
    sketch
}

fn dense_add(c: &mut Criterion) {
    let mut group = c.benchmark_group("hll/dense add 16 bytes");
    let added = elements(1, 8192);
    group.throughput(Throughput::Elements(added.len() as u64));
    let mut value = dense(1, 200_000);
    group.bench_function("tallis", |b| {
        b.iter(|| {
            let mut edit = HllMut::new(&mut value).unwrap();
            let mut raised = 0;
            for element in &added {
                raised += u32::from(edit.add(element, SPARSE_MAX_BYTES).unwrap());
            }
            raised
        });
    });
    group.bench_function("tallis, a view for each", |b| {
        b.iter(|| {
            let mut raised = 0;
            for element in &added {
                let mut edit = HllMut::new(&mut value).unwrap();
                raised += u32::from(edit.add(element, SPARSE_MAX_BYTES).unwrap());
            }
            raised
        });
    });
    let mut sketch = classic_dense(1, 200_000);
    assert_eq!(sketch.0[..12288], value[16..]);
    group.bench_function("classic", |b| {
        b.iter(|| added.iter().map(|element| u32::from(sketch.add(element))).sum::<u32>());
    });
    let mut rival = hyperloglockless::HyperLogLog::new(14);
    rival.insert_all(elements(1, 200_000));
    group.bench_function("hyperloglockless", |b| {
        b.iter(|| {
            for element in &added {
                rival.insert(black_box(element));
            }
        });
    });
    let mut rival = simple_hll::HyperLogLog::<14>::new();
    for element in elements(1, 200_000) {
        rival.add_object(&element);
    }
    group.bench_function("simple_hll", |b| {
        b.iter(|| {
            for element in &added {
                rival.add_object(black_box(element));
            }
        });
    });
    group.finish();
}

fn sparse_fill(c: &mut Criterion) {
    let mut group = c.benchmark_group("hll/sparse add, filling to 300");
    // Many sets of elements, so that the branch predictor does not learn them.
    let sets: Vec<_> = (10..138).map(|seed| elements(seed, 300)).collect();
    group.throughput(Throughput::Elements(300));
    for set in &sets {
        let mut ours = hll::empty();
        let mut plain = classic::Sparse::new();
        for element in set {
            HllMut::new(&mut ours).unwrap().add(element, SPARSE_MAX_BYTES).unwrap();
            plain.add(element);
        }
        assert_eq!(ours, plain.0);
    }
    let mut turns = sets.iter().cycle();
    group.bench_function("tallis", |b| {
        b.iter_batched(
            || (turns.next().unwrap(), hll::empty()),
            |(set, mut value)| {
                let mut edit = HllMut::new(&mut value).unwrap();
                for element in set {
                    edit.add(element, SPARSE_MAX_BYTES).unwrap();
                }
                value
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("tallis, in one call", |b| {
        b.iter_batched(
            || (turns.next().unwrap(), hll::empty(), Vec::new()),
            |(set, mut value, mut changed)| {
                let hashes: Vec<u64> = set.iter().map(|element| hll::hash(element)).collect();
                let mut edit = HllMut::new(&mut value).unwrap();
                edit.add_hashes(&hashes, SPARSE_MAX_BYTES, &mut changed).unwrap();
                value
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("classic", |b| {
        b.iter_batched(
            || (turns.next().unwrap(), classic::Sparse::new()),
            |(set, mut sketch)| {
                for element in set {
                    sketch.add(element);
                }
                sketch
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("hyperloglockless", |b| {
        b.iter_batched(
            || (turns.next().unwrap(), hyperloglockless::HyperLogLogPlus::new(14)),
            |(set, mut sketch)| {
                sketch.insert_all(set);
                sketch
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn count(c: &mut Criterion) {
    let mut group = c.benchmark_group("hll/dense count");
    let value = dense(2, 1_000_000);
    let view = Hll::new(&value).unwrap();
    let plain = classic_dense(2, 1_000_000);
    assert_eq!(view.count().unwrap(), plain.count());
    group.bench_function("tallis", |b| b.iter(|| black_box(view).count()));
    for (name, count) in hll::count_kernels() {
        assert_eq!(count(&view), view.count().ok());
        group.bench_function(format!("tallis, {name}"), |b| b.iter(|| count(black_box(&view))));
    }
    group.bench_function("classic", |b| b.iter(|| black_box(&plain).count()));
    let mut rival = simple_hll::HyperLogLog::<14>::new();
    for element in elements(2, 1_000_000) {
        rival.add_object(&element);
    }
    group.bench_function("simple_hll", |b| b.iter(|| black_box(&rival).count()));
    group.finish();

    let mut group = c.benchmark_group("hll/sparse count of 300");
    let sketch: HyperLogLog = elements(3, 300).into_iter().collect();
    group.bench_function("tallis", |b| b.iter(|| black_box(&sketch).view().count()));
    group.finish();
}

fn union(c: &mut Criterion) {
    let mut group = c.benchmark_group("hll/union count of 24 dense");
    let values: Vec<_> = (0..24).map(|hour| dense(100 + hour, 50_000)).collect();
    let plain: Vec<_> = (0..24).map(|hour| classic_dense(100 + hour, 50_000)).collect();
    let count = |values: &[Vec<u8>]| {
        let mut union = Union::new();
        for value in values {
            union.merge(&Hll::new(value).unwrap()).unwrap();
        }
        union.count()
    };
    assert_eq!(count(&values), classic::union_count(&plain));
    group.bench_function("tallis", |b| b.iter(|| count(black_box(&values))));
    group.bench_function("classic", |b| b.iter(|| classic::union_count(black_box(&plain))));
    group.finish();

    let mut group = c.benchmark_group("hll/merge");
    let mut union = Union::new();
    union.merge(&Hll::new(&values[0]).unwrap()).unwrap();
    let mut target = values[1].clone();
    group.bench_function("dense into dense", |b| {
        b.iter(|| union.merge_into(black_box(&mut target), SPARSE_MAX_BYTES).unwrap());
    });
    let sketch: HyperLogLog = elements(4, 300).into_iter().collect();
    group.bench_function("300 sparse into none", |b| {
        b.iter(|| {
            let mut union = Union::new();
            union.merge(&sketch.view()).unwrap();
            let mut target = hll::empty();
            union.merge_into(&mut target, SPARSE_MAX_BYTES).unwrap();
            target
        });
    });
    group.finish();
}

fn hash(c: &mut Criterion) {
    let mut group = c.benchmark_group("hll/hash");
    let text = b"0f6c2d9e-1b1c-4c58-9a4e-3f2b7a9d8c1e";
    for len in [16, 36] {
        group.bench_function(format!("{len} bytes"), |b| {
            b.iter(|| hll::hash(black_box(&text[..len])));
        });
    }
    group.finish();
}

criterion_group!(benches, dense_add, sparse_fill, count, union, hash);
criterion_main!(benches);
