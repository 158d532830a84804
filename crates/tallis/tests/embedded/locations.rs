//! Locations compared with a simple map from users to codes.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod precision;

use std::collections::BTreeMap;
use std::sync::{Arc, Barrier};
use std::thread;

use bytes::Bytes;
use tallis::bitpack::packed::{Codec, NumberCode};
use tallis::{
    Aggregate, Error, ErrorKind, LocationTable, Locations, ManualClock, Precision, RestoreOptions,
    SortedSetAddOptions, Store, UpdateCheck,
};
use testkit::rng::Rng;

use crate::journal::Journal;

const SHARD: u64 = 1 << 20;

fn locations() -> (Store, Locations) {
    let store = Store::new();
    (store.clone(), Locations::new(store))
}

/// Every place for which the table has names: each country, and each region.
fn places(table: &LocationTable) -> Vec<(&str, Option<&str>)> {
    let mut places = Vec::new();
    for country in table.countries() {
        places.push((country, None));
        let regions = table.regions(country).into_iter().flatten();
        places.extend(regions.map(|region| (country, Some(region))));
    }
    places
}

/// The test of the book: each country and region once, without losing a name.
#[test]
fn every_country_and_region_once() {
    let (_, locations) = locations();
    let table = LocationTable::redis_in_action();
    let places = places(&table);
    assert_eq!(places.len(), 249 + 13 + 62);
    for (user, &(country, region)) in (0..).zip(&places) {
        locations.set(user, country, region).unwrap();
    }
    for (user, &(country, region)) in (0..).zip(&places) {
        assert_eq!(locations.get(user).unwrap(), Some((country, region)));
    }
    let everyone = locations.aggregate().unwrap();
    let listed = locations.aggregate_list(0..places.len() as u64).unwrap();
    assert_eq!(everyone, listed);
    assert_eq!((everyone.users(), everyone.unknown()), (324, 0));
    for country in table.countries() {
        let regions = table.regions(country).map_or(0, |regions| regions.len() as u64);
        assert_eq!(everyone.country(country), 1 + regions, "{country}");
        assert_eq!(everyone.without_region(country), 1, "{country}");
        let want = table.regions(country).into_iter().flatten().map(|region| (region, 1));
        assert!(everyone.regions(country).eq(want), "{country}");
    }
    let names: Vec<&str> = everyone.countries().map(|(country, _)| country).collect();
    assert!(table.countries().eq(names));
}

/// The aggregates computed from a map.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    countries: BTreeMap<String, u64>,
    regions: BTreeMap<(String, String), u64>,
    unknown: u64,
}

impl Plain {
    fn count(&mut self, table: &LocationTable, code: [u8; 2]) {
        let [country, region] = code.map(usize::from);
        let Some(name) = country.checked_sub(1).and_then(|at| table.countries().nth(at)) else {
            self.unknown += 1;
            return;
        };
        *self.countries.entry(name.to_owned()).or_default() += 1;
        let region = region.checked_sub(1).and_then(|at| table.regions(name)?.nth(at));
        if let Some(region) = region {
            *self.regions.entry((name.to_owned(), region.to_owned())).or_default() += 1;
        }
    }

    fn of(table: &LocationTable, counts: &tallis::LocationCounts) -> Self {
        let mut plain = Self { unknown: counts.unknown(), ..Self::default() };
        let mut users = counts.unknown();
        for (country, count) in counts.countries() {
            assert_eq!(counts.country(country), count);
            users += count;
            let mut without = count;
            plain.countries.insert(country.to_owned(), count);
            for (region, count) in counts.regions(country) {
                assert_eq!(counts.region(country, region), count);
                without -= count;
                plain.regions.insert((country.to_owned(), region.to_owned()), count);
            }
            assert_eq!(counts.without_region(country), without);
        }
        assert_eq!(counts.users(), users);
        assert!(table.countries().filter(|name| counts.country(name) == 0).count() > 0);
        plain
    }
}

#[test]
fn random_changes_equal_those_of_a_map() {
    let table = LocationTable::redis_in_action();
    for seed in 0..6 {
        let (store, locations) = locations();
        let mut rng = Rng::new(seed);
        let mut map: BTreeMap<u64, [u8; 2]> = BTreeMap::new();
        let mut largest = None;
        let user = |rng: &mut Rng| match rng.below(4) {
            0 => rng.below(50),
            1 => SHARD - 3 + rng.below(6),
            2 => rng.below(5 * SHARD),
            _ => 40 * SHARD + rng.below(3),
        };
        let names = ["USA", "CAN", "DEU", "ABW", "ZWE", "ZZZ", "", "usa"];
        let regions = ["", "CA", "AA", "WY", "QC", "YT", "ZZ"];
        for step in 0..400 {
            let id = user(&mut rng);
            let (country, region) = (names[rng.index(8)], regions[rng.index(7)]);
            let code = table.code(country, region);
            if rng.below(2) == 0 {
                let set = locations.set(id, country, region);
                assert_eq!(set.is_ok(), code.is_ok(), "{country} {region}");
                if let Ok(code) = code {
                    map.insert(id, code);
                    largest = largest.max(Some(id));
                }
            } else {
                locations.set_lenient(id, country, region).unwrap();
                map.insert(id, table.code_lenient(country, region));
                largest = largest.max(Some(id));
            }
            if rng.below(20) == 0 {
                // Bytes that are not a code of the table, as another program may write them.
                let code = [rng.index(256), rng.index(256)].map(|byte| u8::try_from(byte).unwrap());
                let key = format!("location:{}", id / SHARD);
                let at = usize::try_from(id % SHARD * 2).unwrap();
                store.setrange(key, at, &code[..]).unwrap();
                map.insert(id, code);
            }
            assert_eq!(locations.largest_user().unwrap(), largest);
            let id = user(&mut rng);
            let (country, region) = table.names(map.get(&id).copied().unwrap_or_default());
            assert_eq!(locations.get(id).unwrap(), country.map(|country| (country, region)));
            if step % 40 != 0 {
                continue;
            }
            let mut want = Plain::default();
            for (_, &code) in map.iter().filter(|&(&id, &code)| {
                code != [0, 0] && Some(id / SHARD) <= largest.map(|id| id / SHARD)
            }) {
                want.count(&table, code);
            }
            assert_eq!(Plain::of(&table, &locations.aggregate().unwrap()), want);
            let list: Vec<u64> = (0..rng.below(300)).map(|_| user(&mut rng)).collect();
            let mut want = Plain::default();
            for id in &list {
                want.count(&table, map.get(id).copied().unwrap_or_default());
            }
            let counts = locations.aggregate_list(list.iter().copied()).unwrap();
            assert_eq!(Plain::of(&table, &counts), want);
            assert_eq!(counts.users(), list.len() as u64);
        }
    }
}

/// Every key with its payload.
fn payloads(store: &Store) -> Vec<(Bytes, Option<Bytes>)> {
    let mut keys = store.keys("*").unwrap();
    keys.sort_unstable();
    keys.into_iter().map(|key| (key.clone(), store.dump(&key).unwrap())).collect()
}

/// Sets codes one by one: the error of the first refused user is returned after all others were set.
fn set_each<P: Precision>(
    locations: &Locations<Store, P>,
    codes: &[(u64, <P::Codec as Codec>::Record)],
) -> Result<(), Error> {
    let mut outcome = Ok(());
    for &(user, code) in codes {
        outcome = outcome.and(locations.set_code(user, code));
    }
    outcome
}

fn codes_together_are_codes_one_by_one<P: Precision>(
    precision: fn(Locations) -> Locations<Store, P>,
    code: impl Fn(&mut Rng) -> <P::Codec as Codec>::Record,
) {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let [one, many] = [(); 2].map(|()| Store::new());
        let [single, together] = [&one, &many].map(|it| precision(Locations::new(it.clone())));
        for round in 0..12 {
            if rng.chance(1, 4) {
                // No codes, or those of another width.
                let key = ["location:0", "location:2", "location:max"][rng.index(3)];
                let bytes = rng.bytes(7);
                for store in [&one, &many] {
                    store.del([key]).unwrap();
                    match round % 3 {
                        0 => store.set(key, &bytes).unwrap(),
                        1 => drop(store.sadd(key, [1]).unwrap()),
                        _ => {}
                    }
                }
            }
            let most = [1, 3, 255, 256, 257, 2_000][rng.index(6)];
            let codes: Vec<_> = (0..rng.below(most + 1))
                .map(|_| {
                    let user = match rng.below(300) {
                        0 => Locations::MAX_USER + 1 + rng.below(2),
                        1..100 => rng.below(20),
                        100..200 => SHARD - 3 + rng.below(6),
                        _ => SHARD * rng.below(4) + rng.below(2_000),
                    };
                    (user, code(&mut rng))
                })
                .collect();
            let want = set_each(&single, &codes);
            assert_eq!(together.set_codes(codes), want, "{seed}, round {round}");
            assert_eq!(payloads(&one), payloads(&many), "{seed}, round {round}");
        }
    }
}

#[test]
fn batched_codes_of_each_width_equal_single_codes() {
    fn byte(rng: &mut Rng) -> u8 {
        rng.bytes(1)[0]
    }
    codes_together_are_codes_one_by_one(|locations| locations, |rng| [byte(rng), byte(rng)]);
    codes_together_are_codes_one_by_one(Locations::countries, |rng| [byte(rng)]);
    codes_together_are_codes_one_by_one(Locations::codec::<NumberCode>, |rng| {
        rng.bytes(4).try_into().unwrap()
    });
}

#[test]
fn threads_set_batches_of_codes_concurrently() {
    let [one, many] = [(); 2].map(|()| Store::new());
    let [single, together] = [&one, &many].map(|store| Locations::new(store.clone()));
    let (single, together) = (&single, &together);
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mut rng = Rng::new(thread);
                for _ in 0..40 {
                    // The thread's own users, in shards that all threads share.
                    let codes: Vec<(u64, [u8; 2])> = (0..rng.below(700))
                        .map(|_| {
                            let user = SHARD * rng.below(3) + 4 * rng.below(500) + thread;
                            (user, [u8::try_from(rng.below(200)).unwrap(), 1])
                        })
                        .collect();
                    set_each(single, &codes).unwrap();
                    together.set_codes(codes).unwrap();
                }
            });
        }
    });
    assert_eq!(payloads(&one), payloads(&many));
    assert_eq!(single.aggregate().unwrap(), together.aggregate().unwrap());
}

#[test]
fn a_list_longer_than_a_batch_is_counted_whole() {
    let (_, locations) = locations();
    for user in 0..1000 {
        locations.set(user, if user % 10 == 0 { "FRA" } else { "DEU" }, None).unwrap();
    }
    let counts = locations.aggregate_list((0..1_000_001).map(|n| n % 2000)).unwrap();
    assert_eq!((counts.users(), counts.unknown()), (1_000_001, 500_000));
    assert_eq!((counts.country("FRA"), counts.country("DEU")), (50_001, 450_000));
}

#[test]
fn codes_outside_the_table_are_unknown_and_not_lost() {
    let (store, locations) = locations();
    locations.set(7, "USA", "CA").unwrap();
    // A country beyond the table, one with a region beyond its list, a region without a country, a region of a country
    // without a list.
    let [germany, _] = LocationTable::redis_in_action().code("DEU", None).unwrap();
    store.setrange("location:0", 0, &[250, 0, 235, 63, 0, 9, germany, 5, 255, 255][..]).unwrap();
    let counts = locations.aggregate().unwrap();
    assert_eq!((counts.users(), counts.unknown()), (6, 3));
    assert!(counts.countries().eq([("DEU", 1), ("USA", 2)]));
    assert!(counts.regions("USA").eq([("CA", 1)]));
    assert_eq!((counts.without_region("USA"), counts.without_region("DEU")), (1, 1));
    assert_eq!(
        (counts.country("ZZZ"), counts.region("DEU", "X"), counts.without_region("ZZZ")),
        (0, 0, 0)
    );
    let listed = locations.aggregate_list(0..8).unwrap();
    assert_eq!((listed.users(), listed.unknown()), (8, 5));
    assert_eq!(locations.get(0).unwrap(), None);
    assert_eq!(locations.get(1).unwrap(), Some(("USA", None)));
    assert_eq!(format!("{counts:?}"), r#"{"DEU": 1, "USA": 2, USA-CA: 1, "unknown": 3}"#);
}

#[test]
fn ids_are_bounded_and_the_largest_is_valid() {
    let (store, locations) = locations();
    assert_eq!(locations.largest_user().unwrap(), None);
    assert_eq!(locations.aggregate().unwrap().users(), 0);
    assert_eq!(locations.aggregate_list([]).unwrap().users(), 0);
    for user in [Locations::MAX_USER + 1, u64::MAX] {
        let want = format!("ERR user id {user} is above 1099511627775");
        for error in [
            locations.set(user, "USA", None).unwrap_err(),
            locations.set_lenient(user, "USA", None).unwrap_err(),
            locations.get(user).unwrap_err(),
            locations.aggregate_list([1, user]).unwrap_err(),
            locations.set_codes([(user, [1, 0])]).unwrap_err(),
        ] {
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::InvalidArgument, want.clone())
            );
        }
    }
    assert_eq!(store.dbsize().unwrap(), 0);

    locations.set(Locations::MAX_USER, "USA", "CA").unwrap();
    locations.set(0, "FRA", None).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(Locations::MAX_USER));
    assert_eq!(store.strlen("location:1048575").unwrap(), 1 << 21);
    let counts = locations.aggregate().unwrap();
    assert_eq!(counts, locations.aggregate_list([0, Locations::MAX_USER]).unwrap());
    assert_eq!(counts.users(), 2);
}

#[test]
fn a_key_with_another_type_is_an_error_and_nothing_changes() {
    let (store, locations) = locations();
    locations.set(5, "USA", None).unwrap();
    let changes = store.changes();
    let before = (store.dump("location:0").unwrap(), store.dump("location:max").unwrap());
    store.sadd("location:1", ["x"]).unwrap();
    let error = locations.set(SHARD, "USA", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
    assert_eq!(locations.get(SHARD).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(locations.aggregate_list([SHARD]).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!((store.dump("location:0").unwrap(), store.dump("location:max").unwrap()), before);
    assert_eq!(store.changes(), changes + 1);

    let (store, locations) = self::locations();
    store.set("location:max", "5").unwrap();
    for result in [locations.set(3, "USA", None), locations.aggregate().map(drop)] {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::WrongType);
    }
    assert_eq!(store.dbsize().unwrap(), 1);
}

#[test]
fn strings_in_any_encoding_are_read() {
    let (store, locations) = locations();
    locations.set(4000, "USA", None).unwrap();
    // A number, a few bytes, bytes on the heap, an empty string: codes that are text.
    for (string, users) in [("1234", 2), ("12", 1), ("ab", 1), (&*"ab".repeat(30), 30), ("", 0)] {
        store.set("location:0", string).unwrap();
        let counts = locations.aggregate().unwrap();
        assert_eq!(counts.users(), users, "{string}");
        let listed = locations.aggregate_list(0..users).unwrap();
        assert_eq!(counts, listed);
    }
    assert_eq!(locations.aggregate_list([0]).unwrap().unknown(), 1);
}

#[test]
fn sinks_receive_setrange_and_the_largest_id_only_when_it_grows() {
    let journal = Arc::new(Journal::default());
    let clock = Arc::new(ManualClock::new(1_000_000));
    let store = Store::builder().sink(journal.clone()).clock(clock.clone()).build();
    let locations = Locations::new(store.clone());
    locations.set(5, "USA", "CA").unwrap();
    assert_eq!(journal.lines(), [r"SETRANGE location:0 10 \xeb\t", "ZADD location:max GT 5 max"]);
    for user in [5, 4, 0] {
        locations.set(user, "ABW", None).unwrap();
        assert_eq!(journal.lines(), [format!(r"SETRANGE location:0 {} \x01\x00", 2 * user)]);
    }
    locations.set_lenient(SHARD, "ZZZ", None).unwrap();
    let want = [r"SETRANGE location:1 0 \x00\x00", "ZADD location:max GT 1048576 max"];
    assert_eq!(journal.lines(), want);
    locations.set(6, "ZZZ", None).unwrap_err();
    assert!(journal.lines().is_empty());
    locations.set_codes([(SHARD + 1, [1, 2]), (3, [1, 3]), (SHARD + 2, [1, 4])]).unwrap();
    let mut heard = journal.lines();
    heard.sort_unstable();
    assert_eq!(
        heard,
        [
            r"SETRANGE location:0 6 \x01\x03",
            r"SETRANGE location:1 2 \x01\x02",
            r"SETRANGE location:1 4 \x01\x04",
            "ZADD location:max GT 1048578 max",
        ]
    );

    // An expired sorted set does not exist, and the next one has no expiry.
    store.pexpire("location:max", 10).unwrap();
    clock.advance(10);
    journal.lines();
    locations.set(3, "USA", None).unwrap();
    let heard = journal.lines();
    assert_eq!(heard.len(), 3, "{heard:?}");
    assert!(heard.contains(&"DEL location:max".to_owned()));
    assert_eq!(heard.last().unwrap(), "ZADD location:max GT 3 max");
    assert_eq!(store.ttl("location:max").unwrap().secs(), -1);
    assert_eq!(locations.largest_user().unwrap(), Some(3));
}

#[test]
fn changes_by_other_programs_are_seen() {
    let (store, locations) = locations();
    locations.set(9, "USA", None).unwrap();
    store.del(["location:max"]).unwrap();
    assert_eq!(locations.aggregate().unwrap().users(), 0);
    locations.set(2, "USA", None).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(2));
    store.flushall().unwrap();
    locations.set(1, "USA", None).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(1));

    // The set of another store, which a server with other settings stored as a skip list, and with another member.
    let payload = rdb::dump::encode(rdb::WriteOptions::default(), |writer| {
        let mut scores = writer.zset(2)?;
        scores.member(b"other", 9000.0)?;
        scores.member(b"max", 700.0)?;
        scores.finish()
    });
    let options = RestoreOptions::default().replace(true);
    store.restore("location:max", payload.unwrap(), options).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(700));
    locations.set(699, "USA", None).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(700));
    locations.set(701, "USA", None).unwrap();
    assert_eq!(locations.largest_user().unwrap(), Some(701));
    let all = [("max".into(), 701.0), ("other".into(), 9000.0)];
    assert_eq!(store.zrange_withscores("location:max", 0, -1).unwrap(), all);
}

/// The largest id as ZADD with GT stores it, and as the book does: a temporary set, united with it by the maximum
/// score.
#[test]
fn the_books_ways_to_the_largest_id_have_the_same_result() {
    let (store, locations) = locations();
    let (by_zadd, by_union) = (Store::new(), Store::new());
    let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
    let mut rng = Rng::new(9);
    for _ in 0..300 {
        let user = rng.below(Locations::MAX_USER + 1) >> rng.below(40);
        locations.set(user, "USA", None).unwrap();
        let score: f64 = user.to_string().parse().unwrap();
        by_zadd.zadd_options("location:max", "max", score, higher).unwrap();
        by_union.zadd("own", "max", score).unwrap();
        let keys = ["own", "location:max"];
        by_union.zunionstore("location:max", keys, &[], Aggregate::Max).unwrap();
        by_union.del(["own"]).unwrap();
        let kept = store.dump("location:max").unwrap();
        assert_eq!(by_zadd.dump("location:max").unwrap(), kept, "{user}");
        assert_eq!(by_union.dump("location:max").unwrap(), kept, "{user}");
    }
}

#[test]
fn concurrent_writes_are_not_lost() {
    const THREADS: u64 = 4;
    const EACH: u64 = 3000;
    // One stripe, in which both keys share a lock, and many, in which they rarely do.
    for stripes in [1, 64] {
        let store = Store::builder().stripes(stripes).build();
        let locations = Locations::new(store);
        let start = Barrier::new(5);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (locations, start) = (&locations, &start);
                scope.spawn(move || {
                    let mut rng = Rng::new(thread);
                    start.wait();
                    // Each thread has users in every shard.
                    for n in 0..EACH {
                        let user = (n * THREADS + thread) + (n % 3) * SHARD;
                        locations.set(user, "USA", "CA").unwrap();
                        assert!(locations.largest_user().unwrap() >= Some(user));
                        let seen = rng.below(n + 1) * THREADS + thread;
                        locations.get(seen).unwrap();
                    }
                });
            }
            scope.spawn(|| {
                start.wait();
                let mut before = 0;
                for _ in 0..20 {
                    // Users may be added to shards that were already counted, but none is removed.
                    let now = locations.aggregate().unwrap().region("USA", "CA");
                    assert!(now >= before);
                    before = now;
                }
            });
        });
        assert_eq!(locations.aggregate().unwrap().region("USA", "CA"), THREADS * EACH);
        let last = EACH * THREADS - 1 + 2 * SHARD;
        assert_eq!(locations.largest_user().unwrap(), Some(last));
    }
}

#[test]
fn a_snapshot_keeps_everything() {
    let (store, locations) = locations();
    for user in 0..2000 {
        locations.set(user * 3001, "USA", "NY").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locations.rdb");
    store.save(&file).unwrap();
    let again = Store::new();
    again.load(&file).unwrap();
    let loaded = Locations::new(again.clone());
    assert_eq!(loaded.aggregate().unwrap(), locations.aggregate().unwrap());
    assert_eq!(loaded.largest_user().unwrap(), Some(1999 * 3001));
    for key in store.keys("*").unwrap() {
        assert_eq!(store.dump(&key).unwrap(), again.dump(&key).unwrap(), "{key:?}");
    }
}
