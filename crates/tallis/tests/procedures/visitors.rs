//! Refused visits.

use jiff::civil::{Date, date};
use tallis::{Bucket, ErrorKind, Store, Visitors, VisitorsForm};

use super::refusal::{attempt, plant_everywhere};

const KEYS: [&str; 10] = [
    "unique:2015-05-17",
    "unique:2015-05-17:0",
    "unique:2015-05-17:1",
    "unique:2015-05-17:{0}",
    "unique:2015-05-17:{0}:count",
    "unique:2015-05-17:tagged",
    "unique:2015-05-17:expected",
    "unique:2015-05-17:shards",
    "unique:2015-05-17:bits",
    "unique:2015-05-17:bitmap",
];

/// The key of the counter in the forms that have one.
fn counter(form: VisitorsForm) -> Option<&'static str> {
    match form {
        VisitorsForm::Forecast | VisitorsForm::Bitmap => Some("unique:2015-05-17"),
        VisitorsForm::Tagged => Some("unique:2015-05-17:{0}:count"),
        VisitorsForm::Splitting | VisitorsForm::Compact | _ => None,
    }
}

fn day() -> Date {
    date(2015, 5, 17)
}

/// A handle with an empty cache; its forecast gives one shard.
fn visitors(store: &Store, form: VisitorsForm) -> Visitors {
    Visitors::book(store.clone()).default_yesterday(1).form(form)
}

/// Whether that visitor is in the first shard or the bitmap: a planted value may determine the form of a bucket.
fn has(store: &Store, id: u32) -> bool {
    let in_shard =
        |shard| store.sismember(format!("unique:2015-05-17:{shard}"), id).unwrap_or_default();
    in_shard("0") || in_shard("1") || in_shard("{0}") || in_bitmap(store, id)
}

fn in_bitmap(store: &Store, id: u32) -> bool {
    store.getbit("unique:2015-05-17:bitmap", id.into()).unwrap_or_default()
}

fn begun(form: VisitorsForm) -> Store {
    let store = Store::new();
    for id in 1..=3 {
        assert!(visitors(&store, form).count_id(id, day()).unwrap());
    }
    store
}

#[test]
fn a_visit_counts_or_changes_nothing() {
    for &form in VisitorsForm::ALL {
        let refused = plant_everywhere(
            || begun(form),
            &KEYS,
            |store| visitors(store, form).count_id(77, day()),
            |store, new| {
                // A planted string may have the bit in the bitmap.
                if !new {
                    assert!(in_bitmap(store, 77));
                    return;
                }
                // In forms with a counter, it is correct.
                let count = counter(form).map(|key| store.get_int(key).ok().flatten());
                assert!(count.is_none_or(|count| {
                    count.is_some_and(|count| [4, i64::MIN + 1].contains(&count))
                }));
                assert!(has(store, 77));
            },
        );
        assert!(refused >= 12, "{form:?}: {refused}");
    }
}

#[test]
fn the_first_visit_of_a_bucket_counts_or_changes_nothing() {
    for &form in VisitorsForm::ALL {
        let refused = plant_everywhere(
            Store::new,
            &KEYS,
            |store| visitors(store, form).count_id(77, day()),
            |store, new| {
                // A planted string may have the bit in the bitmap.
                if !new {
                    assert!(in_bitmap(store, 77));
                    return;
                }
                // A planted string at the key of the bitmap determines the form of the bucket.
                let is = if in_bitmap(store, 77) { VisitorsForm::Bitmap } else { form };
                let count = counter(is).map(|key| store.get_int(key).ok().flatten());
                assert!(count != Some(None));
                assert!(has(store, 77));
            },
        );
        assert!(refused >= 12, "{form:?}: {refused}");
    }
}

#[test]
fn a_visit_through_a_handle_with_a_cached_bucket_counts_or_changes_nothing() {
    for (form, counter) in VisitorsForm::ALL.iter().filter_map(|&form| Some((form, counter(form)?)))
    {
        for broken in ["soon", "9223372036854775807", ""] {
            let store = begun(form);
            let visitors = visitors(&store, form);
            assert!(!visitors.count_id(3, day()).unwrap());
            store.set(counter, broken).unwrap();
            let refused = attempt(&store, || visitors.count_id(77, day())).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::NotInteger);
            let refused = attempt(&store, || visitors.bucket(day())?.count_id(77)).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::NotInteger);
            // A known visitor needs no change of the counter, and the visit is not lost once the counter is valid
            // again.
            assert!(!visitors.count_id(3, day()).unwrap());
            store.set(counter, 3).unwrap();
            assert!(visitors.count_id(77, day()).unwrap());
            assert_eq!(visitors.count(day()).unwrap(), 4);
        }
    }
}

#[test]
fn a_forecast_out_of_range_is_refused() {
    let store = Store::new();
    for yesterday in [1 << 40, u64::MAX] {
        let visitors = Visitors::book(store.clone()).default_yesterday(yesterday);
        for bucket in [Bucket::All, day().into()] {
            let refused = visitors.count_id(1, bucket).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        }
    }
    assert_eq!(store.dbsize().unwrap(), 0);
    // The forecast of an impossible count is refused as well.
    store.set("unique:2015-05-16", i64::MAX).unwrap();
    let refused = Visitors::book(store.clone()).count_id(1, day()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "ERR the forecast after 9223372036854775807 visitors is above 1099511627776",
    );
    assert_eq!(store.dbsize().unwrap(), 1);
}
