//! Databases, the configuration, and information about the server.

use super::super::compare::Rule;
use super::super::generate::{Gen, Line};
use super::{Family, Row, row};

pub(super) const FAMILY: Family = Family { name: "server", rows: ROWS };

const ROWS: &[Row] = &[
    row("MEMORY USAGE", 3, Rule::Shape, |g, line| {
        line.push(g.any_key());
        if g.one_in(4) {
            line.push("SAMPLES").push(g.pick(&["0", "5", "-1", "x"]));
        }
    }),
    row("DEBUG OBJECT", 8, Rule::DebugObject, |g, line| {
        line.push(g.any_key());
    }),
    row("DBSIZE", 6, Rule::Exact, |_, _| {}),
    row("FLUSHDB", 1, Rule::Exact, flush),
    row("FLUSHALL", 1, Rule::Exact, flush),
    row("SWAPDB", 2, Rule::Exact, |g, line| {
        let bad = g.one_in(4);
        let first = if bad { g.pick(&["16", "-1", "x", ""]) } else { g.db() };
        let second = if bad { g.pick(&["0", "16", "-1", "x"]) } else { g.db() };
        line.push(first).push(second);
    }),
    row("SELECT", 10, Rule::Exact, |g, line| {
        let db = if g.one_in(10) {
            g.pick(&["16", "-1", "x", "", "1.0", "99999999999999999999", "2147483648"])
        } else {
            g.db()
        };
        line.push(db);
    }),
    row("PING", 2, Rule::Exact, |g, line| {
        if g.one_in(2) {
            let text = g.value();
            line.push(text);
        }
    }),
    row("ECHO", 2, Rule::Exact, |g, line| {
        let text = g.value();
        line.push(text);
    }),
    row("TIME", 1, Rule::RandomMember, |_, _| {}),
    row("CONFIG GET", 2, Rule::Pairs, |g, line| {
        for _ in 0..=g.rng.below(2) {
            line.push(g.pick(&[
                "hll-sparse-max-bytes",
                "set-max-intset-entries",
                "SET-MAX-INTSET-ENTRIES",
                "hll-sparse-max-byte?",
                "set-max-int*",
                "nonesuch",
                "",
            ]));
        }
    }),
    row("CONFIG SET", 1, Rule::Exact, |g, line| {
        for _ in 0..=g.rng.below(2) {
            line.push(g.pick(&[
                "hll-sparse-max-bytes",
                "set-max-intset-entries",
                "HLL-SPARSE-MAX-BYTES",
                "nonesuch",
            ]));
            line.push(g.pick(&[
                "5",
                "40",
                "512",
                "3000",
                "0",
                "-1",
                "x",
                "",
                "9223372036854775808",
            ]));
        }
    }),
    row("COMMAND", 1, Rule::Shape, wrong_subcommand),
    row("COMMAND COUNT", 1, Rule::Shape, |_, _| {}),
    row("COMMAND LIST", 1, Rule::Shape, |g, line| {
        if g.one_in(2) {
            line.push("FILTERBY").push("PATTERN").push(g.pick(&["pf*", "nonesuch", "s?op"]));
        }
    }),
    row("COMMAND INFO", 2, Rule::CommandInfo, |g, line| {
        for _ in 0..=g.rng.below(2) {
            line.push(name(g));
        }
    }),
    row("COMMAND DOCS", 1, Rule::Shape, |g, line| {
        line.push(name(g));
    }),
    row("COMMAND GETKEYS", 3, Rule::Exact, whole_command),
    row("COMMAND GETKEYSANDFLAGS", 2, Rule::Exact, whole_command),
    row("COMMAND HELP", 1, Rule::Shape, |_, _| {}),
    row("CONFIG HELP", 1, Rule::Shape, |_, _| {}),
    row("MEMORY HELP", 1, Rule::Shape, |_, _| {}),
    row("CONFIG RESETSTAT", 1, Rule::Exact, |_, _| {}),
    row("CONFIG", 1, Rule::Exact, wrong_subcommand),
    row("MEMORY", 1, Rule::Exact, wrong_subcommand),
    row("DEBUG", 1, Rule::Exact, wrong_subcommand),
    row("INFO", 1, Rule::Shape, |g, line| {
        line.push(g.pick(&["memory", "keyspace", "nonesuch"]));
    }),
    row("NONESUCH", 1, Rule::Exact, |g, line| {
        // The message shows the arguments, up to a length.
        for _ in 0..g.rng.below(5) {
            let word = g.value();
            line.push(word);
        }
    }),
];

fn name(g: &mut Gen) -> &'static str {
    const NAMES: [&str; 11] = [
        "get",
        "SET",
        "sadd",
        "pfcount",
        "pfmerge",
        "sinterstore",
        "exec",
        "spop",
        "mset",
        "nonesuch",
        "",
    ];
    g.pick(&NAMES)
}

/// A command whose keys are queried; it is not run.
fn whole_command(g: &mut Gen, line: &mut Line) {
    let words = g.pick::<&[&str]>(&[
        &["SET", "k", "v", "EX", "5"],
        &["get", "k"],
        &["MSET", "a", "1", "b", "2"],
        &["MSET", "a", "1", "b"],
        &["SINTERCARD", "2", "a", "b", "LIMIT", "1"],
        &["SINTERCARD", "5", "a"],
        &["SINTERCARD", "x", "a"],
        &["SUNIONSTORE", "into", "a", "b"],
        &["PFMERGE", "into", "a"],
        &["PFDEBUG", "ENCODING", "k"],
        &["OBJECT", "ENCODING", "k"],
        &["SMOVE", "a", "b", "m"],
        &["COPY", "a", "b", "DB", "1"],
        &["LCS", "a", "b"],
        &["BITOP", "AND", "into", "a", "b"],
        &["BITFIELD", "k", "GET", "u8", "0"],
        &["BITFIELD", "k", "GET", "u8", "0", "OVERFLOW", "SAT", "SET", "u8", "0", "1"],
        &["EXEC", "x"],
        &["PING"],
        &["GET"],
        &["nonesuch", "k"],
    ]);
    for word in words {
        line.push(*word);
    }
}

pub(super) fn wrong_subcommand(g: &mut Gen, line: &mut Line) {
    line.push(g.pick(&["NONESUCH", "", "US AGE", "\r\n"]));
    if g.one_in(2) {
        line.push(g.any_key());
    }
}

fn flush(g: &mut Gen, line: &mut Line) {
    match g.rng.below(6) {
        0 => drop(line.push("ASYNC")),
        1 => drop(line.push("SYNC")),
        2..5 => drop(line.push("nonesuch")),
        _ => {}
    }
}
