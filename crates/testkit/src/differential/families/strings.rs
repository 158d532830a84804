//! Strings and the numbers in them.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::some;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "strings", rows: ROWS };

const ROWS: &[Row] = &[
    row("SET", 30, Rule::Exact, set),
    row("GET", 12, Rule::Exact, key),
    row("GETSET", 5, Rule::Exact, key_value),
    row("GETDEL", 4, Rule::Exact, key),
    row("GETEX", 8, Rule::Exact, |g, line| {
        key(g, line);
        if g.one_in(4) {
            line.push("PERSIST");
        }
        if !g.one_in(4) {
            time(g, line);
        }
    }),
    row("SETNX", 6, Rule::Exact, key_value),
    row("SETEX", 5, Rule::Exact, |g, line| timed(g, line, 1)),
    row("PSETEX", 5, Rule::Exact, |g, line| timed(g, line, 1_000)),
    row("MSET", 6, Rule::Exact, pairs),
    row("MSETNX", 6, Rule::Exact, pairs),
    row("MGET", 6, Rule::Exact, |g, line| some(g, Kind::String, line, 4)),
    row("APPEND", 12, Rule::Exact, |g, line| {
        key(g, line);
        let value = g.value();
        line.push(value);
    }),
    row("STRLEN", 5, Rule::Exact, key),
    row("INCR", 8, Rule::Exact, number),
    row("DECR", 5, Rule::Exact, number),
    row("INCRBY", 8, Rule::Exact, number_integer),
    row("DECRBY", 6, Rule::Exact, number_integer),
    row("INCRBYFLOAT", 14, Rule::Exact, |g, line| {
        number(g, line);
        let float = g.float();
        line.push(float);
    }),
    row("GETRANGE", 8, Rule::Exact, range),
    row("SUBSTR", 4, Rule::Exact, range),
    row("SETRANGE", 10, Rule::Exact, |g, line| {
        key(g, line);
        let offset = g.pick(&[
            "0",
            "0",
            "1",
            "2",
            "5",
            "11",
            "20",
            "43",
            "44",
            "63",
            "300",
            "-1",
            "x",
            "536870912",
            "536870911000",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
        ]);
        line.push(offset);
        let value = g.value();
        line.push(value);
    }),
    row("LCS", 6, Rule::Exact, lcs),
];

pub(super) fn key(g: &mut Gen, line: &mut Line) {
    let kind = if g.one_in(4) { Kind::Number } else { Kind::String };
    let key = g.key(kind);
    line.push(key);
}

/// A key and a value, both for numbers or both for other strings.
fn key_value(g: &mut Gen, line: &mut Line) {
    let number = g.one_in(3);
    let key = g.key(if number { Kind::Number } else { Kind::String });
    line.push(key);
    let value = if number && !g.one_in(6) { g.integer() } else { g.value() };
    line.push(value);
}

/// A key that usually holds a number.
fn number(g: &mut Gen, line: &mut Line) {
    let kind = if g.one_in(8) { Kind::String } else { Kind::Number };
    let key = g.key(kind);
    line.push(key);
}

fn number_integer(g: &mut Gen, line: &mut Line) {
    number(g, line);
    let integer = g.integer();
    line.push(integer);
}

pub(super) fn pairs(g: &mut Gen, line: &mut Line) {
    for _ in 0..=g.rng.below(3) {
        key_value(g, line);
    }
}

fn timed(g: &mut Gen, line: &mut Line, unit: i64) {
    key(g, line);
    if g.one_in(10) {
        line.push(g.bad_time());
    } else {
        let seconds = g.seconds();
        line.number(seconds * unit);
    }
    let value = g.value();
    line.push(value);
}

/// One of the options with a time.
pub(super) fn time(g: &mut Gen, line: &mut Line) {
    let option = g.pick(&["EX", "PX", "EXAT", "PXAT"]);
    line.push(option);
    if g.one_in(10) {
        line.push(g.bad_time());
        return;
    }
    let number = match option {
        "EX" => g.seconds(),
        "PX" => g.seconds() * 1_000,
        "EXAT" => g.unix_time(),
        _ => g.unix_time() * 1_000,
    };
    line.number(number);
}

fn set(g: &mut Gen, line: &mut Line) {
    key_value(g, line);
    if g.one_in(2) {
        return;
    }
    // In any order, and sometimes two that exclude each other.
    let mut options = [0, 1, 2, 3, 4];
    g.rng.shuffle(&mut options);
    for option in options {
        match option {
            0 if g.one_in(4) => drop(line.push("NX")),
            1 if g.one_in(4) => drop(line.push("XX")),
            2 if g.one_in(3) => drop(line.push("GET")),
            3 if g.one_in(3) => time(g, line),
            4 if g.one_in(6) => drop(line.push("KEEPTTL")),
            _ => {}
        }
    }
    if g.one_in(30) {
        line.push(g.pick(&["PERSIST", "EX", "nonesuch", ""]));
    }
}

fn range(g: &mut Gen, line: &mut Line) {
    const ENDS: [&str; 20] = [
        "0",
        "0",
        "1",
        "2",
        "3",
        "10",
        "43",
        "44",
        "100",
        "-1",
        "-1",
        "-2",
        "-3",
        "-10",
        "-100",
        "x",
        "",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
    ];
    key(g, line);
    line.push(g.pick(&ENDS)).push(g.pick(&ENDS));
}

fn lcs(g: &mut Gen, line: &mut Line) {
    key(g, line);
    key(g, line);
    if g.one_in(3) {
        line.push("LEN");
    }
    if g.one_in(2) {
        line.push("IDX");
    }
    if g.one_in(4) {
        line.push("MINMATCHLEN").push(g.pick(&["0", "1", "2", "4", "-1", "x"]));
    }
    if g.one_in(3) {
        line.push("WITHMATCHLEN");
    }
}
