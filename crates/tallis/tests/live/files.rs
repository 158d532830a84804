//! Snapshots in both directions.

use redis::Value;
use tallis::{SaveOptions, Store, Target, Visitors, each};
use testkit::live::{Options, server, server_with};
use testkit::rng::Rng;

use super::run;

/// A store with a value of every kind and encoding, in three databases.
fn filled() -> Store {
    let store = Store::new();
    let mut rng = Rng::new(30);
    for (key, value) in
        [("empty", ""), ("text", "some text"), ("number", "-12345"), ("almost", "007")]
    {
        store.set(key, value).unwrap();
    }
    store.set("wide", i64::MAX).unwrap();
    store.set("compressible", "tallis ".repeat(1000)).unwrap();
    store.set("binary", rng.bytes(5000)).unwrap();
    store.set(rng.bytes(40), "a binary key").unwrap();
    store.sadd("i16", [-5, 0, 7]).unwrap();
    store.sadd("i32", [-5, 70_000]).unwrap();
    store.sadd("i64", [-5, 1i64 << 40]).unwrap();
    store.sadd("full", each((0..512).map(|n| n * 1_000_003))).unwrap();
    store.sadd("numbers", 0..2000).unwrap();
    store.sadd("words", each((0..600).map(|n| format!("word {n}")))).unwrap();
    store.pfadd("sparse", 0..50).unwrap();
    store.pfadd("dense", 0..5000).unwrap();
    store.pfcount(["sparse"]).unwrap();
    store.pfcount(["dense"]).unwrap();
    store.db(3).set("elsewhere", "yes").unwrap();
    store.db(15).sadd("far", [1]).unwrap();
    store.set("expiring", "later").unwrap();
    store.pexpire_at("expiring", 4_102_444_800_000i64).unwrap();
    store
}

/// Every key of [`filled`], by database.
fn keys(store: &Store) -> Vec<(u32, String)> {
    let mut keys = vec![(3, "elsewhere".to_owned()), (15, "far".to_owned())];
    let home = [
        "empty",
        "text",
        "number",
        "almost",
        "wide",
        "compressible",
        "binary",
        "i16",
        "i32",
        "i64",
        "full",
        "numbers",
        "words",
        "sparse",
        "dense",
        "expiring",
    ];
    keys.extend(home.map(|key| (0, key.to_owned())));
    assert_eq!(store.dbsize().unwrap(), home.len() + 1, "and the binary key");
    keys
}

fn sorted(mut members: Vec<bytes::Bytes>) -> Vec<bytes::Bytes> {
    members.sort();
    members
}

fn assert_same(a: &Store, b: &Store) {
    for (db, key) in keys(a) {
        let (a, b) = (a.db(db), b.db(db));
        assert_eq!(a.object_encoding(&key).unwrap(), b.object_encoding(&key).unwrap(), "{key}");
        assert_eq!(a.ttl(&key).unwrap().millis() < 0, b.ttl(&key).unwrap().millis() < 0, "{key}");
        if a.key_type(&key).unwrap().as_deref() == Some("set") {
            assert_eq!(
                sorted(a.smembers(&key).unwrap()),
                sorted(b.smembers(&key).unwrap()),
                "{key}"
            );
        } else {
            assert_eq!(a.get(&key).unwrap(), b.get(&key).unwrap(), "{key}");
        }
    }
    for db in [0, 3, 15] {
        assert_eq!(a.db(db).dbsize().unwrap(), b.db(db).dbsize().unwrap());
    }
}

#[test]
fn a_server_starts_on_our_file_and_we_load_what_it_saves() {
    let folder = tempfile::tempdir().unwrap();
    for (target, compression) in [(Target::V9, true), (Target::V10, true), (Target::V10, false)] {
        let store = filled();
        let file = folder.path().join("ours.rdb");
        store
            .save_with(
                &file,
                SaveOptions { version: Some(target), compression, ..SaveOptions::default() },
            )
            .unwrap();
        let Some(server) = server_with(&Options::new().rdb(&file)) else { return };
        server.check_rdb(&file).unwrap();

        let mut connection = server.connect();
        for (db, key) in keys(&store) {
            run(&mut connection, &["SELECT", &db.to_string()]);
            let encoding = store.db(db).object_encoding(&key).unwrap().unwrap();
            let theirs = run(&mut connection, &["OBJECT", "ENCODING", &key]);
            // A short HyperLogLog counts as changed here, and as newly set on the server, which loaded it.
            if key != "sparse" {
                assert_eq!(theirs, Value::BulkString(encoding.into()), "{key}");
            }
        }
        run(&mut connection, &["SELECT", "0"]);
        assert_eq!(
            run(&mut connection, &["PEXPIRETIME", "expiring"]),
            Value::Int(4_102_444_800_000i64)
        );
        assert_eq!(
            run(&mut connection, &["PFCOUNT", "sparse"]),
            Value::Int(i64::try_from(store.pfcount(["sparse"]).unwrap()).unwrap())
        );

        run(&mut connection, &["SAVE"]);
        let again = Store::new();
        again.load(server.rdb_file()).unwrap();
        let reloaded = Store::new();
        reloaded.load(&file).unwrap();
        assert_same(&reloaded, &again);
    }
}

#[test]
fn visitors_open_in_a_server() {
    let Some(_) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visitors.rdb");
    let store = Store::new();
    let visitors = Visitors::book(store.clone()).default_yesterday(2000);
    let day = jiff::civil::date(2015, 5, 17);
    let mut rng = Rng::new(31);
    for _ in 0..3000 {
        let session = rng.uuid();
        visitors.count_visit(&session, day).unwrap();
        store.pfadd("uv:2015-05-17", [&session]).unwrap();
    }
    store.save(&file).unwrap();
    let Some(server) = server_with(&Options::new().rdb(&file)) else { return };
    let mut connection = server.connect();
    assert_eq!(
        run(&mut connection, &["GET", "unique:2015-05-17"]),
        Value::BulkString("3000".into())
    );
    let count = i64::try_from(store.pfcount(["uv:2015-05-17"]).unwrap()).unwrap();
    assert_eq!(run(&mut connection, &["PFCOUNT", "uv:2015-05-17"]), Value::Int(count));
    let mut members = 0;
    for shard in 0..16 {
        let key = format!("unique:2015-05-17:{shard}");
        assert_eq!(
            run(&mut connection, &["OBJECT", "ENCODING", &key]),
            Value::BulkString("intset".into())
        );
        let Value::Int(card) = run(&mut connection, &["SCARD", &key]) else { panic!("a number") };
        members += card;
    }
    assert_eq!(members, 3000);
}
