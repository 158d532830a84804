//! The calls of the `redis` crate and those of Tallis: each is compiled, and run on the same keys; results and keys
//! must be equal. The same applies to the `redis` crate's calls on a connection to a store. The page of the
//! documentation is generated from the same rows.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::Bound;

use bytes::Bytes;
use redis::{Commands as _, Connection, RedisResult, Value};
use tallis::geo::{GeohashText, Point};
use tallis::{Error, ExpireTime, GeoHit, Profile, RedisConnection, Reply, SetOutcome, Store, Ttl};
use testkit::live;

use super::{dumped, pages, same};

/// A call of the `redis` crate and ours.
struct Row {
    theirs: &'static str,
    ours: &'static str,
    how: How,
    on_server: fn(&mut Connection) -> RedisResult<Value>,
    embedded: fn(&mut RedisConnection) -> RedisResult<Value>,
    on_store: fn(&Store) -> Result<Reply, Error>,
}

/// The comparison of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The results are equal, and so are the keys.
    Same,
    /// The same, with results in any order.
    Sorted,
    /// Only the keys are equal: the `redis` crate does not return everything that Tallis returns.
    Keys,
    /// Redis 7.0 does not have the command.
    Newer,
}
use How::{Keys, Newer, Same, Sorted};

macro_rules! rows {
    ($($how:ident $theirs:ident($($their:expr),*) => $ours:ident $(::<$type:ty>)? ($($our:expr),*) $(.$part:ident())?;)*) => {
        [$(Row {
            theirs: concat!(stringify!($theirs), "(", stringify!($($their),*), ")"),
            ours: concat!(
                stringify!($ours),
                $("::<", stringify!($type), ">",)?
                "(", stringify!($($our),*), ")",
                $("?.", stringify!($part), "()",)?
            ),
            how: $how,
            on_server: |con| rows!(@call con.$theirs($($their),*)),
            embedded: |con| rows!(@call con.$theirs($($their),*)),
            on_store: |store| {
                #[allow(unused_imports, clippy::wildcard_imports, reason = "most rows have no options")]
                use tallis::{bloom::Settings, geo::Unit, *};
                let answer = store.$ours $(::<$type>)? ($($our),*)?;
                $(let answer = answer.$part();)?
                Ok(Answer::reply(answer))
            },
        }),*]
    };
    (@call $con:ident.$theirs:ident($($their:expr),*)) => {{
        #[allow(unused_imports, clippy::wildcard_imports, reason = "most rows have no options")]
        use redis::{
            CopyOptions, Direction, ExistenceCheck, Expiry, LposOptions, SetOptions, SortedSetAddOptions,
            bloom::*, geo::*,
        };
        $con.$theirs($($their),*)
    }};
}

/// Iterators, which must yield the same elements.
macro_rules! scans {
    ($($name:ident($($argument:expr),*);)*) => {
        [$(Row {
            theirs: concat!(stringify!($name), "(", stringify!($($argument),*), ")"),
            ours: concat!(stringify!($name), "(", stringify!($($argument),*), ")"),
            how: Sorted,
            on_server: |con| scans!(@call con.$name($($argument),*)),
            embedded: |con| scans!(@call con.$name($($argument),*)),
            on_store: |store| {
                let all = store.$name($($argument),*).collect::<Result<Vec<_>, _>>()?;
                Ok(Answer::reply(all))
            },
        }),*]
    };
    (@call $con:ident.$name:ident($($argument:expr),*)) => {{
        let all = $con.$name::<$(scans!(@any $argument),)* Value>($($argument),*)?;
        Ok(Value::Array(all.collect::<RedisResult<_>>()?))
    }};
    (@any $argument:expr) => { _ };
}

/// A result as a reply.
trait Answer {
    fn reply(self) -> Reply;
}

macro_rules! answers {
    ($($type:ty: $answer:ident => $reply:expr;)*) => {$(
        impl Answer for $type {
            fn reply(self) -> Reply {
                let $answer = self;
                $reply
            }
        }
    )*};
}

answers! {
    (): _ok => Reply::OK;
    bool: yes => yes.into();
    u8: number => number.into();
    u32: number => number.into();
    i64: number => number.into();
    u64: number => number.into();
    usize: number => number.into();
    f64: number => number.into();
    &'static str: text => Reply::from(Bytes::from(text));
    std::borrow::Cow<'static, str>: text => Reply::Status(text);
    Bytes: bytes => bytes.into();
    Ttl: _left => Reply::Nil;
    ExpireTime: _at => Reply::Nil;
    SetOutcome: outcome => if outcome.set { Reply::OK } else { Reply::Nil };
    GeohashText: text => Bytes::copy_from_slice(text.as_bytes()).into();
    GeoHit: hit => hit.member.into();
    Point: point => Reply::Array([point.lon(), point.lat()].map(Reply::Coordinate).into());
    tallis::BloomInfo: info => info.items.into();
}

impl<T: Answer> Answer for Option<T> {
    fn reply(self) -> Reply {
        self.map_or(Reply::Nil, Answer::reply)
    }
}

impl<T: Answer> Answer for Vec<T> {
    fn reply(self) -> Reply {
        Reply::Array(self.into_iter().map(Answer::reply).collect())
    }
}

/// In RESP2, pairs are flat.
impl<A: Answer, B: Answer> Answer for (A, B) {
    fn reply(self) -> Reply {
        Reply::Array(vec![self.0.reply(), self.1.reply()])
    }
}

/// The calls, by the groups of the documentation.
#[expect(clippy::too_many_lines, reason = "one line per call")]
fn groups() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("Keys", rows! {
            Same del("k") => del("k");
            Same del(&["k", "n", "none"]) => del(["k", "n", "none"]);
            Same unlink(&["k", "s"]) => unlink(["k", "s"]);
            Same exists("k") => exists("k");
            Same exists(&["k", "n"]) => exists_many(["k", "n"]);
            Same key_type("s") => key_type("s");
            Same rename("k", "l") => rename("k", "l");
            Same rename_nx("k", "n") => rename_nx("k", "n");
            Same copy("k", "l", CopyOptions::default().replace(true)) => copy("k", "l", CopyOptions::default().replace(true));
            Sorted keys("*") => keys("*");
            Keys expire("k", 100) => expire("k", 100);
            Same expire_at("k", 4_102_444_800) => expire_at("k", 4_102_444_800u64);
            Keys pexpire("k", 100_000) => pexpire("k", 100_000);
            Same pexpire_at("k", 4_102_444_800_000) => pexpire_at("k", 4_102_444_800_000u64);
            Same persist("e") => persist("e");
            Keys ttl("e") => ttl("e");
            Same ttl("k") => ttl("k").secs();
            Keys pttl("e") => ttl("e").millis();
            Same expire_time("e") => expire_time("e").secs();
            Same pexpire_time("e") => expire_time("e").millis();
            Same object_encoding("s") => object_encoding("s");
            Same object_idletime("s") => object_idletime("s");
            Same object_refcount("k") => object_refcount("k");
            Keys flushdb() => flushdb();
            Keys flushall() => flushall();
        }.into()),
        ("Iteration", scans! {
            scan();
            scan_match("s*");
            sscan("s");
            sscan_match("s", "1*");
            hscan_match("u", "none*");
            zscan_match("z", "none*");
        }.into()),
        ("Strings", rows! {
            Same get("k") => get("k");
            Keys get("n") => get_as::<Option<i64>>("n");
            Same mget(&["k", "none"]) => mget(["k", "none"]);
            Same set("k", "w") => set("k", "w");
            Same set(17, 1.5) => set(17, 1.5);
            Same set_options("k", "w", SetOptions::default().conditional_set(ExistenceCheck::NX)) => set_options("k", "w", SetOptions::default().conditional_set(ExistenceCheck::NX));
            Keys set_ex("k", "w", 100) => set_ex("k", "w", 100);
            Keys pset_ex("k", "w", 100_000) => pset_ex("k", "w", 100_000);
            Same set_nx("k", "w") => set_nx("k", "w");
            Same mset(&[("a", 1), ("b", 2)]) => mset(&[("a", 1), ("b", 2)]);
            Same mset_nx(&[("a", 1), ("k", 2)]) => mset_nx(&[("a", 1), ("k", 2)]);
            Same getset("k", "w") => getset("k", "w");
            Same get_del("k") => get_del("k");
            Same get_ex("e", Expiry::PERSIST) => get_ex("e", Expiry::PERSIST);
            Same getrange("k", 1, -1) => getrange("k", 1, -1);
            Same setrange("k", 2, "xy") => setrange("k", 2, "xy");
            Same append("k", "more") => append("k", "more");
            Same strlen("k") => strlen("k");
            Same incr("n", 5) => incr("n", 5);
            Same incr("n", 7u64) => incr("n", 7u64);
            Keys incr("n", 0.5) => incr_float("n", 0.5);
            Same decr("n", 3) => decr("n", 3);
        }.into()),
        ("Bits", rows! {
            Same setbit("k", 7, true) => setbit("k", 7, true);
            Same getbit("k", 1) => getbit("k", 1);
            Same bitcount("k") => bitcount("k");
            Same bitcount_range("k", 0, 1) => bitcount_range("k", 0, 1);
            Same bit_and("d", &["k", "n"]) => bit_and("d", ["k", "n"]);
            Same bit_or("d", &["k", "n"]) => bit_or("d", ["k", "n"]);
            Same bit_xor("d", &["k", "n"]) => bit_xor("d", ["k", "n"]);
            Same bit_not("d", "k") => bit_not("d", "k");
            Newer bit_diff("d", &["k", "n"]) => bit_diff("d", ["k", "n"]);
            Newer bit_diff1("d", &["k", "n"]) => bit_diff1("d", ["k", "n"]);
            Newer bit_and_or("d", &["k", "n"]) => bit_and_or("d", ["k", "n"]);
            Newer bit_one("d", &["k", "n"]) => bit_one("d", ["k", "n"]);
        }.into()),
        ("Hashes", rows! {
            Same hset("u", "a", 5) => hset("u", "a", 5);
            Same hset("u", 7, "seven") => hset("u", 7, "seven");
            Same hset_nx("u", "a", 5) => hset_nx("u", "a", 5);
            Keys hset_multiple("u", &[("a", 3), ("c", 4)]) => hset_multiple("u", [("a", 3), ("c", 4)]);
            Same hget("u", "a") => hget("u", "a");
            Keys hget("u", "a") => hget_as::<i64>("u", "a");
            Same hmget("u", &["a", "none"]) => hmget("u", ["a", "none"]);
            Keys hgetall("u1") => hgetall("u1");
            Same hkeys("u1") => hkeys("u1");
            Same hvals("u1") => hvals("u1");
            Same hlen("u") => hlen("u");
            Same hexists("u", "a") => hexists("u", "a");
            Same hincr("u", "a", 5) => hincr("u", "a", 5);
            Keys hincr("u", "a", 0.5) => hincr_float("u", "a", 0.5);
            Same hdel("u", "a") => hdel("u", "a");
            Same hdel("u", &["a", "b", "c"]) => hdel("u", ["a", "b", "c"]);
        }.into()),
        ("Lists", rows! {
            Same lpush("l", "new") => lpush("l", "new");
            Same lpush("new", &["a", "b"]) => lpush("new", ["a", "b"]);
            Same rpush("l", 7) => rpush("l", 7);
            Same rpush("l", &["x", "y"]) => rpush("l", ["x", "y"]);
            Same lpush_exists("l", "new") => lpush_exists("l", "new");
            Same rpush_exists("none", "new") => rpush_exists("none", "new");
            Same lpop("l", None) => lpop("l");
            Same lpop("l", NonZeroUsize::new(2)) => lpop_multiple("l", 2);
            Same rpop("l", None) => rpop("l");
            Same rpop("l", NonZeroUsize::new(9)) => rpop_multiple("l", 9);
            Same llen("l") => llen("l");
            Same lindex("l", -1) => lindex("l", -1);
            Same lrange("l", 0, -2) => lrange("l", 0, -2);
            Keys lrange("n1", 0, -1) => lrange_as::<Vec<i64>>("n1", 0, -1);
            Same lset("l", 1, "new") => lset("l", 1, "new");
            Same linsert_before("l", "b", "new") => linsert_before("l", "b", "new");
            Same linsert_after("l", "b", "new") => linsert_after("l", "b", "new");
            Same lrem("l", -1, "a") => lrem("l", -1, "a");
            Same ltrim("l", 1, 2) => ltrim("l", 1, 2);
            Same lpos("l", "a", LposOptions::default()) => lpos("l", "a");
            Same lpos("l", "a", LposOptions::default().rank(-1).count(2)) => lpos_options("l", "a", LposOptions::default().rank(-1).count(2));
            Same lmove("l", "n1", Direction::Left, Direction::Right) => lmove("l", "n1", Direction::Left, Direction::Right);
            Same rpoplpush("l", "l") => rpoplpush("l", "l");
            Same lmpop(2, &["none", "l"], Direction::Right, 2) => lmpop(["none", "l"], Direction::Right, 2);
        }.into()),
        ("Sets", rows! {
            Same sadd("s", "a") => sadd("s", "a");
            Same sadd("s", &["a", "b"]) => sadd("s", ["a", "b"]);
            Same srem("s", &[1, 9]) => srem("s", [1, 9]);
            Same scard("s") => scard("s");
            Same sismember("s", 2) => sismember("s", 2);
            Same smismember("s", &[2, 9]) => smismember("s", [2, 9]);
            Sorted smembers("s") => smembers("s");
            Same smove("s", "t", 1) => smove("s", "t", 1);
            Same spop("one") => spop("one");
            Same srandmember("one") => srandmember("one");
            Same srandmember_multiple("one", 5) => srandmember_multiple("one", 5);
            Sorted sinter(&["s", "t"]) => sinter(["s", "t"]);
            Sorted sunion(&["s", "t"]) => sunion(["s", "t"]);
            Sorted sdiff(&["s", "t"]) => sdiff(["s", "t"]);
            Same sinterstore("d", &["s", "t"]) => sinterstore("d", ["s", "t"]);
            Same sunionstore("d", &["s", "t"]) => sunionstore("d", ["s", "t"]);
            Same sdiffstore("d", &["s", "t"]) => sdiffstore("d", ["s", "t"]);
        }.into()),
        ("Sorted sets", rows! {
            Same zadd("z", "d", 4) => zadd("z", "d", 4);
            Same zadd_multiple("z", &[(4, "d"), (5, "e")]) => zadd_multiple("z", &[(4, "d"), (5, "e")]);
            Same zadd_options("z", "a", 9, &SortedSetAddOptions::add_only()) => zadd_options("z", "a", 9, SortedSetAddOptions::add_only());
            Same zadd_multiple_options("z", &[(9, "a")], &SortedSetAddOptions::update_only(None)) => zadd_multiple_options("z", &[(9, "a")], SortedSetAddOptions::update_only(None));
            Same zcard("z") => zcard("z");
            Same zcount("z", 1, 2) => zcount("z", 1.0..=2.0);
            Same zincr("z", "a", 1.5) => zincr("z", "a", 1.5);
            Same zscore("z", "b") => zscore("z", "b");
            Same zscore_multiple("z", &["a", "none"]) => zscore_multiple("z", &["a", "none"]);
            Same zrank("z", "b") => zrank("z", "b");
            Same zrevrank("z", "b") => zrevrank("z", "b");
            Same zrem("z", &["a", "b"]) => zrem("z", ["a", "b"]);
            Same zrange("z", 0, -1) => zrange("z", 0, -1);
            Keys zrange_withscores("z", 0, -1) => zrange_withscores("z", 0, -1);
            Same zrevrange("z", 0, 1) => zrevrange("z", 0, 1);
            Keys zrevrange_withscores("z", 0, 1) => zrevrange_withscores("z", 0, 1);
            Same zrangebyscore("z", "(1", "+inf") => zrangebyscore("z", (Bound::Excluded(1.0), Bound::Unbounded));
            Keys zrangebyscore_withscores("z", 1, 2) => zrangebyscore_withscores("z", 1.0..=2.0);
            Same zrangebyscore_limit("z", 1, 3, 1, 1) => zrange_by("z", &ZRange::by_score(1.0..=3.0).limit(1, 1));
            Keys zrangebyscore_limit_withscores("z", 1, 3, 1, 1) => zrange_by_withscores("z", &ZRange::by_score(1.0..=3.0).limit(1, 1));
            Same zrevrangebyscore("z", 3, 2) => zrevrangebyscore("z", 2.0..=3.0);
            Keys zrevrangebyscore_withscores("z", 3, 2) => zrevrangebyscore_withscores("z", 2.0..=3.0);
            Same zrevrangebyscore_limit("z", 3, 1, 0, 2) => zrange_by("z", &ZRange::by_score(1.0..=3.0).rev().limit(0, 2));
            Same zrangebylex("x", "[a", "(c") => zrangebylex("x", LexBound::Included("a".into()), LexBound::Excluded("c".into()));
            Same zrangebylex_limit("x", "-", "+", 1, 1) => zrange_by("x", &ZRange::by_lex(LexBound::Min, LexBound::Max).limit(1, 1));
            Same zrevrangebylex("x", "+", "-") => zrevrangebylex("x", LexBound::Max, LexBound::Min);
            Same zlexcount("x", "-", "+") => zlexcount("x", LexBound::Min, LexBound::Max);
            Same zremrangebyrank("z", 0, 0) => zremrangebyrank("z", 0, 0);
            Same zrembyscore("z", 1, 2) => zrembyscore("z", 1.0..=2.0);
            Same zrembylex("x", "-", "[b") => zrembylex("x", LexBound::Min, LexBound::Included("b".into()));
            Keys zpopmin("z", 2) => zpopmin("z", 2);
            Keys zpopmax("z", 2) => zpopmax("z", 2);
            Keys zmpop_min(&["none", "z"], 1) => zmpop_min(["none", "z"], 1);
            Keys zmpop_max(&["none", "z"], 1) => zmpop_max(["none", "z"], 1);
            Keys zrandmember("z", None) => zrandmember("z");
            Keys zrandmember_withscores("z", 2) => zrandmember_withscores("z", 2);
            Same zunionstore("d", &["z", "y"]) => zunionstore("d", ["z", "y"], &[], Aggregate::Sum);
            Same zunionstore_min("d", &["z", "y"]) => zunionstore("d", ["z", "y"], &[], Aggregate::Min);
            Same zunionstore_max("d", &["z", "y"]) => zunionstore("d", ["z", "y"], &[], Aggregate::Max);
            Same zunionstore_weights("d", &[("z", 2), ("y", 3)]) => zunionstore("d", ["z", "y"], &[2.0, 3.0], Aggregate::Sum);
            Same zinterstore("d", &["z", "y"]) => zinterstore("d", ["z", "y"], &[], Aggregate::Sum);
            Same zinterstore_min("d", &["z", "y"]) => zinterstore("d", ["z", "y"], &[], Aggregate::Min);
            Same zinterstore_max("d", &["z", "y"]) => zinterstore("d", ["z", "y"], &[], Aggregate::Max);
            Same zinterstore_weights("d", &[("z", 2), ("y", 3)]) => zinterstore("d", ["z", "y"], &[2.0, 3.0], Aggregate::Sum);
        }.into()),
        ("HyperLogLogs", rows! {
            Same pfadd("h", "x") => pfadd("h", "x");
            Same pfadd("h", &["x", "y"]) => pfadd("h", ["x", "y"]);
            Same pfcount("h") => pfcount("h");
            Same pfcount(&["h", "i"]) => pfcount(["h", "i"]);
            Same pfmerge("d", &["h", "i"]) => pfmerge("d", ["h", "i"]);
        }.into()),
        ("Places", rows! {
            Same geo_add("g", (Coord::lon_lat("8.54", "47.37"), "Zurich")) => geo_add("g", [(8.54, 47.37, "Zurich")]);
            Keys geo_dist("g", "Palermo", "Catania", Unit::Kilometers) => geo_dist("g", "Palermo", "Catania", Unit::Kilometres);
            Same geo_hash("g", &["Palermo", "none"]) => geo_hash("g", ["Palermo", "none"]);
            Keys geo_pos("g", &["Palermo", "none"]) => geo_pos("g", ["Palermo", "none"]);
            Same geo_radius("g", 15.0, 37.0, 200.0, Unit::Kilometers, RadiusOptions::default().order(RadiusOrder::Asc)) => geo_radius("g", 15.0, 37.0, 200.0, Unit::Kilometres, 0);
            Same geo_radius_by_member("g", "Palermo", 200.0, Unit::Kilometers, RadiusOptions::default().order(RadiusOrder::Asc)) => geo_radius_by_member("g", "Palermo", 200.0, Unit::Kilometres, 0);
        }.into()),
        ("Bloom filters", rows! {
            Newer bf_reserve("new", 0.01, 1000) => bf_reserve("new", &Settings::new(1000, 0.01));
            Newer bf_reserve_options("new", 0.01, 1000, BloomFilterScalingOptions::NonScaling) => bf_reserve("new", &Settings::new(1000, 0.01).non_scaling());
            Newer bf_add("f", "a") => bf_add("f", "a");
            Newer bf_madd("f", &["a", "b"]) => bf_madd("f", ["a", "b"]);
            Newer bf_insert("f", &["a", "b"]) => bf_insert("f", ["a", "b"], BloomInsertOptions::default());
            Newer bf_exists("f", "a") => bf_exists("f", "a");
            Newer bf_mexists("f", &["a", "b"]) => bf_mexists("f", &["a", "b"]);
            Newer bf_card("f") => bf_card("f");
            Newer bf_scandump("f", 0) => bf_scandump("f", 0);
        }.into()),
    ]
}

/// The keys before each call.
const BEFORE: &str = "FLUSHALL
SET k value
SET n 10
SET e expires PXAT 4102444800000
HSET u a 1 b 2
HSET u1 a 1
RPUSH l a b c a
RPUSH n1 1 2
SADD s 1 2 3
SADD t 2 3 4
SADD one 7
ZADD z 1 a 2 b 3 c
ZADD y 5 b 6 d
ZADD x 0 a 0 b 0 c
PFADD h a b c
PFADD i c d
GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania";

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn each_call_has_the_same_result_and_effect() {
    let Some(server) = live::server() else { return };
    let mut con = server.connect();
    let [store, other] = [(); 2].map(|()| Store::builder().profile(Profile::Redis70).build());
    let mut embedded = other.redis_connection();
    let mut compared = 0;
    for row in groups().into_iter().flat_map(|(_, rows)| rows) {
        for line in BEFORE.lines() {
            for store in [&store, &other] {
                assert!(!store.execute(&words(line)).is_error(), "{line}");
            }
            let _: Value = live::command(&mut con, &words(line)).unwrap();
        }
        if row.how == Newer {
            store.bf_add("f", "x").unwrap();
        }
        let ours = (row.on_store)(&store).unwrap_or_else(|error| panic!("{}: {error}", row.ours));
        let ours = ours.into_resp2(Profile::default());
        if row.how == Newer {
            continue;
        }
        let by_connection = (row.embedded)(&mut embedded);
        let by_connection = by_connection.unwrap_or_else(|error| panic!("{}: {error}", row.theirs));
        let theirs =
            (row.on_server)(&mut con).unwrap_or_else(|error| panic!("{}: {error}", row.theirs));
        match row.how {
            Same => {
                assert!(same(&ours, &Ok(theirs.clone())), "{}: {ours:?}, {theirs:?}", row.ours);
                assert_eq!(by_connection, theirs, "{}", row.theirs);
            }
            Sorted => {
                assert_eq!(sorted_ours(&ours), sorted_theirs(&theirs), "{}", row.ours);
                assert_eq!(sorted_theirs(&by_connection), sorted_theirs(&theirs), "{}", row.theirs);
            }
            Keys | Newer => {}
        }
        let mut keys = store.keys("*").unwrap();
        keys.sort_unstable();
        let mut on_server: Vec<Vec<u8>> = con.keys("*").unwrap();
        on_server.sort_unstable();
        assert_eq!(keys, on_server, "{}", row.ours);
        assert_eq!(other.dbsize().unwrap(), keys.len(), "{}", row.theirs);
        for key in &keys {
            let ours = store.dump(key).unwrap().unwrap();
            let theirs: Vec<u8> = redis::cmd("DUMP").arg(&**key).query(&mut con).unwrap();
            assert_eq!(dumped(&ours), dumped(&theirs), "{}: {key:?}", row.ours);
            let by_connection = other.dump(key).unwrap().expect(row.theirs);
            assert_eq!(dumped(&by_connection), dumped(&theirs), "{}: {key:?}", row.theirs);
            let (ours, theirs) =
                (store.ttl(key).unwrap().millis(), con.pttl::<_, i64>(&**key).unwrap());
            let near = ours > 0 && (ours - theirs).abs() < 60_000;
            assert!(ours == theirs || near, "{}: {key:?} in {ours} and {theirs} ms", row.ours);
        }
        compared += 1;
    }
    assert!(compared > 120, "{compared}");
}

fn sorted_ours(reply: &Reply) -> Vec<Vec<u8>> {
    let mut all: Vec<_> =
        reply.as_slice().unwrap().iter().map(|one| one.as_bytes().unwrap().to_vec()).collect();
    all.sort_unstable();
    all
}

fn sorted_theirs(reply: &Value) -> Vec<Vec<u8>> {
    let (Value::Array(all) | Value::Set(all)) = reply else { panic!("{reply:?} is not a list") };
    let mut all: Vec<_> = all.iter().map(|one| live::as_bytes(one).unwrap().to_vec()).collect();
    all.sort_unstable();
    all
}

#[test]
fn the_page_of_calls_is_up_to_date() {
    let mut page = String::from(include_str!("redis_crate.md"));
    for (group, rows) in groups() {
        write!(page, "\n### {group}\n\n| `con.` | `store.` |\n|---|---|\n").unwrap();
        for row in rows {
            // Long calls span several lines.
            let [theirs, ours] = [row.theirs, row.ours]
                .map(|call| call.split_whitespace().collect::<Vec<_>>().join(" "));
            writeln!(page, "| `{theirs}` | `{ours}` |").unwrap();
        }
    }
    pages::compare("redis-crate.md", &page, "page_of_calls");
}
