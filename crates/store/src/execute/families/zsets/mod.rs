//! Sorted sets: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

mod add;
mod algebra;
mod range;

pub(in crate::execute) use add::{zadd, zincrby};
pub(in crate::execute) use algebra::{
    zdiff, zdiffstore, zinter, zintercard, zinterstore, zunion, zunionstore,
};
pub(in crate::execute) use range::{
    zcount, zlexcount, zrange, zrangebylex, zrangebyscore, zrangestore, zremrangebylex,
    zremrangebyrank, zremrangebyscore, zrevrange, zrevrangebylex, zrevrangebyscore,
};

use bytes::Bytes;
use skiplist_zset::ScoreText;

use super::keys::{cursor, scan_options, scan_reply};
use super::{Answer, Caller, int, is};
use crate::commands::{Written, scan_scores};
use crate::error::{Error, ErrorKind};
use crate::execute::wrong_arity;
use crate::reply::Reply;
use crate::text::number;

/// A score as a reply.
fn score(door: Caller<'_, '_>, score: f64) -> Reply {
    Reply::Double(score, door.shared().profile())
}

/// A score, or nothing.
fn score_or_nil(door: Caller<'_, '_>, found: Option<f64>) -> Reply {
    found.map_or(Reply::Nil, |found| score(door, found))
}

/// Members and their scores.
fn pairs(door: Caller<'_, '_>, found: Vec<(Bytes, f64)>) -> Vec<(Reply, Reply)> {
    found.into_iter().map(|(member, of)| (member.into(), score(door, of))).collect()
}

/// Members without their scores.
fn members(found: Vec<(Bytes, f64)>) -> Reply {
    Reply::Array(found.into_iter().map(|(member, _)| member.into()).collect())
}

/// Members, with their scores if these are asked for.
fn listed(door: Caller<'_, '_>, found: Vec<(Bytes, f64)>, withscores: bool) -> Reply {
    if withscores { Reply::Pairs(pairs(door, found)) } else { members(found) }
}

pub(in crate::execute) fn zcard(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.zcard(args[0])?))
}

pub(in crate::execute) fn zmpop(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let positive = |arg: &[u8], refusal: &'static str| {
        let count = int(arg).ok().and_then(|count| usize::try_from(count).ok());
        count.filter(|&count| count > 0).ok_or_else(|| Error::new(ErrorKind::Syntax, refusal))
    };
    let count = positive(args[0], "ERR numkeys should be greater than 0")?;
    let Some((keys, [side, options @ ..])) = args[1..].split_at_checked(count) else {
        return Err(Error::syntax());
    };
    let max = match () {
        () if is(side, "min") => false,
        () if is(side, "max") => true,
        () => return Err(Error::syntax()),
    };
    let count = match options {
        [] => 1,
        [word, count, rest @ ..] if is(word, "count") => {
            let count = positive(count, "ERR count should be greater than 0")?;
            if !rest.is_empty() {
                return Err(Error::syntax());
            }
            count
        }
        _ => return Err(Error::syntax()),
    };
    let popped = if max { door.zmpop_max(keys, count)? } else { door.zmpop_min(keys, count)? };
    Ok(popped.map_or(Reply::Nil, |(key, popped)| {
        let pair = |(member, score)| Reply::Array(vec![member, score]);
        let popped = pairs(door, popped).into_iter().map(pair).collect();
        Reply::Array(vec![key.into(), Reply::Array(popped)])
    }))
}

pub(in crate::execute) fn zmscore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let scores = door.zscore_multiple(args[0], &args[1..])?;
    Ok(Reply::Array(scores.into_iter().map(|found| score_or_nil(door, found)).collect()))
}

pub(in crate::execute) fn zpopmax(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    pop(door, args, |key, count| door.zpopmax(key, count))
}

pub(in crate::execute) fn zpopmin(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    pop(door, args, |key, count| door.zpopmin(key, count))
}

fn pop(
    door: Caller<'_, '_>,
    args: &[&[u8]],
    pop: impl FnOnce(&[u8], usize) -> Result<Vec<(Bytes, f64)>, Error>,
) -> Answer {
    match args {
        [key] => {
            let popped = pairs(door, pop(key, 1)?);
            let flat = popped.into_iter().flat_map(|(member, score)| [member, score]);
            Ok(Reply::Array(flat.collect()))
        }
        [key, count] => {
            let count = usize::try_from(number::positive(count)?).unwrap_or(usize::MAX);
            Ok(Reply::Pairs(pairs(door, pop(key, count)?)))
        }
        _ => Err(Error::syntax()),
    }
}

pub(in crate::execute) fn zrandmember(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let [key, options @ ..] = args else { return Err(Error::syntax()) };
    let Some((count, options)) = options.split_first() else {
        return Ok(door.zrandmember(key)?.into());
    };
    let count = number::within(count, -i64::MAX..=i64::MAX)?;
    let withscores = match options {
        [] => false,
        [word] if is(word, "withscores") => true,
        _ => return Err(Error::syntax()),
    };
    if withscores && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(Error::new(ErrorKind::NotInteger, "ERR value is out of range"));
    }
    Ok(listed(door, door.zrandmember_withscores(key, count)?, withscores))
}

pub(in crate::execute) fn zrank(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    rank(door, args, "zrank", |key, member| door.zrank_withscore(key, member))
}

pub(in crate::execute) fn zrevrank(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    rank(door, args, "zrevrank", |key, member| door.zrevrank_withscore(key, member))
}

fn rank(
    door: Caller<'_, '_>,
    args: &[&[u8]],
    name: &str,
    find: impl FnOnce(&[u8], &[u8]) -> Result<Option<(usize, f64)>, Error>,
) -> Answer {
    let withscore = match args {
        [_, _] => false,
        [_, _, word] if is(word, "withscore") => true,
        [_, _, _] => return Err(Error::syntax()),
        _ => return Err(wrong_arity(name)),
    };
    Ok(match find(args[0], args[1])? {
        None => Reply::Nil,
        Some((rank, _)) if !withscore => Reply::count(rank),
        Some((rank, found)) => Reply::Array(vec![Reply::count(rank), score(door, found)]),
    })
}

pub(in crate::execute) fn zrem(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(Reply::count(door.zrem(args[0], &args[1..])?))
}

pub(in crate::execute) fn zscan(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[1])?;
    // Redis looks for the key before it reads the options.
    if door.zcard(args[0])? == 0 {
        return Ok(scan_reply(0, Vec::new()));
    }
    let options = scan_options(&args[2..], false)?;
    door.read(&[args[0]], |view, keys| {
        let mut found = Vec::new();
        let next = scan_scores(view, keys[0], cursor, &options, |member, score, written| {
            let mut text = Vec::new();
            match written {
                Written::Packed(form) => form.push_packed(score, &mut text),
                Written::Digits17 => ScoreText::Digits17.push(score, &mut text),
            }
            found.extend([Bytes::copy_from_slice(member), text.into()]);
        })?;
        Ok(scan_reply(next, found))
    })
}

pub(in crate::execute) fn zscore(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    Ok(score_or_nil(door, door.zscore(args[0], args[1])?))
}
