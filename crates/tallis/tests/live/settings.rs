//! CONFIG: every setting of the server, with its name, its default, and the values that it accepts.

use std::collections::BTreeMap;

use tallis::{Profile, Session, Store};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Wire, server_with};

use crate::answer::answer;

/// The settings that are set by [`Options`] or depend on the machine.
const SET: [&str; 8] =
    ["dbfilename", "dir", "logfile", "maxclients", "oom-score-adj", "port", "save", "unixsocket"];

fn words(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|word| word.as_bytes().to_vec()).collect()
}

/// Names and values, in either protocol.
fn map(reply: Reply) -> BTreeMap<String, String> {
    let text = |reply: &Reply| String::from_utf8(reply.bytes().unwrap().to_vec()).unwrap();
    let Reply::Map(pairs) = reply else { panic!("{reply} is not a map") };
    pairs.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn session() -> Session {
    let mut session = Store::builder().profile(Profile::Redis70).build().session();
    session.execute(&["HELLO", "3"]);
    session
}

#[test]
fn every_setting_exists_with_the_default_of_the_server() {
    let Some(server) = server_with(&Options::new()) else { return };
    let mut wire = Wire::open(&server, Protocol::Resp3).unwrap();
    let all = words(&["CONFIG", "GET", "*"]);
    let (ours, theirs) = (map(answer(session().execute(&all))), map(wire.run(&all).unwrap()));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    assert!(theirs.len() > 180, "{}", theirs.len());
    for (name, value) in theirs {
        if !SET.contains(&&*name) {
            assert_eq!(ours[&name], value, "{name}");
        }
    }
    for hidden in ["watchdog-period", "key-load-delay", "use-exit-on-panic"] {
        let ask = words(&["CONFIG", "GET", hidden]);
        assert_eq!(map(answer(session().execute(&ask))), map(wire.run(&ask).unwrap()));
    }
}

/// A setting of each kind, and those with special values.
const CASES: &[(&str, &[&str])] = &[
    ("activerehashing", &["no", "YES", "", "1", "maybe", "no "]),
    ("maxmemory-policy", &["allkeys-lru", "ALLKEYS-lfu", "lru", "", "noeviction noeviction"]),
    ("oom-score-adj", &["sometimes", ""]),
    (
        "shutdown-on-sigterm",
        &["nosave now", "force save", "save nosave", "default", "", "now now", "x"],
    ),
    ("timeout", &["5", "-1", "x", "2147483647", "2147483648", "05", ""]),
    ("list-max-listpack-size", &["-5", "-2147483648", "-2147483649", "7"]),
    ("list-max-ziplist-size", &["-3"]),
    ("hz", &["50", "x"]),
    ("maxmemory", &["1gb", "0", "100mb", "-1", "18446744073709551615", "18446744073709551616"]),
    ("maxmemory-clients", &["5%", "101%", "100%", "-5%", "5 %", "%", "10mb", "0"]),
    ("auto-aof-rewrite-min-size", &["64mb", "9223372036854775808", "x"]),
    ("repl-backlog-size", &["0", "2mb"]),
    ("client-query-buffer-limit", &["1k", "1gb"]),
    ("slowlog-log-slower-than", &["-1", "-2", "9223372036854775807"]),
    ("slowlog-max-len", &["-1", "10"]),
    ("tracking-table-max-keys", &["-1", "10", "9223372036854775808"]),
    ("masteruser", &["me", "", "a b"]),
    ("save", &["", "60 1", "60", "0 1", "60 -1", "900 1 300 10", "60  1", "60 x"]),
    (
        "client-output-buffer-limit",
        &[
            "normal 1mb 2mb 3",
            "slave 1 2",
            "REPLICA 1k 2k 60 pubsub 5 6 7",
            "master 1 2 3",
            "normal 1 2 -3",
            "normal x 2 3",
            "",
        ],
    ),
    ("oom-score-adj-values", &["1 2 3", "1 2", "0 0 2001", "0 0 -2000", "a b c"]),
    (
        "notify-keyspace-events",
        &["KEA", "", "Kgx", "AKE", "g$lshzxetd", "Am", "AKEmn", "K n", "x", "Q", "ngK"],
    ),
    (
        "latency-tracking-info-percentiles",
        &["50 99.95", "", "100.1", "x", "0 100", "-1", "33.33333333"],
    ),
    ("daemonize", &["yes"]),
    ("dbfilename", &["other.rdb"]),
    ("slave-read-only", &["yes", "no"]),
    ("hash-max-ziplist-entries", &["7"]),
    ("lua-time-limit", &["1", "-1"]),
    ("acl-pubsub-default", &["allchannels", "none"]),
    ("unixsocketperm", &["700"]),
];

#[test]
fn settings_accept_what_the_server_accepts() {
    let Some(server) = server_with(&Options::new()) else { return };
    let mut wire = Wire::open(&server, Protocol::Resp3).unwrap();
    let mut ours = session();
    // On the server, its value is from the command line.
    let save = words(&["CONFIG", "SET", "save", ""]);
    ours.execute(&save);
    wire.run(&save).unwrap();
    let mut different = Vec::new();
    for (name, values) in CASES {
        for value in *values {
            // After an error, the server's percentiles are in an unspecified state.
            let ask: &[&[&str]] = &[&["CONFIG", "SET", name, value], &["CONFIG", "GET", name]];
            for words in ask.iter().map(|ask| words(ask)) {
                let (ours, theirs) = (answer(ours.execute(&words)), wire.run(&words).unwrap());
                let dropped = *name == "latency-tracking-info-percentiles" && words[1] == b"GET";
                if !dropped && ours != theirs {
                    different.push(format!("{name} {value}: ours {ours}, theirs {theirs}"));
                }
            }
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    for line in [
        "hash-max-ziplist-entries 3 hash-max-listpack-entries 4",
        "timeout 7 hz x",
        "timeout 8 daemonize yes",
        "timeout 9 timeout 10",
        "timeout 11 nosuch 1 hz x",
    ] {
        let words =
            words(&["CONFIG", "SET"].into_iter().chain(line.split(' ')).collect::<Vec<_>>());
        assert_eq!(answer(ours.execute(&words)), wire.run(&words).unwrap(), "{line}");
    }
    let ask = words(&["CONFIG", "GET", "timeout", "hash-max-*"]);
    assert_eq!(map(answer(ours.execute(&ask))), map(wire.run(&ask).unwrap()));
}
