//! Strings: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

mod options;

use super::{Answer, Caller, int};
use crate::commands::{
    SetOptions, SetOutcome, Time, Ttl, Unit, common, common_len, common_runs, common_text,
    get_with, put_all, set_with,
};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::member::Member;
use crate::reply::Reply;
use crate::to_key::KeyRef;
use options::{LcsOptions, Of, Options, matches};

pub(in crate::execute) fn append(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.append(args[0], args[1])?))
}

pub(in crate::execute) fn decr(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], -1)?.into())
}

pub(in crate::execute) fn decrby(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.decr(args[0], int(args[1])?)?.into())
}

pub(in crate::execute) fn get(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.get(args[0])?.into())
}

pub(in crate::execute) fn getdel(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.get_del(args[0])?.into())
}

pub(in crate::execute) fn getex(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let Some(ttl) = Options::parse(&args[1..], Of::GetEx)?.ttl else { return get(door, args) };
    Ok(get_with(&door, args[0], || ttl.resolve())?.into())
}

pub(in crate::execute) fn getrange(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.getrange(args[0], int(args[1])?, int(args[2])?)?.into())
}

pub(in crate::execute) fn getset(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.getset(args[0], args[1])?.into())
}

pub(in crate::execute) fn incr(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], 1)?.into())
}

pub(in crate::execute) fn incrby(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.incr(args[0], int(args[1])?)?.into())
}

pub(in crate::execute) fn incrbyfloat(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let sum = door.with_string(args[0], |entry| entry.incr_float(args[1]));
    Ok(sum?.into())
}

pub(in crate::execute) fn lcs(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    // Redis looks at the options once it has both strings.
    common(&door, args[0], args[1], |a, b| {
        let wish = LcsOptions::parse(&args[2..])?;
        if wish.idx {
            return Ok(matches(&common_runs(a, b, wish.shortest)?, wish.with_lengths));
        }
        Ok(if wish.len { Reply::count(common_len(a, b)?) } else { common_text(a, b)?.into() })
    })
}

pub(in crate::execute) fn mget(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Array(door.mget(args)?.into_iter().map(Reply::from).collect()))
}

pub(in crate::execute) fn mset(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    put_pairs(door, args, "mset", false)?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn msetnx(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(put_pairs(door, args, "msetnx", true)?.into())
}

fn put_pairs(
    door: Caller<'_, '_>,
    args: &[&[u8]],
    command: &str,
    only_new: bool,
) -> Result<bool, Error> {
    let (pairs, []) = args.as_chunks() else { return Err(wrong_arity(command)) };
    let pairs = pairs.iter().map(|&[key, value]| (KeyRef::new(key), Member::Bytes(value)));
    put_all(&door, pairs, only_new)
}

pub(in crate::execute) fn psetex(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    set_for(door, args, Unit::Milliseconds, "psetex")
}

pub(in crate::execute) fn set(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    if let [key, value] = *args {
        door.set(key, value)?;
        return Ok(Reply::OK);
    }
    let options = Options::parse(&args[2..], Of::Set)?;
    let get = options.get;
    let options = options.into_set()?;
    Ok(match set_with(&door, args[0], Member::Bytes(args[1]), options, "set")? {
        SetOutcome { old, .. } if get => old.into(),
        SetOutcome { set: true, .. } => Reply::OK,
        SetOutcome { .. } => Reply::Nil,
    })
}

pub(in crate::execute) fn setex(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    set_for(door, args, Unit::Seconds, "setex")
}

fn set_for(door: Caller<'_, '_>, args: &[&[u8]], unit: Unit, command: &str) -> Answer {
    let time = Time { unit, absolute: false, amount: int(args[1])? };
    let options = SetOptions::default().ttl(Ttl::Until(time));
    set_with(&door, args[0], Member::Bytes(args[2]), options, command)?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn setnx(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.set_nx(args[0], args[1])?))
}

pub(in crate::execute) fn setrange(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let offset = usize::try_from(int(args[1])?)
        .map_err(|_| Error::new(ErrorKind::Syntax, "ERR offset is out of range"))?;
    Ok(Reply::count(door.setrange(args[0], offset, args[2])?))
}

pub(in crate::execute) fn strlen(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.strlen(args[0])?))
}

pub(in crate::execute) fn substr(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    getrange(door, args)
}
