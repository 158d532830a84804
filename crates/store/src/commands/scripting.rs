//! EVAL and SCRIPT. A store has no Lua interpreter: it runs registered scripts by their Rust functions.

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, Command, command, container, family, help, int, is, refused};
use crate::reply::Reply;
use crate::script::{DIGEST_LEN, Script, ScriptCall};
use crate::store::{Locks, Store};
use crate::to_key::KeyRef;

pub(super) const SCRIPTS: &[Command] = &family("scripting", "scripting").of([
    command!("eval", "script numkeys:integer [key...] [arg...]", |store, words| {
        eval(store, words, Keys::Written)
    })
    .info("2.6.0", FLAGS, [WRITES])
    .note(0, "A script may read and write all keys that it is given.")
    .docs("Runs a registered script, by its text.", OF_TEXT),
    command!("eval_ro", "script numkeys:integer [key...] [arg...]", |store, words| {
        eval(store, words, Keys::Read)
    })
    .info("7.0.0", READ_ONLY_FLAGS, [READS])
    .note(0, "A script may read all keys that it is given.")
    .docs("Runs a registered script, by its text; it must not write.", OF_TEXT),
    command!("evalsha", "sha1 numkeys:integer [key...] [arg...]", |store, words| {
        evalsha(store, words, Keys::Written)
    })
    .info("2.6.0", FLAGS, [WRITES])
    .docs("Runs a registered script, by its SHA-1 digest.", OF_DIGEST),
    command!("evalsha_ro", "sha1 numkeys:integer [key...] [arg...]", |store, words| {
        evalsha(store, words, Keys::Read)
    })
    .info("7.0.0", READ_ONLY_FLAGS, [READS])
    .docs("Runs a registered script, by its SHA-1 digest; it must not write.", OF_DIGEST),
]);

const FLAGS: &str = "noscript stale skip_monitor no_mandatory_keys";
const READ_ONLY_FLAGS: &str = "readonly noscript stale skip_monitor no_mandatory_keys";
const WRITES: &str = "RW access update";
const READS: &str = "RO access";
const OF_TEXT: &str = "O(length of the text), and what the script takes";
const OF_DIGEST: &str = "O(log scripts known), and what the script takes";

pub(super) const SCRIPT: &[Command] =
    &family("scripting", "").of([container("script", OF_SCRIPT).info("2.6.0", "", []).docs(
        "Returns information about the scripts that are registered with the store.",
        "O(scripts asked for)",
    )]);

const OF_SCRIPT: &[Command] = &family("scripting", "scripting").of([
    command!("script|exists", "sha1...", |store, digests| {
        let scripts = store.shared().scripts();
        let is_known = |digest: &&[u8]| Reply::Int(scripts.find(digest).is_some().into());
        Ok(Reply::Array(digests.iter().map(is_known).collect()))
    })
    .info("2.6.0", "noscript", [])
    .tips("request_policy:all_shards response_policy:agg_logical_and")
    .docs("Returns whether scripts are registered, by their digests.", "O(digests)"),
    command!("script|flush", "[async:<ASYNC | SYNC>@6.2.0]", |_, words| flush(words))
        .info("2.6.0", "noscript", [])
        .tips("request_policy:all_nodes response_policy:all_succeeded")
        .docs("Has no effect: registered scripts are kept.", "O(1)"),
    command!("script|help", "", |store, _| Ok(help("script", store.shared().profile())))
        .info("5.0.0", "loading stale", [])
        .docs("Describes the subcommands of SCRIPT.", "O(1)"),
    command!("script|load", "script", |store, words| {
        let script = store.shared().scripts().of_text(words[0]).ok_or_else(no_lua)?;
        Ok(Reply::text(script.digest()))
    })
    .info("2.6.0", "noscript stale", [])
    .tips("request_policy:all_nodes response_policy:all_succeeded")
    .docs("Returns the digest of a registered script.", "O(length of the text)"),
]);

/// What a script may do with its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    Read,
    Written,
}

fn eval(store: &Store<impl Locks>, words: &[&[u8]], keys: Keys) -> Answer {
    let call = call(words)?;
    let script = store.shared().scripts().of_text(words[0]).ok_or_else(no_lua)?;
    run(store, script, call, keys)
}

fn evalsha(store: &Store<impl Locks>, words: &[&[u8]], keys: Keys) -> Answer {
    let unknown = || Error::new(ErrorKind::NoScript, store.shared().profile().no_script());
    if words[0].len() != DIGEST_LEN {
        return Err(unknown());
    }
    let call = call(words)?;
    let script = store.shared().scripts().find(words[0]).ok_or_else(unknown)?;
    run(store, script, call, keys)
}

/// Parses the keys and arguments after a script and the number of its keys.
fn call<'w>(words: &'w [&'w [u8]]) -> Result<ScriptCall<'w>> {
    let count = usize::try_from(int(words[1])?)
        .map_err(|_| refused("ERR Number of keys can't be negative"))?;
    let (keys, args) = words[2..]
        .split_at_checked(count)
        .ok_or_else(|| refused("ERR Number of keys can't be greater than number of args"))?;
    Ok(ScriptCall { keys, args })
}

/// Runs a script as a transaction on its keys.
fn run(store: &Store<impl Locks>, script: &Script, call: ScriptCall<'_>, keys: Keys) -> Answer {
    let named = call.keys.iter().map(|&key| KeyRef::new(key));
    let keys: SmallVec<[KeyRef<'_>; 4]> = match keys {
        Keys::Read => named.map(KeyRef::read).collect(),
        Keys::Written => named.collect(),
    };
    store.locks.with_keys(&keys, |tx| script.run(tx, &call))
}

/// SCRIPT FLUSH, with SYNC or ASYNC, which have the same effect here.
fn flush(words: &[&[u8]]) -> Answer {
    match words {
        [] => Ok(Reply::OK),
        [word] if is(word, "async") || is(word, "sync") => Ok(Reply::OK),
        _ => Err(refused("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
}

/// The error for a script that is not registered.
#[cold]
fn no_lua() -> Error {
    let text = "ERR the store has no Lua and does not know this script: use a Procedure, \
                Store::transaction or Store::add_scripts";
    Error::new(ErrorKind::NoScript, text)
}
