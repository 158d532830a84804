//! What the store does not work on passes through it: from a server's file into a file that a server starts on.

use redis::{Connection, Value};
use tallis::{Store, Target};
use testkit::live::{Options, Server, Version, as_bytes, command, server_with};

use super::run;

fn start(options: Options) -> Option<Server> {
    server_with(
        &options
            .config("enable-debug-command", "yes")
            .config("maxmemory-policy", "allkeys-lfu")
            .config("lfu-decay-time", "0"),
    )
}

/// Streams with groups, functions, values that were used often, and hashes whose fields expire where the server has
/// them. Whether it has.
fn fill(connection: &mut Connection) -> bool {
    for words in [
        &["XADD", "stream", "1-1", "field", "value"][..],
        &["XADD", "stream", "2-1", "field", "other", "more", "text"],
        &["XGROUP", "CREATE", "stream", "group", "0"],
        &["XREADGROUP", "GROUP", "group", "consumer", "COUNT", "1", "STREAMS", "stream", ">"],
        &["XDEL", "stream", "2-1"],
        &["SELECT", "5"],
        &["XADD", "empty", "1-1", "a", "b"],
        &["XTRIM", "empty", "MAXLEN", "0"],
        &["SELECT", "0"],
        &[
            "FUNCTION",
            "LOAD",
            "#!lua name=lib\nredis.register_function('f', function() return 1 end)",
        ],
        &["SET", "often", "value"],
        &["EXPIRE", "often", "100000"],
        &["SADD", "set", "a", "b", "3"],
    ] {
        run(connection, words);
    }
    for _ in 0..2000 {
        run(connection, &["GET", "often"]);
    }
    run(connection, &["HSET", "hash", "a", "1", "b", "2", "c", "3"]);
    let words = ["HPEXPIREAT", "hash", "4102444800000", "FIELDS", "2", "a", "b"];
    let has_expiry = command(connection, &words).is_ok();
    if has_expiry {
        for field in 0..600 {
            run(connection, &["HSET", "large", &format!("field {field}"), "x"]);
        }
        run(connection, &["HPEXPIREAT", "large", "4102444800000", "FIELDS", "1", "field 7"]);
    }
    has_expiry
}

/// What the server says of all that.
fn seen(connection: &mut Connection, has_expiry: bool) -> Vec<Value> {
    let mut asked: Vec<&[&str]> = vec![
        &["DEBUG", "DIGEST"],
        &["FUNCTION", "LIST", "WITHCODE"],
        &["XRANGE", "stream", "-", "+"],
        &["XPENDING", "stream", "group"],
        &["OBJECT", "FREQ", "often"],
        &["OBJECT", "FREQ", "set"],
        &["EXPIRETIME", "often"],
        &["HGETALL", "hash"],
        &["SELECT", "5"],
        &["XINFO", "STREAM", "empty"],
        &["SELECT", "0"],
    ];
    if has_expiry {
        asked.push(&["HPEXPIRETIME", "hash", "FIELDS", "3", "a", "b", "c"]);
        asked.push(&["HPEXPIRETIME", "large", "FIELDS", "2", "field 7", "field 8"]);
    }
    asked.into_iter().map(|words| run(connection, words)).collect()
}

#[test]
fn what_is_opaque_comes_back_to_the_server() {
    let Some(server) = start(Options::new()) else { return };
    let mut connection = server.connect();
    let has_expiry = fill(&mut connection);
    let before = seen(&mut connection, has_expiry);
    run(&mut connection, &["SAVE"]);

    let store = Store::new();
    store.load(server.rdb_file()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.rdb");
    store.save(&file).unwrap();
    let version = rdb::Reader::new(&std::fs::read(&file).unwrap()[..]).unwrap().version();
    let info = run(&mut connection, &["INFO", "server"]);
    let info = String::from_utf8_lossy(as_bytes(&info).unwrap()).into_owned();
    let lowest = if !has_expiry {
        if server.version() >= Version::new(7, 2, 0) { Target::V11 } else { Target::V10 }
    } else if info.contains("valkey_version") {
        Target::Valkey80
    } else {
        Target::V12
    };
    assert_eq!(version, lowest.version());

    let Some(other) = start(Options::new().rdb(&file)) else { return };
    assert_eq!(seen(&mut other.connect(), has_expiry), before);
}
