//! Sorted sets by typed calls: encodings at every limit, differences between release series, ranges, set operations,
//! scans, effects.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]
#![expect(clippy::float_cmp, reason = "scores are compared as they were given")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use tallis::{
    Aggregate, Error, ErrorKind, LexBound, Limits, Profile, Reply, ScanOptions,
    SortedSetAddOptions, Store, UpdateCheck, ZRange,
};
use testkit::rng::Rng;

use crate::journal::Journal;

fn low(profile: Profile) -> Store {
    let limits =
        Limits { zset_max_listpack_entries: 4, zset_max_listpack_value: 5, ..Limits::default() };
    Store::builder().profile(profile).limits(limits).hash_seed(1).random_seed(2).build()
}

fn encoding(store: &Store, key: &str) -> &'static str {
    store.object_encoding(key).unwrap().unwrap()
}

fn numbered(count: i32) -> impl Iterator<Item = (f64, i32)> + Clone {
    (0..count).map(|number| (f64::from(number), number))
}

fn pairs<const N: usize>(pairs: [(&'static str, f64); N]) -> Vec<(Bytes, f64)> {
    pairs.into_iter().map(|(member, score)| (member.into(), score)).collect()
}

#[test]
fn a_sorted_set_is_a_listpack_up_to_its_limits() {
    let store = Store::new();
    for (score, member) in numbered(128) {
        store.zadd("z", member, score).unwrap();
    }
    assert_eq!((encoding(&store, "z"), store.zcard("z").unwrap()), ("listpack", 128));
    assert_eq!(store.zadd("z", 5, 500.0).unwrap(), 0);
    assert_eq!(encoding(&store, "z"), "listpack");
    assert_eq!(store.zadd("z", 128, 1.5).unwrap(), 1);
    assert_eq!((encoding(&store, "z"), store.zcard("z").unwrap()), ("skiplist", 129));
    // It is never converted back.
    store.zrem("z", 1..129).unwrap();
    assert_eq!((encoding(&store, "z"), store.zcard("z").unwrap()), ("skiplist", 1));

    for (len, want) in [(64, "listpack"), (65, "skiplist")] {
        store.del(["long"]).unwrap();
        store.zadd("long", "short", 1.0).unwrap();
        store.zadd("long", "x".repeat(len), 1.0).unwrap();
        assert_eq!(encoding(&store, "long"), want, "{len}");
        store.del(["first"]).unwrap();
        store.zadd("first", "x".repeat(len), 1.0).unwrap();
        assert_eq!(encoding(&store, "first"), want, "{len}");
    }
}

#[test]
fn a_new_or_restored_value_selects_its_encoding_again() {
    let store = low(Profile::Redis72);
    store.zadd_multiple("z", numbered(6)).unwrap();
    store.zrem("z", [1, 2, 3]).unwrap();
    assert_eq!(encoding(&store, "z"), "skiplist");
    assert_eq!(store.zrangestore("copy", "z", &ZRange::by_rank(0, -1)).unwrap(), 3);
    assert_eq!(store.zunionstore("union", ["z"], &[], Aggregate::Sum).unwrap(), 3);
    let payload = store.dump("z").unwrap().unwrap();
    store.restore("restored", &payload, tallis::RestoreOptions::default()).unwrap();
    for key in ["copy", "union", "restored"] {
        assert_eq!(encoding(&store, key), "listpack");
        assert_eq!(store.zrange("z", 0, -1).unwrap(), store.zrange(key, 0, -1).unwrap());
    }
    // A new value replaces the previous one, including its expiry.
    store.set("union", "a text").unwrap();
    store.expire("union", 100).unwrap();
    store.zunionstore("union", ["z"], &[], Aggregate::Sum).unwrap();
    assert_eq!((store.zcard("union").unwrap(), store.ttl("union").unwrap().secs()), (3, -1));
    store.copy("z", "same", tallis::CopyOptions::default()).unwrap();
    assert_eq!(encoding(&store, "same"), "skiplist");
}

#[test]
fn duplicate_members_count_towards_the_limit_in_72_and_not_in_70() {
    // Five times the same member, so one in the end.
    let same = [(1.0, "a"); 5];
    for (profile, want) in [(Profile::Redis70, "listpack"), (Profile::Redis72, "skiplist")] {
        let store = low(profile);
        assert_eq!(store.zadd_multiple("new", same).unwrap(), 1);
        assert_eq!(encoding(&store, "new"), want, "{profile:?}");
        store.zadd("old", "a", 1.0).unwrap();
        assert_eq!(store.zadd_multiple("old", same).unwrap(), 0);
        assert_eq!(encoding(&store, "old"), want, "{profile:?}");
    }
}

#[test]
fn each_line_of_servers_formats_doubles_and_errors_in_its_way() {
    for (profile, text) in [(Profile::Redis70, "0.10000000000000001"), (Profile::Redis72, "0.1")] {
        let store = low(profile);
        store.zadd_multiple("z", [(0.1, "a"), (1e17, "b")]).unwrap();
        let score = store.execute(&["ZSCORE", "z", "a"]);
        assert_eq!(score, Reply::Double(0.1));
        assert_eq!(score.into_resp2(profile), Reply::Bulk(text.into()));
        let payload = store.dump("z").unwrap().unwrap();
        let mut payload = rdb::dump::decode(&payload).unwrap();
        let rdb::Value::Blob(_, blob) = payload.value().unwrap() else { panic!() };
        let has = blob.windows(text.len() + 1).any(|part| &part[1..] == text.as_bytes());
        assert!(has, "{profile:?}: {}", blob.escape_ascii());
        let large = if profile == Profile::Redis70 { "1e+17" } else { "100000000000000000" };
        let score = store.execute(&["ZSCORE", "z", "b"]).into_resp2(profile);
        assert_eq!(score, Reply::Bulk(large.into()));
    }
    let old = low(Profile::Redis70);
    old.zadd("z", "a", 1.5).unwrap();
    let refused = "ERR wrong number of arguments for 'zrank' command";
    let words = ["ZRANK", "z", "a", "WITHSCORE"];
    assert_eq!(old.execute(&words).as_error().unwrap().to_string(), refused);
    let new = low(Profile::Redis72);
    new.zadd_multiple("z", [(1.5, "a"), (0.5, "b")]).unwrap();
    let ranked = |rank| Reply::Array(vec![Reply::Int(rank), Reply::Double(1.5)]);
    assert_eq!(new.execute(&words), ranked(1));
    assert_eq!(new.execute(&["ZREVRANK", "z", "a", "withscore"]), ranked(0));
    assert_eq!(new.execute(&["ZRANK", "z", "c", "WITHSCORE"]), Reply::NullArray);
    assert_eq!(new.execute(&["ZRANK", "z", "c"]), Reply::Nil);
    let syntax = Reply::Error(Error::new(ErrorKind::Syntax, "ERR syntax error"));
    assert_eq!(new.execute(&["ZRANK", "z", "a", "WITHSCORES"]), syntax);
    let arity = |store: &Store| {
        let Reply::Array(all) = store.execute(&["COMMAND", "INFO", "zrank"]) else { panic!() };
        let Reply::Array(parts) = &all[0] else { panic!() };
        parts[1].clone()
    };
    assert_eq!((arity(&old), arity(&new)), (Reply::Int(3), Reply::Int(-3)));
}

#[test]
fn options_select_what_is_added_and_changed() {
    let store = Store::new();
    let add = |score, options| store.zadd_options("z", "m", score, options).unwrap();
    let score = || store.zscore("z", "m").unwrap();
    let (any, nx) = (SortedSetAddOptions::default(), SortedSetAddOptions::add_only());
    let xx = SortedSetAddOptions::update_only(None);
    assert_eq!((add(1.0, xx), score(), store.dbsize().unwrap()), (0, None, 0));
    assert_eq!((add(1.0, nx), score()), (1, Some(1.0)));
    assert_eq!((add(2.0, nx), score()), (0, Some(1.0)));
    assert_eq!((add(2.0, xx.include_changed_count()), score()), (1, Some(2.0)));
    assert_eq!((add(2.0, any.include_changed_count()), score()), (0, Some(2.0)));
    for (check, higher, lower) in [(UpdateCheck::GT, 3.0, 2.5), (UpdateCheck::LT, 2.0, 2.5)] {
        let options = SortedSetAddOptions::add_or_update(Some(check)).include_changed_count();
        assert_eq!((add(higher, options), score()), (1, Some(higher)), "{check:?}");
        assert_eq!((add(lower, options), score()), (0, Some(higher)), "{check:?}");
        assert_eq!((add(higher, options), score()), (0, Some(higher)), "{check:?}");
        let only = SortedSetAddOptions::update_only(Some(check));
        assert_eq!(store.zadd_options("z", "new", 0.0, only).unwrap(), 0);
    }
    let lower = SortedSetAddOptions::add_or_update(Some(UpdateCheck::LT));
    assert_eq!(store.zincr_options("z", "m", 1.0, lower).unwrap(), None);
    assert_eq!(store.zincr_options("z", "m", -1.0, lower).unwrap(), Some(1.0));
    // An equal score is not higher.
    let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
    assert_eq!(store.zincr_options("z", "m", 0.0, higher).unwrap(), None);
    assert_eq!(store.zincr("z", "fresh", 2.5).unwrap(), 2.5);
}

#[test]
fn invalid_scores_are_refused_and_change_nothing() {
    let store = Store::new();
    store.zadd_multiple("z", [(f64::INFINITY, "a"), (1.0, "b")]).unwrap();
    store.set("text", "x").unwrap();
    let before = store.dump("z").unwrap();
    let refused = |result: Result<usize, tallis::Error>| result.unwrap_err().kind();
    assert_eq!(refused(store.zadd("z", "c", f64::NAN)), ErrorKind::NotInteger);
    // Not even the entries before it are added.
    let some = [(5.0, "c"), (f64::NAN, "d")];
    assert_eq!(refused(store.zadd_multiple("z", some)), ErrorKind::NotInteger);
    let sum = store.zincr("z", "a", f64::NEG_INFINITY).unwrap_err();
    assert_eq!(sum.to_string(), "ERR resulting score is not a number (NaN)");
    assert_eq!(refused(store.zadd("text", "c", 1.0)), ErrorKind::WrongType);
    assert_eq!(
        refused(store.zrangestore("z", "text", &ZRange::by_rank(0, -1))),
        ErrorKind::WrongType
    );
    let weights = store.zunionstore("z", ["z"], &[1.0, 2.0], Aggregate::Sum);
    assert_eq!(refused(weights), ErrorKind::Syntax);
    let weights = store.zunionstore("z", ["z"], &[f64::NAN], Aggregate::Sum);
    assert_eq!(refused(weights), ErrorKind::NotInteger);
    assert_eq!(store.dump("z").unwrap(), before);
    assert_eq!(store.dbsize().unwrap(), 2);
}

#[test]
fn ranges_have_both_directions_offsets_and_counts() {
    for store in [Store::new(), low(Profile::Redis72)] {
        let all = [(1.0, "a"), (2.0, "b"), (2.0, "c"), (2.0, "d"), (3.0, "e"), (4.0, "f")];
        store.zadd_multiple("z", all).unwrap();
        let list = |range: ZRange| {
            let members = store.zrange_by("z", &range).unwrap();
            let members = members.iter().map(|member| String::from_utf8_lossy(member).into_owned());
            members.collect::<String>()
        };
        let below = (Bound::Unbounded, Bound::Excluded(2.0));
        for (range, want) in [
            (ZRange::by_rank(0, -1), "abcdef"),
            (ZRange::by_rank(-2, 100), "ef"),
            (ZRange::by_rank(1, 3).rev(), "edc"),
            (ZRange::by_rank(3, 1), ""),
            (ZRange::by_rank(6, 9), ""),
            (ZRange::by_rank(i64::MIN, i64::MAX).rev(), "fedcba"),
            (ZRange::by_score(2.0..3.0), "bcd"),
            (ZRange::by_score(2.0..=3.0).rev(), "edcb"),
            (ZRange::by_score(below), "a"),
            (ZRange::by_score(..), "abcdef"),
            (ZRange::by_score(f64::NAN..), ""),
            (ZRange::by_score(2.0..).limit(1, 2), "cd"),
            (ZRange::by_score(2.0..).rev().limit(1, 2), "ed"),
            (ZRange::by_score(2.0..).limit(4, -1), "f"),
            (ZRange::by_score(2.0..).limit(5, -1), ""),
            (ZRange::by_score(..).limit(-1, 2), ""),
            (ZRange::by_score(..).limit(2, 0), ""),
        ] {
            assert_eq!(list(range.clone()), want, "{range:?}");
        }
        assert_eq!(store.zcount("z", 2.0..=2.0).unwrap(), 3);
        assert_eq!(store.zrembyscore("z", 2.0..3.0).unwrap(), 3);
        assert_eq!(store.zremrangebyrank("z", -1, -1).unwrap(), 1);
        assert_eq!(store.zrange_withscores("z", 0, -1).unwrap(), pairs([("a", 1.0), ("e", 3.0)]));
        assert_eq!(store.zremrange_by("z", &ZRange::by_rank(0, -1)).unwrap(), 2);
        assert_eq!(store.dbsize().unwrap(), 0);
    }
}

#[test]
fn members_of_equal_scores_are_listed_by_their_bytes() {
    for store in [Store::new(), low(Profile::Redis72)] {
        let words = ["", "a", "aa", "ab", "b", "ba", "\u{ff}"];
        store.zadd_multiple("z", words.map(|word| (0.0, word))).unwrap();
        let (included, excluded) = (
            |member: &'static str| LexBound::Included(member.into()),
            |member: &'static str| LexBound::Excluded(member.into()),
        );
        for (min, max, want) in [
            (LexBound::Min, LexBound::Max, &words[..]),
            (included("a"), excluded("b"), &words[1..4]),
            (excluded("a"), included("b"), &words[2..5]),
            (included("b"), included("a"), &[]),
            (LexBound::Max, LexBound::Min, &[]),
            (LexBound::Min, LexBound::Min, &[]),
            (LexBound::Max, LexBound::Max, &[]),
        ] {
            let found = store.zrangebylex("z", min.clone(), max.clone()).unwrap();
            assert_eq!(found, want, "{min:?} {max:?}");
            let mut backwards = store.zrevrangebylex("z", max.clone(), min.clone()).unwrap();
            backwards.reverse();
            assert_eq!(backwards, want, "{min:?} {max:?}");
            assert_eq!(store.zlexcount("z", min.clone(), max.clone()).unwrap(), want.len());
        }
        assert_eq!(store.zrembylex("z", included("a"), excluded("b")).unwrap(), 3);
        assert_eq!(store.zcard("z").unwrap(), 4);
    }
}

/// With different scores the result is unspecified, but removed members must be within the range.
#[test]
fn a_range_by_member_removes_no_member_beyond_its_end() {
    let limits = Limits { zset_max_listpack_entries: 0, ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    let scores = (0..200).map(|number: i32| (f64::from(number * 37 % 101), number));
    store.zadd_multiple("z", scores).unwrap();
    let (min, max) = (LexBound::Included("3".into()), LexBound::Included("5".into()));
    let listed = store.zrangebylex("z", min.clone(), max.clone()).unwrap();
    assert!(listed.iter().all(|member| member <= "5"));
    let back = store.zrevrangebylex("z", max.clone(), min.clone()).unwrap();
    assert!(back.iter().all(|member| member >= "3"));
    assert_eq!(store.zlexcount("z", min.clone(), max.clone()).unwrap(), listed.len());
    assert_eq!(store.zrembylex("z", min, max).unwrap(), listed.len());
    assert_eq!(store.zcard("z").unwrap(), 200 - listed.len());
}

#[test]
fn pops_remove_from_the_ends_and_from_the_first_existing_key() {
    let store = Store::new();
    store.zadd_multiple("z", [(1.0, "a"), (2.0, "b"), (3.0, "c"), (4.0, "d")]).unwrap();
    assert_eq!(store.zpopmin("z", 1).unwrap(), pairs([("a", 1.0)]));
    assert_eq!(store.zpopmax("z", 2).unwrap(), pairs([("d", 4.0), ("c", 3.0)]));
    assert_eq!(store.zpopmin("z", 0).unwrap(), []);
    assert_eq!(store.zmpop_max(["none"], 3).unwrap(), None);
    let popped = store.zmpop_min(["none", "z", "other"], 3).unwrap();
    assert_eq!(popped, Some(("z".into(), pairs([("b", 2.0)]))));
    assert_eq!(store.dbsize().unwrap(), 0);
    store.set("text", "x").unwrap();
    store.zadd("z", "a", 1.0).unwrap();
    assert_eq!(store.zmpop_min(["text", "z"], 1).unwrap_err().kind(), ErrorKind::WrongType);
    assert!(store.zmpop_min(["z", "text"], 1).unwrap().is_some());
}

#[test]
fn sets_have_scores_of_one_and_infinities_cancel() {
    let store = Store::new();
    store.sadd("numbers", [1, 2]).unwrap();
    store.sadd("words", ["2", "x"]).unwrap();
    store.zadd_multiple("z", [(f64::INFINITY, "2"), (5.0, "y")]).unwrap();
    store.zadd_multiple("negative", [(f64::NEG_INFINITY, "2")]).unwrap();
    let keys = ["numbers", "words", "z"];
    let found = store.zunion(keys, &[1.0, 10.0, 0.0], Aggregate::Sum).unwrap();
    assert_eq!(found, pairs([("y", 0.0), ("1", 1.0), ("x", 10.0), ("2", 11.0)]));
    assert_eq!(store.zunion(["z", "negative"], &[], Aggregate::Sum).unwrap()[0].1, 0.0);
    assert_eq!(store.zinter(keys, &[], Aggregate::Min).unwrap(), pairs([("2", 1.0)]));
    assert_eq!(store.zinter(keys, &[], Aggregate::Max).unwrap(), pairs([("2", f64::INFINITY)]));
    assert_eq!(store.zdiff(["z", "words"]).unwrap(), pairs([("y", 5.0)]));
    assert_eq!(store.zdiff(["z", "z"]).unwrap(), []);
    assert_eq!(store.zintercard(keys, 0).unwrap(), 1);
    assert_eq!(store.zinter(["z", "none"], &[], Aggregate::Sum).unwrap(), []);
    assert_eq!(store.zinterstore("z", ["z", "none"], &[], Aggregate::Sum).unwrap(), 0);
    assert!(!store.exists("z").unwrap());
}

/// The simple model: maps.
#[test]
fn operations_equal_those_on_maps() {
    let mut rng = Rng::new(77);
    for round in 0..240 {
        // Few members in each encoding, and then up to the most of a listpack and beyond.
        let many = round >= 200;
        let store = if many { Store::new() } else { low(Profile::Redis72) };
        let mut maps: Vec<BTreeMap<Bytes, f64>> = Vec::new();
        for key in ["a", "b", "c"] {
            let mut map = BTreeMap::new();
            let most = if many { [15, 16, 17, 40, 130, 300][rng.index(6)] } else { 8 };
            for _ in 0..rng.below(most + 1) {
                let number = rng.below(most);
                let text = if number % 3 == 1 { "" } else { "m" };
                let member = Bytes::from(format!("{text}{number}"));
                // Sums of halves are exact in any order.
                let score = f64::from(u32::try_from(rng.below(40)).unwrap()) / 2.0;
                map.insert(member, score);
            }
            store.zadd_multiple(key, map.iter().map(|(member, score)| (*score, member))).unwrap();
            maps.push(map);
        }
        let weights = [1.0, -2.0, 0.5];
        let all: BTreeSet<&Bytes> = maps.iter().flat_map(BTreeMap::keys).collect();
        for aggregate in [Aggregate::Sum, Aggregate::Min, Aggregate::Max] {
            let of = |member: &Bytes| {
                let scores = maps.iter().zip(weights);
                let scores = scores.filter_map(|(map, weight)| Some(map.get(member)? * weight));
                let scores: Vec<f64> = scores.collect();
                let score = match aggregate {
                    Aggregate::Sum => scores.iter().sum(),
                    Aggregate::Min => scores.iter().copied().fold(f64::INFINITY, f64::min),
                    Aggregate::Max => scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                };
                (scores.len(), score)
            };
            let mut union: Vec<(Bytes, f64)> =
                all.iter().map(|&member| (member.clone(), of(member).1)).collect();
            union.sort_by(|(a, low), (b, high)| low.partial_cmp(high).unwrap().then(a.cmp(b)));
            let inter: Vec<(Bytes, f64)> =
                union.iter().filter(|(member, _)| of(member).0 == 3).cloned().collect();
            let keys = ["a", "b", "c"];
            assert_eq!(store.zunion(keys, &weights, aggregate).unwrap(), union, "round {round}");
            assert_eq!(store.zinter(keys, &weights, aggregate).unwrap(), inter, "round {round}");
            assert_eq!(store.zunionstore("d", keys, &weights, aggregate).unwrap(), union.len());
            assert_eq!(store.zrange_withscores("d", 0, -1).unwrap(), union, "round {round}");
            assert_eq!(store.zinterstore("d", keys, &weights, aggregate).unwrap(), inter.len());
            assert_eq!(store.zrange_withscores("d", 0, -1).unwrap(), inter, "round {round}");
        }
        let diff = store.zdiff(["a", "b", "c"]).unwrap();
        let left = maps[0]
            .keys()
            .filter(|member| !maps[1].contains_key(*member) && !maps[2].contains_key(*member));
        let names: BTreeSet<&Bytes> = diff.iter().map(|(member, _)| member).collect();
        assert_eq!(names, left.collect(), "round {round}");
        assert!(diff.iter().all(|(member, score)| maps[0][member] == *score));
    }
}

#[test]
fn a_scan_visits_members_that_exist_all_the_time() {
    let store = low(Profile::Redis72);
    let mut rng = Rng::new(5);
    store.zadd_multiple("z", numbered(2000)).unwrap();
    let (mut cursor, mut met, mut calls) = (0, BTreeSet::new(), 0);
    loop {
        let (next, some) =
            store.zscan_cursor("z", cursor, &ScanOptions::default().with_count(40)).unwrap();
        calls += 1;
        met.extend(some.into_iter().map(|(member, _)| member));
        // Members are added and removed, and the ones that stay get other scores.
        for _ in 0..20 {
            let member = rng.range(0..=999);
            store.zadd("z", member, rng.unit() * 5000.0).unwrap();
            store.zadd("z", 10_000 + rng.range(0..=9999), -rng.unit()).unwrap();
            store.zrem("z", [1000 + rng.range(0..=999)]).unwrap();
        }
        if next == 0 {
            break;
        }
        cursor = next;
    }
    assert!((30..200).contains(&calls), "{calls} calls");
    assert!((0..1000).all(|member| met.contains(member.to_string().as_bytes())));

    let some = ScanOptions::default().with_pattern("1??");
    store.del(["z"]).unwrap();
    store.zadd_multiple("z", numbered(150)).unwrap();
    let (mut cursor, mut found) = (0, Vec::new());
    loop {
        let (next, some) = store.zscan_cursor("z", cursor, &some).unwrap();
        found.extend(some);
        if next == 0 {
            break;
        }
        cursor = next;
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let want = (100..150).map(|number| (Bytes::from(number.to_string()), f64::from(number)));
    assert!(found.into_iter().eq(want));
}

#[test]
fn draws_are_fair_and_differ() {
    for store in [Store::new(), low(Profile::Redis72)] {
        store.zadd_multiple("z", numbered(10)).unwrap();
        let mut counts = BTreeMap::new();
        for _ in 0..2000 {
            *counts.entry(store.zrandmember("z").unwrap().unwrap()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 10);
        // 200 each on average, with a standard deviation of 13.
        assert!(counts.values().all(|count| (120..280).contains(count)), "{counts:?}");
        for count in [0, 1, 2, 5, 9, 10, 50] {
            let drawn = store.zrandmember_withscores("z", count).unwrap();
            let names: BTreeSet<&Bytes> = drawn.iter().map(|(member, _)| member).collect();
            assert_eq!(names.len(), usize::try_from(count.min(10)).unwrap());
            assert_eq!(names.len(), drawn.len());
            assert!(drawn.iter().all(|(member, score)| member == &score.to_string()));
        }
        assert_eq!(store.zrandmember_withscores("z", -50).unwrap().len(), 50);
        assert_eq!(store.zrandmember_withscores("none", -50).unwrap(), []);
    }
}

#[test]
fn sinks_receive_changes_and_nothing_else() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let heard = || journal.take().iter().map(ToString::to_string).collect::<Vec<_>>();
    store.zadd_multiple("z", [(0.1, "a"), (2.0, "b"), (3.0, "c"), (4.0, "d")]).unwrap();
    assert_eq!(heard(), ["ZADD z 0.1 a 2 b 3 c 4 d"]);
    store.zadd("z", "a", 0.1).unwrap();
    store.zadd_options("z", "x", 1.0, SortedSetAddOptions::update_only(None)).unwrap();
    store.zrem("z", ["nobody"]).unwrap();
    store.zrembyscore("z", 100.0..).unwrap();
    store.zpopmin("none", 3).unwrap();
    store.zrangestore("none", "none", &ZRange::by_rank(0, -1)).unwrap();
    assert_eq!(heard(), [""; 0]);
    store.zincr("z", "a", 1.0).unwrap();
    let lower = SortedSetAddOptions::update_only(Some(UpdateCheck::LT));
    store.zadd_options("z", "b", 1.5, lower).unwrap();
    assert_eq!(heard(), ["ZADD z INCR 1 a", "ZADD z XX LT 1.5 b"]);
    store.zrembyscore("z", 3.5..).unwrap();
    store.zpopmax("z", 1).unwrap();
    assert_eq!(heard(), ["ZREMRANGEBYRANK z 3 3", "ZPOPMAX z 1"]);
    store.zrangestore("top", "z", &ZRange::by_rank(0, 1).rev()).unwrap();
    let open = (Bound::Excluded(1.0), Bound::Unbounded);
    store.zrangestore("top", "z", &ZRange::by_score(open).rev().limit(0, 1)).unwrap();
    store.zunionstore("u", ["z", "top"], &[1.0, 0.5], Aggregate::Max).unwrap();
    store.zdiffstore("u", ["top", "z"]).unwrap();
    assert_eq!(
        heard(),
        [
            "ZRANGESTORE top z 0 1 REV",
            "ZRANGESTORE top z inf (1 BYSCORE REV LIMIT 0 1",
            "ZUNIONSTORE u 2 z top WEIGHTS 1 0.5 AGGREGATE MAX",
            "DEL u",
        ]
    );
    store.zrem("z", ["a", "b"]).unwrap();
    store.zmpop_min(["none", "top"], 9).unwrap();
    assert_eq!(heard(), ["ZREM z a b", "ZPOPMIN top 1"]);
    assert_eq!(store.dbsize().unwrap(), 0);
}
