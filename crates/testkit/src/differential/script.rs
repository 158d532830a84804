//! A script: commands drawn from the families, sometimes with errors in them.

use super::Settings;
use super::families::{FAMILIES, MULTI, Row};
use super::generate::{Gen, Line};
use crate::live::Protocol;

/// One command of a script, or a series of commands that belong together. It depends only on the seed, so any part of a
/// script is a script.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) session: usize,
    pub(super) words: Vec<Vec<u8>>,
    pub(super) how: How,
}

/// How an [`Op`] is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Unchanged.
    Plain,
    /// Repeatedly, with the cursor at this word, until it is 0 again.
    ScanAll(usize),
    /// With the payload of a DUMP that is run before.
    WithDump {
        /// The word that the payload replaces.
        at: usize,
        db: u32,
        key: Vec<u8>,
        /// Whether the server creates the payload, or the subject.
        theirs: bool,
        /// A bit of it to flip.
        flip: Option<usize>,
    },
    /// With a chunk of a BF.SCANDUMP that is run before, and its cursor in the preceding word.
    WithChunk {
        /// The word that the chunk replaces.
        at: usize,
        key: Vec<u8>,
        /// The chunks to skip.
        nth: usize,
        /// Whether the server creates the chunk, or the subject.
        theirs: bool,
        /// The damage to the chunk.
        damage: Damage,
    },
}

/// The damage to a chunk of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    Nothing,
    /// This bit is flipped.
    Flip(usize),
    /// This many bytes are removed.
    Cut(usize),
    /// This many bytes are added.
    Grow(usize),
    /// The cursor differs by this number.
    Shift(i64),
}

/// The number of commands after a CONFIG until the limits are reset.
const RESET_AFTER: usize = 60;

/// The number of databases that the commands use.
pub(super) const DATABASES: u32 = 4;

/// The properties of the server that the commands depend on in addition to the settings.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Payloads of types that have no commands here.
    pub(super) foreign: Vec<Vec<u8>>,
    /// Whether the server's `RedisBloom` is older than 8, with other limits on arguments.
    pub(super) old_blooms: bool,
}

/// The commands of the settings.
pub(super) fn script(settings: &Settings, found: Found) -> Vec<Op> {
    let rows: Vec<&'static Row> = FAMILIES
        .iter()
        .filter(|family| settings.families.contains(&family.name))
        // Since 8, a wrong number of arguments to a command of a module is detected before the transaction.
        .filter(|family| !found.old_blooms || family.name != MULTI)
        .flat_map(|family| family.rows)
        .filter(|row| !settings.leaves_out(row.name))
        .collect();
    let total: u64 = rows.iter().map(|row| u64::from(row.weight)).sum();
    let mut generator = Gen::new(settings.seed, found);
    let mut ops = Vec::with_capacity(settings.commands);
    // Commands since a MULTI that may still be open, by session.
    let mut open: [Option<u32>; 2] = [None; 2];
    // When the limits are reset to those of the settings.
    let mut reset = None;
    while ops.len() < settings.commands && total > 0 {
        generator.step = ops.len();
        let session = usize::from(generator.one_in(12));
        // A transaction does not stay open for long, because its commands are only queued.
        let close = open[session].is_some_and(|count| count > 2) && generator.one_in(4);
        let name = match close {
            true if generator.one_in(10) && !settings.leaves_out("DISCARD") => "DISCARD",
            true => "EXEC",
            false => draw(&rows, total, &mut generator).name,
        };
        let op = make(name, session, settings, &rows, &mut generator);
        if op.words.len() == 1 {
            match op.words[0].to_ascii_uppercase().as_slice() {
                b"MULTI" => open[session] = Some(0),
                b"EXEC" | b"DISCARD" => open[session] = None,
                _ => {}
            }
        }
        open[session] = open[session].map(|count| count + 1);
        let sets_a_time = op.words.iter().any(|word| {
            [&b"PXAT"[..], b"EXAT", b"ABSTTL"]
                .iter()
                .any(|option| word.eq_ignore_ascii_case(option))
        });
        // A key that is set with an expiry in the past counts in DBSIZE until it is accessed.
        let touch = if sets_a_time { keys_of(&op.words) } else { Vec::new() };
        // Other limits are reset soon: the run should test those of the settings.
        if op.words[0].eq_ignore_ascii_case(b"CONFIG") && reset.is_none() {
            reset = Some(ops.len() + RESET_AFTER);
        }
        let sorts = |name: &&[u8]| op.words[0].eq_ignore_ascii_case(name);
        if let Some(key) = op.words.get(1)
            && [&b"SORT"[..], b"SORT_RO"].iter().any(sorts)
        {
            ops.extend(before_sort(session, key));
        }
        let restarted = op.words[0].eq_ignore_ascii_case(b"RESET");
        ops.push(op);
        if restarted {
            open[session] = None;
            if settings.protocol == Protocol::Resp3 {
                let words = vec![b"HELLO".to_vec(), b"3".to_vec()];
                ops.push(Op { session, words, how: How::Plain });
            }
        }
        if reset.is_some_and(|at| ops.len() >= at) {
            reset = None;
            ops.extend(settings.limits.pairs().into_iter().map(|[name, value]| Op {
                session,
                words: vec![b"CONFIG".to_vec(), b"SET".to_vec(), name.into(), value.into()],
                how: How::Plain,
            }));
        }
        if !touch.is_empty() {
            let words = [vec![b"EXISTS".to_vec()], touch].concat();
            ops.push(Op { session, words, how: How::Plain });
        }
    }
    ops.truncate(settings.commands);
    ops
}

/// The keys that a command sets an expiry for.
fn keys_of(words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    if !words[0].eq_ignore_ascii_case(b"MSETEX") {
        return words.get(1).cloned().into_iter().collect();
    }
    let number = words.get(1).and_then(|number| std::str::from_utf8(number).ok()?.parse().ok());
    words.iter().skip(2).step_by(2).take(number.unwrap_or(0)).cloned().collect()
}

/// A server's SORT may report a number that was out of range in an earlier command as an error of its own, unless a
/// score has been read since. So a sorted set is converted to a skip list first, for which its scores are read; then
/// another command only reads a score, because its key does not exist.
fn before_sort(session: usize, key: &[u8]) -> [Op; 2] {
    let convert = [b"SORT", key, b"BY", b"nosort", b"LIMIT", b"0", b"0"];
    let read = ["ZADD", "none", "XX", "0", "m"];
    [convert.map(<[u8]>::to_vec).into(), read.map(|word| word.as_bytes().to_vec()).into()]
        .map(|words| Op { session, words, how: How::Plain })
}

fn draw(rows: &[&'static Row], total: u64, generator: &mut Gen) -> &'static Row {
    let mut left = generator.rng.below(total);
    for row in rows {
        match left.checked_sub(u64::from(row.weight)) {
            Some(rest) => left = rest,
            None => return row,
        }
    }
    rows[0]
}

fn make(
    name: &'static str,
    session: usize,
    settings: &Settings,
    rows: &[&'static Row],
    generator: &mut Gen,
) -> Op {
    let mut line = Line::new(name);
    if let Some(row) = rows.iter().find(|row| row.name == name) {
        (row.make)(generator, &mut line);
    }
    if settings.leaves_out("DUMP") && matches!(line.how, How::WithDump { .. }) {
        line.how = How::Plain;
    }
    // In the older module, invalid numbers have other errors.
    line.fragile |= generator.found.old_blooms && name.starts_with("BF.");
    if line.how == How::Plain && !line.fragile {
        distort(generator, &mut line.words, !settings.leaves_out("NONESUCH"));
    }
    Op { session, words: line.words, how: line.how }
}

/// Sometimes removes or adds a word, changes the case, or uses a wrong word or an unknown command.
fn distort(generator: &mut Gen, words: &mut Vec<Vec<u8>>, unknown: bool) {
    // None of them is a time to live that ends within a run, or a length that fills the memory.
    const WRONG: [&[u8]; 10] = [
        b"",
        b"x",
        b"1.5",
        b"9223372036854775808",
        b"-1",
        b"nan",
        b"\x00",
        b"WITHVALUES",
        b"-9223372036854775809",
        b"\n",
    ];
    match generator.rng.below(400) {
        0..5 if words.len() > 1 => drop(words.pop()),
        5..10 => words.push(generator.pick(&WRONG).to_vec()),
        10..16 => words[0].make_ascii_lowercase(),
        16 => {
            for word in words.iter_mut() {
                if matches!(word.first(), Some(b'A'..=b'Z')) && generator.one_in(2) {
                    word.make_ascii_lowercase();
                }
            }
        }
        17 => {
            let at = generator.rng.index(words[0].len().max(1));
            if let Some(byte) = words[0].get_mut(at) {
                byte.make_ascii_lowercase();
            }
        }
        18..24 if words.len() > 1 => {
            let at = 1 + generator.rng.index(words.len() - 1);
            words[at] = generator.pick(&WRONG).to_vec();
        }
        24 if unknown => words[0].push(b'X'),
        _ => {}
    }
}
