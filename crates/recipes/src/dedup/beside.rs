//! Compares the scripts of dedups with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::time::Duration;

use bloom::{ItemHash, Settings};
use store::{BloomEntry, ErrorKind, Member, Store};
use testkit::live::{Options, named, redisbloom, server_with};
use testkit::rng::{Rng, rounds};

use super::procedures::{InsertTurning, Items, Turn, has, info, insert};
use super::{AT_ONCE_ON_SERVER, Dedup};
use crate::backend::Backend;
use crate::beside::Beside;
use crate::scripts::scripts;
use crate::server::Server;

fn open() -> Option<Beside> {
    let options = Options::new().module(redisbloom()?).config("enable-debug-command", "yes");
    server_with(&options).map(Beside::on)
}

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = open() else { return };
    let mut rng = Rng::new(23);
    for round in 0..rounds(5_000, 20_000) {
        step(&mut both, &mut rng);
        if round % 50 == 49 {
            both.flush();
        }
    }
}

/// Runs a procedure with random arguments, on keys that may hold values of any type.
fn step(both: &mut Beside, rng: &mut Rng) {
    let keys: [&[u8]; 2] = [b"seen", b"{seen}:older"];
    let [key, older] = keys;
    spoil(both, rng, &keys);
    // Now and then more than Lua passes to a function at once.
    let count = if rng.below(100) == 0 { 2500 } else { 1 + rng.below(40) };
    let among = if count > 100 { 3000 } else { *rng.pick(&[30, 300]).unwrap() };
    let items: Vec<i64> = (0..count).map(|_| rng.range(0..=among) - 9).collect();
    let items: Vec<Member<'_>> = items.into_iter().map(Member::Int).collect();
    let hashes: Vec<ItemHash> = items.iter().map(|&item| BloomEntry::hash(item)).collect();
    let items = Items { items: &items, hashes: &hashes };
    let capacity = 1 + rng.below(60);
    let settings = Settings::new(capacity, *rng.pick(&[0.3, 0.01, 1e-12, 0.000_123_4]).unwrap());
    match rng.below(8) {
        0 | 1 => drop(both.call(&insert(key, items, settings))),
        2 | 3 => {
            let (settings, turn) = (settings.non_scaling(), Turn::Items(capacity));
            let insert = InsertTurning { key, older, items, settings, turn };
            drop(both.call(&insert.procedure()));
        }
        4 | 5 => {
            let turn = Turn::PeriodMs(*rng.pick(&[1, 2, 15, 40]).unwrap());
            let insert = InsertTurning { key, older, items, settings, turn };
            drop(both.call(&insert.procedure()));
        }
        6 => {
            drop(both.call(&has(key, items.items[0])));
            drop(both.call(&info(older)));
        }
        _ => both.advance(rng.range(0..=15)),
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng, keys: &[&[u8]]) {
    let key = *rng.pick(keys).unwrap();
    match rng.below(30) {
        0 => both.command(&[b"SET", key, b"text"]),
        1 => both.command(&[b"DEL", key]),
        2 => both.command(&[b"HSET", key, b"f", b"v"]),
        3 => both.command(&[b"PERSIST", key]),
        // Filters of other clients, which may not grow.
        4 => both.command(&[b"BF.RESERVE", key, b"0.01", b"20", b"NONSCALING"]),
        5 => both.command(&[b"BF.RESERVE", key, b"0.01", b"20", b"EXPANSION", b"3"]),
        6 => both.command(&[b"BF.INSERT", key, b"CAPACITY", b"5", b"ITEMS", b"1", b"2", b"3"]),
        7..10 => both.command(&[b"DEL", keys[0]]),
        _ => {}
    }
}

/// Returns the results of all recipes, in order.
fn ask<B: Backend + Clone>(backend: &B) -> Vec<String> {
    let mut log = Vec::new();
    let (all, last) = (
        Dedup::new(backend.clone(), "all", 100, 0.01),
        Dedup::last(backend.clone(), "last", 50, 0.01),
    );
    for seen in [all.unwrap(), last.unwrap()] {
        log.push(format!("{:?}", seen.info()));
        for round in 0..40 {
            log.push(format!("{:?}", seen.insert(round % 30)));
            log.push(format!("{:?}", seen.insert_many(round..round + 70)));
            log.push(format!("{:?} {:?}", seen.contains(round), seen.contains(round + 500)));
            log.push(format!("{:?}", seen.info()));
        }
        log.push(format!("{:?}", seen.insert_many(-3000..0)));
        log.push(format!("{:?}", seen.insert_many([0_i64; 0])));
    }
    log
}

#[test]
fn on_a_server_all_is_as_on_a_store() {
    let Some(mut both) = open() else { return };
    let wanted = ask(&both.store);
    assert_eq!(ask(&both.server), wanted);
    both.scripted.add_scripts(scripts());
    assert_eq!(ask(&Server::redis(both.scripted.redis_connection())), wanted);
    both.check();
}

#[test]
fn a_server_forgets_what_came_a_period_ago() {
    let Some(both) = open() else { return };
    let period = Duration::from_millis(600);
    let seen = Dedup::within(&both.server, "seen", 100, 0.001, period).unwrap();
    assert_eq!(seen.insert_many(["a", "b"]), Ok(vec![true, true]));
    assert_eq!(seen.insert_many(["b", "c"]), Ok(vec![false, true]));
    std::thread::sleep(period);
    std::thread::sleep(period);
    assert_eq!(seen.contains("a"), Ok(false));
    assert_eq!(seen.insert("a"), Ok(true));
    assert_eq!(seen.insert("a"), Ok(false));
}

#[test]
fn what_a_server_cannot_take_is_refused() {
    let Some(both) = open() else { return };
    let seen = Dedup::new(&both.server, "seen", 100, 0.001).unwrap();
    let items: Vec<i64> = (0..).take(AT_ONCE_ON_SERVER + 1).collect();
    let refused = seen.insert_many(&items).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    let years = Duration::from_secs(86_400 * 365 * 1_000_000);
    let refused = Dedup::within(&both.server, "seen", 100, 0.001, years).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(Dedup::within(Store::new(), "seen", 100, 0.001, years).is_ok());
}

#[test]
fn a_server_without_the_module_says_so() {
    let Some(live) = named("valkey-9.1.2") else { return };
    let server = Server::redis(live.connect());
    let all = Dedup::new(&server, "seen", 100, 0.001).unwrap();
    let last = Dedup::last(&server, "seen", 100, 0.001).unwrap();
    assert_eq!(all.contains(1).unwrap_err().kind(), ErrorKind::UnknownCommand);
    assert_eq!(all.info().unwrap_err().kind(), ErrorKind::UnknownCommand);
    for seen in [all, last] {
        let one = seen.insert(1).unwrap_err();
        let many = seen.insert_many([1, 2]).unwrap_err();
        assert!([ErrorKind::UnknownCommand, ErrorKind::Server].contains(&one.kind()), "{one:?}");
        assert!([ErrorKind::UnknownCommand, ErrorKind::Server].contains(&many.kind()), "{many:?}");
    }
}
