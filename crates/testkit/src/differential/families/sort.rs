//! SORT.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "sort", rows: ROWS };

/// The order of a set differs between servers, and so does the order of elements that are equal, possibly as C strings.
/// So these are sorted only by `SORT_RO`, whose elements are compared in any order.
const ROWS: &[Row] = &[
    row("SORT", 20, Rule::Exact, |g, line| {
        line.fragile = true;
        key(g, line);
        match g.rng.below(3) {
            0 => {
                line.push("BY").push(pattern(g));
            }
            1 if g.one_in(2) => {
                let to = g.any_key();
                line.push("BY").push("nosort").push("STORE").push(to);
                return;
            }
            _ if g.one_in(2) => {
                // Elements to be stored are compared by all their bytes.
                let to = g.key(Kind::List);
                line.push("ALPHA").push("STORE").push(to);
            }
            _ => {}
        }
        limit(g, line);
        others(g, line);
        if g.one_in(2) {
            let to = if g.one_in(2) { g.key(Kind::List) } else { g.any_key() };
            line.push("STORE").push(to);
        }
        if g.one_in(60) {
            line.push(g.pick(&["STORE", "BY", "GET", "LIMIT", "UP"]));
        }
    }),
    row("SORT_RO", 12, Rule::Unordered, |g, line| {
        line.fragile = true;
        key(g, line);
        match g.rng.below(4) {
            0 => {
                line.push("BY").push("nosort");
            }
            1 => {
                line.push("BY").push(pattern(g)).push("ALPHA");
            }
            2 => {
                line.push("ALPHA");
            }
            _ => limit(g, line),
        }
        others(g, line);
        if g.one_in(30) {
            line.push("STORE").push("l");
        }
    }),
];

fn key(g: &mut Gen, line: &mut Line) {
    let kind = g.pick(&[Kind::List, Kind::List, Kind::Set, Kind::ZSet]);
    let key = g.key(kind);
    line.push(key);
}

/// Patterns that lead to existing keys: the elements are usually small numbers and short texts.
fn pattern(g: &mut Gen) -> &'static str {
    g.pick(&["k:*", "*", "h:*->f1", "h*->n", "l*", "k:*->", "k:*->->", "*:1", "z:*", "#*"])
}

fn limit(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        let numbers = ["0", "1", "2", "-1", "5", "100", "x", "-9223372036854775808"];
        let (offset, count) = (g.pick(&numbers), g.pick(&numbers));
        line.push("LIMIT").push(offset).push(count);
    }
}

fn others(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        line.push(g.pick(&["DESC", "asc"]));
    }
    if g.one_in(3) {
        for _ in 0..=g.rng.below(2) {
            let pattern = if g.one_in(3) { g.pick(&["#", "none", "k"]) } else { pattern(g) };
            line.push("GET").push(pattern);
        }
    }
}
