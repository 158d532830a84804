//! Commands on the server itself, and on sessions.

use tallis::{Limits, Reply, Session, Store};

use crate::both::{Both, Tree, ours};

#[test]
fn settings_are_read_and_changed() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "CONFIG
        CONFIG nosuch
        CONFIG GET
        CONFIG GET databases
        CONFIG GET DATAbases
        CONFIG GET DATAB?SES
        CONFIG GET data\\bases
        CONFIG GET data\\b?ses
        CONFIG GET nosuch
        CONFIG GET ''
        CONFIG GET proto-max-bulk-len
        CONFIG GET set-max-listpack-entries
        CONFIG GET set-max-*
        CONFIG GET set-max-intset-entries set-max-intset-entries
        CONFIG RESETSTAT
        CONFIG RESETSTAT x
        CONFIG SET
        CONFIG SET nosuch
        CONFIG SET nosuch 1
        CONFIG SET '' 1
        CONFIG SET set-max-listpack-entries 1
        CONFIG SET set-max-listpack-value 1
        CONFIG SET set-max-intset-entries
        CONFIG SET set-max-intset-entries 1 nosuch
        CONFIG SET set-max-intset-entries 1 nosuch 2
        CONFIG SET nosuch 2 set-max-intset-entries x
        CONFIG SET set-max-intset-entries x nosuch 2
        CONFIG SET databases 3
        CONFIG SET DATABASES x
        CONFIG SET databases 3 nosuch 1
        CONFIG SET nosuch 1 databases 3
        CONFIG SET set-max-intset-entries x databases 3
        CONFIG SET set-max-intset-entries 7 hll-sparse-max-bytes x
        CONFIG SET set-max-intset-entries 7 SET-MAX-intset-entries 8
        CONFIG SET HLL-sparse-max-bytes -1
        CONFIG SET SET-max-intset-entries -1",
    );
}

#[test]
fn values_of_settings_are_parsed_like_on_the_server() {
    let Some(mut both) = Both::new() else { return };
    let settings = [
        "set-max-intset-entries",
        "hll-sparse-max-bytes",
        "zset-max-listpack-entries",
        "zset-max-listpack-value",
        "zset-max-ziplist-value",
    ];
    let values = [
        "0",
        "1",
        "007",
        "-0",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.5",
        "x",
        "",
        "1b",
        "1B",
        "1k",
        "1kB",
        "2m",
        "2mb",
        "1g",
        "1gb",
        "1t",
        "1kib",
        "kb",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999gb",
        "99999999999gb",
        "34359738368gb",
    ];
    for value in [&b"\x00"[..], b"3\x00", b"3kb\x00x", b"x\x00", b"3x\x00"] {
        for name in settings {
            both.same(&[&b"CONFIG"[..], b"SET", name.as_bytes(), value]);
            both.same(&[&b"CONFIG"[..], b"GET", name.as_bytes()]);
        }
    }
    // If the part before the zero byte is not a pattern, the server looks up the name by a hash of all its bytes and
    // compares it up to the zero byte: it finds the setting only if both hashes are in the same bucket, which happens
    // once in hundreds of runs.
    for pattern in [&b"databas*\x00x"[..], b"databas?\x00"] {
        both.same(&[&b"CONFIG"[..], b"GET", pattern]);
    }
    // A setting also has an older name, and both are set.
    for words in [
        "zset-max-ziplist-entries 5 zset-max-listpack-entries 6",
        "zset-max-listpack-value 7 zset-max-ziplist-value 8",
        "zset-max-listpack-value 7 zset-max-listpack-value 8",
    ] {
        let words: Vec<&str> = ["CONFIG", "SET"].into_iter().chain(words.split(' ')).collect();
        both.same(&words);
        for name in ["listpack-entries", "ziplist-entries", "listpack-value", "ziplist-value"] {
            both.same(&["CONFIG", "GET", &format!("zset-max-{name}")]);
        }
    }
    let long = ["0".repeat(127), "0".repeat(128), format!("{}7", "0".repeat(126))];
    for name in settings {
        for value in values.into_iter().chain(long.iter().map(String::as_str)) {
            both.same(&["CONFIG", "SET", name, value]);
            both.same(&["CONFIG", "GET", name]);
        }
    }
    both.same(&["CONFIG", "SET", "hll-sparse-max-bytes", "3KB", "SET-max-intset-entries", "2"]);
    for name in settings {
        both.same(&["CONFIG", "GET", name]);
    }
    both.all_same("SADD s 1 2\nOBJECT ENCODING s\nSADD s 3\nOBJECT ENCODING s\nHELLO 3 x");
    both.ask(&["HELLO", "3"]);
    both.all_same("CONFIG GET set-max-intset-entries databases hll*\nCONFIG GET nosuch");
    for odd in [&b"a\nb"[..], b"a\r\nb\x00c", b"a\x00b"] {
        both.same(&[&b"CONFIG"[..], b"SET", odd, b"1"]);
        both.same(&[&b"CONFIG"[..], odd]);
        both.same(&[&b"DEBUG"[..], odd]);
        both.same(&[odd, odd]);
    }
}

#[test]
fn the_newer_profile_has_the_settings_of_listpacks() {
    let store = Store::new();
    assert_eq!(
        store.execute(&["CONFIG", "GET", "set-max-listpack-*"]),
        Reply::Map(
            [("set-max-listpack-entries", "128"), ("set-max-listpack-value", "64")]
                .map(|(name, value)| (Reply::Bulk(name.into()), Reply::Bulk(value.into())))
                .to_vec()
        )
    );
    let words = ["CONFIG", "SET", "set-max-listpack-entries", "7", "set-max-listpack-value", "9"];
    assert_eq!(store.execute(&words), Reply::OK);
    let changed =
        Limits { set_max_listpack_entries: 7, set_max_listpack_value: 9, ..Limits::default() };
    assert_eq!(store.limits(), changed);
    let words = ["CONFIG", "SET", "set-max-listpack-entries", "8", "hll-sparse-max-bytes", "x"];
    assert!(store.execute(&words).is_error());
    assert_eq!(store.limits(), changed);
}

#[test]
fn memory_and_help_have_the_servers_errors() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "SET k v
        MEMORY
        MEMORY nosuch
        MEMORY USAGE
        MEMORY USAGE nosuch
        MEMORY USAGE nosuch SAMPLES 0
        MEMORY USAGE nosuch SAMPLES x
        MEMORY USAGE k SAMPLES
        MEMORY USAGE k SAMPLES x
        MEMORY USAGE k SAMPLES -1
        MEMORY USAGE k SAMPLES 99999999999999999999
        MEMORY USAGE k x 1
        MEMORY USAGE k SAMPLES 1 x
        MEMORY HELP x
        OBJECT
        OBJECT nosuch
        OBJECT HELP x
        CONFIG HELP x
        COMMAND HELP x
        PING
        PING a
        PING a b
        ECHO
        ECHO a b
        TIME x",
    );
    for options in [&[][..], &["SAMPLES", "0"], &["samples", "5", "SAMPLES", "6"]] {
        let words: Vec<&str> =
            ["MEMORY", "USAGE", "k"].iter().chain(options.iter()).copied().collect();
        let (ours, theirs) = both.ask(&words);
        assert!(matches!((ours, theirs), (Tree::Int(1..), Tree::Int(1..))));
    }
    for name in ["OBJECT", "MEMORY", "CONFIG", "COMMAND", "DEBUG"] {
        let (ours, theirs) = both.ask(&[name, "HELP"]);
        let (ours, theirs) = (ours.items(), theirs.items());
        assert_eq!(ours[0], theirs[0]);
        assert_eq!(ours[ours.len() - 2..], theirs[theirs.len() - 2..]);
        assert!(ours.iter().all(|line| matches!(line, Tree::Status(_))));
        for line in &ours[1..ours.len() - 2] {
            let Tree::Status(text) = line else { panic!("{line:?} is not a line") };
            assert!(!text.starts_with(' ') || !theirs.contains(line), "{text}");
        }
    }
    let (ours, theirs) = both.ask(&["TIME"]);
    for time in [ours, theirs] {
        let parts: Vec<u64> =
            time.items().iter().map(|part| part.bytes().parse().unwrap()).collect();
        assert!(parts.len() == 2 && parts[1] < 1_000_000);
    }
}

/// The fields in a line of DEBUG OBJECT, without those that differ between processes.
fn fields(line: &Tree) -> Vec<(String, String)> {
    let Tree::Status(line) = line else { panic!("{line:?} is not a status") };
    let fields = line.strip_prefix("Value ").unwrap().split(' ');
    let mut fields: Vec<(String, String)> = fields
        .map(|field| field.split_once(':').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert!(fields[0].1.starts_with("0x"));
    fields[0].1.clear();
    for (name, value) in &mut fields {
        if name.starts_with("lru") {
            assert!(value.parse::<u32>().unwrap() < 1 << 24);
            value.clear();
        }
    }
    fields
}

#[test]
fn debug_object_measures_like_the_server() {
    let Some(mut both) = Both::new() else { return };
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut command = |words: &[&str]| commands.push(words.iter().map(|&w| w.into()).collect());
    for number in [
        "0",
        "9999",
        "10000",
        "-1",
        "127",
        "128",
        "-128",
        "-129",
        "32767",
        "32768",
        "-32769",
        "2147483647",
        "2147483648",
        "-2147483649",
        "9223372036854775807",
        "007",
        "",
    ] {
        command(&["SET", &format!("n{number}"), number]);
    }
    // No part of the bytes repeats in a way that could be compressed.
    let varied: String = (0..94u8).map(|at| char::from(b'!' + at)).collect();
    for len in [1, 20, 21, 22, 23, 44, 45, 63, 64, 94] {
        command(&["SET", &format!("s{len}"), &varied[..len]]);
    }
    command(&["SADD", "i16", "1", "2", "-3"]);
    command(&["SADD", "i32", "1", "2", "100000"]);
    command(&["SADD", "i64", "1", "-10000000000"]);
    command(&["SADD", "h", "1", "x", "", "12345", "70000", "-10000000000", "text"]);
    let many: Vec<String> = (0..200).map(|number| format!("member:{number}")).collect();
    let many: Vec<&str> = ["SADD", "big"].into_iter().chain(many.iter().map(|m| &**m)).collect();
    command(&many);
    for words in commands {
        both.same(&words);
        let (ours, theirs) = both.ask(&["DEBUG", "OBJECT", &words[1]]);
        assert_eq!(fields(&ours), fields(&theirs), "{words:?}");
    }
    both.all_same(
        "DEBUG
        DEBUG OBJECT
        DEBUG OBJECT a b
        DEBUG OBJECT nosuch
        DEBUG nosuch
        DEBUG nosuch x",
    );
}

#[test]
fn info_reports_the_keyspace_like_the_server() {
    let Some(mut both) = Both::new() else { return };
    both.all_same("INFO keyspace\nSET a 1\nSET b 2\nSELECT 3\nSADD c 1\nSELECT 0");
    both.all_same("INFO keyspace\nINFO KEYSPACE nosuch\nINFO nosuch\nINFO keyspace keyspace");
    both.same(&["EXPIRE", "a", "100000"]);
    let expiring = both.same(&["INFO", "nosuch"]);
    assert_eq!(expiring, Tree::Bytes(String::new()));
    // The server updates its estimate of the average only from time to time.
    let (ours, _) = both.ask(&["INFO", "keyspace"]);
    let line = ours.bytes().lines().nth(1).unwrap();
    let ttl = line.strip_prefix("db0:keys=2,expires=1,avg_ttl=").unwrap();
    assert!((90_000_000..=100_000_000).contains(&ttl.parse::<u64>().unwrap()));
    both.same(&["PERSIST", "a"]);
    both.ask(&["HELLO", "3"]);
    // The server keeps its estimate until it next looks for expired keys.
    let (ours, theirs) = both.ask(&["INFO", "keyspace"]);
    let (Tree::Text(ours), Tree::Text(theirs)) = (ours, theirs) else { panic!("no texts") };
    let averages = |info: &str| info.matches(",avg_ttl=0\r\n").count();
    assert_eq!(averages(&ours), 2, "{ours:?}");
    assert_eq!(without_averages(&ours), without_averages(&theirs));

    for sections in [&[][..], &["default"], &["all"], &["Everything"], &["server", "ALL"]] {
        let words: Vec<&str> = ["INFO"].iter().chain(sections).copied().collect();
        let (ours, theirs) = both.ask(&words);
        let (Tree::Text(ours), Tree::Text(theirs)) = (ours, theirs) else { panic!("no texts") };
        assert_eq!(heads(&ours), ["# Server", "# Memory", "# Persistence", "# Keyspace"]);
        let live = heads(&theirs);
        assert!(heads(&ours).iter().all(|head| live.contains(head)));
        assert!(
            ours.split("\r\n")
                .all(|line| { line.is_empty() || line.starts_with("# ") || line.contains(':') })
        );
        assert!(ours.contains("\r\nredis_version:7.0.0\r\n"));
    }
}

/// The lines of the keyspace without their last field.
fn without_averages(info: &str) -> Vec<&str> {
    info.lines().map(|line| line.split(",avg_ttl=").next().unwrap()).collect()
}

fn heads(info: &str) -> Vec<&str> {
    info.lines().filter(|line| line.starts_with('#')).collect()
}

#[test]
fn sessions_begin_and_end_like_connections() {
    let Some(mut both) = Both::new() else { return };
    both.all_same(
        "HELLO 4
        HELLO 1
        HELLO x
        HELLO 2 foo
        HELLO 3 SETNAME
        HELLO 3 AUTH
        HELLO 3 AUTH default
        HELLO 3 AUTH nobody x
        HELLO 3 AUTH Default x
        HELLO setname x
        HELLO 3 SETNAME a AUTH nobody x
        HELLO 3 AUTH nobody x foo
        SADD s 1
        SMEMBERS s
        MULTI
        HELLO 9
        RESET
        EXEC
        RESET x
        MULTI
        RESET x
        EXEC
        SELECT 3
        RESET
        DBSIZE
        WATCH s
        MULTI
        SMEMBERS s
        CONFIG GET databases
        PING
        RESET
        DISCARD",
    );
    for bad in ["a b", "\x01", "\u{e9}", "a\n"] {
        both.same(&["HELLO", "2", "SETNAME", bad]);
    }
    let proto = |reply: &Tree| reply.pairs()["proto"].clone();
    for words in [
        &["HELLO", "3"][..],
        &["HELLO"],
        &["hello", "3", "setname", "abc", "auth", "default", "x", "SETNAME", ""],
    ] {
        let (ours, theirs) = both.ask(words);
        assert_eq!((proto(&ours), proto(&theirs)), (Tree::Int(3), Tree::Int(3)), "{words:?}");
        assert!(ours.pairs().keys().eq(theirs.pairs().keys()));
    }
    both.same(&["SMEMBERS", "s"]);
    both.same(&["MULTI"]);
    both.all_same("SMEMBERS s\nCONFIG GET databases\nHELLO 9\nEXEC");
    both.all_same("MULTI\nHELLO 2\nCONFIG GET databases");
    let (ours, theirs) = both.ask(&["EXEC"]);
    assert_eq!(ours.items()[1], theirs.items()[1]);
    both.all_same("SMEMBERS s\nMULTI\nSMEMBERS s\nHELLO 3\nSMEMBERS s");
    let (ours, theirs) = both.ask(&["EXEC"]);
    assert_eq!(
        [&ours.items()[0], &ours.items()[2]],
        [&theirs.items()[0], &theirs.items()[2]],
        "the shapes change where HELLO stands"
    );
    both.all_same("SMEMBERS s\nRESET\nSMEMBERS s\nMULTI\nQUIT");
    // The transaction has ended.
    assert_eq!(ours_of(&mut both.session, "EXEC"), Tree::Error("ERR EXEC without MULTI".into()));
}

fn ours_of(session: &mut Session, word: &str) -> Tree {
    ours(session.execute(&[word]))
}
