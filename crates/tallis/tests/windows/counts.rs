//! Random visits, in time and late, compared with a list of all of them.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tallis::{ManualClock, Store, UvFilling, UvLevel, UvWindows};
use testkit::rng::{Rng, rounds};

use super::{FILLINGS, Visits, at, second, windows};

/// Additional calls of `roll_up`: none, or many.
#[derive(Clone, Copy, Debug)]
enum Rolls {
    Never,
    Often,
}

fn same_counts(windows: &UvWindows, visits: &Visits, rng: &mut Rng, first: i64, last: i64) {
    for _ in 0..12 {
        let mut ends = [(); 2].map(|()| rng.range(first / 60..=last / 60 + 1) * 60);
        ends.sort_unstable();
        let [from, to] = ends;
        let counted = windows.count(second(from), second(to)).unwrap();
        assert_eq!(counted, visits.count(from, to), "{from} {to} {windows:?}");
    }
}

/// Checks the counts of each level by its own keys, after everything was rolled up.
fn every_bucket_is_filled(windows: &UvWindows, store: &Store, visits: &Visits, last: i64) {
    let seconds: HashSet<i64> = visits.0.keys().copied().collect();
    for at in seconds {
        for level in UvLevel::ALL {
            let bucket = windows.calendar().bucket(level, second(at)).unwrap();
            let (from, to) = (bucket.start().as_second(), bucket.end().as_second());
            if level == UvLevel::Minute || to <= last {
                let counted = store.pfcount([windows.key(&bucket)]).unwrap();
                assert_eq!(counted, visits.count(from, to), "{bucket}");
            }
        }
    }
}

fn visit_and_count(zone: &TimeZone, start: &str, rolls: Rolls, seed: u64) {
    let mut rng = Rng::new(seed);
    let start = at(start).as_second();
    let filled = FILLINGS.map(|filling| {
        let clock = Arc::new(ManualClock::new(start * 1000));
        let store = Store::builder().clock(clock.clone()).build();
        let windows = UvWindows::new(store.clone(), "uv:").filling(filling).time_zone(zone.clone());
        (windows, store, clock)
    });
    let mut visits = Visits::default();
    let mut now = start;
    for _ in 0..rounds(700, 1_200) {
        now += rng.range(0..=600);
        // Most are in time; some are up to three days late, and a clock may be ahead.
        let late = match rng.below(10) {
            0 => rng.range(0..=3 * 86_400),
            1 => rng.range(0..=7200),
            2 => -rng.range(0..=120),
            _ => 0,
        };
        let (user, second_at) = (format!("user:{}", rng.below(400)), now - late);
        visits.add(&user, second_at);
        let rolled = matches!(rolls, Rolls::Often) && rng.below(5) == 0;
        for (windows, _, clock) in &filled {
            clock.set(now * 1000 + 7);
            windows.record(&user, second(second_at)).unwrap();
            if rolled {
                windows.roll_up().unwrap();
            }
        }
        if rng.below(40) == 0 {
            let mut rng = Rng::new(rng.u64());
            for (windows, ..) in &filled {
                same_counts(windows, &visits, &mut rng.clone(), start - 3 * 86_400, now);
            }
            rng.u64();
        }
    }
    for (windows, store, _) in &filled {
        same_counts(windows, &visits, &mut rng.clone(), start - 3 * 86_400, now);
        windows.roll_up().unwrap();
        every_bucket_is_filled(windows, store, &visits, now);
        same_counts(windows, &visits, &mut rng.clone(), start - 3 * 86_400, now);
    }
    // After all buckets have ended, both fillings have the same keys, with the same counts.
    let keys = filled.each_ref().map(|(windows, store, clock)| {
        clock.advance(3 * 86_400_000);
        windows.roll_up().unwrap();
        let mut keys = store.keys("uv:2*").unwrap();
        keys.sort_unstable();
        keys.into_iter().map(|key| (store.pfcount([&key]).unwrap(), key)).collect::<Vec<_>>()
    });
    assert!(keys[0].len() > 500);
    assert_eq!(keys[0], keys[1]);
}

#[test]
fn both_fillings_have_the_counts_of_a_list_of_visits() {
    visit_and_count(&TimeZone::UTC, "2019-12-29T12:00Z", Rolls::Never, 1);
    visit_and_count(&TimeZone::UTC, "2016-02-27T12:00Z", Rolls::Often, 2);
}

#[test]
fn counts_are_correct_in_nights_in_which_clocks_are_set() {
    for (zone, start) in [
        ("Europe/Berlin", "2019-10-25T12:00Z"),
        ("Europe/Berlin", "2019-03-30T12:00Z"),
        ("Australia/Lord_Howe", "2019-04-05T12:00Z"),
        ("America/St_Johns", "2009-10-31T00:00Z"),
        ("Pacific/Apia", "2011-12-29T00:00Z"),
    ] {
        let zone = TimeZone::get(zone).unwrap();
        visit_and_count(&zone, start, Rolls::Never, 3);
        visit_and_count(&zone, start, Rolls::Often, 4);
    }
}

#[test]
fn counts_are_correct_with_and_without_rolling_up() {
    // All visits are late, so that no visit rolls up.
    let (windows, store, _) = windows("2019-10-03T00:00Z", UvFilling::RollUp);
    let mut visits = Visits::default();
    let mut rng = Rng::new(5);
    let (first, last) = (at("2019-09-29T00:00Z").as_second(), at("2019-10-02T00:00Z").as_second());
    for _ in 0..500 {
        let (user, at) = (rng.below(300).to_string(), rng.range(first..=last - 1));
        visits.add(&user, at);
        windows.record(&user, second(at)).unwrap();
    }
    assert_eq!(store.exists_many(["uv:20190929", "uv:2019092900", "uv:201909"]).unwrap(), 0);
    let open = store.scard("uv:open").unwrap();
    assert_eq!(open, store.keys("uv:2*").unwrap().len());
    same_counts(&windows, &visits, &mut rng, first, last);
    assert_eq!(windows.count(second(first), second(last)).unwrap(), visits.count(first, last));
    let rolled = windows.roll_up().unwrap();
    assert!(rolled > open as u64, "{rolled} minutes, hours and days");
    assert_eq!((store.scard("uv:open").unwrap(), windows.roll_up().unwrap()), (0, 0));
    same_counts(&windows, &visits, &mut rng, first, last);
    // Only the day is counted, and it has all visits.
    let day = at("2019-09-30T00:00Z").as_second();
    assert_eq!(store.pfcount(["uv:20190930"]).unwrap(), visits.count(day, day + 86_400));
}

#[test]
fn late_visits_open_the_buckets_that_they_belong_to() {
    let (windows, store, clock) = windows("2019-09-28T19:11:30Z", UvFilling::RollUp);
    let day = || windows.count(at("2019-09-28T00:00Z"), at("2019-09-29T00:00Z")).unwrap();
    let open = || {
        let names = store.smembers("uv:open").unwrap();
        names.iter().map(|name| name.escape_ascii().to_string()).collect::<Vec<_>>().join(" ")
    };
    windows.record("A", at("2019-09-28T19:11:30Z")).unwrap();
    assert_eq!(
        (open().as_str(), store.ttl("uv:201909281911").unwrap().secs()),
        ("201909281911", -1)
    );
    clock.set(at("2019-09-29T03:00:00Z").as_millisecond());
    assert_eq!(windows.roll_up().unwrap(), 3);
    assert_eq!((open().as_str(), day()), ("", 1));
    assert!(store.ttl("uv:201909281911").unwrap().secs() > 0);
    assert_eq!(store.ttl("uv:201909").unwrap().secs(), -1);
    // A known visitor does not open a bucket.
    assert!(!windows.record("A", at("2019-09-28T19:11:59Z")).unwrap());
    assert_eq!(open(), "");
    assert!(windows.record("B", at("2019-09-28T19:11:59Z")).unwrap());
    assert_eq!((open().as_str(), day()), ("201909281911", 2));
    assert_eq!(store.ttl("uv:201909281911").unwrap().secs(), -1);
    assert_eq!(store.pfcount(["uv:2019092819"]).unwrap(), 1);
    assert_eq!((windows.roll_up().unwrap(), day()), (3, 2));
    for key in ["uv:2019092819", "uv:20190928", "uv:201909"] {
        assert_eq!(store.pfcount([key]).unwrap(), 2, "{key}");
    }
}

#[test]
fn busy_minutes_accept_new_visitors() {
    for filling in FILLINGS {
        let (windows, store, clock) = windows("2019-09-28T19:11:30Z", filling);
        let start = at("2019-09-28T19:11:00Z").as_second();
        let mut visits = Visits::default();
        // Each minute becomes dense, and has half of the users of the previous one.
        for minute in 0..3 {
            let now = start + 60 * minute;
            clock.set(now * 1000);
            for user in 1_500 * minute..1_500 * minute + 3_000 {
                let user = format!("user:{user}");
                windows.record(&user, second(now)).unwrap();
                assert!(!windows.record(&user, second(now)).unwrap());
                visits.add(&user, now);
            }
            let key = windows.cover(second(now), second(now + 60)).unwrap();
            assert_eq!(store.strlen(&key[0]).unwrap(), hll::DENSE_LEN);
            assert_eq!(windows.last_minutes_now(1).unwrap(), visits.count(now, now + 60));
            assert_eq!(windows.last_days_now(1).unwrap(), visits.count(start, now + 60));
        }
        clock.set((start + 3600) * 1000);
        windows.roll_up().unwrap();
        assert_eq!(store.pfcount(["uv:2019092819"]).unwrap(), visits.count(start, start + 3600));
    }
}

#[test]
fn the_first_visit_of_a_minute_rolls_up_the_previous_ones() {
    let (windows, store, clock) = windows("2019-09-28T19:58:00Z", UvFilling::RollUp);
    for minute in 0..10 {
        let now = second(at("2019-09-28T19:58:00Z").as_second() + minute * 60);
        clock.set(now.as_millisecond());
        for user in 0..3 {
            windows.record(user + 10 * i32::try_from(minute).unwrap(), now).unwrap();
        }
    }
    let mut open = store.smembers("uv:open").unwrap();
    open.sort_unstable();
    // The previous hour has been merged into its day, which has not ended.
    assert_eq!(open, ["20190928", "2019092820", "201909282007"]);
    assert_eq!(windows.last_days_now(1).unwrap(), 30);
}

#[test]
fn fillings_can_be_changed_and_a_store_can_be_saved_and_loaded() {
    let (through, store, clock) = windows("2019-09-28T19:11:30Z", UvFilling::WriteThrough);
    let up = through.clone().filling(UvFilling::RollUp);
    let mut visits = Visits::default();
    let mut rng = Rng::new(9);
    let mut now = at("2019-09-28T19:11:30Z").as_second();
    for round in 0..400 {
        now += rng.range(0..=400);
        clock.set(now * 1000);
        let user = rng.below(200).to_string();
        let at = now - i64::from(rng.below(4) == 0) * rng.range(0..=86_400);
        visits.add(&user, at);
        let windows = if rng.below(2) == 0 { &through } else { &up };
        windows.record(&user, second(at)).unwrap();
        if round % 40 == 0 {
            for windows in [&through, &up] {
                same_counts(windows, &visits, &mut rng, now - 2 * 86_400, now);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    store.save(&file).unwrap();
    let loaded = Store::builder().clock(clock).build();
    loaded.load(&file).unwrap();
    let windows = UvWindows::new(loaded, "uv:").filling(UvFilling::RollUp);
    same_counts(&windows, &visits, &mut rng, now - 2 * 86_400, now);
    windows.roll_up().unwrap();
    same_counts(&windows, &visits, &mut rng, now - 2 * 86_400, now);
}
