//! Locations of each precision, compared with a map from users to codes.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;

use tallis::bitpack::packed::{Codec, LatLon, LatLon4, LatLon6, NumberCode, PostalCode};
use tallis::{
    CityTable, CodeCounts, ErrorKind, LocationCounts, LocationTable, Locations, Precision, Store,
};
use testkit::rng::Rng;

use super::{SHARD, locations};

type Code<P> = <<P as Precision>::Codec as Codec>::Record;

/// The number of users of each place, including `users` and `unknown`.
type Plain = BTreeMap<String, u64>;

/// A table with all cases: regions with and without cities, countries with and without regions, cities of a country.
fn cities() -> CityTable {
    let names = |what: &str, of: usize| (0..of).map(|n| format!("{what}{n:03}")).collect();
    let mut rows = vec![("SGP".to_owned(), String::new(), "Singapore".to_owned())];
    for (country, regions, cities) in
        [("AAA", 255, 1), ("BBB", 3, 255), ("CCC", 0, 0), ("DDD", 2, 0)]
    {
        rows.push((country.to_owned(), String::new(), String::new()));
        let regions: Vec<String> = names("r", regions);
        for region in regions {
            rows.push((country.to_owned(), region.clone(), String::new()));
            let cities: Vec<String> = names("a city ", cities);
            rows.extend(cities.into_iter().map(|city| (country.to_owned(), region.clone(), city)));
        }
    }
    CityTable::from_rows(rows).unwrap()
}

/// Reads all places of the counts, by every method.
fn plain(counts: &LocationCounts) -> Plain {
    let mut plain = Plain::new();
    let mut users = counts.unknown();
    for (country, count) in counts.countries() {
        assert_eq!(counts.country(country), count);
        users += count;
        plain.insert(country.to_owned(), count);
        let mut without = count;
        for (region, count) in counts.regions(country) {
            assert_eq!(counts.region(country, region), count);
            without -= count;
            plain.insert(format!("{country}/{region}"), count);
        }
        assert_eq!(counts.without_region(country), without);
        let regions: Vec<(&str, u64)> = counts.regions(country).collect();
        for (region, mut left) in regions.into_iter().chain([("", without)]) {
            for (city, count) in counts.cities(country, region) {
                assert_eq!(counts.city(country, region, city), count);
                left -= count;
                plain.insert(format!("{country}/{region}/{city}"), count);
            }
            assert_eq!(counts.without_city(country, region), left);
        }
        assert_eq!(counts.without_city(country, None), counts.without_city(country, ""));
        for nowhere in ["r9", "ZZ"] {
            assert_eq!(counts.city(country, nowhere, "a city 000"), 0);
            assert_eq!(counts.without_city(country, nowhere), 0);
            assert_eq!(counts.cities(country, nowhere).count(), 0);
        }
    }
    assert_eq!(counts.users(), users);
    plain.insert("unknown".to_owned(), counts.unknown());
    plain
}

/// The same, computed from codes.
fn plain_codes<C: Codec>(counts: &CodeCounts<C>) -> Plain {
    let mut plain = Plain::new();
    for ((code, count), (item, again)) in counts.codes().zip(counts.iter()) {
        assert_eq!((counts.code(code), again), (count, count));
        let code_again = C::encode(item).map_or(code, |code| code);
        let unknown = code_again == C::Record::default();
        assert!(code_again == code || unknown, "{code:?}");
        plain.insert(format!("{code:?}"), count);
    }
    assert_eq!(counts.code(C::Record::default()), 0);
    plain.insert("unknown".to_owned(), counts.unknown());
    assert_eq!(counts.users(), plain.values().sum::<u64>());
    assert!(counts.clone() == *counts);
    plain
}

/// The places for which a code counts.
fn of_names(country: Option<&str>, region: Option<&str>, city: Option<&str>) -> Vec<String> {
    let Some(country) = country else { return vec!["unknown".to_owned()] };
    let mut places = vec![country.to_owned()];
    places.extend(region.map(|region| format!("{country}/{region}")));
    places.extend(city.map(|city| format!("{country}/{}/{city}", region.unwrap_or(""))));
    places
}

/// Random changes, by the recipe and by another program, compared with a map.
fn beside_a_map<P: Precision>(
    with: impl Fn(Locations) -> Locations<Store, P>,
    code: impl Fn(&mut Rng) -> Code<P>,
    places: impl Fn(Code<P>) -> Vec<String>,
    plain: impl Fn(&P::Counts) -> Plain,
) where
    Code<P>: AsRef<[u8]> + Default + std::fmt::Debug + Copy + PartialEq,
{
    let width = Code::<P>::default().as_ref().len();
    for seed in 0..3 {
        let (store, locations) = locations();
        let locations = with(locations);
        let mut rng = Rng::new(seed);
        let mut map: BTreeMap<u64, Code<P>> = BTreeMap::new();
        let mut largest = None;
        let user = |rng: &mut Rng| match rng.below(4) {
            0 => rng.below(50),
            1 => SHARD - 3 + rng.below(6),
            2 => rng.below(3 * SHARD),
            _ => 9 * SHARD + rng.below(3),
        };
        let count = |codes: &mut dyn Iterator<Item = Code<P>>| {
            let mut want = Plain::from([("unknown".to_owned(), 0)]);
            for place in codes.flat_map(&places) {
                *want.entry(place).or_default() += 1;
            }
            want
        };
        for step in 0..300 {
            let id = user(&mut rng);
            let code = code(&mut rng);
            if rng.below(10) == 0 && largest >= Some(id) {
                let key = format!("location:{}", id / SHARD);
                let at = usize::try_from(id % SHARD).unwrap() * width;
                store.setrange(key, at, code.as_ref()).unwrap();
            } else {
                locations.set_code(id, code).unwrap();
                largest = largest.max(Some(id));
            }
            map.insert(id, code);
            assert_eq!(locations.largest_user().unwrap(), largest);
            let id = user(&mut rng);
            assert_eq!(locations.code(id).unwrap(), map.get(&id).copied().unwrap_or_default());
            if step % 60 != 0 {
                continue;
            }
            let zeros = Code::<P>::default();
            let want = count(&mut map.values().copied().filter(|&code| code != zeros));
            assert_eq!(plain(&locations.aggregate().unwrap()), want);
            let list: Vec<u64> = (0..rng.below(300)).map(|_| user(&mut rng)).collect();
            let codes = list.iter().map(|id| map.get(id).copied().unwrap_or_default());
            let want = count(&mut codes.into_iter());
            assert_eq!(plain(&locations.aggregate_list(list.iter().copied()).unwrap()), want);
        }
    }
}

/// A byte that is often a code of a short list.
fn byte(rng: &mut Rng) -> u8 {
    let of = [3, 7, 256][rng.index(3)];
    u8::try_from(rng.below(of)).unwrap()
}

/// A code that no table has.
fn of_code<R: Copy + Default + PartialEq + std::fmt::Debug>(code: R) -> Vec<String> {
    let zeros = code == R::default();
    vec![if zeros { "unknown".to_owned() } else { format!("{code:?}") }]
}

#[test]
fn each_precision_equals_a_map() {
    let table = LocationTable::redis_in_action();
    beside_a_map(
        Locations::countries,
        |rng| [byte(rng)],
        |[country]| of_names(table.names([country, 9]).0, None, None),
        plain,
    );
    beside_a_map(
        |locations| locations,
        |rng| [byte(rng), byte(rng)],
        |code| {
            let (country, region) = table.names(code);
            of_names(country, region, None)
        },
        plain,
    );
    let table = cities();
    beside_a_map(
        |locations| locations.cities(table.clone()),
        |rng| [byte(rng), byte(rng), byte(rng)],
        |code| {
            let (country, region, city) = table.names(code);
            of_names(country, region, city)
        },
        plain,
    );
    beside_a_map(
        Locations::codec::<PostalCode>,
        |rng| [byte(rng), byte(rng), byte(rng)],
        of_code,
        plain_codes,
    );
    let four = |rng: &mut Rng| [byte(rng), byte(rng), byte(rng), byte(rng)];
    beside_a_map(Locations::codec::<NumberCode>, four, of_code, plain_codes);
}

#[test]
fn names_and_items_are_those_that_were_set() {
    let (_, locations) = locations();
    let countries = locations.clone().countries().prefix("countries");
    let by_city = locations.clone().cities(cities()).prefix("cities");
    let areas = locations.clone().codec::<PostalCode>().prefix("areas");
    let numbers = locations.clone().codec::<NumberCode>().prefix("numbers");
    let places = locations.codec::<LatLon4>().prefix("places");
    // The first and the last of a shard, and the largest.
    for user in [0, SHARD - 1, SHARD, Locations::MAX_USER] {
        countries.set(user, "ZWE").unwrap();
        assert_eq!(countries.get(user).unwrap(), Some("ZWE"));
        countries.set_lenient(user, "ZZZ").unwrap();
        assert_eq!((countries.get(user).unwrap(), countries.code(user).unwrap()), (None, [0]));
        by_city.set(user, "BBB", "r002", "a city 254").unwrap();
        let all = Some(("BBB", Some("r002"), Some("a city 254")));
        assert_eq!((by_city.get(user).unwrap(), by_city.code(user).unwrap()), (all, [2, 3, 255]));
        by_city.set(user, "SGP", None, "Singapore").unwrap();
        assert_eq!(by_city.get(user).unwrap(), Some(("SGP", None, Some("Singapore"))));
        by_city.set_lenient(user, "BBB", "r002", "Rome").unwrap();
        assert_eq!(by_city.get(user).unwrap(), Some(("BBB", Some("r002"), None)));
        areas.set(user, Some(PostalCode::MAX)).unwrap();
        assert_eq!(areas.get(user).unwrap(), Some(PostalCode::MAX));
        numbers.set(user, u32::MAX - 1).unwrap();
        assert_eq!(numbers.get(user).unwrap(), u32::MAX - 1);
        let palermo = LatLon { latitude: 38.1157, longitude: 13.3615 };
        places.set(user, Some(palermo)).unwrap();
        let found = places.get(user).unwrap().unwrap();
        assert!((found.latitude - palermo.latitude).abs() < 0.002);
    }
    // Users without a location, inside of a string and beyond it.
    for user in [1, 5 * SHARD] {
        assert_eq!(countries.get(user).unwrap(), None);
        assert_eq!(by_city.get(user).unwrap(), None);
        assert_eq!(areas.get(user).unwrap(), None);
        assert_eq!(numbers.get(user).unwrap(), 0);
        assert_eq!(places.get(user).unwrap(), None);
    }
    assert_eq!(numbers.aggregate().unwrap().code([0xff, 0xff, 0xff, 0xfe]), 4);
    assert_eq!(
        format!("{:?}", areas.aggregate_list([0, 1]).unwrap()),
        r#"{Some(16777214): 1, "unknown": 1}"#
    );
    by_city.set(0, "BBB", "r002", "a city 254").unwrap();
    by_city.set(1, "SGP", None, "Singapore").unwrap();
    assert_eq!(
        format!("{:?}", by_city.aggregate_list([0, 1]).unwrap()),
        r#"{"BBB": 1, BBB-r002: 1, BBB-r002-a city 254: 1, "SGP": 1, SGP--Singapore: 1, "unknown": 0}"#
    );
    for error in [
        countries.set(1, "ZZZ").unwrap_err(),
        by_city.set(1, "BBB", "r002", "Rome").unwrap_err(),
        areas.set(1, Some(PostalCode::MAX + 1)).unwrap_err(),
        numbers.set(Locations::MAX_USER + 1, 1).unwrap_err(),
        numbers.get(Locations::MAX_USER + 1).unwrap_err(),
        numbers.aggregate_list([Locations::MAX_USER + 1]).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[test]
fn keys_and_bytes_equal_those_of_setrange() {
    let (store, locations) = locations();
    let numbers = locations.codec::<NumberCode>();
    numbers.set(SHARD - 1, 7).unwrap();
    numbers.set(SHARD + 1, 0x0102_0304).unwrap();
    let mut keys = store.keys("*").unwrap();
    keys.sort_unstable();
    assert_eq!(keys, ["location:0", "location:1", "location:max"]);
    assert_eq!(store.strlen("location:0").unwrap(), 4 << 20);
    assert_eq!(store.get("location:1").unwrap().unwrap(), &[0, 0, 0, 0, 1, 2, 3, 4][..]);
    assert_eq!(store.zscore("location:max", "max").unwrap(), Some(1_048_577.0));

    // Another prefix names other keys, and may have any bytes.
    let others = numbers.clone().prefix(b"\xff:");
    others.set(2, 9).unwrap();
    assert_eq!(store.strlen(b"\xff::0").unwrap(), 12);
    assert_eq!(store.zscore(b"\xff::max", "max").unwrap(), Some(2.0));
    assert_eq!(others.largest_user().unwrap(), Some(2));
    assert_eq!(others.aggregate().unwrap().users(), 1);
    assert_eq!(numbers.aggregate().unwrap().users(), 2);
    assert_eq!(store.dbsize().unwrap(), 5);
}

/// Makes each call on a string at `location:0`, which must not change it.
fn refused<P: Precision>(store: &Store, locations: &Locations<Store, P>) {
    let before = (store.dump("location:0").unwrap(), store.dump("location:max").unwrap());
    let len = store.strlen("location:0").unwrap();
    let code = Default::default;
    for (what, error) in [
        ("set", locations.set_code(7, code()).err()),
        ("a larger id", locations.set_code(9000, code()).err()),
        ("get", locations.code(0).err()),
        ("aggregate", locations.aggregate().err()),
        ("aggregate_list", locations.aggregate_list([0]).err()),
    ] {
        let error = error.unwrap_or_else(|| panic!("{what} of {len} bytes"));
        assert_eq!(error.kind(), ErrorKind::WrongType, "{what}");
        let text = format!("ERR the {len} bytes at 'location:0' are not locations of ");
        assert!(error.to_string().starts_with(&text), "{error}");
    }
    let after = (store.dump("location:0").unwrap(), store.dump("location:max").unwrap());
    assert_eq!(before, after);
}

#[test]
fn strings_whose_length_does_not_fit_the_width_are_refused() {
    fn check<P: Precision>(width: usize, with: impl Fn(Locations) -> Locations<Store, P>) {
        let (store, locations) = locations();
        let locations = with(locations);
        store.zadd("location:max", "max", 8000).unwrap();
        let most = width << 20;
        for len in [1, 2, 3, 4, 5, 6, 7, 8, 12, 63, 64, 65, most - 1, most, most + 1, most + width]
        {
            // Also for the smallest, a string that is stored as a number.
            for byte in [b'1', 0xff] {
                store.set("location:0", vec![byte; len]).unwrap();
                if len % width == 0 && len <= most {
                    locations.code(0).unwrap();
                    locations.set_code(7, Default::default()).unwrap();
                    locations.aggregate().unwrap();
                } else {
                    refused(&store, &locations);
                }
            }
        }
    }
    check(1, Locations::countries);
    check(2, |locations| locations);
    check(3, |locations| locations.cities(cities()));
    check(4, Locations::codec::<NumberCode>);
    check(6, Locations::codec::<LatLon6>);
    let (store, locations) = locations();
    locations.set(0, "USA", "CA").unwrap();
    let error = locations.clone().cities(cities()).get(0).unwrap_err().to_string();
    assert_eq!(error, "ERR the 2 bytes at 'location:0' are not locations of 3 bytes each");
    store.set("location:0", vec![0; (1 << 20) + 1]).unwrap();
    let error = locations.countries().get(0).unwrap_err().to_string();
    assert_eq!(error, "ERR the 1048577 bytes at 'location:0' are not locations of 1 byte each");
}
