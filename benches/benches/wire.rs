//! Encoding and decoding frames of sketches, sets, filters and stores, and merging two stores.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tallis::bloom::{BloomFilter, Settings};
use tallis::hll::HyperLogLog;
use tallis::intset::IntSet;
use tallis::skiplist_zset::{Limits, ZSet};
use tallis::wire::{self, Framed};
use tallis::{Bucket, Merge, Store, Visitors};

const VISITORS: i64 = 1_000_000;

/// Returns a pseudorandom number of 60 bits, the same in every run.
fn id(number: i64) -> i64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()) & ((1 << 60) - 1)
}

fn visitors(ids: std::ops::Range<i64>) -> Store {
    let store = Store::new();
    let visitors = Visitors::new(store.clone());
    let bucket = visitors.bucket(Bucket::All).expect("the store is empty");
    for number in ids {
        bucket.count_id(id(number)).expect("every id is valid");
    }
    store
}

fn there_and_back<T: Framed>(c: &mut Criterion, name: &str, value: &T) {
    let frame = wire::encode(value).expect("the value can be framed");
    let mut group = c.benchmark_group("wire");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(frame.len() as u64));
    group.bench_function(format!("encode {name}"), |b| b.iter(|| wire::encode(black_box(value))));
    group.bench_function(format!("decode {name}"), |b| {
        b.iter(|| wire::decode::<T>(black_box(&frame), u64::MAX).expect("the frame is valid"));
    });
    group.finish();
}

fn frames(c: &mut Criterion) {
    let mut sketch = HyperLogLog::new();
    for number in 0..100_000 {
        sketch.add(&id(number).to_le_bytes());
    }
    there_and_back(c, "a dense HyperLogLog", &sketch);
    there_and_back(c, "an intset of 512", &(0..512).map(id).collect::<IntSet>());
    let mut filter: BloomFilter = Settings::new(1_000_000, 0.01).build().expect("in range");
    for number in 0..1_000_000 {
        filter.add(&id(number).to_le_bytes()).expect("the filter scales");
    }
    there_and_back(c, "a Bloom filter of 1M", &filter);
    let scores = (0..10_000).map(|number| (format!("member {number}"), f64::from(number)));
    let set: ZSet = ZSet::from_entries(scores, &Limits::default()).expect("no score is NaN");
    there_and_back(c, "a sorted set of 10k", &set);
    there_and_back(c, "1M visitors", &visitors(0..VISITORS));
}

fn merge(c: &mut Criterion) {
    let from = visitors(VISITORS / 2..VISITORS * 3 / 2);
    let frame = wire::encode(&visitors(0..VISITORS)).expect("the store can be framed");
    let into = || wire::decode::<Store>(&frame, u64::MAX).expect("the frame is valid");
    let all = into();
    Merge::new().add(&all, &from).expect("both stores hold visitors");
    let count = Visitors::new(all).count(Bucket::All).expect("a valid count");
    assert_eq!(Ok(count), u64::try_from(VISITORS * 3 / 2));
    let mut group = c.benchmark_group("merge");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.throughput(Throughput::Elements(VISITORS.unsigned_abs()));
    group.bench_function("1M visitors into 1M", |b| {
        b.iter_batched(into, |into| Merge::new().add(&into, &from), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, frames, merge);
criterion_main!(benches);
