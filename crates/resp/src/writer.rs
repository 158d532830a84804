//! Writing replies.

use crate::Protocol;

/// Writes replies as a server does, in the protocol that the client has selected.
///
/// For an array, set, map or push it writes only the length: write the elements afterwards, as replies.
///
/// # Examples
///
/// ```
/// use resp::{Protocol, Writer};
///
/// let members = |protocol| {
///     let mut out = Vec::new();
///     let mut writer = Writer::new(&mut out, protocol);
///     writer.set(2);
///     writer.bulk(b"a");
///     writer.double("1.5");
///     String::from_utf8(out).unwrap()
/// };
/// assert_eq!(members(Protocol::Resp3), "~2\r\n$1\r\na\r\n,1.5\r\n");
/// assert_eq!(members(Protocol::Resp2), "*2\r\n$1\r\na\r\n$3\r\n1.5\r\n");
/// ```
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    protocol: Protocol,
}

impl<'o> Writer<'o> {
    /// Creates a writer that appends to `out`.
    pub const fn new(out: &'o mut Vec<u8>, protocol: Protocol) -> Self {
        Self { out, protocol }
    }

    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    /// Writes a status. Line ends in it become spaces.
    pub fn status(&mut self, text: &[u8]) {
        self.line(b'+', text);
    }

    /// Writes an error, whose text begins with its code. Line ends in it become spaces.
    pub fn error(&mut self, text: &[u8]) {
        self.line(b'-', text);
    }

    /// Writes an integer.
    pub fn int(&mut self, number: i64) {
        self.out.push(b':');
        self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.end();
    }

    /// Writes a byte string.
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.length(b'$', bytes.len());
        self.out.extend_from_slice(bytes);
        self.end();
    }

    /// Writes a null (a null byte string in RESP2).
    pub fn null(&mut self) {
        self.out.extend_from_slice(if self.is_resp3() { b"_\r\n" } else { b"$-1\r\n" });
    }

    /// Writes a null in place of an array (a null array in RESP2).
    pub fn null_array(&mut self) {
        self.out.extend_from_slice(if self.is_resp3() { b"_\r\n" } else { b"*-1\r\n" });
    }

    /// Writes the length of an array; `len` replies must follow.
    pub fn array(&mut self, len: usize) {
        self.length(b'*', len);
    }

    /// Writes the length of a set, an array in RESP2; `len` replies must follow.
    pub fn set(&mut self, len: usize) {
        self.length(if self.is_resp3() { b'~' } else { b'*' }, len);
    }

    /// Writes the length of a push, an array in RESP2; `len` replies must follow.
    pub fn push(&mut self, len: usize) {
        self.length(if self.is_resp3() { b'>' } else { b'*' }, len);
    }

    /// Writes the length of a map, an array in RESP2; `2 * pairs` replies must follow, alternating keys and values.
    pub fn map(&mut self, pairs: usize) {
        match self.protocol {
            Protocol::Resp2 => self.length(b'*', pairs * 2),
            Protocol::Resp3 => self.length(b'%', pairs),
        }
    }

    /// Writes the number of attributes of the next reply and returns true; `2 * pairs` replies must follow, then that
    /// reply. RESP2 has no attributes: returns false and writes nothing, and the pairs must be omitted.
    pub fn attributes(&mut self, pairs: usize) -> bool {
        if self.is_resp3() {
            self.length(b'|', pairs);
        }
        self.is_resp3()
    }

    /// Writes a boolean: the integer 1 or 0 in RESP2.
    pub fn boolean(&mut self, yes: bool) {
        match (self.protocol, yes) {
            (Protocol::Resp2, _) => self.int(yes.into()),
            (Protocol::Resp3, true) => self.out.extend_from_slice(b"#t\r\n"),
            (Protocol::Resp3, false) => self.out.extend_from_slice(b"#f\r\n"),
        }
    }

    /// Writes a double with these digits, or `inf`, `-inf` or `nan`: a byte string in RESP2. Server versions format
    /// digits differently, so the caller formats them.
    pub fn double(&mut self, digits: &str) {
        self.scalar(b',', digits.as_bytes());
    }

    /// Writes a big number with these digits: a byte string in RESP2.
    pub fn big_number(&mut self, digits: &[u8]) {
        self.scalar(b'(', digits);
    }

    /// Writes a text and its format, `txt` or `mkd`: a byte string without the format in RESP2.
    pub fn verbatim(&mut self, format: [u8; 3], text: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(text),
            Protocol::Resp3 => {
                self.length(b'=', text.len() + 4);
                self.out.extend_from_slice(&format);
                self.out.push(b':');
                self.out.extend_from_slice(text);
                self.end();
            }
        }
    }

    fn scalar(&mut self, kind: u8, digits: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(digits),
            Protocol::Resp3 => self.line(kind, digits),
        }
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.out.push(kind);
        let in_line = |&byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
        self.out.extend(text.iter().map(in_line));
        self.end();
    }

    fn length(&mut self, kind: u8, len: usize) {
        push_length(self.out, kind, len);
    }

    fn end(&mut self) {
        self.out.extend_from_slice(b"\r\n");
    }
}

/// A line with a length.
pub(crate) fn push_length(out: &mut Vec<u8>, kind: u8, len: usize) {
    match u8::try_from(len) {
        // Of almost every word.
        Ok(len @ 0..10) => out.extend_from_slice(&[kind, b'0' + len, b'\r', b'\n']),
        Ok(len @ 10..100) => {
            out.extend_from_slice(&[kind, b'0' + len / 10, b'0' + len % 10, b'\r', b'\n']);
        }
        _ => {
            out.push(kind);
            out.extend_from_slice(itoa::Buffer::new().format(len).as_bytes());
            out.extend_from_slice(b"\r\n");
        }
    }
}
