//! Shrinking a failing script.
//!
//! Commands after the failure are cut off; then commands are removed, by [`fewer`], as long as the sides still differ
//! on the same command. Then keys are merged, and words are removed from the remaining commands.

use std::collections::HashSet;
use std::{mem, slice};

use super::generate::KEYS;
use super::harness::{Differential, Failure};
use super::script::{How, Op};
use super::subject::Subject;
use super::{Difference, Settings, command_line, quoted};
use crate::live::Server;
use crate::shrink::fewer;

/// The maximum number of attempts. Each is a run from an empty state.
const ATTEMPTS: usize = 600;

/// The number of commands before the failure that are shown.
const RECENT: usize = 10;

/// The number of bytes of such a command that are shown. The script has all of them.
const SHOWN: usize = 200;

impl Differential {
    /// Creates the report of a failure.
    pub(super) fn difference<S: Subject>(
        &self,
        server: &Server,
        subject: &mut impl FnMut(&Settings) -> S,
        ops: &[Op],
        failure: &Failure,
    ) -> Difference {
        let mut shrink = Shrink { harness: self, server, subject, failure, left: ATTEMPTS };
        let (script, last) = shrink.run(&ops[..=failure.at]).unzip();
        Difference {
            seed: self.settings.seed,
            step: failure.at,
            command: command_line(&failure.words),
            ours: failure.ours.clone(),
            theirs: failure.theirs.clone(),
            why: failure.why.clone(),
            recent: recent(ops, failure),
            script: script.map(|ops| lines(&ops)).unwrap_or_default(),
            script_ends: last.map(|last| ending(&last)).unwrap_or_default(),
        }
    }
}

fn ending(last: &Failure) -> String {
    let Failure { words, ours, theirs, why, .. } = last;
    format!("  {}: {why}\n  ours   {ours}\n  theirs {theirs}", command_line(words))
}

struct Shrink<'a, F> {
    harness: &'a Differential,
    server: &'a Server,
    subject: &'a mut F,
    failure: &'a Failure,
    left: usize,
}

impl<S: Subject, F: FnMut(&Settings) -> S> Shrink<'_, F> {
    fn run(&mut self, ops: &[Op]) -> Option<(Vec<Op>, Failure)> {
        let (mut ops, mut last) = self.fails(ops)?;
        self.fewer(&mut ops, &mut last);
        self.plainer(&mut ops, &mut last);
        // The commands that moved a value between keys or sessions are no longer needed.
        self.fewer(&mut ops, &mut last);
        for at in (0..ops.len()).rev() {
            self.shorten(at, &mut ops, &mut last);
        }
        Some((ops, last))
    }

    /// Removes commands.
    fn fewer(&mut self, ops: &mut Vec<Op>, last: &mut Failure) {
        (*ops, *last) = fewer(mem::take(ops), last.clone(), |rest| self.fails(&rest));
    }

    /// Replaces several sessions and keys by one.
    fn plainer(&mut self, ops: &mut Vec<Op>, last: &mut Failure) {
        let one: Vec<Op> = ops.iter().map(|op| Op { session: 0, ..op.clone() }).collect();
        if ops.iter().any(|op| op.session != 0)
            && let Some(found) = self.fails(&one)
        {
            (*ops, *last) = found;
        }
        for (from, to) in KEYS.iter().flat_map(|from| KEYS.iter().map(move |to| (from, to))) {
            let used = |key: &[u8]| ops.iter().any(|op| op.words.iter().any(|word| word == key));
            if from == to || !used(from) || !used(to) {
                continue;
            }
            let mut merged = ops.clone();
            for word in merged.iter_mut().flat_map(|op| op.words.iter_mut().skip(1)) {
                if word == from {
                    *word = to.to_vec();
                }
            }
            if let Some(found) = self.fails(&merged) {
                (*ops, *last) = found;
            }
        }
    }

    /// Removes words of one command.
    fn shorten(&mut self, at: usize, ops: &mut Vec<Op>, last: &mut Failure) {
        let Some(Op { words, how: How::Plain, .. }) = ops.get(at) else { return };
        let Some((name, words)) = words.split_first() else { return };
        let (name, words) = (name.clone(), words.to_vec());
        let mut shorter = ops.clone();
        let (_, found) = fewer(words, None, |words| {
            shorter.get_mut(at)?.words = [slice::from_ref(&name), &words].concat();
            let found = self.fails(&shorter)?;
            Some((words, Some(found)))
        });
        if let Some(found) = found {
            (*ops, *last) = found;
        }
    }

    /// The script up to its failure, if it fails in the same way: at the same command, or at a comparison of the bytes.
    fn fails(&mut self, ops: &[Op]) -> Option<(Vec<Op>, Failure)> {
        self.left = self.left.checked_sub(1)?;
        let looks = self.failure.in_state;
        let failure = self.harness.attempt(self.server, self.subject, ops, looks).err()?;
        let name = |failure: &Failure| failure.words.first().map(|word| word.to_ascii_uppercase());
        let same = failure.in_state == looks && (looks || name(&failure) == name(self.failure));
        same.then(|| (ops[..=failure.at].to_vec(), failure))
    }
}

/// The last commands before the failure that name its key.
fn recent(ops: &[Op], failure: &Failure) -> Vec<String> {
    let asks = failure.words.first().map_or(&b""[..], |word| word);
    let at = if asks.eq_ignore_ascii_case(b"OBJECT") || asks.eq_ignore_ascii_case(b"PFDEBUG") {
        2
    } else {
        1
    };
    let Some(key) = failure.words.get(at).filter(|key| KEYS.contains(&key.as_slice())) else {
        return Vec::new();
    };
    let touches = |op: &Op| op.words.iter().skip(1).any(|word| word == key);
    let reaches = |op: &Op| {
        let wide = ["FLUSHALL", "FLUSHDB", "SWAPDB", "SELECT"];
        wide.iter().any(|name| op.words[0].eq_ignore_ascii_case(name.as_bytes()))
    };
    let names = |op: &&Op| touches(op) || reaches(op);
    let before = ops.get(..=failure.at).unwrap_or(ops);
    let short = |op: &Op| {
        let line = line(op);
        if line.len() > SHOWN { format!("{}...", &line[..SHOWN]) } else { line }
    };
    let mut lines: Vec<String> =
        before.iter().rev().filter(names).take(RECENT).map(short).collect();
    lines.reverse();
    lines
}

fn lines(ops: &[Op]) -> Vec<String> {
    let sessions: HashSet<usize> = ops.iter().map(|op| op.session).collect();
    let several = sessions.len() > 1;
    let one =
        |op: &Op| if several { format!("[session {}] {}", op.session, line(op)) } else { line(op) };
    ops.iter().map(one).collect()
}

fn line(op: &Op) -> String {
    let text = command_line(&op.words);
    match &op.how {
        How::Plain => text,
        How::ScanAll(_) => format!("{text}   # continued to the end of the iteration"),
        How::WithDump { db, key, theirs, flip, .. } => {
            let side = if *theirs { "the server's" } else { "our" };
            let flip = flip.map(|bit| format!(", with bit {bit} flipped")).unwrap_or_default();
            format!("{text}   # payload: {side} DUMP {} in database {db}{flip}", quoted(key))
        }
        How::WithChunk { key, nth, theirs, damage, .. } => {
            let side = if *theirs { "the server's" } else { "our" };
            let key = quoted(key);
            format!("{text}   # piece {nth} of {side} BF.SCANDUMP {key}, damage: {damage:?}")
        }
    }
}
