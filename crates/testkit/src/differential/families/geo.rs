//! Geospatial commands.
//!
//! A server omits points on the edge of the map, beyond the date line from a centre on it, and some near a pole: see
//! `geo::RedisCells`. So generated points are not near the edge or the poles, and centres not near the date line; areas
//! are less than half of the world. Points that are on the edge because of other commands are handled in `apart`.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "geo", rows: ROWS };

const ROWS: &[Row] = &[
    row("GEOADD", 50, Rule::Exact, add),
    row("GEOPOS", 8, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line);
    }),
    row("GEOHASH", 8, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line);
    }),
    row("GEODIST", 10, Rule::Exact, |g, line| {
        key(g, line);
        for _ in 0..2 {
            member(g, line);
        }
        if !g.one_in(3) {
            unit(g, line);
        }
        if g.one_in(40) {
            line.push("m");
        }
    }),
    row("GEOSEARCH", 40, Rule::Exact, |g, line| {
        key(g, line);
        search(g, line, false);
    }),
    row("GEOSEARCHSTORE", 15, Rule::Exact, |g, line| {
        key(g, line);
        key(g, line);
        search(g, line, true);
    }),
    row("GEORADIUS", 15, Rule::Exact, |g, line| around(g, line, false, true)),
    row("GEORADIUS_RO", 8, Rule::Exact, |g, line| around(g, line, false, false)),
    row("GEORADIUSBYMEMBER", 15, Rule::Exact, |g, line| around(g, line, true, true)),
    row("GEORADIUSBYMEMBER_RO", 8, Rule::Exact, |g, line| around(g, line, true, false)),
];

/// Sometimes any sorted set, because all scores are points.
fn key(g: &mut Gen, line: &mut Line) {
    let kind = if g.one_in(8) { Kind::ZSet } else { Kind::Place };
    let key = g.key(kind);
    line.push(key);
}

fn member(g: &mut Gen, line: &mut Line) {
    let number = g.rng.below(40);
    match g.rng.below(12) {
        0 => line.push(g.member()),
        _ => line.push(format!("place:{number}")),
    };
}

fn members(g: &mut Gen, line: &mut Line) {
    for _ in 0..g.rng.below(5) {
        member(g, line);
    }
}

/// A longitude and a latitude: near some towns, or anywhere except where a server omits points.
fn place(g: &mut Gen) -> (f64, f64) {
    const TOWNS: [(f64, f64); 6] = [
        (13.361_389, 38.115_556),
        (116.481_05, 39.996_794),
        (-73.985_1, 40.748_8),
        (151.2, -33.87),
        (0.0, 0.0),
        (-70.9, -53.16),
    ];
    if g.one_in(4) {
        return (g.rng.unit() * 350.0 - 175.0, g.rng.unit() * 120.0 - 60.0);
    }
    let (lon, lat) = g.pick(&TOWNS);
    let spread = g.pick(&[0.001, 0.05, 1.0, 5.0]);
    (lon + (g.rng.unit() - 0.5) * spread, lat + (g.rng.unit() - 0.5) * spread)
}

fn push_place(g: &mut Gen, line: &mut Line) {
    const WRONG: [(&str, &str); 8] = [
        ("181", "0"),
        ("-180.1", "10"),
        ("0", "85.06"),
        ("inf", "0"),
        ("nan", "0"),
        ("x", "1"),
        ("1", ""),
        ("1e3", "-1e-320"),
    ];
    if g.one_in(40) {
        let (lon, lat) = g.pick(&WRONG);
        line.push(lon).push(lat);
        return;
    }
    let (lon, lat) = place(g);
    let digits = g.pick(&[1, 4, 6, 17]);
    line.push(format!("{lon:.digits$}")).push(format!("{lat:.digits$}"));
}

fn unit(g: &mut Gen, line: &mut Line) {
    line.push(g.pick(&["m", "km", "km", "KM", "ft", "mi", "Mi", "yd", ""]));
}

/// Sometimes hundreds, so that the default limit of the listpack is exceeded, too.
fn add(g: &mut Gen, line: &mut Line) {
    key(g, line);
    for _ in 0..g.rng.below(3) {
        if g.one_in(3) {
            line.push(g.pick(&["NX", "XX", "CH", "ch", "GT"]));
        }
    }
    let count = match g.rng.below(60) {
        0 => 200,
        1..6 => 20,
        _ => 1 + g.rng.below(4),
    };
    for _ in 0..count {
        push_place(g, line);
        if count > 100 {
            line.push(format!("place:{}", g.rng.below(1000)));
        } else {
            member(g, line);
        }
    }
    if g.one_in(60) {
        line.push("1");
    }
}

fn number(g: &mut Gen, line: &mut Line, most: f64) {
    if g.one_in(30) {
        line.push(g.pick(&["0", "-1", "x", "", "nan", "1e-3", "-0"]));
        return;
    }
    let length = most * g.rng.unit().powi(4);
    let digits = g.pick(&[0, 2, 9]);
    line.push(format!("{length:.digits$}"));
}

/// A length and a unit, of less than 3,000 km.
fn length(g: &mut Gen, line: &mut Line, numbers: usize) {
    let (unit, most) =
        g.pick(&[("m", 3e6), ("km", 3e3), ("KM", 300.0), ("ft", 9e6), ("mi", 1.8e3)]);
    for _ in 0..numbers {
        number(g, line, most);
    }
    if g.one_in(40) {
        line.push(g.pick(&["yd", "", "k"]));
    } else {
        line.push(unit);
    }
}

fn around(g: &mut Gen, line: &mut Line, by_member: bool, stores: bool) {
    key(g, line);
    if by_member {
        member(g, line);
    } else {
        push_place(g, line);
    }
    length(g, line, 1);
    options(g, line, stores, true);
}

fn search(g: &mut Gen, line: &mut Line, stores: bool) {
    let mut parts = [true, false];
    if g.one_in(2) {
        parts.reverse();
    }
    let most = if g.one_in(40) { 1 } else { 2 };
    for from in parts.into_iter().take(most) {
        match (from, g.one_in(2)) {
            (true, true) => {
                line.push("FROMMEMBER");
                member(g, line);
            }
            (true, false) => {
                line.push("FROMLONLAT");
                push_place(g, line);
            }
            (false, true) => {
                line.push("BYRADIUS");
                length(g, line, 1);
            }
            (false, false) => {
                line.push("BYBOX");
                length(g, line, 2);
            }
        }
    }
    let stray = !stores && g.one_in(40);
    options(g, line, stray, !stores);
    if stores && g.one_in(2) {
        line.push("STOREDIST");
    }
    if g.one_in(80) {
        line.push("BYPOLYGON")
            .push("3")
            .push("1")
            .push("1")
            .push("2")
            .push("2")
            .push("3")
            .push("0");
    }
}

/// Options of all searches; with STORE, if allowed, usually without those that exclude it.
fn options(g: &mut Gen, line: &mut Line, may_store: bool, may_tell: bool) {
    let store = may_store && g.one_in(3);
    if if store || !may_tell { g.one_in(20) } else { g.one_in(2) } {
        for word in ["WITHDIST", "withcoord", "WithHash"] {
            if g.one_in(2) {
                line.push(word);
            }
        }
    }
    if g.one_in(2) {
        line.push(g.pick(&["ASC", "DESC"]));
    }
    if g.one_in(2) {
        line.push("COUNT").push(g.pick(&["1", "2", "3", "10", "1000", "0", "-1", "x"]));
        if g.one_in(3) {
            line.push("ANY");
        }
    } else if g.one_in(40) {
        line.push(g.pick(&["ANY", "COUNT", "WITHSCORES", ""]));
    }
    if store {
        line.push(g.pick(&["STORE", "STOREDIST"]));
        key(g, line);
    }
}
