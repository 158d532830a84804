//! The table of the commands on sets: declarations, and the mapping from words to typed calls.

use bytes::Bytes;

use crate::commands::keys_table::{cursor, scan_options, scan_reply};
use crate::error::Error;
use crate::execute::{Answer, Command, command, end, family, plain, refused, size, take_with};
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::number;

pub(in crate::commands) const COMMANDS: &[Command] = &family("set", "set").of([
    plain!(sadd(key, member: strings))
        .info("1.0.0", "write denyoom fast", ["RW insert"])
        .docs("Adds members to a set, creating it if it does not exist.", "O(members added)"),
    plain!(scard(key))
        .info("1.0.0", "readonly fast", ["RO"])
        .docs("Returns the number of members of a set.", "O(1)"),
    plain!(sdiff(key: keys) => set)
        .info("1.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns the difference of sets.", "O(members of all sets)"),
    plain!(sdiffstore(destination: key, key: keys))
        .info("1.0.0", "write denyoom", ["OW update", "RO access"])
        .docs("Stores the difference of sets in a key.", "O(members of all sets)"),
    plain!(sinter(key: keys) => set)
        .info("1.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns the intersection of sets.", "O(members of the smallest * sets)"),
    command!("sintercard", "numkeys:integer key... [LIMIT limit:integer]", sintercard)
        .info("7.0.0", "readonly", ["RO access"])
        .docs(
            "Returns the number of members of the intersection of sets, up to a limit.",
            "O(members of the smallest * sets)",
        ),
    plain!(sinterstore(destination: key, key: keys))
        .info("1.0.0", "write denyoom", ["RW update", "RO access"])
        .docs("Stores the intersection of sets in a key.", "O(members of the smallest * sets)"),
    plain!(sismember(key, member))
        .info("1.0.0", "readonly fast", ["RO"])
        .docs("Returns whether a member belongs to a set.", "O(1)"),
    plain!(smembers(key) => set)
        .info("1.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns all members of a set.", "O(members)"),
    plain!(smismember(key, member: strings))
        .info("6.2.0", "readonly fast", ["RO access"])
        .docs("Returns whether each of several members belongs to a set.", "O(members asked for)"),
    plain!(smove(source: key, destination: key, member))
        .info("1.0.0", "write fast", ["RW access delete", "RW insert"])
        .docs("Moves a member from one set to another.", "O(1)"),
    command!("spop", "key [count:integer@3.2.0]", spop)
        .info("1.0.0", "write fast", ["RW access delete"])
        .tips("nondeterministic_output")
        .docs("Removes and returns random members of a set.", "O(members drawn)"),
    command!("srandmember", "key [count:integer@2.6.0]", srandmember)
        .info("1.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns random members of a set.", "O(members drawn)"),
    plain!(srem(key, member: strings))
        .info("1.0.0", "write fast", ["RW delete"])
        .docs("Removes members from a set.", "O(members removed)"),
    command!("sscan", "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]", sscan)
        .info("2.8.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs(
            "Iterates over the members of a set.",
            "O(1) per call, O(members) for a full iteration",
        ),
    plain!(sunion(key: keys) => set)
        .info("1.0.0", "readonly", ["RO access"])
        .tips("nondeterministic_output_order")
        .docs("Returns the union of sets.", "O(members of all sets)"),
    plain!(sunionstore(destination: key, key: keys))
        .info("1.0.0", "write denyoom", ["OW update", "RO access"])
        .docs("Stores the union of sets in a key.", "O(members of all sets)"),
]);

/// Members, in no order.
fn set(members: Vec<Bytes>) -> Reply {
    Reply::Set(members.into_iter().map(Reply::Bulk).collect())
}

fn array(members: Vec<Bytes>) -> Reply {
    Reply::Array(members.into_iter().map(Reply::Bulk).collect())
}

fn sintercard(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let count = size(args[0]).filter(|&count| count > 0);
    let count = count.ok_or_else(|| refused("ERR numkeys should be greater than 0"))?;
    let Some((keys, mut options)) = args[1..].split_at_checked(count) else {
        return Err(refused("ERR Number of keys can't be greater than number of args"));
    };
    let mut limit = 0;
    while let Some([number]) = take_with(&mut options, "limit") {
        limit = size(number).ok_or_else(|| refused("ERR LIMIT can't be negative"))?;
    }
    end(options)?;
    Ok(Reply::count(store.sintercard(keys, limit)?))
}

fn spop(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    match args {
        [key] => Ok(store.spop(key)?.into()),
        [key, count] => {
            let count = usize::try_from(number::positive(count)?).unwrap_or(usize::MAX);
            Ok(set(store.spop_multiple(key, count)?))
        }
        _ => Err(Error::syntax()),
    }
}

fn srandmember(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    match args {
        [key] => Ok(store.srandmember(key)?.into()),
        [key, count] => {
            let count = number::within(count, -i64::MAX..=i64::MAX)?;
            Ok(array(store.srandmember_multiple(key, count)?))
        }
        _ => Err(Error::syntax()),
    }
}

fn sscan(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let cursor = cursor(args[1], store.shared().profile())?;
    // Redis looks up the key before it parses the options.
    if store.scard(args[0])? == 0 {
        return Ok(scan_reply(0, Vec::new()));
    }
    let (next, members) = store.sscan_cursor(args[0], cursor, &scan_options(&args[2..], None)?)?;
    Ok(scan_reply(next, members))
}
