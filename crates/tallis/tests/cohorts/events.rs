//! Listing and deleting events.

use jiff::civil::date;
use tallis::{Cohorts, Period, Store};

/// Names of which some are prefixes of others, or end like periods.
const NAMES: [&str; 8] = ["a", "a_b", "a_b_c", "a_2015", "a_u", "b", "*", "a_W2015-20"];

fn events() -> (Store, Cohorts) {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    for name in NAMES {
        cohorts.mark(name, 1, date(2015, 5, 17)).unwrap();
        cohorts.mark_unique(name, 1).unwrap();
    }
    // Keys that are not events: without a period, with another prefix, a result of bitmapist.
    for key in [
        "trackist_a",
        "trackist_a_",
        "trackist_a_2015-05",
        "trackist_a_2015-5-17-13x",
        "track_a_u",
        "trackist_bitop_AND_trackist_a_2015-5-trackist_a_2015-6",
    ] {
        store.set(key, "x").unwrap();
    }
    (store, cohorts)
}

#[test]
fn events_are_found_by_their_keys() {
    let (_, cohorts) = events();
    let mut names = NAMES;
    names.sort_unstable();
    assert_eq!(cohorts.events().unwrap(), names);
    let periods: Vec<String> =
        cohorts.periods("a").unwrap().iter().map(ToString::to_string).collect();
    // The unique period sorts by its fixed start; the others are in order.
    assert_eq!(periods, ["u", "2015", "2015-5", "W2015-20", "2015-5-17-0", "2015-5-17"]);
    assert_eq!(cohorts.periods("none").unwrap(), []);
    assert_eq!(cohorts.clone().prefix("other").events().unwrap(), [""; 0]);
}

#[test]
fn an_event_is_deleted_without_others_of_the_same_prefix() {
    for name in NAMES {
        let (store, cohorts) = events();
        let before = store.dbsize().unwrap();
        assert_eq!(cohorts.delete_event(name).unwrap(), 6, "{name}");
        assert_eq!(store.dbsize().unwrap(), before - 6);
        assert_eq!(cohorts.delete_event(name).unwrap(), 0);
        let left: Vec<&str> = NAMES.into_iter().filter(|&other| other != name).collect();
        for other in &left {
            assert!(cohorts.has(other, Period::UNIQUE, 1).unwrap(), "{other} after {name}");
            assert_eq!(cohorts.periods(other).unwrap().len(), 6);
        }
    }
}

#[test]
fn only_one_period_is_deleted() {
    let (store, cohorts) = events();
    let before = store.dbsize().unwrap();
    let day = Period::day(date(2015, 5, 17));
    assert!(cohorts.delete("a", day).unwrap());
    assert!(!cohorts.delete("a", day).unwrap());
    assert_eq!(store.dbsize().unwrap(), before - 1);
    assert_eq!(cohorts.count("a", day).unwrap(), 0);
    assert_eq!(cohorts.count("a", Period::month(date(2015, 5, 17))).unwrap(), 1);
}

#[test]
fn everything_under_the_prefix_is_deleted_and_nothing_else() {
    let (store, cohorts) = events();
    store.set("trackist", "x").unwrap();
    store.set("trackistic_a_u", "x").unwrap();
    for event in 0..3_000 {
        cohorts.mark_unique(format!("many:{event}"), 1).unwrap();
    }
    let all = store.dbsize().unwrap() as u64;
    assert_eq!(cohorts.delete_all().unwrap(), all - 3);
    let mut left = store.keys("*").unwrap();
    left.sort_unstable();
    assert_eq!(left, ["track_a_u", "trackist", "trackistic_a_u"]);
}

#[test]
fn a_key_can_expire() {
    let (store, cohorts) = events();
    let day = Period::day(date(2015, 5, 17));
    let key = cohorts.key("a", day);
    assert_eq!(key, b"trackist_a_2015-5-17");
    assert!(store.expire(&key, 1000).unwrap());
    cohorts.mark("a", 2, date(2015, 5, 17)).unwrap();
    assert_eq!(store.ttl(&key).unwrap().secs(), 1000, "marks leave the expiry as it is");
    assert!(store.pexpire(&key, 0).unwrap());
    assert_eq!(cohorts.count("a", day).unwrap(), 0);
}
