//! The table of the commands on the expiry of fields: declarations, and the mapping from words to typed calls.
//!
//! Redis and Valkey parse the words differently: in the order of the checks and in the error texts. Each has a module.

mod redis;
mod valkey;

use super::{FieldExpire, FieldPersist};
use crate::commands::expiry::{ExpireTime, Ttl, secs_of};
use crate::commands::{Time, Unit};
use crate::error::Result;
use crate::execute::{Answer, Command, command, family, int};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::value::Pair;

pub(in crate::commands) const COMMANDS: &[Command] = &family("hash", "hash").of([
    command!(
        "hexpire",
        "key seconds:integer [condition:<NX | XX | GT | LT>] fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, HEXPIRE),
    )
    .info("7.4.0", "write fast", ["RW update"])
    .docs("Sets the time to live of fields of a hash in seconds.", "O(fields named)"),
    command!(
        "hexpireat",
        "key unix-time-seconds:unix-time [condition:<NX | XX | GT | LT>] \
         fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, HEXPIREAT),
    )
    .info("7.4.0", "write fast", ["RW update"])
    .docs(
        "Sets the time at which fields of a hash expire, in seconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hexpiretime",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| times(store, words, "hexpiretime", Unit::Seconds)
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .docs(
        "Returns the time at which fields of a hash expire, in seconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hgetdel",
        "key fields:(FIELDS numfields:integer field...)",
        hgetdel
    )
    .info("8.0.0", "write fast", ["RW access delete"])
    .docs("Returns the values of fields of a hash and removes the fields.", "O(fields named)"),
    command!(
        "hgetex",
        "key [expiration:<EX seconds:integer | PX milliseconds:integer | EXAT \
         unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | PERSIST>] \
         fields:(FIELDS numfields:integer field...)",
        hgetex
    )
    .info("8.0.0", "write fast", ["RW access update"])
    .docs(
        "Returns the values of fields of a hash and sets or removes their expiration.",
        "O(fields named)",
    ),
    command!(
        "hpersist",
        "key fields:(FIELDS numfields:integer field...)",
        hpersist
    )
    .info("7.4.0", "write fast", ["RW update"])
    .docs("Removes the expiration of fields of a hash.", "O(fields named)"),
    command!(
        "hpexpire",
        "key milliseconds:integer [condition:<NX | XX | GT | LT>] \
         fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, HPEXPIRE),
    )
    .info("7.4.0", "write fast", ["RW update"])
    .docs("Sets the time to live of fields of a hash in milliseconds.", "O(fields named)"),
    command!(
        "hpexpireat",
        "key unix-time-milliseconds:unix-time [condition:<NX | XX | GT | LT>] \
         fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, HPEXPIREAT),
    )
    .info("7.4.0", "write fast", ["RW update"])
    .docs(
        "Sets the time at which fields of a hash expire, in milliseconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hpexpiretime",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| times(store, words, "hpexpiretime", Unit::Milliseconds)
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .docs(
        "Returns the time at which fields of a hash expire, in milliseconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hpttl",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| left(store, words, "hpttl", Unit::Milliseconds)
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .tips("nondeterministic_output")
    .docs("Returns the time to live of fields of a hash in milliseconds.", "O(fields named)"),
    command!(
        "hsetex",
        "key [condition:<FNX | FXX>] [expiration:<EX seconds:integer | PX milliseconds:integer | \
         EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL>] \
         fields:(FIELDS numfields:integer data:(field value)...)",
        hsetex
    )
    .info("8.0.0", "write denyoom fast", ["RW update"])
    .docs("Sets the values of fields of a hash, and their expiration.", "O(fields set)"),
    command!(
        "httl",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| left(store, words, "httl", Unit::Seconds)
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .tips("nondeterministic_output")
    .docs("Returns the time to live of fields of a hash in seconds.", "O(fields named)"),
]);

/// Converts times in milliseconds to replies in a unit; negative values are returned unchanged. Redis rounds up, Valkey
/// to the nearest second.
fn reply_in(unit: Unit, store: &Store<impl Locks>, times: impl Iterator<Item = i64>) -> Reply {
    let more = if is_valkey(store) { 500 } else { 999 };
    let tell = |ms: i64| match unit {
        Unit::Seconds => secs_of(ms, more),
        Unit::Milliseconds => ms,
    };
    Reply::Array(times.map(|ms| tell(ms).into()).collect())
}

/// Returns whether words are parsed as in Valkey.
fn is_valkey(store: &Store<impl Locks>) -> bool {
    store.shared().profile().reads_fields_as_valkey()
}

/// The key, and the fields of a command without other arguments.
fn fields<'a>(
    store: &Store<impl Locks>,
    words: &[&'a [u8]],
    command: &str,
) -> Result<Vec<Member<'a>>> {
    if is_valkey(store) {
        return valkey::fields(&words[1..], command);
    }
    // Redis checks the type before it parses the fields.
    store.hlen(words[0])?;
    redis::fields(&words[1..], redis::NOT_POSITIVE, command)
}

/// A command that sets the expiry of fields: its name, and how it gives the time.
#[derive(Clone, Copy)]
struct ExpireCommand {
    name: &'static str,
    unit: Unit,
    absolute: bool,
}

const HEXPIRE: ExpireCommand =
    ExpireCommand { name: "hexpire", unit: Unit::Seconds, absolute: false };
const HEXPIREAT: ExpireCommand =
    ExpireCommand { name: "hexpireat", unit: Unit::Seconds, absolute: true };
const HPEXPIRE: ExpireCommand =
    ExpireCommand { name: "hpexpire", unit: Unit::Milliseconds, absolute: false };
const HPEXPIREAT: ExpireCommand =
    ExpireCommand { name: "hpexpireat", unit: Unit::Milliseconds, absolute: true };

impl ExpireCommand {
    /// Parses a time.
    fn time(self, amount: &[u8]) -> Result<Time> {
        Ok(Time { unit: self.unit, absolute: self.absolute, amount: int(amount)? })
    }
}

fn expire(store: &Store<impl Locks>, words: &[&[u8]], command: ExpireCommand) -> Answer {
    let outcomes = if is_valkey(store) {
        valkey::expire(store, words, command)?
    } else {
        redis::expire(store, words, command)?
    };
    Ok(Reply::Array(outcomes.into_iter().map(|one| FieldExpire::code(one).into()).collect()))
}

fn times(store: &Store<impl Locks>, words: &[&[u8]], command: &str, unit: Unit) -> Answer {
    let times = store.hexpire_time(words[0], fields(store, words, command)?)?;
    Ok(reply_in(unit, store, times.into_iter().map(ExpireTime::millis)))
}

fn left(store: &Store<impl Locks>, words: &[&[u8]], command: &str, unit: Unit) -> Answer {
    let left = store.httl(words[0], fields(store, words, command)?)?;
    Ok(reply_in(unit, store, left.into_iter().map(Ttl::millis)))
}

fn hpersist(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let outcomes = store.hpersist(words[0], fields(store, words, "hpersist")?)?;
    Ok(Reply::Array(outcomes.into_iter().map(|one| FieldPersist::code(one).into()).collect()))
}

fn hgetdel(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let values = store.hget_del(words[0], fields(store, words, "hgetdel")?)?;
    Ok(Reply::Array(values.into_iter().map(Reply::from).collect()))
}

fn hgetex(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let values =
        if is_valkey(store) { valkey::get_ex(store, words)? } else { redis::get_ex(store, words)? };
    Ok(Reply::Array(values.into_iter().map(Reply::from).collect()))
}

fn hsetex(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let set =
        if is_valkey(store) { valkey::set_ex(store, words)? } else { redis::set_ex(store, words)? };
    Ok(i64::from(set).into())
}

/// The pairs of a field and its value.
fn pairs<'a>(words: &[[&'a [u8]; 2]]) -> Vec<Pair<'a>> {
    words.iter().map(|[field, value]| (Member::Bytes(field), Member::Bytes(value))).collect()
}

fn members<'a>(words: &[&'a [u8]]) -> Vec<Member<'a>> {
    words.iter().map(|word| Member::Bytes(word)).collect()
}
