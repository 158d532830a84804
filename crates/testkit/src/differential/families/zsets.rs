//! Sorted sets.

use super::super::compare::Rule;
use super::super::generate::{Gen, Kind, Line};
use super::keys::scan_members;
use super::{Family, Row, draws, row};

pub(super) const FAMILY: Family = Family { name: "zsets", rows: ROWS };

/// The key for ranges by member: it has only equal scores, because with others the reply of Redis is unspecified. No
/// other command uses it.
const LEX: &str = "lex";

const ROWS: &[Row] = &[
    row("ZADD", 70, Rule::Exact, add),
    row("ZINCRBY", 14, Rule::Exact, |g, line| {
        key(g, line);
        score(g, line);
        member(g, line);
    }),
    row("ZREM", 16, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line);
    }),
    row("ZCARD", 6, Rule::Exact, key),
    row("ZSCORE", 8, Rule::Exact, |g, line| {
        key(g, line);
        member(g, line);
    }),
    row("ZMSCORE", 6, Rule::Exact, |g, line| {
        key(g, line);
        members(g, line);
    }),
    row("ZRANK", 8, Rule::Exact, rank),
    row("ZREVRANK", 8, Rule::Exact, rank),
    row("ZCOUNT", 8, Rule::Exact, |g, line| {
        key(g, line);
        scores(g, line);
    }),
    row("ZLEXCOUNT", 6, Rule::Exact, |g, line| {
        equals(line);
        lex(g, line);
    }),
    row("ZRANGE", 16, Rule::Exact, range),
    row("ZRANGESTORE", 10, Rule::Exact, |g, line| {
        key(g, line);
        range(g, line);
    }),
    row("ZREVRANGE", 6, Rule::Exact, |g, line| {
        key(g, line);
        ranks(g, line);
        withscores(g, line);
    }),
    row("ZRANGEBYSCORE", 10, Rule::Exact, by_score),
    row("ZREVRANGEBYSCORE", 8, Rule::Exact, by_score),
    row("ZRANGEBYLEX", 8, Rule::Exact, by_lex),
    row("ZREVRANGEBYLEX", 8, Rule::Exact, by_lex),
    row("ZREMRANGEBYRANK", 4, Rule::Exact, |g, line| {
        key(g, line);
        ranks(g, line);
    }),
    row("ZREMRANGEBYSCORE", 4, Rule::Exact, |g, line| {
        key(g, line);
        scores(g, line);
    }),
    row("ZREMRANGEBYLEX", 4, Rule::Exact, |g, line| {
        equals(line);
        lex(g, line);
    }),
    row("ZPOPMIN", 6, Rule::Exact, pop),
    row("ZPOPMAX", 6, Rule::Exact, pop),
    row("ZMPOP", 6, Rule::Exact, |g, line| {
        counted(g, line);
        line.push(g.pick(&["MIN", "MAX", "min", "mAx", "MID"]));
        if g.one_in(2) {
            line.push("COUNT").push(g.pick(&["1", "2", "3", "1000", "0", "-1", "x"]));
        }
    }),
    row("ZRANDMEMBER", 8, Rule::RandomMember, |g, line| {
        key(g, line);
        if !g.one_in(4) {
            line.push(draws(g));
            withscores(g, line);
        }
    }),
    row("ZUNION", 8, Rule::Exact, |g, line| {
        counted(g, line);
        scoring(g, line);
        withscores(g, line);
    }),
    row("ZINTER", 8, Rule::Exact, |g, line| {
        counted(g, line);
        scoring(g, line);
        withscores(g, line);
    }),
    row("ZDIFF", 8, Rule::Exact, |g, line| {
        counted(g, line);
        withscores(g, line);
    }),
    row("ZUNIONSTORE", 8, Rule::Exact, |g, line| {
        key(g, line);
        counted(g, line);
        scoring(g, line);
    }),
    row("ZINTERSTORE", 8, Rule::Exact, |g, line| {
        key(g, line);
        counted(g, line);
        scoring(g, line);
    }),
    row("ZDIFFSTORE", 8, Rule::Exact, |g, line| {
        key(g, line);
        counted(g, line);
    }),
    row("ZINTERCARD", 8, Rule::Exact, |g, line| {
        counted(g, line);
        if g.one_in(2) {
            line.push("LIMIT").push(g.pick(&["0", "1", "2", "5", "1000", "-1", "x", ""]));
        }
    }),
    row("ZSCAN", 8, Rule::Page, |g, line| {
        key(g, line);
        scan_members(g, line);
    }),
];

fn key(g: &mut Gen, line: &mut Line) {
    // Sets are sources of set operations, and values of a wrong type.
    let kind = if g.one_in(20) { Kind::Set } else { Kind::ZSet };
    let key = g.key(kind);
    line.push(key);
}

/// The key of equal scores, which must not be replaced by another one.
fn equals(line: &mut Line) {
    line.fragile = true;
    line.push(LEX);
}

fn member(g: &mut Gen, line: &mut Line) {
    let member = g.member();
    line.push(member);
}

fn members(g: &mut Gen, line: &mut Line) {
    for _ in 0..=g.rng.below(4) {
        member(g, line);
    }
}

/// Few integers, so that scores are equal, and all kinds of others.
fn score(g: &mut Gen, line: &mut Line) {
    let score = match g.rng.below(8) {
        0..5 => g.rng.range(-3..=6).to_string().into(),
        5 => g.integer(),
        _ => g.float(),
    };
    line.push(score);
}

fn add(g: &mut Gen, line: &mut Line) {
    if g.one_in(5) {
        return add_equal(g, line);
    }
    key(g, line);
    for option in ["NX", "XX", "GT", "LT", "CH", "INCR"] {
        if g.one_in(12) {
            line.push(option);
        }
    }
    // Sometimes so many that the default limit is exceeded at once.
    let most = if g.one_in(60) { 200 } else { g.pick(&[1, 1, 2, 5]) };
    if most == 200 {
        let first = g.rng.range(-300..=300);
        for number in first..first + g.rng.range(50..=200) {
            let score = g.rng.range(-50..=50);
            line.number(score).number(number);
        }
        return;
    }
    for _ in 0..=g.rng.below(most) {
        score(g, line);
        member(g, line);
    }
    if g.one_in(60) {
        line.push("1");
    }
}

/// Members of the key whose scores are all equal.
fn add_equal(g: &mut Gen, line: &mut Line) {
    equals(line);
    for _ in 0..=g.rng.below(4) {
        line.push(g.pick(&["0", "-0", "0.0"]));
        let member = if g.one_in(3) { g.member() } else { word(g) };
        line.push(member);
    }
}

/// A short text of few letters: many are prefixes of others.
fn word(g: &mut Gen) -> Vec<u8> {
    (0..g.rng.below(4)).map(|_| g.pick(b"aabc")).collect()
}

fn rank(g: &mut Gen, line: &mut Line) {
    key(g, line);
    member(g, line);
    if g.one_in(10) {
        line.push(g.pick(&["WITHSCORE", "WITHSCORES"]));
    }
}

fn ranks(g: &mut Gen, line: &mut Line) {
    for _ in 0..2 {
        let rank = if g.one_in(10) { g.integer() } else { g.rng.range(-8..=8).to_string().into() };
        line.push(rank);
    }
}

fn scores(g: &mut Gen, line: &mut Line) {
    for _ in 0..2 {
        let open = if g.one_in(4) { "(" } else { "" };
        let end = match g.rng.below(6) {
            0 => g.pick(&["-inf", "+inf", "inf", "", " 1", "1\0x", "nan", "(", "x"]).into(),
            1 => g.float(),
            _ => g.rng.range(-4..=7).to_string().into(),
        };
        line.push([open.as_bytes(), &end].concat());
    }
}

fn lex(g: &mut Gen, line: &mut Line) {
    for _ in 0..2 {
        let end = if g.one_in(3) {
            g.pick(&[&b"-"[..], b"+", b"-", b"+", b"", b"a", b"-a", b"+\0a", b"[", b"("]).to_vec()
        } else {
            let member = if g.one_in(4) { g.member() } else { word(g) };
            [if g.one_in(2) { b"[" } else { b"(" }, &member[..]].concat()
        };
        line.push(end);
    }
}

fn withscores(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        line.push(g.pick(&["WITHSCORES", "WITHSCORES", "withscores", "WITHSCORE"]));
    }
}

fn limit(g: &mut Gen, line: &mut Line) {
    if g.one_in(3) {
        let offset = g.pick(&["0", "1", "2", "5", "100", "-1", "x"]);
        let count = g.pick(&["0", "1", "2", "5", "100", "-1", "-2", "x"]);
        line.push("LIMIT").push(offset).push(count);
    }
}

fn by_score(g: &mut Gen, line: &mut Line) {
    key(g, line);
    scores(g, line);
    withscores(g, line);
    limit(g, line);
}

fn by_lex(g: &mut Gen, line: &mut Line) {
    equals(line);
    lex(g, line);
    limit(g, line);
    if g.one_in(30) {
        line.push("WITHSCORES");
    }
}

/// ZRANGE in all its forms.
fn range(g: &mut Gen, line: &mut Line) {
    match g.rng.below(4) {
        0 => {
            equals(line);
            lex(g, line);
            line.push("BYLEX");
        }
        1 => {
            key(g, line);
            scores(g, line);
            line.push("BYSCORE");
        }
        _ => {
            key(g, line);
            ranks(g, line);
        }
    }
    if g.one_in(2) {
        line.push(g.pick(&["REV", "rev"]));
    }
    withscores(g, line);
    limit(g, line);
}

fn pop(g: &mut Gen, line: &mut Line) {
    key(g, line);
    if g.one_in(2) {
        line.push(g.pick(&["0", "1", "2", "3", "1000", "-1", "x", "9223372036854775808"]));
    }
}

/// A number of keys, and usually as many keys.
fn counted(g: &mut Gen, line: &mut Line) {
    let count = 1 + g.rng.below(3);
    if g.one_in(15) {
        line.push(g.pick(&["0", "-1", "x", "100", ""]));
    } else {
        line.push(count.to_string());
    }
    for _ in 0..count {
        let kind = if g.one_in(4) { Kind::Set } else { Kind::ZSet };
        let key = g.key(kind);
        line.push(key);
    }
}

fn scoring(g: &mut Gen, line: &mut Line) {
    if g.one_in(2) {
        line.push("WEIGHTS");
        for _ in 0..=g.rng.below(3) {
            let weight =
                if g.one_in(4) { g.float() } else { g.pick(&["1", "2", "-1", "0"]).into() };
            line.push(weight);
        }
    }
    if g.one_in(2) {
        line.push("AGGREGATE").push(g.pick(&["SUM", "MIN", "MAX", "min", "AVG"]));
    }
}
