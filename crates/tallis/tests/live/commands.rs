//! Fixed commands and their replies. The random ones are those of the differential harness.

use tallis::{Profile, Store};
use testkit::live::{Options, command, server_with};

use super::same;

#[test]
fn errors_have_the_servers_words() {
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
