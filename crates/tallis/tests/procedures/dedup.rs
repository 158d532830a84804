//! `Dedup`.

use std::sync::Arc;
use std::time::Duration;

use tallis::bloom::Settings;
use tallis::{Dedup, ErrorKind, Limits, ManualClock, Store};

use super::refusal::{attempt, plant_everywhere};

/// An error rate so small that no test encounters an error.
const NEVER: f64 = 1e-12;

const PERIOD: Duration = Duration::from_secs(10);

fn prepared() -> Store {
    Store::builder().clock(Arc::new(ManualClock::new(1_700_000_000_000))).build()
}

/// Each kind, on a store.
const KINDS: [fn(&Store) -> Dedup; 3] = [
    |store| Dedup::new(store.clone(), "seen", 10, NEVER).unwrap(),
    |store| Dedup::last(store.clone(), "seen", 10, NEVER).unwrap(),
    |store| Dedup::within(store.clone(), "seen", 10, NEVER, PERIOD).unwrap(),
];

#[test]
fn all_items_are_added_or_none() {
    for (kind, keys) in KINDS.into_iter().zip([1, 2, 2]) {
        let insert = |store: &Store| kind(store).insert_many(0..30);
        let refused =
            plant_everywhere(prepared, &["seen", "{seen}:older"][..keys], insert, |store, new| {
                assert_eq!(new, [true; 30]);
                assert!(kind(store).contains(29).unwrap());
            });
        // A filter created by another client is used.
        assert_eq!(refused, keys * 6);
    }
}

/// A filter of another client, with a smaller capacity than needed.
#[test]
fn a_full_filter_accepts_no_part_of_a_batch() {
    for kind in KINDS {
        for full in ["seen", "{seen}:older"] {
            let store = prepared();
            store.bf_reserve(full, &Settings::new(3, NEVER).non_scaling()).unwrap();
            assert_eq!(store.bf_madd(full, 0..2).unwrap(), [true; 2]);
            store.pexpire("seen", 10_000).unwrap();
            let seen = kind(&store);
            let taken = attempt(&store, || seen.insert_many([7, 0, 8, 1]));
            if full == "seen" {
                assert_eq!(taken.unwrap_err().kind(), ErrorKind::FilterFull);
                // Repeated items and known ones need no capacity.
                assert_eq!(
                    seen.insert_many([0, 7, 7, 1, 7]).unwrap(),
                    [false, true, false, false, false]
                );
                let error = attempt(&store, || seen.insert(8)).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::FilterFull);
                assert_eq!(seen.insert_many([1, 7]).unwrap(), [false; 2]);
            } else {
                taken.unwrap();
            }
        }
    }
}

#[test]
fn a_filter_that_cannot_grow_accepts_no_part_of_a_batch() {
    for kind in KINDS {
        let store = prepared();
        let seen = kind(&store);
        assert_eq!(seen.insert_many(0..3).unwrap(), [true; 3]);
        let bytes = store.bf_info("seen").unwrap().size;
        let limits =
            Limits { bloom_memory_usage_limit: usize::try_from(bytes).unwrap(), ..store.limits() };
        store.set_limits(limits);
        let taken = attempt(&store, || seen.insert_many(0..1000));
        // The filter of `last` never grows.
        if store.bf_info("seen").unwrap().expansion.is_some() {
            assert_eq!(taken.unwrap_err().kind(), ErrorKind::OutOfMemory);
            assert_eq!(seen.insert_many(0..4).unwrap(), [false, false, false, true]);
        } else {
            taken.unwrap();
        }
    }
}

/// A rotation needs a new filter, which the limits forbid: the older one stays.
#[test]
fn a_rotation_that_fails_changes_nothing() {
    for kind in &KINDS[1..] {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Store::builder().clock(clock.clone()).build();
        let seen = kind(&store);
        assert_eq!(seen.insert_many(0..9).unwrap(), [true; 9]);
        assert_eq!(seen.insert_many([7]).unwrap(), [false]);
        clock.advance(6_000);
        store.set_limits(Limits { bloom_memory_usage_limit: 8, ..store.limits() });
        for items in [vec![100, 101], vec![8, 100, 101], (100..200).collect()] {
            let error = attempt(&store, || seen.insert_many(items)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        }
        let error = attempt(&store, || seen.insert_many(0..100)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}
