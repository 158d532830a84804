//! From words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use bytes::Bytes;

use super::wrong_arity;
use crate::error::{Error, ErrorKind};
use crate::prelude::*;
use crate::reply::Reply;
use crate::value::parse_int;

type Answer = Result<Reply, Error>;

/// The number that an argument is.
fn int(arg: &[u8]) -> Result<i64, Error> {
    parse_int(arg).ok_or_else(Error::not_integer)
}

fn count(count: usize) -> Reply {
    Reply::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn flag(flag: bool) -> Reply {
    Reply::Int(i64::from(flag))
}

pub(super) fn ping<D: Door>(_: &D, args: &[&[u8]]) -> Answer {
    match args {
        [] => Ok(Reply::Status("PONG")),
        [text] => Ok(Reply::Bulk(Bytes::copy_from_slice(text))),
        _ => Err(wrong_arity("ping")),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every command of the table has the same signature")]
pub(super) fn echo<D: Door>(_: &D, args: &[&[u8]]) -> Answer {
    Ok(Reply::Bulk(Bytes::copy_from_slice(args[0])))
}

#[expect(clippy::unnecessary_wraps, reason = "every command of the table has the same signature")]
pub(super) fn dbsize<D: Door>(door: &D, _: &[&[u8]]) -> Answer {
    Ok(count(door.dbsize()))
}

pub(super) fn del<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(count(door.del(args)?))
}

pub(super) fn exists<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(count(door.exists(args)?))
}

pub(super) fn expire<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.expire(args[0], int(args[1])?)?))
}

pub(super) fn pexpire<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.pexpire(args[0], int(args[1])?)?))
}

pub(super) fn pexpireat<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.pexpire_at(args[0], int(args[1])?)?))
}

pub(super) fn persist<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.persist(args[0])?))
}

pub(super) fn ttl<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.ttl(args[0])?.into())
}

pub(super) fn pttl<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.pttl(args[0])?.into())
}

pub(super) fn key_type<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(Reply::Status(door.key_type(args[0])?.unwrap_or("none")))
}

pub(super) fn object<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    let name = args[0].to_ascii_lowercase();
    match (&name[..], args) {
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

pub(super) fn dump<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.dump(args[0])?.into())
}

pub(super) fn get<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.get(args[0])?.into())
}

pub(super) fn set<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    door.set(args[0], args[1])?;
    Ok(Reply::OK)
}

pub(super) fn setnx<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.set_nx(args[0], args[1])?))
}

pub(super) fn incr<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], 1)?.into())
}

pub(super) fn incrby<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], int(args[1])?)?.into())
}

pub(super) fn sadd<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(count(door.sadd(args[0], &args[1..])?))
}

pub(super) fn srem<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(count(door.srem(args[0], &args[1..])?))
}

pub(super) fn sismember<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.sismember(args[0], args[1])?))
}

pub(super) fn scard<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(count(door.scard(args[0])?))
}

pub(super) fn smembers<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(Reply::Set(door.smembers(args[0])?.into_iter().map(Reply::Bulk).collect()))
}

pub(super) fn pfadd<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    Ok(flag(door.pfadd(args[0], &args[1..])?))
}

pub(super) fn pfcount<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    // Redis shows the count of registers that no hash can give as a signed number too.
    Ok(Reply::Int(door.pfcount(args)?.cast_signed()))
}

pub(super) fn pfmerge<D: Door>(door: &D, args: &[&[u8]]) -> Answer {
    door.pfmerge(args[0], &args[1..])?;
    Ok(Reply::OK)
}
