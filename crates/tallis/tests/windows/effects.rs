//! The effects for a log or a replica, and keys with values of another type.

use std::sync::Arc;

use tallis::{ErrorKind, ManualClock, Store, UvFilling, UvWindows};

use super::{FILLINGS, at, windows};
use crate::journal::Journal;

fn journaled(now: &str) -> (UvWindows, Arc<ManualClock>, Arc<Journal>) {
    let clock = Arc::new(ManualClock::new(at(now).as_millisecond()));
    let journal = Arc::new(Journal::default());
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    (UvWindows::new(store, "uv:"), clock, journal)
}

#[test]
fn writing_through_is_four_pfadds_and_expiries() {
    let (windows, _, journal) = journaled("2019-09-28T19:11:30Z");
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    let lines = [
        "PFADD uv:201909281911 A",
        "PEXPIREAT uv:201909281911 1570389120000",
        "PFADD uv:2019092819 A",
        "PEXPIREAT uv:2019092819 1572465600000",
        "PFADD uv:20190928 A",
        "PEXPIREAT uv:20190928 1604275200000",
        "PFADD uv:201909 A",
    ];
    assert_eq!(journal.lines(), lines);
    windows.record("A", at("2019-09-28T19:11:31Z")).unwrap();
    assert!(journal.lines().is_empty());
    windows.record("A", at("2019-09-28T19:12:00Z")).unwrap();
    assert_eq!(
        journal.lines(),
        ["PFADD uv:201909281912 A", "PEXPIREAT uv:201909281912 1570389180000"]
    );
    windows.record("B", at("2019-09-28T19:12:00Z")).unwrap();
    assert_eq!(journal.lines().len(), 4);
}

#[test]
fn rolling_up_is_pfmerge() {
    let (windows, clock, journal) = journaled("2019-09-28T19:11:30Z");
    let windows = windows.filling(UvFilling::RollUp);
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    assert_eq!(journal.lines(), ["PFADD uv:201909281911 A", "SADD uv:open 201909281911"]);
    windows.record(7, at("2019-09-28T19:11:30Z")).unwrap();
    assert_eq!(journal.lines(), ["PFADD uv:201909281911 7"]);
    clock.advance(60_000);
    windows.roll_up().unwrap();
    let lines = [
        "PFMERGE uv:2019092819 uv:201909281911",
        "SADD uv:open 2019092819",
        "SREM uv:open 201909281911",
        "PEXPIREAT uv:201909281911 1570389120000",
    ];
    assert_eq!(journal.lines(), lines);
    // A late visit: the minute is open again.
    windows.record("B", at("2019-09-28T19:11:30Z")).unwrap();
    let lines = ["PFADD uv:201909281911 B", "PERSIST uv:201909281911", "SADD uv:open 201909281911"];
    assert_eq!(journal.lines(), lines);
    // A count has no effects.
    windows.last_days_now(1).unwrap();
    windows.last_minutes(1).unwrap();
    assert!(journal.lines().is_empty());
}

#[test]
fn a_count_writes_no_key() {
    for filling in FILLINGS {
        let (windows, store, _) = windows("2019-09-28T19:11:30Z", filling);
        for user in 0..100 {
            windows.record(user, at("2019-09-28T19:11:30Z")).unwrap();
            windows.record(user, at("2019-09-28T18:11:30Z")).unwrap();
        }
        let dumps = || {
            let mut keys = store.keys("*").unwrap();
            keys.sort_unstable();
            keys.into_iter().map(|key| (store.dump(&key).unwrap(), key)).collect::<Vec<_>>()
        };
        let (before, changes) = (dumps(), store.changes());
        for count in
            [windows.last_minutes_now(1), windows.last_hours_now(2), windows.last_days_now(1)]
        {
            assert_eq!(count.unwrap(), 100);
        }
        assert_eq!((dumps(), store.changes()), (before, changes));
    }
}

#[test]
fn keys_with_another_type_are_reported() {
    for filling in FILLINGS {
        for key in ["uv:201909281911", "uv:open", "uv:2019092819"] {
            let (windows, store, clock) = windows("2019-09-28T19:11:30Z", filling);
            store.rpush_instead(key);
            let recorded = windows.record("A", at("2019-09-28T19:11:30Z"));
            clock.advance(3_600_000);
            let rolled = windows.roll_up();
            let counted = windows.count(at("2019-09-28T00:00Z"), at("2019-09-28T19:12Z"));
            let kinds = [recorded.map(u64::from), rolled, counted]
                .map(|result| result.err().map(|error| error.kind()));
            assert!(kinds.contains(&Some(ErrorKind::WrongType)), "{filling:?} {key} {kinds:?}");
        }
    }
}

#[test]
fn a_visit_whose_bucket_cannot_be_opened_is_not_written_either() {
    let (windows, store, _) = windows("2019-09-28T19:11:30Z", UvFilling::RollUp);
    store.rpush_instead("uv:open");
    let error = windows.record("A", at("2019-09-28T19:11:30Z")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
    assert!(!store.exists("uv:201909281911").unwrap());
}

/// A value that is neither a string nor a set of names.
trait Other {
    fn rpush_instead(&self, key: &str);
}

impl Other for Store {
    fn rpush_instead(&self, key: &str) {
        self.zadd(key, "member", 1.0).unwrap();
    }
}

#[test]
fn an_invalid_open_name_is_reported() {
    let (windows, store, _) = windows("2019-09-28T19:11:30Z", UvFilling::WriteThrough);
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    for name in ["x", "2019", "201913", "201909281911+0100", "201909\n"] {
        store.sadd("uv:open", [name]).unwrap();
        let error = windows.last_days_now(1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(&name.escape_default().to_string()), "{error}");
        store.srem("uv:open", [name]).unwrap();
    }
    assert_eq!(windows.last_days_now(1).unwrap(), 1);
}
