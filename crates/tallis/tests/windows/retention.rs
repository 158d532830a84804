//! How long buckets are kept, and errors for those that are not.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tallis::{Clock, ErrorKind, Store, UvFilling, UvLevel, UvWindows};

use super::{FILLINGS, at, windows};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn keys_expire_the_configured_time_after_their_end() {
    for filling in FILLINGS {
        let (windows, store, clock) = windows("2019-09-28T19:11:30Z", filling);
        let windows = windows.keep(UvLevel::Minute, 2 * HOUR).keep(UvLevel::Hour, 48 * HOUR);
        windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
        clock.set(at("2019-09-28T20:00:00Z").as_millisecond());
        windows.roll_up().unwrap();
        let expires = |key: &str| store.expire_time(key).unwrap().millis();
        let time = |text: &str| at(text).as_millisecond();
        assert_eq!(expires("uv:201909281911"), time("2019-09-28T21:12Z"), "{filling:?}");
        assert_eq!(expires("uv:2019092819"), time("2019-09-30T20:00Z"));
        clock.set(time("2019-10-01T00:00Z"));
        windows.roll_up().unwrap();
        assert_eq!(store.exists_many(["uv:201909281911", "uv:2019092819"]).unwrap(), 0);
        assert_eq!(expires("uv:20190928"), time("2020-11-02T00:00Z"));
        assert_eq!(expires("uv:201909"), -1);
        assert_eq!(windows.count(at("2019-09-01T00:00Z"), at("2019-10-01T00:00Z")).unwrap(), 1);
    }
}

#[test]
fn a_count_that_reaches_too_far_back_fails() {
    for filling in FILLINGS {
        let (windows, _, clock) = windows("2019-09-28T19:11:30Z", filling);
        let windows = windows.keep(UvLevel::Minute, 2 * HOUR).keep(UvLevel::Hour, 48 * HOUR);
        windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
        let count = |from: &str, to: &str| windows.count(at(from), at(to));
        let (from, to) = ("2019-09-28T19:11Z", "2019-09-28T20:00Z");
        // The last time at which the minute is kept, and the next one.
        clock.set(at("2019-09-28T21:12:00Z").as_millisecond() - 1);
        assert_eq!(count(from, to).unwrap(), 1, "{filling:?}");
        clock.advance(1);
        let error = count(from, to).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotKept);
        assert!(error.to_string().contains("201909281911"), "{error}");
        assert_eq!(count("2019-09-28T19:00Z", to).unwrap(), 1);
        // A minute without visitors counts as not kept, because it has no key.
        assert!(count("2019-09-28T10:00Z", "2019-09-28T10:01Z").is_err());
        assert_eq!(windows.daily().unwrap_err().kind(), ErrorKind::NotKept);
        assert_eq!((windows.last_hours_now(24).unwrap(), windows.hourly().unwrap()), (1, 0));
        // The hour expires after two days.
        clock.set(at("2019-09-30T20:00:00Z").as_millisecond() - 1);
        assert_eq!(count("2019-09-28T19:00Z", to).unwrap(), 1);
        clock.advance(1);
        assert_eq!(count("2019-09-28T19:00Z", to).unwrap_err().kind(), ErrorKind::NotKept);
        assert_eq!(count("2019-09-28T00:00Z", "2019-09-29T00:00Z").unwrap(), 1);
        assert_eq!(windows.last_days(7).unwrap(), 1);
        assert_eq!(windows.weekly().unwrap_err().kind(), ErrorKind::NotKept);
    }
}

#[test]
fn an_expired_bucket_is_counted_in_smaller_ones_if_those_are_kept() {
    for filling in FILLINGS {
        let (windows, store, clock) = windows("2019-09-28T19:11:30Z", filling);
        let windows = windows.keep(UvLevel::Hour, HOUR).keep(UvLevel::Minute, 240 * HOUR);
        windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
        clock.set(at("2019-09-28T23:30:00Z").as_millisecond());
        windows.roll_up().unwrap();
        windows.record("B", at("2019-09-28T19:12:30Z")).unwrap();
        windows.roll_up().unwrap();
        assert!(!store.exists("uv:2019092819").unwrap(), "{filling:?}");
        let hour = windows.count(at("2019-09-28T19:00Z"), at("2019-09-28T20:00Z"));
        assert_eq!(hour.unwrap(), 2);
        assert_eq!(windows.last_days_now(1).unwrap(), 2);
        assert_eq!(windows.last_hours_now(24).unwrap(), 2);
    }
}

#[test]
fn visits_too_late_for_a_bucket_are_added_to_the_next_level() {
    for filling in FILLINGS {
        let (windows, store, _) = windows("2019-10-28T00:00:00Z", filling);
        let windows = windows
            .keep(UvLevel::Minute, HOUR)
            .keep(UvLevel::Hour, 24 * HOUR)
            .keep(UvLevel::Day, 7 * 24 * HOUR)
            .keep(UvLevel::Month, 24 * HOUR);
        let keys = || {
            let mut keys = store.keys("uv:2*").unwrap();
            keys.sort_unstable();
            keys.iter().map(|key| key.escape_ascii().to_string()).collect::<Vec<_>>()
        };
        assert!(windows.record("A", at("2019-10-27T20:00Z")).unwrap());
        windows.roll_up().unwrap();
        assert_eq!(keys(), ["uv:201910", "uv:20191027", "uv:2019102720"], "{filling:?}");
        // A visitor that is in the hour already changes nothing, and is not an error.
        assert!(!windows.record("A", at("2019-10-27T20:00Z")).unwrap());
        assert!(windows.record("B", at("2019-10-21T00:00Z")).unwrap());
        windows.roll_up().unwrap();
        assert_eq!(keys().len(), 4);
        assert!(windows.record("C", at("2019-10-20T23:59:59Z")).unwrap());
        assert!(!windows.record("C", at("2019-10-20T12:00:00Z")).unwrap());
        assert_eq!(keys().len(), 4);
        // The month is the last level: it is never open, and has an expiry from the beginning.
        assert!(!store.exists("uv:open").unwrap());
        let expires = store.expire_time("uv:201910").unwrap().millis();
        assert_eq!(expires, at("2019-11-02T00:00Z").as_millisecond());
        assert_eq!(store.pfcount(["uv:201910"]).unwrap(), 3);
        assert_eq!(windows.count(at("2019-10-01T00:00Z"), at("2019-11-01T00:00Z")).unwrap(), 3);
        let late = windows.record("D", at("2019-09-30T23:59:59Z"));
        assert_eq!(late.unwrap_err().kind(), ErrorKind::NotKept);
        assert_eq!(keys().len(), 4);
    }
}

#[test]
fn unmerged_buckets_are_not_lost() {
    let (windows, store, clock) = windows("2019-09-28T19:11:30Z", UvFilling::RollUp);
    let windows = windows.keep(UvLevel::Minute, HOUR).keep(UvLevel::Hour, 24 * HOUR);
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    clock.set(at("2019-10-05T00:00:00Z").as_millisecond());
    let day = || windows.count(at("2019-09-28T00:00Z"), at("2019-09-29T00:00Z")).unwrap();
    assert_eq!(day(), 1);
    assert_eq!((windows.roll_up().unwrap(), day()), (2, 1));
    assert_eq!(store.exists_many(["uv:201909281911", "uv:2019092819", "uv:open"]).unwrap(), 0);
    assert_eq!(store.pfcount(["uv:20190928"]).unwrap(), 1);
}

#[test]
fn buckets_kept_forever_are_merged_like_the_rest() {
    let (windows, store, clock) = windows("2019-09-28T19:11:30Z", UvFilling::RollUp);
    let windows = UvLevel::ALL.into_iter().fold(windows, tallis::UvWindows::keep_for_ever);
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    clock.set(at("2219-09-28T19:11:30Z").as_millisecond());
    windows.roll_up().unwrap();
    windows.record("B", at("2019-09-28T19:11:30Z")).unwrap();
    let count = |from: &str, to: &str| windows.count(at(from), at(to)).unwrap();
    assert_eq!(count("2019-09-28T19:11Z", "2019-09-28T19:12Z"), 2);
    assert_eq!(count("2019-09-01T00:00Z", "2019-10-01T00:00Z"), 2);
    windows.roll_up().unwrap();
    assert_eq!(store.pfcount(["uv:2019092819"]).unwrap(), 2);
    assert_eq!(store.expire_time("uv:201909281911").unwrap().millis(), 253_402_300_799_999);
    assert_eq!(store.ttl("uv:201909").unwrap().secs(), -1);
}

#[test]
fn an_unlimited_time_does_not_overflow() {
    for filling in FILLINGS {
        let (windows, store, _) = windows("2299-12-31T23:59:59Z", filling);
        let windows =
            windows.keep(UvLevel::Minute, Duration::MAX).keep(UvLevel::Month, Duration::ZERO);
        assert!(windows.record("A", at("1900-01-01T00:00Z")).unwrap());
        assert!(windows.record("A", at("2299-12-31T23:59:59.9Z")).unwrap());
        assert!(windows.record("A", at("2300-01-01T00:00Z")).is_err());
        assert_eq!(windows.count(at("1900-01-01T00:00Z"), at("1900-01-01T00:01Z")).unwrap(), 1);
        assert_eq!(windows.last_minutes_now(1).unwrap(), 1);
        assert_eq!(windows.last_minutes(u32::MAX).unwrap_err().kind(), ErrorKind::InvalidArgument);
        windows.roll_up().unwrap();
        // Commands do not support times after the year 9999.
        assert_eq!(store.expire_time("uv:190001010000").unwrap().millis(), 253_402_300_799_999);
    }
}

/// A clock that advances by a step with every read.
#[derive(Debug)]
struct Restless {
    now_ms: AtomicI64,
    step_ms: AtomicI64,
}

impl Clock for Restless {
    fn now_ms(&self) -> i64 {
        self.now_ms.fetch_add(self.step_ms.load(Ordering::Relaxed), Ordering::Relaxed)
    }

    fn coarse_secs(&self) -> u32 {
        u32::try_from(self.now_ms.load(Ordering::Relaxed) / 1000).unwrap()
    }
}

#[test]
fn buckets_that_expire_during_a_count_are_reported() {
    for filling in FILLINGS {
        for step in [1, 60_000, 3_000_000] {
            let start = at("2019-09-28T19:11:30Z").as_millisecond();
            let clock = Arc::new(Restless { now_ms: start.into(), step_ms: 0.into() });
            let store = Store::builder().clock(clock.clone()).build();
            let windows = UvWindows::new(store, "uv:").filling(filling).keep(UvLevel::Minute, HOUR);
            windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
            windows.record("B", at("2019-09-28T19:12:30Z")).unwrap();
            clock.now_ms.store(at("2019-09-28T20:11:59Z").as_millisecond(), Ordering::Relaxed);
            windows.roll_up().unwrap();
            clock.step_ms.store(step, Ordering::Relaxed);
            // It counts both visitors, or fails; after some calls it fails.
            for _ in 0..2000 {
                match windows.count(at("2019-09-28T19:11Z"), at("2019-09-28T19:13Z")) {
                    Ok(count) => assert_eq!(count, 2, "{filling:?} {step}"),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::NotKept),
                }
            }
            assert!(windows.count(at("2019-09-28T19:11Z"), at("2019-09-28T19:13Z")).is_err());
        }
    }
}

#[test]
fn merging_past_an_expired_hour_does_not_remove_later_hours() {
    let (windows, _, _) = windows("2019-09-28T12:30:00Z", UvFilling::RollUp);
    let windows = windows.keep(UvLevel::Hour, 3 * HOUR);
    // The hour of the first visit is no longer kept, that of the second is; both are on the same day.
    windows.record("A", at("2019-09-28T08:30:00Z")).unwrap();
    windows.record("B", at("2019-09-28T10:30:00Z")).unwrap();
    let hour = || windows.count(at("2019-09-28T10:00Z"), at("2019-09-28T11:00Z")).unwrap();
    assert_eq!(hour(), 1);
    windows.roll_up().unwrap();
    assert_eq!(hour(), 1);
}
