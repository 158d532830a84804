//! RESP2 and RESP3, the protocol between clients and servers of Redis and Valkey.
//!
//! # Requests
//!
//! ```text
//! *2\r\n $3\r\n GET\r\n $1\r\n k\r\n        multibulk: how many words, then each with its length
//! GET k\r\n                                 inline: a line of words, quoted as redis-cli has it
//! ```
//!
//! [`Requests`] reads both, with the limits and, word for word, the errors of Redis; [`write_request`] writes the first.
//!
//! # Replies
//!
//! | first byte | kind | in RESP2 |
//! |---|---|---|
//! | `+` | status | the same |
//! | `-`, `!` | error, as a line and with a length | `-` |
//! | `:` | integer | the same |
//! | `$` | byte string | the same, and `$-1` for null |
//! | `*` | array | the same, and `*-1` for a null array |
//! | `_` | null | `$-1` or `*-1` |
//! | `#` | boolean, `t` or `f` | integer |
//! | `,` | double, in decimal, `inf`, `-inf` or `nan` | byte string |
//! | `(` | big number | byte string |
//! | `=` | text with the three letters of its format and a colon before it | byte string |
//! | `%` | map: keys and values in turn, counted in pairs | array |
//! | `~` | set | array |
//! | `>` | push: a message that no request asked for | array |
//! | `\|` | attributes of the reply that follows, as a map | left out |
//!
//! [`Replies`] reads them into a [`Value`]; a [`Writer`] writes them one by one, in either form.
//!
//! # Limits
//!
//! Both readers keep the bytes that have arrived and are not used up, and nothing in advance of them. The length of a
//! word of a request is at most [`Requests::MAX_BULK`], unless [`Requests::max_bulk`] sets another; a header or an
//! inline request has 64 KiB. Replies nest at most [`Replies::MAX_DEPTH`] deep. Replies in pieces (`$?`, `*?`), which
//! RESP3 describes and no server sends, are refused.

#![forbid(unsafe_code)]

mod buffer;
mod error;
mod replies;
mod requests;
mod value;
mod words;
mod writer;

pub use error::{ProtocolError, ReplyError};
pub use replies::Replies;
pub use requests::{Requests, write_request};
pub use value::Value;
pub use words::{Unbalanced, quote_word, split_words};
pub use writer::Writer;

/// The form of the replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// What a connection begins with.
    #[default]
    Resp2,
    /// What `HELLO 3` asks for.
    Resp3,
}

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
