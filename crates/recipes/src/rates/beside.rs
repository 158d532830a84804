//! Compares the scripts of limits with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::time::Duration;

use store::ErrorKind;
use testkit::rng::{Rng, rounds};

use super::buckets::Meter;
use super::counter::count;
use super::funnel::pour;
use super::history::{Limit, can_act, take};
use super::{LONGEST, MOST_IN_LUA, Quota};
use crate::beside::Beside;

/// A key for each limit: now and then it gets the value of another limit.
const KEYS: [&[u8]; 3] = [b"hist:Lei:reply", b"funnel", b"counter"];

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(22);
    for round in 0..rounds(5_000, 20_000) {
        step(&mut both, &mut rng);
        if round % 100 == 99 {
            both.flush();
        }
    }
}

/// Numbers that a double cannot hold are refused, or are invalid counts, and nothing changes.
#[test]
fn numbers_that_lua_does_not_hold_are_refused() {
    let Some(mut both) = Beside::open() else { return };
    let (most, us) = (MOST_IN_LUA, Duration::from_micros);
    for period_ms in [most, most + 1, LONGEST] {
        let limit = Limit { period_ms, max_count: 1, count_refused: false };
        let refused = both.call_on_server(&can_act(b"none", limit)).map_err(|error| error.kind());
        let wanted = if period_ms == most { Ok(true) } else { Err(ErrorKind::InvalidArgument) };
        assert_eq!(refused, wanted);
    }
    both.flush();
    let deep = Quota::new(most.unsigned_abs() + 1, 1, us(1)).unwrap();
    let long = Meter { limit: 1, period_ms: most + 1 };
    let high = Meter { limit: most + 1, period_ms: 1 };
    for error in [
        both.call_on_server(&pour(b"none", &deep, 1, Some)).unwrap_err(),
        both.call_on_server(&count(b"none", long, 1)).unwrap_err(),
        both.call_on_server(&count(b"none", high, 1)).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    let meter = Meter { limit: most, period_ms: 1000 };
    for counts in ["1:1:1000000000000000", "1:1000000000000000:1", "1000000000000000:1:1"] {
        both.command(&[b"SET", b"counter", counts.as_bytes()]);
        let error = both.call_on_server(&count(b"counter", meter, 1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotInteger, "{counts}: {error}");
    }
    both.check();
}

/// Runs an action with random arguments, on keys that may hold values of any type.
fn step(both: &mut Beside, rng: &mut Rng) {
    spoil(both, rng);
    let key = if rng.below(20) == 0 { *rng.pick(&KEYS).unwrap() } else { b"" };
    let key = |own| if key.is_empty() { own } else { key };
    match rng.below(8) {
        0 => drop(both.call(&can_act(key(KEYS[0]), limit(rng)))),
        1 => drop(both.call(&take(key(KEYS[0]), limit(rng)))),
        2 | 3 => {
            let (quota, quantity) = (quota(rng), quantity(rng));
            drop(both.call(&pour(key(KEYS[1]), &quota, quantity, Some)));
        }
        4 if rng.below(8) == 0 => close(both, rng),
        4 | 5 => {
            let (meter, quantity) = (meter(rng), quantity(rng));
            drop(both.call(&count(key(KEYS[2]), meter, quantity)));
        }
        6 => both.advance_us(rng.range(0..=3_000)),
        _ => both.advance(*rng.pick(&[0, 1, 2, 7, 20, 60, 1200]).unwrap()),
    }
}

/// Compares counts at the limit of a decision, where the products differ by less than the precision of doubles.
fn close(both: &mut Beside, rng: &mut Rng) {
    let (most, ago) = (MOST_IN_LUA, rng.range(1..=4));
    let counts = format!("{}:{}:0", both.now_ms() - ago, most - 1);
    both.command(&[b"SET", KEYS[2], counts.as_bytes()]);
    // (most - 1) * (most - ago) is (most - 1 - ago) * most and ago more.
    let meter = Meter { limit: most, period_ms: most };
    let quantity = ago + rng.range(0..=2);
    let throttle = both.call(&count(KEYS[2], meter, quantity.unsigned_abs())).unwrap();
    assert_eq!(throttle.limited, quantity > ago);

    // A period in the future has no elapsed part.
    let counts = format!("{}:10:0", both.now_ms() + 5);
    both.command(&[b"SET", KEYS[2], counts.as_bytes()]);
    let quantity = rng.below(5);
    let throttle = both.call(&count(KEYS[2], Meter { limit: 12, period_ms: 20 }, quantity));
    assert_eq!(throttle.unwrap().limited, quantity > 2);
}

fn limit(rng: &mut Rng) -> Limit {
    Limit {
        period_ms: *rng.pick(&[1, 20, 50, 60, MOST_IN_LUA]).unwrap(),
        max_count: *rng.pick(&[0, 1, 3, 8, 200, u64::MAX]).unwrap(),
        count_refused: rng.below(3) == 0,
    }
}

fn quota(rng: &mut Rng) -> Quota {
    let us = |us| Duration::from_micros(us);
    let most = MOST_IN_LUA.unsigned_abs();
    let quota = match rng.below(5) {
        0 => Quota::new(most, 1, us(1)),
        1 => Quota::new(1, 1, us(most)),
        _ => Quota::new(1 + rng.below(12), 1, us(1 + rng.below(4_000))),
    };
    quota.unwrap()
}

fn meter(rng: &mut Rng) -> Meter {
    // With large numbers the products have more digits than a double.
    let limit = [1, 3, 10, 1_000_000, MOST_IN_LUA - 1, MOST_IN_LUA];
    let period = [1, 3, 20, 60, 3_600_000, MOST_IN_LUA];
    Meter { limit: *rng.pick(&limit).unwrap(), period_ms: *rng.pick(&period).unwrap() }
}

fn quantity(rng: &mut Rng) -> u64 {
    let most = MOST_IN_LUA.unsigned_abs();
    match rng.below(12) {
        0 => 0,
        1 => u64::MAX,
        2 => most - rng.below(3),
        3 => rng.below(most),
        4 => rng.below(1_000_000),
        _ => rng.below(5),
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng) {
    let key = *rng.pick(&KEYS).unwrap();
    let now = both.now_ms();
    let text = match rng.below(60) {
        0 => number(rng, now * 1000),
        1 | 2 => (now * 1000 + rng.range(-20_000..=20_000)).to_string(),
        3..=6 => counts(both, rng),
        7 => "007".to_owned(),
        8 => String::new(),
        9 => return both.command(&[b"DEL", key]),
        10 => return both.command(&[b"PERSIST", key]),
        11 => return both.command(&[b"SADD", key, b"1", b"2"]),
        12 => {
            let ms = (now + rng.range(-30..=2)).to_string();
            both.command(&[b"DEL", key]);
            return both.command(&[b"ZADD", key, ms.as_bytes(), ms.as_bytes(), b"-inf", b"a"]);
        }
        13 => {
            let (name, score) = (format!("{now}-{}", rng.below(3)), number(rng, now));
            both.command(&[b"DEL", key]);
            let score = if score.starts_with('+') { "0.1".to_owned() } else { score };
            return both.command(&[b"ZADD", key, score.as_bytes(), name.as_bytes()]);
        }
        _ => return,
    };
    both.command(&[b"SET", key, text.as_bytes()]);
}

/// Returns text that is or resembles an integer, near a value or at the limits.
fn number(rng: &mut Rng, around: i64) -> String {
    let all = [0, 1, -1, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 53, around, around + 1, -around];
    let number = *rng.pick(&all).unwrap();
    match rng.below(8) {
        0 => format!("+{number}"),
        1 => "9223372036854775808".to_owned(),
        2 => "-9223372036854775809".to_owned(),
        3 => "10000000000000000000".to_owned(),
        _ => number.to_string(),
    }
}

/// Returns text that is or resembles the counts.
fn counts(both: &Beside, rng: &mut Rng) -> String {
    let now = both.now_ms();
    let ago = *rng.pick(&[0, 1, 20, 59, 60, 119, 120, 3_600_000, now, -5]).unwrap();
    let count = |rng: &mut Rng| match rng.below(4) {
        0 => rng.below(MOST_IN_LUA.unsigned_abs()),
        1 => MOST_IN_LUA.unsigned_abs() - rng.below(3),
        _ => rng.below(12),
    };
    let (before, count) = (count(rng), count(rng));
    let start = now - ago;
    match rng.below(12) {
        0 => format!("{start}:{before}:-{count}"),
        6 => format!("{start}:-{before}:{count}"),
        1 => format!("{start}:{before}"),
        2 => format!("{start}:{before}:{count}:1"),
        3 => format!("{start}:0{before}:{count}"),
        4 => format!("-{MOST_IN_LUA}:{before}:{count}"),
        5 => format!("{MOST_IN_LUA}:{before}:{count}"),
        _ => format!("{start}:{before}:{count}"),
    }
}
