//! Requests to a server: a command, or a script with its keys and arguments.

use std::ops::Range;

use resp::Writer;
use store::{Member, Protocol, Script};

use crate::slot::key_slot;

/// The request for a [`Procedure`](crate::Procedure) to a server: one command, or one [`Script`].
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Request, key_slot};
///
/// let request = Request::command("SADD").key("page:visitors").arg(7);
/// assert_eq!(request.slot(), Some(key_slot("page:visitors")));
/// let mut packed = Vec::new();
/// request.write(&mut packed);
/// assert_eq!(packed, b"*3\r\n$4\r\nSADD\r\n$13\r\npage:visitors\r\n$1\r\n7\r\n");
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    name: Name,
    keys: usize,
    words: usize,
    /// The words after the name, in RESP.
    packed: Vec<u8>,
    /// The range of the first key.
    first_key: Option<Range<usize>>,
}

#[derive(Clone, Copy, Debug)]
enum Name {
    Command(&'static str),
    Script(&'static Script),
}

impl Request {
    /// Creates a command without arguments.
    #[must_use]
    pub const fn command(name: &'static str) -> Self {
        Self::new(Name::Command(name))
    }

    /// Creates a call of a script without keys and arguments.
    #[must_use]
    pub const fn script(script: &'static Script) -> Self {
        Self::new(Name::Script(script))
    }

    const fn new(name: Name) -> Self {
        Self { name, keys: 0, words: 0, packed: Vec::new(), first_key: None }
    }

    /// Appends a key. The keys of a script precede its arguments.
    #[must_use]
    pub fn key(mut self, key: impl AsRef<[u8]>) -> Self {
        debug_assert!(self.keys == self.words || matches!(self.name, Name::Command(_)));
        let range = self.push(key.as_ref());
        self.first_key.get_or_insert(range);
        self.keys += 1;
        self
    }

    /// Appends keys.
    #[must_use]
    pub fn keys(self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        keys.into_iter().fold(self, Self::key)
    }

    /// Appends an argument: bytes, or an integer in decimal.
    #[must_use]
    pub fn arg<'a>(mut self, arg: impl Into<Member<'a>>) -> Self {
        arg.into().with_bytes(|arg| self.push(arg));
        self
    }

    /// Appends a count as an argument.
    #[must_use]
    pub fn count(mut self, count: usize) -> Self {
        self.push(itoa::Buffer::new().format(count).as_bytes());
        self
    }

    /// Appends arguments.
    #[must_use]
    pub fn args<'a>(self, args: impl IntoIterator<Item: Into<Member<'a>>>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// Appends a word; returns its range.
    fn push(&mut self, word: &[u8]) -> Range<usize> {
        const END: usize = b"\r\n".len();
        writer(&mut self.packed).bulk(word);
        self.words += 1;
        let end = self.packed.len() - END;
        end - word.len()..end
    }

    /// Returns its script, if it is one.
    #[must_use]
    pub const fn as_script(&self) -> Option<&'static Script> {
        match self.name {
            Name::Script(script) => Some(script),
            Name::Command(_) => None,
        }
    }

    /// Returns the slot of its first key on a Redis Cluster; `None` without keys.
    #[must_use]
    pub fn slot(&self) -> Option<u16> {
        self.first_key.clone().map(|range| key_slot(&self.packed[range]))
    }

    /// Appends the request in RESP to `out`: a script by its digest, with EVALSHA.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self.name {
            Name::Command(name) => self.write_behind(&[name.as_bytes()], out),
            Name::Script(script) => {
                self.write_script(b"EVALSHA", script.digest().as_bytes(), out);
            }
        }
    }

    /// As [`write`](Self::write), but a script by its text, with EVAL, which also loads it into the server.
    pub fn write_whole(&self, out: &mut Vec<u8>) {
        match self.name {
            Name::Command(_) => self.write(out),
            Name::Script(script) => self.write_text(script.text(), out),
        }
    }

    /// As [`write_whole`](Self::write_whole), with this text.
    pub(crate) fn write_text(&self, text: &str, out: &mut Vec<u8>) {
        self.write_script(b"EVAL", text.as_bytes(), out);
    }

    fn write_script(&self, command: &[u8], script: &[u8], out: &mut Vec<u8>) {
        let keys = itoa::Buffer::new().format(self.keys).to_owned();
        self.write_behind(&[command, script, keys.as_bytes()], out);
    }

    /// Appends the request, after these words.
    fn write_behind(&self, before: &[&[u8]], out: &mut Vec<u8>) {
        let mut header = writer(out);
        header.array(before.len() + self.words);
        for word in before {
            header.bulk(word);
        }
        out.extend_from_slice(&self.packed);
    }
}

fn writer(out: &mut Vec<u8>) -> Writer<'_> {
    Writer::new(out, Protocol::Resp2)
}
