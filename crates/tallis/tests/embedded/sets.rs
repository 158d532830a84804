//! Sets: their encodings at every limit, operations on several sets in every pair of encodings, random draws, and scans
//! of changing sets.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use tallis::{ErrorKind, Limits, Profile, ScanOptions, Store};
use testkit::rng::Rng;

use crate::journal::Journal;

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

fn store(profile: Profile, limits: Limits) -> Store {
    Store::builder().profile(profile).limits(limits).hash_seed(1).random_seed(2).build()
}

fn encoding(store: &Store, key: &str) -> &'static str {
    store.object_encoding(key).unwrap().unwrap()
}

fn words(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|number| format!("w{number}")).collect()
}

#[test]
fn a_set_of_numbers_is_an_intset_up_to_its_limit() {
    for profile in [Profile::Redis70, Profile::Redis72] {
        let store = store(profile, Limits::default());
        for member in 0..512 {
            store.sadd("s", [member]).unwrap();
        }
        assert_eq!(encoding(&store, "s"), "intset");
        assert_eq!(store.sadd("s", [0]).unwrap(), 0);
        assert_eq!(encoding(&store, "s"), "intset");
        assert_eq!(store.sadd("s", [512]).unwrap(), 1);
        assert_eq!(encoding(&store, "s"), "hashtable");
        assert_eq!(store.scard("s").unwrap(), 513);
        // It is never converted back.
        store.srem("s", 1..513).unwrap();
        assert_eq!(encoding(&store, "s"), "hashtable");
        assert_eq!(store.smembers("s").unwrap(), ["0"]);
    }
}

#[test]
fn a_set_with_text_is_a_listpack_up_to_its_limits() {
    let store = store(Profile::Redis72, Limits::default());
    store.sadd("s", words(0..1)).unwrap();
    for member in words(1..128) {
        store.sadd("s", [&member]).unwrap();
    }
    assert_eq!((encoding(&store, "s"), store.scard("s").unwrap()), ("listpack", 128));
    assert_eq!(store.sadd("s", ["w5"]).unwrap(), 0);
    assert_eq!(encoding(&store, "s"), "listpack");
    assert_eq!(store.sadd("s", ["w128"]).unwrap(), 1);
    assert_eq!((encoding(&store, "s"), store.scard("s").unwrap()), ("hashtable", 129));

    for (len, want) in [(64, "listpack"), (65, "hashtable")] {
        store.del(["t"]).unwrap();
        store.sadd("t", ["short"]).unwrap();
        store.sadd("t", [&"x".repeat(len)]).unwrap();
        assert_eq!(encoding(&store, "t"), want, "{len}");
    }
    // Text that only looks like a number stays text.
    store.sadd("u", ["007"]).unwrap();
    assert_eq!(encoding(&store, "u"), "listpack");
    assert!(!store.sismember("u", 7).unwrap());
    assert!(store.sismember("u", "007").unwrap());
}

#[test]
fn text_makes_a_listpack_of_an_intset_that_is_small_enough() {
    for (numbers, want) in [(127, "listpack"), (128, "hashtable"), (200, "hashtable")] {
        let store = store(Profile::Redis72, Limits::default());
        store.sadd("s", 0..numbers).unwrap();
        assert_eq!(encoding(&store, "s"), "intset");
        assert_eq!(store.sadd("s", ["3", "x"]).unwrap(), 1);
        assert_eq!(encoding(&store, "s"), want, "{numbers}");
        assert!((0..numbers).all(|number| store.sismember("s", number).unwrap()));
        assert!(store.sismember("s", "x").unwrap());
    }
    let store = store(Profile::Redis72, LOW);
    // A number of six digits is longer than the limit for members of a listpack.
    store.sadd("s", [123_456]).unwrap();
    store.sadd("s", ["x"]).unwrap();
    assert_eq!(encoding(&store, "s"), "hashtable");
    store.sadd("t", [-1234]).unwrap();
    store.sadd("t", ["x"]).unwrap();
    assert_eq!(encoding(&store, "t"), "listpack");
}

#[test]
fn duplicate_members_count_towards_the_limit_in_72_and_not_in_70() {
    let cases: [(&[i64], &[&str], &str, &str); 6] = [
        (&[1, 2, 3, 4, 5, 6], &[], "intset", "intset"),
        (&[1, 1, 1, 1, 1, 1, 1], &[], "intset", "hashtable"),
        (&[], &["a", "a", "a", "a"], "hashtable", "listpack"),
        (&[], &["a", "a", "a", "a", "a"], "hashtable", "hashtable"),
        (&[1], &["1"], "intset", "intset"),
        (&[1], &["a", "a", "a", "a", "a"], "hashtable", "listpack"),
    ];
    for (numbers, texts, in_70, in_72) in cases {
        for (profile, want) in [(Profile::Redis70, in_70), (Profile::Redis72, in_72)] {
            let store = store(profile, LOW);
            store.sadd("s", numbers).unwrap();
            store.sadd("s", texts).unwrap();
            assert_eq!(encoding(&store, "s"), want, "{profile:?} {numbers:?} {texts:?}");
        }
    }
    // More numbers in one call than an intset may hold, but not more than a listpack.
    let limits = Limits { set_max_intset_entries: 3, ..Limits::default() };
    for (profile, want) in [(Profile::Redis70, "hashtable"), (Profile::Redis72, "listpack")] {
        let store = store(profile, limits);
        store.sadd("s", 0..4).unwrap();
        assert_eq!(encoding(&store, "s"), want);
    }
}

#[test]
fn redis_70_has_no_listpacks() {
    let store = store(Profile::Redis70, Limits::default());
    store.sadd("s", ["a"]).unwrap();
    assert_eq!(encoding(&store, "s"), "hashtable");
    store.sadd("t", [1, 2]).unwrap();
    store.sadd("t", ["x"]).unwrap();
    assert_eq!(encoding(&store, "t"), "hashtable");
}

#[test]
fn the_intersection_of_sets_with_text_is_an_intset_if_it_has_only_numbers() {
    for profile in [Profile::Redis70, Profile::Redis72] {
        let store = store(profile, Limits { set_max_intset_entries: 4, ..Limits::default() });
        let numbers = ["1", "2", "3", "4", "5"];
        store.sadd("a", ["text"]).unwrap();
        store.sadd("b", ["other"]).unwrap();
        for (count, in_72) in [(4, "intset"), (5, "listpack")] {
            store.sadd("a", &numbers[..count]).unwrap();
            store.sadd("b", &numbers[..count]).unwrap();
            assert_eq!(store.sinterstore("c", ["a", "b"]).unwrap(), count);
            let in_70 = if count == 4 { "intset" } else { "hashtable" };
            let want = if profile == Profile::Redis70 { in_70 } else { in_72 };
            assert_eq!(encoding(&store, "c"), want, "{count} under {profile:?}");
        }
    }
}

#[test]
fn members_are_borrowed_in_every_encoding() {
    let store = Store::new();
    store.sadd("intset", [3, 1, 2]).unwrap();
    store.sadd("listpack", ["a", "7"]).unwrap();
    store.sadd("hashtable", words(0..1000)).unwrap();
    store.set("string", "v").unwrap();
    for (key, count) in [("intset", 3), ("listpack", 2), ("hashtable", 1000), ("none", 0)] {
        let mut lent = Vec::new();
        let visited = store.smembers_with(key, |member| lent.push(member.to_bytes())).unwrap();
        assert_eq!((visited, &lent), (count, &store.smembers(key).unwrap()), "{key}");
        assert_eq!(lent.len(), count);
    }
    let refused = store.smembers_with("string", |_| panic!("it is not a set")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WrongType);
}

#[test]
fn a_set_without_members_does_not_exist() {
    let store = Store::new();
    for members in [vec!["1", "2"], vec!["a", "b"]] {
        store.sadd("s", &members).unwrap();
        assert_eq!(store.srem("s", [&members[..], &["3"]].concat()).unwrap(), 2);
        assert!(!store.exists("s").unwrap());
        store.sadd("s", &members).unwrap();
        assert_eq!(store.spop_multiple("s", 5).unwrap().len(), 2);
        store.sadd("s", &members[..1]).unwrap();
        assert_eq!(store.spop("s").unwrap().unwrap(), members[0]);
        store.sadd("s", &members[..1]).unwrap();
        assert!(store.smove("s", "t", members[0]).unwrap());
        assert_eq!(store.exists_many(["s", "t"]).unwrap(), 1);
        assert_eq!(store.sinterstore("t", ["t", "none"]).unwrap(), 0);
    }
    assert_eq!(store.sadd("s", [0; 0]).unwrap(), 0);
    assert_eq!(store.dbsize().unwrap(), 0);
}

/// Members with which a set has one encoding or another under [`LOW`].
fn some_set() -> impl Strategy<Value = BTreeSet<String>> {
    let number = (-3..12_i32).prop_map(|number| number.to_string());
    let text = prop_oneof![Just(String::new()), "[ab]{1,2}", Just("long text".to_owned())];
    prop_oneof![
        proptest::collection::btree_set(number.clone(), 0..10),
        proptest::collection::btree_set(text.clone(), 0..6),
        proptest::collection::btree_set(prop_oneof![number, text], 0..14),
    ]
}

fn as_set(members: impl AsRef<[Bytes]>) -> BTreeSet<String> {
    let members = members.as_ref();
    let count = members.len();
    let set: BTreeSet<String> =
        members.iter().map(|member| String::from_utf8(member.to_vec()).unwrap()).collect();
    assert_eq!(set.len(), count, "no member comes twice");
    set
}

/// Look-ups in a few members and in many differ, and so do those in each encoding.
#[test]
fn operations_on_many_members_equal_those_on_sets() {
    let mut rng = Rng::new(9);
    for round in 0..150 {
        let profile = [Profile::Redis70, Profile::Redis72][round % 2];
        let store = store(profile, Limits::default());
        let keys: Vec<String> = (0..=rng.below(4)).map(|at| format!("set:{at}")).collect();
        for key in &keys {
            let kind = rng.below(4);
            let size = [5, 31, 32, 33, 100, 128, 129, 400][rng.index(8)];
            for _ in 0..size {
                let number = rng.below(size * 2);
                let member = match kind {
                    0 => number.to_string(),
                    1 if rng.chance(1, 2) => number.to_string(),
                    _ => format!("member:{number}"),
                };
                store.sadd(key, [member]).unwrap();
            }
        }
        let sets: Vec<_> = keys.iter().map(|key| as_set(store.smembers(key).unwrap())).collect();
        let folded = |operation: fn(&BTreeSet<String>, &BTreeSet<String>) -> BTreeSet<String>| {
            sets.iter().cloned().reduce(|all, set| operation(&all, &set)).unwrap()
        };
        let [inter, union, diff] =
            [folded(|a, b| a & b), folded(|a, b| a | b), folded(|a, b| a - b)];
        assert_eq!(as_set(store.sinter(&keys).unwrap()), inter);
        assert_eq!(as_set(store.sunion(&keys).unwrap()), union);
        assert_eq!(as_set(store.sdiff(&keys).unwrap()), diff);
        assert_eq!(store.sintercard(&keys, 0).unwrap(), inter.len());
        store.sinterstore("inter", &keys).unwrap();
        assert_eq!(as_set(store.smembers("inter").unwrap()), inter);
        store.sdiffstore("diff", &keys).unwrap();
        assert_eq!(as_set(store.smembers("diff").unwrap()), diff);
        store.sunionstore("union", &keys).unwrap();
        assert_eq!(as_set(store.smembers("union").unwrap()), union);
        // The encoding is the one of members that are added one by one, and so is the order in a listpack.
        for key in &keys {
            for member in store.smembers(key).unwrap() {
                store.sadd("added", [member]).unwrap();
            }
        }
        assert_eq!(encoding(&store, "union"), encoding(&store, "added"), "{keys:?}");
        if encoding(&store, "union") == "listpack" {
            assert_eq!(store.dump("union").unwrap(), store.dump("added").unwrap());
        }
    }
}

proptest! {
    #[test]
    fn operations_equal_those_on_sets(
        sets in proptest::collection::vec(some_set(), 1..4),
        repeated in any::<bool>(),
        profile in prop_oneof![Just(Profile::Redis70), Just(Profile::Redis72)],
    ) {
        let store = store(profile, LOW);
        let mut keys: Vec<String> = (0..sets.len()).map(|at| format!("set:{at}")).collect();
        for (key, set) in keys.iter().zip(&sets) {
            for member in set {
                store.sadd(key, [member]).unwrap();
            }
        }
        let mut sets = sets;
        if repeated {
            keys.push(keys[0].clone());
            sets.push(sets[0].clone());
        }
        let (first, others) = sets.split_first().unwrap();
        let inter = others.iter().fold(first.clone(), |all, set| &all & set);
        let union = others.iter().fold(first.clone(), |all, set| &all | set);
        let diff = others.iter().fold(first.clone(), |all, set| &all - set);
        prop_assert_eq!(as_set(store.sinter(&keys).unwrap()), inter.clone());
        prop_assert_eq!(as_set(store.sunion(&keys).unwrap()), union.clone());
        prop_assert_eq!(as_set(store.sdiff(&keys).unwrap()), diff.clone());
        prop_assert_eq!(store.sintercard(&keys, 0).unwrap(), inter.len());
        prop_assert_eq!(store.sintercard(&keys, 2).unwrap(), inter.len().min(2));
        for (stored, want) in [
            (store.sinterstore("target", &keys).unwrap(), &inter),
            (store.sunionstore("target", &keys).unwrap(), &union),
            (store.sdiffstore("target", &keys).unwrap(), &diff),
        ] {
            prop_assert_eq!(stored, want.len());
        }
        prop_assert_eq!(as_set(store.smembers("target").unwrap()), diff.clone());
        prop_assert_eq!(store.exists("target").unwrap(), !diff.is_empty());
        store.sunionstore("target", &keys).unwrap();
        prop_assert_eq!(as_set(store.smembers("target").unwrap()), union);
        // The target may be one of the sources.
        store.sinterstore("set:0", &keys).unwrap();
        prop_assert_eq!(as_set(store.smembers("set:0").unwrap()), inter);
    }

    #[test]
    fn popping_removes_the_returned_members(
        set in some_set(),
        count in 0..16_usize,
        seed in any::<u64>(),
        profile in prop_oneof![Just(Profile::Redis70), Just(Profile::Redis72)],
    ) {
        let store = Store::builder().profile(profile).limits(LOW).random_seed(seed).build();
        for member in &set {
            store.sadd("s", [member]).unwrap();
        }
        let before = store.srandmember_multiple("s", i64::try_from(count).unwrap()).unwrap();
        prop_assert_eq!(as_set(before).len(), count.min(set.len()));
        let again = store.srandmember_multiple("s", -i64::try_from(count).unwrap()).unwrap();
        prop_assert_eq!(again.len(), if set.is_empty() { 0 } else { count });
        let popped = as_set(store.spop_multiple("s", count).unwrap());
        prop_assert_eq!(popped.len(), count.min(set.len()));
        prop_assert!(popped.is_subset(&set));
        prop_assert_eq!(as_set(store.smembers("s").unwrap()), &set - &popped);
    }
}

#[test]
fn a_set_of_which_a_pop_leaves_few_members_is_rebuilt() {
    for (profile, want) in [(Profile::Redis70, "intset"), (Profile::Redis72, "listpack")] {
        let store = store(profile, Limits::default());
        store.sadd("s", 0..600).unwrap();
        assert_eq!(encoding(&store, "s"), "hashtable");
        store.spop_multiple("s", 400).unwrap();
        assert_eq!(encoding(&store, "s"), "hashtable", "{profile:?}: many are left");
        store.spop_multiple("s", 170).unwrap();
        assert_eq!((encoding(&store, "s"), store.scard("s").unwrap()), (want, 30), "{profile:?}");
    }
}

#[test]
fn every_member_is_equally_likely() {
    // For each encoding, and for a hash table with buckets of several sizes.
    let cases: [(&str, usize, usize); 4] = [
        ("intset", 20, 20),
        ("listpack", 20, 20),
        ("hashtable", 300, 300),
        ("hashtable", 3600, 700),
    ];
    for (want, members, kept) in cases {
        let store = Store::builder().hash_seed(3).random_seed(4).build();
        for number in 0..members {
            let member =
                if want == "intset" { number.to_string() } else { format!("member:{number}") };
            store.sadd("s", [&member]).unwrap();
        }
        // Removals leave a table with holes.
        for number in kept..members {
            store.srem("s", [&format!("member:{number}")]).unwrap();
        }
        assert_eq!((encoding(&store, "s"), store.scard("s").unwrap()), (want, kept));
        let draws = kept * 400;
        let mut counts: BTreeMap<Bytes, f64> = BTreeMap::new();
        for _ in 0..draws {
            *counts.entry(store.srandmember("s").unwrap().unwrap()).or_default() += 1.0;
        }
        assert_eq!(counts.len(), kept);
        // Pearson's statistic has the mean kept - 1 and twice that variance; five sigma.
        let chi: f64 = counts.values().map(|count| (count - 400.0).powi(2) / 400.0).sum();
        let mean = f64::from(u32::try_from(kept - 1).unwrap());
        let sigma = (2.0 * mean).sqrt();
        assert!((chi - mean).abs() < 5.0 * sigma, "{want}: {chi} for {mean}");
    }
}

#[test]
fn a_scan_finds_every_member_that_stays() {
    let store = Store::builder().hash_seed(5).build();
    let staying: BTreeSet<String> = (0..2000).map(|number| format!("stays:{number}")).collect();
    store.sadd("s", &staying).unwrap();
    for count in [1, 10, 100, 5000] {
        let options = ScanOptions::default().with_count(count).with_pattern("stays:*");
        let (mut cursor, mut met, mut calls, mut most) = (0, BTreeSet::new(), 0_u32, 0);
        loop {
            let (next, members) = store.sscan_cursor("s", cursor, &options).unwrap();
            most = most.max(members.len());
            met.extend(as_set(members));
            // The table grows to many times its size, and shrinks again.
            let batch: Vec<String> = (0..200)
                .map(|n| format!("comes:{}", (calls / 40 % 2) * 8000 + calls % 40 * 200 + n))
                .collect();
            if calls / 20 % 2 == 0 {
                store.sadd("s", &batch).unwrap();
            } else {
                store.srem("s", &batch).unwrap();
            }
            calls += 1;
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        assert_eq!(met, staying, "count {count}");
        assert!(most <= 3 * count + 20, "{most} at once for a count of {count}");
    }
    assert_eq!(store.sscan_cursor("none", 5, &ScanOptions::default()).unwrap(), (0, vec![]));
    assert_eq!(store.sscan_cursor("s", u64::MAX, &ScanOptions::default()).unwrap(), (0, vec![]));
}

proptest! {
    #[test]
    fn moving_some_members_equals_srem_and_sadd(
        from in some_set(),
        to in some_set(),
        redis_70 in any::<bool>(),
        modulus in 1..4_u64,
    ) {
        let profile = if redis_70 { Profile::Redis70 } else { Profile::Redis72 };
        let journal = Arc::new(Journal::default());
        let builder = || Store::builder().profile(profile).limits(LOW).hash_seed(1);
        let (moved, plain) = (builder().sink(journal.clone()).build(), builder().build());
        for store in [&moved, &plain] {
            for (key, members) in [("from", &from), ("to", &to)] {
                // One by one, so that the width of an intset is that of its widest member ever.
                for member in members.iter().chain(["9000000000000".to_owned()].iter()) {
                    store.sadd(key, [member]).unwrap();
                }
                store.srem(key, ["9000000000000"]).unwrap();
            }
        }
        let chosen = |member: &[u8]| {
            member.iter().map(|&byte| u64::from(byte)).sum::<u64>().is_multiple_of(modulus)
        };
        let members: Vec<Bytes> = plain.smembers("from").unwrap();
        let members: Vec<Bytes> = members.into_iter().filter(|member| chosen(member)).collect();
        plain.srem("from", &members).unwrap();
        plain.sadd("to", &members).unwrap();
        journal.take();
        let count = moved.smove_if("from", "to", |member| member.with_bytes(chosen)).unwrap();
        prop_assert_eq!(count, members.len());
        for key in ["from", "to"] {
            prop_assert_eq!(moved.object_encoding(key).unwrap(), plain.object_encoding(key).unwrap());
            prop_assert_eq!(
                as_set(moved.smembers(key).unwrap()),
                as_set(plain.smembers(key).unwrap())
            );
            if moved.object_encoding(key).unwrap() == Some("intset") {
                prop_assert_eq!(moved.dump(key).unwrap(), plain.dump(key).unwrap());
            }
        }
        // The effects received by a sink have the same result when replayed.
        let line = |line: String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let heard: Vec<String> = journal.lines().into_iter().map(line).collect();
        let new = members.iter().any(|member| !to.contains(&*String::from_utf8_lossy(member)));
        let wanted = match (members.is_empty(), new) {
            (true, _) => vec![],
            (false, true) => vec!["SREM from", "SADD to"],
            (false, false) => vec!["SREM from"],
        };
        prop_assert_eq!(heard, wanted);
    }
}

#[test]
fn members_move_between_sets_only() {
    let store = Store::new();
    store.sadd("s", 1..=4).unwrap();
    store.set("text", "x").unwrap();
    let changes = store.changes();
    for (from, to) in [("s", "text"), ("text", "s"), ("none", "text")] {
        let refused = store.smove_if(from, to, |_| true).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::WrongType);
    }
    // A set to itself, no members, or those of a missing set.
    assert_eq!(store.smove_if("s", "s", |_| true).unwrap(), 4);
    assert_eq!(store.smove_if("s", "t", |_| false).unwrap(), 0);
    assert_eq!(store.smove_if("none", "s", |_| true).unwrap(), 0);
    assert_eq!((store.changes(), store.exists("t").unwrap()), (changes, false));
    // A set without members is deleted, and moved members expire with the target.
    store.sadd("t", [9]).unwrap();
    store.expire("t", 100).unwrap();
    assert_eq!(store.smove_if("s", "t", |_| true).unwrap(), 4);
    assert_eq!((store.exists("s").unwrap(), store.scard("t").unwrap()), (false, 5));
    assert!(store.ttl("t").unwrap().secs() > 0);
}
