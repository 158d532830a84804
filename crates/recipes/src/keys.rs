//! Steps on keys of any type.

use crate::procedure::{Procedure, read, step};
use crate::request::Request;

/// DEL: returns how many of the keys existed.
pub(crate) fn delete(keys: &[&[u8]]) -> impl Procedure<Output = u64> {
    step(keys, move |tx| Ok(tx.del(keys)? as u64))
        .on_server(move || Request::command("DEL").keys(keys))
}

/// MEMORY USAGE, in bytes: 0 if the key does not exist.
pub(crate) fn memory_usage(key: &[u8]) -> impl Procedure<Output = u64> {
    step([read(key)], move |tx| Ok(tx.memory_usage(key)?.unwrap_or(0) as u64)).on_server_with(
        move || Request::command("MEMORY").arg("USAGE").key(key),
        |reply| Ok(reply.convert::<Option<u64>>()?.unwrap_or(0)),
    )
}
