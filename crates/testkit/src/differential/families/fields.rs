//! Fields that expire.

use super::super::compare::Rule;
use super::super::generate::{Gen, Line};
use super::hashes;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "fields", rows: ROWS };

const ROWS: &[Row] = &[
    row("HEXPIRE", 10, Rule::Exact, |g, line| expire(g, line, 1, false)),
    row("HPEXPIRE", 10, Rule::Exact, |g, line| expire(g, line, 1000, false)),
    row("HEXPIREAT", 10, Rule::Exact, |g, line| expire(g, line, 1, true)),
    row("HPEXPIREAT", 20, Rule::Exact, |g, line| expire(g, line, 1000, true)),
    row("HPERSIST", 10, Rule::Exact, key_fields),
    row("HEXPIRETIME", 4, Rule::Exact, key_fields),
    row("HPEXPIRETIME", 8, Rule::Exact, key_fields),
    row("HTTL", 4, Rule::Time(2), key_fields),
    row("HPTTL", 4, Rule::Time(2000), key_fields),
    row("HGETDEL", 6, Rule::Exact, key_fields),
    row("HGETEX", 10, Rule::Exact, |g, line| {
        hashes::key(g, line);
        match g.rng.below(4) {
            0 => {}
            1 => {
                line.push("PERSIST");
            }
            _ => time(g, line),
        }
        fields(g, line);
    }),
    row("HSETEX", 14, Rule::Exact, |g, line| {
        hashes::key(g, line);
        if g.one_in(3) {
            let check = g.pick(&["FNX", "FXX", "fnx", "NX", "XX"]);
            line.push(check);
        }
        if g.one_in(10) {
            let check = g.pick(&["NX", "XX", "FXX", "KEEPTTL"]);
            line.push(check);
        }
        match g.rng.below(4) {
            0 => {}
            1 => {
                line.push("KEEPTTL");
            }
            _ => time(g, line),
        }
        let count = g.rng.below(3) + 1;
        line.push("FIELDS").number(number(g, count));
        for _ in 0..count {
            hashes::field(g, line);
            hashes::value(g, line);
        }
        if g.one_in(30) {
            hashes::field(g, line);
        }
    }),
    row("OBJECT ENCODING", 6, Rule::Exact, hashes::key),
    row("HSET", 20, Rule::Exact, hashes::put),
    row("HGETALL", 6, Rule::Pairs, hashes::key),
    row("HLEN", 6, Rule::Exact, hashes::key),
    row("HDEL", 6, Rule::Exact, hashes::key_fields),
    row("HINCRBY", 6, Rule::Exact, |g, line| {
        hashes::key_field(g, line);
        let number = g.integer();
        line.push(number);
    }),
];

const LAST: &[u8] = b"9223372036854775807";

/// Far from the current time, so that both sides agree on what has expired; from a small set, so that many are equal.
fn at(g: &mut Gen) -> i64 {
    if g.one_in(6) { g.rng.range(0..=3) } else { 4_000_000_000 + 1000 * g.rng.range(0..=9) }
}

fn expire(g: &mut Gen, line: &mut Line, unit: i64, absolute: bool) {
    hashes::key(g, line);
    // A relative time depends on the duration of the two commands, so only times that are refused or delete the fields.
    let time = match (absolute, g.rng.below(12)) {
        // The maximum time is a valid time in Valkey, and not here.
        (true, 0) => Some(g.integer()).filter(|it| it != LAST).unwrap_or_else(|| "0".into()),
        (true, _) => (at(g) * unit).to_string().into(),
        (false, 0) => "-1".into(),
        (false, 1) => "9223372036854775807".into(),
        (false, 2) => "x".into(),
        (false, _) => "0".into(),
    };
    line.push(time);
    if g.one_in(3) {
        let option = g.pick(&["NX", "XX", "GT", "LT", "lt", "EX"]);
        line.push(option);
    }
    fields(g, line);
}

fn time(g: &mut Gen, line: &mut Line) {
    let at = at(g);
    match g.rng.below(6) {
        0 => line.push("EX").number(0),
        1 => line.push("PX").number(-1),
        2 => line.push("EXAT").number(at),
        _ => line.push("PXAT").number(at * 1000),
    };
}

fn key_fields(g: &mut Gen, line: &mut Line) {
    hashes::key(g, line);
    fields(g, line);
}

fn fields(g: &mut Gen, line: &mut Line) {
    let count = g.rng.below(4) + 1;
    let name = if g.one_in(40) { "FIELD" } else { "FIELDS" };
    line.push(name).number(number(g, count));
    for _ in 0..count {
        hashes::field(g, line);
    }
}

/// The number of the following arguments; rarely another number.
fn number(g: &mut Gen, count: u64) -> i64 {
    let right = i64::try_from(count).unwrap_or(1);
    if g.one_in(30) { g.rng.range(-1..=4) } else { right }
}
