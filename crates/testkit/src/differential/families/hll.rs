//! `HyperLogLogs`.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::some;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "hll", rows: ROWS };

const ROWS: &[Row] = &[
    row("PFADD", 40, Rule::Exact, add),
    row("PFCOUNT", 16, Rule::Exact, |g, line| some(g, Kind::Hll, line, 3)),
    row("PFMERGE", 8, Rule::Exact, |g, line| some(g, Kind::Hll, line, 4)),
    row("PFDEBUG", 8, Rule::Exact, |g, line| {
        let sub =
            g.pick(&["GETREG", "DECODE", "ENCODING", "DECODE", "TODENSE", "decode", "Encoding"]);
        let sub = if g.one_in(12) { g.pick(&["NONESUCH", ""]) } else { sub };
        // GETREG and TODENSE make it dense, so they are rare.
        let sub = if matches!(sub, "GETREG" | "TODENSE") && !g.one_in(4) { "DECODE" } else { sub };
        line.push(sub);
        let key = g.key(Kind::Hll);
        line.push(key);
    }),
    // It takes half a second on a server: a sweep runs it once.
    row("PFSELFTEST", 0, Rule::Exact, |_, _| {}),
];

fn add(g: &mut Gen, line: &mut Line) {
    let key = g.key(Kind::Hll);
    line.push(key);
    let count = match g.rng.below(40) {
        0 => 0,
        // A thousand elements or so reach the default limit of the sparse encoding.
        1 | 2 => 100 + g.rng.below(500),
        3..7 => 20,
        _ => 1 + g.rng.below(3),
    };
    for _ in 0..count {
        let element =
            if g.one_in(6) { g.value() } else { format!("USER{}", g.rng.below(5_000)).into() };
        line.push(element);
    }
}
