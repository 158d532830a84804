//! CLIENT, and its information about a session.

use tallis::{Profile, Reply, Store};
use testkit::live::{named, server};

use crate::both::{Both, Tree};

/// Both sides, with each installed server.
fn sides() -> impl Iterator<Item = Both> {
    let newer = ["redis-8.2.3", "valkey-9.1.2"].map(named);
    let servers = [server()].into_iter().chain(newer).flatten();
    servers.map(|server| Both::beside(server, false))
}

fn text(tree: &Tree) -> &str {
    let (Tree::Bytes(text) | Tree::Text(text)) = tree else {
        panic!("a text was expected, {tree:?} came")
    };
    text
}

/// The fields of a line of CLIENT LIST.
fn fields(line: &str) -> Vec<(&str, &str)> {
    let line = line.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{line} are several");
    line.split(' ').map(|field| field.split_once('=').unwrap()).collect()
}

/// The fields that do not depend on a socket or its traffic.
fn comparable(line: &str) -> Vec<(&str, String)> {
    let of_sockets = [
        "id",
        "addr",
        "laddr",
        "fd",
        "qbuf",
        "qbuf-free",
        "argv-mem",
        "multi-mem",
        "rbs",
        "rbp",
        "obl",
        "oll",
        "omem",
        "tot-mem",
        "events",
        "tot-net-in",
        "tot-net-out",
        "tot-cmds",
    ];
    let kept = fields(line).into_iter().filter(|(name, _)| !of_sockets.contains(name));
    kept.map(|(name, value)| match (name, value) {
        // A unix socket has a flag; without any other flag, there is the flag for none.
        ("flags", "U") => (name, "N".to_owned()),
        ("flags", flags) => (name, flags.replace('U', "")),
        // The two connections are not of the same second.
        ("age" | "idle", seconds) if seconds.parse::<u64>().is_ok() => (name, "seconds".to_owned()),
        // Valkey keeps the state that MULTI has allocated.
        ("multi", "0") => (name, "-1".to_owned()),
        _ => (name, value.to_owned()),
    })
    .collect()
}

impl Both {
    /// Expects the same lines from both, and returns ours.
    fn same_line(&mut self, words: &[&str]) -> String {
        let (ours, theirs) = self.ask(words);
        let (ours, theirs) = (text(&ours), text(&theirs));
        let names = |line| fields(line).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(ours), names(theirs), "{words:?}");
        assert_eq!(comparable(ours), comparable(theirs), "{words:?}");
        ours.to_owned()
    }
}

#[test]
fn sessions_are_named_and_listed_like_connections() {
    for mut both in sides() {
        both.all_same(
            "CLIENT
            CLIENT nosuch
            CLIENT nosuch x y
            CLIENT ''
            CLIENT HELP x
            CLIENT GETNAME
            CLIENT GETNAME x
            CLIENT ID x
            CLIENT INFO x
            CLIENT SETNAME
            CLIENT SETNAME a b
            CLIENT SETNAME me
            client getname
            Client SetName ~!
            CLIENT GETNAME
            CLIENT SETNAME ''
            CLIENT GETNAME
            CLIENT SETNAME again
            HELLO 2 SETNAME
            HELLO 9 SETNAME other
            CLIENT GETNAME
            HELLO 2 SETNAME you AUTH nobody x
            CLIENT GETNAME
            HELLO 2 SETNAME they nosuch
            CLIENT GETNAME
            HELLO 2 AUTH nobody x SETNAME they
            CLIENT GETNAME
            CLIENT SETINFO
            CLIENT SETINFO lib-name
            CLIENT SETINFO lib-name a b
            CLIENT SETINFO nosuch a
            CLIENT SETINFO LIB-Name redis-rs(tallis_v1)
            CLIENT SETINFO lib-ver 1.2
            CLIENT SETINFO lib-ver ''
            CLIENT NO-EVICT
            CLIENT NO-EVICT x
            CLIENT NO-EVICT on
            CLIENT NO-EVICT OFF
            CLIENT NO-EVICT on off
            CLIENT NO-TOUCH
            CLIENT NO-TOUCH x
            CLIENT NO-TOUCH ON
            CLIENT NO-TOUCH off
            CLIENT LIST x
            CLIENT LIST TYPE
            CLIENT LIST TYPE x
            CLIENT LIST TYPE ''
            CLIENT LIST TYPE normal x
            CLIENT LIST TYPE master
            CLIENT LIST type PRIMARY
            CLIENT LIST TYPE slave
            CLIENT LIST TYPE replica
            CLIENT LIST TYPE pubsub
            CLIENT LIST ID
            CLIENT LIST ID x
            CLIENT LIST ID 0
            CLIENT LIST ID -1
            CLIENT LIST ID 01
            CLIENT LIST ID 1000000
            CLIENT LIST ID 1000000 x
            CLIENT LIST ID 1000000 -1
            CLIENT LIST ID 9223372036854775807
            CLIENT LIST ID 9223372036854775808
            CLIENT LIST TYPE normal ID 1000000
            CLIENT LIST TYPE normal ID
            CLIENT LIST ID 1000000 TYPE normal
            CLIENT LIST ID 1000000 TYPE
            CLIENT LIST ID 1000000 ID 2000000
            CLIENT LIST TYPE normal TYPE master
            MULTI
            CLIENT GETNAME
            CLIENT SETNAME inside
            CLIENT SETNAME
            CLIENT nosuch
            EXEC
            CLIENT GETNAME
            MULTI
            CLIENT GETNAME
            CLIENT SETNAME inside
            CLIENT GETNAME
            CLIENT NO-EVICT on
            EXEC
            CLIENT GETNAME
            RESET
            CLIENT GETNAME",
        );
    }
}

#[test]
fn unusual_arguments_are_parsed_like_on_the_servers() {
    for mut both in sides() {
        // The client library has set its name.
        both.same(&["CLIENT", "SETINFO", "lib-name", ""]);
        both.same(&["CLIENT", "SETINFO", "lib-ver", ""]);
        let odd =
            [&b"a b"[..], b"a\n", b"\x7f", b"\xc3\xa9", b"a\x00b", b"a\x00 b", b"\x00", b"a\x01"];
        for odd in odd {
            both.same(&[&b"CLIENT"[..], odd]);
            both.same(&[&b"CLIENT"[..], b"SETNAME", odd]);
            both.same(&["CLIENT", "GETNAME"]);
            both.same(&[&b"CLIENT"[..], b"SETINFO", b"LIB-name", odd]);
            both.same(&[&b"CLIENT"[..], b"SETINFO", odd, b"x"]);
            both.same(&[&b"CLIENT"[..], b"LIST", b"TYPE", odd]);
            both.same(&[&b"CLIENT"[..], b"LIST", b"ID", odd]);
            both.same_line(&["CLIENT", "INFO"]);
        }
        both.same(&[&b"CLIENT"[..], b"NO-EVICT", b"on\x00x"]);
        both.same(&[&b"CLIENT"[..], b"LIST", b"TYPE\x00x", b"pubsub\x00x"]);
        both.same(&[&b"CLIENT"[..], b"LIST", b"TYPE", b"x\x00y"]);
        both.same(&[&b"CLIENT"[..], b"SETINFO", b"x\x00y", b"z"]);
        both.same(&[&b"CLIENT"[..], b"SETINFO", b"lib-name\x00y", b"z\x00 a"]);
        both.same_line(&["CLIENT", "INFO"]);
    }
}

#[test]
fn a_session_is_described_like_a_connection() {
    for mut both in sides() {
        // The client library has set its name.
        both.same(&["CLIENT", "SETINFO", "lib-name", ""]);
        both.same(&["CLIENT", "SETINFO", "lib-ver", ""]);
        for protocol in ["2", "3"] {
            both.ask(&["HELLO", protocol, "SETNAME", "first"]);
            both.same_line(&["CLIENT", "INFO"]);
            both.same_line(&["CLIENT", "LIST"]);
            both.same_line(&["CLIENT", "LIST", "TYPE", "normal"]);
            both.all_same("SELECT 3\nWATCH a b a\nSELECT 5");
            both.same_line(&["CLIENT", "INFO"]);
            both.same(&["CLIENT", "NO-EVICT", "on"]);
            both.same(&["CLIENT", "NO-TOUCH", "on"]);
            both.same(&["CLIENT", "SETINFO", "lib-name", "tallis"]);
            both.same(&["CLIENT", "SETINFO", "lib-ver", "0.1"]);
            both.all_same("SELECT 3\nDEL b\nSET b 1");
            // A watched key has changed.
            let line = both.same_line(&["CLIENT", "INFO"]);
            assert!(line.contains(" flags=de"), "{line}");
            both.all_same("MULTI\nPING\nEXEC");
            both.same_line(&["CLIENT", "LIST"]);
            both.same(&["WATCH", "c"]);
            both.same(&["MULTI"]);
            for words in [&["CLIENT", "INFO"][..], &["CLIENT", "LIST"], &["PING"]] {
                both.same(words);
            }
            let (ours, theirs) = both.ask(&["EXEC"]);
            for (ours, theirs) in ours.items().iter().zip(theirs.items()).take(2) {
                assert_eq!(comparable(text(ours)), comparable(text(theirs)));
                let ours = text(ours);
                assert!(ours.contains(" multi=3 ") && ours.contains(" cmd=exec "), "{ours}");
            }
            both.same_line(&["CLIENT", "INFO"]);
            both.same(&["RESET"]);
            both.same_line(&["CLIENT", "INFO"]);
        }
        // By its own number, which differs between the sides.
        let (ours, theirs) = both.ask(&["CLIENT", "ID"]);
        let (Tree::Int(ours), Tree::Int(theirs)) = (ours, theirs) else { panic!("no numbers") };
        for twice in [false, true] {
            let shown = |id: i64| {
                let id = id.to_string();
                let ids = if twice { [id.clone(), id] } else { [id, "1000000".to_owned()] };
                ["CLIENT", "LIST", "ID"].map(str::to_owned).into_iter().chain(ids).collect()
            };
            let (ours, theirs): (Vec<String>, Vec<String>) = (shown(ours), shown(theirs));
            let ours = crate::both::ours(both.session.execute(&ours));
            let theirs = crate::both::theirs(testkit::live::command(&mut both.connection, &theirs));
            let lines = |tree: &Tree| text(tree).lines().count();
            assert_eq!(lines(&ours), lines(&theirs), "twice: {twice}");
        }
    }
}

#[test]
fn no_touch_keeps_the_access_times_of_keys() {
    /// Seconds since the last access of each key before a command.
    const IDLE: &str = "1000";
    let makers = [
        ("SET k 1", "GET k"),
        ("SET k 1", "INCR k"),
        ("SET k 1", "SET k 2"),
        ("SET k text", "SET k 2 EX 100"),
        ("SET k 1", "MSET k 2"),
        ("SET k 1", "APPEND k 2"),
        ("SET k 1", "GETEX k EX 100"),
        ("SET k 1", "EXPIRE k 100"),
        ("SET k 1", "EXISTS k"),
        ("SET k 1", "TOUCH k"),
        ("SET k 1", "COPY k l"),
        ("SET k 1", "COPY l k REPLACE"),
        ("SET k 1", "RENAME l k"),
        ("SET k 1", "SADD k a"),
        ("SADD k a", "SADD k b"),
        ("SADD k a", "SMEMBERS k"),
        ("SADD k a", "SUNIONSTORE k k other"),
        ("SADD k a", "SMOVE other k b"),
        ("HSET k f v", "HSET k g v"),
        ("HSET k f v", "HGETALL k"),
        ("RPUSH k a", "LPUSH k b"),
        ("RPUSH k 2 1", "SORT k"),
        ("RPUSH k 2 1", "SORT k STORE k"),
        ("ZADD k 1 a", "ZADD k 2 b"),
        ("ZADD k 1 a", "ZRANGE k 0 -1"),
        ("PFADD k a", "PFADD k b"),
        ("PFADD k a", "PFCOUNT k"),
        ("SET k 1", "DEL k"),
    ];
    for mut both in sides() {
        let touched = both.session.profile() == Profile::Redis70;
        both.same(&["CLIENT", "NO-TOUCH", "on"]);
        for ((made, command), in_exec) in
            makers.into_iter().flat_map(|it| [(it, false), (it, true)])
        {
            both.same(&["FLUSHALL"]);
            both.all_same(made);
            both.all_same("SET l 1000000\nSADD other b");
            let Reply::Bulk(payload) = both.session.execute(&["DUMP", "k"]) else {
                panic!("no payload of {made}")
            };
            let words: [&[u8]; 7] =
                [b"RESTORE", b"k", b"0", &payload, b"REPLACE", b"IDLETIME", IDLE.as_bytes()];
            both.same(&words);
            if in_exec {
                both.same(&["MULTI"]);
            }
            both.all_same(command);
            if in_exec {
                both.ask(&["EXEC"]);
            }
            let (ours, theirs) = both.ask(&["OBJECT", "IDLETIME", "k"]);
            // Rounded to a minute, which shows whether it was accessed.
            let minute = |tree: Tree| {
                if let Tree::Int(idle) = tree { Tree::Int((idle + 10) / 60) } else { tree }
            };
            let (ours, theirs) = (minute(ours), minute(theirs));
            assert_eq!(ours, theirs, "{made}, {command}, in EXEC: {in_exec}");
            assert!(!touched || !command.starts_with("GET") || ours == Tree::Int(0));
        }
    }
}

#[test]
fn sessions_have_their_own_numbers() {
    let store = Store::new();
    let mut sessions = [store.session(), store.session(), store.session()];
    let ids = sessions.each_mut().map(|session| {
        let id: i64 = session.execute(&["CLIENT", "ID"]).convert().unwrap();
        let hello: Vec<(String, Reply)> = session.execute(&["HELLO", "3"]).convert().unwrap();
        let told = hello.into_iter().find(|(name, _)| name == "id").unwrap().1;
        assert_eq!(told, Reply::Int(id));
        id
    });
    assert_eq!(ids, [1, 2, 3]);
    // A name belongs to one session, and a store without a session has none.
    sessions[0].execute(&["CLIENT", "SETNAME", "me"]);
    assert_eq!(sessions[1].execute(&["CLIENT", "GETNAME"]), Reply::Nil);
    let refused = store.execute(&["CLIENT", "GETNAME"]).into_result().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "ERR 'client|getname' requires a session: it uses the state of a connection"
    );
    assert!(!store.execute(&["CLIENT", "HELP"]).is_error());
}
