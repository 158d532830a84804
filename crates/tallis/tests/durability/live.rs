//! Compared with a live server: each opens the other's files after the same commands.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use redis::Value;
use tallis::{Profile, Session, Store};
use testkit::differential::{Differential, Reply as Answer, Settings, Subject};
use testkit::live::{Options, Protocol, Server, Wire, as_bytes, command, server_with};

use super::{digest, folder};
use crate::answer::answer;
use crate::store_limits::limits;

/// The sessions of a store that is kept on disk.
struct Kept(Vec<Session>);

impl Subject for Kept {
    fn execute(&mut self, session: usize, words: &[Vec<u8>]) -> Answer {
        answer(self.0[session].execute(words))
    }
}

fn open(dir: &Path, settings: &Settings) -> Store {
    Store::builder().limits(limits(settings)).profile(Profile::Redis70).open(dir).unwrap()
}

fn with_log(options: Options) -> Options {
    options.config("appendonly", "yes").config("enable-debug-command", "yes")
}

fn digest_of(server: &Server) -> String {
    match command(&mut server.connect(), &["DEBUG", "DIGEST"]) {
        Ok(Value::SimpleString(digest)) => digest,
        other => panic!("{other:?}"),
    }
}

/// Enables the log of a server: before that, the harness created payloads with commands that are not supported here.
fn begin_log(server: &Server) {
    let mut connection = server.connect();
    command(&mut connection, &["CONFIG", "SET", "appendonly", "yes"]).unwrap();
    loop {
        let info = command(&mut connection, &["INFO", "persistence"]).unwrap();
        let info = String::from_utf8_lossy(as_bytes(&info).unwrap()).into_owned();
        if info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0") {
            break;
        }
    }
}

/// Returns the keys whose values or expiries differ.
fn differences(store: &Store, server: &Server) -> Vec<String> {
    let mut session = store.session();
    let mut wire = Wire::open(server, Protocol::Resp2).unwrap();
    let mut found = Vec::new();
    for db in 0..16 {
        let mut both = |words: &[&[u8]]| {
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
            [answer(session.execute(&words)), wire.run(&words).unwrap()]
        };
        both(&[b"SELECT", db.to_string().as_bytes()]);
        let mut names = BTreeSet::new();
        for reply in both(&[b"KEYS", b"*"]) {
            let Answer::Array(keys) = reply else { panic!("KEYS replies an array") };
            for key in keys {
                let Answer::Bulk(key) = key else { panic!("a key is a string") };
                names.insert(key);
            }
        }
        for name in names {
            let digests = both(&[b"DEBUG", b"DIGEST-VALUE", &name]);
            let [ours, theirs] = both(&[b"PEXPIRETIME", &name]);
            if digests[0] != digests[1] || ours != theirs {
                let [values, _] = both(&[b"DUMP", &name]);
                let name = name.escape_ascii();
                found.push(format!("{db} {name}: {values:?}, {ours:?}, {theirs:?}"));
            }
        }
    }
    found
}

/// Deletes keys that expire within the hour, so that none expires between two comparisons, and streams, whose digest is
/// not supported here.
fn settle(mut run: impl FnMut(&[&[u8]]) -> Answer) {
    for db in 0..16 {
        run(&[b"SELECT", db.to_string().as_bytes()]);
        let Answer::Array(keys) = run(&[b"KEYS", b"*"]) else { panic!("KEYS replies an array") };
        for key in keys {
            let Answer::Bulk(key) = key else { panic!("a key is a string") };
            let expires = matches!(run(&[b"PTTL", &key]), Answer::Int(0..3_600_000));
            if expires || run(&[b"TYPE", &key]) == Answer::Status("stream".to_owned()) {
                run(&[b"DEL", &key]);
            }
        }
    }
}

#[test]
fn each_opens_the_files_of_the_other() {
    for seed in 0..6 {
        let base = if seed % 2 == 0 { "yes" } else { "no" };
        // A changed setting is not in the log, and determines how a HyperLogLog is encoded.
        let leave_out = vec!["CONFIG SET"];
        let settings = Settings { seed, commands: 4000, leave_out, ..Settings::default() };
        // While a server syncs, it replies before it has written; with `no` it does not sync.
        let options = settings.options().config("appendfsync", "no");
        let options = options.config("aof-use-rdb-preamble", base);
        let Some(server) = server_with(&options) else { return };
        let kept = RefCell::new(None);
        let subject = |settings: &Settings| {
            begin_log(&server);
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path(), settings);
            let sessions = (0..3).map(|_| store.session()).collect();
            *kept.borrow_mut() = Some((store, dir));
            Kept(sessions)
        };
        if let Err(difference) = Differential::new(settings.clone()).run(&server, subject) {
            panic!("{difference}");
        }
        let (store, dir) = kept.borrow_mut().take().unwrap();
        let mut session = store.session();
        settle(|words| answer(session.execute(words)));
        drop(session);
        if seed % 3 == 0 {
            store.rewrite_log().unwrap();
            store.append("after", "wards").unwrap();
        }
        let ours = digest(&store);
        drop(store);

        // Our files in a server.
        let options = with_log(settings.options()).config("dir", dir.path().to_str().unwrap());
        let theirs = server_with(&options).unwrap();
        assert_eq!(digest_of(&theirs), ours, "seed {seed}: {}", theirs.log());
        drop(theirs);
        assert_eq!(digest(&open(dir.path(), &settings)), ours, "seed {seed}");

        // The server's files in a store.
        let mut wire = Wire::open(&server, Protocol::Resp2).unwrap();
        settle(|words| {
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
            wire.run(&words).unwrap()
        });
        let copy = tempfile::tempdir().unwrap();
        folder::copy(&server.folder().join("appendonlydir"), &copy.path().join("appendonlydir"));
        let store = open(copy.path(), &settings);
        let [ours, theirs] = [digest(&store), digest_of(&server)];
        assert_eq!(ours, theirs, "seed {seed}: {:?}", differences(&store, &server));
    }
}
