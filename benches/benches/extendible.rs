//! The extendible index with packed members, compared with `hashbrown`'s set of boxed byte strings.
//!
//! Compare only figures of one run. Both sides use the same hash function, computed where each side needs it.

use std::hint::black_box;

use ahash::RandomState;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use extendible::{Extendible, MemberBucket, SplitMix64};
use hashbrown::HashSet;
use testkit::rng::Rng;

/// The sizes of a set whose buckets fit into the near caches, and of one whose buckets do not.
const SIZES: [usize; 2] = [1_000, 200_000];

type Table = Extendible<MemberBucket>;
type Boxed = HashSet<Box<[u8]>, RandomState>;

fn state() -> RandomState {
    RandomState::with_seeds(1, 2, 3, 4)
}

fn members(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| format!("uid:{:016x}", rng.u64()).into_bytes()).collect()
}

fn filled(members: &[Vec<u8>]) -> Table {
    let state = state();
    let hash = |member: &[u8]| state.hash_one(member);
    let mut table = Table::new(0);
    for member in members {
        let of = hash(member);
        table.insert(of, &hash, |bucket| bucket.insert(of, member));
    }
    assert_eq!(table.len(), members.len());
    table
}

fn boxed(members: &[Vec<u8>]) -> Boxed {
    let mut set = Boxed::with_hasher(state());
    set.extend(members.iter().map(|member| member.as_slice().into()));
    set
}

fn insert(c: &mut Criterion) {
    for size in SIZES {
        let members = members(size, 1);
        let mut group = c.benchmark_group(format!("extendible/insert_{size}"));
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function("extendible", |b| {
            b.iter_batched(|| (), |()| filled(&members), BatchSize::PerIteration);
        });
        group.bench_function("hashbrown", |b| {
            b.iter_batched(|| (), |()| boxed(&members), BatchSize::PerIteration);
        });
        group.finish();
    }
}

/// Queries keys of which half are members, in random order.
fn contains(c: &mut Criterion) {
    for size in SIZES {
        let members = members(size, 2);
        let mut asked = [&members[..size / 2], &self::members(size / 2, 3)].concat();
        Rng::new(4).shuffle(&mut asked);
        let (table, set, state) = (filled(&members), boxed(&members), state());
        let mut group = c.benchmark_group(format!("extendible/contains_{size}"));
        group.throughput(Throughput::Elements(asked.len() as u64));
        group.bench_function("extendible", |b| {
            let has = |member: &&Vec<u8>| {
                let hash = state.hash_one(member.as_slice());
                table.bucket(hash).is_some_and(|bucket| bucket.contains(hash, member))
            };
            b.iter(|| assert_eq!(black_box(asked.iter().filter(has).count()), size / 2));
        });
        group.bench_function("hashbrown", |b| {
            let has = |member: &&Vec<u8>| set.contains(member.as_slice());
            b.iter(|| assert_eq!(black_box(asked.iter().filter(has).count()), size / 2));
        });
        group.finish();
    }
}

fn random(c: &mut Criterion) {
    for size in SIZES {
        let table = filled(&members(size, 5));
        let mut random = SplitMix64::new(6);
        c.bench_function(&format!("extendible/random_{size}"), |b| {
            b.iter(|| table.random(&mut || random.bits(), MemberBucket::nth).map(<[u8]>::len));
        });
    }
}

criterion_group!(benches, insert, contains, random);
criterion_main!(benches);
