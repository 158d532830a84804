//! ZADD and ZINCRBY.

use crate::commands::{SortedSetAddOptions, UpdateCheck};
use crate::error::{Error, Result};
use crate::execute::{Answer, flags, refused};
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::double::float;

/// Converts NX, XX, GT and LT to options.
fn options([nx, xx, gt, lt]: [bool; 4]) -> Result<SortedSetAddOptions> {
    if nx && xx {
        return Err(refused("ERR XX and NX options at the same time are not compatible"));
    }
    if nx && (gt || lt) || gt && lt {
        return Err(refused("ERR GT, LT, and/or NX options at the same time are not compatible"));
    }
    let update = match (gt, lt) {
        (true, _) => Some(UpdateCheck::GT),
        (_, true) => Some(UpdateCheck::LT),
        (false, false) => None,
    };
    Ok(match (nx, xx) {
        (true, _) => SortedSetAddOptions::add_only(),
        (_, true) => SortedSetAddOptions::update_only(update),
        (false, false) => SortedSetAddOptions::add_or_update(update),
    })
}

pub(super) fn add<'a>(store: &Store<impl Locks>, args: &[&'a [u8]], incr: bool) -> Answer {
    let mut rest = &args[1..];
    let [nx, xx, gt, lt, ch, also_incr] = flags(&mut rest, ["nx", "xx", "gt", "lt", "ch", "incr"]);
    let incr = incr || also_incr;
    let (pairs, []) = rest.as_chunks::<2>() else { return Err(Error::syntax()) };
    if pairs.is_empty() {
        return Err(Error::syntax());
    }
    let profile = store.shared().profile();
    let options = options([nx, xx, gt, lt])?;
    let options = if ch { options.include_changed_count() } else { options };
    if let ([[text, member]], true) = (pairs, incr) {
        let sum = store.zincr_options(args[0], *member, float(text, profile)?, options)?;
        return Ok(sum.into());
    }
    if incr {
        return Err(refused("ERR INCR option supports a single increment-element pair"));
    }
    let pair = |&[text, member]: &[&'a [u8]; 2]| Ok((float(text, profile)?, member));
    let pairs = pairs.iter().map(pair).collect::<Result<Vec<(f64, &[u8])>>>()?;
    Ok(Reply::count(store.zadd_multiple_options(args[0], pairs, options)?))
}
