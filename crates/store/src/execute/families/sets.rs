//! Sets: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::keys::{cursor, scan_options, scan_reply};
use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::reply::Reply;
use crate::text::number;

/// Members, in no order.
fn set(members: Vec<Bytes>) -> Reply {
    Reply::Set(members.into_iter().map(Reply::Bulk).collect())
}

fn array(members: Vec<Bytes>) -> Reply {
    Reply::Array(members.into_iter().map(Reply::Bulk).collect())
}

pub(in crate::execute) fn sadd(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.sadd(args[0], &args[1..])?))
}

pub(in crate::execute) fn scard(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.scard(args[0])?))
}

pub(in crate::execute) fn sdiff(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(set(door.sdiff(args)?))
}

pub(in crate::execute) fn sdiffstore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.sdiffstore(args[0], &args[1..])?))
}

pub(in crate::execute) fn sinter(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(set(door.sinter(args)?))
}

pub(in crate::execute) fn sintercard(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let refused = |text: &'static str| Error::new(ErrorKind::Syntax, text);
    let count = int(args[0]).ok().and_then(|count| usize::try_from(count).ok());
    let count = count
        .filter(|&count| count > 0)
        .ok_or_else(|| refused("ERR numkeys should be greater than 0"))?;
    let Some((keys, options)) = args[1..].split_at_checked(count) else {
        return Err(refused("ERR Number of keys can't be greater than number of args"));
    };
    let mut limit = 0;
    for pair in options.chunks(2) {
        match pair {
            [word, number] if is(word, "limit") => {
                let number = int(number).ok().and_then(|number| usize::try_from(number).ok());
                limit = number.ok_or_else(|| refused("ERR LIMIT can't be negative"))?;
            }
            _ => return Err(Error::syntax()),
        }
    }
    Ok(Reply::count(door.sintercard(keys, limit)?))
}

pub(in crate::execute) fn sinterstore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.sinterstore(args[0], &args[1..])?))
}

pub(in crate::execute) fn sismember(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.sismember(args[0], args[1])?.into())
}

pub(in crate::execute) fn smembers(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(set(door.smembers(args[0])?))
}

pub(in crate::execute) fn smismember(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let there = door.smismember(args[0], &args[1..])?;
    Ok(Reply::Array(there.into_iter().map(Reply::from).collect()))
}

pub(in crate::execute) fn smove(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.smove(args[0], args[1], args[2])?.into())
}

pub(in crate::execute) fn spop(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    match args {
        [key] => Ok(door.spop(key)?.into()),
        [key, count] => {
            let count = usize::try_from(number::positive(count)?).unwrap_or(usize::MAX);
            Ok(set(door.spop_multiple(key, count)?))
        }
        _ => Err(Error::syntax()),
    }
}

pub(in crate::execute) fn srandmember(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    match args {
        [key] => Ok(door.srandmember(key)?.into()),
        [key, count] => {
            let count = number::within(count, -i64::MAX..=i64::MAX)?;
            Ok(array(door.srandmember_multiple(key, count)?))
        }
        _ => Err(Error::syntax()),
    }
}

pub(in crate::execute) fn srem(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.srem(args[0], &args[1..])?))
}

pub(in crate::execute) fn sscan(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[1])?;
    // Redis looks for the key before it reads the options.
    if door.scard(args[0])? == 0 {
        return Ok(scan_reply(0, Vec::new()));
    }
    let (next, members) = door.sscan(args[0], cursor, &scan_options(&args[2..], false)?)?;
    Ok(scan_reply(next, members))
}

pub(in crate::execute) fn sunion(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(set(door.sunion(args)?))
}

pub(in crate::execute) fn sunionstore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.sunionstore(args[0], &args[1..])?))
}
