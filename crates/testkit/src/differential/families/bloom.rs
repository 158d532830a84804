//! Bloom filters, which a server has only with the module `RedisBloom`.

use super::super::Reply;
use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::super::script::{Damage, How};
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "bloom", rows: ROWS };

const ROWS: &[Row] = &[
    row("BF.ADD", 24, Rule::Exact, |g, line| {
        key(g, line);
        let item = item(g);
        line.push(item);
    }),
    row("BF.CARD", 6, Rule::Exact, key),
    row("BF.DEBUG", 6, Rule::Exact, key),
    row("BF.EXISTS", 10, Rule::Exact, |g, line| {
        key(g, line);
        let item = item(g);
        line.push(item);
    }),
    row("BF.INFO", 12, Rule::Exact, info),
    row("BF.INSERT", 24, Rule::Exact, insert),
    row("BF.LOADCHUNK", 30, Rule::Exact, loadchunk),
    row("BF.MADD", 24, Rule::Exact, |g, line| {
        key(g, line);
        items(g, line);
    }),
    row("BF.MEXISTS", 12, Rule::Exact, |g, line| {
        key(g, line);
        items(g, line);
    }),
    row("BF.RESERVE", 24, Rule::Exact, reserve),
    row("BF.SCANDUMP", 16, Rule::Exact, |g, line| {
        key(g, line);
        let cursor = cursor(g);
        line.push(cursor);
    }),
];

/// Returns the key of a command that `RedisBloom` has opened for writing without changing it.
///
/// This follows from the words of the command and the server's reply: each error that occurs before the key is opened
/// has its own text.
pub(in super::super) fn opened_for_nothing<'a>(
    words: &'a [Vec<u8>],
    theirs: &Reply,
) -> Option<&'a [u8]> {
    const OPENED: [&str; 10] = [
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "ERR item exists",
        "ERR not found",
        "ERR non scaling filter is full",
        "ERR problem inserting into filter",
        "ERR received bad data",
        "ERR invalid chunk - Too big for current filter",
        "ERR invalid offset - no link found",
        "ERR Insufficient memory to create filter",
        "ERR could not create filter",
    ];
    const WRITES: [&[u8]; 5] =
        [b"BF.ADD", b"BF.INSERT", b"BF.LOADCHUNK", b"BF.MADD", b"BF.RESERVE"];
    let [name, key, ..] = words else { return None };
    let writes = WRITES.iter().any(|write| name.eq_ignore_ascii_case(write));
    let none_new = |reply: &Reply| {
        matches!(reply, Reply::Int(0) | Reply::Bool(false))
            || matches!(reply, Reply::Error(text) if OPENED.contains(&text.as_str()))
    };
    let nothing =
        theirs.elements().map_or_else(|| none_new(theirs), |all| all.iter().all(none_new));
    (writes && nothing).then_some(key)
}

fn key(g: &mut Gen, line: &mut Line) {
    let key = g.key(Kind::Bloom);
    line.push(key);
}

/// A key that often does not exist.
fn maybe_free(g: &mut Gen, line: &mut Line) {
    let key = if g.one_in(2) { g.any_key() } else { g.key(Kind::Bloom) };
    line.push(key);
}

/// An item from a small set, so that filters fill and items repeat.
fn item(g: &mut Gen) -> Vec<u8> {
    match g.rng.below(12) {
        0 => g.value(),
        1 => g.integer(),
        2 => Vec::new(),
        _ => format!("i{}", g.rng.below(400)).into(),
    }
}

fn items(g: &mut Gen, line: &mut Line) {
    let count = match g.rng.below(20) {
        0 => 0,
        1 => 40 + g.rng.below(120),
        2..5 => 16,
        _ => 1 + g.rng.below(4),
    };
    for _ in 0..count {
        let item = item(g);
        line.push(item);
    }
}

/// Arguments that `RedisBloom` before 8 accepts and 8 refuses, or vice versa: other limits, and rates above 0.25, which
/// 8 reduces to 0.25. For the smallest rates, the older one creates filters without bits.
const NEW_LIMITS: [&str; 23] = [
    "0",
    "1.0",
    "-0.5",
    "-1",
    "inf",
    "-inf",
    ".5",
    "0.26",
    "0.3",
    "0.5",
    "0.99",
    "0.9999999999999999",
    "0.99999999999999999",
    "5e-324",
    "1e-310",
    "1e-300",
    "1e-400",
    "0x1p-3",
    "32769",
    "1073741825",
    "4294967296",
    "4294967297",
    "9223372036854775807",
];

/// One of `all` that the server's `RedisBloom` treats like the newest one.
fn pick(g: &mut Gen, all: &[&'static str]) -> &'static str {
    let picked = g.pick(all);
    let differs = g.found.old_blooms && NEW_LIMITS.contains(&picked);
    if differs { all.last().copied().unwrap_or_default() } else { picked }
}

/// The error rate of a filter. Small rates stay within some thousand bits per item.
fn rate(g: &mut Gen) -> &'static str {
    if g.one_in(3) {
        return pick(
            g,
            &[
                "0",
                "1.0",
                "-0.5",
                "nan",
                "inf",
                "-inf",
                "",
                "x",
                "0x1p-3",
                " 0.1",
                "0.1 ",
                "1e-400",
                "+0.1",
                ".5",
                "5e-324",
                "0.5.",
                "1e-310",
                "0.9999999999999999",
                "0.99999999999999999",
                "1e",
            ],
        );
    }
    pick(
        g,
        &["0.01", "0.3", "0.001", "0.5", "0.25", "0.1", "1e-5", "0.99", "1e-300", "0.26", "1e-20"],
    )
}

/// The capacity of a filter: small, so that it grows.
fn capacity(g: &mut Gen) -> &'static str {
    if g.one_in(6) {
        return pick(
            g,
            &[
                "0",
                "-1",
                "1073741825",
                "9223372036854775807",
                "9223372036854775808",
                "x",
                "",
                "1.5",
                " 1",
                "+3",
                "010",
                "1e2",
            ],
        );
    }
    pick(g, &["1", "2", "3", "8", "10", "20", "64", "100", "150"])
}

fn expansion(g: &mut Gen) -> &'static str {
    if g.one_in(5) {
        return pick(
            g,
            &["-1", "32769", "x", "", "1.5", "4294967296", "4294967297", "9223372036854775808"],
        );
    }
    pick(g, &["0", "1", "2", "2", "3", "4"])
}

fn reserve(g: &mut Gen, line: &mut Line) {
    maybe_free(g, line);
    line.push(rate(g)).push(capacity(g));
    match g.rng.below(16) {
        // With both options at once, the older one has other errors.
        12.. if g.found.old_blooms => {}
        0..5 => {}
        5..8 => {
            line.push(g.pick(&["NONSCALING", "nonscaling", "NonScaling"]));
        }
        8..11 => {
            line.push(g.pick(&["EXPANSION", "expansion"])).push(expansion(g));
        }
        11 => {
            line.push("EXPANSION");
        }
        12 => {
            line.push("NONSCALING").push("EXPANSION").push(expansion(g));
        }
        13 => {
            line.push("EXPANSION").push(expansion(g)).push("NONSCALING");
        }
        14 => {
            line.push(g.pick(&["NONSCALIN", "EXP", "x", "", "NOCREATE", "2"]));
        }
        _ => {
            for _ in 0..g.rng.below(5) {
                line.push(g.pick(&["NONSCALING", "EXPANSION", "1", "0", "x", "EXPANSION"]));
            }
        }
    }
}

fn insert(g: &mut Gen, line: &mut Line) {
    key(g, line);
    for _ in 0..g.rng.below(4) {
        match g.rng.below(9) {
            0 | 1 => {
                line.push(g.pick(&["CAPACITY", "capacity", "C", "cap", "CX"])).push(capacity(g));
            }
            2 | 3 => {
                line.push(g.pick(&["ERROR", "error", "ER", "er", "ERX"])).push(rate(g));
            }
            4 | 5 => {
                line.push(g.pick(&["EXPANSION", "expansion", "E", "EX", "E "])).push(expansion(g));
            }
            6 => {
                line.push(g.pick(&["NOCREATE", "nocreate", "NOC", "NxC", "nOc"]));
            }
            7 => {
                // It reads the third letter even of a word of one letter.
                line.push(g.pick(&["NONSCALING", "nonscaling", "NO", "NON", "NX"]));
            }
            _ if g.one_in(3) => {
                line.push(g.pick(&["", "x", "1", "\0", "-", "KEY"]));
            }
            _ => {}
        }
    }
    if !g.one_in(16) {
        line.push(g.pick(&["ITEMS", "ITEMS", "ITEMS", "items", "i", "IX"]));
        items(g, line);
    }
}

fn info(g: &mut Gen, line: &mut Line) {
    key(g, line);
    if g.one_in(2) {
        line.push(g.pick(&[
            "CAPACITY",
            "capacity",
            "Size",
            "FILTERS",
            "filters",
            "Items",
            "ITEMS",
            "eXpAnSiOn",
            "EXPANSION",
            "x",
            "",
            "SIZE ",
            "Number of filters",
        ]));
    }
    if g.one_in(20) {
        line.push("SIZE");
    }
}

fn cursor(g: &mut Gen) -> Vec<u8> {
    match g.rng.below(8) {
        0..3 => b"0".to_vec(),
        3..5 => b"1".to_vec(),
        5 => g.rng.range(2..=600).to_string().into(),
        6 => g.integer(),
        _ => g
            .pick(&[
                "9223372036854775807",
                "-9223372036854775808",
                "-1",
                "9223372036854775808",
                "x",
                "",
                "1.0",
            ])
            .into(),
    }
}

fn loadchunk(g: &mut Gen, line: &mut Line) {
    maybe_free(g, line);
    if g.one_in(5) {
        let cursor = cursor(g);
        let piece = if g.one_in(2) { g.value() } else { item(g) };
        line.push(cursor).push(piece);
        return;
    }
    let nth = if g.one_in(2) { 0 } else { 1 + g.rng.index(3) };
    let damage = match g.rng.below(12) {
        0 | 1 if nth == 0 => Damage::Flip(header_bit(g)),
        0 | 1 => Damage::Flip(g.rng.index(4_000)),
        2 => Damage::Cut(1 + g.rng.index(60)),
        3 => Damage::Grow(1 + g.rng.index(60)),
        4 => Damage::Shift(g.rng.range(-70..=70)),
        _ => Damage::Nothing,
    };
    let at = line.words.len() + 1;
    let from = g.key(Kind::Bloom);
    line.how = How::WithChunk { at, key: from, nth, theirs: g.one_in(2), damage };
    line.push("cursor").push("piece");
}

/// A bit of a header, in one of the numbers that every reader checks: the items, the links; bytes, bits and items of
/// the first link, and its hashes. Wrong values of other numbers are accepted by `RedisBloom`, or make it use all
/// memory.
fn header_bit(g: &mut Gen) -> usize {
    let byte = match g.rng.below(32) {
        byte @ 0..12 => byte,
        byte @ 12..28 => byte + 16,
        byte => byte + 32,
    };
    usize::try_from(byte).unwrap_or_default() * 8 + g.rng.index(8)
}
