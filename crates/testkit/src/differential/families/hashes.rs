//! Hashes.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::scan_members;
use super::{Family, Row, draws, row};

pub(super) const FAMILY: Family = Family { name: "hashes", rows: ROWS };

const ROWS: &[Row] = &[
    row("HSET", 45, Rule::Exact, put),
    row("HMSET", 10, Rule::Exact, put),
    row("HSETNX", 12, Rule::Exact, |g, line| {
        key(g, line);
        field(g, line);
        value(g, line);
    }),
    row("HGET", 10, Rule::Exact, key_field),
    row("HMGET", 8, Rule::Exact, key_fields),
    row("HGETALL", 8, Rule::Pairs, key),
    row("HKEYS", 5, Rule::Unordered, key),
    row("HVALS", 5, Rule::Unordered, key),
    row("HLEN", 5, Rule::Exact, key),
    row("HEXISTS", 6, Rule::Exact, key_field),
    row("HDEL", 18, Rule::Exact, key_fields),
    row("HSTRLEN", 6, Rule::Exact, key_field),
    row("HINCRBY", 18, Rule::Exact, |g, line| {
        key_field(g, line);
        let number = g.integer();
        line.push(number);
    }),
    row("HINCRBYFLOAT", 14, Rule::Exact, |g, line| {
        key_field(g, line);
        let number = g.float();
        line.push(number);
    }),
    row("HRANDFIELD", 8, Rule::RandomMember, |g, line| {
        key(g, line);
        if g.one_in(3) {
            return;
        }
        line.push(draws(g));
        if g.one_in(2) {
            let word = if g.one_in(12) { "withscores" } else { "WITHVALUES" };
            line.push(word);
        }
    }),
    row("HSCAN", 8, Rule::Page, |g, line| {
        key(g, line);
        scan_members(g, line);
    }),
];

pub(super) fn key(g: &mut Gen, line: &mut Line) {
    let key = g.key(Kind::Hash);
    line.push(key);
}

/// Adds a field: mostly one of twelve names, so that most fields exist, otherwise an integer or any value.
pub(super) fn field(g: &mut Gen, line: &mut Line) {
    let field = match g.rng.below(12) {
        0 => g.value(),
        1..3 => g.integer(),
        _ => format!("f{}", g.rng.below(12)).into(),
    };
    line.push(field);
}

pub(super) fn value(g: &mut Gen, line: &mut Line) {
    let value = match g.rng.below(4) {
        0 => g.float(),
        1 => g.integer(),
        _ => g.value(),
    };
    line.push(value);
}

pub(super) fn key_field(g: &mut Gen, line: &mut Line) {
    key(g, line);
    field(g, line);
}

pub(super) fn key_fields(g: &mut Gen, line: &mut Line) {
    key(g, line);
    for _ in 0..=g.rng.below(4) {
        field(g, line);
    }
}

/// Adds a key and fields with values: mostly up to five; sometimes hundreds, which exceed the default limit of a
/// listpack; rarely the last field has no value.
pub(super) fn put(g: &mut Gen, line: &mut Line) {
    key(g, line);
    if g.one_in(50) {
        let (first, count) = (g.rng.range(-300..=300), g.rng.range(50..=600));
        for number in first..first + count {
            line.push(format!("n{number}")).number(number);
        }
        return;
    }
    let most = g.pick(&[0, 0, 1, 3]);
    for _ in 0..=g.rng.below(most + 1) {
        field(g, line);
        value(g, line);
    }
    if g.one_in(40) {
        field(g, line);
    }
}
