//! `HyperLogLog`s: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

use super::{Answer, Caller, is};
use crate::error::{Error, ErrorKind};
use crate::reply::Reply;

pub(in crate::execute) fn pfadd(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::from(door.pfadd(args[0], &args[1..])?))
}

pub(in crate::execute) fn pfcount(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    // Redis shows the count of registers that no hash can give as a signed number too.
    Ok(Reply::Int(door.pfcount(args)?.cast_signed()))
}

pub(in crate::execute) fn pfdebug(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let (name, key) = (args[0], args[1]);
    let answer = if is(name, "GETREG") {
        let registers = door.pfdebug_getreg(key)?;
        registers
            .map(|all| all.into_iter().map(|register| Reply::Int(register.into())).collect())
            .map(Reply::Array)
    } else if is(name, "DECODE") {
        door.pfdebug_decode(key)?.map(|text| Reply::Bulk(text.into()))
    } else if is(name, "ENCODING") {
        door.pfdebug_encoding(key)?.map(|name| Reply::Status(name.into()))
    } else if is(name, "TODENSE") {
        door.pfdebug_todense(key)?.map(Reply::from)
    } else {
        // Redis looks at the key first.
        door.pfdebug_encoding(key)?.map(|_| unknown_subcommand(name).into())
    };
    answer.ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, "ERR The specified key does not exist")
    })
}

#[cold]
fn unknown_subcommand(name: &[u8]) -> Error {
    // As a C string, on one line.
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name).replace(['\r', '\n'], " ");
    Error::new(ErrorKind::UnknownCommand, format!("ERR Unknown PFDEBUG subcommand '{name}'"))
}

pub(in crate::execute) fn pfmerge(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    door.pfmerge(args[0], &args[1..])?;
    Ok(Reply::OK)
}

pub(in crate::execute) fn pfselftest(door: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    door.pfselftest()?;
    Ok(Reply::OK)
}
