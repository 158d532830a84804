//! Pipelines.

use std::sync::Arc;
use std::thread;

use tallis::{ErrorKind, ManualClock, Reply, Store};
use testkit::rng::Rng;

use super::payloads;

/// A command on a few keys: valid, with invalid arguments, on a wrong type, on all keys, or of a session.
fn some_command(rng: &mut Rng) -> Vec<String> {
    let mut key = || format!("{}:{}", ["s", "n", "l", "z"][rng.index(4)], rng.below(6));
    let (a, b) = (key(), key());
    let number = rng.below(20);
    let line = match rng.below(34) {
        0..3 => format!("SADD {a} {number} text"),
        3 => format!("SREM {a} {number}"),
        4 => format!("SMISMEMBER {a} {number} 3"),
        5..8 => format!("INCRBY {a} {number}"),
        8 => format!("SET {a} {number}"),
        9 => format!("GET {a}"),
        10 => format!("MGET {a} {b} {a}"),
        11 => format!("MSET {a} 1 {b} 2"),
        12 => format!("DEL {a} {b}"),
        13 => format!("RENAME {a} {b}"),
        14..16 => format!("RPUSH {a} {number}"),
        16 => format!("LMOVE {a} {b} LEFT RIGHT"),
        17..19 => format!("ZADD {a} {number} member:{number}"),
        19 => format!("ZRANGE {a} 0 -1 WITHSCORES"),
        20 => format!("ZUNIONSTORE {a} 2 {a} {b}"),
        21 => format!("PFADD {a} {number}"),
        22 => format!("PFCOUNT {a}"),
        23 => format!("PFCOUNT {a} {b}"),
        24 => format!("HSET {a} {number} x"),
        25 => format!("SORT {a} BY w_* GET #"),
        26 => "DBSIZE".into(),
        27 => "PING".into(),
        28 => format!("EXPIRE {a} 100"),
        29 => format!("OBJECT ENCODING {a}"),
        30 => format!("SINTERCARD 2 {a} {b}"),
        31 => format!("GET {a} {b}"),
        32 => "NO SUCH command".into(),
        _ => "MULTI".into(),
    };
    line.split(' ').map(str::to_owned).collect()
}

fn filled<'s>(store: &'s Store, commands: &[Vec<String>]) -> tallis::Pipeline<'s> {
    let mut pipeline = store.pipeline();
    for words in commands {
        pipeline.cmd(&words[0]).args(&words[1..]);
    }
    pipeline
}

#[test]
fn a_pipeline_has_the_replies_of_its_single_commands() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let clock = Arc::new(ManualClock::new(1_000_000));
        let [one, many, at_once] =
            [(); 3].map(|()| Store::builder().clock(clock.clone()).hash_seed(1).build());
        for count in [0, 1, 2, 30, 80, 150] {
            let commands: Vec<_> = (0..count).map(|_| some_command(&mut rng)).collect();
            let want: Vec<Reply> = commands.iter().map(|words| one.execute(words)).collect();
            let pipeline = filled(&many, &commands);
            assert_eq!(pipeline.len(), commands.len());
            assert_eq!(pipeline.is_empty(), commands.is_empty());
            let replies = pipeline.replies().unwrap();
            for ((words, found), want) in commands.iter().zip(&replies).zip(&want) {
                assert_eq!(found, want, "{words:?} of seed {seed}");
            }
            assert_eq!(filled(&at_once, &commands).atomic().replies().unwrap(), want);
        }
        assert_eq!(payloads(&one), payloads(&many), "{seed}");
        assert_eq!(payloads(&one), payloads(&at_once), "{seed}");
    }
}

type Twelve = (i64, u8, i8, u16, i16, u32, i32, u64, usize, String, f64, i128);

#[test]
fn replies_are_returned_as_a_tuple_a_list_or_nothing() {
    let store = Store::new();
    let (one,): (i64,) = store.pipeline().incr("n", 5).query().unwrap();
    assert_eq!(one, 5);
    let mut pipeline = store.pipeline();
    for _ in 0..12 {
        pipeline.incr("n", 1);
    }
    let all: Twelve = pipeline.query().unwrap();
    assert_eq!(all, (6, 7, 8, 9, 10, 11, 12, 13, 14, "15".into(), 16.0, 17));
    // It can run again, or be filled again.
    assert_eq!(pipeline.query::<Vec<i64>>().unwrap(), (18..30).collect::<Vec<_>>());
    pipeline.clear();
    pipeline.get("none").ignore().get("n");
    assert_eq!(pipeline.query::<[i64; 1]>().unwrap(), [29]);
    pipeline.ignore().exec().unwrap();
    let error = store.pipeline().get("n").query::<(i64, i64)>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conversion);
}

#[test]
fn the_first_error_is_returned_after_all_have_run() {
    let store = Store::new();
    let mut pipeline = store.pipeline();
    pipeline.set("a", "text").ignore().incr("a", 1).ignore().incr("b", 1).sadd("a", 1);
    assert_eq!(pipeline.query::<(i64, i64)>().unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(pipeline.exec().unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(store.get_int("b").unwrap(), Some(2));
    let inside = store.transaction("a", |_| store.pipeline().get("a").exec());
    assert_eq!(inside.unwrap_err().kind(), ErrorKind::Locked);
}

#[test]
#[should_panic(expected = "an argument needs a command before it")]
fn an_argument_without_a_command_is_refused() {
    Store::new().pipeline().arg(1);
}

/// Each typed call adds the words of its command.
#[test]
fn typed_calls_add_their_commands() {
    let [typed, words] = [(); 2].map(|()| Store::builder().hash_seed(1).build());
    let mut pipeline = typed.pipeline();
    pipeline.set("k", "v").set_nx("k", 1).append("k", "w").get("k").strlen("k").getbit("k", 1);
    pipeline.mget(["k", "none"]).exists("k").expire("k", 100).ttl("k").persist("k");
    pipeline.incr("n", 5).decr("n", 2).pfadd("h", ["a", "b"]).pfcount(["h", "none"]);
    pipeline.sadd("s", [1, 2, 3]).srem("s", 2).sismember("s", 1).smismember("s", [1, 2]);
    pipeline.smembers("s").scard("s").zadd("z", "m", 1.5).zincr("z", "m", 2).zscore("z", "m");
    pipeline.zrank("z", "m").zcard("z").zadd("z", "n", f64::INFINITY).zrem("z", "m");
    pipeline.hset("f", "a", 1).hincr("f", "a", 2).hget("f", "a").hexists("f", "b").hlen("f");
    pipeline.hgetall("f").hdel("f", ["a", "b"]).rpush("l", [1, 2]).lpush("l", 0).llen("l");
    pipeline.lrange("l", 0, -1).del(["k", "n"]).del("none");
    let lines = [
        "SET k v",
        "SETNX k 1",
        "APPEND k w",
        "GET k",
        "STRLEN k",
        "GETBIT k 1",
        "MGET k none",
        "EXISTS k",
        "EXPIRE k 100",
        "TTL k",
        "PERSIST k",
        "INCRBY n 5",
        "DECRBY n 2",
        "PFADD h a b",
        "PFCOUNT h none",
        "SADD s 1 2 3",
        "SREM s 2",
        "SISMEMBER s 1",
        "SMISMEMBER s 1 2",
        "SMEMBERS s",
        "SCARD s",
        "ZADD z 1.5 m",
        "ZINCRBY z 2 m",
        "ZSCORE z m",
        "ZRANK z m",
        "ZCARD z",
        "ZADD z inf n",
        "ZREM z m",
        "HSET f a 1",
        "HINCRBY f a 2",
        "HGET f a",
        "HEXISTS f b",
        "HLEN f",
        "HGETALL f",
        "HDEL f a b",
        "RPUSH l 1 2",
        "LPUSH l 0",
        "LLEN l",
        "LRANGE l 0 -1",
        "DEL k n",
        "DEL none",
    ];
    let want: Vec<Reply> = lines
        .iter()
        .map(|line| words.execute(&line.split(' ').collect::<Vec<_>>()).into_result().unwrap())
        .collect();
    assert_eq!(pipeline.replies().unwrap(), want);
    assert_eq!(payloads(&typed), payloads(&words));
}

/// With `atomic`, the changes of a pipeline are visible all at once.
#[test]
fn an_atomic_pipeline_is_one_step() {
    let store = Store::new();
    let keys: Vec<String> = (0..30).map(|n| format!("key:{n}")).collect();
    let write = |value: u64| {
        let mut pipeline = store.pipeline();
        for key in &keys {
            pipeline.set(key, value);
        }
        pipeline.atomic().exec().unwrap();
    };
    write(0);
    thread::scope(|scope| {
        for writer in 0..2 {
            let write = &write;
            scope.spawn(move || (0..500).for_each(|n| write(2 * n + writer)));
        }
        scope.spawn(|| {
            for _ in 0..500 {
                let values: Vec<u64> = store.mget_as(&keys).unwrap();
                assert!(values.iter().all(|value| *value == values[0]));
            }
        });
    });
}
