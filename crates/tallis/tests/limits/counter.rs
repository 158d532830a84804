//! The sliding counter, and its error compared with a list of all actions.

use std::collections::VecDeque;
use std::time::Duration;

use tallis::{ErrorKind, SlidingCounter, Store};
use testkit::rng::Rng;

use super::{START, by_eight, journaled, reloaded, store};

#[test]
fn the_key_has_two_counts_and_expires_when_neither_matters() {
    let (store, clock, journal) = journaled();
    let counter = SlidingCounter::new(store.clone(), 10, Duration::from_secs(60)).unwrap();
    clock.advance(59_999);
    assert_eq!(counter.take("k", 8).unwrap().to_reply(), [0, 10, 2, -1, 61]);
    assert_eq!(journal.lines(), ["SET k 1700000040000:0:8 PXAT 1700000160000"]);
    assert_eq!(store.expire_time("k").unwrap().millis(), START + 120_000);
    // All of the eight still count, and a part of them a little later.
    clock.advance(1);
    assert_eq!(counter.take("k", 3).unwrap().to_reply(), [1, 10, 2, 8, 60]);
    assert!(journal.lines().is_empty());
    clock.advance(7_500);
    assert_eq!(counter.take("k", 3).unwrap().to_reply(), [0, 10, 0, -1, 113]);
    assert_eq!(journal.lines(), ["SET k 1700000100000:8:3 PXAT 1700000220000"]);
    assert_eq!(store.get("k").unwrap().unwrap(), "1700000100000:8:3");
    let encoding = store.object_encoding("k").unwrap();
    assert_eq!(encoding, Some("embstr"));
    // More than the limit, and a query.
    let changes = store.changes();
    assert_eq!(counter.take("k", 11).unwrap().retry_after, None);
    assert_eq!(counter.take("k", u64::MAX).unwrap().retry_after, None);
    assert_eq!(counter.take("k", 0).unwrap().remaining, 0);
    assert_eq!(counter.take("new", 0).unwrap().to_reply(), [0, 10, 10, -1, 0]);
    assert_eq!((store.changes(), store.exists("new").unwrap()), (changes, false));
    clock.set(START + 180_000);
    assert!(!store.exists("k").unwrap());
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let new = |limit, period| SlidingCounter::new(Store::new(), limit, period).map(drop);
    let second = Duration::from_secs(1);
    for (limit, period) in [
        (0, second),
        (1 << 63, second),
        (u64::MAX, second),
        (1, Duration::ZERO),
        (1, Duration::MAX),
        (1, Duration::from_millis(1 << 62)),
    ] {
        assert_eq!(new(limit, period).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    let most =
        SlidingCounter::new(Store::new(), (1 << 63) - 1, Duration::from_millis((1 << 62) - 1));
    let most = most.unwrap();
    let taken = most.take("k", (1 << 63) - 1).unwrap();
    assert_eq!((taken.limited, taken.remaining), (false, 0));
    assert!(most.take("k", 1).unwrap().limited);
    let short = SlidingCounter::new(Store::new(), 1, Duration::from_nanos(1_000_001)).unwrap();
    assert_eq!((short.limit(), short.period()), (1, Duration::from_millis(2)));
}

#[test]
fn invalid_counts_are_an_error_and_stay() {
    let (store, _) = store();
    let counter = SlidingCounter::new(store.clone(), 10, Duration::from_secs(1)).unwrap();
    store.sadd("set", [1]).unwrap();
    for text in ["", "5", "1:2", "1:2:3:4", "1:-2:3", "now:0:1", "1:2:3 "] {
        store.set(format!("text {text}"), text).unwrap();
    }
    let mut keys = store.keys("*").unwrap();
    keys.sort();
    let dumps = || keys.iter().map(|key| store.dump(key).unwrap()).collect::<Vec<_>>();
    let (before, changes) = (dumps(), store.changes());
    for key in &keys {
        let error = counter.take(key, 1).unwrap_err();
        let wrong = key == "set";
        let kind = if wrong { ErrorKind::WrongType } else { ErrorKind::NotInteger };
        assert_eq!(error.kind(), kind, "{key:?}");
        if !wrong {
            let text = "ERR the value is not a sliding counter";
            assert_eq!(error.to_string(), text);
        }
    }
    assert_eq!((dumps(), store.changes()), (before, changes));
}

/// Every allowed action, with its time in milliseconds since the start.
#[derive(Debug, Default)]
struct Exact(VecDeque<(i64, u64)>);

impl Exact {
    /// Returns the number of actions after `after` and up to `until`, inclusive.
    fn count(&self, after: i64, until: i64) -> u64 {
        let within = |&&(at, _): &&(i64, u64)| after < at && at <= until;
        self.0.iter().filter(within).map(|(_, count)| count).sum()
    }
}

/// Checks the estimate at one time, in actions: it is between `truth - below` and `truth + above`.
fn check(exact: &Exact, counter: &SlidingCounter, now: i64, period: i64) -> u64 {
    let limit = counter.limit();
    let seen = counter.take("k", 0).unwrap();
    let begun = now - now.rem_euclid(period);
    let elapsed = u64::try_from(now - begun).unwrap();
    let whole = u64::try_from(period).unwrap();
    let before = exact.count(begun - period - 1, begun - 1);
    let truth = exact.count(now - period, now);
    // Rounded down, so the estimate is rounded up.
    let estimate = limit - seen.remaining;
    assert!(
        estimate * whole <= truth * whole + (whole - elapsed) * before + whole,
        "above at {now}"
    );
    assert!(estimate * whole + elapsed * before >= truth * whole, "below at {now}");
    assert!(truth * whole <= limit * whole + elapsed * before, "allowed at {now}");
    assert!(exact.count(begun - 1, now) <= limit, "of a period at {now}");
    truth
}

#[test]
fn the_estimate_keeps_within_its_bounds() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let (mut store, clock) = store();
        let limit = 1 + rng.below(40);
        let period = *rng.pick(&[1, 8, 100, 1000]).unwrap();
        // A period begins at START, so times can be counted from there.
        assert_eq!(START % period, 0);
        let (mut exact, mut now, mut most) = (Exact::default(), 0, 0);
        for step in 0..400 {
            let idle = rng.below(60) == 0;
            let pause = rng.range(0..=(if idle { 3 * period } else { period / 8 + 1 }));
            clock.advance(pause);
            now += pause;
            let length = Duration::from_millis(period.try_into().unwrap());
            let counter = SlidingCounter::new(store.clone(), limit, length).unwrap();
            let quantity = rng.below(limit / 4 + 2);
            if !counter.take("k", quantity).unwrap().limited {
                exact.0.push_back((now, quantity));
            }
            most = most.max(check(&exact, &counter, now, period));
            if step == 200 {
                store = reloaded(&store, &clock);
            }
        }
        assert!(most < 2 * limit, "{most} of {limit}");
        if seed == 0 {
            assert!(most > 0);
        }
    }
}

/// A million per minute, requested evenly at nearly that rate: the estimate is accurate to the actions of one
/// millisecond, and the whole limit is used.
#[test]
fn even_arrivals_are_counted_to_the_millisecond() {
    let (store, clock) = store();
    let limit = 1_000_000;
    let counter = SlidingCounter::new(store, limit, Duration::from_secs(60)).unwrap();
    let mut exact = Exact::default();
    let mut carried = 0;
    for now in 0..240_000 {
        // The limit is 16 2/3 per millisecond; slightly less is requested, so that nothing is refused.
        carried += 49_999;
        let (quantity, rest) = (carried / 3_000, carried % 3_000);
        carried = rest;
        let taken = counter.take("k", quantity).unwrap();
        assert!(!taken.limited, "at {now}");
        exact.0.push_back((now, quantity));
        if exact.0.len() > 60_000 {
            exact.0.pop_front();
        }
        if now >= 60_000 && now % 977 == 0 {
            let truth = exact.count(now - 60_000, now);
            let estimate = limit - taken.remaining;
            // The current millisecond counts completely, and the one that leaves the window in part.
            assert!(estimate.abs_diff(truth) <= 18, "{estimate} for {truth} at {now}");
        }
        clock.advance(1);
    }
}

/// The limit in the last millisecond of one period, and then all that the next one allows: nearly twice the limit in a
/// period.
#[test]
fn the_worst_case_is_just_below_twice_the_limit() {
    let (store, clock) = store();
    let (limit, period) = (600, 60_000);
    let counter = SlidingCounter::new(store, limit, Duration::from_secs(60)).unwrap();
    let mut exact = Exact::default();
    let (mut now, mut most) = (period - 1, 0);
    clock.advance(now);
    while now < 2 * period - 1 {
        while !counter.take("k", 1).unwrap().limited {
            exact.0.push_back((now, 1));
        }
        most = most.max(check(&exact, &counter, now, period));
        now += 10;
        clock.advance(10);
    }
    // One action of the second limit is not allowed before the next period begins.
    assert_eq!(most, 2 * limit - 1);
}

#[test]
fn eight_threads_never_get_more_than_the_limit_of_a_period() {
    let (store, clock) = store();
    let (limit, period) = (50, 1000);
    let length = Duration::from_secs(1);
    let counter = SlidingCounter::new(store, limit, length).unwrap();
    let mut rng = Rng::new(8);
    let steps: Vec<i64> = (0..120).map(|_| 1000 * rng.range(0..=90)).collect();
    let sums = by_eight(&clock, &steps, |thread| {
        let mut allowed = 0;
        for round in 0..30 {
            let quantity = 1 + (thread + round) % 3;
            if !counter.take("k", quantity).unwrap().limited {
                allowed += quantity;
            }
        }
        allowed
    });
    let exact = Exact(sums.iter().map(|&(at, sum)| (at / 1000, sum)).collect());
    for &(at, _) in &exact.0 {
        // A period begins at START.
        let begun = at - at % period;
        assert!(exact.count(begun - 1, begun + period - 1) <= limit);
        let elapsed = u64::try_from(at - begun).unwrap();
        let before = exact.count(begun - period - 1, begun - 1);
        let truth = exact.count(at - period, at);
        assert!(truth * 1000 <= limit * 1000 + elapsed * before, "{truth} at {at}");
    }
    assert!(exact.0.iter().map(|(_, sum)| sum).sum::<u64>() > 4 * limit);
}

#[test]
fn effects_restore_the_counter() {
    let (store, clock, journal) = journaled();
    let again = Store::builder().clock(clock.clone()).build();
    let counter = SlidingCounter::new(store.clone(), 9, Duration::from_millis(700)).unwrap();
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        clock.advance(rng.range(0..=300));
        counter.take(format!("k{}", rng.below(3)), rng.below(5)).unwrap();
        for effect in journal.take() {
            assert!(!again.execute(&effect.args).is_error());
        }
        for key in ["k0", "k1", "k2"] {
            assert_eq!(again.dump(key).unwrap(), store.dump(key).unwrap());
            assert_eq!(again.object_encoding(key).unwrap(), store.object_encoding(key).unwrap());
            assert_eq!(
                again.expire_time(key).unwrap().millis(),
                store.expire_time(key).unwrap().millis()
            );
        }
    }
}

#[test]
fn setting_a_clock_back_allows_nothing() {
    let (store, clock) = store();
    let counter = SlidingCounter::new(store, 5, Duration::from_secs(1)).unwrap();
    clock.advance(500);
    assert!(!counter.take("k", 5).unwrap().limited);
    clock.set(START - 10_000);
    let refused = counter.take("k", 1).unwrap();
    assert!(refused.limited && refused.remaining == 0);
    clock.set(START + 1_000);
    assert!(counter.take("k", 1).unwrap().limited);
    clock.set(START + 1_200);
    assert!(!counter.take("k", 1).unwrap().limited);
}
