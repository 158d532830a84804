//! Single commands, by words and by name.

use std::collections::{BTreeMap, BTreeSet};

use tallis::{Protocol, Reply, Script, Store};

use super::client::{
    self as redis, Commands, ConnectionLike as _, ErrorKind, RedisError, RedisResult,
    ServerErrorKind, TypedCommands, Value, cmd,
};
use super::open;

#[test]
fn words_are_commands_and_replies_are_values() {
    let store = Store::new();
    let mut con = open(&store);
    assert_eq!(cmd("SET").arg("k").arg(1.5).query(&mut con), Ok(Value::Okay));
    assert_eq!(cmd("GET").arg("k").query(&mut con), Ok(1.5));
    assert_eq!(cmd("GET").arg("none").query(&mut con), Ok(None::<String>));
    assert_eq!(cmd("PING").query(&mut con), Ok(Value::SimpleString("PONG".to_owned())));
    assert_eq!(cmd("SADD").arg("s").arg(&[3, 1, 2]).query(&mut con), Ok(3));
    assert_eq!(cmd("SMEMBERS").arg("s").query(&mut con), Ok(BTreeSet::from([1, 2, 3])));
    // More words than fit without an allocation.
    let many: Vec<u32> = (0..100).collect();
    assert_eq!(cmd("RPUSH").arg("l").arg(&many).query(&mut con), Ok(100));
    assert_eq!(cmd("LRANGE").arg("l").arg(0).arg(-1).query(&mut con), Ok(many));
    assert_eq!(store.get("k").unwrap().unwrap(), "1.5");
    let nothing: RedisResult<Value> = redis::Cmd::new().query(&mut con);
    assert_eq!(nothing.unwrap_err().kind(), ErrorKind::Client);
    let mut quiet = cmd("INCR");
    assert_eq!(quiet.arg("n").set_no_response(true).query(&mut con), Ok(Value::Nil));
    assert_eq!(store.get_as::<u8>("n").unwrap(), 1);
}

#[test]
fn commands_have_names() {
    let store = Store::new();
    let mut con = open(&store);
    let _: () = Commands::mset(&mut con, &[("a", 1), ("b", 2)]).unwrap();
    let sum: i64 = Commands::incr(&mut con, "a", 41).unwrap();
    assert_eq!(sum, 42);
    let both: (i64, i64, Option<i64>) = Commands::mget(&mut con, &["a", "b", "c"]).unwrap();
    assert_eq!(both, (42, 2, None));
    let _: usize = Commands::hset(&mut con, "h", "field", "value").unwrap();
    let all: BTreeMap<String, String> = Commands::hgetall(&mut con, "h").unwrap();
    assert_eq!(all, BTreeMap::from([("field".to_owned(), "value".to_owned())]));
    assert_eq!(TypedCommands::zadd(&mut con, "z", "m", 2.5), Ok(1));
    assert_eq!(TypedCommands::zscore(&mut con, "z", "m"), Ok(Some(2.5)));
    assert_eq!(TypedCommands::get(&mut con, "b"), Ok(Some("2".to_owned())));
    assert_eq!(TypedCommands::pfadd(&mut con, "p", &["x", "y"]), Ok(true));
    assert_eq!(TypedCommands::pfcount(&mut con, "p"), Ok(2));
}

#[test]
fn errors_have_the_kinds_and_texts_of_a_server() {
    let mut con = open(&Store::new());
    let _: () = Commands::set(&mut con, "k", "text").unwrap();
    let error = |result: RedisResult<Value>| -> RedisError { result.unwrap_err() };

    let wrong_type = error(Commands::sadd(&mut con, "k", 1));
    assert_eq!(wrong_type.kind(), ErrorKind::Extension);
    assert_eq!(wrong_type.code(), Some("WRONGTYPE"));
    let why = "Operation against a key holding the wrong kind of value";
    assert_eq!(wrong_type.detail(), Some(why));

    let no_number = error(Commands::incr(&mut con, "k", 1));
    assert_eq!(no_number.code(), Some("ERR"));
    assert_eq!(no_number.detail(), Some("value is not an integer or out of range"));

    let unknown = error(cmd("NOSUCH").arg("a\r\nb").query(&mut con));
    assert!(unknown.detail().unwrap().starts_with("unknown command 'NOSUCH'"), "{unknown}");

    let exec = error(cmd("EXEC").query(&mut con));
    assert_eq!(exec.detail(), Some("EXEC without MULTI"));
    let no_int: RedisResult<i64> = Commands::get(&mut con, "k");
    assert!(no_int.is_err());
}

/// The calls of the crate's own `Script`: EVALSHA, and SCRIPT LOAD if the script is unknown.
#[test]
fn registered_scripts_are_called() {
    static TWICE: Script =
        Script::new("return redis.call('INCRBY', KEYS[1], ARGV[1] * 2)", |tx, call| {
            let ([key], by) = (call.keys()?, call.int(0)?);
            tx.incr(key, 2 * by).map(Reply::Int)
        });
    let store = Store::new();
    let mut con = open(&store);
    let twice = |by: i64| {
        let mut call = cmd("EVALSHA");
        call.arg(TWICE.digest()).arg(1).arg("n").arg(by);
        call
    };
    let unknown: RedisError = twice(21).query::<i64>(&mut con).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Server(ServerErrorKind::NoScript));
    let mut load = cmd("SCRIPT");
    load.arg("LOAD").arg(TWICE.text());
    let refused: RedisError = load.query::<String>(&mut con).unwrap_err();
    assert!(refused.detail().unwrap().starts_with("the store has no Lua"), "{refused}");
    store.add_scripts([&TWICE]);
    assert_eq!(load.query(&mut con), Ok(TWICE.digest().to_owned()));
    assert_eq!(twice(21).query(&mut con), Ok(42));
    let queued: (i64, i64) = redis::pipe()
        .atomic()
        .add_command(twice(1))
        .add_command(twice(-1))
        .query(&mut con)
        .unwrap();
    assert_eq!(queued, (44, 42));
}

#[test]
fn iterators_continue_by_their_cursor() {
    let store = Store::new();
    for number in 0..500 {
        store.set(format!("key:{number}"), number).unwrap();
        store.sadd("s", [number]).unwrap();
        store.hset("h", number, number * 2).unwrap();
        store.zadd("z", number, number).unwrap();
    }
    let mut con = open(&store);
    let keys: BTreeSet<String> =
        Commands::scan_match(&mut con, "key:*").unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(keys.len(), 500);
    let members: BTreeSet<i32> =
        Commands::sscan(&mut con, "s").unwrap().collect::<Result<_, _>>().unwrap();
    assert!(members.iter().copied().eq(0..500));
    let fields: BTreeMap<i32, i32> =
        Commands::hscan(&mut con, "h").unwrap().collect::<Result<_, _>>().unwrap();
    assert!(fields.into_iter().eq((0..500).map(|number| (number, number * 2))));
    let scores: Vec<(i32, f64)> =
        Commands::zscan_match(&mut con, "z", "49?").unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(scores.len(), 10);
}

#[test]
fn replies_have_the_types_of_the_protocol() {
    let store = Store::new();
    store.zadd("z", "m", 0.1).unwrap();
    store.hset("h", "f", "v").unwrap();
    store.execute(&["GEOADD", "g", "2.25", "0.0012345", "p"]);
    let text = |text: &str| Value::BulkString(text.into());
    let ask = |protocol, words: &[&str]| {
        let mut con = open(&store).with_protocol(protocol);
        cmd(words[0]).arg(&words[1..]).query::<Value>(&mut con).unwrap()
    };
    let (two, three) = (Protocol::Resp2, Protocol::Resp3);
    assert_eq!(ask(two, &["ZSCORE", "z", "m"]), text("0.1"));
    assert_eq!(ask(three, &["ZSCORE", "z", "m"]), Value::Double(0.1));
    assert_eq!(ask(two, &["HGETALL", "h"]), Value::Array(vec![text("f"), text("v")]));
    assert_eq!(ask(three, &["HGETALL", "h"]), Value::Map(vec![(text("f"), text("v"))]));
    assert_eq!(ask(two, &["SMEMBERS", "none"]), Value::Array(Vec::new()));
    assert_eq!(ask(three, &["SMEMBERS", "none"]), Value::Set(Vec::new()));
    let pair = Value::Array(vec![text("m"), Value::Double(0.1)]);
    assert_eq!(ask(three, &["ZRANGE", "z", "0", "-1", "WITHSCORES"]), Value::Array(vec![pair]));
    assert!(matches!(ask(two, &["INFO"]), Value::BulkString(_)));
    assert!(matches!(ask(three, &["INFO"]), Value::VerbatimString { .. }));
    let Value::Array(point) = ask(three, &["GEOPOS", "g", "p"]) else { panic!("no list") };
    let Value::Array(point) = &point[0] else { panic!("no point") };
    assert!(point.iter().all(|degrees| matches!(degrees, Value::Double(_))), "{point:?}");

    store.bf_add("f", "x").unwrap();
    let items = Value::SimpleString("Number of items inserted".to_owned());
    assert_eq!(ask(three, &["BF.INFO", "f", "ITEMS"]), Value::Map(vec![(items, Value::Int(1))]));

    // HELLO makes the same choice for all later replies.
    let mut con = open(&store);
    let hello: Value = cmd("HELLO").arg(3).query(&mut con).unwrap();
    assert!(matches!(hello, Value::Map(_)));
    assert_eq!(cmd("ZSCORE").arg("z").arg("m").query(&mut con), Ok(Value::Double(0.1)));
    assert_eq!(cmd("ZSCORE").arg("z").arg("m").query(&mut con.clone()), Ok(Value::Double(0.1)));
}

#[test]
fn a_connection_has_its_own_session() {
    let store = Store::new();
    let mut con = open(&store.db(3));
    assert_eq!(con.get_db(), 3);
    let _: () = cmd("SELECT").arg(5).query(&mut con).unwrap();
    let _: () = Commands::set(&mut con, "k", "v").unwrap();
    assert_eq!(con.get_db(), 5);
    assert_eq!(store.db(5).dbsize().unwrap(), 1);
    assert!(con.is_open() && con.check_connection() && con.supports_pipelining());

    let _: () = cmd("MULTI").query(&mut con).unwrap();
    let mut other = open(&store);
    assert_eq!(cmd("PING").query(&mut other), Ok("PONG".to_owned()));
    // A clone is the same client.
    assert_eq!(cmd("GET").arg("k").query(&mut con.clone()), Ok("QUEUED".to_owned()));
    assert_eq!(cmd("EXEC").query(&mut con), Ok(("v".to_owned(),)));
    assert!(format!("{con:?}").contains("Connection"));
}

#[test]
fn a_connection_has_a_number_and_a_name() {
    let store = Store::new();
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let open = || open(&store).with_protocol(protocol);
        let (mut con, mut other) = (open(), open());
        assert_eq!(TypedCommands::client_getname(&mut con), Ok(None));
        assert_eq!(TypedCommands::client_setname(&mut con, "mine"), Ok(()));
        assert_eq!(TypedCommands::client_getname(&mut con), Ok(Some("mine".to_owned())));
        assert_eq!(TypedCommands::client_getname(&mut other), Ok(None));
        let id = TypedCommands::client_id(&mut con).unwrap();
        assert_eq!(TypedCommands::client_id(&mut con.clone()), Ok(id));
        assert_ne!(TypedCommands::client_id(&mut other), Ok(id));

        // The commands that the crate sends when it opens a connection to a server.
        let mut opening = redis::pipe();
        opening.cmd("CLIENT").arg("SETINFO").arg("LIB-NAME").arg("redis-rs").ignore();
        opening.cmd("CLIENT").arg("SETINFO").arg("LIB-VER").arg("1.2.3").ignore();
        opening.cmd("SELECT").arg(5).ignore();
        assert_eq!(opening.query(&mut con), Ok(()));
        let info: String = cmd("CLIENT").arg("INFO").query(&mut con).unwrap();
        let told =
            [&format!("id={id} "), " name=mine ", " db=5 ", " lib-name=redis-rs lib-ver=1.2.3"];
        assert!(told.iter().all(|field| info.contains(*field)), "{info}");
        let listed: String = cmd("CLIENT").arg("LIST").query(&mut con).unwrap();
        assert_eq!(listed, info.replace("cmd=client|info", "cmd=client|list"));

        // A connection without a socket cannot receive push messages.
        let tracking: RedisResult<Value> = cmd("CLIENT").arg("TRACKING").arg("ON").query(&mut con);
        let refused = tracking.unwrap_err();
        assert!(refused.to_string().contains("unknown subcommand 'TRACKING'"), "{refused}");
    }
}
