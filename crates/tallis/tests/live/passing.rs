//! Values of types that the store does not work on are kept: from a server's file to a file that a server loads.

use redis::{Connection, Value};
use tallis::rdb::Reader;
use tallis::{SaveOptions, Store, Target};
use testkit::live::{Options, Server, named_with};

use super::run;
use crate::every_type::{LATER, STREAMS, lines};
use crate::lines::{LINES, Line};

fn start(line: &Line, options: Options) -> Option<Server> {
    let options = options
        .config("enable-debug-command", "yes")
        .config("maxmemory-policy", "allkeys-lfu")
        .config("lfu-decay-time", "0");
    named_with(line.server, &options)
}

const FUNCTION: [&str; 3] =
    ["FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)"];

/// Streams with groups, frequently used values, and kinds of data that not every server supports: functions, vector
/// sets, and hashes whose fields expire.
fn fill(line: &Line, connection: &mut Connection) {
    for words in lines(STREAMS) {
        run(connection, &words);
    }
    for words in [
        &["SET", "often", "value"][..],
        &["EXPIRE", "often", "100000"],
        &["SADD", "set", "a", "b", "3"],
        &["HSET", "hash", "a", "1", "b", "2", "c", "3"],
    ] {
        run(connection, words);
    }
    for _ in 0..2000 {
        run(connection, &["GET", "often"]);
    }
    if line.has_functions() {
        run(connection, &FUNCTION);
    }
    if line.has_vector_sets() {
        for member in ["a", "b", "c"] {
            run(connection, &["VADD", "vectors", "VALUES", "2", "0.5", "1", member]);
        }
    }
    if line.has_expiring_fields() {
        run(connection, &["HPEXPIREAT", "hash", LATER, "FIELDS", "2", "a", "b"]);
        for field in 0..600 {
            run(connection, &["HSET", "large", &format!("field {field}"), "x"]);
        }
        run(connection, &["HPEXPIREAT", "large", LATER, "FIELDS", "1", "field 7"]);
    }
}

/// The server's replies about all of them.
fn seen(line: &Line, connection: &mut Connection) -> Vec<Value> {
    let mut asked: Vec<&[&str]> = vec![
        &["DEBUG", "DIGEST"],
        &["XRANGE", "stream", "-", "+"],
        &["XPENDING", "stream", "group"],
        &["XINFO", "STREAM", "empty"],
        &["OBJECT", "FREQ", "often"],
        &["OBJECT", "FREQ", "set"],
        &["HMGET", "hash", "a", "b", "c"],
    ];
    if line.has_functions() {
        asked.push(&["FUNCTION", "LIST", "WITHCODE"]);
        asked.push(&["EXPIRETIME", "often"]);
    }
    if line.has_vector_sets() {
        asked.extend([&["VCARD", "vectors"][..], &["VEMB", "vectors", "b"], &["VINFO", "vectors"]]);
    }
    if line.has_expiring_fields() {
        asked.push(&["HPEXPIRETIME", "hash", "FIELDS", "3", "a", "b", "c"]);
        asked.push(&["HPEXPIRETIME", "large", "FIELDS", "2", "field 7", "field 8"]);
    }
    asked.into_iter().map(|words| run(connection, words)).collect()
}

#[test]
fn opaque_values_are_returned_to_the_server() {
    for line in &LINES {
        let Some(server) = start(line, Options::new()) else { continue };
        let mut connection = server.connect();
        fill(line, &mut connection);
        let before = seen(line, &mut connection);
        run(&mut connection, &["SAVE"]);

        let store = Store::new();
        store.load(server.rdb_file()).unwrap();
        let lowest = store.save_to(Vec::new(), SaveOptions::default()).unwrap();
        let lowest = Reader::new(&lowest[..]).unwrap().version();
        // By default, a store saves in version 10 or later.
        let expected = if line.version == Target::V9 { Target::V10 } else { line.version };
        assert_eq!(lowest, expected.version(), "{}", line.server);

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ours.rdb");
        let options = SaveOptions { version: Some(line.version), ..SaveOptions::default() };
        store.save_with(&file, options).unwrap();
        let Some(other) = start(line, Options::new().rdb(&file)) else { continue };
        assert_eq!(seen(line, &mut other.connect()), before, "{}", line.server);
    }
}
