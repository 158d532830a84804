//! Sharded sets compared with plain ones, in every operation.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeSet;

use bytes::Bytes;
use proptest::prelude::*;
use tallis::{Error, ErrorKind, Limits, ScanOptions, ShardedSet, Store, shard_key};

const LOW: Limits = Limits {
    set_max_intset_entries: 6,
    set_max_listpack_entries: 4,
    set_max_listpack_value: 5,
    zset_max_listpack_entries: 128,
    zset_max_listpack_value: 64,
    hash_max_listpack_entries: 512,
    hash_max_listpack_value: 64,
    list_max_listpack_size: -2,
    list_compress_depth: 0,
    hll_sparse_max_bytes: 3000,
    bloom_memory_usage_limit: 1 << 20,
};

type Model = BTreeSet<String>;

fn members(found: impl Iterator<Item = Result<Bytes, Error>>) -> Model {
    let all: Vec<Bytes> = found.map(Result::unwrap).collect();
    let set: Model =
        all.iter().map(|member| String::from_utf8_lossy(member).into_owned()).collect();
    assert_eq!(set.len(), all.len(), "no member comes twice");
    set
}

/// Fills a set; if its name ends in an odd number, with the key names of a cluster.
fn filled(store: &Store, name: &str, of: &Model) -> ShardedSet {
    let tagged = name.ends_with(['1', '3']);
    let open = if tagged { ShardedSet::tagged } else { ShardedSet::new };
    let set = open(store.clone(), name, 20, 8);
    for member in of {
        assert!(set.add(member).unwrap());
    }
    set
}

/// Members of which the sets have many in common: numbers, and sometimes texts.
fn some_set() -> impl Strategy<Value = Model> {
    let number = (-10..40_i64).prop_map(|number| number.to_string());
    let wide = (-3..3_i64).prop_map(|number| (number << 40).to_string());
    let text = prop_oneof!["[ab]{0,2}", Just("a long text".to_owned())];
    prop_oneof![
        proptest::collection::btree_set(number.clone(), 0..60),
        proptest::collection::btree_set(prop_oneof![3 => number, 1 => wide, 1 => text], 0..60),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Inter,
    Union,
    Diff,
}

proptest! {
    #[test]
    fn combined_sets_equal_those_of_plain_ones(
        models in proptest::collection::vec(some_set(), 1..4),
        stale in some_set(),
        target in 0..5_usize,
        operation in prop_oneof![Just(Operation::Inter), Just(Operation::Union), Just(Operation::Diff)],
        again in any::<bool>(),
    ) {
        let store = Store::builder().limits(LOW).hash_seed(1).build();
        let mut sets: Vec<ShardedSet> =
            models.iter().enumerate().map(|(at, model)| filled(&store, &format!("s{at}"), model)).collect();
        let mut models = models;
        if again {
            // The same set twice.
            sets.push(sets[0].clone());
            models.push(models[0].clone());
        }
        let (first, others) = models.split_first().unwrap();
        let want = others.iter().fold(first.clone(), |all, other| match operation {
            Operation::Inter => &all & other,
            Operation::Union => &all | other,
            Operation::Diff => &all - other,
        });
        let (set, others) = sets.split_first().unwrap();
        let found = match operation {
            Operation::Inter => members(set.inter(others).unwrap()),
            Operation::Union => members(set.union(others).unwrap()),
            Operation::Diff => members(set.diff(others).unwrap()),
        };
        prop_assert_eq!(&found, &want);
        let common = models.iter().skip(1).fold(first.clone(), |all, other| &all & other);
        prop_assert_eq!(set.inter_card(others).unwrap(), common.len() as u64);

        // Into one of the sets, or into one that has other members.
        let elsewhere = filled(&store, "target", &stale);
        let target = sets.get(target).unwrap_or(&elsewhere);
        let stored = match operation {
            Operation::Inter => set.inter_store(others, target),
            Operation::Union => set.union_store(others, target),
            Operation::Diff => set.diff_store(others, target),
        };
        prop_assert_eq!(stored.unwrap(), want.len() as u64);
        prop_assert_eq!(members(target.members()), want.clone());
        prop_assert_eq!(target.card().unwrap(), want.len() as u64);
        for member in &want {
            prop_assert!(target.contains(member).unwrap());
        }
    }
}

#[test]
fn sets_with_other_shards_are_refused_before_anything_is_changed() {
    let store = Store::new();
    let a = ShardedSet::new(store.clone(), "a", 1000, 100);
    let b = ShardedSet::new(store.clone(), "b", 1000, 50);
    let target = ShardedSet::new(store.clone(), "c", 1000, 100);
    for id in 0..50 {
        a.add(id).unwrap();
        b.add(id).unwrap();
        target.add(id + 1000).unwrap();
    }
    let changes = store.changes();
    let text = "ERR sharded sets 'a' (20 shards) and 'b' (40 shards) differ in shape";
    let refused = [
        a.inter([&b]).err(),
        a.union([&a, &b]).err(),
        a.diff([&target, &b]).err(),
        a.inter_card([&b]).err(),
        a.inter_store([&b], &target).err(),
        a.union_store([&b], &target).err(),
        a.diff_store([&b], &target).err(),
        a.inter_store([&a], &b).err(),
        a.union_store([], &b).err(),
        a.diff_store([&a], &b).err(),
    ];
    for error in refused {
        let error = error.unwrap();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, text));
    }
    assert_eq!(store.changes(), changes);
    // Only the number of shards matters, not the parameters that it results from.
    let like_a = ShardedSet::new(store, "b", 2000, 200);
    assert!(a.inter([&like_a]).is_ok());
}

#[test]
fn another_type_under_a_shards_key_is_an_error() {
    let store = Store::new();
    let of = |name: &str| ShardedSet::new(store.clone(), name, 100, 10);
    let (a, b, target) = (of("a"), of("b"), of("target"));
    for id in 0..200 {
        a.add(id).unwrap();
    }
    // The last shard: the ones before it have been processed.
    store.set("b:19", "text").unwrap();
    for error in [
        a.union_store([&b], &target).unwrap_err(),
        a.diff_store([&b], &target).unwrap_err(),
        b.inter_store([&a], &target).unwrap_err(),
        a.inter_card([&b]).unwrap_err(),
        b.card().unwrap_err(),
        a.inter([&b]).unwrap().find_map(Result::err).unwrap(),
        a.union([&b]).unwrap().find_map(Result::err).unwrap(),
        a.diff([&b]).unwrap().find_map(Result::err).unwrap(),
        b.members().find_map(Result::err).unwrap(),
    ] {
        assert_eq!(error.kind(), ErrorKind::WrongType);
    }
    // A target is overwritten, whatever its type was.
    store.set("target:3", "text").unwrap();
    let stored = a.diff_store([], &target).unwrap();
    assert_eq!((stored, target.card().unwrap()), (200, 200));
}

#[test]
fn an_empty_result_leaves_no_keys() {
    let store = Store::new();
    let of = |name: &str| ShardedSet::new(store.clone(), name, 1000, 10);
    let (a, b, target) = (of("a"), of("b"), of("target"));
    for id in 0..1000 {
        a.add(id).unwrap();
        b.add(id + 1000).unwrap();
        target.add(id).unwrap();
    }
    assert_eq!(a.inter_store([&b], &target).unwrap(), 0);
    assert!(store.keys("target:*").unwrap().is_empty());
    assert_eq!(a.diff_store([&a], &a).unwrap(), 0);
    assert!(store.keys("a:*").unwrap().is_empty());
    assert_eq!(a.union_store([&target], &b).unwrap(), 0);
    assert_eq!(store.dbsize().unwrap(), 0);
}

#[test]
fn every_member_lies_in_the_shard_of_its_number() {
    // A handle that opens the result finds its members: each is in the shard of its hash.
    let store = Store::new();
    let of = |name: &str| ShardedSet::new(store.clone(), name, 1000, 10);
    let (a, b, target) = (of("a"), of("b"), of("target"));
    for id in 0..1000 {
        a.add(id).unwrap();
        b.add(id + 500).unwrap();
    }
    a.union_store([&b], &target).unwrap();
    for id in 0..1500 {
        let key = shard_key("target", format!("x{id}"), 1000, 10);
        assert!(store.sismember(&key, id).unwrap(), "{id}");
        assert_eq!(store.object_encoding(&key).unwrap(), Some("intset"));
    }
}

#[test]
fn large_results_are_tables_like_any_other() {
    // With a single shard, so that the tables are large: random members are drawn from each result, and it is scanned,
    // changed and dumped.
    let store = Store::builder().hash_seed(3).random_seed(4).build();
    let of = |name: &str| ShardedSet::new(store.clone(), name, 1, 512);
    let (a, b, target) = (of("a"), of("b"), of("target"));
    store.sadd("a:0", 0..20_000).unwrap();
    store.sadd("b:0", 10_000..40_000).unwrap();
    let check = |stored: u64, want: std::ops::Range<i64>| {
        let len = want.end.abs_diff(want.start);
        assert_eq!(stored, len);
        let want: Model = want.map(|number| number.to_string()).collect();
        assert_eq!(members(target.members()), want);
        let (mut cursor, mut scanned) = (0, Model::new());
        loop {
            let (next, some) =
                store.sscan_cursor("target:0", cursor, &ScanOptions::default()).unwrap();
            assert!(some.len() < 50);
            scanned.extend(some.iter().map(|member| String::from_utf8_lossy(member).into_owned()));
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(scanned, want);
        let drawn: BTreeSet<Bytes> =
            (0..200).map(|_| store.srandmember("target:0").unwrap().unwrap()).collect();
        assert!(drawn.len() > 190, "{}", drawn.len());
        // It grows and shrinks.
        let added: Vec<i64> = (100_000..130_000).collect();
        assert_eq!(store.sadd("target:0", &added).unwrap(), added.len());
        assert_eq!(store.srem("target:0", &added).unwrap(), added.len());
        assert_eq!(members(target.members()), want);
    };
    check(a.inter_store([&b], &target).unwrap(), 10_000..20_000);
    check(a.union_store([&b], &target).unwrap(), 0..40_000);
    check(a.diff_store([&b], &target).unwrap(), 0..10_000);
    check(b.diff_store([&a, &a, &a, &a], &target).unwrap(), 20_000..40_000);
    check(b.diff_store([], &target).unwrap(), 10_000..40_000);
}
