//! The table of the commands on hashes: declarations, and the mapping from words to typed calls.

use bytes::Bytes;
use smallvec::SmallVec;

use super::HashEntry;
use crate::commands::keys_table::{cursor, scan_options, scan_reply};
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, command, end, family, int, plain, take, wrong_arity};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::number;
use crate::value::Pair;

pub(in crate::commands) const COMMANDS: &[Command] = &family("hash", "hash").of([
    plain!(hdel(key, field: strings))
        .info("2.0.0", "write fast", ["RW delete"])
        .docs("Removes fields from a hash.", "O(fields removed)"),
    plain!(hexists(key, field))
        .info("2.0.0", "readonly fast", ["RO"])
        .docs("Returns whether a hash has a field.", "O(1)"),
    plain!(hget(key, field))
        .info("2.0.0", "readonly fast", ["RO access"])
        .docs("Returns the value of a field of a hash.", "O(1)"),
    plain!(hgetall(key) => map)
        .info("2.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns all fields of a hash and their values.", "O(fields)"),
    command!("hincrby", "key field increment:integer", |store, words| {
        let delta = int(words[2])?;
        Ok(store.hincr(words[0], words[1], delta)?.into())
    })
    .info("2.0.0", "write denyoom fast", ["RW access update"])
    .docs("Increments the integer value of a field by a number.", "O(1)"),
    command!("hincrbyfloat", "key field increment:double", |store, words| {
        Ok(store.add_float(words[0], Member::Bytes(words[1]), words[2])?.into())
    })
    .info("2.6.0", "write denyoom fast", ["RW access update"])
    .docs("Increments the numeric value of a field by a floating-point number.", "O(1)"),
    plain!(hkeys(key))
        .info("2.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns all fields of a hash.", "O(fields)"),
    plain!(hlen(key))
        .info("2.0.0", "readonly fast", ["RO"])
        .docs("Returns the number of fields of a hash.", "O(1)"),
    plain!(hmget(key, field: strings))
        .info("2.0.0", "readonly fast", ["RO access"])
        .docs("Returns the values of several fields of a hash.", "O(fields asked for)"),
    command!("hmset", "key field_value:(field value)...", |store, words| {
        put_pairs(store, words, "hmset").map(|_| Reply::OK)
    })
    .info("2.0.0", "write denyoom fast", ["RW update"])
    .docs("Sets the values of several fields of a hash.", "O(fields set)"),
    command!("hrandfield", "key [options:(count:integer [WITHVALUES])]", hrandfield)
        .info("6.2.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns random fields of a hash.", "O(fields drawn)"),
    command!("hscan", "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]", hscan)
        .info("2.8.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs(
            "Iterates over the fields of a hash and their values.",
            "O(1) per call, O(fields) for a full iteration",
        ),
    command!("hset", "key field_value:(field value)...", |store, words| {
        put_pairs(store, words, "hset").map(Reply::count)
    })
    .info("2.0.0", "write denyoom fast", ["RW update"])
    .docs(
        "Sets the values of fields of a hash, creating it if it does not exist.",
        "O(fields set)",
    ),
    plain!("hsetnx", hset_nx(key, field, value))
        .info("2.0.0", "write denyoom fast", ["RW insert"])
        .docs("Sets the value of a field of a hash if the field does not exist.", "O(1)"),
    plain!(hstrlen(key, field))
        .info("3.2.0", "readonly fast", ["RO"])
        .docs("Returns the length of the value of a field.", "O(1)"),
    plain!(hvals(key))
        .info("2.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns the values of all fields of a hash.", "O(fields)"),
]);

/// Fields with their values.
pub(crate) fn pairs(found: Vec<(Bytes, Bytes)>) -> Vec<(Reply, Reply)> {
    found.into_iter().map(|(field, value)| (field.into(), value.into())).collect()
}

/// Fields with their values, in no order.
pub(crate) fn map(found: Vec<(Bytes, Bytes)>) -> Reply {
    Reply::Map(pairs(found))
}

fn put_pairs(store: &Store<impl Locks>, args: &[&[u8]], command: &str) -> Result<usize> {
    let (pairs, []) = args[1..].as_chunks() else { return Err(wrong_arity(command)) };
    let pairs: SmallVec<[Pair<'_>; 4]> =
        pairs.iter().map(|[field, value]| (Member::Bytes(field), Member::Bytes(value))).collect();
    store.entry(args[0], |hash: &mut HashEntry<'_>| Ok(hash.set_all(&pairs)))
}

fn hrandfield(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let [key, options @ ..] = args else { return Err(Error::syntax()) };
    let Some((count, mut options)) = options.split_first() else {
        return Ok(store.hrandfield(key)?.into());
    };
    let count = number::within(count, -i64::MAX..=i64::MAX)?;
    let withvalues = take(&mut options, "withvalues");
    end(options)?;
    if !withvalues {
        return Ok(store.hrandfield_multiple(key, count)?.into());
    }
    if count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(Error::out_of_range());
    }
    Ok(Reply::Pairs(pairs(store.hrandfield_withvalues(key, count)?)))
}

fn hscan(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[1], store.shared().profile())?;
    // Redis looks up the key before it parses the options.
    if store.hlen(args[0])? == 0 {
        return Ok(scan_reply(0, Vec::new()));
    }
    let (next, found) = store.hscan_strings(args[0], cursor, &scan_options(&args[2..], None)?)?;
    Ok(scan_reply(next, found.finish()))
}
