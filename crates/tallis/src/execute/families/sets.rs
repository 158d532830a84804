//! Sets: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::prelude::*;
use crate::reply::Reply;

pub(in crate::execute) fn sadd(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.sadd(args[0], &args[1..])?))
}

pub(in crate::execute) fn scard(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.scard(args[0])?))
}

pub(in crate::execute) fn sdiff(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sdiffstore(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sinter(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sintercard(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sinterstore(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sismember(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.sismember(args[0], args[1])?))
}

pub(in crate::execute) fn smembers(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Set(door.smembers(args[0])?.into_iter().map(Reply::Bulk).collect()))
}

pub(in crate::execute) fn smismember(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn smove(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn spop(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn srandmember(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn srem(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.srem(args[0], &args[1..])?))
}

pub(in crate::execute) fn sscan(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sunion(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn sunionstore(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}
