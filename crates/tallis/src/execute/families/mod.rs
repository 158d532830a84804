//! The command door's side of each family: from words to typed calls, and from their results to replies.
#![expect(clippy::unnecessary_wraps, reason = "every command of the table has the same signature")]

pub(super) mod hlls;
pub(super) mod keys;
pub(super) mod server;
pub(super) mod sessions;
pub(super) mod sets;
pub(super) mod strings;

use super::caller::Caller;
use crate::error::Error;
use crate::reply::Reply;
use crate::value::parse_int;

/// What a command answers.
type Answer = Result<Reply, Error>;

/// The number that an argument is.
fn int(arg: &[u8]) -> Result<i64, Error> {
    parse_int(arg).ok_or_else(Error::not_integer)
}

/// Whether an argument is this word, in whatever case. Redis compares options as C strings, so a NUL ends the argument.
fn is(arg: &[u8], word: &str) -> bool {
    arg.split_at_checked(word.len()).is_some_and(|(arg, rest)| {
        arg.eq_ignore_ascii_case(word.as_bytes()) && matches!(rest, [] | [0, ..])
    })
}
