//! The rate limits.

use std::sync::Arc;
use std::time::Duration;

use tallis::{Funnel, ManualClock, Quota, SlidingCounter, SlidingWindow, Store};

use super::refusal::{attempt, plant_everywhere};

const MINUTE: Duration = Duration::from_secs(60);

/// A present-day time, in milliseconds, at which a minute begins.
const START: i64 = 1_700_000_040_000;

fn prepared() -> Store {
    Store::builder().clock(Arc::new(ManualClock::new(START))).build()
}

#[test]
fn a_funnel_takes_all_or_nothing() {
    let quota = Quota::new(5, 1, Duration::from_secs(1)).unwrap();
    for quantity in [0, 1, 5, 6, u64::MAX] {
        let take = |store: &Store| Funnel::new(store.clone(), quota).take("k", quantity);
        let refused = plant_everywhere(prepared, &["k"], take, |store, throttle| {
            // With the maximum time the funnel is too full, with the minimum it has been empty for long.
            let taken = throttle.limited || quantity == 0;
            let next = store.get_int("k").unwrap();
            assert_eq!(taken, next == Some(i64::MAX) || next == Some(i64::MIN), "{quantity}");
        });
        assert_eq!(refused, 5, "{quantity}");
    }
}

#[test]
fn a_counter_counts_all_or_nothing() {
    for quantity in [0, 1, 5, u64::MAX] {
        let take = |store: &Store| {
            SlidingCounter::new(store.clone(), 5, MINUTE).unwrap().take("k", quantity)
        };
        let refused = plant_everywhere(prepared, &["k"], take, |_, _| unreachable!());
        assert_eq!(refused, 7);
    }
    // Counts of which one is too large, and of which both have the maximum.
    let largest = i64::MAX;
    for (text, is_count) in [
        (format!("{START}:1:9223372036854775808"), false),
        (format!("{START}:{largest}:{largest}"), true),
        (format!("{largest}:{largest}:{largest}"), true),
        (format!("{}:{largest}:{largest}", i64::MIN), true),
    ] {
        let store = prepared();
        store.set("k", &text).unwrap();
        let counter = SlidingCounter::new(store.clone(), 5, MINUTE).unwrap();
        let taken = attempt(&store, || counter.take("k", 1));
        assert_eq!(taken.is_ok(), is_count, "{text}");
        if taken.is_ok_and(|throttle| throttle.limited) {
            assert_eq!(store.get("k").unwrap().as_deref(), Some(text.as_bytes()));
        }
    }
}

#[test]
fn a_window_adds_an_action_or_nothing() {
    for count_refused in [false, true] {
        for most in [0, 1, 5] {
            let act = |store: &Store| {
                let window = SlidingWindow::new(store.clone()).count_refused(count_refused);
                window.can_reply("a", "b", MINUTE, most)
            };
            let refused = plant_everywhere(prepared, &["hist:a:b"], act, |store, allowed| {
                assert_eq!(allowed, most > 0);
                // The planted member is older than the period.
                let actions = usize::from(allowed || count_refused);
                assert_eq!(store.zcard("hist:a:b").unwrap(), actions);
            });
            assert_eq!(refused, 6);
        }
    }
}
