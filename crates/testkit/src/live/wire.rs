//! A connection that returns replies unchanged.
//!
//! The `redis` crate's connection is for tests that need a value. This one is for tests that need the exact reply: the
//! kind of each reply, errors inside arrays, both protocols, and many replies for one write.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;

use resp::{Protocol, Replies, write_request};

use super::{Reply, Server};

/// A connection to a server on a unix socket, with database 0.
#[derive(Debug)]
pub struct Wire {
    stream: UnixStream,
    replies: Replies,
}

impl Wire {
    /// Connects to `server` and switches to `protocol`.
    ///
    /// # Errors
    ///
    /// If the server does not accept the connection or the protocol.
    pub fn open(server: &Server, protocol: Protocol) -> io::Result<Self> {
        let stream = UnixStream::connect(server.socket())?;
        let mut wire = Self { stream, replies: Replies::new() };
        if protocol == Protocol::Resp3
            && let Reply::Error(why) = wire.run(&[b"HELLO".to_vec(), b"3".to_vec()])?
        {
            return Err(io::Error::other(why));
        }
        Ok(wire)
    }

    /// Sends one command and reads its reply.
    ///
    /// # Errors
    ///
    /// If the connection breaks or the bytes are not a reply. An error of the server is a reply.
    pub fn run(&mut self, words: &[Vec<u8>]) -> io::Result<Reply> {
        let mut request = Vec::new();
        write_request(words, &mut request);
        self.stream.write_all(&request)?;
        self.receive()
    }

    /// Sends several commands in one write and reads their replies.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_all<'a>(
        &mut self,
        commands: impl IntoIterator<Item = &'a [Vec<u8>]>,
    ) -> io::Result<Vec<Reply>> {
        let mut count = 0;
        let mut requests = Vec::new();
        for words in commands {
            write_request(words, &mut requests);
            count += 1;
        }
        self.stream.write_all(&requests)?;
        (0..count).map(|_| self.receive()).collect()
    }

    fn receive(&mut self) -> io::Result<Reply> {
        loop {
            if let Some(value) = self.replies.take().map_err(io::Error::other)? {
                return Ok(value.into());
            }
            if self.replies.fill(&mut self.stream)? == 0 {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the server closed the connection",
                ));
            }
        }
    }
}
