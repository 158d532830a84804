//! Random commands, their replies, and what they leave.

use redis::Value;
use tallis::{Limits, Reply, Store};
use testkit::live::{Options, as_bytes, command, server_with};
use testkit::rng::Rng;

use super::{dumped, run, same};

/// Few keys and few members, so that types collide and encodings change.
fn random_command(rng: &mut Rng) -> Vec<String> {
    let key = |rng: &mut Rng| format!("key:{}", rng.below(8));
    let member = |rng: &mut Rng| match rng.below(6) {
        0..4 => rng.range(-40..=40).to_string(),
        4 => ["", "x", "007", "-0", "9223372036854775808", "-9223372036854775808", "1.5", " 1"]
            [usize::try_from(rng.below(8)).unwrap()]
        .to_owned(),
        _ => rng.range(i64::MIN..=i64::MAX).to_string(),
    };
    let mut words = match rng.below(24) {
        0..3 => vec!["SADD".to_owned(), key(rng), member(rng), member(rng)],
        3 => vec!["SREM".to_owned(), key(rng), member(rng), member(rng), member(rng)],
        4 => vec!["SISMEMBER".to_owned(), key(rng), member(rng)],
        5 => vec!["SCARD".to_owned(), key(rng)],
        6 => vec!["SMEMBERS".to_owned(), key(rng)],
        7 => vec!["GET".to_owned(), key(rng)],
        8 => vec!["SET".to_owned(), key(rng), member(rng)],
        9 => vec!["SETNX".to_owned(), key(rng), member(rng)],
        10 => vec!["INCR".to_owned(), key(rng)],
        11 => vec!["INCRBY".to_owned(), key(rng), member(rng)],
        12 => vec!["DEL".to_owned(), key(rng), key(rng)],
        13 => vec!["EXISTS".to_owned(), key(rng), key(rng), key(rng)],
        14 => vec![
            "EXPIRE".to_owned(),
            key(rng),
            ["1000", "0", "-5", "x", "9223372036854775807"][usize::try_from(rng.below(5)).unwrap()]
                .to_owned(),
        ],
        15 => vec!["PERSIST".to_owned(), key(rng)],
        16 => vec!["TYPE".to_owned(), key(rng)],
        17..19 => vec!["PFADD".to_owned(), key(rng), member(rng), member(rng)],
        19 => vec!["PFCOUNT".to_owned(), key(rng)],
        20 => vec!["PFCOUNT".to_owned(), key(rng), key(rng), key(rng)],
        21 => vec!["PFMERGE".to_owned(), key(rng), key(rng), key(rng)],
        22 => vec!["OBJECT".to_owned(), "ENCODING".to_owned(), key(rng)],
        _ => vec!["DBSIZE".to_owned()],
    };
    // Now and then a word too few or too many, and a name in another case.
    match rng.below(60) {
        0 => drop(words.pop()),
        1 if !matches!(&*words[0], "SET" | "EXPIRE") => words.push(member(rng)),
        2 => words[0] = words[0].to_lowercase(),
        3 => words[0].push('X'),
        _ => {}
    }
    if words.is_empty() { vec!["PING".to_owned()] } else { words }
}

fn compare(seed: u64, commands: usize, limits: Limits) {
    let options = Options::new()
        .config("set-max-intset-entries", &limits.set_max_intset_entries.to_string())
        .config("hll-sparse-max-bytes", &limits.hll_sparse_max_bytes.to_string());
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let store = Store::builder().limits(limits).build();
    let mut rng = Rng::new(seed);
    for step in 0..commands {
        let words = random_command(&mut rng);
        let ours = store.execute(&words);
        let theirs = command(&mut connection, &words);
        assert!(
            same(&ours, &theirs),
            "seed {seed}, step {step}: {words:?}\nours {ours:?}\ntheirs {theirs:?}"
        );
    }
    for key in (0..8).map(|key| format!("key:{key}")) {
        let theirs = run(&mut connection, &["DUMP", &key]);
        match (store.execute(&["DUMP", &key]), as_bytes(&theirs)) {
            (Reply::Nil, None) => {}
            (Reply::Bulk(ours), Some(theirs)) => assert_eq!(dumped(&ours), dumped(theirs), "{key}"),
            (ours, theirs) => panic!("{key}: ours {ours:?}, theirs {theirs:?}"),
        }
        let ours = store.execute(&["TTL", &key]);
        let theirs = run(&mut connection, &["TTL", &key]);
        let (Reply::Int(ours), Value::Int(theirs)) = (ours, theirs) else {
            panic!("TTL is a number")
        };
        assert!(
            (ours - theirs).abs() <= 30 && (ours < 0) == (theirs < 0),
            "{key}: {ours} {theirs}"
        );
    }
}

#[test]
fn random_commands_get_the_servers_replies() {
    compare(1, 15_000, Limits::default());
}

#[test]
fn random_commands_get_the_servers_replies_when_limits_are_low() {
    compare(
        2,
        15_000,
        Limits { set_max_intset_entries: 5, hll_sparse_max_bytes: 40, ..Limits::default() },
    );
}

#[test]
fn errors_have_the_servers_words() {
    let Some(server) = server_with(&Options::new()) else { return };
    let mut connection = server.connect();
    let store = Store::new();
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
