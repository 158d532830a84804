//! The table of the commands on sorted sets: declarations, and the mapping from words to typed calls.

mod add;
mod algebra;
mod range;

use bytes::Bytes;
use skiplist_zset::ScoreText;

use crate::commands::byte_strings::ByteStrings;
use crate::commands::keys_table::{cursor, scan_options, scan_reply};
use crate::commands::zsets::algebra::Operation;
use crate::commands::zsets::pop::Side;
use crate::commands::{Written, ZSetEntry, scan_scores};
use crate::error::{Error, Result};
use crate::execute::{
    Answer, Command, command, end, family, is, one_of, plain, refused, size, take, take_with,
    wrong_arity,
};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::number;
use add::add;
use algebra::{combine, combine_store, zintercard};
use range::{By, list, scores, zlexcount, zrangestore, zremrangebylex};

pub(in crate::commands) const COMMANDS: &[Command] = &family("sorted-set", "sortedset").of([
    command!(
        "zadd",
        "key [condition:<NX | XX>@3.0.2] [comparison:<GT | LT>@6.2.0] [change:CH@3.0.2] \
         [increment:INCR@3.0.2] score_member:(score:double member)...",
        |store, words| add(store, words, false),
    )
    .info("1.2.0", "write denyoom fast", ["RW update"])
    .docs(
        "Adds members with their scores to a sorted set, or updates their scores.",
        "O(log members) for each",
    ),
    plain!(zcard(key))
        .info("1.2.0", "readonly fast", ["RO"])
        .docs("Returns the number of members of a sorted set.", "O(1)"),
    command!("zcount", "key min:double max:double", |store, words| {
        Ok(Reply::count(
            store.zcount(words[0], scores(words[1], words[2], store.shared().profile())?)?,
        ))
    })
    .info("2.0.0", "readonly fast", ["RO access"])
    .docs("Returns the number of members with scores in a range.", "O(log members)"),
    command!("zdiff", "numkeys:integer key... [WITHSCORES]", |store, words| {
        combine(store, "zdiff", Operation::Diff, words)
    })
    .info("6.2.0", "readonly", ["RO access"])
    .docs("Returns the difference of sorted sets.", "O(members of the first * sets)"),
    command!("zdiffstore", "destination:key numkeys:integer key...", |store, words| {
        combine_store(store, "zdiffstore", Operation::Diff, words)
    })
    .info("6.2.0", "write denyoom", ["OW update", "RO access"])
    .docs("Stores the difference of sorted sets in a key.", "O(members of the first * sets)"),
    command!("zincrby", "key increment:integer member", |store, words| add(store, words, true))
        .info("1.2.0", "write denyoom fast", ["RW access update"])
        .docs("Increments the score of a member.", "O(log members)"),
    command!(
        "zinter",
        "numkeys:integer key... [WEIGHTS weight:integer...] \
         [AGGREGATE aggregate:<SUM | MIN | MAX>] [WITHSCORES]",
        |store, words| combine(store, "zinter", Operation::Inter, words),
    )
    .info("6.2.0", "readonly", ["RO access"])
    .docs(
        "Returns the intersection of sorted sets.",
        "O(members of the smallest * sets + found * log found)",
    ),
    command!("zintercard", "numkeys:integer key... [LIMIT limit:integer]", zintercard)
        .info("7.0.0", "readonly", ["RO access"])
        .docs(
            "Returns the number of members of the intersection of sorted sets, up to a limit.",
            "O(members of the smallest * sets)",
        ),
    command!(
        "zinterstore",
        "destination:key numkeys:integer key... [WEIGHTS weight:integer...] \
         [AGGREGATE aggregate:<SUM | MIN | MAX>]",
        |store, words| combine_store(store, "zinterstore", Operation::Inter, words),
    )
    .info("2.0.0", "write denyoom", ["OW update", "RO access"])
    .docs(
        "Stores the intersection of sorted sets in a key.",
        "O(members of the smallest * sets + found * log found)",
    ),
    command!("zlexcount", "key min max", zlexcount)
        .info("2.8.9", "readonly fast", ["RO access"])
        .docs("Returns the number of members in a lexicographical range.", "O(log members)"),
    command!("zmpop", "numkeys:integer key... where:<MIN | MAX> [COUNT count:integer]", zmpop)
        .info("7.0.0", "write", ["RW access delete"])
        .docs(
            "Removes and returns members of the first non-empty sorted set, by score.",
            "O(keys + taken * log members)",
        ),
    plain!("zmscore", zscore_multiple(key, member: strings))
        .info("6.2.0", "readonly fast", ["RO access"])
        .docs("Returns the scores of several members.", "O(members asked for)"),
    command!("zpopmax", "key [count:integer]", |store, words| pop(store, words, Side::Max))
        .info("5.0.0", "write fast", ["RW access delete"])
        .docs("Removes and returns the members with the highest scores.", "O(taken * log members)"),
    command!("zpopmin", "key [count:integer]", |store, words| pop(store, words, Side::Min))
        .info("5.0.0", "write fast", ["RW access delete"])
        .docs("Removes and returns the members with the lowest scores.", "O(taken * log members)"),
    command!("zrandmember", "key [options:(count:integer [WITHSCORES])]", zrandmember)
        .info("6.2.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns random members of a sorted set.", "O(drawn * log members)"),
    command!(
        "zrange",
        "key start stop [sortby:<BYSCORE | BYLEX>@6.2.0] [REV@6.2.0] \
         [LIMIT offset_count:(offset:integer count:integer)@6.2.0] [WITHSCORES]",
        |store, words| list(store, words, None, None),
    )
    .info("1.2.0", "readonly", ["RO access"])
    .docs(
        "Returns a range of a sorted set, by rank, score or member.",
        "O(log members + returned)",
    ),
    command!(
        "zrangebylex",
        "key min max [LIMIT offset_count:(offset:integer count:integer)]",
        |store, words| list(store, words, Some(By::Lex), Some(false)),
    )
    .info("2.8.9", "readonly", ["RO access"])
    .docs("Returns the members in a lexicographical range.", "O(log members + returned)"),
    command!(
        "zrangebyscore",
        "key min:double max:double [WITHSCORES@2.0.0] \
         [LIMIT offset_count:(offset:integer count:integer)]",
        |store, words| list(store, words, Some(By::Score), Some(false)),
    )
    .info("1.0.5", "readonly", ["RO access"])
    .docs("Returns the members with scores in a range.", "O(log members + returned)"),
    command!(
        "zrangestore",
        "dst:key src:key min max [sortby:<BYSCORE | BYLEX>] [REV] \
         [LIMIT offset_count:(offset:integer count:integer)]",
        zrangestore,
    )
    .info("6.2.0", "write denyoom", ["OW update", "RO access"])
    .docs("Stores a range of a sorted set in a key.", "O(log members + stored * log stored)"),
    command!("zrank", "key member [WITHSCORE@7.2.0]", |store, words| {
        rank(words, "zrank", |key, member| store.zrank_withscore(key, member))
    })
    .info("2.0.0", "readonly fast", ["RO access"])
    .docs("Returns the rank of a member, ordered by ascending scores.", "O(log members)"),
    plain!(zrem(key, member: strings))
        .info("1.2.0", "write fast", ["RW delete"])
        .docs("Removes members from a sorted set.", "O(log members) for each"),
    command!("zremrangebylex", "key min max", zremrangebylex)
        .info("2.8.9", "write", ["RW delete"])
        .docs("Removes the members in a lexicographical range.", "O(removed * log members)"),
    plain!(zremrangebyrank(key, start: integer, stop: integer))
        .info("2.0.0", "write", ["RW delete"])
        .docs("Removes the members in a range of ranks.", "O(removed * log members)"),
    command!("zremrangebyscore", "key min:double max:double", |store, words| {
        Ok(Reply::count(
            store.zrembyscore(words[0], scores(words[1], words[2], store.shared().profile())?)?,
        ))
    })
    .info("1.2.0", "write", ["RW delete"])
    .docs("Removes the members with scores in a range.", "O(removed * log members)"),
    command!("zrevrange", "key start:integer stop:integer [WITHSCORES]", |store, words| {
        list(store, words, Some(By::Rank), Some(true))
    })
    .info("1.2.0", "readonly", ["RO access"])
    .docs("Returns a range of ranks in reverse order.", "O(log members + returned)"),
    command!(
        "zrevrangebylex",
        "key max min [LIMIT offset_count:(offset:integer count:integer)]",
        |store, words| list(store, words, Some(By::Lex), Some(true)),
    )
    .info("2.8.9", "readonly", ["RO access"])
    .docs(
        "Returns the members in a lexicographical range in reverse order.",
        "O(log members + returned)",
    ),
    command!(
        "zrevrangebyscore",
        "key max:double min:double [WITHSCORES] \
         [LIMIT offset_count:(offset:integer count:integer)]",
        |store, words| list(store, words, Some(By::Score), Some(true)),
    )
    .info("2.2.0", "readonly", ["RO access"])
    .docs(
        "Returns the members with scores in a range in reverse order.",
        "O(log members + returned)",
    ),
    command!("zrevrank", "key member [WITHSCORE@7.2.0]", |store, words| {
        rank(words, "zrevrank", |key, member| store.zrevrank_withscore(key, member))
    })
    .info("2.0.0", "readonly fast", ["RO access"])
    .docs("Returns the rank of a member, ordered by descending scores.", "O(log members)"),
    command!("zscan", "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]", zscan)
        .info("2.8.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs(
            "Iterates over the members of a sorted set and their scores.",
            "O(1) per call, O(members) for a full iteration",
        ),
    plain!(zscore(key, member))
        .info("1.2.0", "readonly fast", ["RO access"])
        .docs("Returns the score of a member.", "O(1)"),
    command!(
        "zunion",
        "numkeys:integer key... [WEIGHTS weight:integer...] \
         [AGGREGATE aggregate:<SUM | MIN | MAX>] [WITHSCORES]",
        |store, words| combine(store, "zunion", Operation::Union, words),
    )
    .info("6.2.0", "readonly", ["RO access"])
    .docs("Returns the union of sorted sets.", "O(members of all * log found)"),
    command!(
        "zunionstore",
        "destination:key numkeys:integer key... [WEIGHTS weight:integer...] \
         [AGGREGATE aggregate:<SUM | MIN | MAX>]",
        |store, words| combine_store(store, "zunionstore", Operation::Union, words),
    )
    .info("2.0.0", "write denyoom", ["OW update", "RO access"])
    .docs("Stores the union of sorted sets in a key.", "O(members of all * log found)"),
]);

/// Members and their scores.
pub(crate) fn pairs(found: Vec<(Bytes, f64)>) -> Vec<(Reply, Reply)> {
    found.into_iter().map(|(member, score)| (member.into(), score.into())).collect()
}

/// Members without their scores.
fn members(found: Vec<(Bytes, f64)>) -> Reply {
    Reply::Array(found.into_iter().map(|(member, _)| member.into()).collect())
}

/// Members, with their scores if requested.
fn listed(found: Vec<(Bytes, f64)>, withscores: bool) -> Reply {
    if withscores { Reply::Pairs(pairs(found)) } else { members(found) }
}

fn zmpop(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let positive = |arg: &[u8], refusal: &'static str| {
        size(arg).filter(|&count| count > 0).ok_or_else(|| refused(refusal))
    };
    let count = positive(args[0], "ERR numkeys should be greater than 0")?;
    let Some((keys, [side, options @ ..])) = args[1..].split_at_checked(count) else {
        return Err(Error::syntax());
    };
    let side = one_of(side, [("min", Side::Min), ("max", Side::Max)]).ok_or_else(Error::syntax)?;
    let mut options = options;
    let count = match take_with(&mut options, "count") {
        Some([count]) => positive(count, "ERR count should be greater than 0")?,
        None => 1,
    };
    end(options)?;
    let popped = match side {
        Side::Min => store.zmpop_min(keys, count)?,
        Side::Max => store.zmpop_max(keys, count)?,
    };
    Ok(popped.map_or(Reply::NullArray, |(key, popped)| {
        let pair = |(member, score)| Reply::Array(vec![member, score]);
        let popped = pairs(popped).into_iter().map(pair).collect();
        Reply::Array(vec![key.into(), Reply::Array(popped)])
    }))
}

fn pop(store: &Store<impl Locks>, args: &[&[u8]], side: Side) -> Answer {
    let pop =
        |key: &[u8], count| store.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.pop(side, count)));
    match args {
        [key] => {
            let popped = pairs(pop(key, 1)?);
            let flat = popped.into_iter().flat_map(|(member, score)| [member, score]);
            Ok(Reply::Array(flat.collect()))
        }
        [key, count] => {
            let count = usize::try_from(number::positive(count)?).unwrap_or(usize::MAX);
            Ok(Reply::Pairs(pairs(pop(key, count)?)))
        }
        _ => Err(Error::syntax()),
    }
}

fn zrandmember(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let [key, options @ ..] = args else { return Err(Error::syntax()) };
    let Some((count, options)) = options.split_first() else {
        return Ok(store.zrandmember(key)?.into());
    };
    let count = number::within(count, -i64::MAX..=i64::MAX)?;
    let mut options = options;
    let withscores = take(&mut options, "withscores");
    end(options)?;
    if withscores && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(Error::out_of_range());
    }
    Ok(listed(store.zrandmember_withscores(key, count)?, withscores))
}

fn rank(
    args: &[&[u8]],
    name: &str,
    find: impl FnOnce(&[u8], &[u8]) -> Result<Option<(usize, f64)>>,
) -> Answer {
    let withscore = match args {
        [_, _] => false,
        [_, _, word] if is(word, "withscore") => true,
        [_, _, _] => return Err(Error::syntax()),
        _ => return Err(wrong_arity(name)),
    };
    Ok(match find(args[0], args[1])? {
        None if withscore => Reply::NullArray,
        None => Reply::Nil,
        Some((rank, _)) if !withscore => Reply::count(rank),
        Some((rank, found)) => Reply::Array(vec![Reply::count(rank), found.into()]),
    })
}

fn zscan(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[1], store.shared().profile())?;
    // Redis looks up the key before it parses the options.
    if store.zcard(args[0])? == 0 {
        return Ok(scan_reply(0, Vec::new()));
    }
    let options = scan_options(&args[2..], None)?;
    store.read([args[0]], |view, keys| {
        let (mut found, mut text) = (ByteStrings::with_capacity(0), Vec::new());
        let next = scan_scores(view, keys[0], cursor, &options, |member, score, written| {
            text.clear();
            match written {
                Written::Packed(form) => form.push_packed(score, &mut text),
                Written::Digits17 => ScoreText::Digits17.push(score, &mut text),
            }
            found.push(Member::Bytes(member));
            found.push(Member::Bytes(&text));
        })?;
        Ok(scan_reply(next, found.finish()))
    })
}
