//! A connection that hands on every byte of a reply.
//!
//! The `redis` crate's own connection serves a test that wants a value. The differential harness wants to know what was
//! said: the kind of each reply, errors inside arrays, both forms of the protocol, and fifty replies for one write.
//! That is a page of code for a protocol this plain.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use super::Server;
use crate::differential::Reply;

/// The form of the replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// What a connection begins with: maps and sets are arrays.
    #[default]
    Resp2,
    /// What `HELLO 3` asks for.
    Resp3,
}

/// Replies deeper than this are refused.
const DEPTH: usize = 32;

/// A connection to a server on a unix socket, on database 0.
#[derive(Debug)]
pub struct Wire {
    stream: BufReader<UnixStream>,
    request: Vec<u8>,
}

impl Wire {
    /// Connects to `server` and switches to `protocol`.
    ///
    /// # Errors
    ///
    /// If the server does not accept the connection, or does not know the protocol.
    pub fn open(server: &Server, protocol: Protocol) -> io::Result<Self> {
        let stream = BufReader::with_capacity(1 << 16, UnixStream::connect(server.socket())?);
        let mut wire = Self { stream, request: Vec::new() };
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
    /// If the connection breaks, or what comes is no reply. An error of the server is a reply.
    pub fn run(&mut self, words: &[Vec<u8>]) -> io::Result<Reply> {
        self.push(words);
        self.flush()?;
        self.receive(0)
    }

    /// Sends the commands in one write and reads their replies.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_all<'a>(
        &mut self,
        commands: impl IntoIterator<Item = &'a [Vec<u8>]>,
    ) -> io::Result<Vec<Reply>> {
        let mut count = 0;
        for words in commands {
            self.push(words);
            count += 1;
        }
        self.flush()?;
        (0..count).map(|_| self.receive(0)).collect()
    }

    fn push(&mut self, words: &[Vec<u8>]) {
        self.request.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
        for word in words {
            self.request.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            self.request.extend_from_slice(word);
            self.request.extend_from_slice(b"\r\n");
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.get_mut().write_all(&self.request)?;
        self.request.clear();
        Ok(())
    }

    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') || line.pop() != Some(b'\r') || line.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up"));
        }
        Ok(line)
    }

    fn receive(&mut self, depth: usize) -> io::Result<Reply> {
        let line = self.line()?;
        let (kind, rest) = (line[0], String::from_utf8_lossy(&line[1..]).into_owned());
        let strange = || io::Error::other(format!("no reply: {}", String::from_utf8_lossy(&line)));
        if depth > DEPTH {
            return Err(strange());
        }
        let length = || rest.parse::<i64>().map_err(|_| strange());
        let reply = match kind {
            b'+' => Reply::Status(rest),
            b'-' => Reply::Error(rest),
            b':' => Reply::Int(length()?),
            b'_' => Reply::Nil,
            b'#' => Reply::Bool(rest == "t"),
            b',' => Reply::Double(rest.parse().map_err(|_| strange())?),
            b'(' => Reply::BigNumber(rest),
            b'$' | b'=' if rest == "-1" => Reply::Nil,
            b'*' if rest == "-1" => Reply::NullArray,
            b'$' => Reply::Bulk(self.bytes(length()?)?),
            b'!' => Reply::Error(String::from_utf8_lossy(&self.bytes(length()?)?).into_owned()),
            b'=' => {
                let bytes = self.bytes(length()?)?;
                let (format, text) = bytes.split_at_checked(4).ok_or_else(strange)?;
                let format = String::from_utf8_lossy(&format[..3]).into_owned();
                Reply::Verbatim { format, text: text.to_vec() }
            }
            b'*' => Reply::Array(self.replies(length()?, depth)?),
            b'~' => Reply::Set(self.replies(length()?, depth)?),
            b'%' => {
                let mut pairs = Vec::new();
                for _ in 0..length()? {
                    pairs.push((self.receive(depth + 1)?, self.receive(depth + 1)?));
                }
                Reply::Map(pairs)
            }
            _ => return Err(strange()),
        };
        Ok(reply)
    }

    fn replies(&mut self, count: i64, depth: usize) -> io::Result<Vec<Reply>> {
        (0..count).map(|_| self.receive(depth + 1)).collect()
    }

    fn bytes(&mut self, len: i64) -> io::Result<Vec<u8>> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let mut bytes = vec![0; len];
        self.stream.read_exact(&mut bytes)?;
        let mut end = [0; 2];
        self.stream.read_exact(&mut end)?;
        Ok(bytes)
    }
}
