//! Sets.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::{scan_members, some};
use super::{Family, Row, draws, row};

pub(super) const FAMILY: Family = Family { name: "sets", rows: ROWS };

const ROWS: &[Row] = &[
    row("SADD", 50, Rule::Exact, add),
    row("SREM", 18, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line, 4);
    }),
    row("SISMEMBER", 8, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line, 1);
    }),
    row("SMISMEMBER", 6, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line, 4);
    }),
    row("SCARD", 6, Rule::Exact, key),
    row("SMEMBERS", 8, Rule::Unordered, key),
    row("SPOP", 5, Rule::Pop, |g, line| {
        key(g, line);
        if g.one_in(2) {
            line.push(g.pick(&[
                "0",
                "1",
                "2",
                "3",
                "5",
                "20",
                "1000",
                "-1",
                "x",
                "9223372036854775807",
                "9223372036854775808",
            ]));
        }
    }),
    row("SRANDMEMBER", 6, Rule::RandomMember, |g, line| {
        key(g, line);
        if !g.one_in(3) {
            line.push(draws(g));
        }
    }),
    row("SMOVE", 10, Rule::Exact, |g, line| {
        key(g, line);
        key(g, line);
        members(g, line, 1);
    }),
    row("SINTER", 7, Rule::Unordered, keys),
    row("SINTERCARD", 8, Rule::Exact, intersection_card),
    row("SINTERSTORE", 7, Rule::Exact, store),
    row("SUNION", 7, Rule::Unordered, keys),
    row("SUNIONSTORE", 7, Rule::Exact, store),
    row("SDIFF", 7, Rule::Unordered, keys),
    row("SDIFFSTORE", 7, Rule::Exact, store),
    row("SSCAN", 8, Rule::Page, |g, line| {
        key(g, line);
        scan_members(g, line);
        if g.one_in(40) {
            line.push("TYPE").push("set");
        }
    }),
];

fn key(g: &mut Gen, line: &mut Line) {
    let key = g.key(Kind::Set);
    line.push(key);
}

fn keys(g: &mut Gen, line: &mut Line) {
    some(g, Kind::Set, line, 4);
}

fn store(g: &mut Gen, line: &mut Line) {
    key(g, line);
    keys(g, line);
}

fn members(g: &mut Gen, line: &mut Line, most: u64) {
    for _ in 0..=g.rng.below(most) {
        let member = g.member();
        line.push(member);
    }
}

/// Usually few integers, so that sets stay intsets; sometimes hundreds, so that the default limit is exceeded, too.
fn add(g: &mut Gen, line: &mut Line) {
    key(g, line);
    match g.rng.below(40) {
        0 => {
            let (first, count) = (g.rng.range(-300..=300), g.rng.range(50..=300));
            for number in first..first + count {
                line.number(number);
            }
        }
        1..4 => {
            // An integer of 16, 17, 31, 32, 33 or 64 bits.
            let shift = g.pick(&[48, 47, 33, 32, 31, 0]);
            let most = g.pick(&[1, 1, 3, 20]);
            for _ in 0..=g.rng.below(most) {
                let number = g.rng.i64() >> shift;
                line.number(number);
            }
        }
        4..7 => members(g, line, 6),
        _ => {
            for _ in 0..=g.rng.below(4) {
                let number = g.rng.range(-15..=30);
                line.number(number);
            }
        }
    }
}

fn intersection_card(g: &mut Gen, line: &mut Line) {
    let count = 1 + g.rng.below(3);
    if g.one_in(12) {
        line.push(g.pick(&["0", "-1", "x", "100", "9223372036854775807"]));
    } else {
        line.push(count.to_string());
    }
    for _ in 0..count {
        key(g, line);
    }
    if g.one_in(2) {
        line.push("LIMIT").push(g.pick(&["0", "1", "2", "5", "1000", "-1", "x", ""]));
    }
}
