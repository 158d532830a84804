//! EVAL and SCRIPT: the Lua of a script on the server, and its function in the store.

use tallis::{Error, ErrorKind, Reply, Script, Store};
use testkit::live::{named, server};

use super::{run, same};
use crate::both::Both;

static TWICE: Script =
    Script::new("return redis.call('INCRBY', KEYS[1], ARGV[1] * 2)", |tx, call| {
        let ([key], by) = (call.keys()?, call.int(0)?);
        tx.incr(key, 2 * by).map(Reply::Int)
    });

/// Replies of all kinds, and changes of several keys.
static SWAP: Script = Script::new(
    "local a, b = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
    if not a or not b then return redis.error_reply('NOPAIR there are not two') end
    redis.call('MSET', KEYS[1], b, KEYS[2], a)
    return {a, b, #KEYS, false, {ARGV[1]}, redis.status_reply('SWAPPED')}",
    |tx, call| {
        let [a, b] = call.keys()?;
        let (Some(at_a), Some(at_b)) = (tx.get(a)?, tx.get(b)?) else {
            let text = "NOPAIR there are not two";
            return Err(Error::new(ErrorKind::NoSuchKey, text));
        };
        tx.mset(&[(a, &at_b), (b, &at_a)])?;
        let arg = Reply::Bulk(call.arg(0)?.to_vec().into());
        Ok(Reply::Array(vec![
            Reply::Bulk(at_a),
            Reply::Bulk(at_b),
            Reply::Int(2),
            Reply::Nil,
            Reply::Array(vec![arg]),
            Reply::Status("SWAPPED".into()),
        ]))
    },
);

/// A read-only script.
static LENGTHS: Script = Script::new(
    "local sum = 0 for _, key in ipairs(KEYS) do sum = sum + redis.call('STRLEN', key) end return sum",
    |tx, call| {
        let sum: Result<usize, _> = call.keys.iter().map(|key| tx.strlen(key)).sum();
        Ok(Reply::Int(sum?.try_into().unwrap_or(i64::MAX)))
    },
);

/// Loads the scripts on both sides.
fn with_scripts(mut both: Both) -> Both {
    for script in [&TWICE, &SWAP, &LENGTHS] {
        let digest = run(&mut both.connection, &["SCRIPT", "LOAD", script.text()]);
        assert_eq!(digest, redis::Value::BulkString(script.digest().into()));
        both.session.add_scripts([script]);
    }
    both
}

/// Calls by digest and by text, and invalid calls.
fn compare(both: &mut Both) {
    let (twice, swap) = (TWICE.digest().to_owned(), SWAP.digest().to_owned());
    let upper = twice.to_uppercase();
    let unknown = "f".repeat(40);
    both.same(&["EVALSHA", &twice, "1", "n", "21"]);
    both.same(&["evalsha", &upper, "1", "n", "-1"]);
    both.same(&["EVAL", TWICE.text(), "1", "n", "0"]);
    both.same(&["GET", "n"]);
    both.same(&["EVALSHA", &swap, "2", "n", "none", "x"]);
    both.same(&["SET", "m", "text"]);
    both.same(&["EVALSHA", &swap, "2", "n", "m", "x"]);
    both.same(&["MGET", "n", "m"]);
    both.same(&["EVALSHA_RO", LENGTHS.digest(), "3", "n", "m", "none"]);
    both.same(&["EVAL_RO", LENGTHS.text(), "0"]);
    for name in ["EVAL", "EVAL_RO"] {
        for words in [&["1"][..], &["-1", "k"], &["x"], &["1.5", "k"], &["9223372036854775807"]] {
            both.same(&[&[name, "return 1"], words].concat());
        }
        both.same(&[name]);
        both.same(&[name, "return 1"]);
    }
    for name in ["EVALSHA", "EVALSHA_RO"] {
        for digest in [unknown.as_str(), &twice, "abc", "", &twice[1..]] {
            for words in [&["1"][..], &["-1", "k"], &["x"], &["9223372036854775808"]] {
                both.same(&[&[name, digest], words].concat());
            }
        }
        both.same(&[name, &unknown, "0"]);
        both.same(&[name, &unknown, "1", "k", "v"]);
        both.same(&[name, "abc", "0"]);
        both.same(&[name, &twice]);
    }
    both.same(&["SCRIPT", "EXISTS", &twice, &unknown, &upper, "", "abc"]);
    both.same(&["SCRIPT", "LOAD", SWAP.text()]);
    both.all_same(
        "SCRIPT
        SCRIPT nosuch
        SCRIPT EXISTS
        SCRIPT LOAD
        SCRIPT LOAD a b
        SCRIPT HELP x
        SCRIPT FLUSH x
        SCRIPT FLUSH SYNC x
        SCRIPT FLUSH SYNC ASYNC",
    );
    both.same(&["MULTI"]);
    both.same(&["EVALSHA", &twice, "1", "n2", "3"]);
    both.same(&["SET", "n3", "5"]);
    both.same(&["EVALSHA", &swap, "2", "n2", "n3", "y"]);
    both.same(&["EVALSHA", &unknown, "0"]);
    both.same(&["EVALSHA", &swap, "x"]);
    both.same(&["SCRIPT", "EXISTS", &twice]);
    both.same(&["MGET", "n2", "n3"]);
    both.same(&["EXEC"]);
    both.same(&["MULTI"]);
    both.same(&["EVALSHA", &twice]);
    both.same(&["EXEC"]);
    // The server discards its scripts, a store keeps them, so this comes last.
    both.all_same("SCRIPT FLUSH\nscript flush sync\nSCRIPT FLUSH ASYNC");
}

#[test]
fn scripts_reply_and_fail_like_on_the_server() {
    let Some(both) = Both::new() else { return };
    let mut both = with_scripts(both);
    compare(&mut both);
    both.same(&["FLUSHALL"]);
    both.ask(&["HELLO", "3"]);
    compare(&mut with_scripts(both));
}

#[test]
fn scripts_reply_and_fail_like_on_newer_servers() {
    for name in ["redis-8.2.3", "valkey-9.1.2"] {
        let Some(server) = named(name) else { continue };
        compare(&mut with_scripts(Both::beside(server, false)));
    }
}

/// Whether WATCH sees a script: EXEC of another connection runs or does not.
#[test]
fn a_watch_sees_what_a_script_changes() {
    let Some(server) = server() else { return };
    let (mut watcher, mut other) = (server.connect(), server.connect());
    let store = Store::new();
    store.add_scripts([&TWICE, &LENGTHS]);
    let mut session = store.session();
    for script in [&TWICE, &LENGTHS] {
        run(&mut other, &["SCRIPT", "LOAD", script.text()]);
    }
    let mut seen = Vec::new();
    for (call, watched) in [
        (["EVALSHA", TWICE.digest(), "1", "a", "1"], "a"),
        (["EVALSHA", TWICE.digest(), "1", "a", "1"], "b"),
        (["EVALSHA", LENGTHS.digest(), "2", "a", "b"], "a"),
        (["EVALSHA_RO", LENGTHS.digest(), "2", "a", "b"], "b"),
    ] {
        for words in [&["WATCH", watched][..], &call, &["MULTI"], &["PING"], &["EXEC"]] {
            let (ours, theirs) = if words == call {
                (store.execute(words), run(&mut other, words))
            } else {
                (session.execute(words), run(&mut watcher, words))
            };
            assert!(same(&ours, &Ok(theirs)), "{watched} {call:?} {words:?}: {ours:?}");
            seen.push(ours == Reply::NullArray);
        }
    }
    assert_eq!(seen.iter().filter(|&&nothing_ran| nothing_ran).count(), 1);
}
