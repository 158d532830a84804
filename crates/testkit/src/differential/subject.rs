//! The subject, which is compared with the server.

use std::io;

use super::{Reply, Settings, apart, command_line};
use crate::caught::caught;
use crate::live::{Server, Wire, name_in};

/// The number of sessions of the commands; one more session compares the state.
pub(super) const SESSIONS: usize = 2;

/// The session that compares the state.
pub(super) const AUDITOR: usize = SESSIONS;

/// A Redis-like program under test: a store, or another server.
pub trait Subject {
    /// Runs a command of one of three sessions (0, 1, 2), each with its own database, MULTI and WATCH, on the same
    /// data.
    ///
    /// The reply has the form of the protocol in the settings: a set is an [`Array`](Reply::Array) in RESP2.
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Reply;
}

/// A subject whose panics become a special reply, so that they are reported with the seed, and shrunk.
#[derive(Debug)]
pub(super) struct Caught<S>(pub(super) S);

impl<S: Subject> Subject for Caught<S> {
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Reply {
        // The run ends here: the state after a panic is not compared.
        let outcome = caught(|| self.0.execute(session, words));
        outcome.unwrap_or_else(|said| Reply::Error(format!("(a panic) {said}")))
    }
}

/// A server as a subject. Creating it flushes the server and sets the limits of the settings.
#[derive(Debug)]
pub struct LiveSubject {
    wires: Vec<Wire>,
    is_older: bool,
}

impl LiveSubject {
    /// Flushes the server and opens the sessions.
    ///
    /// # Panics
    ///
    /// If the connection fails or the server refuses the settings.
    #[must_use]
    pub fn new(server: &Server, settings: &Settings) -> Self {
        match Self::open(server, settings) {
            Ok(subject) => subject,
            Err(error) => panic!("redis-server: {error}\n{}", server.log()),
        }
    }

    fn open(server: &Server, settings: &Settings) -> io::Result<Self> {
        let wires: io::Result<Vec<Wire>> =
            (0..=SESSIONS).map(|_| Wire::open(server, settings.protocol)).collect();
        let is_older = apart::is_older(server.version());
        let mut subject = Self { wires: wires?, is_older };
        // With active expiry, the number of expired keys that a server counts in DBSIZE would be random.
        let passive = [&b"DEBUG"[..], b"SET-ACTIVE-EXPIRE", b"0"].map(<[u8]>::to_vec);
        let mut first = vec![vec![b"FLUSHALL".to_vec()], passive.to_vec()];
        for [name, value] in settings.limits.pairs() {
            let Some(name) = name_in(server.version(), &name) else { continue };
            first.push(vec![b"CONFIG".to_vec(), b"SET".to_vec(), name.into(), value.into()]);
        }
        for reply in subject.run_all(AUDITOR, first.iter().map(Vec::as_slice)) {
            if let Reply::Error(why) = reply {
                return Err(io::Error::other(why));
            }
        }
        Ok(subject)
    }

    /// Whether it is older than all profiles.
    pub(super) fn is_older(&self) -> bool {
        self.is_older
    }

    /// Several commands in one write.
    pub(super) fn run_all<'a>(
        &mut self,
        session: usize,
        commands: impl IntoIterator<Item = &'a [Vec<u8>]>,
    ) -> Vec<Reply> {
        let commands: Vec<&[Vec<u8>]> = commands.into_iter().collect();
        match self.wires[session].run_all(commands.iter().copied()) {
            Ok(replies) => replies,
            Err(error) => {
                let lines: Vec<String> = commands.iter().map(|words| command_line(words)).collect();
                panic!(
                    "the connection to redis-server broke: {error}, at one of\n{}",
                    lines.join("\n")
                )
            }
        }
    }
}

impl Subject for LiveSubject {
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Reply {
        match self.wires[session].run(words) {
            Ok(reply) => reply,
            Err(error) => {
                panic!("the connection to redis-server broke: {error}, at {}", command_line(words))
            }
        }
    }
}
