//! The table of the commands on keys of any type and on all keys: declarations, and the mapping from words to typed
//! calls.

use bytes::Bytes;

use super::{CopyOptions, ExpireOption, RestoreOptions, ScanOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{
    Answer, Command, c_string, command, container, family, flags, help, int, int32, is, plain,
    refused, shown, take, take_with,
};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::number;

pub(super) const GENERIC: &[Command] = &family("generic", "keyspace").of([
    command!("copy", "source:key destination:key [DB destination-db:integer] [REPLACE]", copy)
        .info("6.2.0", "write denyoom", ["RO access", "OW update"])
        .docs("Copies the value of a key to another key.", "O(size of the value)"),
    plain!(del(key: keys))
        .info("1.0.0", "write", ["RM delete"])
        .tips("request_policy:multi_shard response_policy:agg_sum")
        .docs("Deletes keys.", "O(keys), and the members of what they hold"),
    plain!(dump(key))
        .info("2.6.0", "readonly", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns the serialized value of a key.", "O(size of the value)"),
    plain!("exists", exists_many(key: keys))
        .info("1.0.0", "readonly fast", ["RO"])
        .tips("request_policy:multi_shard response_policy:agg_sum")
        .docs("Returns how many of the keys exist.", "O(keys)"),
    command!(
        "expire",
        "key seconds:integer [condition:<NX | XX | GT | LT>@7.0.0]",
        |store, words| expire(words, |key, time, option| store.expire_if(key, time, option)),
    )
    .info("1.0.0", "write fast", ["RW update"])
    .docs("Sets the time to live of a key in seconds.", "O(1)"),
    command!(
        "expireat",
        "key unix-time-seconds:unix-time [condition:<NX | XX | GT | LT>@7.0.0]",
        |store, words| expire(words, |key, time, option| store.expire_at_if(key, time, option)),
    )
    .info("1.2.0", "write fast", ["RW update"])
    .docs("Sets the time at which a key expires, in seconds since the Unix epoch.", "O(1)"),
    command!("expiretime", "key", |store, words| Ok(store.expire_time(words[0])?.secs().into()))
        .info("7.0.0", "readonly fast", ["RO access"])
        .docs("Returns the time at which a key expires, in seconds since the Unix epoch.", "O(1)"),
    plain!(keys(pattern: pattern))
        .info("1.0.0", "readonly", [])
        .acl("dangerous")
        .tips("request_policy:all_shards nondeterministic_output_order")
        .whole()
        .docs("Returns the keys whose names match a pattern.", "O(keys of the database)"),
    command!("move", "key db:integer", move_key)
        .info("1.0.0", "write fast", ["RW access update"])
        .docs("Moves a key to another database.", "O(1)"),
    plain!(persist(key))
        .info("2.2.0", "write fast", ["RW update"])
        .docs("Removes the expiration of a key.", "O(1)"),
    command!(
        "pexpire",
        "key milliseconds:integer [condition:<NX | XX | GT | LT>@7.0.0]",
        |store, words| expire(words, |key, time, option| store.pexpire_if(key, time, option)),
    )
    .info("2.6.0", "write fast", ["RW update"])
    .docs("Sets the time to live of a key in milliseconds.", "O(1)"),
    command!(
        "pexpireat",
        "key unix-time-milliseconds:unix-time [condition:<NX | XX | GT | LT>@7.0.0]",
        |store, words| expire(words, |key, time, option| store.pexpire_at_if(key, time, option)),
    )
    .info("2.6.0", "write fast", ["RW update"])
    .docs("Sets the time at which a key expires, in milliseconds since the Unix epoch.", "O(1)"),
    command!("pexpiretime", "key", |store, words| Ok(store.expire_time(words[0])?.millis().into()))
        .info("7.0.0", "readonly fast", ["RO access"])
        .docs(
            "Returns the time at which a key expires, in milliseconds since the Unix epoch.",
            "O(1)",
        ),
    command!("pttl", "key", |store, words| Ok(store.ttl(words[0])?.millis().into()))
        .info("2.6.0", "readonly fast", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns the time to live of a key in milliseconds.", "O(1)"),
    plain!(randomkey())
        .info("1.0.0", "readonly", [])
        .tips("request_policy:all_shards nondeterministic_output")
        .whole()
        .docs("Returns a random key.", "O(1)"),
    plain!(rename(key, newkey: key))
        .info("1.0.0", "write", ["RW access delete", "OW update"])
        .docs(
            "Renames a key, overwriting a key of the new name.",
            "O(size of the value that is replaced)",
        ),
    plain!("renamenx", rename_nx(key, newkey: key))
        .info("1.0.0", "write fast", ["RW access delete", "OW insert"])
        .docs("Renames a key if no key of the new name exists.", "O(1)"),
    command!(
        "restore",
        "key ttl:integer serialized-value [REPLACE@3.0.0] [ABSTTL@5.0.0] \
         [IDLETIME seconds:integer@5.0.0] [FREQ frequency:integer@5.0.0]",
        restore,
    )
    .info("2.6.0", "write denyoom", ["OW update"])
    .acl("dangerous")
    .docs("Creates a key from a serialized value, as DUMP returns it.", "O(size of the value)"),
    command!(
        "scan",
        "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type@6.0.0]",
        scan,
    )
    .info("2.8.0", "readonly", [])
    .tips("nondeterministic_output request_policy:special")
    .whole()
    .docs("Iterates over the keys of the database.", "O(1) per call, O(keys) for a full iteration"),
    plain!(touch(key: keys))
        .info("3.2.1", "readonly fast", ["RO"])
        .tips("request_policy:multi_shard response_policy:agg_sum")
        .docs("Returns how many of the keys exist and updates their access time.", "O(keys)"),
    command!("ttl", "key", |store, words| Ok(store.ttl(words[0])?.secs().into()))
        .info("1.0.0", "readonly fast", ["RO access"])
        .tips("nondeterministic_output")
        .docs("Returns the time to live of a key in seconds.", "O(1)"),
    command!("type", "key", key_type)
        .info("1.0.0", "readonly fast", ["RO"])
        .docs("Returns the type of the value of a key.", "O(1)"),
    plain!(unlink(key: keys))
        .info("4.0.0", "write fast", ["RM delete"])
        .tips("request_policy:multi_shard response_policy:agg_sum")
        .docs("Deletes keys.", "O(keys), and the members of what they hold"),
]);

pub(super) const OBJECT: &[Command] =
    &family("generic", "").of([container("object", OBJECT_SUBCOMMANDS)
        .info("2.2.3", "", [])
        .docs("Returns how the value of a key is stored and accessed.", "O(1)")]);

const OBJECT_SUBCOMMANDS: &[Command] = &family("generic", "keyspace").of([
    plain!("object|encoding", object_encoding(key))
        .info("2.2.3", "readonly", ["RO"])
        .tips("nondeterministic_output")
        .docs("Returns the encoding of the value of a key.", "O(1)"),
    plain!("object|freq", object_freq(key))
        .info("4.0.0", "readonly", ["RO"])
        .tips("nondeterministic_output")
        .docs("Returns the access frequency of a key, if it is counted.", "O(1)"),
    command!("object|help", "", |store, _| Ok(help("object", store.shared().profile())))
        .info("6.2.0", "loading stale", [])
        .docs("Describes the subcommands of OBJECT.", "O(1)"),
    plain!("object|idletime", object_idletime(key))
        .info("2.2.3", "readonly", ["RO"])
        .tips("nondeterministic_output")
        .docs("Returns the number of seconds since a key was last accessed.", "O(1)"),
    plain!("object|refcount", object_refcount(key))
        .info("2.2.3", "readonly", ["RO"])
        .tips("nondeterministic_output")
        .docs("Returns the reference count of the value of a key.", "O(1)"),
]);

pub(super) const DATABASES: &[Command] = &family("server", "keyspace").of([
    plain!(dbsize())
        .info("1.0.0", "readonly fast", [])
        .tips("request_policy:all_shards response_policy:agg_sum")
        .whole()
        .docs("Returns the number of keys of the database.", "O(1)"),
    command!("flushall", "[async:<ASYNC@4.0.0 | SYNC@6.2.0>]", |store, words| {
        check_flush(words)?;
        store.flushall()?;
        Ok(Reply::OK)
    })
    .info("1.0.0", "write", [])
    .acl("dangerous")
    .tips("request_policy:all_shards response_policy:all_succeeded")
    .whole()
    .docs("Deletes all keys of all databases.", "O(keys)"),
    command!("flushdb", "[async:<ASYNC@4.0.0 | SYNC@6.2.0>]", |store, words| {
        check_flush(words)?;
        store.flushdb()?;
        Ok(Reply::OK)
    })
    .info("1.0.0", "write", [])
    .acl("dangerous")
    .tips("request_policy:all_shards response_policy:all_succeeded")
    .whole()
    .docs("Deletes all keys of the database.", "O(keys of the database)"),
    command!("swapdb", "index1:integer index2:integer", swapdb)
        .info("4.0.0", "write fast", [])
        .acl("dangerous")
        .whole()
        .docs("Swaps two databases.", "O(keys that sessions watch)"),
]);

fn copy(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let mut options = CopyOptions::default();
    let mut rest = &args[2..];
    while !rest.is_empty() {
        if take(&mut rest, "replace") {
            options = options.replace(true);
        } else if let Some([number]) = take_with(&mut rest, "db") {
            options = options.db(database(store, int32(number)?)?);
        } else {
            return Err(Error::syntax());
        }
    }
    Ok(store.copy(args[0], args[1], options)?.into())
}

/// The number of a database, if it is in range.
fn database(store: &Store<impl Locks>, number: i64) -> Result<u32> {
    let found = store.shared().database(number);
    found.ok_or_else(|| refused("ERR DB index is out of range"))
}

/// EXPIRE and similar commands. Redis parses the option first.
fn expire(
    words: &[&[u8]],
    expire: impl FnOnce(&[u8], i64, ExpireOption) -> Result<bool>,
) -> Answer {
    let option = expire_option(&words[2..])?;
    Ok(expire(words[0], int(words[1])?, option)?.into())
}

/// Parses NX, XX, GT and LT, and refuses combinations that exclude each other.
pub(in crate::commands) fn expire_option(words: &[&[u8]]) -> Result<ExpireOption> {
    let mut words = words;
    let [nx, xx, gt, lt] = flags(&mut words, ["nx", "xx", "gt", "lt"]);
    if let Some(word) = words.first() {
        let word = shown(word, usize::MAX);
        return Err(Error::showing(ErrorKind::Syntax, &[b"ERR Unsupported option ", word]));
    }
    match (nx, xx, gt, lt) {
        (true, true, ..) | (true, _, true, _) | (true, _, _, true) => {
            Err(refused("ERR NX and XX, GT or LT options at the same time are not compatible"))
        }
        (_, _, true, true) => {
            Err(refused("ERR GT and LT options at the same time are not compatible"))
        }
        (true, ..) => Ok(ExpireOption::Nx),
        (_, _, true, _) => Ok(ExpireOption::Gt),
        (_, true, _, true) => Ok(ExpireOption::XxLt),
        (_, _, _, true) => Ok(ExpireOption::Lt),
        (_, true, ..) => Ok(ExpireOption::Xx),
        _ => Ok(ExpireOption::Always),
    }
}

/// SYNC and ASYNC, which have the same effect here.
fn check_flush(args: &[&[u8]]) -> Result<()> {
    match args {
        [] => Ok(()),
        [word] if is(word, "sync") || is(word, "async") => Ok(()),
        _ => Err(Error::syntax()),
    }
}

fn move_key(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let db = database(store, int32(args[1])?)?;
    Ok(store.move_key(args[0], db)?.into())
}

fn restore(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let mut options = RestoreOptions::default();
    let (mut absolute, mut replace) = (false, false);
    let (mut idle, mut freq) = (None, None);
    let mut rest = &args[3..];
    while !rest.is_empty() {
        if take(&mut rest, "replace") {
            replace = true;
        } else if take(&mut rest, "absttl") {
            absolute = true;
        } else if freq.is_none()
            && let Some([number]) = take_with(&mut rest, "idletime")
        {
            let seconds = u64::try_from(int(number)?);
            idle = Some(seconds.map_err(|_| refused("ERR Invalid IDLETIME value, must be >= 0"))?);
        } else if idle.is_none()
            && let Some([number]) = take_with(&mut rest, "freq")
        {
            // Access frequencies are not recorded, since there is no eviction.
            let count = u8::try_from(int(number)?);
            freq = Some(
                count.map_err(|_| refused("ERR Invalid FREQ value, must be >= 0 and <= 255"))?,
            );
        } else {
            return Err(Error::syntax());
        }
    }
    // Checked before the time and the payload; this counts as an access.
    if !replace && store.touch(args[0])? > 0 {
        return Err(Error::busy_key());
    }
    let ttl = u64::try_from(int(args[1])?);
    let ttl = ttl.map_err(|_| refused("ERR Invalid TTL value, must be >= 0"))?;
    options = if absolute { options.expire_at_ms(ttl) } else { options.ttl_ms(ttl) };
    let idle = u32::try_from(idle.unwrap_or(0)).unwrap_or(u32::MAX);
    store.restore(args[0], args[2], options.replace(replace).idle_secs(idle))?;
    Ok(Reply::OK)
}

fn scan(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let profile = store.shared().profile();
    let cursor = cursor(args[0], profile)?;
    let (next, keys) = store.scan_cursor(cursor, &scan_options(&args[1..], Some(profile))?)?;
    Ok(scan_reply(next, keys))
}

/// Parses the cursor of a scan.
pub(super) fn cursor(word: &[u8], profile: Profile) -> Result<u64> {
    let unsigned = profile.cursors_are_unsigned();
    let read = if unsigned { number::unsigned_cursor } else { number::cursor };
    read(word).ok_or_else(|| Error::new(ErrorKind::Syntax, number::INVALID_CURSOR))
}

/// Parses COUNT, MATCH and, for SCAN, TYPE as it is in the profile.
pub(super) fn scan_options(words: &[&[u8]], of_keys: Option<Profile>) -> Result<ScanOptions> {
    let mut options = ScanOptions::default();
    let mut words = words;
    while !words.is_empty() {
        if let Some([count]) = take_with(&mut words, "count") {
            let count = usize::try_from(int(count)?).ok().filter(|&count| count > 0);
            options = options.with_count(count.ok_or_else(Error::syntax)?);
        } else if let Some([pattern]) = take_with(&mut words, "match") {
            options = options.with_pattern(pattern);
        } else if let Some(profile) = of_keys
            && let Some([name]) = take_with(&mut words, "type")
        {
            let name = c_string(name);
            let known = || TYPES.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes()));
            if profile.scan_refuses_types() && !known() {
                let parts: [&[u8]; 3] = [b"ERR unknown type name '", name, b"'"];
                return Err(Error::showing(ErrorKind::Syntax, &parts));
            }
            options = options.with_type(name);
        } else {
            return Err(Error::syntax());
        }
    }
    Ok(options)
}

/// The type names of SCAN.
const TYPES: [&str; 6] = ["string", "list", "set", "zset", "hash", "stream"];

pub(super) fn scan_reply(next: u64, found: Vec<Bytes>) -> Reply {
    let found = found.into_iter().map(Reply::Bulk).collect();
    Reply::Array(vec![Reply::Bulk(next.to_string().into()), Reply::Array(found)])
}

fn swapdb(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let number = |word: &[u8], wrong: &'static str| {
        int32(word).map_err(|_| Error::new(ErrorKind::Syntax, wrong))
    };
    let first = number(args[0], "ERR invalid first DB index")?;
    let second = number(args[1], "ERR invalid second DB index")?;
    store.swapdb(database(store, first)?, database(store, second)?)?;
    Ok(Reply::OK)
}

fn key_type(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    Ok(Reply::Status(store.key_type(args[0])?.unwrap_or("none".into())))
}
