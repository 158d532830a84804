//! Intersection, union and difference of two sets of a million 64-bit ids with half of them in common, calls with a few
//! members, and single members of a hash table of a million.
//!
//! The rows to compare: `sorted merge` merges two sorted vectors, `hashbrown` uses bare hash sets, `sharded` uses
//! [`ShardedSet`] and the store, shard by shard, and `hash table` is one command on two keys. Times are per element of
//! both inputs together.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hashbrown::HashSet;
use tallis::{Aggregate, ShardedSet, Store};
use tallis_benches::inputs::{Turns, Words, merge, shuffled, two_sets};

/// Members of each set.
const MEMBERS: usize = 1_000_000;
/// The number of members that both sets have.
const COMMON: usize = MEMBERS / 2;
/// The forecast for the shards, large enough for the union.
const FORECAST: u64 = 2_000_000;

const INTER: usize = COMMON;
const UNION: usize = 2 * MEMBERS - COMMON;
const DIFF: usize = MEMBERS - COMMON;

fn algebra(c: &mut Criterion) {
    let ids = two_sets(MEMBERS);
    let mut group = c.benchmark_group("sets");
    group.throughput(Throughput::Elements(2 * MEMBERS as u64));
    group.sample_size(10);

    let [a, b] = ids.clone().map(|mut ids| {
        ids.sort_unstable();
        ids
    });
    let mut row = |name: &str, work: &mut dyn FnMut() -> usize, want: usize| {
        assert_eq!(work(), want, "{name}");
        group.bench_function(name, |bench| bench.iter(|| black_box(work())));
    };
    let mut out = Vec::with_capacity(2 * MEMBERS);
    row("inter, sorted merge", &mut || merge::<false, true, false>(&a, &b, &mut out), INTER);
    row("union, sorted merge", &mut || merge::<true, true, true>(&a, &b, &mut out), UNION);
    row("diff, sorted merge", &mut || merge::<true, false, false>(&a, &b, &mut out), DIFF);
    drop((a, b, out));

    let [a, b] =
        ids.clone().map(|ids| ids.into_iter().collect::<HashSet<i64, ahash::RandomState>>());
    row("inter, hashbrown", &mut || (&a & &b).len(), INTER);
    row("union, hashbrown", &mut || (&a | &b).len(), UNION);
    row("diff, hashbrown", &mut || (&a - &b).len(), DIFF);
    drop((a, b));

    let store = Store::new();
    let sharded = |name: &str| ShardedSet::new(store.clone(), name, FORECAST, 512);
    let (a, b, target) = (sharded("a"), sharded("b"), sharded("target"));
    for (set, ids) in [(&a, &ids[0]), (&b, &ids[1])] {
        for &id in ids {
            set.add(id).unwrap();
        }
    }
    let count = |stored: u64| usize::try_from(stored).unwrap();
    row("inter, sharded", &mut || count(a.inter_store([&b], &target).unwrap()), INTER);
    row("union, sharded", &mut || count(a.union_store([&b], &target).unwrap()), UNION);
    row("diff, sharded", &mut || count(a.diff_store([&b], &target).unwrap()), DIFF);
    drop(store);

    let store = Store::new();
    for (key, ids) in ["a", "b"].into_iter().zip(&ids) {
        store.sadd(key, ids).unwrap();
        assert_eq!(store.object_encoding(key).unwrap(), Some("hashtable"));
    }
    row("inter, hash table", &mut || store.sinterstore("c", ["a", "b"]).unwrap(), INTER);
    row("union, hash table", &mut || store.sunionstore("c", ["a", "b"]).unwrap(), UNION);
    row("diff, hash table", &mut || store.sdiffstore("c", ["a", "b"]).unwrap(), DIFF);
    group.finish();
}

/// Measures one call with many members or fields of a key, and of two keys with half of them in common: up to 120 are
/// listpacks.
fn few_members(c: &mut Criterion) {
    let mut group = c.benchmark_group("few members");
    for count in [10, 20, 40, 60, 120, 1_000] {
        let store = Store::new();
        let names = |from: usize| -> Vec<String> {
            (from..from + count).map(|n| format!("member:{n}")).collect()
        };
        let [names, others] = [names(0), names(count / 2)];
        let pairs: Vec<_> = names.iter().map(|name| (name, name)).collect();
        store.hset_multiple("hash", &pairs).unwrap();
        for (set, zset, names) in [("a", "y", &names), ("b", "z", &others)] {
            store.sadd(set, names).unwrap();
            store.zadd_multiple(zset, names.iter().map(|name| (1, name))).unwrap();
        }
        let (sets, zsets) = (["a", "b"], ["y", "z"]);
        group.throughput(Throughput::Elements(count as u64));
        let mut row = |name: &str, call: &dyn Fn() -> usize| {
            group.bench_function(format!("{name}, {count}"), |bench| bench.iter(call));
        };
        row("sinter", &|| store.sinter(sets).unwrap().len());
        row("sunion", &|| store.sunion(sets).unwrap().len());
        row("sdiff", &|| store.sdiff(sets).unwrap().len());
        row("sinterstore", &|| store.sinterstore("c", sets).unwrap());
        row("sunionstore", &|| store.sunionstore("c", sets).unwrap());
        row("sdiffstore", &|| store.sdiffstore("c", sets).unwrap());
        row("zinter", &|| store.zinter(zsets, &[], Aggregate::Sum).unwrap().len());
        row("zdiff", &|| store.zdiff(zsets).unwrap().len());
        row("smismember", &|| store.smismember("a", &others).unwrap().len());
        row("zmscore", &|| store.zscore_multiple("y", &others).unwrap().len());
        row("hmget", &|| store.hmget("hash", &others).unwrap().len());
        row("sadd, a new key", &|| {
            store.del("new").unwrap();
            store.sadd("new", &names).unwrap()
        });
        row("hset, a new key", &|| {
            store.del("new").unwrap();
            store.hset_multiple("new", &pairs).unwrap()
        });
    }
    group.finish();
}

/// Measures one call per member, on a hash table that grows to a million members and on one that has a million.
fn members(c: &mut Criterion) {
    let members: Words = (0..MEMBERS).map(|n| format!("member:{n}")).collect();
    let fill = |store: Store| {
        for member in members.iter() {
            store.sadd("set", [member]).unwrap();
        }
        store
    };
    let mut group = c.benchmark_group("set members");
    group.sample_size(10);
    group.throughput(Throughput::Elements(MEMBERS as u64));
    group.bench_function("sadd, a new member", |b| {
        b.iter_batched(Store::new, fill, BatchSize::PerIteration);
    });

    let store = fill(Store::new());
    let turn = 10_000;
    group.throughput(Throughput::Elements(turn as u64));
    group.sample_size(50);
    for (name, what, want) in [("a member", "member", turn), ("not a member", "absent", 0)] {
        let asked: Words = shuffled(1, MEMBERS).iter().map(|n| format!("{what}:{n}")).collect();
        let mut turns = Turns::new(turn, MEMBERS);
        group.bench_function(format!("sismember, {name}"), |b| {
            b.iter(|| {
                let asked = asked.range(turns.turn());
                let found = asked.filter(|member| store.sismember("set", *member).unwrap());
                assert_eq!(found.count(), want);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, algebra, few_members, members);
criterion_main!(benches);
