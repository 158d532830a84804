//! A hash of a million fields through the store, and a hundred thousand hashes of ten fields, compared with bare maps.
//!
//! `hashbrown` is a map of the same fields and values, without keys, locks or expiry.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hashbrown::HashMap;
use tallis::{ExpireOption, ManualClock, Store};
use tallis_benches::inputs::{Fields, Turns, shuffled};

const FIELDS: usize = 1_000_000;
/// The fixed time of the clock for fields that expire.
const START: i64 = 1_700_000_000_000;
/// Fields queried in one turn.
const TURN: usize = 10_000;

type Map<'a> = HashMap<&'a [u8], &'a [u8], ahash::RandomState>;

fn fill(store: Store, fields: &Fields) -> Store {
    for [key, field, value] in fields.iter() {
        store.hset(key, field, value).unwrap();
    }
    store
}

/// Returns how many of these fields exist.
fn found(store: &Store, fields: &Fields, asked: &[usize]) -> usize {
    let get = |&&at: &&usize| {
        let read = |value: &[u8]| black_box(value).len();
        let [key, field, _] = fields.get(at);
        store.hget_with(key, field, read).unwrap().is_some()
    };
    asked.iter().filter(get).count()
}

fn maps(fields: &Fields) -> Vec<Map<'_>> {
    let map = |hash: usize| {
        let all = hash * fields.each..(hash + 1) * fields.each;
        all.map(|at| (fields.names.get(at), fields.values.get(at))).collect()
    };
    (0..fields.keys.len()).map(map).collect()
}

fn fields(c: &mut Criterion) {
    for (name, fields) in
        [("one hash", Fields::new(FIELDS, FIELDS)), ("small hashes", Fields::new(FIELDS, 10))]
    {
        let mut group = c.benchmark_group(format!("hashes/{name}"));
        group.sample_size(10).throughput(Throughput::Elements(FIELDS as u64));
        group.bench_function("hset, a new field", |b| {
            b.iter_batched(Store::new, |store| fill(store, &fields), BatchSize::PerIteration);
        });
        group.bench_function("insert, hashbrown", |b| b.iter(|| maps(&fields)));

        let (store, maps) = (fill(Store::new(), &fields), maps(&fields));
        let order = shuffled(1, FIELDS);
        group.sample_size(50).throughput(Throughput::Elements(TURN as u64));
        let mut turns = Turns::new(TURN, FIELDS);
        group.bench_function("hget", |b| {
            b.iter(|| {
                assert_eq!(found(&store, &fields, &order[turns.turn()]), TURN);
            });
        });
        group.bench_function("get, hashbrown", |b| {
            b.iter(|| {
                let asked = order[turns.turn()].iter();
                let get = |&&at: &&usize| maps[at / fields.each].contains_key(fields.names.get(at));
                assert_eq!(asked.filter(get).count(), TURN);
            });
        });
        group.finish();
    }

    let fields = Fields::new(FIELDS, 10);
    let store = fill(Store::new(), &fields);
    let order = shuffled(2, fields.keys.len());
    let mut turns = Turns::new(TURN / 10, fields.keys.len());
    let mut group = c.benchmark_group("hashes/small hashes");
    group.throughput(Throughput::Elements(TURN as u64));
    group.bench_function("hgetall, a field", |b| {
        b.iter(|| {
            let all = order[turns.turn()].iter();
            let count = all.map(|&at| store.hgetall(fields.keys.get(at)).unwrap().len());
            assert_eq!(count.sum::<usize>(), TURN);
        });
    });
    group.finish();
}

/// Measures a million fields of one hash: each is given an expiry time, and all are swept after it.
fn expiring(c: &mut Criterion) {
    let fields = Fields::new(FIELDS, FIELDS);
    let clock = Arc::new(ManualClock::new(START));
    let filled = || fill(Store::builder().clock(clock.clone()).build(), &fields);
    let expire = |store: &Store, at: usize, ms: usize| {
        let [key, field, _] = fields.get(at);
        let at_ms = START + i64::try_from(ms).unwrap();
        store.hpexpire_at(key, at_ms, ExpireOption::Always, field).unwrap()
    };

    let mut group = c.benchmark_group("hashes/fields that expire");
    let order = shuffled(3, FIELDS);
    let store = filled();
    expire(&store, 0, 1_000_000);
    let mut turns = Turns::new(TURN, FIELDS);
    group.throughput(Throughput::Elements(TURN as u64));
    group.bench_function("hpexpireat, a field", |b| {
        b.iter(|| {
            let turn = order[turns.turn()].iter();
            for &at in turn {
                black_box(expire(&store, at, 1_000_000 + at));
            }
        });
    });
    let mut turns = Turns::new(TURN, FIELDS);
    group.bench_function("hget", |b| {
        b.iter(|| {
            assert_eq!(found(&store, &fields, &order[turns.turn()]), TURN);
        });
    });
    drop(store);

    group.sample_size(10).throughput(Throughput::Elements(FIELDS as u64));
    group.bench_function("sweep, slices of 1000", |b| {
        let due = || {
            let store = filled();
            (0..FIELDS).for_each(|at| drop(expire(&store, at, 1)));
            clock.advance(1);
            store
        };
        let sweep = |store: Store| {
            while store.sweep(1000).unwrap() > 0 {}
            clock.set(START);
            store
        };
        b.iter_batched(due, sweep, BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, fields, expiring);
criterion_main!(benches);
