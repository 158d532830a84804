//! What is wrong with bytes that are no request or no reply.

use std::error::Error;
use std::fmt;

/// Why bytes are no request. A server tells it to the client and closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// An inline request is longer than 64 KiB.
    InlineTooLong,
    /// The quotes of an inline request do not match.
    UnbalancedQuotes,
    /// The number of words is longer than 64 KiB.
    CountTooLong,
    /// The number of words is none, or does not fit into 31 bits.
    Count,
    /// The length of a word is longer than 64 KiB.
    LengthTooLong,
    /// The length of a word is none, is negative, or is above the limit.
    Length,
    /// Where `$` should be, there was this byte.
    Expected(u8),
}

impl ProtocolError {
    /// What Redis says of it, without the `-ERR ` in front.
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

/// Why bytes are no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyError {
    /// No reply begins with this byte.
    Kind(u8),
    /// A length is none.
    Length,
    /// A number, boolean, null or text is not in its form.
    Form,
    /// A line or byte string does not end where it should.
    End,
    /// Replies nest too deep.
    Depth,
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(byte) => write!(f, "no reply begins with '{}'", byte.escape_ascii()),
            Self::Length => f.write_str("invalid length of a reply"),
            Self::Form => f.write_str("a reply is not in the form of its kind"),
            Self::End => f.write_str("a reply does not end where it should"),
            Self::Depth => f.write_str("replies nest too deep"),
        }
    }
}

impl Error for ReplyError {}
