//! Scripts of a store, by EVAL and EVALSHA: the keys that they may access, and what is seen of them. Their replies are
//! compared with a server's in `live`.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use tallis::{
    Clock, Error, ErrorKind, ManualClock, Profile, Protocol, Reply, Script, ScriptCall, Store,
    StoreBuilder, Tx,
};

use crate::journal::Journal;

/// Adds a number to each of its keys; then fails if it has a second argument.
static ADD: Script = Script::new("-- adds", |tx, call| {
    let by = call.int(0)?;
    let sums: Result<Vec<i64>, Error> = call.keys.iter().map(|key| tx.incr(key, by)).collect();
    let sums = sums?;
    if call.args.len() > 1 {
        return Err(Error::new(ErrorKind::InvalidArgument, "ERR enough"));
    }
    Ok(Reply::Array(sums.into_iter().map(Reply::Int).collect()))
});

/// Reads the key that its argument names.
static LOOK: Script = Script::new("-- looks", |tx, call| Ok(tx.get(call.arg(0)?)?.into()));

/// Sets its key to the time.
static STAMP: Script = Script::new("-- stamps", |tx, call| {
    let [key] = call.keys()?;
    tx.set(key, tx.now_us())?;
    Ok(Reply::Int(tx.now_us()))
});

/// Replies with a map, whose type depends on the protocol.
static MAP: Script = Script::new("-- maps", |_, call| {
    let pair = |arg: &&[u8]| (Reply::Bulk(arg.to_vec().into()), Reply::Boolean(true));
    Ok(Reply::Map(call.args.iter().map(pair).collect()))
});

static BREAKS: Script = Script::new("-- breaks", |tx: &Tx<'_>, call: &ScriptCall<'_>| {
    let [key] = call.keys()?;
    tx.set(key, "half")?;
    panic!("it breaks")
});

const ALL: [&Script; 5] = [&ADD, &LOOK, &STAMP, &MAP, &BREAKS];

fn builder() -> StoreBuilder {
    Store::builder().scripts(ALL)
}

fn sums<const N: usize>(sums: [i64; N]) -> Reply {
    Reply::Array(sums.map(Reply::Int).into())
}

fn both(store: &Store) -> [i64; 2] {
    ["a", "b"].map(|key| store.get_as(key).unwrap())
}

fn error(reply: Reply) -> Error {
    reply.into_result().unwrap_err()
}

#[test]
fn every_handle_of_the_store_has_them() {
    let store = Store::new();
    let (other, mut session) = (store.db(3), store.session());
    let call = ["EVALSHA", ADD.digest(), "2", "a", "b", "4"];
    let unknown = error(store.execute(&call));
    assert_eq!(unknown.kind(), ErrorKind::NoScript);
    assert_eq!(unknown.to_string(), "NOSCRIPT No matching script. Please use EVAL.");
    store.add_scripts(ALL);
    assert_eq!(store.execute(&call), sums([4, 4]));
    assert_eq!(other.execute(&call), sums([4, 4]));
    assert_eq!(session.execute(&call), sums([8, 8]));
    assert_eq!(session.execute(&["EVAL", ADD.text(), "1", "a", "1"]), sums([9]));
    assert_eq!(other.get_as::<i64>("a").unwrap(), 4);
    // Another store does not have them.
    assert_eq!(error(Store::new().execute(&call)).kind(), ErrorKind::NoScript);
    // FLUSH and FLUSHALL keep them.
    assert_eq!(store.execute(&["SCRIPT", "FLUSH"]), Reply::OK);
    store.flushall().unwrap();
    assert_eq!(store.execute(&call), sums([4, 4]));
}

#[test]
fn an_unknown_script_is_refused() {
    let store = builder().build();
    let twice = format!("{} ", ADD.text());
    for words in [&["EVAL", &twice, "0"][..], &["EVAL_RO", "", "0"], &["SCRIPT", "LOAD", &twice]] {
        let error = error(store.execute(words));
        assert_eq!(error.kind(), ErrorKind::NoScript, "{words:?}");
        let text = error.to_string();
        assert!(text.starts_with("ERR the store has no Lua"), "{text}");
        assert!(text.contains("Store::add_scripts") && !text.contains(['\r', '\n']), "{text}");
    }
}

#[test]
fn a_script_cannot_access_other_keys() {
    let store = builder().build();
    store.set("far", "away").unwrap();
    let look = |keys: &[&str]| {
        let count = keys.len().to_string();
        [&["EVALSHA", LOOK.digest(), &count], keys, &["far"]].concat().join(" ")
    };
    let run = |line: &str, run: &mut dyn FnMut(&[&str]) -> Reply| {
        run(&line.split(' ').collect::<Vec<_>>())
    };
    let mut session = store.session();
    let mut in_multi = |words: &[&str]| {
        session.execute(&["MULTI"]);
        // The transaction has the lock of the key.
        session.execute(&["APPEND", "far", "!"]);
        session.execute(words);
        let Reply::Array(mut replies) = session.execute(&["EXEC"]) else { panic!("it runs") };
        replies.pop().unwrap()
    };
    let mut in_pipeline = |words: &[&str]| {
        let mut pipeline = store.pipeline();
        pipeline.append("far", "!").cmd(words[0]).args(&words[1..]);
        pipeline.replies().unwrap().pop().unwrap()
    };
    let mut at_once = |words: &[&str]| {
        let mut pipeline = store.pipeline();
        pipeline.atomic().append("far", "!").cmd(words[0]).args(&words[1..]);
        pipeline.replies().unwrap().pop().unwrap()
    };
    let mut alone = |words: &[&str]| store.execute(words);
    for run_it in [
        &mut alone as &mut dyn FnMut(&[&str]) -> Reply,
        &mut in_multi,
        &mut in_pipeline,
        &mut at_once,
    ] {
        for keys in [&[][..], &["near"], &["near", "nearer", "nearest"]] {
            let refused = error(run(&look(keys), run_it));
            assert_eq!(refused.kind(), ErrorKind::KeyNotNamed, "{keys:?}");
            let text = "ERR key 'far' was not named by the transaction";
            assert_eq!(refused.to_string(), text);
        }
        for keys in [&["far"][..], &["near", "far"], &["far", "far", "x", "y", "z", "w"]] {
            let found = run(&look(keys), run_it);
            assert!(matches!(&found, Reply::Bulk(text) if text.starts_with(b"away")), "{found:?}");
        }
    }
    // Keys of other databases cannot be accessed either: a key is one of the session's database.
    session.execute(&["SELECT", "1"]);
    assert_eq!(session.execute(&["EVALSHA", LOOK.digest(), "1", "far", "far"]), Reply::Nil);
    session.execute(&["MULTI"]);
    session.execute(&["SELECT", "0"]);
    session.execute(&["EVALSHA", LOOK.digest(), "1", "far", "far"]);
    let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("it runs") };
    assert!(matches!(&replies[1], Reply::Bulk(_)), "{replies:?}");
}

#[test]
fn a_read_only_script_writes_nothing() {
    let store = builder().build();
    store.set("k", 1).unwrap();
    let by_digest = ["EVALSHA_RO", ADD.digest(), "1", "k", "1"];
    let mut session = store.session();
    session.execute(&["MULTI"]);
    session.execute(&["INCR", "k"]);
    session.execute(&by_digest);
    let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("it runs") };
    for reply in [
        store.execute(&by_digest),
        store.execute(&["EVAL_RO", ADD.text(), "1", "k", "1"]),
        replies[1].clone(),
    ] {
        let refused = error(reply);
        assert_eq!(refused.kind(), ErrorKind::KeyNotNamed);
        assert_eq!(
            refused.to_string(),
            "ERR key 'k' was named for reading only by the transaction"
        );
    }
    assert_eq!(store.get_as::<i64>("k").unwrap(), 2);
    let look = ["EVALSHA_RO", LOOK.digest(), "1", "k", "k"];
    assert_eq!(store.execute(&look), Reply::Bulk("2".into()));
}

#[test]
fn a_script_cannot_call_the_store() {
    static STORE: OnceLock<Store> = OnceLock::new();
    static INSIDE: Script =
        Script::new("-- calls the store", |_, _| STORE.get().unwrap().incr("k", 1).map(Reply::Int));
    let store = STORE.get_or_init(Store::new);
    store.add_scripts([&INSIDE]);
    let refused = error(store.execute(&["EVALSHA", INSIDE.digest(), "1", "k"]));
    assert_eq!(refused.kind(), ErrorKind::Locked);
}

#[test]
fn replies_have_the_types_of_the_protocol() {
    let store = builder().build();
    let call = ["EVALSHA", MAP.digest(), "0", "x"];
    let mut session = store.session();
    let flat = Reply::Array(vec![Reply::Bulk("x".into()), Reply::Int(1)]);
    assert_eq!(session.execute(&call), flat);
    session.execute(&["HELLO", "3"]);
    assert_eq!(session.protocol(), Protocol::Resp3);
    let map = Reply::Map(vec![(Reply::Bulk("x".into()), Reply::Boolean(true))]);
    assert_eq!(session.execute(&call), map);
    session.execute(&["MULTI"]);
    session.execute(&call);
    assert_eq!(session.execute(&["EXEC"]), Reply::Array(vec![map.clone()]));
    assert_eq!(store.execute(&call), map);
}

#[test]
fn sinks_receive_the_effects_of_a_script() {
    let journal = Arc::new(Journal::default());
    let store = builder().sink(journal.clone()).build();
    store.execute(&["EVALSHA", ADD.digest(), "2", "a", "b", "2"]);
    assert_eq!(journal.lines(), ["INCRBY a 2", "INCRBY b 2"]);
    // Changes before an error are kept, as on a server.
    store.set("text", "x").unwrap();
    journal.take();
    let failed = store.execute(&["EVALSHA", ADD.digest(), "3", "a", "text", "b", "2"]);
    assert_eq!(error(failed).kind(), ErrorKind::NotInteger);
    assert_eq!(journal.lines(), ["INCRBY a 2"]);
    let before = store.changes();
    let failed = store.execute(&["EVALSHA", ADD.digest(), "1", "a", "1", "fail"]);
    assert_eq!(error(failed).to_string(), "ERR enough");
    assert_eq!(journal.lines(), ["INCRBY a 1"]);
    assert_eq!(store.changes(), before + 1);
    // In a transaction, they are in order with the others.
    let mut session = store.session();
    session.execute(&["MULTI"]);
    session.execute(&["SET", "first", "1"]);
    session.execute(&["EVALSHA", ADD.digest(), "2", "a", "b", "3"]);
    session.execute(&["EVALSHA", ADD.digest(), "1", "b", "x"]);
    session.execute(&["SET", "last", "1"]);
    session.execute(&["EXEC"]);
    assert_eq!(journal.lines(), ["SET first 1", "INCRBY a 3", "INCRBY b 3", "SET last 1"]);
    let mut pipeline = store.pipeline();
    pipeline.atomic().set("first", "2").cmd("EVALSHA").args([ADD.digest(), "1", "a", "4"]);
    pipeline.exec().unwrap();
    assert_eq!(journal.lines(), ["SET first 2", "INCRBY a 4"]);
}

#[test]
fn a_script_that_panics_leaves_its_changes_in_order() {
    let journal = Arc::new(Journal::default());
    let store = builder().sink(journal.clone()).build();
    let broken = catch_unwind(AssertUnwindSafe(|| {
        let mut session = store.session();
        session.execute(&["MULTI"]);
        session.execute(&["SET", "k", "first"]);
        session.execute(&["EVALSHA", BREAKS.digest(), "1", "k"]);
        session.execute(&["SET", "k", "last"]);
        session.execute(&["EXEC"])
    }));
    assert!(broken.is_err());
    assert_eq!(journal.lines(), ["SET k first", "SET k half"]);
    assert_eq!(store.get("k").unwrap().unwrap(), "half");
}

#[test]
fn a_script_has_the_time_of_its_transaction() {
    let clock = Arc::new(ManualClock::new(5));
    let store = builder().clock(clock.clone()).build();
    let stamp = ["EVALSHA", STAMP.digest(), "1", "k"];
    assert_eq!(store.execute(&stamp), Reply::Int(5000));
    clock.set(7);
    let mut session = store.session();
    session.execute(&["MULTI"]);
    session.execute(&stamp);
    session.execute(&stamp);
    assert_eq!(session.execute(&["EXEC"]), sums([7000, 7000]));
    assert_eq!(store.get_as::<i64>("k").unwrap(), 7000);
    // An expired key does not exist.
    store.execute(&["PEXPIREAT", "k", "8"]);
    clock.set(8);
    assert_eq!(store.execute(&["EVALSHA_RO", LOOK.digest(), "1", "k", "k"]), Reply::Nil);
}

/// Time passes between the scripts of a transaction, and the first one has read the time.
#[test]
fn the_time_of_a_script_is_that_of_the_transaction() {
    #[derive(Debug, Default)]
    struct Running(AtomicI64);
    impl Clock for Running {
        fn now_ms(&self) -> i64 {
            self.0.fetch_add(1, Ordering::Relaxed)
        }
    }
    let store = builder().clock(Arc::new(Running::default())).build();
    let mut session = store.session();
    session.execute(&["MULTI"]);
    for _ in 0..3 {
        session.execute(&["EVALSHA", STAMP.digest(), "1", "k"]);
    }
    let Reply::Array(times) = session.execute(&["EXEC"]) else { panic!("it runs") };
    assert_eq!(times[0], times[1]);
    assert_eq!(times[0], times[2]);
}

#[test]
fn the_log_has_the_effects_of_a_script() {
    let dir = tempfile::tempdir().unwrap();
    let store = builder().open(dir.path()).unwrap();
    assert_eq!(store.execute(&["EVALSHA", ADD.digest(), "2", "a", "b", "2"]), sums([2, 2]));
    assert_eq!(store.execute(&["EVAL", ADD.text(), "1", "a", "5"]), sums([7]));
    drop(store);
    let log = fs::read(dir.path().join("appendonlydir/appendonly.aof.1.incr.aof")).unwrap();
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains("INCRBY") && !log.contains("EVAL"), "{log}");
    // Opened without the scripts.
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(both(&store), [7, 2]);
}

/// A log of a server before 7.0.
fn old_log(dir: &Path, commands: &[&[&str]]) {
    let mut log = Vec::new();
    for words in commands {
        let words = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len()));
        let words: Vec<String> = words.collect();
        log.extend_from_slice(format!("*{}\r\n{}", words.len(), words.concat()).as_bytes());
    }
    fs::write(dir.join("appendonly.aof"), log).unwrap();
}

#[test]
fn a_log_of_an_older_server_runs_registered_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 6] = [
        &["SELECT", "0"],
        &["script", "load", "return 'of another program'"],
        &["EVAL", ADD.text(), "1", "a", "5"],
        &["EVALSHA", ADD.digest(), "2", "a", "b", "2"],
        &["script", "flush"],
        &["EVAL", ADD.text(), "1", "a", "1"],
    ];
    old_log(dir.path(), &commands);
    let refused = Store::open(dir.path()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NoScript);
    let text = refused.to_string();
    assert!(
        text.contains("command 'EVAL' on key 'a' at offset 83: ERR the store has no Lua"),
        "{text}"
    );
    assert!(!dir.path().join("appendonlydir").exists());
    let (store, file) = (Store::new(), dir.path().join("appendonly.aof"));
    assert_eq!(store.load(&file).unwrap_err().kind(), ErrorKind::NoScript);
    // Registered scripts run when a log is loaded, and when a store is opened.
    store.add_scripts(ALL);
    store.load(&file).unwrap();
    assert_eq!(both(&store), [8, 2]);
    let store = builder().open(dir.path()).unwrap();
    assert_eq!(both(&store), [8, 2]);
    // An unknown digest is refused, even after SCRIPT LOAD in the log.
    let dir = tempfile::tempdir().unwrap();
    let other = "f".repeat(40);
    old_log(dir.path(), &[&["script", "load", "x"], &["EVALSHA", &other, "0"]]);
    let refused = builder().open(dir.path()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NoScript);
    assert!(refused.to_string().contains("NOSCRIPT No matching script"), "{refused}");
}

#[test]
fn scripts_are_described_to_clients() {
    let store = Store::builder().profile(Profile::Redis70).build();
    let keys = |words: &[&str]| store.execute(&[&["COMMAND", "GETKEYS"], words].concat());
    let bulks = |words: &[&'static str]| {
        Reply::Array(words.iter().map(|&word| Reply::Bulk(word.into())).collect())
    };
    assert_eq!(keys(&["EVAL", "x", "2", "a", "b", "c"]), bulks(&["a", "b"]));
    assert_eq!(keys(&["EVALSHA_RO", "x", "0", "a"]), bulks(&[]));
    let help: Vec<String> = store.execute(&["SCRIPT", "HELP"]).convert().unwrap();
    assert!(help.iter().any(|line| line == "LOAD script"), "{help:?}");
}
