//! Locations through the store: SETRANGE and `set` of random users, both aggregates, and `set_code` and the aggregate
//! for each width.
//!
//! 100 million users take 200 MB: a user of one shard is in the L2 or L3 cache, a user of all shards is mostly in
//! memory.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tallis::bitpack::packed::{Codec, NumberCode};
use tallis::{CityTable, Locations, Precision, Store};
use tallis_benches::inputs::{Located, Turns, USERS_PER_SHARD};
use testkit::rng::Rng;

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
    drop((store, locations));
    let locations = || Locations::new(Store::new());
    let table = CityTable::from_rows([("FRA", "", "Paris")]).unwrap();
    width(c, "1 byte", &locations().countries(), &list, |[a, ..]| [a]);
    width(c, "2 bytes", &locations(), &list, |[a, b, ..]| [a, b]);
    width(c, "3 bytes", &locations().cities(table), &list, |[a, b, c, _]| [a, b, c]);
    width(c, "4 bytes", &locations().codec::<NumberCode>(), &list, |code| code);
}

/// Measures ten shards of codes of one width: 249 countries, four regions in each, and four cities in each region.
fn width<P: Precision>(
    c: &mut Criterion,
    name: &str,
    locations: &Locations<Store, P>,
    list: &[usize],
    code: impl Fn([u8; 4]) -> <P::Codec as Codec>::Record,
) {
    const USERS: usize = 10 * USERS_PER_SHARD;
    let mut rng = Rng::new(94);
    let mut byte = |of| u8::try_from(1 + rng.below(of)).unwrap();
    let mut codes = || code([byte(249), byte(4), byte(4), 0]);
    for user in (0..USERS as u64).rev() {
        locations.set_code(user, codes()).unwrap();
    }
    let codes: Vec<_> = (0..997).map(|_| codes()).collect();
    let mut codes = codes.iter().cycle();
    let mut group = c.benchmark_group("locations by width");
    group.throughput(Throughput::Elements(TURN as u64));
    let mut turns = Turns::new(TURN, LIST);
    group.bench_function(format!("set_code, {name}"), |b| {
        b.iter(|| {
            for &user in &list[turns.turn()] {
                locations.set_code((user % USERS) as u64, *codes.next().unwrap()).unwrap();
            }
        });
    });
    group.sample_size(10);
    group.throughput(Throughput::Elements(USERS as u64));
    group.bench_function(format!("aggregate, {name}"), |b| {
        b.iter(|| locations.aggregate().unwrap());
    });
    group.finish();
}

criterion_group!(benches, locations);
criterion_main!(benches);
