//! Lists.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::some;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "lists", rows: ROWS };

const ROWS: &[Row] = &[
    row("LPUSH", 30, Rule::Exact, push),
    row("RPUSH", 40, Rule::Exact, push),
    row("LPUSHX", 6, Rule::Exact, push),
    row("RPUSHX", 6, Rule::Exact, push),
    row("LPOP", 12, Rule::Exact, pop),
    row("RPOP", 12, Rule::Exact, pop),
    row("LLEN", 5, Rule::Exact, key),
    row("LINDEX", 8, Rule::Exact, |g, line| {
        key(g, line);
        index(g, line);
    }),
    row("LRANGE", 8, Rule::Exact, span),
    row("LSET", 18, Rule::Exact, |g, line| {
        key(g, line);
        // Redis 7.2 uses only the lower half of an index.
        if g.one_in(12) {
            line.push(g.pick(&["x", "100000", "-100000"]));
        } else {
            let index = g.rng.range(-12..=12);
            line.number(index);
        }
        element(g, line);
    }),
    row("LINSERT", 18, Rule::Exact, |g, line| {
        key(g, line);
        line.push(if g.one_in(30) { "beside" } else { g.pick(&["BEFORE", "after"]) });
        element(g, line);
        element(g, line);
    }),
    row("LREM", 14, Rule::Exact, |g, line| {
        key(g, line);
        line.push(g.pick(&["0", "1", "-1", "2", "-2", "10", "x", "9223372036854775807"]));
        element(g, line);
    }),
    row("LTRIM", 6, Rule::Exact, span),
    row("LPOS", 10, Rule::Exact, position),
    row("LMOVE", 10, Rule::Exact, |g, line| {
        key(g, line);
        key(g, line);
        for _ in 0..2 {
            line.push(if g.one_in(30) { "up" } else { g.pick(&["LEFT", "right"]) });
        }
    }),
    row("RPOPLPUSH", 8, Rule::Exact, |g, line| {
        key(g, line);
        key(g, line);
    }),
    row("LMPOP", 6, Rule::Exact, |g, line| {
        let count = 1 + g.rng.below(3);
        if g.one_in(12) {
            line.push(g.pick(&["0", "-1", "x", "100"]));
        } else {
            line.push(count.to_string());
        }
        for _ in 0..count {
            key(g, line);
        }
        line.push(if g.one_in(20) { "up" } else { g.pick(&["LEFT", "right"]) });
        if g.one_in(2) {
            line.push("COUNT").push(g.pick(&["1", "2", "5", "1000", "0", "-1", "x"]));
        }
    }),
    row("DEL", 2, Rule::Exact, |g, line| some(g, Kind::List, line, 1)),
];

fn key(g: &mut Gen, line: &mut Line) {
    let key = g.key(Kind::List);
    line.push(key);
}

/// From a small set, so that some are equal; sometimes of any length.
fn element(g: &mut Gen, line: &mut Line) {
    let element = match g.rng.below(8) {
        0 => g.value(),
        1 => g.integer(),
        _ => format!("e{}", g.rng.below(8)).into(),
    };
    line.push(element);
}

fn push(g: &mut Gen, line: &mut Line) {
    key(g, line);
    if g.one_in(60) {
        // So many that they need several nodes of the default size.
        let (first, count) = (g.rng.range(-3000..=3000), g.rng.range(50..=2500));
        for number in first..first + count {
            line.number(number);
        }
        return;
    }
    for _ in 0..=g.rng.below(5) {
        element(g, line);
    }
}

fn pop(g: &mut Gen, line: &mut Line) {
    key(g, line);
    if g.one_in(3) {
        let count = g.pick(&["0", "1", "2", "3", "7", "100", "-1", "x", "9223372036854775807"]);
        line.push(count);
    }
    if g.one_in(60) {
        line.push("1");
    }
}

fn index(g: &mut Gen, line: &mut Line) {
    if g.one_in(8) {
        line.push(g.pick(&["x", "9223372036854775807", "-9223372036854775808", "100000", ""]));
    } else {
        let index = g.rng.range(-12..=12);
        line.number(index);
    }
}

fn span(g: &mut Gen, line: &mut Line) {
    key(g, line);
    index(g, line);
    if g.one_in(2) {
        line.push(g.pick(&["-1", "-2", "-1", "5"]));
    } else {
        index(g, line);
    }
}

fn position(g: &mut Gen, line: &mut Line) {
    key(g, line);
    element(g, line);
    if g.one_in(2) {
        line.push("RANK").push(g.pick(&["1", "2", "-1", "-2", "0", "x", "-9223372036854775808"]));
    }
    if g.one_in(2) {
        line.push("COUNT").push(g.pick(&["0", "1", "2", "100", "-1", "x"]));
    }
    if g.one_in(3) {
        line.push("MAXLEN").push(g.pick(&["0", "1", "4", "1000", "-1", "x"]));
    }
    if g.one_in(40) {
        line.push("RANK");
    }
}
