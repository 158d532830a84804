//! The server itself, as far as there is one: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::prelude::*;
use crate::reply::Reply;

pub(in crate::execute) fn command(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn config(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn debug(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn echo(_: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Bulk(Bytes::copy_from_slice(args[0])))
}

pub(in crate::execute) fn info(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn memory(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn ping(_: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    match args {
        [] => Ok(Reply::Status("PONG".into())),
        [text] => Ok(Reply::Bulk(Bytes::copy_from_slice(text))),
        _ => Err(wrong_arity("ping")),
    }
}

pub(in crate::execute) fn time(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

/// OBJECT HELP.
pub(super) fn object_help() -> Reply {
    Reply::Array(Vec::new())
}
