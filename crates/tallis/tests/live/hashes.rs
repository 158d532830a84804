//! Hashes, mainly at the limits of their listpacks.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use redis::Value;
use tallis::{ExpireOption, Limits, ManualClock, Profile, Store};
use testkit::live::{Options, as_bytes, command, named, server_with};

use super::differential::profile_of;
use super::scripts::compare;
use super::{dumped, run, same};

#[test]
fn commands_on_hashes_reply_like_the_server() {
    compare(&[
        "HSET h f 1
        HSET h f 2 g 3 f 4
        HSET h f
        HSET h f 1 g
        HMSET h f 1 g
        HMSET h f x g y
        HMSET h f x
        HSETNX h f z
        HSETNX h new z
        HMGET h f none new f
        HMGET none f g
        HSTRLEN h f
        HSTRLEN h none
        HSTRLEN none f
        HEXISTS h f
        HEXISTS h none
        HLEN h
        HGET none f
        HGETALL none
        HKEYS none
        HVALS none
        HRANDFIELD none
        HRANDFIELD none 3
        HRANDFIELD h 0
        HRANDFIELD h 4611686018427387904 WITHVALUES
        HRANDFIELD h -9223372036854775808
        HRANDFIELD h 1 WITHVALUES x
        HRANDFIELD h 1 x
        HDEL h none
        HDEL h f f
        HDEL h g new
        HDEL h f",
        "HINCRBY n a 5
        HINCRBY n a -7
        HSET n a 9223372036854775807
        HINCRBY n a 1
        HINCRBY n a x
        HSET n b 012 c 1.5 d text e \\s1 f ''
        HINCRBY n b 1
        HINCRBY n c 1
        HINCRBY n d 1
        HINCRBY n e 1
        HINCRBY n f 1
        HINCRBYFLOAT n a 0.5
        HINCRBYFLOAT n b 0.5
        HINCRBYFLOAT n c 0.1
        HINCRBYFLOAT n d 1
        HINCRBYFLOAT n e 1
        HINCRBYFLOAT n f 1
        HINCRBYFLOAT n g inf
        HINCRBYFLOAT n g -inf
        HINCRBYFLOAT n g nan
        HINCRBYFLOAT n g x
        HINCRBYFLOAT none g inf
        HSET n big 1e4932
        HINCRBYFLOAT n big 1e4932
        HINCRBYFLOAT n g 3.0e3
        HGET n g",
        "SET s v
        HSET s f v
        HSETNX s f v
        HGET s f
        HMGET s f
        HGETALL s
        HDEL s f
        HLEN s
        HINCRBY s f 1
        HINCRBY s f x
        HINCRBYFLOAT s f inf
        HINCRBYFLOAT s f 1
        HRANDFIELD s
        HRANDFIELD s x
        HSCAN s 0
        HSCAN s x
        HSCAN none 0 COUNT x
        HSCAN none x",
    ]);
}

/// Around each limit, and with each command that adds fields, encoding and bytes are equal to the server's.
#[test]
fn encodings_and_bytes_equal_the_servers_at_every_limit() {
    let limits = [[3, 8], [1, 1], [0, 8], [8, 0]];
    for [entries, value] in limits {
        let options = Options::new()
            .config("hash-max-listpack-entries", &entries.to_string())
            .config("hash-max-listpack-value", &value.to_string());
        let Some(server) = server_with(&options) else { return };
        let mut connection = server.connect();
        let store = Store::builder()
            .profile(Profile::Redis70)
            .limits(Limits {
                hash_max_listpack_entries: entries,
                hash_max_listpack_value: value,
                ..Limits::default()
            })
            .build();
        let mut both = |words: &[&str]| {
            let (ours, theirs) = (store.execute(words), command(&mut connection, words));
            assert!(same(&ours, &theirs), "{words:?}: ours {ours:?}, theirs {theirs:?}");
            let theirs = run(&mut connection, &["DUMP", "h"]);
            match (store.dump("h").unwrap(), as_bytes(&theirs)) {
                (Some(ours), Some(theirs)) => assert_eq!(dumped(&ours), dumped(theirs)),
                (None, None) => {}
                (ours, theirs) => panic!("{words:?}: ours {ours:?}, theirs {theirs:?}"),
            }
        };
        let texts: Vec<String> = [value.saturating_sub(1), value, value + 1]
            .into_iter()
            .flat_map(|len| ["7".repeat(len), "x".repeat(len)])
            .collect();
        for name in ["HSET", "HMSET", "HSETNX", "HINCRBY", "HINCRBYFLOAT"] {
            for text in &texts {
                let number = if text.starts_with('7') { text } else { "1" };
                let counts = name.starts_with("HINCR");
                let value = if counts { number } else { text };
                both(&["DEL", "h"]);
                for field in ["a", "b", text, "c", "a", text] {
                    both(&[name, "h", field, value]);
                    both(&["OBJECT", "ENCODING", "h"]);
                }
            }
        }
        // All in one command, with a repeated field.
        both(&["DEL", "h"]);
        both(&["HSET", "h", "a", "1", "b", "2", "c", "3", "a", "4"]);
        both(&["OBJECT", "ENCODING", "h"]);
    }
}

/// Files of servers before 7.0 are loaded as by the server.
#[test]
fn old_files_hold_what_the_server_finds_in_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/old");
    let (mut fields, mut elements) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let Some(server) = server_with(&Options::new().rdb(&file)) else { return };
        let mut connection = server.connect();
        let store = Store::builder().profile(Profile::Redis70).build();
        store.load(&file).unwrap();
        let keys = store.keys("*").unwrap();
        assert_eq!(run(&mut connection, &["DBSIZE"]), Value::Int(keys.len().try_into().unwrap()));
        for key in keys {
            let encoding = run(&mut connection, &[&b"OBJECT"[..], b"ENCODING", &key]);
            let ours = store.object_encoding(&key).unwrap().unwrap();
            assert_eq!(Some(ours.as_bytes()), as_bytes(&encoding), "{file:?}");
            let dump = run(&mut connection, &[&b"DUMP"[..], &key]);
            let ours = store.dump(&key).unwrap().unwrap();
            assert_eq!(dumped(&ours), dumped(as_bytes(&dump).unwrap()), "{file:?}");
            match store.key_type(&key).unwrap().as_deref() {
                Some("hash") => fields += store.hlen(&key).unwrap(),
                Some("list") => {
                    let theirs = run(&mut connection, &[&b"LRANGE"[..], &key, b"0", b"-1"]);
                    let ours = store.lrange(&key, 0, -1).unwrap();
                    elements += ours.len();
                    assert!(same(&ours.into(), &Ok(theirs)), "{file:?}");
                }
                // There are strings in addition to the lists.
                Some("string") => {}
                other => panic!("{file:?}: {other:?}"),
            }
        }
    }
    assert!(fields > 1000 && elements > 1000, "{fields} {elements}");
}

/// The remaining fields depend on the time of the server's sweep.
#[test]
fn a_payload_of_expired_fields_is_restored() {
    for name in ["redis-8.2.3", "valkey-9.1.2"] {
        let Some(server) = named(name) else { continue };
        let store = Store::builder()
            .profile(profile_of(&server))
            .clock(Arc::new(ManualClock::new(0)))
            .build();
        store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap();
        store.hpexpire("h", 10, ExpireOption::Always, ["a", "b"]).unwrap();
        let payload = store.dump("h").unwrap().unwrap();
        let restored =
            run(&mut server.connect(), &[&b"RESTORE"[..], b"h", b"0", &payload, b"REPLACE"]);
        assert_eq!(restored, Value::Okay, "{name}");
    }
}
