//! The commands on fields that expire: their declarations, and their words as typed calls.

use super::fields::{HashSetExOptions, field_time};
use super::{FieldExistenceCheck, FieldExpire, FieldPersist, HashEntry};
use crate::commands::expiry::{ExpireOption, ExpireTime, Ttl};
use crate::commands::time::GivenTime;
use crate::commands::{ExpiryChange, Time, Unit};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{
    Answer, Command, c_string, command, family, int, is, one_of, refused, size, take, wrong_arity,
};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::value::Pair;

pub(in crate::commands) const COMMANDS: &[Command] = &family("hash", "hash").of([
    command!(
        "hexpire",
        "key seconds:integer [condition:<NX | XX | GT | LT>] fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, Unit::Seconds, false, "hexpire"),
    )
    .info("7.4.0", "write denyoom fast", ["RW update"])
    .docs("Sets the time to live of fields of a hash in seconds.", "O(fields named)"),
    command!(
        "hexpireat",
        "key unix-time-seconds:unix-time [condition:<NX | XX | GT | LT>] \
         fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, Unit::Seconds, true, "hexpireat"),
    )
    .info("7.4.0", "write denyoom fast", ["RW update"])
    .docs(
        "Sets the time at which fields of a hash expire, in seconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hexpiretime",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| times(store, words, |time| up(time.millis()))
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
        |store, words| expire(store, words, Unit::Milliseconds, false, "hpexpire"),
    )
    .info("7.4.0", "write denyoom fast", ["RW update"])
    .docs("Sets the time to live of fields of a hash in milliseconds.", "O(fields named)"),
    command!(
        "hpexpireat",
        "key unix-time-milliseconds:unix-time [condition:<NX | XX | GT | LT>] \
         fields:(FIELDS numfields:integer field...)",
        |store, words| expire(store, words, Unit::Milliseconds, true, "hpexpireat"),
    )
    .info("7.4.0", "write denyoom fast", ["RW update"])
    .docs(
        "Sets the time at which fields of a hash expire, in milliseconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hpexpiretime",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| times(store, words, ExpireTime::millis)
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .docs(
        "Returns the time at which fields of a hash expire, in milliseconds since the Unix epoch.",
        "O(fields named)",
    ),
    command!(
        "hpttl",
        "key fields:(FIELDS numfields:integer field...)",
        |store, words| left(store, words, Ttl::millis)
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
        |store, words| left(store, words, |ttl| up(ttl.millis()))
    )
    .info("7.4.0", "readonly fast", ["RO access"])
    .tips("nondeterministic_output")
    .docs("Returns the time to live of fields of a hash in seconds.", "O(fields named)"),
]);

/// Seconds of milliseconds, rounded up; what is no time stays.
const fn up(ms: i64) -> i64 {
    if ms < 0 { ms } else { ms.saturating_add(999) / 1000 }
}

/// The fields behind FIELDS and their number.
fn fields<'a>(
    words: &[&'a [u8]],
    no_number: &'static str,
    command: &str,
) -> Result<Vec<Member<'a>>> {
    let [name, number, fields @ ..] = words else { return Err(wrong_arity(command)) };
    if !is(name, "fields") {
        let text = "ERR Mandatory argument FIELDS is missing or not at the right position";
        return Err(refused(text));
    }
    let number = size(number).filter(|&number| number > 0).ok_or_else(|| refused(no_number))?;
    if number != fields.len() {
        return Err(refused("ERR The `numfields` parameter must match the number of arguments"));
    }
    Ok(fields.iter().map(|field| Member::Bytes(field)).collect())
}

const NO_NUM_FIELDS: &str = "ERR Parameter `numFields` should be greater than 0";
const NOT_POSITIVE: &str = "ERR Number of fields must be a positive integer";

const CONDITIONS: [(&str, ExpireOption); 4] = [
    ("NX", ExpireOption::Nx),
    ("XX", ExpireOption::Xx),
    ("GT", ExpireOption::Gt),
    ("LT", ExpireOption::Lt),
];

fn expire(
    store: &Store<impl Locks>,
    words: &[&[u8]],
    unit: Unit,
    absolute: bool,
    command: &str,
) -> Answer {
    // As in Redis, the type is looked at first.
    let outcomes = store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let amount = int(words[1])?;
        let ms = Time { unit, absolute, amount }.in_ms();
        let at_ms = field_time(ms, (!absolute).then(|| hash.now_ms()), command)?;
        let (option, rest) = match one_of(words[2], CONDITIONS) {
            Some(option) => (option, &words[3..]),
            None => (ExpireOption::Always, &words[2..]),
        };
        Ok(hash.expire_fields(&fields(rest, NO_NUM_FIELDS, command)?, at_ms, option))
    })?;
    Ok(Reply::Array(
        outcomes.into_iter().map(|outcome| FieldExpire::code(outcome).into()).collect(),
    ))
}

fn times(store: &Store<impl Locks>, words: &[&[u8]], tell: impl Fn(ExpireTime) -> i64) -> Answer {
    check_hash(store, words[0])?;
    let times = store.hexpire_time(words[0], fields(&words[1..], NOT_POSITIVE, "hexpiretime")?)?;
    Ok(Reply::Array(times.into_iter().map(|time| tell(time).into()).collect()))
}

fn left(store: &Store<impl Locks>, words: &[&[u8]], tell: impl Fn(Ttl) -> i64) -> Answer {
    check_hash(store, words[0])?;
    let left = store.httl(words[0], fields(&words[1..], NOT_POSITIVE, "httl")?)?;
    Ok(Reply::Array(left.into_iter().map(|ttl| tell(ttl).into()).collect()))
}

/// An error if the key holds no hash: Redis looks at it before it reads the fields.
fn check_hash(store: &Store<impl Locks>, key: &[u8]) -> Result<()> {
    store.hlen(key).map(drop)
}

fn hpersist(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    check_hash(store, words[0])?;
    let outcomes = store.hpersist(words[0], fields(&words[1..], NOT_POSITIVE, "hpersist")?)?;
    Ok(Reply::Array(outcomes.into_iter().map(|one| FieldPersist::code(one).into()).collect()))
}

fn hgetdel(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    check_hash(store, words[0])?;
    let values = store.hget_del(words[0], fields(&words[1..], NOT_POSITIVE, "hgetdel")?)?;
    Ok(Reply::Array(values.into_iter().map(Reply::from).collect()))
}

fn hgetex(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let values = store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let mut rest = &words[1..];
        let change = if take(&mut rest, "PERSIST") {
            ExpiryChange::Clear
        } else if let Some(time) = GivenTime::take(&mut rest) {
            ExpiryChange::Until(time.read()?)
        } else {
            ExpiryChange::Keep
        };
        let expiry = hash.time_of(change, "hgetex")?;
        Ok(hash.get_expiring(&fields(rest, NOT_POSITIVE, "hgetex")?, expiry))
    })?;
    Ok(Reply::Array(values.into_iter().map(Reply::from).collect()))
}

fn hsetex(store: &Store<impl Locks>, words: &[&[u8]]) -> Answer {
    let mut rest = &words[1..];
    let mut condition = None;
    let mut expiry = None;
    while !take(&mut rest, "FIELDS") {
        let checks = [("FNX", FieldExistenceCheck::FNX), ("FXX", FieldExistenceCheck::FXX)];
        if let Some((_, check)) = checks.into_iter().find(|&(name, _)| take(&mut rest, name)) {
            if condition.replace(check).is_some() {
                return Err(refused("ERR Only one of FXX or FNX arguments can be specified"));
            }
            continue;
        }
        let names_expiry = |word: &&[u8]| is(word, "KEEPTTL") || GivenTime::is_name(word);
        if expiry.is_some() && rest.first().is_some_and(names_expiry) {
            let text = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified";
            return Err(refused(text));
        }
        expiry = Some(if take(&mut rest, "KEEPTTL") {
            ExpiryChange::Keep
        } else if let Some(time) = GivenTime::take(&mut rest) {
            let time = time.read()?;
            let now_ms = (!time.absolute).then(|| store.shared().clock().now_ms());
            field_time(time.in_ms(), now_ms, "hsetex")?;
            ExpiryChange::Until(time)
        } else {
            let word = rest.first().map_or(&[][..], |word| c_string(word));
            let text = format!("ERR unknown argument: {}", String::from_utf8_lossy(word));
            return Err(Error::new(ErrorKind::Syntax, text));
        });
    }
    // Redis looks whether there may be a field before it reads how many there are.
    let [number, rest @ ..] = rest else { return Err(wrong_arity("hsetex")) };
    if rest.len() < 2 {
        return Err(wrong_arity("hsetex"));
    }
    let number = size(number).filter(|&number| number > 0);
    let number = number.ok_or_else(|| refused("ERR invalid number of fields"))?;
    let (pairs, []) = rest.as_chunks() else { return Err(wrong_arity("hsetex")) };
    if pairs.len() != number {
        return Err(wrong_arity("hsetex"));
    }
    let pairs: Vec<Pair<'_>> =
        pairs.iter().map(|[field, value]| (Member::Bytes(field), Member::Bytes(value))).collect();
    let options = HashSetExOptions { condition, expiry: expiry.unwrap_or_default() };
    let set = store.entry(words[0], |hash: &mut HashEntry<'_>| hash.set_with(&pairs, &options))?;
    Ok(i64::from(set).into())
}
