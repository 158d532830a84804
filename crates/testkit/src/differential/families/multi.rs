//! Transactions and their session.

use super::super::compare::Rule;
use super::super::generate::{Gen, Line};
use super::server::wrong_subcommand;
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
    row("CLIENT", 1, Rule::Exact, wrong_subcommand),
    row("CLIENT GETNAME", 2, Rule::Exact, |_, _| {}),
    row("CLIENT HELP", 1, Rule::Shape, |_, _| {}),
    row("CLIENT ID", 1, Rule::Shape, |_, _| {}),
    row("CLIENT INFO", 1, Rule::Shape, |_, _| {}),
    row("CLIENT LIST", 2, Rule::Shape, |g, line| match g.rng.below(3) {
        0 => {
            line.push("TYPE").push(g.pick(&["normal", "REPLICA", "pubsub", "x", ""]));
        }
        1 => {
            line.push("ID").push(g.pick(&["1", "x", "0", "-1", "9223372036854775808"]));
        }
        _ => {}
    }),
    row("CLIENT NO-EVICT", 1, Rule::Exact, on_or_off),
    row("CLIENT NO-TOUCH", 2, Rule::Exact, on_or_off),
    row("CLIENT SETINFO", 1, Rule::Exact, |g, line| {
        line.push(g.pick(&["LIB-NAME", "lib-ver", "x", ""]));
        line.push(g.pick(&["tallis", "1.2", "a b", "", "\n"]));
    }),
    row("CLIENT SETNAME", 2, Rule::Exact, |g, line| {
        line.push(g.pick(&["me", "you", "", "a b", "\n", "~!"]));
    }),
];

fn on_or_off(g: &mut Gen, line: &mut Line) {
    line.push(g.pick(&["ON", "off", "x", ""]));
}
