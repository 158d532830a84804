//! The scripts of [`Locations`](super::Locations).

use store::{Error, Reply, Script, ScriptCall, SortedSetAddOptions, UpdateCheck};

use super::USERS_PER_SHARD;
use super::procedures::{MAX, fits};

/// The scripts of [`Locations`](super::Locations).
pub(crate) static SCRIPTS: [&Script; 2] = [&SET, &CODE];

/// SETRANGE of codes, and ZADD GT of the largest id if its key is passed.
pub(super) static SET: Script = Script::new(include_str!("set.lua"), |tx, call| {
    let (shard, largest) = match *call.keys {
        [shard] => (shard, None),
        [shard, largest] => (shard, Some(largest)),
        _ => return Err(ScriptCall::wrong()),
    };
    let width = width(call)?;
    #[expect(clippy::cast_precision_loss, reason = "ids have at most 53 bits")]
    let score = call.int(1)? as f64;
    let (codes, []) = call.args.get(2..).unwrap_or_default().as_chunks() else {
        return Err(ScriptCall::wrong());
    };
    let places = (2..call.args.len()).step_by(2);
    let places: Vec<usize> = places.map(|at| place(call, at)).collect::<Result<_, _>>()?;
    if let Some(largest) = largest {
        tx.zscore(largest, MAX)?;
    }
    let len = tx.strlen(shard)?;
    if !fits(len, width) {
        return Ok(refused(len));
    }
    tx.with_string(shard, |string| {
        for (place, &[_, code]) in places.into_iter().zip(codes) {
            string.set_range(place * width, code)?;
        }
        Ok(())
    })?;
    if let Some(largest) = largest {
        let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT));
        tx.zadd_options(largest, MAX, score, higher)?;
    }
    Ok(Reply::OK)
});

/// GETRANGE of a code.
pub(super) static CODE: Script = Script::new(include_str!("code.lua"), |tx, call| {
    let ([shard], width, place) = (call.keys()?, width(call)?, place(call, 1)?);
    tx.get_with(shard, |string| {
        let string = string.unwrap_or_default();
        if !fits(string.len(), width) {
            return refused(string.len());
        }
        let from = place * width;
        Reply::Bulk(string.get(from..from + width).unwrap_or_default().to_vec().into())
    })
});

/// Returns the reply for a refused shard: its length.
fn refused(len: usize) -> Reply {
    Reply::Int(len.try_into().unwrap_or(i64::MAX))
}

/// Returns the number of bytes of a code.
fn width(call: &ScriptCall<'_>) -> Result<usize, Error> {
    let width = usize::try_from(call.int(0)?).ok();
    width.filter(|width| (1..=8).contains(width)).ok_or_else(ScriptCall::wrong)
}

/// Parses an index in a shard.
fn place(call: &ScriptCall<'_>, at: usize) -> Result<usize, Error> {
    let place = u64::try_from(call.int(at)?).ok().filter(|&place| place < USERS_PER_SHARD);
    place.and_then(|place| place.try_into().ok()).ok_or_else(ScriptCall::wrong)
}
