//! Errors of parsing requests and replies.

use std::error::Error;
use std::fmt;

/// Why bytes are not a valid request. A server sends the message to the client and closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// An inline request is longer than 64 KiB.
    InlineTooLong,
    /// The quotes of an inline request do not match.
    UnbalancedQuotes,
    /// The line with the number of words is longer than 64 KiB.
    CountTooLong,
    /// The number of words is not a number or does not fit 31 bits.
    Count,
    /// The line with the length of a word is longer than 64 KiB.
    LengthTooLong,
    /// The length of a word is not a number, is negative, or exceeds the limit.
    Length,
    /// This byte is at the position of a `$`.
    Expected(u8),
}

impl ProtocolError {
    /// Returns Redis's error message, without the leading `-ERR `.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut requests = resp::Requests::new();
    /// requests.feed(b"*1\r\n+PING\r\n");
    /// let error = requests.take().unwrap_err();
    /// assert_eq!(error.message(), b"Protocol error: expected '$', got '+'");
    /// ```
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        let what: &[u8] = match self {
            Self::InlineTooLong => b"too big inline request",
            Self::UnbalancedQuotes => b"unbalanced quotes in request",
            Self::CountTooLong => b"too big mbulk count string",
            Self::Count => b"invalid multibulk length",
            Self::LengthTooLong => b"too big bulk count string",
            Self::Length => b"invalid bulk length",
            Self::Expected(_) => b"expected '$', got '",
        };
        let mut text = [b"Protocol error: ", what].concat();
        if let Self::Expected(byte) = *self {
            // A line cannot hold its own end, and to C a NUL is the end of the text.
            match byte {
                b'\r' | b'\n' => text.extend_from_slice(b" '"),
                0 => {}
                _ => text.extend_from_slice(&[byte, b'\'']),
            }
        }
        text
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.message()))
    }
}

impl Error for ProtocolError {}

/// Why bytes are not a valid reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyError {
    /// This byte is not the first byte of a reply.
    Kind(u8),
    /// A length is not a valid number.
    Length,
    /// A number, boolean, null or text is malformed.
    Form,
    /// A line or byte string does not end with CR LF.
    End,
    /// Replies nest too deep.
    Depth,
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(byte) => write!(f, "a reply cannot begin with '{}'", byte.escape_ascii()),
            Self::Length => f.write_str("invalid reply length"),
            Self::Form => f.write_str("malformed number, boolean, null or text in a reply"),
            Self::End => f.write_str("a line or string does not end with CR LF"),
            Self::Depth => f.write_str("replies are nested too deeply"),
        }
    }
}

impl Error for ReplyError {}
