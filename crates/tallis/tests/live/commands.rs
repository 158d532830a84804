//! Fixed commands and their replies. Random ones are in the differential harness.

use tallis::{Profile, Store};
use testkit::live::{Options, command, named, server, server_with};

use super::same;
use super::scripts::compare_with;

#[test]
fn errors_have_the_servers_texts() {
    let Some(server) = server_with(&Options::new()) else { return };
    let mut connection = server.connect();
    let store = Store::builder().profile(Profile::Redis70).build();
    let long = "x".repeat(200);
    let cases: &[&[&str]] = &[
        &["nonesuch"],
        &["nonesuch", "a", "b c"],
        &["nonesuch", &long, "b"],
        &[&long, "a"],
        &["GET"],
        &["get", "a", "b"],
        &["SADD", "k"],
        &["OBJECT"],
        &["OBJECT", "nonesuch", "k"],
        &["OBJECT", "ENCODING"],
        &["PING", "a", "b"],
        &["PFCOUNT"],
        &["PFMERGE"],
        &["PFMERGE", "into"],
        &["EXPIRE", "k", "1.5"],
        &["EXPIRE", "k", "9223372036854775807"],
        &["PEXPIRE", "k", "9223372036854775807"],
        &["INCRBY", "k", "abc"],
        &["ECHO", "text"],
        &["PING"],
        &["PING", "text"],
    ];
    for words in cases {
        let (ours, theirs) = (store.execute(words), command(&mut connection, words));
        assert!(same(&ours, &theirs), "{words:?}\nours {ours:?}\ntheirs {theirs:?}");
    }
}

#[test]
fn the_type_that_scan_looks_for_ends_at_a_nul() {
    let newer = ["redis-8.2.3", "valkey-9.1.2"].map(named);
    for server in newer.into_iter().chain([server()]).flatten() {
        // Only one key, because the order of several keys differs.
        let script = "set k v
                      scan 0 type string
                      scan 0 type STRING\\0x
                      scan 0 type set\\0
                      scan 0 type \\0
                      scan 0 type a\\nb\\0c
                      scan 0 type ''";
        compare_with(&server, &[script]);
    }
}

#[test]
fn the_largest_times_are_rounded_to_seconds_like_by_the_server() {
    let newer = ["redis-8.2.3", "valkey-9.1.2"].map(named);
    let fields = "hset h f v
                  hpexpireat h 281474976710001 fields 1 f
                  hexpiretime h fields 1 f
                  hpexpireat h 9223372036854775806 fields 1 f
                  hexpiretime h fields 1 f
                  hpexpiretime h fields 1 f";
    let keys = "set k v
                pexpireat k 9223372036854775307
                expiretime k
                pexpireat k 9223372036854775500
                expiretime k
                pexpireat k 9223372036854775806
                expiretime k
                pexpiretime k";
    for server in newer.iter().flatten() {
        compare_with(server, &[keys, fields]);
    }
    if let Some(server) = server() {
        compare_with(&server, &[keys]);
    }
}
