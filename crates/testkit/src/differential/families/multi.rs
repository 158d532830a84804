//! Transactions, and the session that they belong to.

use super::super::compare::Rule;
use super::super::generate::Line;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "multi", rows: ROWS };

const ROWS: &[Row] = &[
    row("MULTI", 12, Rule::Exact, |_, _: &mut Line| {}),
    row("EXEC", 3, Rule::Exact, |_, _| {}),
    row("DISCARD", 2, Rule::Exact, |_, _| {}),
    row("WATCH", 14, Rule::Exact, |g, line| {
        for _ in 0..=g.rng.below(2) {
            line.push(g.any_key());
        }
    }),
    row("UNWATCH", 2, Rule::Exact, |_, _| {}),
    row("RESET", 1, Rule::Exact, |_, _| {}),
    row("HELLO", 1, Rule::Shape, |g, line| {
        if g.one_in(2) {
            line.push(g.pick(&["1", "4", "x", "", "-3"]));
        }
    }),
];
