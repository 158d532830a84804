//! Compares the scripts of cohorts with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use jiff::civil::date;
use testkit::rng::{Rng, rounds};

use super::cohort::Cohort;
use super::names::Names;
use super::period::{Period, PeriodKind};
use super::procedures::{
    StoreKeys, all, between, bytes, count_bits, has_bit, put, set_bits, store_with, strings,
};
use super::program::Sources;
use crate::beside::Beside;
use crate::keys::delete;

const KEYS: [&[u8]; 5] = [b"a", b"b", b"c", b"d", b"{t}"];

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(23);
    for round in 0..rounds(5_000, 20_000) {
        step(&mut both, &mut rng);
        if round % 60 == 59 {
            both.flush();
        }
    }
}

/// Runs a procedure with random arguments, on keys that may hold values of any type.
fn step(both: &mut Beside, rng: &mut Rng) {
    spoil(both, rng);
    let key = *rng.pick(&KEYS).unwrap();
    let keys: Vec<&[u8]> = KEYS.into_iter().filter(|_| rng.below(2) == 0).collect();
    let most = *rng.pick(&[30, 90_000]).unwrap();
    let bit = u32::try_from(rng.below(most)).unwrap();
    let on = rng.below(4) > 0;
    match rng.below(12) {
        0..3 if !keys.is_empty() => drop(both.call(&set_bits(&*keys, bit, on))),
        3 => drop(both.call(&set_bits([key], bit, on))),
        4 => drop(both.call(&has_bit(key, bit))),
        5 => drop(both.call(&count_bits(key))),
        6 if !keys.is_empty() => drop(both.call(&bytes(&all(&keys), bit / 8))),
        7 if !keys.is_empty() => drop(both.call(&strings(&all(&keys), rng.below(2) == 0))),
        8 => drop(both.call(&put(key, &vec![b'1'; usize::try_from(rng.below(4)).unwrap()]))),
        9..12 => {
            let names = Names::new(b"t", [PeriodKind::Hour]);
            let mut sources = Sources::new(&names);
            let program = sources.program(&cohort(rng, 3));
            let keys = sources.keys();
            let between = between(key, &keys, program.results() + 1);
            let keys = StoreKeys::new(key, &between, &keys);
            drop(both.call(&store_with(&keys, &program)));
        }
        _ if keys.is_empty() => {}
        _ => drop(both.call(&delete(&keys))),
    }
}

/// Returns a random cohort of these keys.
fn cohort(rng: &mut Rng, depth: u32) -> Cohort {
    if depth == 0 || rng.below(3) == 0 {
        return if rng.below(40) == 0 {
            // More bitmaps than a Lua function accepts arguments.
            Cohort::of("e", Period::year(date(2015, 1, 1)))
        } else {
            Cohort::key(rng.pick(&KEYS).unwrap())
        };
    }
    let left = cohort(rng, depth - 1);
    match rng.below(8) {
        0 => left & cohort(rng, depth - 1),
        1 => left | cohort(rng, depth - 1),
        2 => left ^ cohort(rng, depth - 1),
        3 | 4 => left - cohort(rng, depth - 1),
        5 => !left,
        6 => Cohort::all((0..rng.below(4)).map(|_| cohort(rng, depth - 1))),
        _ => Cohort::any((0..rng.below(4)).map(|_| cohort(rng, depth - 1))),
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng) {
    let key = *rng.pick(&KEYS).unwrap();
    match rng.below(80) {
        0 => both.command(&[b"HSET", key, b"f", b"v"]),
        1 | 2 => both.command(&[b"DEL", key]),
        3 => both.command(&[b"SET", key, b"12345"]),
        4 => both.command(&[b"SET", key, b""]),
        5 => {
            let at = (both.now_ms() + rng.range(1..=20)).to_string();
            both.command(&[b"PEXPIREAT", key, at.as_bytes()]);
        }
        6 => both.command(&[b"SETBIT", b"t_e_2015-2-3-4", b"77", b"1"]),
        7 => both.command(&[b"SETBIT", b"t_e_2015-12-31-4", b"77", b"1"]),
        8 => both.advance(rng.range(0..=15)),
        _ => {}
    }
}
