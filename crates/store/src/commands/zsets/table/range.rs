//! ZRANGE and similar commands.

use std::ops::Bound;

use bytes::Bytes;

use super::pairs;
use crate::commands::{LexBound, ZRange};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, int, refused, take, take_with};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::double;

pub(super) fn zlexcount(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (min, max) = lex(args[1], args[2])?;
    Ok(Reply::count(store.zlexcount(args[0], min, max)?))
}

pub(super) fn zrangestore(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let ends = Ends { by: None, rev: None, profile: store.shared().profile() };
    let (range, _) = parse(&args[2..], ends, true)?;
    Ok(Reply::count(store.zrangestore(args[0], args[1], &range)?))
}

pub(super) fn zremrangebylex(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (min, max) = lex(args[1], args[2])?;
    Ok(Reply::count(store.zrembylex(args[0], min, max)?))
}

/// The kind of the ends of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Rank,
    Score,
    Lex,
}

pub(super) fn list(
    store: &Store<impl Locks>,
    args: &[&[u8]],
    by: Option<By>,
    rev: Option<bool>,
) -> Answer {
    let ends = Ends { by, rev, profile: store.shared().profile() };
    let (range, withscores) = parse(&args[1..], ends, false)?;
    if withscores {
        let found = store.zrange_by_withscores(args[0], &range)?;
        return Ok(Reply::Pairs(pairs(found)));
    }
    let found = store.zrange_by(args[0], &range)?;
    Ok(Reply::Array(found.into_iter().map(Reply::Bulk).collect()))
}

/// What is known of the ends of a range before they are parsed.
#[derive(Clone, Copy, Debug)]
struct Ends {
    by: Option<By>,
    rev: Option<bool>,
    profile: Profile,
}

/// Parses the range after the key, and whether scores are requested. What the command's name implies is not accepted as
/// an option.
fn parse(args: &[&[u8]], ends: Ends, store: bool) -> Result<(ZRange, bool)> {
    let Ends { mut by, mut rev, profile } = ends;
    let [first, second, options @ ..] = args else { return Err(Error::syntax()) };
    let (mut options, mut withscores, mut offset, mut count) = (options, false, 0, -1);
    while !options.is_empty() {
        if !store && take(&mut options, "withscores") {
            withscores = true;
        } else if let Some([first, second]) = take_with(&mut options, "limit") {
            (offset, count) = (int(first)?, int(second)?);
        } else if rev.is_none() && take(&mut options, "rev") {
            rev = Some(true);
        } else if by.is_none() && take(&mut options, "bylex") {
            by = Some(By::Lex);
        } else if by.is_none() && take(&mut options, "byscore") {
            by = Some(By::Score);
        } else {
            return Err(Error::syntax());
        }
    }
    let (by, rev) = (by.unwrap_or(By::Rank), rev.unwrap_or(false));
    if count != -1 && by == By::Rank {
        return Err(refused(
            "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
        ));
    }
    if withscores && by == By::Lex {
        return Err(refused(
            "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
        ));
    }
    let (min, max) = if rev && by != By::Rank { (second, first) } else { (first, second) };
    let range = match by {
        By::Rank => ZRange::by_rank(int(min)?, int(max)?),
        By::Score => ZRange::by_score(scores(min, max, profile)?).limit_in(offset, count, profile),
        By::Lex => {
            let (min, max) = lex(min, max)?;
            ZRange::by_lex(min, max).limit_in(offset, count, profile)
        }
    };
    Ok((if rev { range.rev() } else { range }, withscores))
}

pub(super) fn scores(min: &[u8], max: &[u8], profile: Profile) -> Result<(Bound<f64>, Bound<f64>)> {
    let number = |text: &[u8]| {
        let known = profile.range_ends_of_c() || double::is_plain(text);
        known.then(|| double::parse_end(text)).flatten()
    };
    let end = |text: &[u8]| match text {
        [b'(', text @ ..] => number(text).map(Bound::Excluded),
        text => number(text).map(Bound::Included),
    };
    end(min)
        .zip(end(max))
        .ok_or_else(|| Error::new(ErrorKind::NotInteger, "ERR min or max is not a float"))
}

fn lex(min: &[u8], max: &[u8]) -> Result<(LexBound, LexBound)> {
    let end = |text: &[u8]| match text {
        [b'-'] | [b'-', 0, ..] => Some(LexBound::Min),
        [b'+'] | [b'+', 0, ..] => Some(LexBound::Max),
        [b'[', member @ ..] => Some(LexBound::Included(Bytes::copy_from_slice(member))),
        [b'(', member @ ..] => Some(LexBound::Excluded(Bytes::copy_from_slice(member))),
        _ => None,
    };
    end(min).zip(end(max)).ok_or_else(|| refused("ERR min or max not valid string range item"))
}
