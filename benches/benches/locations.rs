//! Locations through the store: SETRANGE and `set` of random users, and both aggregates.
//!
//! 100 million users are 200 MB: a user of one shard is in the second cache or the third, one of all mostly in memory.
#![expect(clippy::unwrap_used, reason = "a benchmark: what fails here stops it")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tallis_benches::inputs::{Located, Turns, USERS_PER_SHARD};

const USERS: usize = 100_000_000;
const LIST: usize = 1_000_000;
/// Users in one iteration.
const TURN: usize = 20_000;

fn locations(c: &mut Criterion) {
    let Located { store, locations, plain, list } = Located::new(USERS, LIST);
    drop(plain);
    let mut group = c.benchmark_group("locations");
    group.sample_size(10);
    group.throughput(Throughput::Elements(USERS as u64));
    assert_eq!(locations.aggregate().unwrap().users(), USERS as u64);
    group.bench_function("aggregate", |b| b.iter(|| locations.aggregate().unwrap()));

    group.throughput(Throughput::Elements(LIST as u64));
    group.bench_function("aggregate_list", |b| {
        b.iter(|| locations.aggregate_list(list.iter().map(|&user| user as u64)).unwrap());
    });

    group.sample_size(50);
    group.throughput(Throughput::Elements(TURN as u64));
    let mut turns = Turns::new(TURN, LIST);
    group.bench_function("setrange", |b| {
        b.iter(|| {
            for &user in &list[turns.turn()] {
                let offset = 2 * (user % USERS_PER_SHARD);
                black_box(store.setrange("location:0", offset, &[9, 9][..]).unwrap());
            }
        });
    });
    let places = Located::places();
    for (name, of) in [("set, one shard", USERS_PER_SHARD), ("set, all shards", USERS)] {
        let mut places = places.iter().cycle();
        group.bench_function(name, |b| {
            b.iter(|| {
                for &user in &list[turns.turn()] {
                    let (country, region) = places.next().unwrap();
                    locations.set((user % of) as u64, country, &**region).unwrap();
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, locations);
criterion_main!(benches);
