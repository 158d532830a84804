//! The visitor recipe: the book's own cases, the forecast, and the keys that it creates.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::civil::date;
use tallis::{
    Bucket, ErrorKind, SessionIds, ShardForm, ShardedSet, Store, Visitors, VisitorsForm, forecast,
    key_slot, shard_key,
};
use testkit::rng::Rng;

#[test]
fn the_books_test_of_unique_visitors() {
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).default_yesterday(10_000);
    let mut rng = Rng::new(1);
    let today = date(2015, 5, 17);
    for _ in 0..179 {
        assert!(visitors.count_visit(rng.uuid(), today).unwrap());
    }
    assert_eq!(store.get("unique:2015-05-17").unwrap().unwrap(), "179");

    // With yesterday at 1000, today's forecast is 2048.
    let store = Store::new();
    store.set("unique:2015-05-16", 1000).unwrap();
    let visitors = Visitors::book(store.clone()).default_yesterday(10_000);
    for _ in 0..183 {
        visitors.count_visit(rng.uuid(), today).unwrap();
    }
    assert_eq!(store.get("unique:2015-05-17").unwrap().unwrap(), "183");
    assert_eq!(store.get("unique:2015-05-17:expected").unwrap().unwrap(), "2048");
}

#[test]
fn the_forecast_is_exact_for_every_count() {
    for n in (0..100_000).chain([u64::MAX / 3 * 2, u64::MAX - 1, u64::MAX]) {
        let made = forecast(n);
        assert!(made.is_power_of_two());
        assert!(2 * made >= 3 * u128::from(n), "{n}: at least half as many again");
        assert!(n == 0 || made < 3 * u128::from(n), "{n}: and not twice that");
    }
    // Floating-point arithmetic would give wrong results at two thirds of powers of two.
    for power in 2..64 {
        let n = (1u64 << power) / 3 * 2;
        for near in n - 1..=n + 2 {
            let made = forecast(near);
            assert!(2 * made >= 3 * u128::from(near) && made < 3 * u128::from(near), "{near}");
        }
    }
    assert_eq!((forecast(0), forecast(1), forecast(2), forecast(3)), (1, 2, 4, 8));
}

#[test]
fn the_forecast_is_written_once_and_respected() {
    let store = Store::new();
    let day = date(2015, 5, 17);
    Visitors::book(store.clone()).default_yesterday(1000).count_id(1, day).unwrap();
    assert_eq!(store.get("unique:2015-05-17:expected").unwrap().unwrap(), "2048");
    // Another handle with another default uses the forecast of the first.
    Visitors::book(store.clone()).count_id(2, day).unwrap();
    assert_eq!(store.get("unique:2015-05-17:expected").unwrap().unwrap(), "2048");
    assert_eq!(Visitors::book(store.clone()).count_union([day]).unwrap(), 2);
    // The hour before midnight belongs to the previous day.
    store.set("unique:2015-05-16T23", 100).unwrap();
    Visitors::book(store.clone()).count_id(1, Bucket::hour(day, 0)).unwrap();
    assert_eq!(store.get("unique:2015-05-17T00:expected").unwrap().unwrap(), "256");
    // The bucket of all time has no previous one.
    Visitors::book(store.clone()).count_id(1, Bucket::All).unwrap();
    assert_eq!(store.get("unique:all:expected").unwrap().unwrap(), "2097152");
}

#[test]
fn a_tiny_forecast_means_one_shard() {
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).default_yesterday(0);
    for id in 0..700 {
        visitors.count_id(id, date(2015, 5, 17)).unwrap();
    }
    assert_eq!(store.get("unique:2015-05-17:expected").unwrap().unwrap(), "1");
    assert_eq!(store.scard("unique:2015-05-17:0").unwrap(), 700);
    assert_eq!(visitors.count(date(2015, 5, 17)).unwrap(), 700);
}

#[test]
fn members_are_the_first_fifteen_digits_or_sixteen() {
    let session = "fedcba98-7654-3210-0123-456789abcdef";
    let day = date(2015, 5, 17);
    let store = Store::new();
    Visitors::book(store.clone()).default_yesterday(0).count_visit(session, day).unwrap();
    assert_eq!(store.smembers("unique:2015-05-17:0").unwrap(), ["1147797409030816545"]);
    assert_eq!(0x0fed_cba9_8765_4321, 1_147_797_409_030_816_545_i64);

    let store = Store::new();
    let full = Visitors::book(store.clone()).default_yesterday(0).session_ids(SessionIds::First16);
    full.count_visit(session, day).unwrap();
    let signed = 0xfedc_ba98_7654_3210_u64.cast_signed();
    assert_eq!(store.smembers("unique:2015-05-17:0").unwrap(), [signed.to_string()]);

    for bad in ["", "----", "guest", "12345-xyz"] {
        let error = full.count_visit(bad, day).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{bad:?}");
    }
    assert!(full.count_visit("ABC", day).unwrap(), "short ids and upper case are ids too");
    assert!(!full.count_visit("abc", day).unwrap());
}

#[test]
fn another_type_under_the_recipes_keys_is_an_error_and_changes_nothing() {
    let day = date(2015, 5, 17);
    let store = Store::new();
    let visitors = Visitors::book(store.clone());
    let dumps = || {
        let mut keys = store.keys("*").unwrap();
        keys.sort_unstable();
        keys.into_iter().map(|key| (store.dump(&key).unwrap(), key)).collect::<Vec<_>>()
    };
    store.set("unique:2015-05-17:expected", "soon").unwrap();
    let before = dumps();
    assert_eq!(visitors.count_id(1, day).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(dumps(), before);
    store.del(["unique:2015-05-17:expected"]).unwrap();
    store.sadd("unique:2015-05-17", [1]).unwrap();
    let before = dumps();
    assert_eq!(visitors.count_id(1, day).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(dumps(), before);
    // With a valid counter, the visit counts.
    store.del(["unique:2015-05-17"]).unwrap();
    assert!(visitors.count_id(1, day).unwrap());
    for full in ["soon", "9223372036854775807"] {
        store.set("unique:2015-05-17", full).unwrap();
        let before = dumps();
        assert_eq!(visitors.count_id(2, day).unwrap_err().kind(), ErrorKind::NotInteger);
        assert_eq!(dumps(), before, "{full}");
    }
    store.set("unique:2015-05-17", 1).unwrap();
    assert!(visitors.count_id(2, day).unwrap());
    assert_eq!(visitors.count(day).unwrap(), 2);
}

#[test]
fn a_bucket_is_not_begun_by_a_refused_visit() {
    let forms = [
        VisitorsForm::Forecast,
        VisitorsForm::Tagged,
        VisitorsForm::Splitting,
        VisitorsForm::Compact,
    ];
    for form in forms {
        let made = Store::new();
        Visitors::new(made.clone()).form(form).count_id(7, Bucket::All).unwrap();
        let shard = made.keys("unique:all:*[0-9}]").unwrap().remove(0);
        let store = Store::new();
        store.set(&shard, "no set").unwrap();
        let refused = Visitors::new(store.clone()).form(form).count_id(7, Bucket::All);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(store.keys("*").unwrap(), [shard], "{form:?}");
    }
}

fn visitors_of(store: &Store, form: VisitorsForm) -> Visitors {
    Visitors::book(store.clone()).form(form)
}

/// Every call that reads all shards of a bucket, with 100 visitors and that many keys of others, finds exactly these
/// visitors. Its keys take at most this number of bytes.
fn found_at_once(visitors: &Visitors, store: &Store, bucket: Bucket, most: usize) {
    // Keys that are not shards, or not shards of this bucket.
    for key in
        ["x", "007", "-1", "", "8589934592", "1:1", "{x}", "{007}", "{", "{}", "{8589934592}"]
    {
        store.sadd(format!("unique:{bucket}:{key}"), [-1]).unwrap();
    }
    store.sadd(format!("unique:{bucket}2:1"), [-1]).unwrap();
    let mut ids = visitors.ids(bucket).unwrap();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..100));
    assert_eq!(visitors.count_union([bucket, bucket]).unwrap(), 100);
    assert_eq!(visitors.count(bucket).unwrap(), 100);
    let bytes = visitors.memory_usage(bucket).unwrap();
    assert!((500..most).contains(&bytes), "{bytes}");
}

#[test]
fn many_more_shards_than_visitors_are_searched_at_once() {
    // `tallis uv --expected 100000000000`, and the maximum forecast.
    for yesterday in [100_000_000_000, 500_000_000_000] {
        let store = Store::new();
        let visitors = Visitors::book(store.clone()).default_yesterday(yesterday);
        for id in 0..100 {
            assert!(visitors.count_id(id, Bucket::All).unwrap());
        }
        found_at_once(&visitors, &store, Bucket::All, 20_000);
        let store = Store::new();
        let visitors = visitors_of(&store, VisitorsForm::Tagged).default_yesterday(yesterday);
        assert_eq!(visitors.count_ids(0..100, Bucket::All).unwrap(), 100);
        found_at_once(&visitors, &store, Bucket::All, 40_000);
        assert!(visitors.remove(Bucket::All).unwrap());
        assert_eq!(store.keys("unique:all:{*").unwrap().len(), 5, "none but those of others");
    }
    // A level that cannot be reached by splitting.
    for form in [VisitorsForm::Splitting, VisitorsForm::Compact] {
        let store = Store::new();
        if form == VisitorsForm::Compact {
            store.set("unique:all:bits", 60).unwrap();
        }
        store.set("unique:all:shards", 1_i64 << 32).unwrap();
        let visitors = Visitors::book(store.clone()).form(form);
        for id in 0..100 {
            assert!(visitors.count_id(id, Bucket::All).unwrap());
        }
        found_at_once(&visitors, &store, Bucket::All, 20_000);
    }
}

#[test]
fn a_key_with_an_impossible_number_of_shards_is_refused() {
    // 2^60 shards: in a forecast, with 256 visitors in each, or in a splitting bucket.
    for (key, value) in [
        ("unique:all:expected", "295147905179352825856"),
        ("unique:all:tagged", "1099511627777"),
        ("unique:all:shards", "1152921504606846976"),
    ] {
        let store = Store::new();
        store.set(key, value).unwrap();
        let visitors = Visitors::book(store.clone());
        for refused in [
            visitors.count_id(1, Bucket::All).map(drop),
            visitors.ids(Bucket::All).map(drop),
            visitors.count_union([Bucket::All]).map(drop),
            visitors.memory_usage(Bucket::All).map(drop),
        ] {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotInteger, "{key}");
        }
        assert_eq!(store.dbsize().unwrap(), 1);
    }
}

#[test]
fn every_shard_of_a_good_forecast_is_an_intset() {
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).default_yesterday(20_000);
    let mut rng = Rng::new(5);
    let day = date(2015, 5, 17);
    for _ in 0..20_000 {
        visitors.count_visit(rng.uuid(), day).unwrap();
    }
    // 2 * 32768 / 512 shards.
    let mut members = 0;
    for shard in 0..128 {
        let key = format!("unique:2015-05-17:{shard}");
        assert_eq!(store.object_encoding(&key).unwrap(), Some("intset"));
        members += store.scard(&key).unwrap();
    }
    assert_eq!(members, 20_000);
    assert!(!store.exists("unique:2015-05-17:128").unwrap());
    let bytes = visitors.memory_usage(day).unwrap();
    assert!((160_000..240_000).contains(&bytes), "{bytes}");
}

#[test]
fn the_form_of_a_cluster_has_two_keys_per_shard_and_one_for_the_forecast() {
    let store = Store::new();
    let day = date(2015, 5, 17);
    store.set("unique:2015-05-16", 500).unwrap();
    let visitors = visitors_of(&store, VisitorsForm::Tagged).keep(Duration::from_secs(1 << 40));
    let ids: Vec<i64> = (0..300).map(|id| id << 47 | id).collect();
    for &id in &ids {
        assert!(visitors.count_id(id, day).unwrap());
        assert!(!visitors.count_id(id, day).unwrap());
    }
    // After 500 visitors, 1024 are expected, in 4 shards.
    let mut expected = BTreeMap::from([
        ("unique:2015-05-16".to_owned(), "500".to_owned()),
        ("unique:2015-05-17:tagged".to_owned(), "1024".to_owned()),
    ]);
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in &ids {
        let book = shard_key("", format!("x{id}"), 1024, 512);
        let shard = format!("unique:2015-05-17:{{{}}}", &book[1..]);
        sets.entry(shard).or_default().push(id.to_string());
    }
    for (shard, members) in &sets {
        let counter = format!("{shard}:count");
        assert_eq!(key_slot(shard), key_slot(&counter), "a visit writes one slot");
        assert_eq!(store.object_encoding(shard).unwrap(), Some("intset"));
        assert_eq!(store.smembers(shard).unwrap(), *members);
        expected.insert(counter, members.len().to_string());
    }
    assert_eq!(sets.len(), 4);
    for key in store.keys("*").unwrap() {
        let key = String::from_utf8(key.to_vec()).unwrap();
        if !sets.contains_key(&key) {
            assert_eq!(store.get_as::<String>(&key).unwrap(), expected.remove(&key).unwrap());
        }
    }
    assert!(expected.is_empty(), "{expected:?}");
    assert_eq!(visitors.count(day).unwrap(), 300);

    // The next day may have another form, with a forecast from this day's count.
    let tomorrow = date(2015, 5, 18);
    visitors_of(&store, VisitorsForm::Forecast).count_id(1, tomorrow).unwrap();
    assert_eq!(store.get_as::<u64>("unique:2015-05-18:expected").unwrap(), 512);
    // A shard without a counter counts zero.
    store.del("unique:2015-05-17:{0}:count").unwrap();
    let first = sets["unique:2015-05-17:{0}"].len() as u64;
    assert_eq!(visitors.count(day).unwrap(), 300 - first);
}

#[test]
fn a_visit_that_a_tagged_shard_refuses_changes_nothing() {
    let store = Store::new();
    let visitors = visitors_of(&store, VisitorsForm::Tagged).default_yesterday(1);
    assert!(visitors.count_id(1, Bucket::All).unwrap());
    let (shard, counter) = ("unique:all:{0}", "unique:all:{0}:count");
    for broken in ["many", "9223372036854775807"] {
        store.set(counter, broken).unwrap();
        assert_eq!(visitors.count_id(2, Bucket::All).unwrap_err().kind(), ErrorKind::NotInteger);
        assert_eq!(store.smembers(shard).unwrap(), ["1"]);
        assert_eq!(store.get(counter).unwrap().unwrap(), broken);
        assert!(!visitors.count_id(1, Bucket::All).unwrap(), "one who was there is not counted");
    }
    store.set(counter, 1).unwrap();
    store.set(shard, "no set").unwrap();
    assert_eq!(visitors.count_id(2, Bucket::All).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.get(counter).unwrap().unwrap(), "1");
    assert_eq!(store.get(shard).unwrap().unwrap(), "no set");
}

#[test]
fn a_sharded_set_is_a_set() {
    is_a_set(ShardedSet::new, "s:7", ShardForm::Forecast);
    is_a_set(ShardedSet::tagged, "s:{7}", ShardForm::Tagged);
}

fn is_a_set(open: fn(Store, &'static str, u64, u64) -> ShardedSet, key: &str, form: ShardForm) {
    let store = Store::new();
    let set = open(store.clone(), "s", 1000, 100);
    assert_eq!((set.form(), set.shards().unwrap()), (form, 20));
    let mut rng = Rng::new(9);
    let mut model = std::collections::BTreeSet::new();
    for _ in 0..5_000 {
        let id = i64::try_from(rng.below(600)).unwrap() - 300;
        match rng.below(3) {
            0 => assert_eq!(set.add(id).unwrap(), model.insert(id)),
            1 => assert_eq!(set.remove(id).unwrap(), model.remove(&id)),
            _ => assert_eq!(set.contains(id).unwrap(), model.contains(&id)),
        }
    }
    assert_eq!(set.card().unwrap(), model.len() as u64);
    let mut members: Vec<i64> = set
        .members()
        .map(|member| String::from_utf8_lossy(&member.unwrap()).parse().unwrap())
        .collect();
    members.sort_unstable();
    assert!(members.iter().eq(&model));
    assert!(store.scard(key).unwrap() > 0);
    assert_eq!(store.keys("s:*").unwrap().len(), 20);
    // Texts are members, too, in the shard of their own hash.
    assert!(set.add("not a number").unwrap());
    assert!(set.contains("not a number").unwrap());
    assert!(set.remove("not a number").unwrap());
}
