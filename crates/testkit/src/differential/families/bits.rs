//! Bits and bit fields of strings.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::some;
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "bits", rows: ROWS };

const ROWS: &[Row] = &[
    row("SETBIT", 14, Rule::Exact, |g, line| {
        key(g, line);
        offset(g, line, WRITTEN);
        line.push(if g.one_in(12) { g.pick(&BAD_BITS) } else { g.pick(&["0", "1", "1"]) });
    }),
    row("GETBIT", 8, Rule::Exact, |g, line| {
        key(g, line);
        offset(g, line, READ);
    }),
    row("BITCOUNT", 10, Rule::Exact, |g, line| {
        key(g, line);
        range(g, line);
    }),
    row("BITPOS", 12, Rule::Exact, |g, line| {
        key(g, line);
        line.push(if g.one_in(12) { g.pick(&BAD_BITS) } else { g.pick(&["0", "1"]) });
        range(g, line);
    }),
    row("BITOP", 14, Rule::Exact, combine),
    row("BITFIELD", 24, Rule::Exact, |g, line| fields(g, line, false)),
    row("BITFIELD_RO", 8, Rule::Exact, |g, line| fields(g, line, true)),
];

/// Offsets that are not valid, or beyond the maximum.
const BAD: [&str; 14] = [
    "-1",
    "",
    "x",
    "01",
    "+1",
    " 1",
    "1.0",
    "4294967296",
    "4294967297",
    "536870912000",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1\0",
];

/// The same for offsets of fields: products that overflow, and invalid text after a `#`.
const BAD_FIELDS: [&str; 8] = [
    "#",
    "#-1",
    "#x",
    "##1",
    "#01",
    "#1317624576693539401",
    "#9223372036854775807",
    "#9223372036854775808",
];

const BAD_BITS: [&str; 8] = ["2", "-1", "x", "", "01", "1 ", "1\0", "9223372036854775808"];

/// Offsets for writes: near the ends of bytes and of strings; none of them makes a string large.
const WRITTEN: &[i64] = &[0, 1, 6, 7, 8, 9, 15, 16, 63, 64, 65, 127, 360, 2_399, 2_400, 9_000];

/// Offsets for reads, including the maximum.
const READ: &[i64] = &[0, 1, 7, 8, 15, 63, 64, 2_399, 2_400, 100_000, 4_294_967_295];

fn key(g: &mut Gen, line: &mut Line) {
    let kind = g.pick(&[Kind::String, Kind::String, Kind::String, Kind::Number]);
    let kind = if g.one_in(40) { Kind::Hll } else { kind };
    let key = g.key(kind);
    line.push(key);
}

fn offset(g: &mut Gen, line: &mut Line, edges: &[i64]) {
    match g.rng.below(12) {
        0 => drop(line.push(g.pick(&BAD))),
        1..5 => drop(line.number(g.pick(edges))),
        _ => {
            let offset = g.rng.range(0..=200);
            line.number(offset);
        }
    }
}

/// None to two ends, and usually a valid unit.
fn range(g: &mut Gen, line: &mut Line) {
    const ENDS: [&str; 24] = [
        "0",
        "0",
        "1",
        "2",
        "5",
        "7",
        "8",
        "30",
        "43",
        "100",
        "360",
        "-1",
        "-1",
        "-2",
        "-8",
        "-9",
        "-30",
        "-5000",
        "x",
        "",
        "9223372036854775807",
        "-9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
    ];
    const UNITS: [&str; 10] =
        ["BIT", "BIT", "BIT", "BYTE", "bit", "Byte", "BIT\0x", "BITS", "", "x"];
    for _ in 0..g.pick(&[0, 0, 1, 2, 2, 2, 2]) {
        line.push(g.pick(&ENDS));
    }
    if g.one_in(2) {
        line.push(g.pick(&UNITS));
    }
    if g.one_in(40) {
        line.push("BIT");
    }
}

fn combine(g: &mut Gen, line: &mut Line) {
    // The last four are operations of 8.2, which 7.0 does not have.
    const NAMES: [&str; 16] = [
        "AND", "AND", "OR", "OR", "XOR", "XOR", "NOT", "and", "Or", "not", "xor\0x", "DIFF",
        "DIFF1", "ANDOR", "ONE", "nonesuch",
    ];
    let name = g.pick(&NAMES);
    line.push(name);
    key(g, line);
    let one = name.eq_ignore_ascii_case("NOT") && !g.one_in(5);
    let kind = if g.one_in(20) { Kind::Set } else { Kind::String };
    some(g, kind, line, if one { 1 } else { 4 });
    if !one && g.one_in(3) {
        key(g, line);
    }
}

fn fields(g: &mut Gen, line: &mut Line, reads: bool) {
    key(g, line);
    for _ in 0..g.rng.below(5) {
        let name = match g.rng.below(if reads { 40 } else { 12 }) {
            0..3 => "SET",
            3..6 => "INCRBY",
            6..8 => "OVERFLOW",
            _ => "GET",
        };
        line.push(if g.one_in(10) { name.to_lowercase() } else { name.to_owned() });
        if g.one_in(60) {
            // A word is missing or has no meaning.
            line.push(g.pick(&["", "GET", "GETX", "SET\0"]));
            continue;
        }
        if name == "OVERFLOW" {
            let kinds = ["WRAP", "SAT", "SAT", "FAIL", "FAIL", "wrap", "Sat", "fail\0x"];
            line.push(if g.one_in(25) { g.pick(&["", "nonesuch"]) } else { g.pick(&kinds) });
            continue;
        }
        field(g, line);
        if g.one_in(8) {
            line.push(g.pick(&BAD_FIELDS));
        } else if g.one_in(3) {
            let index = g.rng.range(0..=20);
            line.push(format!("#{index}"));
        } else {
            offset(g, line, if name == "GET" { READ } else { WRITTEN });
        }
        if name != "GET" {
            number(g, line);
        }
    }
}

/// The type of a field.
fn field(g: &mut Gen, line: &mut Line) {
    const BAD: [&str; 16] = [
        "u64", "i65", "u0", "i0", "U8", "I8", "u08", "u+8", "u", "i", "", "8", "u8 ", " u8", "u-1",
        "x8",
    ];
    const EDGES: [&str; 12] =
        ["u1", "i1", "u7", "u8", "u9", "i8", "u16", "i32", "u32", "u63", "i63", "i64"];
    match g.rng.below(12) {
        0 if g.one_in(3) => drop(line.push(g.pick(&BAD))),
        0 => drop(line.push("u8\0x")),
        1..5 => drop(line.push(g.pick(&EDGES))),
        5..9 => {
            let bits = g.rng.range(1..=63);
            line.push(format!("u{bits}"));
        }
        _ => {
            let bits = g.rng.range(1..=64);
            line.push(format!("i{bits}"));
        }
    }
}

/// The value to write to a field, or to add to it: usually close to the limits of the field.
fn number(g: &mut Gen, line: &mut Line) {
    match g.rng.below(4) {
        0 => {
            let number = g.integer();
            line.push(number);
        }
        1 => {
            let number = g.rng.range(-300..=300);
            line.number(number);
        }
        2 => {
            let power = 1_i64.wrapping_shl(u32::try_from(g.rng.below(64)).unwrap_or(0));
            let near = g.rng.range(-1..=1);
            line.number(power.wrapping_add(near).wrapping_mul(g.pick(&[1, -1])));
        }
        _ => {
            let number = g.rng.i64();
            line.number(number);
        }
    }
}
