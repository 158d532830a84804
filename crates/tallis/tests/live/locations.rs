//! Locations compared with the book's method, on the same keys.
//!
//! The book's client stores a code with SETRANGE, adds the id to a temporary sorted set, and keeps the greater id with
//! ZUNIONSTORE; other clients use ZADD GT. Both leave the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use redis::{Connection, Value};
use tallis::bitpack::packed::{Codec, NumberCode};
use tallis::{CityTable, LocationTable, Locations, Precision, Profile, RestoreOptions, Store};
use testkit::live::{Options, server, server_with};
use testkit::rng::Rng;

use super::run;
use crate::journal::Journal;

const SHARD: u64 = 1 << 20;

/// A store with the payloads of the server's version.
fn store() -> Store {
    Store::builder().profile(Profile::Redis70).build()
}

/// `set_location` by a client, with `book` by the book's commands.
fn set(server: &mut Connection, user: u64, code: [u8; 2], book: bool) {
    let (key, offset) = (format!("location:{}", user / SHARD), (user % SHARD * 2).to_string());
    run(server, &[b"SETRANGE", key.as_bytes(), offset.as_bytes(), &code]);
    let user = user.to_string();
    if book {
        run(server, &["ZADD", "one of its own", &user, "max"]);
        let union = "ZUNIONSTORE location:max 2 own location:max AGGREGATE MAX";
        let words =
            union.split(' ').map(|word| if word == "own" { "one of its own" } else { word });
        run(server, &words.collect::<Vec<_>>());
        run(server, &["DEL", "one of its own"]);
    } else {
        run(server, &["ZADD", "location:max", "GT", &user, "max"]);
    }
}

fn bytes(value: Value) -> Vec<u8> {
    let Value::BulkString(bytes) = value else { panic!("{value:?}") };
    bytes
}

/// The server's keys, sorted.
fn keys(server: &mut Connection) -> Vec<Vec<u8>> {
    let Value::Array(keys) = run(server, &["KEYS", "*"]) else { panic!("an array") };
    let mut keys: Vec<_> = keys.into_iter().map(bytes).collect();
    keys.sort_unstable();
    keys
}

/// Checks that both have the same keys with the same payloads; strings are compared by their bytes, because they may be
/// compressed differently.
fn assert_same(store: &Store, server: &mut Connection) {
    let theirs = keys(server);
    let mut ours = store.keys("*").unwrap();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
    for key in &theirs {
        let ours = store.dump(key).unwrap().unwrap();
        let theirs = bytes(run(server, &[b"DUMP", &key[..]]));
        let name = key.escape_ascii();
        if key == b"location:max" {
            assert_eq!(ours, theirs, "{name}");
        } else {
            assert_eq!(super::dumped(&ours), super::dumped(&theirs), "{name}");
            assert_eq!(store.get(key).unwrap().unwrap(), bytes(run(server, &[b"GET", &key[..]])));
        }
    }
}

/// `aggregate_location` by a client: every string of every shard, code by code.
fn aggregate(server: &mut Connection) -> BTreeMap<String, u64> {
    let table = LocationTable::redis_in_action();
    let mut counts = BTreeMap::new();
    let largest =
        String::from_utf8(bytes(run(server, &["ZSCORE", "location:max", "max"]))).unwrap();
    for shard in 0..=largest.parse::<u64>().unwrap() / SHARD {
        let key = format!("location:{shard}");
        let string = bytes(run(server, &["GETRANGE", &key, "0", "-1"]));
        for &code in string.as_chunks::<2>().0 {
            let (Some(country), region) = table.names(code) else { continue };
            *counts.entry(country.to_owned()).or_default() += 1;
            if let Some(region) = region {
                *counts.entry(format!("{country} {region}")).or_default() += 1;
            }
        }
    }
    counts
}

fn ours(locations: &Locations) -> BTreeMap<String, u64> {
    let counts = locations.aggregate().unwrap();
    let mut all = BTreeMap::new();
    for (country, users) in counts.countries() {
        all.insert(country.to_owned(), users);
        let regions = counts.regions(country);
        all.extend(regions.map(|(region, users)| (format!("{country} {region}"), users)));
    }
    all
}

/// Random users and codes: all places, some unknown ones, with increasing and decreasing ids over several shards.
fn crowd(seed: u64) -> Vec<(u64, &'static str, &'static str)> {
    const PLACES: [(&str, &str); 9] = [
        ("USA", "CA"),
        ("USA", "WY"),
        ("USA", ""),
        ("USA", "QQ"),
        ("CAN", "AB"),
        ("ZWE", ""),
        ("ABW", "X"),
        ("ZZZ", "CA"),
        ("", ""),
    ];
    let mut rng = Rng::new(seed);
    let users = (0..400).map(|n| {
        let user = match rng.below(3) {
            0 => n,
            1 => rng.below(4 * SHARD),
            _ => SHARD - 2 + rng.below(4),
        };
        let (country, region) = PLACES[rng.index(PLACES.len())];
        (user, country, region)
    });
    users.collect()
}

#[test]
fn both_sides_leave_the_same_bytes() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let table = LocationTable::redis_in_action();
    for (seed, book) in [(1, false), (2, true)] {
        run(&mut server, &["FLUSHALL"]);
        let store = store();
        let locations = Locations::new(store.clone());
        for (number, (user, country, region)) in crowd(seed).into_iter().enumerate() {
            locations.set_lenient(user, country, region).unwrap();
            set(&mut server, user, table.code_lenient(country, region), book);
            if number % 50 == 0 {
                assert_same(&store, &mut server);
            }
        }
        assert_same(&store, &mut server);
        assert_eq!(ours(&locations), aggregate(&mut server));
    }
}

#[test]
fn the_largest_id_has_the_servers_bytes_whatever_it_is() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let around = |bits: u32| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1];
    let mut ids: Vec<u64> = (0..40).flat_map(around).chain([0, Locations::MAX_USER]).collect();
    let mut rng = Rng::new(3);
    ids.extend((0..100).map(|_| rng.u64() >> 24 >> rng.below(40)));
    for id in ids {
        run(&mut server, &["DEL", "location:max"]);
        run(&mut server, &["ZADD", "location:max", &id.to_string(), "max"]);
        let store = store();
        let locations = Locations::new(store.clone());
        // Only the string of the last shard would be large.
        locations.set(id, "USA", None).unwrap();
        let (ours, theirs) = (
            store.dump("location:max").unwrap().unwrap(),
            run(&mut server, &["DUMP", "location:max"]),
        );
        assert_eq!(ours, bytes(theirs), "{id}");

        // In the other direction, the server's payload is restored here.
        let other = self::store();
        other.restore("location:max", &ours, RestoreOptions::default()).unwrap();
        assert_eq!(Locations::new(other).largest_user().unwrap(), Some(id));
    }
}

#[test]
fn a_file_is_transferred_to_the_server_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locations.rdb");
    let first = store();
    let locations = Locations::new(first.clone());
    let users = crowd(4);
    let (early, late) = users.split_at(200);
    for &(user, country, region) in early {
        locations.set_lenient(user, country, region).unwrap();
    }
    first.save(&file).unwrap();

    let Some(live) = server_with(&Options::new().rdb(&file)) else { return };
    live.check_rdb(&file).unwrap();
    let mut server = live.connect();
    assert_same(&first, &mut server);
    assert_eq!(ours(&locations), aggregate(&mut server));

    // The server continues, and saves.
    let table = LocationTable::redis_in_action();
    for &(user, country, region) in late {
        set(&mut server, user, table.code_lenient(country, region), true);
    }
    run(&mut server, &["SAVE"]);
    let second = store();
    second.load(live.rdb_file()).unwrap();
    assert_same(&second, &mut server);
    let loaded = Locations::new(second);
    assert_eq!(ours(&loaded), aggregate(&mut server));
    for (user, country, region) in users {
        locations.set_lenient(user, country, region).unwrap();
    }
    assert_same(&first, &mut server);
    assert_eq!(loaded.aggregate().unwrap(), locations.aggregate().unwrap());
}

/// Every encoding that a server uses, or that an older one dumped.
#[test]
fn the_sets_of_other_servers_are_read() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    run(&mut server, &["CONFIG", "SET", "zset-max-listpack-entries", "0"]);
    for id in [0_u64, 1_000_000, 1 << 35] {
        run(&mut server, &["FLUSHALL"]);
        run(&mut server, &["ZADD", "location:max", &id.to_string(), "max"]);
        let encoding = run(&mut server, &["OBJECT", "ENCODING", "location:max"]);
        assert_eq!(encoding, Value::BulkString("skiplist".into()));
        let payload = bytes(run(&mut server, &["DUMP", "location:max"]));
        let store = store();
        store.restore("location:max", &payload, RestoreOptions::default()).unwrap();
        assert_eq!(Locations::new(store).largest_user().unwrap(), Some(id));
    }
    // Payloads of a server before 7.0, which this server accepts.
    for (number, id) in [
        (&b"\xf1"[..], 0_u64),
        (b"\xfd", 12),
        (b"\xfe\x0d", 13),
        (b"\xc0\xff\x7f", 32_767),
        (b"\xf0\0\0\x40", 4_194_304),
        (b"\xd0\0\0\0\x40", 1 << 30),
        (b"\xe0\0\0\0\0\x01\0\0\0", 1 << 32),
    ] {
        let len = u8::try_from(17 + number.len()).unwrap();
        let head = [len, len, 0, 0, 0, 15, 0, 0, 0, 2, 0, 0, 3];
        let body = [&head[..], b"max\x05", number, b"\xff"].concat();
        let raw = rdb::RawValue::new(rdb::ValueType::ZSetZiplist, body).unwrap();
        let payload =
            rdb::dump::encode(rdb::WriteOptions::default(), |writer| writer.raw(&raw)).unwrap();
        run(&mut server, &["DEL", "location:max"]);
        run(&mut server, &[b"RESTORE", &b"location:max"[..], b"0", &payload]);
        let score = run(&mut server, &["ZSCORE", "location:max", "max"]);
        assert_eq!(bytes(score), id.to_string().as_bytes());
        let store = store();
        store.restore("location:max", &payload, RestoreOptions::default()).unwrap();
        assert_eq!(Locations::new(store).largest_user().unwrap(), Some(id));
    }
}

#[test]
fn effects_create_the_same_keys_on_a_server() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let journal = Arc::new(Journal::default());
    let store = Store::builder().profile(Profile::Redis70).sink(journal.clone()).build();
    let locations = Locations::new(store.clone());
    for (user, country, region) in crowd(5) {
        locations.set_lenient(user, country, region).unwrap();
    }
    for effect in journal.take() {
        run(&mut server, &effect.args);
    }
    assert_same(&store, &mut server);
}

/// Sets the same codes by the recipe, and by SETRANGE and ZADD on the server; and compares each user's code with
/// GETRANGE.
fn same_codes<P: Precision>(
    server: &mut Connection,
    with: impl Fn(Locations) -> Locations<Store, P>,
    code: impl Fn([u8; 4]) -> <P::Codec as Codec>::Record,
) {
    run(server, &["FLUSHALL"]);
    let store = store();
    let locations = with(Locations::new(store.clone()));
    let mut rng = Rng::new(6);
    for (number, (user, ..)) in crowd(6).into_iter().enumerate() {
        let code = code([(); 4].map(|()| u8::try_from(rng.below(256)).unwrap()));
        let width = code.as_ref().len() as u64;
        locations.set_code(user, code).unwrap();
        let (key, offset) = (format!("location:{}", user / SHARD), user % SHARD * width);
        run(server, &[b"SETRANGE", key.as_bytes(), offset.to_string().as_bytes(), code.as_ref()]);
        run(server, &["ZADD", "location:max", "GT", &user.to_string(), "max"]);
        let end = (offset + width - 1).to_string();
        let range = run(server, &["GETRANGE", &key, &offset.to_string(), &end]);
        assert_eq!(bytes(range), locations.code(user).unwrap().as_ref());
        if number % 100 == 0 {
            assert_same(&store, server);
        }
    }
    assert_same(&store, server);
}

#[test]
fn codes_of_every_width_are_the_same_bytes() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let table = CityTable::from_rows([("FRA", "", "Paris")]).unwrap();
    same_codes(&mut server, Locations::countries, |[a, ..]| [a]);
    same_codes(&mut server, |locations| locations, |[a, b, ..]| [a, b]);
    same_codes(&mut server, |locations| locations.cities(table.clone()), |[a, b, c, _]| [a, b, c]);
    same_codes(&mut server, Locations::codec::<NumberCode>, |code| code);
}
