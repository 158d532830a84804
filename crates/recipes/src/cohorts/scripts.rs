//! The Lua scripts of cohorts, with the equivalent steps on a store.

use store::{Reply, Script, ScriptCall};

use super::procedures;
use super::program::Program;
use crate::procedure::Procedure;

/// The scripts of [`Cohorts`](super::Cohorts).
pub(crate) static SCRIPTS: [&Script; 4] = [&SET_BITS, &BYTES, &PUT, &STORE];

pub(super) static SET_BITS: Script = Script::new(include_str!("set_bits.lua"), |tx, call| {
    let bit = u32::try_from(call.int(0)?).map_err(|_| ScriptCall::wrong())?;
    procedures::set_bits(call.keys, bit, call.int(1)? == 1).run(tx).map(Reply::from)
});

pub(super) static BYTES: Script = Script::new(include_str!("bytes.lua"), |tx, call| {
    let byte = u32::try_from(call.int(0)?).map_err(|_| ScriptCall::wrong())?;
    let bytes = procedures::bytes(&procedures::all(call.keys), byte).run(tx)?;
    Ok(Reply::Array(bytes.into_iter().map(Reply::Bulk).collect()))
});

pub(super) static PUT: Script = Script::new(include_str!("put.lua"), |tx, call| {
    let ([target], bitmap) = (call.keys()?, call.arg(0)?);
    procedures::put(target, bitmap).run(tx).map(Reply::from)
});

pub(super) static STORE: Script = Script::new(include_str!("store.lua"), |tx, call| {
    let (target, keys) = call.keys.split_first().ok_or_else(ScriptCall::wrong)?;
    let unused = usize::try_from(call.int(0)?).map_err(|_| ScriptCall::wrong())?;
    let sources = keys.get(unused..).ok_or_else(ScriptCall::wrong)?;
    let program = Program::parse(&call.args[1..], sources.len()).ok_or_else(ScriptCall::wrong)?;
    procedures::store_on(tx, target, sources, |strings| program.bitmap(strings)).map(Reply::from)
});
