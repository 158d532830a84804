//! The harness: two sides, a script, and a report.

use super::apart;
use super::report::{Difference, Report};
use super::run::Run;
use super::script::{Found, Op, script};
use super::subject::{AUDITOR, LiveSubject, Subject};
use super::{Reply, Settings};
use crate::live::Server;

/// The differential harness: runs the same commands on a server and on a subject.
#[derive(Clone, Debug)]
pub struct Differential {
    pub(super) settings: Settings,
}

/// Where and how the sides differ.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The index of the command; of the last one, if a comparison of the bytes found it.
    pub(super) at: usize,
    /// Whether a comparison of the bytes found it.
    pub(super) in_state: bool,
    /// The command, or the comparison, as words.
    pub(super) words: Vec<Vec<u8>>,
    pub(super) ours: String,
    pub(super) theirs: String,
    pub(super) why: String,
}

impl Differential {
    /// Creates a harness with these settings.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Runs the commands of the seed on `server` and on a fresh subject.
    ///
    /// The server is flushed first, and its limits are set. `subject` creates an empty subject, and is called again for
    /// each attempt to shrink a failure.
    ///
    /// # Errors
    ///
    /// The first difference, with the shortest script that was found for it.
    ///
    /// # Panics
    ///
    /// If the connection to the server breaks.
    pub fn run<S: Subject>(
        &self,
        server: &Server,
        mut subject: impl FnMut(&Settings) -> S,
    ) -> Result<Report, Box<Difference>> {
        let harness = Self { settings: apart::known_in(server.version(), &self.settings) };
        let settings = &harness.settings;
        let mut live = LiveSubject::new(server, settings);
        let found = Found {
            foreign: foreign(&mut live),
            old_blooms: server.module_version("bf").is_some_and(|version| version < 80_000),
        };
        let mut ops = script(settings, found);
        if live.is_older() {
            apart::as_known_in(server.version(), &mut ops);
        }
        let mut run = Run::new(settings, live, subject(settings));
        match run.all(&ops, true) {
            Ok(()) => Ok(run.report),
            Err(failure) => Err(Box::new(harness.difference(server, &mut subject, &ops, &failure))),
        }
    }

    /// One attempt: the commands of `ops` on empty sides.
    pub(super) fn attempt<S: Subject>(
        &self,
        server: &Server,
        subject: &mut impl FnMut(&Settings) -> S,
        ops: &[Op],
        looks: bool,
    ) -> Result<(), Failure> {
        let live = LiveSubject::new(server, &self.settings);
        Run::new(&self.settings, live, subject(&self.settings)).all(ops, looks)
    }
}

/// Payloads of types that the subject has no commands for, created by the server; small, so that their bytes have a
/// fixed order.
fn foreign(live: &mut LiveSubject) -> Vec<Vec<u8>> {
    let long = "x".repeat(70);
    let makers: [&[&str]; 2] = [
        &["XADD", "scratch", "1-1", "field", "value"],
        &["XADD", "scratch", "2-1", "field", &long, "another", "1"],
    ];
    let mut payloads = Vec::new();
    for maker in makers {
        live.execute(AUDITOR, &words(maker));
        if let Reply::Bulk(payload) = live.execute(AUDITOR, &words(&["DUMP", "scratch"])) {
            payloads.push(payload);
        }
        live.execute(AUDITOR, &words(&["DEL", "scratch"]));
    }
    payloads
}

/// A command from texts.
pub(super) fn words(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A difference in replies.
pub(super) fn failure(
    at: usize,
    words: &[Vec<u8>],
    ours: &Reply,
    theirs: &Reply,
    why: &str,
) -> Failure {
    Failure {
        at,
        in_state: false,
        words: words.to_vec(),
        ours: ours.to_string(),
        theirs: theirs.to_string(),
        why: why.to_owned(),
    }
}
