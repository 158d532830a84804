#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Requests
//!
//! ```text
//! *2\r\n $3\r\n GET\r\n $1\r\n k\r\n        multibulk: how many words, then each with its length
//! GET k\r\n                                 inline: a line of words, quoted as redis-cli has it
//! ```
//!
//! [`Requests`] reads both, with the limits of Redis and the exact text of its errors; [`write_request`] writes the
//! first form.
//!
//! ## Replies
//!
//! | first byte | kind | in RESP2 |
//! |---|---|---|
//! | `+` | status | the same |
//! | `-`, `!` | error, as a line or with a length | `-` |
//! | `:` | integer | the same |
//! | `$` | byte string | the same, and `$-1` for null |
//! | `*` | array | the same, and `*-1` for a null array |
//! | `_` | null | `$-1` or `*-1` |
//! | `#` | boolean, `t` or `f` | integer |
//! | `,` | double, in decimal, `inf`, `-inf` or `nan` | byte string |
//! | `(` | big number | byte string |
//! | `=` | text with the three letters of its format and a colon before it | byte string |
//! | `%` | map: alternating keys and values, counted in pairs | array |
//! | `~` | set | array |
//! | `>` | push: a message that no request asked for | array |
//! | `\|` | attributes of the reply that follows, as a map | omitted |
//!
//! [`Replies`] reads them into a [`Value`]; a [`Writer`] writes them one by one, in either protocol.

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

/// The version of the protocol, which determines the form of replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// RESP2, the protocol of a new connection.
    #[default]
    Resp2,
    /// RESP3, which a client selects with `HELLO 3`.
    Resp3,
}
