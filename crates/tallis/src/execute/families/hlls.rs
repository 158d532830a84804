//! HyperLogLogs: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::prelude::*;
use crate::reply::Reply;

pub(in crate::execute) fn pfadd(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.pfadd(args[0], &args[1..])?))
}

pub(in crate::execute) fn pfcount(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    // Redis shows the count of registers that no hash can give as a signed number too.
    Ok(Reply::Int(door.pfcount(args)?.cast_signed()))
}

pub(in crate::execute) fn pfdebug(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn pfmerge(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    door.pfmerge(args[0], &args[1..])?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn pfselftest(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}
