//! Strings: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::prelude::*;
use crate::reply::Reply;

pub(in crate::execute) fn append(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn decr(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn decrby(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn get(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.get(args[0])?.into())
}

pub(in crate::execute) fn getdel(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn getex(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn getrange(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn getset(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn incr(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], 1)?.into())
}

pub(in crate::execute) fn incrby(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], int(args[1])?)?.into())
}

pub(in crate::execute) fn incrbyfloat(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn lcs(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn mget(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn mset(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn msetnx(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn psetex(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn set(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    door.set(args[0], args[1])?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn setex(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn setnx(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.set_nx(args[0], args[1])?))
}

pub(in crate::execute) fn setrange(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn strlen(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn substr(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}
