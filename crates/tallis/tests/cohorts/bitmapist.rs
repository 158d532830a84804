//! The keys that Python's bitmapist creates on a server, and the same calls here.

use std::path::Path;

use jiff::civil::date;
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};

fn theirs() -> Store {
    let store = Store::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bitmapist/marks.rdb");
    store.load(file).unwrap();
    store
}

/// bitmapist writes hours only on request, and never years.
const KINDS: [PeriodKind; 4] =
    [PeriodKind::Hour, PeriodKind::Day, PeriodKind::Week, PeriodKind::Month];

/// The calls described in `tests/data/bitmapist/README.md`.
fn ours() -> (Store, Cohorts) {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone()).kinds(KINDS);
    let with_unique = cohorts.clone().kinds(KINDS.into_iter().chain([PeriodKind::Unique]));
    let without_hours = cohorts.clone().kinds(KINDS.into_iter().skip(1));
    for i in 0..240_u32 {
        let minutes = jiff::Span::new().minutes(97 * i64::from(i));
        let time = date(2020, 12, 20).at(0, 0, 0, 0).checked_add(minutes).unwrap();
        let event = ["active", "song:played", "a_b"][i as usize % 3];
        let user = u64::from(i * i * 7919 % if i % 2 == 1 { 61 } else { 5003 });
        let marker = if i % 5 == 0 { &with_unique } else { &cohorts };
        marker.mark(event, user, time).unwrap();
        if i % 7 == 0 {
            without_hours.unmark(event, (user + 1) % 5003, time).unwrap();
        }
    }
    for user in [3, 77, 4000] {
        cohorts.mark_unique("paying", user).unwrap();
    }
    cohorts.unmark_unique("paying", 77).unwrap();
    (store, cohorts)
}

#[test]
fn marks_equal_those_of_bitmapist_byte_for_byte() {
    let (theirs, (ours, cohorts)) = (theirs(), ours());
    let mut keys = theirs.keys("trackist_*").unwrap();
    keys.sort_unstable();
    assert!(keys.len() > 300);
    let mut here = ours.keys("*").unwrap();
    here.sort_unstable();
    assert_eq!(here, keys);
    for key in &keys {
        assert_eq!(ours.get(key).unwrap(), theirs.get(key).unwrap(), "{key:?}");
    }
    let read = Cohorts::new(theirs).kinds(KINDS);
    assert_eq!(read.events().unwrap(), ["a_b", "active", "paying", "song:played"]);
    assert_eq!(read.users("paying", Period::UNIQUE).unwrap(), [3, 4000]);
    for kind in KINDS {
        let period = kind.at(date(2020, 12, 31).at(3, 0, 0, 0));
        for event in ["active", "song:played", "a_b"] {
            assert_eq!(read.users(event, period).unwrap(), cohorts.users(event, period).unwrap());
        }
    }
}

#[test]
fn expressions_equal_those_of_bitmapist_byte_for_byte() {
    let store = theirs();
    let cohorts = Cohorts::new(store.clone()).kinds(KINDS);
    let month = |event, year, month| Cohort::of(event, Period::month(date(year, month, 1)));
    let week =
        |event, year, week: i8| Cohort::of(event, format!("W{year}-{week}").parse().unwrap());
    let paying = || Cohort::unique("paying");
    let day = Cohort::of("a_b", Period::day(date(2020, 12, 31)));
    let nested =
        (week("active", 2020, 53) | day) ^ (month("song:played", 2021, 1) & !week("a_b", 2020, 52));
    for (name, cohort) in [
        ("not", !paying()),
        ("and-not", month("active", 2020, 12) & !paying()),
        ("nested", nested),
        ("year", Cohort::of("active", Period::year(date(2020, 1, 1)))),
    ] {
        let kept = store.get(format!("kept:{name}")).unwrap().unwrap();
        assert!(!kept.is_empty(), "{name}");
        assert!(cohorts.query(cohort).bitmap().unwrap() == kept, "{name}");
    }
}

#[test]
fn a_table_of_retention_equals_bitmapist_s() {
    let cohorts = Cohorts::new(theirs()).kinds(KINDS);
    let weeks = Period::week(date(2021, 1, 4)).last(3);
    let table = cohorts.retention("active", "a_b", weeks).unwrap();
    let rows: Vec<(u64, &[u64])> =
        table.rows().iter().map(|row| (row.users, &row.returned[..])).collect();
    assert_eq!(rows[0].0, 35);
    assert_eq!(rows[0].1[..2], [16, 15]);
    assert_eq!((rows[1].0, rows[1].1), (28, &[0, 0][..]));
}
