//! Keys of any type.

use super::super::compare::{Rule, SLACK_SECONDS};
use super::super::generate::{Gen, Kind, Line};
use super::super::script::How;
use super::{Family, Row, row};

const MILLISECONDS: u32 = SLACK_SECONDS * 1_000;

pub(super) const FAMILY: Family = Family { name: "keys", rows: ROWS };

const ROWS: &[Row] = &[
    row("DEL", 12, Rule::Exact, keys),
    row("UNLINK", 4, Rule::Exact, keys),
    row("EXISTS", 6, Rule::Exact, keys),
    row("TOUCH", 4, Rule::Exact, keys),
    row("TYPE", 6, Rule::Exact, one),
    row("KEYS", 6, Rule::Unordered, |g, line| {
        line.push(g.pattern());
    }),
    row("SCAN", 8, Rule::Page, scan),
    row("RANDOMKEY", 4, Rule::RandomKey, |_, _| {}),
    row("RENAME", 6, Rule::Exact, two),
    row("RENAMENX", 6, Rule::Exact, two),
    row("COPY", 10, Rule::Exact, copy),
    row("MOVE", 6, Rule::Exact, |g, line| {
        let db = if g.one_in(8) { g.pick(&["16", "-1", "x", "", "9999999999"]) } else { g.db() };
        line.push(g.any_key()).push(db);
    }),
    row("EXPIRE", 10, Rule::Exact, |g, line| relative(g, line, 1)),
    row("PEXPIRE", 8, Rule::Exact, |g, line| relative(g, line, 1_000)),
    row("EXPIREAT", 8, Rule::Exact, |g, line| absolute(g, line, 1)),
    row("PEXPIREAT", 8, Rule::Exact, |g, line| absolute(g, line, 1_000)),
    row("TTL", 6, Rule::Time(SLACK_SECONDS), one),
    row("PTTL", 6, Rule::Time(MILLISECONDS), one),
    row("EXPIRETIME", 6, Rule::Time(SLACK_SECONDS), one),
    row("PEXPIRETIME", 6, Rule::Time(MILLISECONDS), one),
    row("PERSIST", 6, Rule::Exact, one),
    row("DUMP", 8, Rule::Dump, one),
    row("RESTORE", 16, Rule::Exact, restore),
    row("OBJECT ENCODING", 12, Rule::Exact, one),
    row("OBJECT REFCOUNT", 4, Rule::Shape, one),
    row("OBJECT IDLETIME", 4, Rule::Time(SLACK_SECONDS), one),
    row("OBJECT FREQ", 3, Rule::Exact, one),
    row("OBJECT HELP", 1, Rule::Shape, |_, _| {}),
    row("OBJECT", 1, Rule::Exact, |g, line| {
        let junk = g.pick(&["", "ENCODINGS", "nonesuch", "a b", "\r\n", "REFCOUNT"]);
        line.push(junk);
        if g.one_in(2) {
            line.push(g.any_key());
        }
    }),
];

fn one(g: &mut Gen, line: &mut Line) {
    line.push(g.any_key());
}

fn two(g: &mut Gen, line: &mut Line) {
    let [from, to] = g.two_keys();
    line.push(from).push(to);
}

fn keys(g: &mut Gen, line: &mut Line) {
    for _ in 0..=g.rng.below(2) {
        line.push(g.any_key());
    }
}

fn scan(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        line.push(g.pick(&[
            "0",
            "0",
            "17",
            "-1",
            "x",
            "",
            " 0",
            "18446744073709551615",
            "18446744073709551616",
        ]));
    } else {
        line.how = How::ScanAll(line.words.len());
        line.push("0");
    }
    scan_options(g, line);
    if g.one_in(3) {
        line.push("TYPE")
            .push(g.pick(&["string", "set", "list", "hash", "STRING", "nonesuch", ""]));
    }
}

/// The cursor and the options of SSCAN, HSCAN and ZSCAN, which usually iterate to the end.
pub(super) fn scan_members(g: &mut Gen, line: &mut Line) {
    if g.one_in(4) {
        line.push(g.pick(&["0", "3", "x", "", "-1", "18446744073709551616"]));
    } else {
        line.how = How::ScanAll(line.words.len());
        line.push("0");
    }
    scan_options(g, line);
}

/// MATCH and COUNT, for SSCAN too.
pub(super) fn scan_options(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        line.push("MATCH").push(g.pattern());
    }
    if g.one_in(3) {
        line.push("COUNT").push(g.pick(&[
            "1",
            "2",
            "5",
            "100",
            "0",
            "-3",
            "x",
            "9223372036854775807",
        ]));
    }
}

fn copy(g: &mut Gen, line: &mut Line) {
    two(g, line);
    if g.one_in(3) {
        let db = if g.one_in(8) { g.pick(&["16", "-1", "x"]) } else { g.db() };
        line.push("DB").push(db);
    }
    if g.one_in(2) {
        line.push("REPLACE");
    }
}

/// NX, XX, GT and LT, sometimes two of them.
fn conditions(g: &mut Gen, line: &mut Line) {
    while g.one_in(3) {
        line.push(g.pick(&["NX", "XX", "GT", "LT"]));
    }
}

fn relative(g: &mut Gen, line: &mut Line, unit: i64) {
    line.push(g.any_key());
    if g.one_in(16) {
        line.push(g.bad_time());
    } else {
        let seconds = g.seconds();
        line.number(seconds * unit);
    }
    conditions(g, line);
}

fn absolute(g: &mut Gen, line: &mut Line, unit: i64) {
    line.push(g.any_key());
    if g.one_in(16) {
        line.push(g.bad_time());
    } else {
        let time = g.unix_time();
        line.number(time * unit);
    }
    conditions(g, line);
}

fn restore(g: &mut Gen, line: &mut Line) {
    let [from, to] = g.two_keys();
    line.push(to);
    let absolute = g.one_in(4);
    match g.rng.below(8) {
        0 => line.push(g.pick(&["-1", "x", "", "1.5", "9223372036854775807"])),
        1..4 if absolute => {
            let time = g.unix_time();
            line.number(time * 1_000)
        }
        1..4 => {
            let seconds = g.seconds().max(10_000);
            line.number(seconds * 1_000)
        }
        _ => line.push("0"),
    };
    let at = line.words.len();
    match g.rng.below(12) {
        0 => {
            let junk = g.value();
            line.push(junk);
        }
        1..4 => {
            let payload = made(g);
            line.push(payload);
        }
        4 if !g.found.foreign.is_empty() => {
            let at = g.rng.index(g.found.foreign.len());
            line.push(g.found.foreign[at].clone());
        }
        _ => {
            // A flipped bit, which the checksum detects; its position does not matter.
            let flip = g.one_in(8).then(|| g.rng.index(1 << 16));
            let db = u32::from(g.db().as_bytes()[0] - b'0');
            line.how = How::WithDump { at, db, key: from, theirs: g.one_in(2), flip };
            line.push("payload");
        }
    }
    if !g.one_in(4) {
        line.push("REPLACE");
    }
    if absolute {
        line.push("ABSTTL");
    }
    if g.one_in(6) {
        line.push("IDLETIME").push(g.pick(&["0", "5", "1000", "-1", "x", ""]));
    }
    if g.one_in(8) {
        line.push("FREQ").push(g.pick(&["0", "7", "255", "256", "-1", "x"]));
    }
    if g.one_in(40) {
        line.push(g.pick(&["NX", "IDLETIME", "FREQ", ""]));
    }
}

/// A payload with a valid footer, and with a value that may break the rules of its type. A value is truncated by more
/// bytes than the footer has: a 7.0 server reads on into the footer.
fn made(g: &mut Gen) -> Vec<u8> {
    const INTSET: &[u8] = b"\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x03\0";
    let mut body: Vec<u8> = match g.rng.below(20) {
        // Strings: plain, integers of each width, compressed (40 times "a"), and one that is entirely invalid.
        0 => b"\x00\x03abc".to_vec(),
        1 => b"\x00\xc0\xfb".to_vec(),
        2 => b"\x00\xc1\x39\x30".to_vec(),
        3 => b"\x00\xc2\x00\x00\x00\x80".to_vec(),
        4 => b"\x00\xc3\x05\x28\x00a\xe0\x1e\x00".to_vec(),
        5 => b"\x00\xc3\x05\x29\x00a\xe0\x1e\x00".to_vec(),
        // Longer than the payload: a server reads the footer as a part of a value that extends into it.
        6 => b"\x00\x3fabc".to_vec(),
        7 => b"\x00\xc4\x00".to_vec(),
        // Sets: integers that make an intset, texts, a duplicate member, a missing member, no members.
        8 => b"\x02\x03\xc0\x01\xc0\x02\x0310 ".to_vec(),
        9 => b"\x02\x03\xc0\x01\xc0\x02\xc1\x00\x10".to_vec(),
        10 => b"\x02\x02\x01a\x01a".to_vec(),
        11 => b"\x02\x02\xc0\x05\x015".to_vec(),
        12 => b"\x02\x20\x01a".to_vec(),
        13 => b"\x02\x00".to_vec(),
        // Intsets: valid, empty, with a wrong length, with a wrong width.
        14 => [b"\x0b\x0e", INTSET].concat(),
        15 => b"\x0b\x08\x02\0\0\0\0\0\0\0".to_vec(),
        16 => [b"\x0b\x0d", &INTSET[..13]].concat(),
        17 => [b"\x0b\x0e\x03", &INTSET[1..]].concat(),
        // Types that do not exist.
        18 => b"\x40\x01a".to_vec(),
        _ => b"\x14\x0a\x0a\0\0\0\x01\0\x01\x01\xff".to_vec(),
    };
    let version: u16 = if g.one_in(12) { g.pick(&[0, 1, 6, 9, 11, 99]) } else { 10 };
    body.extend_from_slice(&version.to_le_bytes());
    let sum = rdb::crc64(&body);
    body.extend_from_slice(&sum.to_le_bytes());
    body
}

/// The keys that hold a string, a set or a HyperLogLog more often than others; used by their families.
pub(super) fn some(g: &mut Gen, kind: Kind, line: &mut Line, most: u64) {
    for _ in 0..=g.rng.below(most) {
        let key = g.key(kind);
        line.push(key);
    }
}
