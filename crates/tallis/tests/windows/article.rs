//! The examples of the article.

use jiff::Timestamp;
use tallis::{Store, UvWindows};

use super::{FILLINGS, at, windows};

fn cover(from: &str, to: &str) -> Vec<String> {
    let windows = UvWindows::new(Store::new(), "USER:LOGIN:");
    let keys = windows.cover(at(from), at(to)).unwrap();
    keys.into_iter().map(|key| String::from_utf8(key).unwrap()).collect()
}

/// Keys from the first number to the last, with the year added.
fn keys(digits: usize, first: u64, last: u64) -> impl Iterator<Item = String> {
    (first..=last).map(move |number| format!("USER:LOGIN:2019{number:0digits$}"))
}

#[test]
fn eighty_minutes_are_an_hour_and_twenty_minutes() {
    let cover = cover("2019-09-28T18:00Z", "2019-09-28T19:20Z");
    let mut expected: Vec<String> = keys(6, 92_818, 92_818).collect();
    expected.extend(keys(8, 9_281_900, 9_281_919));
    assert_eq!(cover, expected);
}

#[test]
fn two_days_are_one_day_hours_and_minutes() {
    let cover = cover("2019-09-28T19:11Z", "2019-09-30T16:38Z");
    let mut expected: Vec<String> = keys(8, 9_281_911, 9_281_959).collect();
    expected.extend(keys(6, 92_820, 92_823));
    expected.extend(keys(4, 929, 929));
    expected.extend(keys(6, 93_000, 93_015));
    expected.extend(keys(8, 9_301_600, 9_301_637));
    assert_eq!(cover, expected);
    assert_eq!(cover.len(), 108);
}

#[test]
fn five_minutes_are_five_keys() {
    // The article's users and hours, then its PFCOUNT of five keys by minute.
    for filling in FILLINGS {
        let (windows, store, clock) = windows("2019-09-28T20:00:00Z", filling);
        for user in ["A", "B", "C", "D", "E", "F"] {
            assert!(windows.record(user, at("2019-09-28T18:00:00Z")).unwrap());
            assert!(!windows.record(user, at("2019-09-28T18:00:59Z")).unwrap());
            windows.record(user, at("2019-09-28T19:00:00Z")).unwrap();
            windows.record(user, at("2019-09-28T18:23:00Z")).unwrap();
        }
        windows.record("G", at("2019-09-28T19:59:59Z")).unwrap();
        let count = |from, to| windows.count(at(from), at(to)).unwrap();
        assert_eq!(count("2019-09-28T18:00Z", "2019-09-28T19:00Z"), 6);
        assert_eq!(count("2019-09-28T19:00Z", "2019-09-28T20:00Z"), 7);
        assert_eq!(count("2019-09-28T18:00Z", "2019-09-28T20:00Z"), 7);
        let five = windows.cover(at("2019-09-28T18:21Z"), at("2019-09-28T18:26Z")).unwrap();
        assert_eq!(five.len(), 5);
        assert_eq!(store.pfcount(&five).unwrap(), 6);
        clock.set(at("2019-09-28T18:26:30Z").as_millisecond());
        assert_eq!(windows.last_minutes(5).unwrap(), 6);
        assert_eq!(windows.last_minutes(2).unwrap(), 0);
    }
}

/// `getLastMinutes`, `getLastHours` and `getLastDays` of the article, by their ranges.
#[test]
fn figures_of_the_hour_the_day_and_the_week_end_before_the_current_minute() {
    let now = "2019-09-30T16:38:45Z";
    for filling in FILLINGS {
        let (windows, _, _) = windows(now, filling);
        let edges: [(&str, &str); 8] = [
            ("now", "2019-09-30T16:38:00Z"),
            ("last minute", "2019-09-30T16:37:59Z"),
            ("first of the hour", "2019-09-30T15:38:00Z"),
            ("before the hour", "2019-09-30T15:37:59Z"),
            ("first of the day", "2019-09-29T16:38:00Z"),
            ("before the day", "2019-09-29T16:37:59Z"),
            ("first of the week", "2019-09-23T16:38:00Z"),
            ("before the week", "2019-09-23T16:37:59Z"),
        ];
        for (user, time) in edges {
            assert!(windows.record(user, at(time)).unwrap());
        }
        assert_eq!(windows.hourly().unwrap(), 2);
        assert_eq!(windows.daily().unwrap(), 4);
        assert_eq!(windows.weekly().unwrap(), 6);
        // Calendar units: 15:00 to 16:00, and from 16:00 on.
        assert_eq!((windows.last_hours(1).unwrap(), windows.last_hours_now(1).unwrap()), (2, 2));
        assert_eq!(windows.last_hours_now(2).unwrap(), 4);
        assert_eq!((windows.last_days(1).unwrap(), windows.last_days_now(1).unwrap()), (2, 4));
        assert_eq!((windows.last_days(7).unwrap(), windows.last_days_now(8).unwrap()), (4, 8));
        assert_eq!(
            (windows.last_minutes(1).unwrap(), windows.last_minutes_now(1).unwrap()),
            (1, 1)
        );
        assert_eq!(
            (windows.last_minutes(60).unwrap(), windows.last_minutes_now(61).unwrap()),
            (2, 3)
        );
        for none in [windows.last_minutes(0), windows.last_days_now(0), windows.last_hours(0)] {
            assert_eq!(none.unwrap(), 0);
        }
    }
}

#[test]
fn a_day_that_begins_inside_an_hour_takes_84_keys_at_most() {
    let windows = UvWindows::new(Store::new(), "");
    let day = at("2019-09-29T16:38Z");
    let mut most = 0;
    for minute in 0..60 {
        let from = Timestamp::from_second(day.as_second() + minute * 60).unwrap();
        let to = Timestamp::from_second(from.as_second() + 86_400).unwrap();
        most = most.max(windows.cover(from, to).unwrap().len());
    }
    // The article's 24 hours and 60 minutes; here, one of its hours is covered by the minutes.
    assert_eq!(most, 83);
}
