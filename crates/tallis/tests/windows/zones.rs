//! Days of 23 and 25 hours, and hours that occur twice.

use jiff::tz::TimeZone;
use tallis::{UvFilling, UvLevel, UvWindows};

use super::{FILLINGS, at, windows};

fn berlin(now: &str, filling: UvFilling) -> (UvWindows, tallis::Store) {
    let (windows, store, _) = windows(now, filling);
    (windows.time_zone(TimeZone::get("Europe/Berlin").unwrap()), store)
}

#[test]
fn an_hour_that_occurs_twice_is_two_hours() {
    for filling in FILLINGS {
        let (windows, store) = berlin("2019-10-28T12:00+01", filling);
        windows.record("first", at("2019-10-27T02:30+02")).unwrap();
        windows.record("again", at("2019-10-27T02:30+01")).unwrap();
        windows.roll_up().unwrap();
        for key in
            ["uv:201910270230", "uv:201910270230+0100", "uv:2019102702", "uv:2019102702+0100"]
        {
            assert_eq!(store.pfcount([key]).unwrap(), 1, "{key}");
        }
        let count = |from: &str, to: &str| windows.count(at(from), at(to)).unwrap();
        assert_eq!(count("2019-10-27T02:30+02", "2019-10-27T02:31+02"), 1);
        assert_eq!(count("2019-10-27T02:30+01", "2019-10-27T02:31+01"), 1);
        assert_eq!(count("2019-10-27T02:00+02", "2019-10-27T03:00+02"), 1);
        assert_eq!(count("2019-10-27T02:00+02", "2019-10-27T03:00+01"), 2);
        assert_eq!(count("2019-10-27T02:31+02", "2019-10-27T02:30+01"), 0);
        assert_eq!(count("2019-10-27T00:00+02", "2019-10-28T00:00+01"), 2);
        assert_eq!(windows.last_days(1).unwrap(), 2);
    }
}

#[test]
fn a_day_is_from_midnight_to_midnight_however_long() {
    for filling in FILLINGS {
        for (now, midnight, before, hours) in [
            ("2019-03-31T23:59+02", "2019-03-31T00:00+01", "2019-03-30T23:59:59+01", 23),
            ("2019-10-27T23:59+01", "2019-10-27T00:00+02", "2019-10-26T23:59:59+02", 25),
        ] {
            let (windows, _) = berlin(now, filling);
            windows.record("in", at(midnight)).unwrap();
            windows.record("before", at(before)).unwrap();
            assert_eq!(windows.last_days_now(1).unwrap(), 1);
            assert_eq!(windows.last_days(1).unwrap(), 1);
            assert_eq!(windows.last_hours_now(hours).unwrap(), 1);
            assert_eq!(windows.last_hours_now(hours - 1).unwrap(), 0);
            assert_eq!(windows.last_hours_now(hours + 1).unwrap(), 2);
        }
    }
}

#[test]
fn a_week_ago_is_the_same_time_of_day() {
    for filling in FILLINGS {
        let (windows, _) = berlin("2019-10-30T12:00:30+01", filling);
        windows.record("in", at("2019-10-23T12:00:00+02")).unwrap();
        windows.record("before", at("2019-10-23T11:59:59+02")).unwrap();
        assert_eq!(windows.weekly().unwrap(), 1);
        // A day is 24 hours.
        let (windows, _) = berlin("2019-10-27T12:00:30+01", filling);
        windows.record("in", at("2019-10-26T13:00:00+02")).unwrap();
        windows.record("before", at("2019-10-26T12:59:59+02")).unwrap();
        assert_eq!(windows.daily().unwrap(), 1);
    }
}

#[test]
fn the_same_time_is_on_another_day_elsewhere() {
    let moment = at("2019-12-31T23:30Z");
    for (zone, name) in
        [("UTC", "20191231"), ("Asia/Tokyo", "20200101"), ("America/New_York", "20191231")]
    {
        let (windows, store, _) = windows("2020-01-02T00:00Z", UvFilling::WriteThrough);
        let windows = windows.time_zone(TimeZone::get(zone).unwrap());
        windows.record("A", moment).unwrap();
        assert_eq!(store.pfcount([format!("uv:{name}")]).unwrap(), 1, "{zone}");
        let bucket = windows.calendar().bucket(UvLevel::Day, moment).unwrap();
        assert_eq!(bucket.to_string(), name);
    }
}

#[test]
fn an_open_bucket_of_another_zone_is_an_error_and_not_a_smaller_count() {
    let (windows, _) = berlin("2019-10-28T12:00+01", UvFilling::RollUp);
    windows.record("again", at("2019-10-27T02:30+01")).unwrap();
    let elsewhere = windows.time_zone(TimeZone::UTC);
    assert!(elsewhere.count(at("2019-10-27T00:00Z"), at("2019-10-28T00:00Z")).is_err());
    assert!(elsewhere.roll_up().is_err());
}
