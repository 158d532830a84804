//! The table of the commands on strings: declarations, and the mapping from words to typed calls.

mod lcs;

use smallvec::SmallVec;

use crate::commands::given::{GivenOptions, GivenTtl, Of};
use crate::commands::{
    ExistenceCheck, ExpiryChange, MSetOptions, SetOptions, SetOutcome, Time, Unit, ValueComparison,
    common, common_len, common_runs, common_text, get_with, put_all, set_with,
};
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, command, family, int, int32, plain, refused, wrong_arity};
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::to_key::KeyRef;
use lcs::{LcsOptions, matches};

pub(in crate::commands) const COMMANDS: &[Command] = &family("string", "string").of([
    plain!(append(key, value)).info("2.0.0", "write denyoom fast", ["RW insert"]).docs(
        "Appends bytes to a string, creating it if it does not exist.",
        "O(bytes added), amortized",
    ),
    command!("decr", "key", |store, words| Ok(store.incr(words[0], -1)?.into()))
        .info("1.0.0", "write denyoom fast", ["RW access update"])
        .docs("Decrements the integer at a key by one.", "O(1)"),
    plain!("decrby", decr(key, decrement: integer))
        .info("1.0.0", "write denyoom fast", ["RW access update"])
        .docs("Decrements the integer at a key by a number.", "O(1)"),
    command!("delifeq", "key value", |store, words| {
        Ok(i64::from(store.del_ex(words[0], &ValueComparison::ifeq(words[1]))?).into())
    })
    .info("9.0.0", "write fast", ["RM delete"])
    .docs("Deletes a key if the string there is equal to another.", "O(length)"),
    plain!(get(key))
        .info("1.0.0", "readonly fast", ["RO access"])
        .docs("Returns the string at a key.", "O(1)"),
    plain!("getdel", get_del(key))
        .info("6.2.0", "write fast", ["RW access delete"])
        .docs("Returns the string at a key and deletes the key.", "O(1)"),
    command!(
        "getex",
        "key [expiration:<EX seconds:integer | PX milliseconds:integer | EXAT \
         unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | PERSIST>]",
        getex,
    )
    .info("6.2.0", "write fast", ["RW access update"])
    .note(0, "It may change the expiration.")
    .docs("Returns the string at a key and sets or removes its expiration.", "O(1)"),
    plain!(getrange(key, start: integer, end: integer))
        .info("2.4.0", "readonly", ["RO access"])
        .docs("Returns a substring of the string at a key.", "O(bytes returned)"),
    plain!(getset(key, value))
        .info("1.0.0", "write denyoom fast", ["RW access update"])
        .docs("Sets the string at a key and returns its previous value.", "O(1)"),
    command!("incr", "key", |store, words| Ok(store.incr(words[0], 1)?.into()))
        .info("1.0.0", "write denyoom fast", ["RW access update"])
        .docs("Increments the integer at a key by one.", "O(1)"),
    plain!("incrby", incr(key, increment: integer))
        .info("1.0.0", "write denyoom fast", ["RW access update"])
        .docs("Increments the integer at a key by a number.", "O(1)"),
    command!("incrbyfloat", "key increment:double", incrbyfloat)
        .info("2.6.0", "write denyoom fast", ["RW access update"])
        .docs("Increments the number at a key by a floating-point number.", "O(1)"),
    command!(
        "lcs",
        "key1:key key2:key#0 [LEN] [IDX] [MINMATCHLEN len:integer] [WITHMATCHLEN]",
        lcs
    )
    .info("7.0.0", "readonly", ["RO access"])
    .docs(
        "Returns the longest common subsequence of two strings.",
        "O(length of one * length of the other)",
    ),
    plain!(mget(key: keys))
        .info("1.0.0", "readonly fast", ["RO access"])
        .tips("request_policy:multi_shard")
        .docs("Returns the strings at several keys.", "O(keys)"),
    command!("mset", "key_value:(key value)...", |store, pairs| {
        put_pairs(store, pairs, "mset", MSetOptions::default()).map(|_| Reply::OK)
    })
    .info("1.0.1", "write denyoom", ["OW update"])
    .tips("request_policy:multi_shard response_policy:all_succeeded")
    .docs("Sets the strings at several keys.", "O(keys)"),
    command!(
        "msetex",
        "numkeys:integer data:(key value)... [condition:<NX | XX>] [expiration:<EX seconds:integer | \
         PX milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT \
         unix-time-milliseconds:unix-time | KEEPTTL>]",
        msetex,
    )
    .info("8.4.0", "write denyoom", ["OW update"])
    .tips("request_policy:multi_shard response_policy:all_succeeded")
    .docs("Sets the strings at several keys and their expiration.", "O(keys)"),
    command!("msetnx", "key_value:(key value)...", |store, pairs| {
        let options = MSetOptions::default().conditional_set(ExistenceCheck::NX);
        Ok(put_pairs(store, pairs, "msetnx", options)?.into())
    })
    .info("1.0.1", "write denyoom", ["OW insert"])
    .tips("request_policy:multi_shard response_policy:agg_min")
    .docs("Sets the strings at several keys if none of the keys exists.", "O(keys)"),
    command!("psetex", "key milliseconds:integer value", |store, words| {
        set_for(store, words, Unit::Milliseconds, "psetex")
    })
    .info("2.6.0", "write denyoom", ["OW update"])
    .docs("Sets the string at a key and its time to live in milliseconds.", "O(1)"),
    command!(
        "set",
        "key value [condition:<NX | XX | IFEQ comparison-value@8.4.0>@2.6.12] [GET@6.2.0] \
         [expiration:<EX seconds:integer@2.6.12 | PX milliseconds:integer@2.6.12 | EXAT \
         unix-time-seconds:unix-time@6.2.0 | PXAT unix-time-milliseconds:unix-time@6.2.0 | \
         KEEPTTL@6.0.0>]",
        set,
    )
    .info("1.0.0", "write denyoom", ["RW access update variable_flags"])
    .note(0, "With GET it reads the previous value too.")
    .docs("Sets the string at a key, replacing a value of any type.", "O(1)"),
    command!("setex", "key seconds:integer value", |store, words| {
        set_for(store, words, Unit::Seconds, "setex")
    })
    .info("2.0.0", "write denyoom", ["OW update"])
    .docs("Sets the string at a key and its time to live in seconds.", "O(1)"),
    plain!("setnx", set_nx(key, value))
        .info("1.0.0", "write denyoom fast", ["OW insert"])
        .docs("Sets the string at a key if the key does not exist.", "O(1)"),
    command!("setrange", "key offset:integer value", setrange)
        .info("2.2.0", "write denyoom", ["RW update"])
        .docs(
            "Overwrites part of the string at a key, extending it if needed.",
            "O(bytes written), and the length when it grows",
        ),
    plain!(strlen(key))
        .info("2.2.0", "readonly fast", ["RO"])
        .docs("Returns the length of the string at a key.", "O(1)"),
    plain!("substr", getrange(key, start: integer, end: integer))
        .info("1.0.0", "readonly", ["RO access"])
        .docs(
            "Returns a substring of the string at a key; an older name of GETRANGE.",
            "O(bytes returned)",
        ),
]);

fn getex(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let Some(ttl) = GivenOptions::parse(&args[1..], Of::GetEx)?.ttl else {
        return Ok(store.get(args[0])?.into());
    };
    Ok(get_with(store, args[0], || ttl.read())?.into())
}

fn incrbyfloat(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let sum = store.with_string(args[0], |entry| entry.incr_float(args[1]));
    Ok(sum?.into())
}

fn lcs(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    // Redis parses the options after it has read both strings.
    common(store, args[0], args[1], |a, b| {
        let wish = LcsOptions::parse(&args[2..])?;
        if wish.idx {
            return Ok(matches(&common_runs(a, b, wish.shortest)?, wish.with_lengths));
        }
        Ok(if wish.len { Reply::count(common_len(a, b)?) } else { common_text(a, b)?.into() })
    })
}

fn put_pairs(
    store: &Store<impl Locks>,
    args: &[&[u8]],
    command: &str,
    options: MSetOptions,
) -> Result<bool> {
    let (pairs, []) = args.as_chunks() else { return Err(wrong_arity(command)) };
    let pairs = pairs.iter().map(|&[key, value]| (KeyRef::new(key), Member::Bytes(value)));
    let (names, values): (SmallVec<[_; 4]>, SmallVec<[_; 4]>) = pairs.unzip();
    put_all(store, &names, &values, options)
}

fn set(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    if let [key, value] = *args {
        store.set(key, value)?;
        return Ok(Reply::OK);
    }
    let compares = store.shared().profile().knows("8.4.0");
    let given = GivenOptions::parse(&args[2..], Of::Set { compares })?;
    let get = given.get;
    let mut options = SetOptions::default().get(get).ttl(expiry(given.ttl)?);
    options.condition = given.condition;
    options.comparison = given.equal_to.map(ValueComparison::ifeq);
    Ok(match set_with(store, args[0], Member::Bytes(args[1]), options, "set")? {
        SetOutcome { old, .. } if get => old.into(),
        SetOutcome { set: true, .. } => Reply::OK,
        SetOutcome { .. } => Reply::Nil,
    })
}

fn msetex(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let number = int32(args[0]).ok().filter(|&number| number > 0);
    let number = number.ok_or_else(|| refused("ERR invalid numkeys value or out of range"))?;
    let words = usize::try_from(number).ok().and_then(|number| number.checked_mul(2));
    let split = words.and_then(|words| args[1..].split_at_checked(words));
    let (pairs, options) = split.ok_or_else(Error::syntax)?;
    let given = GivenOptions::parse(options, Of::MSetEx)?;
    let mut options = MSetOptions::default().ttl(expiry(given.ttl)?);
    options.condition = given.condition;
    Ok(i64::from(put_pairs(store, pairs, "msetex", options)?).into())
}

/// The expiry of SET and MSETEX: without an option it is removed.
fn expiry(given: Option<GivenTtl<'_>>) -> Result<ExpiryChange> {
    given.map_or(Ok(ExpiryChange::Clear), GivenTtl::read)
}

fn set_for(store: &Store<impl Locks>, args: &[&[u8]], unit: Unit, command: &str) -> Answer {
    let time = Time { unit, absolute: false, amount: int(args[1])? };
    let options = SetOptions::default().ttl(ExpiryChange::Until(time));
    set_with(store, args[0], Member::Bytes(args[2]), options, command)?;
    Ok(Reply::OK)
}

fn setrange(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let offset =
        usize::try_from(int(args[1])?).map_err(|_| refused("ERR offset is out of range"))?;
    Ok(Reply::count(store.setrange(args[0], offset, args[2])?))
}
