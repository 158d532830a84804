//! What the command door knows of itself: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

mod config;
mod debug;
mod help;
mod info;
mod introspect;

use bytes::Bytes;

pub(in crate::execute) use config::config;
pub(in crate::execute) use debug::debug;
pub(in crate::execute::families) use help::object_help;
pub(in crate::execute) use info::info;
pub(in crate::execute) use introspect::command;

use super::{Answer, Caller, int, is};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::reply::Reply;
use help::help;

pub(in crate::execute) fn echo(_: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Bulk(Bytes::copy_from_slice(args[0])))
}

pub(in crate::execute) fn memory(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    if is(args[0], "help") {
        return Ok(help(
            "MEMORY",
            &[
                "USAGE <key> [SAMPLES <count>]",
                "    Estimate the bytes that <key> and its value take.",
            ],
        ));
    }
    for option in args[2..].chunks(2) {
        // Redis measures some members and reckons the rest from them; here the tables know what they hold.
        match option {
            [name, count] if is(name, "samples") => {
                if int(count)? < 0 {
                    return Err(syntax());
                }
            }
            _ => return Err(syntax()),
        }
    }
    Ok(door.memory_usage(args[1])?.map_or(Reply::Nil, Reply::count))
}

pub(in crate::execute) fn ping(_: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    match args {
        [] => Ok(Reply::Status("PONG".into())),
        [text] => Ok(Reply::Bulk(Bytes::copy_from_slice(text))),
        _ => Err(wrong_arity("ping")),
    }
}

pub(in crate::execute) fn time(door: Caller<'_, '_>, _: &[&[u8]]) -> Answer {
    let now_ms = door.shared().clock().now_ms();
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![part(now_ms.div_euclid(1000)), part(now_ms.rem_euclid(1000) * 1000)]))
}

#[cold]
fn syntax() -> Error {
    Error::new(ErrorKind::Syntax, "ERR syntax error")
}
