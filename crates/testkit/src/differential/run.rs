//! A script, run on both sides.

use super::apart::{self, Difference};
use super::audit::Audit;
use super::compare::{self, Rule};
use super::families;
use super::harness::{Failure, failure};
use super::report::Report;
use super::script::{Damage, How, Op};
use super::subject::{AUDITOR, Caught, LiveSubject, SESSIONS, Subject};
use super::{Reply, Settings, command_line, pop};

/// The number of commands that are sent to the server in one write.
const BATCH: usize = 64;

/// A temporary key that no command uses.
const ASIDE: &[u8] = b"the harness puts it aside";

/// The number of pages after which a scan counts as endless.
const PAGES: usize = 100_000;

/// A run on both sides.
pub(super) struct Run<'a, S> {
    pub(super) settings: &'a Settings,
    pub(super) live: LiveSubject,
    pub(super) subject: Caught<S>,
    pub(super) report: Report,
    audit: Audit,
    /// Whether the sides may intentionally be in different states, so that nothing can be compared any more.
    ended: bool,
    /// The commands that wait for EXEC, by session, if a transaction is open.
    queued: [Option<Vec<Vec<Vec<u8>>>>; SESSIONS],
}

impl<'a, S: Subject> Run<'a, S> {
    pub(super) fn new(settings: &'a Settings, live: LiveSubject, subject: S) -> Self {
        let (report, audit, subject) = (Report::default(), Audit::default(), Caught(subject));
        let queued = [const { None }; SESSIONS];
        Self { settings, live, subject, report, audit, ended: false, queued }
    }

    /// Runs everything, with comparisons of the bytes at intervals and at the end.
    pub(super) fn all(&mut self, ops: &[Op], looks: bool) -> Result<(), Failure> {
        let mut at = 0;
        while at < ops.len() && !self.ended {
            let next_look = (at / self.settings.look_every + 1) * self.settings.look_every;
            let end = batch(ops, at, next_look.min(ops.len()));
            if end > at + 1 || !self.is_single(&ops[at]) {
                self.batch(at, &ops[at..end])?;
            } else {
                self.single(at, &ops[at])?;
            }
            at = end;
            if looks && !self.ended && (at == next_look || at == ops.len()) {
                self.look(at - 1)?;
            }
        }
        Ok(())
    }

    /// Compares the state that the commands have left.
    pub(super) fn look(&mut self, at: usize) -> Result<(), Failure> {
        let Self { settings, live, subject, report, audit, .. } = self;
        audit.look(settings, live, subject, report).map_err(|found| Failure {
            at,
            in_state: true,
            words: found.words,
            ours: found.ours,
            theirs: found.theirs,
            why: found.why,
        })
    }

    /// Whether an op is currently more than one command: in a transaction, each is only queued.
    fn is_single(&self, op: &Op) -> bool {
        alone(op)
            && (self.queued[op.session].is_none()
                || matches!(op.how, How::WithDump { .. } | How::WithChunk { .. })
                || self.live.is_older() && apart::writes(&op.words))
    }

    fn batch(&mut self, at: usize, ops: &[Op]) -> Result<(), Failure> {
        let session = ops[0].session;
        let sent: Vec<Vec<Vec<u8>>> = ops.iter().map(|op| self.to_send(op)).collect();
        let replies = self.live.run_all(session, sent.iter().map(Vec::as_slice));
        for (offset, (words, theirs)) in sent.iter().zip(&replies).enumerate() {
            let ours = self.subject.execute(session, words);
            self.compare(at + offset, session, words, &ours, theirs)?;
            if self.ended {
                break;
            }
        }
        Ok(())
    }

    /// The words of a command. The result of SPOP inside a transaction is deterministic only if it removes everything.
    fn to_send(&self, op: &Op) -> Vec<Vec<u8>> {
        let mut words = op.words.clone();
        if self.queued[op.session].is_some()
            && families::rule(&words) == Rule::Pop
            && matches!(words.len(), 2 | 3)
        {
            words.truncate(2);
            words.push(b"1000000".to_vec());
        }
        words
    }

    fn single(&mut self, at: usize, op: &Op) -> Result<(), Failure> {
        match &op.how {
            How::Plain if apart::writes(&op.words) => {
                let waits = self.queued[op.session].is_some();
                let older_leaves = self.live.is_older()
                    && (waits || apart::finds_no_key(self, op.session, &op.words));
                if older_leaves || !waits && apart::is_near(self, op.session, &op.words) {
                    // The two sides would write different values.
                    return Ok(());
                }
                self.batch(at, std::slice::from_ref(op))
            }
            How::Plain if apart::sorts(&op.words) => self.batch(at, std::slice::from_ref(op)),
            How::Plain => pop::run(self, at, op),
            How::ScanAll(cursor) => self.scan(at, op, *cursor),
            How::WithDump { at: word, db, key, theirs, flip } => {
                let select = [b"SELECT".to_vec(), db.to_string().into()];
                let dump = [b"DUMP".to_vec(), key.clone()];
                // From both, because it counts as an access to the key.
                let [live, ours] = self.sides().map(|side| {
                    side.execute(AUDITOR, &select);
                    side.execute(AUDITOR, &dump)
                });
                let Reply::Bulk(mut payload) = (if *theirs { live } else { ours }) else {
                    return Ok(());
                };
                if let Some(flip) = flip {
                    let bit = flip % (payload.len() * 8);
                    payload[bit / 8] ^= 1 << (bit % 8);
                }
                let mut op = Op { how: How::Plain, ..op.clone() };
                op.words[*word] = payload;
                self.batch(at, &[op])
            }
            How::WithChunk { at: word, key, nth, theirs, damage } => {
                // From both, likewise.
                let [live, ours] = self.sides().map(|side| chunk(side, key, *nth));
                let Some((mut cursor, mut piece)) = (if *theirs { live } else { ours }) else {
                    return Ok(());
                };
                match *damage {
                    Damage::Nothing => {}
                    Damage::Flip(_) if piece.is_empty() => cursor += 1,
                    Damage::Flip(bit) => {
                        let bit = bit % (piece.len() * 8);
                        piece[bit / 8] ^= 1 << (bit % 8);
                    }
                    Damage::Cut(bytes) => piece.truncate(piece.len().saturating_sub(bytes)),
                    Damage::Grow(bytes) => piece.resize(piece.len() + bytes, 7),
                    Damage::Shift(by) => cursor += by,
                }
                let mut op = Op { how: How::Plain, ..op.clone() };
                op.words[word - 1] = cursor.to_string().into();
                op.words[*word] = piece;
                self.batch(at, &[op])
            }
        }
    }

    /// The live server and the subject.
    fn sides(&mut self) -> [&mut dyn Subject; 2] {
        [&mut self.live, &mut self.subject]
    }

    /// A module that opens a key for writing counts it as changed, even if it is not, and so do bit operations of an
    /// older server; the subject reports no change there. So that both sides continue alike, the subject's key is
    /// renamed and renamed back, or created and deleted.
    fn touch(&mut self, session: usize, words: &[Vec<u8>], theirs: &Reply) {
        let opened = families::opened_for_nothing(words, theirs);
        let same = || apart::key_of_same_bits(words, theirs).filter(|_| self.live.is_older());
        let Some(key) = opened.or_else(same) else { return };
        let mut run = |words: &[&[u8]]| {
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
            self.subject.execute(session, &words)
        };
        if run(&[b"RENAME", key, ASIDE]).is_error() {
            run(&[b"SET", key, b""]);
            run(&[b"DEL", key]);
        } else {
            run(&[b"RENAME", ASIDE, key]);
        }
    }

    /// A whole iteration on each side.
    fn scan(&mut self, at: usize, op: &Op, cursor: usize) -> Result<(), Failure> {
        let Self { live, subject, .. } = self;
        let theirs = iterate(live, op, cursor);
        let ours = iterate(subject, op, cursor);
        let reply = |side: &Result<Vec<Vec<u8>>, Reply>| match side {
            Ok(all) => Reply::Array(all.iter().cloned().map(Reply::Bulk).collect()),
            Err(other) => other.clone(),
        };
        let (ours, theirs) = (reply(&ours), reply(&theirs));
        self.count(&op.words, &theirs);
        if self.same(Rule::Exact, &op.words, &ours, &theirs).is_ok() {
            return Ok(());
        }
        Err(failure(at, &op.words, &ours, &theirs, "the whole iterations differ"))
    }

    /// Compares two replies to a command. A server that is older than the profiles may reply otherwise.
    fn same(
        &self,
        rule: Rule,
        words: &[Vec<u8>],
        ours: &Reply,
        theirs: &Reply,
    ) -> Result<(), String> {
        let otherwise = self.live.is_older() && apart::replies_otherwise(words, ours, theirs);
        if otherwise { Ok(()) } else { compare::same(rule, ours, theirs) }
    }

    /// Compares the results of a transaction.
    fn same_results(
        &mut self,
        session: usize,
        waiting: &[Vec<Vec<u8>>],
        ours: &Reply,
        theirs: &Reply,
    ) -> Result<(), String> {
        let (Reply::Array(mine), Reply::Array(other)) = (ours, theirs) else {
            return compare::same(Rule::Exact, ours, theirs);
        };
        if mine.len() != other.len() || mine.len() != waiting.len() {
            return Err("the numbers of results differ".to_owned());
        }
        for (at, ((words, ours), theirs)) in waiting.iter().zip(mine).zip(other).enumerate() {
            // SPOP inside a transaction removes everything.
            let rule = families::rule(words);
            let rule = if rule == Rule::Pop { Rule::Unordered } else { rule };
            let Err(why) = self.same(rule, words, ours, theirs) else { continue };
            let behind = &waiting[at + 1..];
            if !apart::explains(self, Difference { session, words, behind, ours, theirs }) {
                let command = command_line(words);
                return Err(format!("{why}\n  in {command}\n  ours   {ours}\n  theirs {theirs}"));
            }
            // The following commands may depend on it.
            self.ended = true;
            return Ok(());
        }
        Ok(())
    }

    /// Compares a reply, and follows the session.
    pub(super) fn compare(
        &mut self,
        at: usize,
        session: usize,
        words: &[Vec<u8>],
        ours: &Reply,
        theirs: &Reply,
    ) -> Result<(), Failure> {
        self.count(words, theirs);
        let fail = |why: &str| Err(failure(at, words, ours, theirs, why));
        let name = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        let queued = matches!(theirs, Reply::Status(text) if text == "QUEUED");
        let rule = families::rule(words);
        // Also with one word too many: Redis discards the transaction then.
        if name == b"EXEC" {
            let waiting = self.queued[session].take().unwrap_or_default();
            let mut results = waiting.iter().zip(ours.elements().unwrap_or_default());
            if results.any(|(words, ours)| apart::is_met(self, session, words, ours)) {
                self.ended = true;
                return Ok(());
            }
            return match self.same_results(session, &waiting, ours, theirs) {
                Ok(()) => {
                    self.report.aborted +=
                        usize::from(matches!(theirs, Reply::Nil | Reply::NullArray));
                    if let Some(results) = theirs.elements() {
                        for (words, reply) in waiting.iter().zip(results) {
                            self.count(words, reply);
                            self.touch(session, words, reply);
                        }
                    }
                    Ok(())
                }
                Err(why) => fail(&why),
            };
        }
        if apart::is_met(self, session, words, ours) {
            self.ended = true;
            return Ok(());
        }
        if let Err(why) = self.same(rule, words, ours, theirs)
            // A search on the edge of the map that stores its result was handled before it ran.
            && (apart::writes(words)
                || !apart::explains(self, Difference { session, words, behind: &[], ours, theirs }))
        {
            return fail(&why);
        }
        if rule == Rule::DebugObject
            && !self.settings.compression
            && compare::length(ours) != compare::length(theirs)
        {
            return fail("the lengths differ");
        }
        match (&mut self.queued[session], name.as_slice()) {
            (waiting @ None, b"MULTI") if !theirs.is_error() => *waiting = Some(Vec::new()),
            (waiting, b"DISCARD" | b"RESET") if !theirs.is_error() => *waiting = None,
            (Some(waiting), _) if queued => waiting.push(words.to_vec()),
            _ => {}
        }
        if !queued {
            self.touch(session, words, theirs);
        }
        if queued || theirs.is_error() {
            return Ok(());
        }
        if rule == Rule::RandomMember && words.len() > 1 {
            return self.check_members(at, session, words, ours, theirs);
        }
        if rule == Rule::RandomKey {
            return self.check_key(at, session, words, ours, theirs);
        }
        Ok(())
    }

    fn count(&mut self, words: &[Vec<u8>], theirs: &Reply) {
        let name = families::find(words).map_or("(unknown)", |row| row.name);
        let count = match self.report.by_command.get_mut(name) {
            Some(count) => count,
            None => self.report.by_command.entry(name.to_owned()).or_default(),
        };
        if matches!(theirs, Reply::Status(text) if text == "QUEUED") {
            return;
        }
        self.report.commands += 1;
        if theirs.is_error() { count.refused += 1 } else { count.done += 1 }
    }

    /// Checks that the results of SRANDMEMBER, ZRANDMEMBER or HRANDFIELD are members, and distinct unless the count is
    /// negative.
    fn check_members(
        &mut self,
        at: usize,
        session: usize,
        words: &[Vec<u8>],
        ours: &Reply,
        theirs: &Reply,
    ) -> Result<(), Failure> {
        let (name, no) = match words[0].to_ascii_uppercase().as_slice() {
            b"ZRANDMEMBER" => ("ZMSCORE", Reply::Nil),
            b"HRANDFIELD" => ("HMGET", Reply::Nil),
            _ => ("SMISMEMBER", Reply::Int(0)),
        };
        let (given, scores) = if words.len() == 4 { scored(ours) } else { (ours.given(), None) };
        if given.is_empty() {
            return Ok(());
        }
        let twice = given.windows(2).any(|pair| pair[0] == pair[1]);
        if twice && words.get(2).is_none_or(|count| !count.starts_with(b"-")) {
            return Err(failure(at, words, ours, theirs, "a member was returned twice"));
        }
        let mut ask = vec![name.into(), words[1].clone()];
        ask.extend(given);
        let answer = self.live.execute(session, &ask);
        let all = answer.elements().is_some_and(|all| {
            all.iter().all(|one| *one != no) && scores.is_none_or(|scores| scores == all)
        });
        if all {
            Ok(())
        } else {
            Err(failure(at, words, ours, theirs, "not all results are members"))
        }
    }

    /// Checks that the result of RANDOMKEY exists.
    fn check_key(
        &mut self,
        at: usize,
        session: usize,
        words: &[Vec<u8>],
        ours: &Reply,
        theirs: &Reply,
    ) -> Result<(), Failure> {
        let Reply::Bulk(key) = ours else { return Ok(()) };
        let ask = [b"EXISTS".to_vec(), key.clone()];
        let exists = self.live.execute(session, &ask) == Reply::Int(1);
        if exists {
            Ok(())
        } else {
            Err(failure(at, words, ours, theirs, "the key does not exist"))
        }
    }
}

/// The members of a reply WITHSCORES or WITHVALUES, in order, and their scores or values.
fn scored(reply: &Reply) -> (Vec<Vec<u8>>, Option<Vec<Reply>>) {
    let mut flat: Vec<Reply> = Vec::new();
    for element in reply.elements().unwrap_or_default() {
        // RESP3 has one array per pair.
        match element.elements() {
            Some(pair) => flat.extend_from_slice(pair),
            None => flat.push(element.clone()),
        }
    }
    let mut pairs: Vec<(Vec<u8>, Reply)> = flat
        .chunks_exact(2)
        .map(|pair| (pair[0].bytes().unwrap_or_default().to_vec(), pair[1].clone()))
        .collect();
    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let (members, scores) = pairs.into_iter().unzip();
    (members, Some(scores))
}

/// A chunk of a dump and its cursor.
fn chunk(side: &mut dyn Subject, key: &[u8], nth: usize) -> Option<(i64, Vec<u8>)> {
    let mut cursor = 0;
    let mut piece = Vec::new();
    for _ in 0..=nth {
        let ask = [b"BF.SCANDUMP".to_vec(), key.to_vec(), cursor.to_string().into()];
        let reply = side.execute(AUDITOR, &ask);
        let [Reply::Int(next), Reply::Bulk(bytes)] = reply.elements()? else { return None };
        (cursor, piece) = (*next, bytes.clone());
        // After the last chunk it would begin again.
        if cursor == 0 {
            break;
        }
    }
    Some((cursor, piece))
}

/// Whether an op cannot be part of a batch.
fn alone(op: &Op) -> bool {
    op.how != How::Plain || runs_alone(&op.words)
}

/// Whether no later command may have run on the server when the replies to this one are compared.
pub(super) fn runs_alone(words: &[Vec<u8>]) -> bool {
    families::rule(words) == Rule::Pop || apart::writes(words) || apart::sorts(words)
}

/// Whether the comparison of the replies reads the current state of the server, so that a batch ends here.
pub(super) fn ends_batch(words: &[Vec<u8>]) -> bool {
    matches!(families::rule(words), Rule::RandomMember | Rule::RandomKey)
}

/// The end of the batch that begins at `start`: of one session, and without operations after one that depends on the
/// current state.
fn batch(ops: &[Op], start: usize, limit: usize) -> usize {
    if alone(&ops[start]) {
        return start + 1;
    }
    let mut end = start;
    while end < limit && end - start < BATCH && ops[end].session == ops[start].session {
        if alone(&ops[end]) {
            break;
        }
        end += 1;
        let ends_transaction = ops[end - 1].words[0].len() < 8
            && [&b"MULTI"[..], b"EXEC", b"DISCARD", b"RESET"]
                .iter()
                .any(|name| ops[end - 1].words[0].eq_ignore_ascii_case(name));
        if ends_batch(&ops[end - 1].words) || ends_transaction {
            break;
        }
    }
    end
}

/// Scans to the end: returns all elements, without duplicates, sorted; or the reply that is not a page.
fn iterate(side: &mut dyn Subject, op: &Op, cursor: usize) -> Result<Vec<Vec<u8>>, Reply> {
    let mut words = op.words.clone();
    let mut all = Vec::new();
    for _ in 0..PAGES {
        let reply = side.execute(op.session, &words);
        let Some((next, elements)) = compare::page(&reply) else { return Err(reply) };
        if [&b"ZSCAN"[..], b"HSCAN"].iter().any(|name| op.words[0].eq_ignore_ascii_case(name)) {
            // Members and scores belong together, fields and values too.
            all.extend(elements.chunks(2).map(|pair| pair.join(&b" has "[..])));
        } else {
            all.extend(elements);
        }
        if next == b"0" {
            all.sort_unstable();
            all.dedup();
            return Ok(all);
        }
        words[cursor] = next;
    }
    Err(Reply::Error("the iteration does not end".to_owned()))
}
