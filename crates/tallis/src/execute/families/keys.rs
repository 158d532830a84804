//! Keys of any type: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::prelude::*;
use crate::reply::Reply;

pub(in crate::execute) fn copy(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn dbsize(door: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.dbsize()?))
}

pub(in crate::execute) fn del(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.del(args)?))
}

pub(in crate::execute) fn dump(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.dump(args[0])?.into())
}

pub(in crate::execute) fn exists(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.exists(args)?))
}

pub(in crate::execute) fn expire(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.expire(args[0], int(args[1])?)?))
}

pub(in crate::execute) fn expireat(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn expiretime(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn flushall(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn flushdb(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn keys(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn move_key(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn object(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let name = args[0].to_ascii_lowercase();
    match (&name[..], args) {
        (b"help", [_]) => Ok(super::server::help(
            "OBJECT",
            &[
                "ENCODING <key>",
                "    Show in which encoding the value is kept.",
                "FREQ <key>",
                "    Show how often the key is used, where that is counted.",
                "IDLETIME <key>",
                "    Show for how many seconds the key has not been used.",
                "REFCOUNT <key>",
                "    Show how many references the value has.",
            ],
        )),
        (b"encoding", [_, key]) => Ok(door
            .object_encoding(key)?
            .map_or(Reply::Nil, |name| Reply::Bulk(Bytes::from_static(name.as_bytes())))),
        (b"idletime", [_, key]) => {
            Ok(door.object_idletime(key)?.map_or(Reply::Nil, |secs| Reply::Int(i64::from(secs))))
        }
        (b"encoding", _) => Err(wrong_arity("object|encoding")),
        (b"idletime", _) => Err(wrong_arity("object|idletime")),
        _ => Err(Error::new(
            ErrorKind::UnknownCommand,
            format!(
                "ERR unknown subcommand '{}'. Try OBJECT HELP.",
                String::from_utf8_lossy(&args[0][..args[0].len().min(128)])
            ),
        )),
    }
}

pub(in crate::execute) fn persist(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.persist(args[0])?))
}

pub(in crate::execute) fn pexpire(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.pexpire(args[0], int(args[1])?)?))
}

pub(in crate::execute) fn pexpireat(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.pexpire_at(args[0], int(args[1])?)?))
}

pub(in crate::execute) fn pexpiretime(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn pttl(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.pttl(args[0])?.into())
}

pub(in crate::execute) fn randomkey(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn rename(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn renamenx(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn restore(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn scan(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn swapdb(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn touch(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}

pub(in crate::execute) fn ttl(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.ttl(args[0])?.into())
}

pub(in crate::execute) fn key_type(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Status(door.key_type(args[0])?.unwrap_or("none".into())))
}

pub(in crate::execute) fn unlink(_: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Err(Error::new(ErrorKind::UnknownCommand, "ERR not yet"))
}
