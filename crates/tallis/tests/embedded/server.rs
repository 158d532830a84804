//! COMMAND and similar commands, where they cannot be compared with a server.

use std::sync::Arc;

use tallis::{ManualClock, Reply, Store};

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn text(reply: &Reply) -> &str {
    if let Reply::Status(text) = reply {
        return text;
    }
    let Reply::Verbatim(text) = reply else { panic!("{reply:?} is not a text") };
    text
}

#[test]
fn time_is_that_of_the_clock() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_123));
    let store = Store::builder().clock(clock.clone()).build();
    let parts = |a: &'static str, b: &'static str| {
        Reply::Array(vec![Reply::Bulk(a.into()), Reply::Bulk(b.into())])
    };
    assert_eq!(store.execute(&["TIME"]), parts("1700000000", "123000"));
    clock.set(-1);
    assert_eq!(store.execute(&["TIME"]), parts("-1", "999000"));
}

#[test]
fn a_session_has_an_age_in_seconds() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    let mut session = store.session();
    for (passed, line) in [(0, " age=0 idle=0 "), (2_999, " age=2 idle=0 "), (1, " age=3 idle=0 ")]
    {
        clock.advance(passed);
        let Reply::Bulk(info) = session.execute(&["CLIENT", "INFO"]) else { panic!("no info") };
        assert!(String::from_utf8_lossy(&info).contains(line), "{info:?}");
    }
}

#[test]
fn a_transaction_may_use_all_of_them() {
    let store = Store::new();
    store.set("k", "v").unwrap();
    let mut session = store.session();
    let lines = [
        "INFO",
        "DEBUG OBJECT k",
        "MEMORY USAGE k",
        "CONFIG SET set-max-intset-entries 3",
        "CONFIG GET set-max-intset-entries",
        "COMMAND COUNT",
        "OBJECT HELP",
        "TIME",
        "INFO nosuch",
    ];
    session.execute(&["HELLO", "3"]);
    session.execute(&["MULTI"]);
    for line in lines {
        assert_eq!(session.execute(&words(line)), Reply::Status("QUEUED".into()), "{line}");
    }
    let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("EXEC gives an array") };
    assert_eq!(replies.len(), lines.len());
    assert!(replies.iter().all(|reply| !reply.is_error()), "{replies:?}");
    assert!(text(&replies[0]).contains("\r\ndb0:keys=1,expires=0,avg_ttl=0\r\n"));
    assert!(text(&replies[1]).contains(" serializedlength:2 "));
    assert_eq!(store.limits().set_max_intset_entries, 3);
}

#[test]
fn reading_the_idle_time_does_not_change_it() {
    let clock = Arc::new(ManualClock::new(1_000_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    store.set("k", "v").unwrap();
    clock.advance(20_000);
    for _ in 0..2 {
        let shown = store.execute(&["DEBUG", "OBJECT", "k"]);
        assert!(text(&shown).ends_with(" lru:1000000 lru_seconds_idle:20"), "{shown:?}");
    }
    clock.advance(1);
    store.pexpire("k", 1).unwrap();
    clock.advance(1);
    let gone = store.execute(&["DEBUG", "OBJECT", "k"]);
    assert_eq!(gone.as_error().unwrap().to_string(), "ERR no such key");
}

#[test]
fn averages_of_remaining_times() {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    for (key, ms) in [("a", 1000), ("b", 2000), ("c", 6000)] {
        store.set(key, "v").unwrap();
        store.pexpire(key, ms).unwrap();
    }
    store.set("d", "v").unwrap();
    store.db(5).sadd("s", [1]).unwrap();
    let shown = |store: &Store| text(&store.execute(&["INFO", "keyspace"])).to_owned();
    let other = "db5:keys=1,expires=0,avg_ttl=0\r\n";
    assert_eq!(
        shown(&store),
        format!("# Keyspace\r\ndb0:keys=4,expires=3,avg_ttl=3000\r\n{other}")
    );
    // Expired keys are counted until they are accessed, with no remaining time.
    clock.advance(1500);
    let late = "# Keyspace\r\ndb0:keys=4,expires=3,avg_ttl=1666\r\n";
    assert_eq!(shown(&store), format!("{late}{other}"));
}

#[test]
fn changes_of_different_settings_do_not_revert_each_other() {
    let store = Store::new();
    let set = |name: &'static str| {
        let store = store.clone();
        move || {
            for number in 1..=500_u32 {
                let reply = store.execute(&["CONFIG", "SET", name, &number.to_string()]);
                assert_eq!(reply, Reply::OK);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(set("set-max-intset-entries"));
        scope.spawn(set("hll-sparse-max-bytes"));
    });
    let limits = store.limits();
    assert_eq!((limits.set_max_intset_entries, limits.hll_sparse_max_bytes), (500, 500));
}

#[test]
fn a_reload_keeps_the_data_that_files_have() {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let store = Store::builder().clock(clock.clone()).build();
    store.sadd("s", [1, 2, 3]).unwrap();
    store.db(4).set("k", "v").unwrap();
    store.db(4).pexpire("k", 5000).unwrap();
    store.set("gone", "v").unwrap();
    store.pexpire("gone", 1).unwrap();
    clock.advance(1);
    let digest = |store: &Store| store.execute(&["DEBUG", "DIGEST"]);
    let before = digest(&store);
    let mut watcher = store.session();
    watcher.execute(&["WATCH", "s"]);
    assert_eq!(store.execute(&["DEBUG", "RELOAD"]), Reply::OK);
    assert_eq!((store.dbsize().unwrap(), store.db(4).dbsize().unwrap()), (1, 1));
    assert_eq!(store.db(4).execute(&["PEXPIRETIME", "k"]).as_int(), Some(1_005_000));
    assert_ne!(digest(&store), before, "what had expired is gone");
    watcher.execute(&["MULTI"]);
    assert_eq!(watcher.execute(&["EXEC"]), Reply::NullArray);
    // Also in a transaction, and without options.
    let mut session = store.session();
    for line in ["MULTI", "DEBUG RELOAD", "SISMEMBER s 2", "DEBUG RELOAD NOSAVE"] {
        session.execute(&words(line));
    }
    let Reply::Array(replies) = session.execute(&["EXEC"]) else { panic!("EXEC gives an array") };
    assert_eq!(replies[..2], [Reply::OK, Reply::Int(1)]);
    assert!(replies[2].is_error());
}

#[test]
fn sweepers_wait_while_active_expiry_is_off() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    store.execute(&["DEBUG", "SET-ACTIVE-EXPIRE", "0"]);
    let _sweeper = store.sweeper(std::time::Duration::from_millis(1)).unwrap();
    store.set("k", "v").unwrap();
    store.pexpire("k", 1).unwrap();
    clock.advance(1);
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(store.dbsize().unwrap(), 1);
    store.execute(&["DEBUG", "SET-ACTIVE-EXPIRE", "1"]);
    while store.dbsize().unwrap() > 0 {
        std::thread::yield_now();
    }
}
