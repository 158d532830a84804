//! Compares the scripts of locations with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fmt::Debug;

use bitpack::packed::NumberCode;
use redis::cluster::ClusterClient;
use store::{Error, ErrorKind, Profile, Store};
use testkit::live;
use testkit::rng::{Rng, rounds};

use super::procedures::{OfShard, code, largest, len, raise, range, set_alone, set_largest};
use super::{CityTable, Locations, Precision, RecordOf, USERS_PER_SHARD};
use crate::backend::Backend;
use crate::beside::Beside;
use crate::scripts::scripts;
use crate::server::Server;

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(22);
    for round in 0..rounds(5_000, 20_000) {
        match rng.below(3) {
            0 => step::<1>(&mut both, &mut rng),
            1 => step::<2>(&mut both, &mut rng),
            _ => step::<5>(&mut both, &mut rng),
        }
        if round % 50 == 49 {
            both.flush();
        }
    }
}

/// Runs a procedure with random arguments, on keys that may hold values of any type.
fn step<const W: usize>(both: &mut Beside, rng: &mut Rng)
where
    [u8; W]: bitpack::packed::Record,
{
    let keys: [&[u8]; 2] = [b"shard\xff'\n:0", b"shard:max"];
    let [shard, max] = keys;
    spoil(both, rng, &keys);
    // Few are far from the others, because the shards are compared after each step.
    let place = |rng: &mut Rng| if rng.below(200) == 0 { (1 << 20) - 1 } else { rng.below(30) };
    let users: Vec<(u64, [u8; W])> = (0..=rng.below(6))
        .map(|_| (rng.below(4) << 38 | place(rng), rng.bytes(W).try_into().unwrap()))
        .collect();
    let users = OfShard { shard, codes: &users };
    let at = usize::try_from(place(rng)).unwrap();
    match rng.below(7) {
        0 => drop(both.call(&set_largest(users, max))),
        1 => drop(both.call(&set_alone(users))),
        2 => drop(both.call(&raise(max, rng.below(1 << 40)))),
        3 => drop(both.call(&largest(max))),
        4 => drop(both.call(&code::<[u8; W]>(shard, at))),
        5 => drop(both.call(&len::<[u8; W]>(shard))),
        _ => {
            drop(both.call(&range::<[u8; W]>(
                shard,
                at..at + usize::try_from(rng.range(1..=9)).unwrap(),
            )));
        }
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng, keys: &[&[u8]]) {
    let key = *rng.pick(keys).unwrap();
    match rng.below(24) {
        0 => both.command(&[b"SET", key, b"123456"]),
        1 => both.command(&[b"APPEND", key, b"x"]),
        2 => both.command(&[b"DEL", key]),
        3 => both.command(&[b"HSET", key, b"f", b"v"]),
        4 => both.command(&[b"ZADD", key, b"17", b"max"]),
        5 => both.command(&[b"ZADD", key, b"-inf", b"max", b"1", b"other"]),
        6 => both.command(&[b"SET", key, b"0123456789"]),
        7 => both.command(&[b"SETRANGE", key, b"5242880", b"0123456789"]),
        8..12 => both.command(&[b"DEL", keys[0]]),
        _ => {}
    }
}

/// The results of calls, in order.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    fn add(&mut self, outcome: &Result<impl Debug, Error>) {
        self.0.push(format!("{outcome:?}"));
    }
}

/// Calls all functions of a recipe, with more than one block, and more than a few users.
fn ask<B: Backend, P: Precision<Counts: Debug>>(
    locations: &Locations<B, P>,
    codes: impl Fn(u64) -> RecordOf<P>,
) -> Log {
    let mut log = Log::default();
    let mut rng = Rng::new(24);
    log.add(&locations.largest_user());
    log.add(&locations.aggregate());
    log.add(&locations.aggregate_list([3, 70_000]));
    for user in [5, 0, USERS_PER_SHARD + 7, 5] {
        log.add(&locations.set_code(user, codes(user)));
        log.add(&locations.code(user));
    }
    log.add(&locations.code(6));
    log.add(&locations.code(Locations::MAX_USER));
    let spread = 3 * USERS_PER_SHARD;
    let users: Vec<u64> = (0..90_000).chain((0..600).map(|_| rng.below(spread))).collect();
    log.add(&locations.set_codes(users.iter().map(|&user| (user, codes(rng.below(99))))));
    let too_large = Locations::MAX_USER + 1;
    log.add(&locations.set_codes([(1, codes(1)), (too_large, codes(2)), (2, codes(3))]));
    log.add(&locations.largest_user());
    log.add(&locations.aggregate());
    // One user of a block, nearly all of another, some twice, some beyond the end.
    let mut listed = vec![7, 7, 7, 2 << 20, 2 << 20];
    listed.extend((0..3000).map(|_| rng.below(200_000)));
    listed.extend((0..300).map(|_| rng.below(4 << 20)));
    log.add(&locations.aggregate_list(listed));
    log
}

/// Returns the results in several precisions.
fn ask_all<B: Backend + Clone>(backend: &B, prefix: &str) -> Vec<String> {
    let locations = || Locations::new(backend.clone()).prefix(prefix);
    let byte = |number: u64| u8::try_from(number % 256).unwrap();
    let mut log = ask(&locations(), |user| [byte(user % 5), byte(user % 3)]);
    let three = |name: &str| format!("{prefix}:{name}");
    let table = CityTable::from_rows([("USA", "CA", "San Jose"), ("FRA", "", "Paris")]).unwrap();
    let cities = locations().cities(table).prefix(three("cities"));
    log.0.extend(ask(&cities, |user| [byte(user % 3), byte(user % 2), 1]).0);
    let numbers = locations().codec::<NumberCode>().prefix(three("numbers"));
    log.0.extend(ask(&numbers, |user| [0, 0, byte(user % 9), byte(user)]).0);
    // The strings of one width are invalid for most others.
    log.add(&numbers.clone().prefix(three("cities")).code(1));
    log.add(&numbers.clone().prefix(three("cities")).set_code(1, [0; 4]));
    log.add(&numbers.clone().prefix(three("cities")).set_codes([(1, [0; 4])]));
    log.add(&numbers.clone().prefix(three("cities")).aggregate());
    log.add(&numbers.prefix(three("cities")).aggregate_list([1]));
    log.0
}

#[test]
fn on_a_server_all_is_as_on_a_store() {
    let Some(mut both) = Beside::open() else { return };
    let wanted = ask_all(&both.store, "location");
    assert_eq!(ask_all(&both.server, "location"), wanted);
    both.scripted.add_scripts(scripts());
    assert_eq!(ask_all(&Server::redis(both.scripted.redis_connection()), "location"), wanted);
    both.check();
}

#[test]
fn on_a_cluster_all_is_as_on_a_store() {
    let Some(cluster) = live::cluster() else { return };
    let server = Server::redis_cluster(ClusterClient::new(cluster.nodes()).unwrap());
    // In many slots, and in one.
    for prefix in ["location", "{location}"] {
        let store = Store::builder().profile(Profile::Redis70).build();
        assert_eq!(ask_all(&server, prefix), ask_all(&store, prefix), "{prefix}");
        let mut count = 0;
        for url in cluster.masters() {
            let mut connection = cluster.connect(&url);
            let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
            for key in keys.iter().filter(|key| key.starts_with(prefix.as_bytes())) {
                let dump: Vec<u8> = redis::cmd("DUMP").arg(key).query(&mut connection).unwrap();
                let name = key.escape_ascii();
                assert_eq!(store.dump(key).unwrap().as_deref(), Some(&dump[..]), "{name}");
                count += 1;
            }
        }
        assert_eq!(count, store.dbsize().unwrap());
    }
    // The largest id may be that of a user that was refused.
    let countries = Locations::new(&server).countries().prefix("odd");
    countries.set(0, "USA").unwrap();
    let regions = Locations::new(&server).prefix("odd");
    assert_eq!(
        regions.set(5, "USA", "CA").map_err(|error| error.kind()),
        Err(ErrorKind::WrongType)
    );
    assert_eq!(regions.largest_user(), Ok(Some(5)));
    assert_eq!(countries.code(5), Ok([0]));
}
