//! The table of the commands on lists: declarations, and the mapping from words to typed calls.

use super::{ListEntry, LposOptions};
use crate::error::{Error, Result};
use crate::execute::{
    Answer, Command, command, end, family, int, one_of, plain, refused, size, take_with,
    wrong_arity,
};
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::number;
use crate::value::Direction;

pub(in crate::commands) const COMMANDS: &[Command] = &family("list", "list").of([
    command!("lindex", "key index:integer", lindex)
        .info("1.0.0", "readonly", ["RO access"])
        .docs("Returns the element of a list at an index.", "O(nodes of the list)"),
    command!("linsert", "key where:<BEFORE | AFTER> pivot element", linsert)
        .info("2.2.0", "write denyoom", ["RW insert"])
        .docs("Inserts an element before or after another one.", "O(elements before that one)"),
    plain!(llen(key))
        .info("1.0.0", "readonly fast", ["RO"])
        .docs("Returns the number of elements of a list.", "O(1)"),
    command!(
        "lmove",
        "source:key destination:key wherefrom:<LEFT | RIGHT> whereto:<LEFT | RIGHT>",
        |store, words| {
            let (from, to) = (direction(words[2])?, direction(words[3])?);
            Ok(store.lmove(words[0], words[1], from, to)?.into())
        },
    )
    .info("6.2.0", "write denyoom", ["RW access delete", "RW insert"])
    .docs("Moves an element from either end of a list to either end of another.", "O(1)"),
    command!("lmpop", "numkeys:integer key... where:<LEFT | RIGHT> [COUNT count:integer]", lmpop)
        .info("7.0.0", "write", ["RW access delete"])
        .docs(
            "Removes and returns elements of the first list that exists.",
            "O(keys + elements returned)",
        ),
    command!("lpop", "key [count:integer@6.2.0]", |store, words| {
        pop(store, words, Direction::Left, "lpop")
    })
    .info("1.0.0", "write fast", ["RW access delete"])
    .docs("Removes and returns the first elements of a list.", "O(elements returned)"),
    command!(
        "lpos",
        "key element [RANK rank:integer] [COUNT num-matches:integer] [MAXLEN len:integer]",
        lpos,
    )
    .info("6.0.6", "readonly", ["RO access"])
    .docs("Returns the indexes of elements that equal a value.", "O(elements looked at)"),
    plain!(lpush(key, element: strings))
        .info("1.0.0", "write denyoom fast", ["RW insert"])
        .docs("Inserts elements at the beginning of a list.", "O(elements added)"),
    plain!("lpushx", lpush_exists(key, element: strings))
        .info("2.2.0", "write denyoom fast", ["RW insert"])
        .docs("Inserts elements at the beginning of a list, if it exists.", "O(elements added)"),
    plain!(lrange(key, start: integer, stop: integer))
        .info("1.0.0", "readonly", ["RO access"])
        .docs("Returns a range of a list.", "O(nodes of the list + elements returned)"),
    command!("lrem", "key count:integer element", lrem)
        .info("1.0.0", "write", ["RW delete"])
        .docs("Removes elements that equal a value.", "O(elements)"),
    command!("lset", "key index:integer element", lset)
        .info("1.0.0", "write denyoom", ["RW update"])
        .docs("Replaces the element of a list at an index.", "O(nodes of the list)"),
    plain!(ltrim(key, start: integer, stop: integer))
        .info("1.0.0", "write", ["RW delete"])
        .docs("Removes the elements outside of a range.", "O(elements removed)"),
    command!("rpop", "key [count:integer@6.2.0]", |store, words| {
        pop(store, words, Direction::Right, "rpop")
    })
    .info("1.0.0", "write fast", ["RW access delete"])
    .docs("Removes and returns the last elements of a list.", "O(elements returned)"),
    plain!(rpoplpush(source: key, destination: key))
        .info("1.2.0", "write denyoom", ["RW access delete", "RW insert"])
        .docs("Moves the last element of a list to the beginning of another.", "O(1)"),
    plain!(rpush(key, element: strings))
        .info("1.0.0", "write denyoom fast", ["RW insert"])
        .docs("Appends elements to a list.", "O(elements added)"),
    plain!("rpushx", rpush_exists(key, element: strings))
        .info("2.2.0", "write denyoom fast", ["RW insert"])
        .docs("Appends elements to a list, if it exists.", "O(elements added)"),
]);

fn direction(word: &[u8]) -> Result<Direction> {
    let names = [("left", Direction::Left), ("right", Direction::Right)];
    one_of(word, names).ok_or_else(Error::syntax)
}

fn linsert(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let before = one_of(args[1], [("before", true), ("after", false)]);
    let before = before.ok_or_else(Error::syntax)?;
    let len = store.entry(args[0], |list: &mut ListEntry<'_>| {
        if list.exists() { list.insert(before, args[2], args[3]) } else { Ok(Some(0)) }
    })?;
    Ok(len.map_or(Reply::Int(-1), Reply::count))
}

/// Redis looks up the list before it parses the index.
fn lindex(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    if store.llen(args[0])? == 0 {
        return Ok(Reply::Nil);
    }
    Ok(store.lindex(args[0], int(args[1])?)?.into())
}

/// As for LINDEX.
fn lrem(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let count = if store.shared().profile().lrem_counts() {
        number::within(args[1], -i64::MAX..=i64::MAX)?
    } else {
        int(args[1])?
    };
    Ok(store.lrem(args[0], count, args[2])?.into())
}

fn lset(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    store.entry(args[0], |list: &mut ListEntry<'_>| {
        if !list.exists() {
            return Err(Error::no_such_key());
        }
        let mut index = int(args[1])?;
        if list.shared().profile().lset_takes_32_bits() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the server truncates the index too"
            )]
            let low = index as i32;
            index = low.into();
        }
        list.set(index, args[2])
    })?;
    Ok(Reply::OK)
}

fn pop(store: &Store<impl Locks>, args: &[&[u8]], end: Direction, name: &str) -> Answer {
    let (key, count) = match *args {
        [key] => (key, None),
        [key, count] => {
            (key, Some(usize::try_from(number::positive(count)?).unwrap_or(usize::MAX)))
        }
        _ => return Err(wrong_arity(name)),
    };
    store.entry(key, |list: &mut ListEntry<'_>| {
        Ok(match count {
            None => list.pop(end).into(),
            Some(_) if !list.exists() => Reply::NullArray,
            Some(count) => list.pop_many(end, count).into(),
        })
    })
}

fn lmpop(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let positive = |arg: &[u8], refusal: &'static str| {
        size(arg).filter(|&count| count > 0).ok_or_else(|| refused(refusal))
    };
    let count = positive(args[0], "ERR numkeys should be greater than 0")?;
    let Some((keys, [side, options @ ..])) = args[1..].split_at_checked(count) else {
        return Err(Error::syntax());
    };
    let side = direction(side)?;
    let mut options = options;
    let mut count = 1;
    if let Some([number]) = take_with(&mut options, "count") {
        count = positive(number, "ERR count should be greater than 0")?;
    }
    end(options)?;
    let popped = store.lmpop(keys, side, count)?;
    Ok(popped.map_or(Reply::NullArray, |(key, elements)| {
        Reply::Array(vec![key.into(), elements.into()])
    }))
}

fn lpos(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let not_negative =
        |word: &[u8], refusal: &'static str| size(word).ok_or_else(|| refused(refusal));
    let (mut options, mut count) = (LposOptions::default(), None);
    let mut rest = &args[2..];
    while !rest.is_empty() {
        if let Some([number]) = take_with(&mut rest, "rank") {
            let rank = if store.shared().profile().lpos_ranks() {
                number::within(number, -i64::MAX..=i64::MAX)?
            } else {
                int(number)?
            };
            if rank == 0 {
                return Err(refused(
                    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... \
                     or use negative to start from the end of the list",
                ));
            }
            options = options.rank(rank);
        } else if let Some([number]) = take_with(&mut rest, "count") {
            count = Some(not_negative(number, "ERR COUNT can't be negative")?);
        } else if let Some([number]) = take_with(&mut rest, "maxlen") {
            options = options.maxlen(not_negative(number, "ERR MAXLEN can't be negative")?);
        } else {
            return Err(Error::syntax());
        }
    }
    // Redis 7.0 negates the rank, which leaves this one unchanged: all matches come after it.
    let options = match (options.is_least(), count) {
        (false, count) => options.count(count.unwrap_or(1)),
        (true, count) => options.rank(-1).count(usize::from(count.is_none())),
    };
    let found = store.lpos_options(args[0], args[1], options)?;
    let mut found = found.into_iter().map(Reply::count);
    Ok(match count {
        None => found.next().unwrap_or(Reply::Nil),
        Some(_) => Reply::Array(found.collect()),
    })
}
