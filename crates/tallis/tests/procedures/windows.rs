//! `UvWindows`.

use std::sync::Arc;

use jiff::Timestamp;
use tallis::{Limits, ManualClock, Store, UvFilling, UvWindows};

use super::refusal::{NO_SKETCHES, contents, plant_everywhere};

const KEYS: [&str; 4] = ["uv:201909281911", "uv:2019092819", "uv:20190928", "uv:201909"];
const OPEN: &str = "uv:open";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A store whose clock shows that time, in which users were recorded at 19:11.
fn store(now: &str, filling: UvFilling, users: &[&str]) -> Store {
    let clock = Arc::new(ManualClock::new(at("2019-09-28T19:11:30Z").as_millisecond()));
    let store = Store::builder().clock(clock.clone()).build();
    for user in users {
        record(&store, filling, user).unwrap();
    }
    clock.set(at(now).as_millisecond());
    store
}

fn windows(store: &Store, filling: UvFilling) -> UvWindows {
    UvWindows::new(store.clone(), "uv:").filling(filling)
}

fn record(store: &Store, filling: UvFilling, user: &str) -> Result<bool, tallis::Error> {
    windows(store, filling).record(user, at("2019-09-28T19:11:30Z"))
}

#[test]
fn a_visit_is_written_through_to_all_or_none() {
    for users in [&[][..], &["A"]] {
        let make = || store("2019-09-28T19:11:40Z", UvFilling::WriteThrough, users);
        let call = |store: &Store| record(store, UvFilling::WriteThrough, "B");
        // Only another sketch at a key is accepted.
        let refused = plant_everywhere(make, &KEYS, call, |store, changed| {
            assert!(changed);
            for key in KEYS {
                assert!(store.pfcount([key]).unwrap() > 0, "{key}");
            }
        });
        assert_eq!(refused, KEYS.len() * NO_SKETCHES);
        // The value of the set of open buckets does not matter.
        let refused = plant_everywhere(make, &[OPEN], call, |store, changed| {
            assert!(changed);
            for key in KEYS {
                assert_eq!(store.pfcount([key]).unwrap(), users.len() as u64 + 1, "{key}");
            }
        });
        assert_eq!(refused, 0);
    }
}

#[test]
fn a_visit_of_only_a_month_is_written_or_not() {
    let make = || store("2021-09-28T19:11:30Z", UvFilling::WriteThrough, &["A"]);
    for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
        let call = |store: &Store| record(store, filling, "B");
        let refused = plant_everywhere(make, &["uv:201909"], call, |_, changed| assert!(changed));
        assert_eq!(refused, NO_SKETCHES);
    }
}

#[test]
fn a_damaged_bucket_refuses_a_visit_before_another_one_has_it() {
    let header = &hll::empty()[..16];
    let bodies: [&[u8]; 4] = [b"", b"\x7f", b"\x7f\xfe", b"\x7f\xff\x00"];
    for sparse_max_bytes in [0, 3000] {
        for filling in [UvFilling::WriteThrough, UvFilling::RollUp] {
            for key in KEYS {
                for body in bodies {
                    let store = store("2019-09-28T19:11:30Z", filling, &["A"]);
                    let limits = store.limits();
                    store.set_limits(Limits { hll_sparse_max_bytes: sparse_max_bytes, ..limits });
                    store.set(key, [header, body].concat()).unwrap();
                    let before = contents(&store);
                    for user in ["B", "C", "D", "E"] {
                        if record(&store, filling, user).is_err() {
                            assert_eq!(contents(&store), before, "{key} {body:?} {user}");
                        } else {
                            break;
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_visit_is_in_an_open_minute_or_nowhere() {
    let make = || store("2019-09-28T19:11:30Z", UvFilling::RollUp, &[]);
    let call = |store: &Store| record(store, UvFilling::RollUp, "B");
    let keys = [OPEN, KEYS[0], KEYS[1]];
    let refused = plant_everywhere(make, &keys, call, |store, changed| {
        assert!(changed);
        // An existing minute without an expiry counts as open.
        let was_there = store.pfcount([KEYS[0]]).unwrap() == 2;
        assert!(was_there || store.sismember(OPEN, "201909281911").unwrap());
    });
    // The set of open buckets may have other names, and the value of the hour does not matter yet.
    assert_eq!(refused, NO_SKETCHES * 2);
}

#[test]
fn minutes_are_merged_or_stay() {
    let make = || store("2019-09-28T19:12:00Z", UvFilling::RollUp, &["A", "B"]);
    let call = |store: &Store| windows(store, UvFilling::RollUp).roll_up();
    let refused = plant_everywhere(make, &[OPEN, KEYS[0], KEYS[1]], call, |_, rolled| {
        assert_eq!(rolled, 1);
    });
    // A set at its key may have open names, and a sketch at a bucket's key is merged.
    assert_eq!(refused, NO_SKETCHES * 3 + 1);
}
