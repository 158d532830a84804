//! Options, figures and values are restored from a text format and from a binary one, and invalid values are refused.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use serde_json::{from_str, json, to_string};
use tallis::bitpack::Bitmap;
use tallis::bitpack::bits::Op;
use tallis::bitpack::packed::{CountryRegion, CountryRegionCode, LatLon, Packed};
use tallis::bloom::{BloomFilter, Settings};
use tallis::geo::{Hit, Point, Unit};
use tallis::hll::HyperLogLog;
use tallis::intset::IntSet;
use tallis::jiff::{Timestamp, civil::date};
use tallis::listpack::ListPack;
use tallis::quicklist::{self, Fill, QuickList};
use tallis::rdb::{Attributes, Dialect, ReadOptions, WriteOptions};
use tallis::skiplist_zset::{self, ScoreText};
use tallis::*;

type ZSet = skiplist_zset::ZSet;

/// Compares a value with the one restored from JSON and from postcard, by `shown`.
fn comes_back<T, R>(value: &T, shown: impl Fn(&T) -> R)
where
    T: serde::Serialize + serde::de::DeserializeOwned,
    R: PartialEq + Debug,
{
    let text = to_string(value).unwrap();
    assert_eq!(shown(&from_str::<T>(&text).unwrap()), shown(value), "{text}");
    let bytes = postcard::to_stdvec(value).unwrap();
    assert_eq!(shown(&postcard::from_bytes::<T>(&bytes).unwrap()), shown(value), "{text}");
}

/// As [`comes_back`], compared by the output of `Debug`.
macro_rules! all_come_back {
    ($($value:expr),* $(,)?) => {
        $(comes_back(&$value, |value| format!("{value:?}"));)*
    };
}

/// Returns whether bytes are refused, in both formats.
fn is_refused<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> bool {
    let text = to_string(bytes).unwrap();
    let binary = postcard::to_stdvec(bytes).unwrap();
    from_str::<T>(&text).is_err() && postcard::from_bytes::<T>(&binary).is_err()
}

/// Cuts and changes valid bytes: they are accepted only if the type's own check accepts them.
fn agrees_with_its_check<T: serde::de::DeserializeOwned>(
    good: &[u8],
    check: impl Fn(&[u8]) -> bool,
) {
    assert!(check(good));
    let mut refused = 0;
    for len in 0..good.len() {
        assert_eq!(is_refused::<T>(&good[..len]), !check(&good[..len]), "{len}");
    }
    for at in 0..good.len().min(64) {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = good.to_vec();
            bytes[at] ^= flip;
            let sound = check(&bytes);
            assert_eq!(is_refused::<T>(&bytes), !sound, "byte {at}");
            refused += usize::from(!sound);
        }
    }
    assert!(refused > 0);
}

#[test]
fn values_are_serialized_as_their_bytes() {
    use intset::Validation as Ints;
    use listpack::Validation as List;

    let set: IntSet = [3, -70_000, 1 << 40].into_iter().collect();
    comes_back(&set, |set| set.as_bytes().to_vec());
    assert_eq!(serde_json::to_value(IntSet::new()).unwrap(), json!([2, 0, 0, 0, 0, 0, 0, 0]));
    agrees_with_its_check::<IntSet>(set.as_bytes(), |bytes| {
        IntSet::from_bytes(bytes, Ints::Deep).is_ok()
    });

    let mut list = ListPack::new();
    for entry in ["abc", "300", "-70000", ""] {
        list.push_back(entry).unwrap();
    }
    comes_back(&list, |list| list.as_bytes().to_vec());
    agrees_with_its_check::<ListPack>(list.as_bytes(), |bytes| {
        ListPack::from_bytes(bytes, List::Deep).is_ok()
    });

    for users in [0, 5, 5000_u32] {
        let mut sketch = HyperLogLog::new();
        for user in 0..users {
            sketch.add(&user.to_le_bytes());
        }
        comes_back(&sketch, |sketch| sketch.as_bytes().to_vec());
        if users == 5 {
            agrees_with_its_check::<HyperLogLog>(sketch.as_bytes(), |bytes| {
                HyperLogLog::from_bytes(bytes.to_vec()).is_ok()
            });
        }
    }

    comes_back(&[1, 9, 64].into_iter().collect::<Bitmap>(), |bits| bits.as_bytes().to_vec());
    let mut places = Packed::<CountryRegionCode>::new();
    places.set(3, CountryRegion { country: Some(1), region: None }).unwrap();
    comes_back(&places, |places| places.as_bytes().to_vec());
}

#[test]
fn sorted_sets_are_serialized_as_the_listpack_of_their_members() {
    let scores = [f64::NEG_INFINITY, -0.1, 0.1 + 0.2, 5e-324, f64::INFINITY];
    for len in [0, 5, 1000] {
        let entries = (0..len).map(|i| (format!("member {i}"), scores[i % 5]));
        let limits = skiplist_zset::Limits::default();
        let set = ZSet::from_entries(entries, &limits).unwrap();
        comes_back(&set, |set| {
            let entries = set.iter().map(|(member, score)| (member.to_vec(), score.to_bits()));
            (set.encoding(), entries.collect::<Vec<_>>())
        });
        if let Some(list) = set.as_listpack() {
            agrees_with_its_check::<ZSet>(list.as_bytes(), |bytes| ZSet::from_bytes(bytes).is_ok());
        }
    }
}

#[test]
fn lists_are_serialized_as_their_limits_and_nodes() {
    let limits =
        quicklist::Limits { fill: Fill::new(3), depth: 1, plain_from: 40, ..Default::default() };
    let mut list = QuickList::new(limits);
    for number in 0..20 {
        list.push_back(number).unwrap();
        list.push_front(
            "x".repeat(usize::try_from(number.unsigned_abs().pow(2)).unwrap()).as_str(),
        )
        .unwrap();
    }
    let nodes = |list: &QuickList| {
        let nodes = list.nodes().map(|node| (node.is_plain(), node.bytes().into_owned()));
        (*list.limits(), nodes.collect::<Vec<_>>())
    };
    comes_back(&list, nodes);

    let is_read = |nodes: &[(bool, &[u8])]| {
        from_str::<QuickList>(&to_string(&(limits, nodes)).unwrap()).is_ok()
    };
    let node: &[u8] = &[9, 0, 0, 0, 1, 0, 7, 1, 0xff];
    assert!(is_read(&[(false, node), (true, b"any bytes")]));
    assert!(!is_read(&[(false, &node[1..])]));
    assert!(!is_read(&[(true, node), (false, b"any bytes")]));
}

#[test]
fn filters_are_serialized_as_a_header_and_arrays() {
    let mut filter = Settings::new(10, 0.01).build().unwrap();
    for item in 0..100_u32 {
        filter.add(&item.to_le_bytes()).unwrap();
    }
    let bytes = |filter: &BloomFilter| {
        let arrays = filter.links().map(|link| link.as_bytes().to_vec());
        (filter.header(), arrays.collect::<Vec<_>>())
    };
    comes_back(&filter, bytes);

    let (header, arrays) = bytes(&filter);
    let is_read = |header: &[u8], arrays: &[Vec<u8>]| {
        from_str::<BloomFilter>(&to_string(&(header, arrays)).unwrap()).is_ok()
    };
    assert!(is_read(&header, &arrays));
    assert!(!is_read(&header[..header.len() - 1], &arrays));
    assert!(!is_read(&header, &arrays[1..]));
    assert!(!is_read(&header, &[&arrays[..], &[vec![0; 8]]].concat()));
    let mut short = arrays.clone();
    short[0].pop();
    assert!(!is_read(&header, &short));
}

#[test]
fn options_are_restored() {
    let field: FieldType = "u7".parse().unwrap();
    let place = Point::new(8.54, 47.37).unwrap();
    all_come_back![
        Limits { set_max_intset_entries: 7, ..Limits::default() },
        Profile::ALL,
        ScanOptions::default().with_pattern("a*").with_count(7).with_type("set"),
        SetOptions::default().conditional_set(ExistenceCheck::NX).get(true),
        SetOptions::default().with_expiration(SetExpiry::PXAT(1 << 41)),
        [SetExpiry::EX(1), SetExpiry::KEEPTTL],
        [Expiry::PX(1), Expiry::PERSIST],
        [BitRange::bits(-3, 4), BitRange::bytes_from(2)],
        [BitUnit::Bit, BitUnit::Byte],
        BitFieldOp::incr_by(field, 9, -1).overflow(Overflow::Sat),
        RestoreOptions::default().ttl_ms(9),
        BloomInsertOptions::new(Settings::new(10, 0.25)).no_create(),
        CopyOptions::default().db(3).replace(true),
        SortedSetAddOptions::update_only(Some(UpdateCheck::GT)),
        [Aggregate::Sum, Aggregate::Max],
        ZRange::by_score(1.5..).rev().limit(1, 2),
        ZRange::by_lex(LexBound::Min, LexBound::Excluded("m".into())),
        GeoSearch::circle(place, 5.0, Unit::Miles).order(GeoOrder::Desc).count(3),
        GeoSearch::polygon([place, place, place]),
        [GeoStored::Positions, GeoStored::Distances],
        [ExpireOption::Always, ExpireOption::XxLt],
        WriteOptions { target: Target::Valkey80, ..WriteOptions::default() },
        SaveOptions { version: Some(Target::V12), threads: 1, ..SaveOptions::default() },
        LoadOptions { salvage: true, ..LoadOptions::default() },
        ReadOptions { length: Some(9), ..ReadOptions::default() },
        Attributes { expire_at_ms: Some(-1), ..Attributes::default() },
        [Dialect::Redis, Dialect::Valkey],
        skiplist_zset::Limits { text: ScoreText::Digits17, ..skiplist_zset::Limits::default() },
        [ShardForm::Tagged, ShardForm::Compact],
        [VisitorsForm::Tagged, VisitorsForm::Bitmap],
        [SessionIds::Hashed, SessionIds::Decimal],
        Quota::new(5, 30, Duration::from_secs(60)).unwrap(),
        Quota::new(7, 3, Duration::from_secs(1)).unwrap(),
        [Bucket::All, Bucket::from(date(2026, 3, 2)), Bucket::hour(date(2026, 3, 2), 5)],
        [UvFilling::WriteThrough, UvFilling::RollUp],
        UvLevel::ALL,
        Period::day(date(2026, 3, 2)),
        [When::from(date(2026, 3, 2)), When::from(Timestamp::UNIX_EPOCH)],
        [Op::AndOr, Op::Not],
        LatLon { latitude: 1.5, longitude: -2.5 },
        tallis::intset::Width::W32,
    ];
}

#[test]
fn figures_are_restored() {
    let store = Store::new();
    let reserved = Settings::new(100, 0.01);
    store.bf_reserve("bloom", &reserved).unwrap();
    store.set("k", "v").unwrap();
    let cohorts = Cohorts::new(store.clone());
    cohorts.mark("active", 42, date(2026, 3, 2)).unwrap();
    let quota = Quota::new(5, 30, Duration::from_secs(60)).unwrap();
    let funnel = Funnel::new(store.clone(), quota);
    let place = Point::new(8.54, 47.37).unwrap();
    store.geo_add("offices", [(8.54, 47.37, "Zurich")]).unwrap();
    let near = GeoSearch::circle(place, 50.0, Unit::Kilometres);
    store.set("a", "ohmytext").unwrap();
    store.set("b", "mynewtext").unwrap();
    all_come_back![
        store.bf_info("bloom").unwrap(),
        store.databases().unwrap(),
        [Ttl::NoKey, Ttl::Never, Ttl::In(Duration::from_millis(1500))],
        [ExpireTime::Never, ExpireTime::At(SystemTime::UNIX_EPOCH + Duration::from_secs(9))],
        funnel.take("ann", 1).unwrap(),
        Hit { point: place, distance: 1.25 },
        cohorts.retention("active", "active", [Period::day(date(2026, 3, 2))]).unwrap(),
        store.geo_search_hits("offices", &near).unwrap(),
        store.lcs_matches("a", "b", 0).unwrap(),
        store.set_options("k", "v", SetOptions::default().get(true)).unwrap(),
    ];
}

#[test]
fn values_that_break_a_rule_are_refused() {
    assert!(from_str::<Point>(r#"{"lon": 181.0, "lat": 0.0}"#).is_err());
    assert!(from_str::<Point>(r#"{"lon": 180.0, "lat": 0.0}"#).is_ok());
    assert!(from_str::<FieldType>(r#""u64""#).is_err());
    assert!(from_str::<FieldType>(r#""i64""#).is_ok());
    assert!(from_str::<Quota>(r#"{"capacity": 0, "interval_us": 1}"#).is_err());
    assert!(from_str::<Quota>(r#"{"capacity": 1, "interval_us": 0}"#).is_err());
    assert!(
        from_str::<Quota>(&format!(r#"{{"capacity": {}, "interval_us": 9}}"#, u64::MAX)).is_err()
    );
    assert!(from_str::<Period>(r#""2026-W60""#).is_err());
}

#[test]
fn limits_may_be_incomplete() {
    let limits: Limits = from_str(r#"{"set_max_intset_entries": 7}"#).unwrap();
    assert_eq!(limits, Limits { set_max_intset_entries: 7, ..Limits::default() });
}

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
enum Plan {
    Free,
    Paid,
}

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
struct Id(u64);

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
struct Account {
    id: Id,
    balance: i64,
    rate: f32,
    wide: u128,
    admin: bool,
    initial: char,
    name: String,
    plan: Plan,
    note: Option<String>,
    limit: Option<u8>,
}

fn account() -> Account {
    Account {
        id: Id(u64::MAX),
        balance: -5,
        rate: 0.1,
        wide: u128::MAX,
        admin: true,
        initial: '\u{e9}',
        name: "a name \0 with all".into(),
        plan: Plan::Paid,
        note: Some(String::new()),
        limit: None,
    }
}

#[test]
fn structs_and_maps_are_stored_as_hashes() {
    let store = Store::new();
    let account = account();
    assert_eq!(store.hset_struct("a", &account).unwrap(), 9);
    assert_eq!(store.hget_struct::<Account>("a").unwrap(), Some(account.clone()));
    let texts: BTreeMap<String, String> = store.hget_struct("a").unwrap().unwrap();
    assert_eq!(texts["rate"], "0.1");
    assert_eq!(texts["admin"], "1");
    assert_eq!(texts["plan"], "Paid");
    assert_eq!(texts["id"], u64::MAX.to_string());
    assert!(!texts.contains_key("limit"));
    // A field that is `None` is deleted, and fields that the struct does not have are kept.
    store.hset("a", "other", "x").unwrap();
    let less = Account { note: None, limit: Some(7), plan: Plan::Free, ..account };
    assert_eq!(store.hset_struct("a", &less).unwrap(), 1);
    assert!(!store.hexists("a", "note").unwrap());
    assert!(store.hexists("a", "other").unwrap());
    assert_eq!(store.hget_struct::<Account>("a").unwrap(), Some(less));
    assert_eq!(store.hget_struct::<Account>("none").unwrap(), None);

    let map = BTreeMap::from([(1, 2.5), (-3, 4.0)]);
    assert_eq!(store.hset_struct("m", &map).unwrap(), 2);
    assert_eq!(store.hget_struct::<BTreeMap<i32, f64>>("m").unwrap(), Some(map));
    // A map with only `None` values creates no key.
    assert_eq!(store.hset_struct("n", &BTreeMap::from([("f", None::<u8>)])).unwrap(), 0);
    assert!(!store.exists("n").unwrap());
    store.hset("n", "f", "x").unwrap();
    store.hset_struct("n", &BTreeMap::from([("f", None::<u8>)])).unwrap();
    assert!(!store.exists("n").unwrap());
}

#[test]
fn other_types_than_hashes_are_refused_and_change_nothing() {
    let store = Store::new();
    store.hset_struct("a", &account()).unwrap();
    let before = (store.changes(), store.dump("a").unwrap());
    let refused = [
        store.hset_struct("a", &5).map(drop),
        store.hset_struct("a", "text").map(drop),
        store.hset_struct("a", &[("f", 1)][..]).map(drop),
        store.hset_struct("a", &BTreeMap::from([("f", vec![1])])).map(drop),
        store.hset_struct("a", &BTreeMap::from([("f", Some(()))])).map(drop),
        store.hset_struct("a", &BTreeMap::from([("f", BTreeMap::from([(1, 2)]))])).map(drop),
        store.hset_struct("a", &BTreeMap::from([(None::<u8>, 1)])).map(drop),
        store.hget_struct::<BTreeMap<String, u8>>("a").map(drop),
        store.hget_struct::<Id>("a").map(drop),
    ];
    for refused in refused {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conversion, "{error}");
    }
    assert_eq!((store.changes(), store.dump("a").unwrap()), before);
    store.hset("a", "limit", "300").unwrap();
    let error = store.hget_struct::<Account>("a").unwrap_err();
    assert_eq!(error.to_string(), "ERR cannot parse \"300\" as u8");
    store.hdel("a", ["limit", "name"]).unwrap();
    let error = store.hget_struct::<Account>("a").unwrap_err();
    assert_eq!(error.to_string(), "ERR missing field `name`");
    store.set("s", "v").unwrap();
    assert_eq!(store.hset_struct("s", &account()).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.hget_struct::<Account>("s").unwrap_err().kind(), ErrorKind::WrongType);
}
