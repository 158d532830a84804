//! Windows compared with a server that runs the article's PFADD, PFMERGE, PFCOUNT and expiries.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use redis::{Connection, Value};
use tallis::{ManualClock, Store, UvFilling, UvLevel, UvWindows};
use testkit::live::{as_bytes, server};
use testkit::rng::Rng;

use super::{cohorts, run};
use crate::journal::Journal;

/// So far in the future that nothing expires on the server while the test runs.
const NOW: &str = "2187-10-28T12:00:30Z";

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn windows(filling: UvFilling) -> (UvWindows, Store) {
    let now: Timestamp = NOW.parse().unwrap();
    let store = Store::builder().clock(Arc::new(ManualClock::new(now.as_millisecond()))).build();
    (UvWindows::new(store.clone(), "USER:LOGIN:").filling(filling), store)
}

/// The article's format of a key, including the year.
fn article_key(at: i64, digits: usize) -> String {
    let shown = TimeZone::UTC.to_datetime(second(at)).strftime("%Y%m%d%H%M").to_string();
    format!("USER:LOGIN:{}", &shown[..digits])
}

/// Visits on the last two days, some of them close together.
fn visits() -> Vec<(String, i64)> {
    let mut rng = Rng::new(1);
    let now = NOW.parse::<Timestamp>().unwrap().as_second();
    let mut visit = || {
        let back = if rng.below(3) == 0 { rng.range(0..=7200) } else { rng.range(0..=2 * 86_400) };
        (format!("user:{}", rng.below(2000)), now - back)
    };
    (0..6000).map(|_| visit()).collect()
}

/// Checks that both have the same keys, with the same bytes and expiries.
fn assert_same_keys(store: &Store, server: &mut Connection) {
    cohorts::assert_same_keys(store, server);
    for key in store.keys("*").unwrap() {
        let expires = run(server, &[&b"PEXPIRETIME"[..], &key]);
        assert_eq!(expires, Value::Int(store.expire_time(&key).unwrap().millis()), "{key:?}");
    }
}

fn assert_same_counts(windows: &UvWindows, server: &mut Connection) {
    let now = NOW.parse::<Timestamp>().unwrap().as_second() / 60;
    let mut rng = Rng::new(2);
    for _ in 0..200 {
        let mut ends = [(); 2].map(|()| (now - rng.range(0..=3000)) * 60);
        ends.sort_unstable();
        let [from, to] = ends.map(second);
        let keys = windows.cover(from, to).unwrap();
        if keys.is_empty() {
            continue;
        }
        let mut command = vec![b"PFCOUNT".to_vec()];
        command.extend(keys);
        let theirs = run(server, &command);
        let ours = i64::try_from(windows.count(from, to).unwrap()).unwrap();
        assert_eq!(theirs, Value::Int(ours), "{from} {to}");
    }
}

#[test]
fn writing_through_equals_four_pfadds_and_expiries() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let (windows, store) = windows(UvFilling::WriteThrough);
    for (user, at) in visits() {
        let mut changed = false;
        for (level, digits) in UvLevel::ALL.into_iter().zip([12, 10, 8, 6]) {
            let key = article_key(at, digits);
            let made = run(&mut connection, &["EXISTS", &key]) == Value::Int(0);
            changed |= run(&mut connection, &["PFADD", &key, &user]) == Value::Int(1);
            let kept = match level {
                UvLevel::Minute => 8,
                UvLevel::Hour => 32,
                UvLevel::Day => 400,
                UvLevel::Month => continue,
            };
            if made {
                let end = windows.calendar().bucket(level, second(at)).unwrap().end();
                let expires = (end.as_second() + kept * 86_400).to_string();
                run(&mut connection, &["EXPIREAT", &key, &expires]);
            }
        }
        assert_eq!(windows.record(&user, second(at)).unwrap(), changed);
    }
    assert_same_keys(&store, &mut connection);
    assert_same_counts(&windows, &mut connection);
    // Through a file: the server's data is counted here.
    run(&mut connection, &["SAVE"]);
    let now: Timestamp = NOW.parse().unwrap();
    let copy = Store::builder().clock(Arc::new(ManualClock::new(now.as_millisecond()))).build();
    copy.load(server.rdb_file()).unwrap();
    assert_same_counts(&UvWindows::new(copy, "USER:LOGIN:"), &mut connection);
}

#[test]
fn rolling_up_equals_pfmerge() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let (windows, store) = windows(UvFilling::RollUp);
    for (user, at) in visits() {
        let reply = run(&mut connection, &["PFADD", &article_key(at, 12), &user]);
        assert_eq!(reply, Value::Int(windows.record(&user, second(at)).unwrap().into()));
    }
    windows.roll_up().unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    let minutes: BTreeSet<i64> =
        visits().into_iter().map(|(_, at)| at - at.rem_euclid(60)).collect();
    let first = second(minutes.first().copied().unwrap());
    for (below, level) in UvLevel::ALL.iter().zip(&UvLevel::ALL[1..]) {
        for bucket in windows.calendar().buckets(*level, first, now).unwrap() {
            let range = bucket.start().as_second()..bucket.end().as_second();
            // Buckets of the next smaller level that have ended are merged into it.
            let over = |minute: &&i64| {
                windows.calendar().bucket(*below, second(**minute)).unwrap().end() <= now
            };
            let from: Vec<String> =
                minutes.range(range).filter(over).map(|minute| article_key(*minute, 12)).collect();
            if !from.is_empty() {
                let target = format!("USER:LOGIN:{bucket}");
                run(&mut connection, &[vec!["PFMERGE".to_owned(), target], from].concat());
            }
        }
    }
    store.del(["USER:LOGIN:open"]).unwrap();
    let Value::Array(theirs) = run(&mut connection, &["KEYS", "*"]) else {
        panic!("KEYS is a list")
    };
    assert_eq!(theirs.len(), store.dbsize().unwrap());
    for key in theirs.iter().filter_map(as_bytes) {
        let ours = i64::try_from(store.pfcount([key]).unwrap()).unwrap();
        assert_eq!(run(&mut connection, &[b"PFCOUNT", key]), Value::Int(ours), "{key:?}");
    }
}

#[test]
fn effects_create_the_same_keys_on_a_server() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        run(&mut connection, &["FLUSHALL"]);
        let journal = Arc::new(Journal::default());
        let now: Timestamp = NOW.parse().unwrap();
        let clock = Arc::new(ManualClock::new(now.as_millisecond()));
        let store = Store::builder().clock(clock).sink(journal.clone()).build();
        let windows = UvWindows::new(store.clone(), "USER:LOGIN:").filling(filling);
        for (number, (user, at)) in visits().into_iter().take(1500).enumerate() {
            windows.record(&user, second(at)).unwrap();
            if number % 100 == 0 {
                windows.roll_up().unwrap();
            }
        }
        for effect in journal.take() {
            run(&mut connection, &effect.args);
        }
        let open = store.smembers("USER:LOGIN:open").unwrap();
        for name in &open {
            let reply = run(&mut connection, &[b"SISMEMBER", &b"USER:LOGIN:open"[..], name]);
            assert_eq!(reply, Value::Int(1), "{name:?}");
        }
        let card = run(&mut connection, &["SCARD", "USER:LOGIN:open"]);
        assert_eq!(card, Value::Int(i64::try_from(open.len()).unwrap()));
        store.del(["USER:LOGIN:open"]).unwrap();
        run(&mut connection, &["DEL", "USER:LOGIN:open"]);
        assert_same_keys(&store, &mut connection);
    }
}
