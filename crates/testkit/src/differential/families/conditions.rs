//! Strings that are set or deleted only if they are equal to another one, and several strings that are set on a
//! condition.

use super::super::compare::Rule;
use super::strings::{key, pairs, time};
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "conditions", rows: ROWS };

/// A small set, so that strings are sometimes equal.
const STRINGS: [&str; 6] = ["", "1", "01", "2", "abc", "abd"];

const ROWS: &[Row] = &[
    row("SET", 30, Rule::Exact, |g, line| {
        key(g, line);
        line.push(g.pick(&STRINGS));
        let mut options = [0, 1, 2, 3, 4, 5];
        g.rng.shuffle(&mut options);
        for option in options {
            match option {
                0 if !g.one_in(3) => drop(line.push("IFEQ").push(g.pick(&STRINGS))),
                1 if g.one_in(3) => drop(line.push("GET")),
                2 if g.one_in(4) => time(g, line),
                3 if g.one_in(6) => drop(line.push("KEEPTTL")),
                4 if g.one_in(20) => drop(line.push(g.pick(&["NX", "XX"]))),
                5 if g.one_in(20) => drop(line.push("ifeq")),
                _ => {}
            }
        }
    }),
    row("DELIFEQ", 10, Rule::Exact, |g, line| {
        key(g, line);
        line.push(g.pick(&STRINGS));
    }),
    row("MSETEX", 20, Rule::Exact, |g, line| {
        let at = line.words.len();
        pairs(g, line);
        let count = ((line.words.len() - at) / 2).to_string();
        let wrong = g.pick(&["0", "-1", "x", "", "2147483648", "1073741824", "9"]);
        let count = if g.one_in(20) { wrong } else { &count };
        line.words.insert(at, count.into());
        let mut options = [0, 1, 2, 3];
        g.rng.shuffle(&mut options);
        for option in options {
            match option {
                0 if g.one_in(3) => drop(line.push(g.pick(&["NX", "XX", "nx"]))),
                1 if g.one_in(2) => time(g, line),
                2 if g.one_in(6) => drop(line.push("KEEPTTL")),
                3 if g.one_in(20) => drop(line.push(g.pick(&["NX", "GET", "PERSIST", "EX"]))),
                _ => {}
            }
        }
    }),
    row("GET", 10, Rule::Exact, key),
    row("PEXPIRETIME", 6, Rule::Exact, key),
    row("EXISTS", 4, Rule::Exact, key),
];
