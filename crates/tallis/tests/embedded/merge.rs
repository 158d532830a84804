//! Merging stores: every rule, errors, and that parts add up to the whole.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tallis::bloom::Settings;
use tallis::jiff::civil::date;
use tallis::*;

use crate::journal;

fn dumps(store: &Store) -> Vec<(u32, Vec<u8>, Ttl, Vec<u8>)> {
    let mut dumps = Vec::new();
    for db in store.databases().unwrap() {
        let handle = store.db(db.number);
        for key in handle.keys("*").unwrap() {
            let payload = handle.dump(&key).unwrap().unwrap();
            dumps.push((db.number, key.to_vec(), handle.ttl(&key).unwrap(), payload.into()));
        }
    }
    dumps.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    dumps
}

/// A store with a constant clock.
fn store() -> Store {
    Store::builder().clock(Arc::new(ManualClock::new(1_000_000))).build()
}

fn conflicts(merge: &Merge, into: &Store, from: &Store) -> Vec<String> {
    let before = dumps(into);
    let Err(MergeError::Conflicts(conflicts)) = merge.add(into, from) else {
        panic!("nothing was refused")
    };
    assert_eq!(dumps(into), before);
    conflicts.iter().map(ToString::to_string).collect()
}

#[test]
fn keys_of_one_store_are_taken_unchanged() {
    let (into, from) = (store(), store());
    into.set("mine", 1).unwrap();
    from.sadd("set", ["a", "b"]).unwrap();
    from.rpush("list", ["a"]).unwrap();
    from.bf_add("bloom", "a").unwrap();
    from.pexpire_at("list", 5_000_000_i64).unwrap();
    from.db(7).hset("hash", "f", "v").unwrap();
    let mut expected = dumps(&from);
    expected.extend(dumps(&into));
    expected.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let merged = Merge::new().add(&into, &from).unwrap();
    assert_eq!((merged.taken, merged.iter().map(|(_, keys)| keys).sum::<u64>()), (4, 4));
    assert_eq!(dumps(&into), expected);
}

#[test]
fn values_of_newer_servers_are_taken_and_compared() {
    let load = || {
        let store = store();
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/redis-unstable");
        store.load(format!("{data}/15_hash_field_ttl.rdb")).unwrap();
        store
    };
    let (into, from) = (store(), load());
    Merge::new().add(&into, &from).unwrap();
    let digest = |store: &Store| format!("{:?}", store.execute(&["DEBUG", "DIGEST"]));
    assert!(!dumps(&into).is_empty());
    // The payload of a hash table has no fixed order.
    assert_eq!(digest(&into), digest(&from));
    let merged = Merge::new().add(&into, &from).unwrap();
    assert!(merged.hashes > 0);
    assert_eq!(digest(&into), digest(&from), "times are kept");
}

#[test]
fn plain_values_by_their_rules() {
    let (into, from) = (store(), store());
    into.sadd("set", ["a", "b"]).unwrap();
    from.sadd("set", ["b", "c"]).unwrap();
    into.zadd_multiple("zset", [(1.0, "a"), (9.0, "b")]).unwrap();
    from.zadd_multiple("zset", [(5.0, "b"), (7.0, "c")]).unwrap();
    into.hset_multiple("hash", &[("a", "1"), ("b", "2")]).unwrap();
    from.hset_multiple("hash", &[("b", "2"), ("c", "3")]).unwrap();
    into.set("counter", -3).unwrap();
    from.set("counter", 10).unwrap();
    into.set("text", "same").unwrap();
    from.set("text", "same").unwrap();
    into.rpush("list", [1, 2]).unwrap();
    from.rpush("list", [1, 2]).unwrap();
    into.pfadd("sketch", ["a"]).unwrap();
    from.pfadd("sketch", ["b"]).unwrap();
    into.bf_add("bloom", "a").unwrap();
    from.bf_add("bloom", "b").unwrap();
    let merged = Merge::new().add(&into, &from).unwrap();
    let used: Vec<_> = merged.iter().filter(|&(_, keys)| keys > 0).collect();
    let expected = [
        ("equal", 2),
        ("sets", 1),
        ("sketches", 1),
        ("sorted_sets", 1),
        ("filters", 1),
        ("counters", 1),
        ("hashes", 1),
    ];
    assert_eq!(used, expected);
    assert_eq!(into.scard("set").unwrap(), 3);
    assert_eq!(into.zrange("zset", 0, -1).unwrap(), ["a", "c", "b"]);
    assert_eq!(into.zscore("zset", "b").unwrap(), Some(9.0));
    assert_eq!(into.hlen("hash").unwrap(), 3);
    assert_eq!(into.get_int("counter").unwrap(), Some(7));
    assert_eq!(into.pfcount(["sketch"]).unwrap(), 2);
    assert_eq!(into.bf_mexists("bloom", ["a", "b", "c"]).unwrap(), [true, true, false]);
    // The stores that were read are unchanged.
    assert_eq!(from.scard("set").unwrap(), 2);
}

#[test]
fn the_later_expiry_stays() {
    let cases = [
        (None, None, None),
        (Some(2_000_000_i64), None, None),
        (None, Some(2_000_000), None),
        (Some(2_000_000), Some(3_000_000), Some(3_000_000)),
        (Some(3_000_000), Some(2_000_000), Some(3_000_000)),
    ];
    for (earlier, later, expected) in cases {
        let (into, from) = (store(), store());
        for (store, at) in [(&into, earlier), (&from, later)] {
            store.sadd("set", [1]).unwrap();
            store.set("counter", 1).unwrap();
            store.pfadd("sketch", ["a"]).unwrap();
            store.set("text", "a").unwrap();
            let visitors = Visitors::new(store.clone());
            visitors.count_id(if at.is_some() { 1 } else { 2 }, Bucket::All).unwrap();
            for key in store.keys("*").unwrap() {
                if let Some(at) = at {
                    store.pexpire_at(&key, at).unwrap();
                }
            }
        }
        Merge::new().add(&into, &from).unwrap();
        let ttl = expected.map_or(Ttl::Never, |at: i64| {
            Ttl::In(Duration::from_millis(at.unsigned_abs() - 1_000_000))
        });
        for key in into.keys("*").unwrap() {
            assert_eq!(into.ttl(&key).unwrap(), ttl, "{key:?} of {earlier:?} and {later:?}");
        }
    }
}

#[test]
fn conflicts_are_named_and_nothing_changes() {
    let (into, from) = (store(), store());
    for (store, value) in [(&into, "a"), (&from, "b")] {
        store.set("text", value).unwrap();
        store.rpush("list", [value]).unwrap();
        store.hset("hash", "f\n", value).unwrap();
        store.db(2).set("text", value).unwrap();
        store.sadd("set", [value]).unwrap();
    }
    into.set("type", "a").unwrap();
    from.sadd("type", ["a"]).unwrap();
    into.set("sum", i64::MAX).unwrap();
    from.set("sum", 1).unwrap();
    into.zadd("scores", "m", f64::INFINITY).unwrap();
    from.zadd("scores", "m", f64::NEG_INFINITY).unwrap();
    into.bf_reserve("bloom", &Settings::new(100, 0.01)).unwrap();
    from.bf_reserve("bloom", &Settings::new(200, 0.01)).unwrap();
    let strict = Merge::new().scores(MergeRule::Sum);
    let expected = [
        "key 'bloom' (MBbloom--): the filters have different settings",
        "key 'hash' (hash): the values of field 'f\\n' differ",
        "key 'list' (list): the values differ",
        "key 'scores' (zset): the sum of the scores of 'm' is not a number",
        "key 'sum' (string): the sum is out of range",
        "key 'text' (string): the values differ",
        "key 'type' (string and set): the types differ",
        "key 'text' of database 2 (string): the values differ",
    ];
    assert_eq!(conflicts(&strict, &into, &from), expected);
    let error = strict.add(&into, &from).unwrap_err();
    assert_eq!(error.to_string(), format!("{}; and 7 more keys", expected[0]));

    let merged = strict.prefer_later(true).add(&into, &from).unwrap();
    assert_eq!((merged.replaced, merged.hashes, merged.sets), (7, 1, 1));
    assert_eq!(into.scard("set").unwrap(), 2);
    into.del("set").unwrap();
    from.del("set").unwrap();
    assert_eq!(dumps(&into), dumps(&from));
}

#[test]
fn locations_by_their_width() {
    let (into, from) = (store(), store());
    let places = |store: &Store| Locations::new(store.clone());
    places(&into).set(0, "USA", "CA").unwrap();
    places(&into).set(1, "FRA", None).unwrap();
    places(&from).set(1, "USA", "NY").unwrap();
    places(&from).set(1_048_577, "DEU", None).unwrap();
    // With a width of one byte: the neighbour of a user that is set is kept.
    let countries = |store: &Store| Locations::new(store.clone()).countries().prefix("country");
    countries(&into).set(0, "USA").unwrap();
    countries(&from).set(1, "FRA").unwrap();
    let merge = Merge::new().locations("country", 1);
    assert_eq!(merge.add(&into, &from).unwrap().locations, 2);
    let merged = places(&into);
    assert_eq!(merged.get(0).unwrap(), Some(("USA", Some("CA"))));
    assert_eq!(merged.get(1).unwrap(), Some(("USA", Some("NY"))));
    assert_eq!(merged.get(1_048_577).unwrap(), Some(("DEU", None)));
    assert_eq!(merged.largest_user().unwrap(), Some(1_048_577));
    let merged = countries(&into);
    assert_eq!((merged.get(0).unwrap(), merged.get(1).unwrap()), (Some("USA"), Some("FRA")));
    assert_eq!(merged.largest_user().unwrap(), Some(1));
}

#[test]
fn cohorts_and_windows_are_united() {
    let (into, from) = (store(), store());
    let day = date(2026, 3, 2);
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    for (store, users) in [(&into, 0..60), (&from, 40..100_u32)] {
        let cohorts = Cohorts::new(store.clone());
        let windows = UvWindows::new(store.clone(), "w:").filling(UvFilling::RollUp);
        for user in users {
            cohorts.mark("active", user.into(), day).unwrap();
            let minute = at("1970-01-01T00:10:00Z");
            windows.record(format!("{user}"), minute).unwrap();
        }
    }
    Merge::new().add(&into, &from).unwrap();
    assert_eq!(Cohorts::new(into.clone()).count("active", Period::day(day)).unwrap(), 100);
    let windows = UvWindows::new(into, "w:");
    let counted = windows.count(at("1970-01-01T00:00:00Z"), at("1970-01-01T01:00:00Z")).unwrap();
    assert!(counted.abs_diff(100) <= 3, "{counted}");
}

#[test]
fn sets_that_split_are_merged_shard_by_shard_or_refused() {
    let fill = |members: std::ops::Range<i64>| {
        let store = store();
        let set = ShardedSet::splitting(store.clone(), "s");
        for member in members {
            set.add(member).unwrap();
        }
        store
    };
    let (into, from) = (fill(0..900), fill(300..1200));
    let merged = Merge::new().add(&into, &from).unwrap();
    assert_eq!((merged.sets, merged.counters), (1, 0));
    let set = ShardedSet::splitting(into, "s");
    assert_eq!(set.card().unwrap(), 1200);
    assert!((0..1200).all(|member| set.contains(member).unwrap()));
    assert!(set.add(5000).unwrap());
    assert_eq!(set.card().unwrap(), 1201);

    // With one shard, there is no key with the number of shards.
    let into = fill(0..10);
    Merge::new().add(&into, &fill(5..20)).unwrap();
    assert_eq!(ShardedSet::splitting(into, "s").card().unwrap(), 20);
    let refused = conflicts(&Merge::new(), &fill(0..900), &fill(0..10));
    assert_eq!(refused, ["key 's' (set that splits): the numbers of shards differ: 4 and 1"]);
    let refused = conflicts(&Merge::new(), &fill(0..10), &fill(0..900));
    assert_eq!(refused, ["key 's' (set that splits): the numbers of shards differ: 1 and 4"]);
}

#[test]
fn visitors_that_a_bitmap_cannot_hold_are_refused() {
    let (into, from) = (store(), store());
    Visitors::new(into.clone()).form(VisitorsForm::Bitmap).count_id(1, Bucket::All).unwrap();
    Visitors::new(from.clone()).count_id(1 << 40, Bucket::All).unwrap();
    let refused = conflicts(&Merge::new(), &into, &from);
    assert_eq!(refused.len(), 1);
    let begin = "key 'unique:all' (visitors): ERR id 1099511627776 is not between 0 and 67108863";
    assert!(refused[0].starts_with(begin), "{refused:?}");
}

#[test]
fn a_wrong_count_is_corrected() {
    let (into, from) = (store(), store());
    for id in 0..10 {
        Visitors::book(into.clone()).count_id(id, Bucket::All).unwrap();
        Visitors::new(from.clone()).count_id(id + 5, Bucket::All).unwrap();
    }
    into.set("unique:all", 99).unwrap();
    Merge::new().add(&into, &from).unwrap();
    assert_eq!(Visitors::new(into).count(Bucket::All).unwrap(), 15);
}

#[test]
fn wrong_counts_of_shards_are_corrected() {
    let (into, from) = (store(), store());
    let tagged = |store: &Store| Visitors::book(store.clone()).form(VisitorsForm::Tagged);
    let of = |store: &Store| tagged(store).default_yesterday(300);
    of(&into).count_ids(0..100, Bucket::All).unwrap();
    of(&from).count_ids(50..150, Bucket::All).unwrap();
    into.set("unique:all:{0}:count", 99).unwrap();
    into.del("unique:all:{1}:count").unwrap();
    let merged = Merge::new().add(&into, &from).unwrap();
    assert_eq!((merged.buckets, merged.counters), (1, 0));
    let counts: u64 = [0, 1]
        .map(|shard| {
            let shard = format!("unique:all:{{{shard}}}");
            let count = into.get_as::<u64>(format!("{shard}:count")).unwrap();
            assert_eq!(count, into.scard(&shard).unwrap() as u64);
            count
        })
        .into_iter()
        .sum();
    assert_eq!((counts, of(&into).count(Bucket::All).unwrap()), (150, 150));
    assert_eq!(into.dbsize().unwrap(), 5);

    // An invalid count is reported before anything changes.
    into.set("unique:all:{1}:count", "many").unwrap();
    let refused = conflicts(&Merge::new(), &into, &from);
    let why = "the value at 'unique:all:{1}:count' is not a count";
    assert_eq!(refused.len(), 1);
    assert!(refused[0].contains(why), "{refused:?}");
}

#[test]
fn a_bucket_whose_count_is_corrected_still_expires() {
    let day = date(2026, 3, 2);
    for &form in VisitorsForm::ALL {
        let (into, from) = (store(), store());
        for (store, days) in [(&into, 1), (&from, 2)] {
            let kept = Duration::from_secs(days * 86_400);
            let visitors =
                Visitors::new(store.clone()).form(form).default_yesterday(300).keep(kept);
            visitors.count_ids([1, 2, 3], day).unwrap();
        }
        for key in into.keys("unique:2026-03-02*").unwrap() {
            if key.ends_with(b":count") || key == "unique:2026-03-02" {
                let kept = SetOptions::default().with_expiration(SetExpiry::KEEPTTL);
                into.set_options(&key, 77, kept).unwrap();
            }
        }
        let later = from.expire_time(&from.keys("*").unwrap()[0]).unwrap();
        Merge::new().add(&into, &from).unwrap();
        assert_eq!(Visitors::new(into.clone()).count(day).unwrap(), 3, "{form:?}");
        for key in into.keys("*").unwrap() {
            assert_eq!(into.expire_time(&key).unwrap(), later, "{form:?}: {key:?}");
        }
    }
}

#[test]
fn effects_create_the_same_store() {
    let fill = |store: &Store, numbers: std::ops::Range<i64>| {
        for number in numbers {
            store.bf_add("bloom", number).unwrap();
            store.sadd("set", [number]).unwrap();
            Visitors::new(store.clone()).count_id(number, Bucket::All).unwrap();
        }
        store.pexpire_at("bloom", 2_000_000_i64).unwrap();
    };
    let journal = Arc::new(journal::Journal::default());
    let clock = Arc::new(ManualClock::new(1_000_000));
    let into = Store::builder().clock(clock).sink(journal.clone()).build();
    let from = store();
    fill(&into, 0..300);
    fill(&from, 200..400);
    Merge::new().add(&into, &from).unwrap();
    let replayed = store();
    for effect in journal.take() {
        replayed.execute(&effect.args);
    }
    assert_eq!(replayed.bf_info("bloom").unwrap(), into.bf_info("bloom").unwrap());
    assert_eq!(replayed.ttl("bloom").unwrap(), into.ttl("bloom").unwrap());
    assert_eq!(replayed.scard("set").unwrap(), 400);
    assert_eq!(Visitors::new(replayed).count(Bucket::All).unwrap(), 400);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However visits are divided into parts, and in whatever forms and shards these are kept, the parts add up to the
    /// count of the whole.
    #[test]
    fn any_division_of_visits_adds_up(
        visits in prop::collection::vec((0..3_i8, 0..3000_i64), 0..1500),
        parts in prop::collection::vec((0..VisitorsForm::ALL.len(), 1..5000_u64), 1..5),
    ) {
        let bucket = |hour| Bucket::hour(date(2026, 3, 2), hour);
        let all = store();
        let one = store();
        for (at, &(form, expected)) in parts.iter().enumerate() {
            let part = store();
            let visitors = Visitors::new(part.clone()).form(VisitorsForm::ALL[form]).default_yesterday(expected);
            for &(hour, id) in visits.iter().skip(at).step_by(parts.len()) {
                visitors.count_id(id, bucket(hour)).unwrap();
                part.pfadd(format!("uv:{hour}"), [id]).unwrap();
                one.pfadd(format!("uv:{hour}"), [id]).unwrap();
            }
            Merge::new().add(&all, &part).unwrap();
        }
        let visitors = Visitors::new(all.clone());
        for hour in 0..3 {
            let of_hour: BTreeSet<i64> =
                visits.iter().filter(|visit| visit.0 == hour).map(|visit| visit.1).collect();
            let ids: BTreeSet<i64> = visitors.ids(bucket(hour)).unwrap().into_iter().collect();
            prop_assert_eq!(visitors.count(bucket(hour)).unwrap(), of_hour.len() as u64);
            prop_assert_eq!(&ids, &of_hour);
            // Counting continues.
            prop_assert_eq!(visitors.count_id(5000, bucket(hour)).unwrap(), true);
            let key = format!("uv:{hour}");
            prop_assert_eq!(all.pfdebug_getreg(&key).unwrap(), one.pfdebug_getreg(&key).unwrap());
        }
    }
}
