//! The command door's side of each family: from words to typed calls, and from their results to replies.
#![expect(clippy::unnecessary_wraps, reason = "every command of the table has the same signature")]

pub(super) mod bits;
pub(super) mod bloom;
pub(super) mod geo;
pub(super) mod hlls;
pub(super) mod keys;
pub(super) mod server;
pub(super) mod sessions;
pub(super) mod sets;
pub(super) mod strings;
pub(super) mod zsets;

use super::caller::Caller;
use crate::error::Error;
use crate::reply::Reply;
use crate::text::number;

/// What a command answers.
type Answer = Result<Reply, Error>;

/// The number that an argument is.
fn int(arg: &[u8]) -> Result<i64, Error> {
    number::integer(arg)
}

/// The number that an argument is, for what Redis keeps in 32 bits.
fn int32(arg: &[u8]) -> Result<i64, Error> {
    number::within(arg, i64::from(i32::MIN)..=i64::from(i32::MAX))
}

/// Whether an argument is this word, in whatever case. Redis compares options as C strings, so a NUL ends the argument.
fn is(arg: &[u8], word: &str) -> bool {
    arg.split_at_checked(word.len()).is_some_and(|(arg, rest)| {
        arg.eq_ignore_ascii_case(word.as_bytes()) && matches!(rest, [] | [0, ..])
    })
}
