//! Steps that set the bits of ids.

use store::{Error, KeyRef, Reply, Script, ScriptCall};

use super::int;
use crate::counted::{change_and_count, check_counter};
use crate::kept::KeptUntil;
use crate::procedure::{Procedure, step};
use crate::request::Request;

pub(super) static MARK_AND_COUNT: Script = Script::new(
    concat!(include_str!("../../kept.lua"), include_str!("../mark_and_count.lua")),
    |tx, call| {
        let ([counter, bitmap], id) = (call.keys()?.map(KeyRef::new), bit(call.int(0)?)?);
        let is_new = mark_and_count(bitmap, counter, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int(is_new.into()))
    },
);

pub(super) static MARK_ALL_AND_COUNT: Script = Script::new(
    concat!(
        include_str!("../../kept.lua"),
        include_str!("../../counted.lua"),
        include_str!("../mark_all_and_count.lua")
    ),
    |tx, call| {
        let ([counter, bitmap], until) =
            (call.keys()?.map(KeyRef::new), KeptUntil::of_arg(call, 0)?);
        let ids: Vec<u64> = call.ints_from(1)?.into_iter().map(bit).collect::<Result<_, _>>()?;
        mark_all_and_count(bitmap, counter, &ids, until).run(tx).map(int)
    },
);

pub(super) static MARK: Script = Script::new(
    concat!(include_str!("../../kept.lua"), include_str!("../mark.lua")),
    |tx, call| {
        let ([bitmap], id) = (call.keys()?.map(KeyRef::new), bit(call.int(0)?)?);
        let is_new = mark(bitmap, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int((!is_new).into()))
    },
);

/// Checks that an argument is a valid bit.
fn bit(id: i64) -> Result<u64, Error> {
    id.try_into().map_err(|_| ScriptCall::wrong())
}

/// SETBIT of an id and, if it is new, INCR of the counter; returns whether it is new.
#[inline]
pub(in crate::visitors) fn mark_and_count<'k>(
    bitmap: KeyRef<'k>,
    counter: KeyRef<'k>,
    id: u64,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step([counter, bitmap], move |tx| {
        until.check(tx)?;
        let would = || Ok(!tx.getbit(bitmap, id)?);
        let change = || Ok(!tx.setbit(bitmap, id, true)?);
        let count = change_and_count(tx, counter, 1, would, change)?;
        if count == Some(1) {
            until.begin_keys(tx, [counter.as_bytes(), bitmap.as_bytes()])?;
        }
        Ok(count.is_some())
    })
    .on_server(move || {
        let request = Request::script(&MARK_AND_COUNT).key(counter).key(bitmap);
        request.arg(id.cast_signed()).arg(until.as_arg())
    })
}

/// SETBIT of each id, and INCRBY of the counter by how many are new. Refused as a whole if the counter would overflow
/// if all were new.
pub(in crate::visitors) fn mark_all_and_count<'k>(
    bitmap: KeyRef<'k>,
    counter: KeyRef<'k>,
    ids: &'k [u64],
    until: KeptUntil,
) -> impl Procedure<Output = u64> {
    step([counter, bitmap], move |tx| {
        until.check(tx)?;
        check_counter(tx, counter, ids.len().try_into().unwrap_or(i64::MAX))?;
        let bits: Vec<_> = ids.iter().map(|&id| (id, true)).collect();
        let before = tx.setbit_multiple(bitmap, &bits)?;
        let new: i64 = before.into_iter().map(|before| i64::from(!before)).sum();
        if new > 0 && tx.incr(counter, new)? == new {
            until.begin_keys(tx, [counter.as_bytes(), bitmap.as_bytes()])?;
        }
        Ok(new.unsigned_abs())
    })
    .on_server(move || {
        let request = Request::script(&MARK_ALL_AND_COUNT).key(counter).key(bitmap);
        request.arg(until.as_arg()).args(ids.iter().map(|id| id.cast_signed()))
    })
}

/// SETBIT of an id in a bitmap, with an expiry; returns whether it is new.
pub(in crate::visitors) fn mark(
    bitmap: KeyRef<'_>,
    id: u64,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step([bitmap], move |tx| {
        until.check(tx)?;
        let is_first = until.0.is_some() && !tx.exists(bitmap)?;
        let is_new = !tx.setbit(bitmap, id, true)?;
        if is_first {
            until.begin_keys(tx, [bitmap.as_bytes()])?;
        }
        Ok(is_new)
    })
    .on_server_with(
        move || match until.0 {
            None => Request::command("SETBIT").key(bitmap).arg(id.cast_signed()).arg(1),
            Some(at) => Request::script(&MARK).key(bitmap).arg(id.cast_signed()).arg(at),
        },
        |reply| Ok(!reply.convert::<bool>()?),
    )
}
