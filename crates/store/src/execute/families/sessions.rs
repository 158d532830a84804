//! Sessions: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use super::{Answer, Caller};
use crate::error::{Error, ErrorKind};

pub(in crate::execute) fn discard(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("discard"))
}

pub(in crate::execute) fn exec(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("exec"))
}

pub(in crate::execute) fn hello(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("hello"))
}

pub(in crate::execute) fn multi(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("multi"))
}

pub(in crate::execute) fn quit(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("quit"))
}

pub(in crate::execute) fn reset(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("reset"))
}

pub(in crate::execute) fn select(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("select"))
}

pub(in crate::execute) fn unwatch(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("unwatch"))
}

pub(in crate::execute) fn watch(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(needs_session("watch"))
}

#[cold]
fn needs_session(name: &str) -> Error {
    Error::new(
        ErrorKind::Syntax,
        format!("ERR '{name}' is remembered from one command to the next, which takes a session"),
    )
}
