//! Lists: their replies, their nodes at every limit, and files of old servers.

use redis::Value;
use tallis::{Limits, Profile, Store, each};
use testkit::differential::command_line;
use testkit::live::{Options, Server, as_bytes, command, server_with};
use testkit::rng::Rng;

use super::differential::profile_of;
use super::scripts::compare;
use super::{dumped, run, same};

#[test]
fn commands_on_lists_reply_like_the_server() {
    compare(&[
        "LPUSH l a b c
        RPUSH l d
        LPUSH l
        LPUSHX none a
        RPUSHX none a b
        LPUSHX l x y
        RPUSHX l z
        LLEN l
        LLEN none
        LINDEX l 0
        LINDEX l -1
        LINDEX l 99
        LINDEX l x
        LINDEX none x
        LRANGE l 0 -1
        LRANGE l -100 100
        LRANGE l 5 2
        LRANGE l 2 x
        LRANGE none 0 -1
        LSET l 0 X
        LSET l -1 Z
        LSET l 99 y
        LSET l x y
        LSET none 0 y
        LSET none x y
        LINSERT l BEFORE a new
        LINSERT l after a new
        LINSERT l BESIDE a new
        LINSERT l BEFORE none new
        LINSERT none BEFORE a new
        LREM l 1 new
        LREM l 0 none
        LREM l x new
        LREM none 0 new
        LTRIM l 1 -2
        LTRIM l x 2
        LTRIM none 0 1
        LTRIM l 5 1
        LLEN l",
        "RPUSH l a b c d e
        LPOP l
        RPOP l
        LPOP l 0
        LPOP none 0
        LPOP none
        LPOP none 3
        LPOP l -1
        LPOP l x
        LPOP l 1 2
        RPOP l 2
        RPOP l 9
        RPOP l 9",
        "RPUSH l a b a c a b
        LPOS l a
        LPOS l none
        LPOS none a
        LPOS l a RANK 2
        LPOS l a RANK -1
        LPOS l a RANK 0
        LPOS l a RANK 9
        LPOS l a RANK -9223372036854775808
        LPOS l a COUNT 0
        LPOS l a COUNT 2
        LPOS l a COUNT -1
        LPOS l none COUNT 0
        LPOS none a COUNT 0
        LPOS l a COUNT 0 MAXLEN 3
        LPOS l a COUNT 0 MAXLEN 3 RANK -1
        LPOS l a MAXLEN -1
        LPOS l a RANK
        LPOS l a SIDE 1",
    ]);
}

#[test]
fn commands_on_several_lists_and_on_none_reply_like_the_server() {
    compare(&[
        "RPUSH l a b c
        RPOPLPUSH l m
        RPOPLPUSH l l
        RPOPLPUSH none m
        LMOVE l m LEFT RIGHT
        LMOVE l l left right
        LMOVE l l LEFT LEFT
        LMOVE l m UP DOWN
        LMOVE none m LEFT LEFT
        LMOVE l m RIGHT LEFT
        LMOVE l m RIGHT LEFT
        LRANGE m 0 -1
        LMPOP 2 none m LEFT
        LMPOP 1 m RIGHT COUNT 2
        LMPOP 0 m LEFT
        LMPOP x m LEFT
        LMPOP 3 m LEFT
        LMPOP 1 m UP
        LMPOP 1 m LEFT COUNT 0
        LMPOP 1 m LEFT COUNT x
        LMPOP 1 m LEFT COUNT 1 COUNT 1
        LMPOP 1 m LEFT MORE 1
        LMPOP 1 none LEFT",
        "SET s v
        RPUSH l a
        LPUSH s a
        LPUSHX s a
        LPOP s
        LPOP s 0
        LPOP s -1
        LLEN s
        LINDEX s 0
        LINDEX s x
        LSET s x y
        LRANGE s x 1
        LRANGE s 0 1
        LINSERT s BEFORE a b
        LREM s x a
        LREM s 0 a
        LTRIM s x 1
        LTRIM s 0 1
        LPOS s a RANK 0
        LPOS s a
        LMOVE s l LEFT LEFT
        LMOVE l s LEFT LEFT
        LMOVE none s LEFT LEFT
        RPOPLPUSH l s
        LMPOP 2 s l LEFT
        LMPOP 2 l s LEFT",
    ]);
}

/// An element with a length near the limits.
fn element(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => rng.range(-40..=40).to_string(),
        1 => rng.range(-5_000_000_000..=5_000_000_000).to_string(),
        2 => "x".repeat(rng.index(300)),
        3 => format!("{}{}", rng.below(1000), "y".repeat(rng.index(3000))),
        _ => format!("e{}", rng.below(12)),
    }
}

/// One command on a list.
fn step(rng: &mut Rng) -> Vec<String> {
    let index = |rng: &mut Rng| rng.range(-40..=40).to_string();
    let mut words: Vec<String> = vec![];
    let mut line = |parts: &[&str]| words.extend(parts.iter().map(|&part| part.to_owned()));
    match rng.below(16) {
        0..4 => line(&["RPUSH", "l", &element(rng), &element(rng)]),
        4..6 => line(&["LPUSH", "l", &element(rng)]),
        6 => line(&[["LPOP", "RPOP"][rng.index(2)], "l", &rng.below(4).to_string()]),
        7..9 => line(&["LSET", "l", &index(rng), &element(rng)]),
        9..12 => {
            let side = ["BEFORE", "AFTER"][rng.index(2)];
            line(&["LINSERT", "l", side, &element(rng), &element(rng)]);
        }
        12 => line(&["LREM", "l", &rng.range(-2..=2).to_string(), &element(rng)]),
        13 => {
            let ends = ["LEFT", "RIGHT"];
            line(&["LMOVE", "l", "l", ends[rng.index(2)], ends[rng.index(2)]]);
        }
        14 if rng.below(6) == 0 => line(&["LTRIM", "l", &index(rng), &index(rng)]),
        _ => line(&["LRANGE", "l", &index(rng), &index(rng)]),
    }
    words
}

/// A store with the limits and the profile of a server.
fn beside(server: &Server, size: isize, depth: usize) -> Store {
    let limits =
        Limits { list_max_listpack_size: size, list_compress_depth: depth, ..Limits::default() };
    Store::builder().profile(profile_of(server)).limits(limits).build()
}

/// For various sizes of nodes, depths of compression and thresholds of plain nodes.
#[test]
fn nodes_equal_the_servers_at_every_limit() {
    let limits = [
        (-5, 0, "0"),
        (-2, 0, "0"),
        (-1, 1, "0"),
        (-1, 0, "200"),
        (1, 0, "0"),
        (2, 1, "0"),
        (3, 0, "60"),
        (4, 2, "1000"),
        (16, 1, "0"),
        (0, 3, "0"),
    ];
    for (seed, (size, depth, plain)) in (0..).zip(limits) {
        let options = Options::new()
            .config("enable-debug-command", "yes")
            .config("list-max-listpack-size", &size.to_string())
            .config("list-compress-depth", &depth.to_string());
        let Some(server) = server_with(&options) else { return };
        let mut connection = server.connect();
        let store = beside(&server, size, depth);
        let mut both = |words: &[&str]| {
            let (ours, theirs) = (store.execute(words), command(&mut connection, words));
            let shown = || command_line(words);
            assert!(same(&ours, &theirs), "{}: ours {ours:?}, theirs {theirs:?}", shown());
            let theirs = run(&mut connection, &["DUMP", "l"]);
            match (store.dump("l").unwrap(), as_bytes(&theirs)) {
                (Some(ours), Some(theirs)) => {
                    assert_eq!(dumped(&ours), dumped(theirs), "{size} {depth} {}", shown());
                }
                (None, None) => {}
                (ours, theirs) => panic!("{}: ours {ours:?}, theirs {theirs:?}", shown()),
            }
        };
        both(&["DEBUG", "QUICKLIST-PACKED-THRESHOLD", plain]);
        let mut rng = Rng::new(seed);
        for _ in 0..700 {
            let words = step(&mut rng);
            both(&words.iter().map(String::as_str).collect::<Vec<_>>());
            both(&["OBJECT", "ENCODING", "l"]);
        }
        both(&["DEBUG", "DIGEST"]);
    }
}

/// A payload of either side can be restored on the other one, for any nodes.
#[test]
fn lists_are_transferred_by_payload() {
    let options = Options::new().config("enable-debug-command", "yes");
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let made = Store::builder()
        .profile(Profile::Redis70)
        .limits(Limits { list_max_listpack_size: 3, list_compress_depth: 1, ..Limits::default() })
        .build();
    made.rpush("l", each((0..100).map(|n| format!("{n} {}", "text ".repeat(20))))).unwrap();
    for count in [100, 5, 3, 1] {
        made.ltrim("l", 0, count - 1).unwrap();
        let payload = made.dump("l").unwrap().unwrap();
        let store = beside(&server, -2, 0);
        let options = tallis::RestoreOptions::default().replace(true);
        store.restore("l", &payload, options).unwrap();
        let mut words: Vec<&[u8]> = vec![b"RESTORE", b"l", b"0"];
        let ours = store.dump("l").unwrap().unwrap();
        words.extend([&ours[..], b"REPLACE"]);
        run(&mut connection, &words);
        let theirs = run(&mut connection, &["DUMP", "l"]);
        assert_eq!(dumped(&ours), dumped(as_bytes(&theirs).unwrap()));
        let encoding = run(&mut connection, &["OBJECT", "ENCODING", "l"]);
        assert_eq!(as_bytes(&encoding), store.execute(&["OBJECT", "ENCODING", "l"]).as_bytes());
        let nodes = |text: &str| text.split_once(" ql_nodes").map(|(_, nodes)| nodes.to_owned());
        let Value::SimpleString(theirs) = run(&mut connection, &["DEBUG", "OBJECT", "l"]) else {
            panic!("no text")
        };
        let ours = store.execute(&["DEBUG", "OBJECT", "l"]);
        assert_eq!(ours.as_str().map(nodes), Some(nodes(&theirs)));
    }
}
