//! The scripts of dedups beside the procedures.

use bloom::{ItemHash, Settings};
use store::{BloomEntry, Member};
use testkit::live::{Options, redisbloom, server_with};
use testkit::rng::Rng;

use super::procedures::{InsertTurning, Items, Turn, has, info, insert};
use crate::beside::Beside;

#[test]
fn scripts_do_what_procedures_do() {
    let Some(module) = redisbloom() else { return };
    let options = Options::new().module(module).config("enable-debug-command", "yes");
    let Some(mut both) = server_with(&options).map(Beside::on) else { return };
    let mut rng = Rng::new(23);
    for round in 0..10_000 {
        step(&mut both, &mut rng);
        if round % 50 == 49 {
            both.flush();
        }
    }
}

/// A procedure of random arguments, on keys that may hold anything.
fn step(both: &mut Beside, rng: &mut Rng) {
    let keys: [&[u8]; 2] = [b"seen", b"{seen}:older"];
    let [key, older] = keys;
    spoil(both, rng, &keys);
    // Now and then more than Lua passes on at once.
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

/// Puts something at a key now and then.
fn spoil(both: &mut Beside, rng: &mut Rng, keys: &[&[u8]]) {
    let key = *rng.pick(keys).unwrap();
    match rng.below(30) {
        0 => both.command(&[b"SET", key, b"text"]),
        1 => both.command(&[b"DEL", key]),
        2 => both.command(&[b"HSET", key, b"f", b"v"]),
        3 => both.command(&[b"PERSIST", key]),
        // Filters of others, which may not grow.
        4 => both.command(&[b"BF.RESERVE", key, b"0.01", b"20", b"NONSCALING"]),
        5 => both.command(&[b"BF.RESERVE", key, b"0.01", b"20", b"EXPANSION", b"3"]),
        6 => both.command(&[b"BF.INSERT", key, b"CAPACITY", b"5", b"ITEMS", b"1", b"2", b"3"]),
        7..10 => both.command(&[b"DEL", keys[0]]),
        _ => {}
    }
}
