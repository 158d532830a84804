//! Fixed scripts of commands: the same replies, encodings, payloads and expiries, and the same changes for WATCH.

use redis::{Connection, Value};
use tallis::{Profile, Reply, Store};
use testkit::live::{Server, as_bytes, command, server};

use super::differential::profile_of;
use super::{dumped, run, same};

/// The words of a line: separated by blanks, `''` for an empty one, with `\s`, `\n` and `\0`.
fn words(line: &str) -> Vec<Vec<u8>> {
    let word = |word: &str| match word {
        "''" => Vec::new(),
        word => word.replace("\\s", " ").replace("\\n", "\n").replace("\\0", "\0").into_bytes(),
    };
    line.split_whitespace().map(word).collect()
}

/// Runs each script line by line, on an empty store and an empty server.
pub(crate) fn compare(scripts: &[&str]) {
    if let Some(server) = server() {
        compare_with(&server, scripts);
    }
}

/// The same on any server, under its profile.
pub(crate) fn compare_with(server: &Server, scripts: &[&str]) {
    let (mut connection, mut watcher) = (server.connect(), server.connect());
    for script in scripts {
        run(&mut connection, &["FLUSHALL"]);
        let store = Store::builder().profile(profile_of(server)).build();
        compare_one(&store, &mut connection, &mut watcher, script);
    }
}

fn compare_one(store: &Store, connection: &mut Connection, watcher: &mut Connection, script: &str) {
    let mut session = store.session();
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words = words(line);
        // Any word may be a key; reading a missing key does no harm.
        keys.extend(words.iter().skip(1).cloned());
        keys.sort();
        keys.dedup();
        for key in &keys {
            session.execute(&[&b"WATCH"[..], key]);
            run(watcher, &[&b"WATCH"[..], key]);
        }
        equal(store, connection, &words, line);
        session.execute(&["MULTI"]);
        run(watcher, &["MULTI"]);
        let (ours, theirs) = (session.execute(&["EXEC"]), run(watcher, &["EXEC"]));
        assert!(same(&ours, &Ok(theirs)), "{line}: ours {ours:?}");
        for key in &keys {
            equal(store, connection, &[&b"OBJECT"[..], b"ENCODING", key], line);
        }
    }
    for key in &keys {
        let theirs = run(connection, &[&b"DUMP"[..], key]);
        match (store.execute(&[&b"DUMP"[..], key]), as_bytes(&theirs)) {
            (Reply::Nil, None) => {}
            (Reply::Bulk(ours), Some(theirs)) => {
                assert_eq!(dumped(&ours), dumped(theirs), "{script}");
            }
            (ours, theirs) => panic!("{script}: ours {ours:?}, theirs {theirs:?}"),
        }
        let (ours, theirs) =
            (store.execute(&[&b"PTTL"[..], key]), run(connection, &[&b"PTTL"[..], key]));
        let (Reply::Int(ours), Value::Int(theirs)) = (ours, theirs) else {
            panic!("PTTL is a number")
        };
        assert_eq!(ours.min(0), theirs.min(0), "{script}: {key:?}");
        assert!(ours.abs_diff(theirs) < 20_000, "{script}: {key:?} {ours} {theirs}");
    }
}

fn equal<A: AsRef<[u8]> + std::fmt::Debug>(
    store: &Store,
    connection: &mut Connection,
    words: &[A],
    line: &str,
) {
    let (ours, theirs) = (store.execute(words), command(connection, words));
    assert!(same(&ours, &theirs), "{line}: {words:?}\nours {ours:?}\ntheirs {theirs:?}");
}

/// A refused payload does not change the idle time; looking up a key that prevents the command does.
#[test]
fn a_refused_restore_is_an_access_only_if_the_key_was_looked_up() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let store = Store::builder().profile(Profile::Redis70).build();
    let refused: [&[&str]; 4] = [
        &["RESTORE", "k", "0", "junk", "REPLACE"],
        &["RESTORE", "k", "junk", "junk", "REPLACE"],
        &["RESTORE", "k", "junk", "junk"],
        &["RESTORE", "k", "0", "junk"],
    ];
    for words in refused {
        equal(&store, &mut connection, &["SET", "k", "v"], "SET");
        let theirs = run(&mut connection, &["DUMP", "k"]);
        let payload = as_bytes(&theirs).expect("a payload").to_vec();
        let idle: [&[u8]; 7] = [b"RESTORE", b"k", b"0", &payload, b"REPLACE", b"IDLETIME", b"1000"];
        equal(&store, &mut connection, &idle, "RESTORE");
        equal(&store, &mut connection, words, "a refused RESTORE");
        equal(&store, &mut connection, &["OBJECT", "IDLETIME", "k"], &words.join(" "));
    }
}
