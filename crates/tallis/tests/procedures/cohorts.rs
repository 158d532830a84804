//! `Cohorts`.

use jiff::civil::date;
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};

use super::refusal::plant_everywhere;

const KEYS: [&str; 6] = [
    "trackist_active_2015-5-17-13",
    "trackist_active_2015-5-17",
    "trackist_active_W2015-20",
    "trackist_active_2015-5",
    "trackist_active_2015",
    "trackist_active_u",
];
const USER: u64 = 42;

fn make() -> Store {
    let store = Store::new();
    cohorts(&store).mark("active", 7, date(2015, 5, 17).at(13, 0, 0, 0)).unwrap();
    store
}

fn cohorts(store: &Store) -> Cohorts {
    Cohorts::new(store.clone()).kinds(PeriodKind::ALL)
}

#[test]
fn a_mark_is_in_all_periods_or_in_none() {
    let time = date(2015, 5, 17).at(13, 30, 0, 0);
    for on in [true, false] {
        let call = |store: &Store| {
            let cohorts = cohorts(store);
            if on {
                cohorts.mark("active", USER, time)
            } else {
                cohorts.unmark("active", USER, time)
            }
        };
        let refused = plant_everywhere(make, &KEYS, call, |store, _| {
            for kind in PeriodKind::ALL {
                assert_eq!(cohorts(store).has("active", kind.at(time), USER).unwrap(), on);
            }
        });
        // A bit can be set in any string.
        assert_eq!(refused, KEYS.len() * 3);
    }
}

#[test]
fn a_bitmap_is_stored_or_the_previous_value_stays() {
    let day = Period::day(date(2015, 5, 17));
    let query = |store: &Store| {
        let cohort =
            Cohort::of("active", day) | Cohort::of("active", Period::month(day.start().unwrap()));
        cohorts(store).query(cohort).store("kept")
    };
    let keys = [KEYS[1], KEYS[3], "kept"];
    let refused = plant_everywhere(make, &keys, query, |store, len| {
        assert_eq!(store.strlen("kept").unwrap() as u64, len);
        assert!(cohorts(store).query(Cohort::key("kept")).has(7).unwrap());
    });
    assert_eq!(refused, 6);
}
