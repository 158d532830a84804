//! Comparison of the state that the commands have left.

use std::collections::{HashMap, HashSet};

use super::apart;
use super::compare::{self, Rule, SLACK_SECONDS};
use super::harness::words;
use super::payload::Payload;
use super::script::DATABASES;
use super::subject::{AUDITOR, LiveSubject, Subject};
use super::{Reply, Report, Settings};

/// A database that the commands do not use, for payloads that are copied from one side to the other.
const SCRATCH_DB: &str = "15";

/// The types whose values DEBUG DIGEST includes on both sides.
const DIGESTED: [&str; 5] = ["string", "set", "zset", "hash", "list"];

/// The result of a comparison.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) words: Vec<Vec<u8>>,
    pub(super) ours: String,
    pub(super) theirs: String,
    pub(super) why: String,
}

/// The results of earlier comparisons.
#[derive(Debug, Default)]
pub(super) struct Audit {
    forms: HashMap<(u32, Vec<u8>), String>,
    /// The checksums of the payloads that both sides have restored.
    restored: HashSet<u64>,
}

impl Audit {
    /// Compares every key of every database.
    pub(super) fn look(
        &mut self,
        settings: &Settings,
        live: &mut LiveSubject,
        subject: &mut dyn Subject,
        report: &mut Report,
    ) -> Result<(), Found> {
        let mut payloads = Vec::new();
        let mut forms = HashMap::new();
        let mut digests = !settings.leaves_out("DEBUG");
        let is_older = live.is_older();
        for db in 0..DATABASES {
            let mut of_database = vec![words(&["SELECT", &db.to_string()])];
            if !settings.leaves_out("DBSIZE") {
                of_database.push(words(&["DBSIZE"]));
            }
            let same = of_database.len();
            of_database.push(words(&["KEYS", "*"]));
            let mut replies = live.run_all(AUDITOR, of_database.iter().map(Vec::as_slice));
            // The questions compare the keys, because their order differs.
            let keys = replies.pop().and_then(|reply| reply.members()).unwrap_or_default();
            for (words, theirs) in of_database[..same].iter().zip(&replies) {
                compare_one(subject, words, Rule::Exact, theirs)?;
            }
            let questions: Vec<(Vec<Vec<u8>>, Rule)> =
                keys.iter().flat_map(|key| questions(settings, key)).collect();
            let answers =
                live.run_all(AUDITOR, questions.iter().map(|(words, _)| words.as_slice()));
            let each = questions.len() / keys.len().max(1);
            for (at, ((question, rule), theirs)) in questions.iter().zip(&answers).enumerate() {
                let ours = subject.execute(AUDITOR, question);
                if is_older && apart::replies_otherwise(question, &ours, theirs) {
                    continue;
                }
                compare::same(*rule, &ours, theirs).map_err(|why| Found {
                    words: question.clone(),
                    ours: ours.to_string(),
                    theirs: theirs.to_string(),
                    why: format!("in database {db}: {why}"),
                })?;
                digests &= !matches!(theirs, Reply::Status(name) if !DIGESTED.contains(&&**name));
                let (Rule::Dump, Reply::Bulk(mine), Reply::Bulk(payload)) = (rule, ours, theirs)
                else {
                    continue;
                };
                let (key, encoding) = (&keys[at / each], &answers[at - 1]);
                if let (Ok(value), Some(encoding)) = (Payload::read(payload), encoding.bytes()) {
                    let form = value.form(&String::from_utf8_lossy(encoding));
                    forms.insert((db, key.clone()), form);
                }
                payloads.push((mine, payload.clone()));
            }
            report.keys_compared += keys.len();
        }
        let restores = !settings.leaves_out("RESTORE");
        let last = [
            digests.then(|| words(&["DEBUG", "DIGEST"])),
            restores.then(|| words(&["SELECT", SCRATCH_DB])),
        ];
        let last: Vec<_> = last.into_iter().flatten().map(|words| (words, Rule::Exact)).collect();
        both(live, subject, &last)?;
        self.follow(forms, report);
        if !restores {
            return Ok(());
        }
        for (ours, theirs) in payloads {
            for payload in [ours, theirs] {
                // The checksum in the footer is that of the rest; with it, the sum is the same for every payload.
                let footer = payload.len().saturating_sub(8);
                if self.restored.insert(rdb::crc64(&payload[..footer])) {
                    restore(live, subject, &payload)?;
                    report.payloads_restored += 1;
                }
            }
        }
        Ok(())
    }

    fn follow(&mut self, forms: HashMap<(u32, Vec<u8>), String>, report: &mut Report) {
        for (key, form) in &forms {
            report.forms.insert(form.clone());
            if let Some(before) = self.forms.get(key).filter(|before| *before != form) {
                *report.transitions.entry(format!("{before} -> {form}")).or_default() += 1;
            }
        }
        self.forms = forms;
    }
}

/// The commands that compare a key. DUMP follows the encoding directly.
fn questions(settings: &Settings, key: &[u8]) -> Vec<(Vec<Vec<u8>>, Rule)> {
    let ask = |name: &str, rule| {
        let mut words: Vec<Vec<u8>> = name.split(' ').map(Into::into).collect();
        words.push(key.to_vec());
        (words, rule)
    };
    let slack = SLACK_SECONDS * 1_000;
    let expiry = if settings.leaves_out("PEXPIRETIME") { "PTTL" } else { "PEXPIRETIME" };
    let mut all = vec![
        ask("TYPE", Rule::Exact),
        ask(expiry, Rule::Time(slack)),
        ask("OBJECT ENCODING", Rule::Exact),
    ];
    if !settings.leaves_out("DUMP") {
        all.push(ask("DUMP", Rule::Dump));
    }
    all
}

/// Restores the payload on both sides, which must then dump the same value.
fn restore(live: &mut LiveSubject, subject: &mut dyn Subject, payload: &[u8]) -> Result<(), Found> {
    let mut command = words(&["RESTORE", "scratch", "0"]);
    command.push(payload.to_vec());
    let replies = both(
        live,
        subject,
        &[
            (command.clone(), Rule::Exact),
            (words(&["OBJECT", "ENCODING", "scratch"]), Rule::Exact),
            (words(&["DUMP", "scratch"]), Rule::Dump),
            (words(&["DEL", "scratch"]), Rule::Exact),
        ],
    )?;
    let [accepted, _, again, _] = &replies[..] else { unreachable!("a reply for each command") };
    if accepted.is_error() {
        return Err(Found {
            words: command,
            ours: accepted.to_string(),
            theirs: accepted.to_string(),
            why: "neither side accepts a payload that one of them returned".to_owned(),
        });
    }
    let value = |bytes: &[u8]| Payload::read(bytes).ok();
    let fixed = |bytes| value(bytes).filter(|value| !value.may_be_recoded());
    if again.bytes().and_then(fixed) != fixed(payload) {
        return Err(Found {
            words: command,
            ours: format!("{:?}", again.bytes().and_then(value)),
            theirs: format!("{:?}", value(payload)),
            why: "the restored value differs".to_owned(),
        });
    }
    Ok(())
}

/// Runs commands on both sides; returns the server's replies.
fn both(
    live: &mut LiveSubject,
    subject: &mut dyn Subject,
    commands: &[(Vec<Vec<u8>>, Rule)],
) -> Result<Vec<Reply>, Found> {
    let replies = live.run_all(AUDITOR, commands.iter().map(|(words, _)| words.as_slice()));
    for ((words, rule), theirs) in commands.iter().zip(&replies) {
        compare_one(subject, words, *rule, theirs)?;
    }
    Ok(replies)
}

/// Runs one command on the subject, and compares its reply with the server's.
fn compare_one(
    subject: &mut dyn Subject,
    words: &[Vec<u8>],
    rule: Rule,
    theirs: &Reply,
) -> Result<(), Found> {
    let ours = subject.execute(AUDITOR, words);
    compare::same(rule, &ours, theirs).map_err(|why| Found {
        words: words.to_vec(),
        ours: ours.to_string(),
        theirs: theirs.to_string(),
        why: format!("in the audit: {why}"),
    })
}
