//! Each command with each kind of wrong argument, systematically.
//!
//! Each command of the families is called with keys of every kind, every number of words up to [`MOST_WORDS`], and
//! arguments that are not numbers, too large, negative, empty or binary. Replies must be equal; if all were errors,
//! nothing may have changed on either side. The bytes of all keys are compared after each group.

use super::compare::{self, Rule};
use super::families::{FAMILIES, Row};
use super::harness::{Differential, Failure, failure, words};
use super::run::{Run, ends_batch, runs_alone};
use super::settings::MODULE_FAMILY;
use super::subject::{AUDITOR, LiveSubject, Subject};
use super::{Difference, Reply, Report, Settings, command_line};
use crate::live::Server;

/// The maximum number of arguments.
const MOST_WORDS: usize = 5;

/// The values that replace a number, an option, a member or another key. None of them is a time to live that ends
/// within a run, or a length that fills the memory.
const JUNK: [&[u8]; 21] = [
    b"x",
    b"-1",
    b"0",
    b"",
    b"1.5",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"nan",
    b"-inf",
    b"007",
    b" 1",
    b"4294967296",
    b"a\x00\n\xff",
    b"missing",
    b"set",
    b"NX",
    b"LIMIT",
    b"COUNT",
    b"REPLACE",
    b"1e400",
];

/// The kinds of keys: the name of each, and the commands that create it.
const FIXTURE: [(&[u8], &[&[u8]]); 15] = [
    (b"missing", &[]),
    (b"int", &[b"SETNX", b"int", b"12345"]),
    (b"max", &[b"SETNX", b"max", b"9223372036854775807"]),
    (b"text", &[b"SETNX", b"text", b"some text"]),
    (b"", &[b"SETNX", b"", b"an empty key"]),
    (b"bin\x00\n\xff", &[b"SETNX", b"bin\x00\n\xff", b"a binary key\x00\n\xff"]),
    (b"set", &[b"SADD", b"set", b"1", b"2", b"70000"]),
    (b"texts", &[b"SADD", b"texts", b"1", b"a", b"", b"x\x00\n"]),
    (b"hll", &[b"PFADD", b"hll", b"a", b"b", b"c"]),
    (b"junk", &[b"SETNX", b"junk", b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xfe"]),
    (b"list", &[b"RPUSH", b"list", b"1", b"two"]),
    (b"hash", &[b"HSET", b"hash", b"field", b"value"]),
    (b"zset", &[b"ZADD", b"zset", b"1", b"a"]),
    (b"zsets", &[b"ZADD", b"zsets", b"1", b"1", b"-inf", b"a", b"0.1", b"x\x00\n", b"0.1", b""]),
    (b"bloom", &[b"BF.ADD", b"bloom", b"a"]),
];

/// The kinds of keys that a server supports.
fn fixture(settings: &Settings) -> impl Iterator<Item = (&'static [u8], &'static [&'static [u8]])> {
    let blooms = settings.families.contains(&MODULE_FAMILY);
    FIXTURE.into_iter().filter(move |(_, maker)| blooms || maker.first() != Some(&&b"BF.ADD"[..]))
}

/// Commands that affect more than one key: they are run one line at a time.
const STATEFUL: [&str; 9] =
    ["MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "SELECT", "SWAPDB", "CONFIG SET", "MOVE"];

impl Differential {
    /// Runs every command of the families with every kind of wrong argument.
    ///
    /// # Errors
    ///
    /// The first difference. Its script creates the keys and ends with the command.
    ///
    /// # Panics
    ///
    /// If the connection to the server breaks.
    pub fn sweep<S: Subject>(
        &self,
        server: &Server,
        mut subject: impl FnMut(&Settings) -> S,
    ) -> Result<Report, Box<Difference>> {
        let live = LiveSubject::new(server, &self.settings);
        let subject = subject(&self.settings);
        let mut sweep = Sweep { run: Run::new(&self.settings, live, subject), at: 0, dirty: true };
        let rows = FAMILIES
            .iter()
            .filter(|family| self.settings.families.contains(&family.name))
            .flat_map(|family| family.rows)
            .filter(|row| !self.settings.leaves_out(row.name));
        for row in rows {
            for (key, maker) in fixture(&self.settings) {
                if let Err(failure) = sweep.group(row, key) {
                    return Err(Box::new(self.swept(&failure, maker)));
                }
            }
        }
        Ok(sweep.run.report)
    }

    fn swept(&self, failure: &Failure, maker: &[&[u8]]) -> Difference {
        let made = (!maker.is_empty()).then(|| command_line(maker));
        let line = command_line(&failure.words);
        Difference {
            seed: self.settings.seed,
            step: failure.at,
            command: line.clone(),
            ours: failure.ours.clone(),
            theirs: failure.theirs.clone(),
            why: format!("in a sweep: {}", failure.why),
            recent: Vec::new(),
            script: made.into_iter().chain([line]).collect(),
            script_ends: format!("  ours   {}\n  theirs {}", failure.ours, failure.theirs),
        }
    }
}

struct Sweep<'a, S> {
    run: Run<'a, S>,
    at: usize,
    /// Whether the keys must be created again.
    dirty: bool,
}

impl<S: Subject> Sweep<'_, S> {
    /// Runs every line of one command on one key, and compares what is left.
    fn group(&mut self, row: &Row, key: &[u8]) -> Result<(), Failure> {
        let mut changed = false;
        self.fixture()?;
        let lines = lines(row, key);
        let one_by_one = |line: &Vec<Vec<u8>>| runs_alone(line) || ends_batch(line);
        if STATEFUL.contains(&row.name) || lines.iter().any(one_by_one) {
            for line in &lines {
                changed |= self.single(row, line)?;
            }
        } else {
            let session = 0;
            let replies = self.run.live.run_all(session, lines.iter().map(Vec::as_slice));
            for (line, theirs) in lines.iter().zip(&replies) {
                self.at += 1;
                let ours = self.run.subject.execute(session, line);
                self.run.compare(self.at, session, line, &ours, theirs)?;
                changed |= !theirs.is_error();
            }
        }
        if changed {
            self.run.look(self.at)?;
            self.dirty = true;
        } else {
            // All replies were errors: the subject must report no change.
            self.unchanged(row, key)?;
        }
        Ok(())
    }

    /// Runs one line. Returns whether it may have changed something that the fixture does not have.
    fn single(&mut self, row: &Row, line: &[Vec<u8>]) -> Result<bool, Failure> {
        self.at += 1;
        let session = 0;
        let theirs = self.run.live.execute(session, line);
        let ours = self.run.subject.execute(session, line);
        if row.rule == Rule::Pop && !theirs.is_error() {
            compare::same(Rule::Pop, &ours, &theirs)
                .map_err(|why| failure(self.at, line, &ours, &theirs, &why))?;
            self.dirty = true;
            self.fixture()?;
            return Ok(false);
        }
        self.run.compare(self.at, session, line, &ours, &theirs)?;
        if STATEFUL.contains(&row.name) {
            self.settle(session)?;
        }
        Ok(!theirs.is_error())
    }

    /// Ends a transaction that a command may have begun, and selects database 0.
    fn settle(&mut self, session: usize) -> Result<(), Failure> {
        for words in [words(&["DISCARD"]), words(&["UNWATCH"]), words(&["SELECT", "0"])] {
            if self.run.settings.leaves_out(&String::from_utf8_lossy(&words[0])) {
                continue;
            }
            let theirs = self.run.live.execute(session, &words);
            let ours = self.run.subject.execute(session, &words);
            self.run.compare(self.at, session, &words, &ours, &theirs)?;
        }
        Ok(())
    }

    /// Creates the keys; on the subject, those of other types by RESTORE.
    fn fixture(&mut self) -> Result<(), Failure> {
        if !std::mem::take(&mut self.dirty) {
            return Ok(());
        }
        let Run { settings, live, subject, .. } = &mut self.run;
        if settings.leaves_out("FLUSHALL") {
            let keys = live.execute(0, &words(&["KEYS", "*"])).members().unwrap_or_default();
            let delete: Vec<Vec<u8>> = [b"DEL".to_vec()].into_iter().chain(keys).collect();
            subject.execute(0, &delete);
            live.execute(0, &delete);
        } else {
            subject.execute(0, &words(&["FLUSHALL"]));
            live.execute(0, &words(&["FLUSHALL"]));
        }
        let restored = |maker: &[&[u8]]| [&b"RPUSH"[..], b"HSET", b"ZADD"].contains(&maker[0]);
        let keys: Vec<_> = fixture(settings)
            .filter(|(_, maker)| !maker.is_empty())
            .filter(|(_, maker)| !restored(maker) || !settings.leaves_out("RESTORE"))
            .collect();
        let makers: Vec<Vec<Vec<u8>>> = keys
            .iter()
            .map(|(_, maker)| maker.iter().map(|word| word.to_vec()).collect())
            .collect();
        let dumps: Vec<Vec<Vec<u8>>> = keys
            .iter()
            .filter(|(_, maker)| restored(maker))
            .map(|(key, _)| vec![b"DUMP".to_vec(), key.to_vec()])
            .collect();
        let mut replies = live.run_all(0, makers.iter().chain(&dumps).map(Vec::as_slice));
        let mut payloads = replies.split_off(makers.len()).into_iter();
        for ((key, maker), command) in keys.into_iter().zip(&makers) {
            if restored(maker) {
                let dump = payloads.next();
                let payload = dump.as_ref().and_then(Reply::bytes).unwrap_or_default().to_vec();
                let restore = [b"RESTORE".to_vec(), key.to_vec(), b"0".to_vec(), payload];
                expect_made(self.at, &restore, subject)?;
            } else {
                expect_made(self.at, command, subject)?;
            }
        }
        Ok(())
    }

    /// After only errors, the keys must still be those of the fixture.
    fn unchanged(&mut self, row: &Row, key: &[u8]) -> Result<(), Failure> {
        self.run.look(self.at).map_err(|found| Failure {
            why: format!(
                "after only errors of {} on {}: {}",
                row.name,
                command_line(&[key]),
                found.why
            ),
            ..found
        })
    }
}

/// Creates a key on the subject, or ends the sweep.
fn expect_made(at: usize, command: &[Vec<u8>], subject: &mut dyn Subject) -> Result<(), Failure> {
    let reply = subject.execute(0, command);
    if reply.is_error() {
        return Err(failure(at, command, &reply, &Reply::Nil, "cannot create a key of the sweep"));
    }
    Ok(())
}

/// The lines of a command on a key. Each junk value occurs at each position, with different neighbours.
fn lines(row: &Row, key: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let name: Vec<Vec<u8>> = row.name.split(' ').map(Into::into).collect();
    let slow = row.name == "PFSELFTEST" && key != FIXTURE[0].0;
    let mut lines = if slow { Vec::new() } else { vec![name.clone()] };
    for arguments in 1..=MOST_WORDS {
        let variants = if arguments == 1 { 1 } else { JUNK.len() };
        for variant in 0..variants {
            let mut line = name.clone();
            // A key at the first position, and sometimes (PFDEBUG, SINTERCARD) at the second.
            let at = usize::from(variant % 7 == 6);
            for place in 0..arguments {
                let junk = JUNK[(variant + place * 5) % JUNK.len()];
                line.push(if place == at { key } else { junk }.to_vec());
            }
            lines.push(line);
        }
    }
    lines
}

/// The session of the comparisons is never the one that runs the lines.
const _: () = assert!(AUDITOR != 0, "the audit would change the database of the commands");
