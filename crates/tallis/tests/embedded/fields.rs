//! Fields that expire.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tallis::{
    Clock, ErrorKind, ExistenceCheck, ExpireOption, Expiry, FieldExpire, FieldPersist,
    HashSetExOptions, Limits, LoadOptions, ManualClock, Profile, Reply, RestoreOptions,
    SaveOptions, SetExpiry, Store, Ttl,
};
use testkit::rng::Rng;

use crate::expiring;

const START: i64 = 1_700_000_000_000;

/// A store with a manual clock, whose hashes become tables from this number of fields on.
fn store(entries: usize) -> (Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    let limits = Limits { hash_max_listpack_entries: entries, ..Limits::default() };
    (Store::builder().clock(clock.clone()).limits(limits).build(), clock)
}

#[test]
fn a_field_is_gone_at_its_millisecond_for_every_command() {
    for entries in [0, 128] {
        let (store, clock) = store(entries);
        store.hset_multiple("h", [("a", 1), ("b", 2), ("c", 3)]).unwrap();
        let expired = store.hpexpire("h", 10, ExpireOption::Always, ["a", "b", "none"]).unwrap();
        assert_eq!(expired, [FieldExpire::Set, FieldExpire::Set, FieldExpire::NoField]);
        clock.advance(9);
        assert_eq!((store.hlen("h").unwrap(), store.httl("h", "a").unwrap()[0].millis()), (3, 1));
        clock.advance(1);
        assert_eq!(store.hlen("h").unwrap(), 1);
        assert_eq!(store.hgetall("h").unwrap(), [("c".into(), "3".into())]);
        assert_eq!((store.hkeys("h").unwrap().len(), store.hvals("h").unwrap().len()), (1, 1));
        assert_eq!(store.hget("h", "a").unwrap(), None);
        assert!(!store.hexists("h", "b").unwrap());
        assert_eq!(store.hstrlen("h", "b").unwrap(), 0);
        assert_eq!(store.hmget("h", ["a", "c"]).unwrap(), [None, Some("3".into())]);
        assert_eq!(store.httl("h", ["a", "c"]).unwrap(), [Ttl::NoKey, Ttl::Never]);
        for _ in 0..50 {
            assert_eq!(store.hrandfield("h").unwrap().unwrap(), "c");
        }
        assert_eq!(store.hrandfield_multiple("h", 5).unwrap(), ["c"]);
        let scanned = store.hscan_cursor("h", 0, &tallis::ScanOptions::default()).unwrap();
        assert_eq!(scanned, (0, vec![("c".into(), "3".into())]));
        assert_eq!(store.hdel("h", ["a", "c"]).unwrap(), 1);
        assert!(!store.exists("h").unwrap(), "the last field took the others along");
    }
}

#[test]
fn a_field_that_is_set_lasts_and_a_counter_keeps_its_time() {
    for entries in [0, 128] {
        let (store, clock) = store(entries);
        store.hset_multiple("h", [("set", 1), ("counted", 1), ("expired", 7)]).unwrap();
        store.hexpire("h", 60, ExpireOption::Always, ["set", "counted"]).unwrap();
        store.hpexpire("h", 1, ExpireOption::Always, "expired").unwrap();
        clock.advance(1);
        store.hset("h", "set", 2).unwrap();
        assert_eq!(store.hincr("h", "counted", 1).unwrap(), 2);
        assert_eq!(store.hincr("h", "expired", 1).unwrap(), 1, "it begins anew");
        let left: Vec<i64> = store
            .httl("h", ["set", "counted", "expired"])
            .unwrap()
            .into_iter()
            .map(Ttl::millis)
            .collect();
        assert_eq!(left, [-1, 59_999, -1]);
        let outcomes = store.hpersist("h", ["counted", "set", "none", "counted"]).unwrap();
        let expected = [
            FieldPersist::Persisted,
            FieldPersist::NoExpiry,
            FieldPersist::NoField,
            FieldPersist::NoExpiry,
        ];
        assert_eq!(outcomes, expected);
        clock.advance(60_000);
        assert_eq!(store.hlen("h").unwrap(), 3);
        let values = store.hget_ex("h", ["set", "none"], Expiry::PX(5)).unwrap();
        assert_eq!(values, [Some("2".into()), None]);
        clock.advance(5);
        assert_eq!(
            store.hget_del("h", ["set", "expired", "expired"]).unwrap(),
            [None, Some("1".into()), None]
        );
    }
}

#[test]
fn times_beyond_the_limit_are_refused() {
    let (store, _) = store(128);
    store.hset("h", "f", 1).unwrap();
    let latest = (1_i64 << 46) - 1;
    let set = |at: i64| store.hpexpire_at("h", at, ExpireOption::Always, "f");
    assert_eq!(set(latest).unwrap(), [FieldExpire::Set]);
    assert_eq!(set(latest + 1).unwrap_err().kind(), ErrorKind::Syntax);
    assert_eq!(set(-1).unwrap_err().kind(), ErrorKind::Syntax);
    let options = HashSetExOptions::default().set_expiration(SetExpiry::EX(u64::MAX));
    assert!(store.hset_ex("h", &options, [("f", 2)]).is_err());
    assert_eq!(store.hget("h", "f").unwrap().unwrap(), "1");
}

#[test]
fn the_sweep_removes_fields_in_parts_and_finally_the_key() {
    for entries in [0, 1000] {
        let (store, clock) = store(entries);
        let mut session = store.session();
        for number in 0..500 {
            store.hset("h", number, number).unwrap();
            let at = START + 10 + i64::from(number % 5);
            store.hpexpire_at("h", at, ExpireOption::Always, number.to_string()).unwrap();
        }
        assert_eq!(store.sweep(1000).unwrap(), 0);
        clock.advance(12);
        session.execute(&["WATCH", "h"]);
        let mut swept = 0;
        while swept < 300 {
            let some = store.sweep(40).unwrap();
            assert!((1..=40).contains(&some), "{some}");
            swept += some;
        }
        assert_eq!((store.sweep(1000).unwrap(), store.hlen("h").unwrap()), (0, 200));
        session.execute(&["MULTI"]);
        session.execute(&["PING"]);
        assert!(session.execute(&["EXEC"]).is_nil(), "the fields went while it was watched");
        clock.advance(100);
        assert_eq!((store.hlen("h").unwrap(), store.exists("h").unwrap()), (0, true));
        assert_eq!(store.sweep(1000).unwrap(), 200);
        assert!(!store.exists("h").unwrap());
    }
}

#[test]
fn keys_and_fields_share_the_limit_of_a_sweep() {
    for entries in [0, 1000] {
        let (store, clock) = store(entries);
        for number in 0..20 {
            store.pset_ex(format!("key:{number}"), "v", 5).unwrap();
            store.hset("h", number, number).unwrap();
            store.hpexpire("h", 5, ExpireOption::Always, number.to_string()).unwrap();
        }
        clock.advance(5);
        for _ in 0..40 {
            assert_eq!(store.sweep(1).unwrap(), 1);
        }
        assert_eq!((store.sweep(1).unwrap(), store.dbsize().unwrap()), (0, 0));
    }
}

#[test]
fn files_and_payloads_keep_the_times() {
    for (entries, encoding) in [(0, "hashtable"), (1000, "listpackex")] {
        let (store, clock) = store(entries);
        for number in 0..300_i64 {
            store.hset("h", number, "v".repeat(usize::try_from(number % 9).unwrap())).unwrap();
        }
        let some: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        store.hpexpire("h", 5, ExpireOption::Always, &some[..50]).unwrap();
        store.hexpire("h", 50, ExpireOption::Always, &some[50..]).unwrap();
        assert_eq!(store.object_encoding("h").unwrap(), Some(encoding));
        let times = |store: &Store| {
            store.httl("h", &some).unwrap().into_iter().map(Ttl::millis).collect::<Vec<_>>()
        };
        let file = store.save_to(Vec::new(), SaveOptions::default()).unwrap();
        let payload = store.dump("h").unwrap().unwrap();
        let again = || Store::builder().clock(clock.clone()).build();
        let (loaded, restored) = (again(), again());
        loaded.load_from(&file[..], LoadOptions::default()).unwrap();
        restored.restore("h", &payload, RestoreOptions::default()).unwrap();
        for other in [&loaded, &restored] {
            assert_eq!(times(other), times(&store));
            assert_eq!(other.hlen("h").unwrap(), 300);
        }
        clock.advance(5);
        let late = again();
        late.load_from(&file[..], LoadOptions::default()).unwrap();
        assert_eq!(late.hlen("h").unwrap(), 250, "what has expired is left out");
        assert_eq!(loaded.hlen("h").unwrap(), 250);
    }
}

#[test]
fn each_profile_dumps_them_in_the_version_of_its_servers() {
    for (profile, version) in [(Profile::Redis82, 12), (Profile::Valkey91, 80)] {
        for entries in [0, 128] {
            let limits = Limits { hash_max_listpack_entries: entries, ..Limits::default() };
            let store = Store::builder().profile(profile).limits(limits).build();
            store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap();
            store.hexpire("h", 1000, ExpireOption::Always, "a").unwrap();
            let payload = store.dump("h").unwrap().unwrap();
            assert_eq!(payload[payload.len() - 10..payload.len() - 8], [version, 0]);
            store.restore("again", &payload, RestoreOptions::default()).unwrap();
            assert_eq!(
                store.hexpire_time("again", ["a", "b"]),
                store.hexpire_time("h", ["a", "b"])
            );
        }
    }
}

#[test]
fn digests_include_expiries_except_under_the_profile_of_valkey() {
    for profile in [Profile::Redis72, Profile::Redis82, Profile::Valkey91] {
        let store = Store::builder().profile(profile).build();
        store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap();
        let before = store.execute(&["DEBUG", "DIGEST"]);
        store.hexpire("h", 1000, ExpireOption::Always, "a").unwrap();
        let same = store.execute(&["DEBUG", "DIGEST"]) == before;
        assert_eq!(same, profile == Profile::Valkey91);
    }
}

#[test]
fn random_commands_agree_with_a_map() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let settings = u8::try_from(seed % 8).unwrap();
        let random = (0..4500).map(|_| u8::try_from(rng.below(256)).unwrap());
        expiring::run(&std::iter::once(settings).chain(random).collect::<Vec<u8>>());
    }
}

/// Runs each line and compares its reply, as text, with that of a server.
fn replies(store: &Store, lines: &[(&str, &str)]) {
    for (line, expected) in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let reply = format!("{:?}", store.execute(&words));
        assert!(reply.contains(expected), "{line}: {reply}, not {expected}");
    }
}

#[test]
fn valkey_has_its_own_tables_errors_and_conditions() {
    let store = Store::builder().profile(Profile::Valkey91).build();
    store.hset("h", "a", 1).unwrap();
    replies(
        &store,
        &[
            ("HEXPIRE h 100 FIELDS 1 none", "-2"),
            ("HEXPIRE h 0 FIELDS 1 none", "-2"),
            ("OBJECT ENCODING h", "listpack"),
            ("HPEXPIREAT h 4000000000499 XX GT FIELDS 1 a", "0"),
            ("HPEXPIREAT h 4000000000499 NX FIELDS 1 a", "1"),
            ("OBJECT ENCODING h", "hashtable"),
            ("HEXPIRETIME h FIELDS 1 a", "4000000000)"),
            ("HPEXPIREAT h 9000000000000000000 FIELDS 1 a", "1"),
            ("HPEXPIREAT h 9223372036854775806 FIELDS 1 a", "1"),
            ("HEXPIRETIME h FIELDS 1 a", "(9223372036854776)"),
            ("HPEXPIRETIME h FIELDS 1 a", "(9223372036854775806)"),
            ("HEXPIRE h 100 FOO FIELDS 1 a", "ERR Unsupported option FOO"),
            ("HEXPIRE h -1 FIELDS 1 a", "ERR invalid expire time in 'hexpire' command"),
            ("HEXPIRE h x FIELDS 2 a", "ERR numfields should be greater than 0"),
            ("HTTL h FIELDS 2 a", "ERR syntax error"),
            ("HTTL h FIELDS x a", "ERR value is not an integer"),
            ("HPERSIST h FIELDS 2 a", "ERR numfields should be greater than 0"),
            ("HGETEX h EX FIELDS 1 a", "ERR syntax error"),
            ("HGETEX h EX 5 PERSIST FIELDS 1 a", "ERR syntax error"),
            ("HSETEX h NX FIELDS 1 a 5", "0"),
            ("HSETEX n XX FIELDS 1 a 5", "0"),
            ("HSETEX n NX FXX FIELDS 1 a 5", "0"),
            ("HSETEX n NX FNX FIELDS 1 a 5", "1"),
            ("HSETEX n XX EX x FIELDS 1 a 6", "ERR value is not an integer"),
            ("HSETEX n NX EX x FIELDS 1 a 6", "0"),
            ("HGET n a", "5"),
        ],
    );
    assert_eq!(store.hget("h", "a").unwrap().as_deref(), Some(&b"1"[..]));
}

/// A clock that advances with every read.
#[derive(Debug)]
struct Restless(AtomicI64);

impl Clock for Restless {
    fn now_ms(&self) -> i64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

/// The time of a transaction is constant while the clock advances.
#[test]
fn in_a_transaction_no_time_passes_for_fields() {
    for profile in [Profile::Redis82, Profile::Valkey91] {
        let clock = Arc::new(Restless(AtomicI64::new(START)));
        let store = Store::builder().clock(clock).profile(profile).build();
        store.hset_multiple("h", [("a", 1), ("b", 2), ("c", 3)]).unwrap();
        let mut session = store.session();
        session.execute(&["MULTI"]);
        session.execute(&["SET", "reads", "the time", "PX", "9"]);
        session.execute(&["HPEXPIRE", "h", "0", "FIELDS", "1", "a"]);
        session.execute(&["HGETEX", "h", "PX", "0", "FIELDS", "1", "b"]);
        session.execute(&["HSETEX", "h", "PX", "0", "FIELDS", "1", "c", "4"]);
        let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("{profile:?}") };
        let deleted = Reply::Array(vec![Reply::Int(2)]);
        assert_eq!(replies[1], deleted, "{profile:?}");
        assert!(!store.exists("h").unwrap(), "{profile:?}");
    }
}

#[test]
fn a_field_that_gets_its_time_again_expires_before_the_others_of_that_time() {
    let (store, _) = store(128);
    let at = SetExpiry::PXAT(2_000_000_000_000);
    let options = HashSetExOptions::default().set_expiration(at);
    let order = || store.hkeys("h").unwrap();
    store.hset_ex("h", &options, [("a", 1), ("b", 2), ("c", 3)]).unwrap();
    assert_eq!(order(), ["c", "b", "a"]);
    store.hset_ex("h", &options, [("a", 4)]).unwrap();
    assert_eq!(order(), ["a", "c", "b"]);
    store.hpexpire_at("h", 2_000_000_000_000_i64, ExpireOption::Always, "b").unwrap();
    assert_eq!(order(), ["b", "a", "c"]);
    let keep = HashSetExOptions::default().set_expiration(SetExpiry::KEEPTTL);
    store.hset_ex("h", &keep, [("c", 5)]).unwrap();
    assert_eq!(order(), ["b", "a", "c"]);
}

#[test]
fn a_full_listpack_becomes_a_table_for_an_already_expired_field() {
    for (first, encoding) in [("new", "hashtable"), ("a", "listpackex")] {
        let (store, _) = store(2);
        store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap();
        let past = HashSetExOptions::default().set_expiration(SetExpiry::PXAT(1));
        store.hset_ex("h", &past, [(first, 1), ("other", 2)]).unwrap();
        assert_eq!(store.object_encoding("h").unwrap(), Some(encoding), "{first}");
        assert!(!store.hexists("h", first).unwrap());
    }
}

#[test]
fn a_watch_sees_fields_with_a_past_expiry_as_on_their_server() {
    for (profile, sees) in [(Profile::Redis82, true), (Profile::Valkey91, false)] {
        let store = Store::builder().profile(profile).build();
        let mut session = store.session();
        session.execute(&["WATCH", "h"]);
        store.execute(&["HSETEX", "h", "PXAT", "1", "FIELDS", "1", "a", "1"]);
        session.execute(&["MULTI"]);
        assert_eq!(session.execute(&["EXEC"]) == Reply::NullArray, sees, "{profile:?}");
        assert!(!store.exists("h").unwrap());
    }
}

#[test]
fn fields_are_set_on_the_condition_that_the_key_exists_or_not() {
    let (store, _) = store(128);
    let set = |check, value: i64| {
        let options = HashSetExOptions::default().conditional_set(check);
        store.hset_ex("h", &options, [("a", value)]).unwrap()
    };
    assert!(!set(ExistenceCheck::XX, 1) && set(ExistenceCheck::NX, 2));
    assert!(!set(ExistenceCheck::NX, 3) && set(ExistenceCheck::XX, 4));
    assert_eq!(store.hget("h", "a").unwrap().as_deref(), Some(&b"4"[..]));
}

#[test]
fn older_servers_do_not_have_the_commands() {
    let store = Store::builder().profile(Profile::Redis70).build();
    let reply = store.execute(&["HEXPIRE", "h", "1", "FIELDS", "1", "f"]);
    assert!(reply.is_error(), "{reply:?}");
    let known: Vec<String> = store.execute(&["COMMAND", "LIST"]).convert().unwrap();
    assert!(!known.contains(&"hexpire".to_owned()) && known.contains(&"hset".to_owned()));
}

/// As on servers, the fields are present, but invisible, until a sweep removes them.
#[test]
fn a_payload_is_restored_with_expired_fields() {
    for (profile, entries) in
        [(Profile::Redis82, 128), (Profile::Redis82, 1), (Profile::Valkey91, 128)]
    {
        let clock = Arc::new(ManualClock::new(START));
        let limits = Limits { hash_max_listpack_entries: entries, ..Limits::default() };
        let store = Store::builder().profile(profile).clock(clock.clone()).limits(limits).build();
        store.hset_multiple("h", [("a", 1), ("b", 2)]).unwrap();
        store.hpexpire("h", 10, ExpireOption::Always, "a").unwrap();
        store.hpexpire("h", 20, ExpireOption::Always, "b").unwrap();
        let payload = store.dump("h").unwrap().unwrap();
        let options = RestoreOptions::default().replace(true);
        let restored = || {
            store.restore("h", payload.clone(), options).unwrap();
            (store.exists("h").unwrap(), store.hkeys("h").unwrap())
        };
        clock.advance(10);
        assert_eq!(restored(), (true, vec!["b".into()]), "{profile:?}");
        clock.advance(10);
        assert_eq!(restored(), (true, Vec::new()), "{profile:?}");
        assert_eq!((store.sweep(10).unwrap(), store.exists("h").unwrap()), (2, false));
    }
}
