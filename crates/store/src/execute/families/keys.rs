//! Keys of any type: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use std::collections::VecDeque;

use bytes::Bytes;

use super::{Answer, Caller, int, int32, is};
use crate::commands::{CopyOptions, ExpireOption, RestoreOptions, ScanOptions};
use crate::error::{Error, ErrorKind};
use crate::execute::shown;
use crate::reply::Reply;
use crate::text::number;

pub(in crate::execute) fn copy(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let mut options = CopyOptions::default();
    let mut rest = &args[2..];
    while let Some((&word, after)) = rest.split_first() {
        rest = after;
        if is(word, "replace") {
            options = options.replace(true);
        } else if let (true, Some((number, after))) = (is(word, "db"), rest.split_first()) {
            options = options.db(database(door, int32(number)?)?);
            rest = after;
        } else {
            return Err(Error::syntax());
        }
    }
    Ok(door.copy(args[0], args[1], options)?.into())
}

/// The database of that number, if the command door knows it.
fn database(door: Caller<'_, '_>, number: i64) -> Result<u32, Error> {
    let found = door.shared().database(number);
    found.ok_or_else(|| Error::new(ErrorKind::Syntax, "ERR DB index is out of range"))
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
    let option = expire_option(&args[2..])?;
    Ok(door.expire_if(args[0], int(args[1])?, option)?.into())
}

pub(in crate::execute) fn expireat(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let option = expire_option(&args[2..])?;
    Ok(door.expire_at_if(args[0], int(args[1])?, option)?.into())
}

pub(in crate::execute) fn pexpire(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let option = expire_option(&args[2..])?;
    Ok(door.pexpire_if(args[0], int(args[1])?, option)?.into())
}

pub(in crate::execute) fn pexpireat(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let option = expire_option(&args[2..])?;
    Ok(door.pexpire_at_if(args[0], int(args[1])?, option)?.into())
}

/// NX, XX, GT and LT, as far as they go together.
fn expire_option(words: &[&[u8]]) -> Result<ExpireOption, Error> {
    let [mut nx, mut xx, mut gt, mut lt] = [false; 4];
    for word in words {
        match word.to_ascii_lowercase().as_slice() {
            b"nx" => nx = true,
            b"xx" => xx = true,
            b"gt" => gt = true,
            b"lt" => lt = true,
            _ => {
                let word = shown(word, usize::MAX);
                return Err(Error::showing(ErrorKind::Syntax, &[b"ERR Unsupported option ", word]));
            }
        }
    }
    match (nx, xx, gt, lt) {
        (true, true, ..) | (true, _, true, _) | (true, _, _, true) => Err(Error::new(
            ErrorKind::Syntax,
            "ERR NX and XX, GT or LT options at the same time are not compatible",
        )),
        (_, _, true, true) => Err(Error::new(
            ErrorKind::Syntax,
            "ERR GT and LT options at the same time are not compatible",
        )),
        (true, ..) => Ok(ExpireOption::Nx),
        (_, _, true, _) => Ok(ExpireOption::Gt),
        (_, true, _, true) => Ok(ExpireOption::XxLt),
        (_, _, _, true) => Ok(ExpireOption::Lt),
        (_, true, ..) => Ok(ExpireOption::Xx),
        _ => Ok(ExpireOption::Always),
    }
}

pub(in crate::execute) fn expiretime(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.expire_time(args[0])?.into())
}

pub(in crate::execute) fn pexpiretime(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.pexpire_time(args[0])?.into())
}

pub(in crate::execute) fn flushall(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    check_flush(args)?;
    door.flushall()?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn flushdb(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    check_flush(args)?;
    door.flushdb()?;
    Ok(Reply::OK)
}

/// SYNC and ASYNC, which here are the same.
fn check_flush(args: &[&[u8]]) -> Result<(), Error> {
    match args {
        [] => Ok(()),
        [word] if is(word, "sync") || is(word, "async") => Ok(()),
        _ => Err(Error::syntax()),
    }
}

pub(in crate::execute) fn keys(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Array(door.keys(args[0])?.into_iter().map(Reply::Bulk).collect()))
}

pub(in crate::execute) fn move_key(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let db = database(door, int32(args[1])?)?;
    Ok(door.move_key(args[0], db)?.into())
}

pub(in crate::execute) fn object(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let [name, key] = args else { return Ok(super::server::object_help()) };
    match name.to_ascii_lowercase().as_slice() {
        b"encoding" => Ok(door.object_encoding(key)?.map_or(Reply::Nil, Reply::text)),
        b"idletime" => Ok(door
            .object_idletime(key)?
            .map_or(Reply::Nil, |seconds| Reply::Int(i64::from(seconds)))),
        b"refcount" => Ok(door.object_refcount(key)?.map_or(Reply::Nil, Reply::Int)),
        _ => Ok(door.object_freq(key)?.map_or(Reply::Nil, |freq| Reply::Int(i64::from(freq)))),
    }
}

pub(in crate::execute) fn persist(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.persist(args[0])?.into())
}

pub(in crate::execute) fn pttl(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.pttl(args[0])?.into())
}

pub(in crate::execute) fn randomkey(door: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    Ok(door.randomkey()?.into())
}

pub(in crate::execute) fn rename(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    door.rename(args[0], args[1])?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn renamenx(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.rename_nx(args[0], args[1])?.into())
}

pub(in crate::execute) fn restore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let refused = |text: &'static str| Error::new(ErrorKind::Syntax, text);
    let mut options = RestoreOptions::default();
    let (mut absolute, mut replace) = (false, false);
    let (mut idle, mut freq) = (None, None);
    let mut rest: VecDeque<&[u8]> = args[3..].iter().copied().collect();
    while let Some(word) = rest.pop_front() {
        match (word.to_ascii_lowercase().as_slice(), rest.front()) {
            (b"replace", _) => replace = true,
            (b"absttl", _) => absolute = true,
            (b"idletime", Some(number)) if freq.is_none() => {
                let seconds = u64::try_from(int(number)?);
                idle =
                    Some(seconds.map_err(|_| refused("ERR Invalid IDLETIME value, must be >= 0"))?);
                rest.pop_front();
            }
            (b"freq", Some(number)) if idle.is_none() => {
                let count = u8::try_from(int(number)?)
                    .map_err(|_| refused("ERR Invalid FREQ value, must be >= 0 and <= 255"))?;
                // Nothing here is evicted by how often it is used, so that nothing remembers it.
                freq = Some(count);
                rest.pop_front();
            }
            _ => return Err(Error::syntax()),
        }
    }
    if !replace && door.exists([args[0]])? > 0 {
        return Err(Error::busy_key());
    }
    let ttl = u64::try_from(int(args[1])?);
    let ttl = ttl.map_err(|_| refused("ERR Invalid TTL value, must be >= 0"))?;
    options = if absolute { options.expire_at_ms(ttl) } else { options.ttl_ms(ttl) };
    let idle = u32::try_from(idle.unwrap_or(0)).unwrap_or(u32::MAX);
    door.restore(args[0], args[2], options.replace(replace).idle_secs(idle))?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn scan(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[0])?;
    let (next, keys) = door.scan(cursor, &scan_options(&args[1..], true)?)?;
    Ok(scan_reply(next, keys))
}

/// The cursor of a scan.
pub(super) fn cursor(word: &[u8]) -> Result<u64, Error> {
    number::cursor(word).ok_or_else(|| Error::new(ErrorKind::Syntax, number::INVALID_CURSOR))
}

/// COUNT, MATCH and, if there are keys to have types, TYPE.
pub(super) fn scan_options(words: &[&[u8]], of_keys: bool) -> Result<ScanOptions, Error> {
    let mut options = ScanOptions::default();
    for pair in words.chunks(2) {
        let &[word, value] = pair else { return Err(Error::syntax()) };
        if is(word, "count") {
            let count = int(value)?;
            let count = usize::try_from(count).ok().filter(|&count| count > 0);
            options = options.with_count(count.ok_or_else(Error::syntax)?);
        } else if is(word, "match") {
            options = options.with_pattern(value);
        } else if is(word, "type") && of_keys {
            options = options.with_type(value);
        } else {
            return Err(Error::syntax());
        }
    }
    Ok(options)
}

pub(super) fn scan_reply(next: u64, found: Vec<Bytes>) -> Reply {
    let found = found.into_iter().map(Reply::Bulk).collect();
    Reply::Array(vec![Reply::Bulk(next.to_string().into()), Reply::Array(found)])
}

pub(in crate::execute) fn swapdb(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let number = |word: &[u8], wrong: &'static str| {
        int32(word).map_err(|_| Error::new(ErrorKind::Syntax, wrong))
    };
    let first = number(args[0], "ERR invalid first DB index")?;
    let second = number(args[1], "ERR invalid second DB index")?;
    door.swapdb(database(door, first)?, database(door, second)?)?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn touch(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.touch(args)?))
}

pub(in crate::execute) fn ttl(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(door.ttl(args[0])?.into())
}

pub(in crate::execute) fn key_type(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Status(door.key_type(args[0])?.unwrap_or("none".into())))
}

pub(in crate::execute) fn unlink(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.unlink(args)?))
}
