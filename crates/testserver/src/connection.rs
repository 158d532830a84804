//! One client: its requests, its session, its replies.

use std::io::{self, Write};
use std::sync::Arc;

use resp::{Requests, Writer};
use store::{Error, ErrorKind, Reply, Session};

use crate::listen::Stream;
use crate::server::Shared;

/// The number of bytes of a pipeline's replies that are sent together, at most.
const ENOUGH: usize = 64 << 10;

/// The bytes that a client may have sent without a reply: Redis's default of `client-query-buffer-limit`.
const PENDING_MAX: usize = 1 << 30;

pub(crate) struct Connection {
    shared: Arc<Shared>,
    stream: Stream,
    requests: Requests,
    client: Client,
    out: Vec<u8>,
}

/// The state of a client.
struct Client {
    session: Session,
    /// Whether it is between MULTI and EXEC.
    queues: bool,
}

/// What happens after a reply.
enum Next {
    GoOn,
    HangUp,
    ShutDown,
}

impl Connection {
    pub(crate) fn new(shared: &Arc<Shared>, stream: Stream) -> Self {
        let client = Client { session: shared.store.session(), queues: false };
        let shared = shared.clone();
        Self { shared, stream, requests: Requests::new(), client, out: Vec::new() }
    }

    /// Serves the client until one side closes the connection.
    pub(crate) fn run(mut self) {
        // An error of the connection ends it.
        let _ = self.serve();
        self.stream.hang_up();
    }

    fn serve(&mut self) -> io::Result<()> {
        loop {
            let next = self.answer_all()?;
            let sent = self.send();
            match next {
                Next::GoOn => sent?,
                Next::HangUp => return sent,
                Next::ShutDown => {
                    // The program that waits for this may exit: by then the earlier requests have their replies.
                    self.shared.shut_down();
                    return sent;
                }
            }
            if self.requests.pending() > PENDING_MAX || self.requests.fill(&mut self.stream)? == 0 {
                return Ok(());
            }
        }
    }

    /// Replies to all complete requests.
    fn answer_all(&mut self) -> io::Result<Next> {
        loop {
            let words = match self.requests.take() {
                Ok(Some(words)) => words,
                Ok(None) => return Ok(Next::GoOn),
                Err(error) => {
                    let text = [b"ERR ", &error.message()[..]].concat();
                    Writer::new(&mut self.out, self.client.session.protocol()).error(&text);
                    return Ok(Next::HangUp);
                }
            };
            let (reply, next) = self.client.answer(&words);
            let session = &self.client.session;
            if let Some(reply) = reply {
                reply.write(session.protocol(), session.profile(), &mut self.out);
            }
            if let Next::HangUp | Next::ShutDown = next {
                return Ok(next);
            }
            if self.out.len() >= ENOUGH {
                self.send()?;
            }
        }
    }

    fn send(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

impl Client {
    fn answer(&mut self, words: &[&[u8]]) -> (Option<Reply>, Next) {
        let (name, sub) = (words.first().copied(), words.get(1).copied());
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let sub = sub.unwrap_or_default().to_ascii_lowercase();
        match (&name[..], &sub[..]) {
            (b"quit", _) => (Some(self.session.execute(words)), Next::HangUp),
            (b"shutdown", _) if self.queues => {
                // The session does not have it, so EXEC will fail.
                self.session.execute(words);
                let text = "ERR Command not allowed inside a transaction";
                (Some(Reply::Error(Error::new(ErrorKind::Syntax, text))), Next::GoOn)
            }
            (b"shutdown", _) => (None, Next::ShutDown),
            // Every command of a session has a reply.
            (b"client", b"reply") if words.len() == 3 && words[2].eq_ignore_ascii_case(b"on") => {
                (Some(Reply::OK), Next::GoOn)
            }
            (b"function", b"flush") => (Some(Reply::OK), Next::GoOn),
            _ => {
                match &name[..] {
                    b"multi" => self.queues = true,
                    b"exec" | b"discard" | b"reset" => self.queues = false,
                    _ => {}
                }
                (Some(self.session.execute(words)), Next::GoOn)
            }
        }
    }
}
