//! The sliding window compared with a list of all actions.

use std::time::Duration;

use tallis::{ErrorKind, Limits, SlidingWindow, Store, Throttle};
use testkit::rng::Rng;

use super::{START, by_eight, journaled, reloaded, store};

const MINUTE: Duration = Duration::from_secs(60);

/// The example of the notes: `can_reply("Lei", "reply", 60, 5)`.
#[test]
fn five_are_allowed_and_the_sixth_when_the_first_has_expired() {
    let (store, clock) = store();
    let limits = SlidingWindow::new(store.clone());
    let can_reply = || limits.can_reply("Lei", "reply", MINUTE, 5).unwrap();
    for _ in 0..5 {
        assert!(can_reply());
        clock.advance(7);
    }
    assert!(!can_reply());
    // Other users and other actions are independent.
    assert!(limits.can_reply("Ann", "reply", MINUTE, 5).unwrap());
    assert!(limits.can_reply("Lei", "delete", MINUTE, 5).unwrap());
    for at in [100, 30_000, 59_999] {
        clock.set(START + at);
        assert!(!can_reply(), "{at}");
    }
    clock.set(START + 60_000);
    assert!(can_reply());
    assert!(!can_reply());
    clock.advance(6);
    assert!(!can_reply());
    clock.advance(1);
    assert!(can_reply());
    assert_eq!(store.zcard("hist:Lei:reply").unwrap(), 5);
    let mut keys = store.keys("*").unwrap();
    keys.sort();
    assert_eq!(keys, ["hist:Ann:reply", "hist:Lei:delete", "hist:Lei:reply"]);
}

#[test]
fn actions_of_one_millisecond_have_different_names() {
    let (store, clock, journal) = journaled();
    let limits = SlidingWindow::new(store.clone());
    let can_reply = || limits.can_reply("a", "b", Duration::from_millis(20), 12).unwrap();
    assert_eq!((0..20).filter(|_| can_reply()).count(), 12);
    clock.advance_us(999);
    assert!(!can_reply());
    let members = store.zrange("hist:a:b", 0, 2).unwrap();
    assert_eq!(members, ["1700000040000", "1700000040000-1", "1700000040000-10"]);
    assert_eq!(store.expire_time("hist:a:b").unwrap().millis(), START + 1020);
    let lines = journal.lines();
    assert_eq!(lines.len(), 24);
    assert_eq!(
        lines[..4],
        [
            "ZADD hist:a:b 1700000040000 1700000040000",
            "PEXPIREAT hist:a:b 1700000041020",
            "ZADD hist:a:b 1700000040000 1700000040000-1",
            "PEXPIREAT hist:a:b 1700000041020",
        ]
    );
    clock.set(START + 20);
    assert!(can_reply());
    assert_eq!(
        journal.lines(),
        [
            "ZREMRANGEBYSCORE hist:a:b -inf 1700000040000",
            "ZADD hist:a:b 1700000040020 1700000040020",
            "PEXPIREAT hist:a:b 1700000041040",
        ]
    );
    // A refusal also removes old actions, and an empty key is deleted.
    clock.set(START + 40);
    assert!(!limits.can_reply("a", "b", Duration::from_millis(20), 0).unwrap());
    assert_eq!(journal.lines(), ["ZREMRANGEBYSCORE hist:a:b -inf 1700000040020"]);
    assert!(!store.exists("hist:a:b").unwrap());
    assert!(!limits.can_reply("a", "b", MINUTE, 0).unwrap());
    assert!(journal.lines().is_empty());
    assert!(can_reply());
    clock.set(START + 40 + 1019);
    assert!(store.exists("hist:a:b").unwrap());
    clock.advance(1);
    assert!(!store.exists("hist:a:b").unwrap());
}

#[test]
fn a_refusal_counts_only_on_request() {
    for count_refused in [false, true] {
        let (store, clock) = store();
        let limits = SlidingWindow::new(store.clone()).count_refused(count_refused);
        let can_reply = || limits.can_reply("a", "b", MINUTE, 2).unwrap();
        assert!(can_reply() && can_reply());
        // Continuous attempts.
        let mut allowed = 0;
        for _ in 0..12 {
            clock.advance(10_000);
            allowed += u32::from(can_reply());
        }
        assert_eq!(allowed, if count_refused { 0 } else { 2 + 1 });
        let members = store.zcard("hist:a:b").unwrap();
        assert_eq!(members, if count_refused { 6 } else { 2 });
        clock.advance(60_000);
        assert!(can_reply());
    }
}

#[test]
fn another_type_than_a_sorted_set_is_an_error_and_stays() {
    let (store, _) = store();
    let limits = SlidingWindow::new(store.clone());
    store.set("hist:a:b", "1").unwrap();
    store.sadd("hist:a:c", [1]).unwrap();
    let changes = store.changes();
    for action in ["b", "c"] {
        let error = limits.can_reply("a", action, MINUTE, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongType);
    }
    assert_eq!((store.changes(), store.ttl("hist:a:b").unwrap().millis()), (changes, -1));
    for period in [Duration::ZERO, Duration::MAX] {
        let error = limits.can_reply("a", "d", period, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    assert!(limits.can_reply("a", "d", Duration::from_millis((1 << 62) - 1), u64::MAX).unwrap());
}

#[test]
fn names_taken_by_others_are_skipped() {
    let (store, _) = store();
    let limits = SlidingWindow::new(store.clone());
    // With another score, and with this one and a gap.
    store.zadd("hist:a:b", START, 5e15).unwrap();
    store.zadd("hist:a:b", format!("{START}-2"), 1_700_000_040_000.0).unwrap();
    for count in 3..=6 {
        assert!(limits.can_reply("a", "b", MINUTE, 6).unwrap());
        assert_eq!(store.zcard("hist:a:b").unwrap(), count);
    }
    assert!(!limits.can_reply("a", "b", MINUTE, 6).unwrap());
    let names = store.zrange("hist:a:b", 0, -1).unwrap();
    let want = ["-1", "-2", "-3", "-4", "-5", ""].map(|end| format!("{START}{end}"));
    assert_eq!(names, want);
}

/// Small and large sets, few and many actions in a millisecond, saved and loaded in between.
#[test]
fn no_window_has_more_than_the_limit_and_no_room_is_wasted() {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let (mut store, clock, journal) = journaled();
        if seed % 2 == 0 {
            let entries = usize::try_from(rng.below(8)).unwrap();
            store.set_limits(Limits { zset_max_listpack_entries: entries, ..store.limits() });
        }
        let again = Store::builder().clock(clock.clone()).build();
        again.set_limits(store.limits());
        let (most, period) = (1 + rng.below(if seed < 12 { 9 } else { 200 }), 1 + rng.below(90));
        let mut plain: Vec<u64> = Vec::new();
        let mut now = 0;
        for step in 0..500 {
            let pause = rng.below(if seed < 12 { 30 } else { 2 }) * rng.below(2);
            clock.advance(pause.try_into().unwrap());
            now += pause;
            let limits = SlidingWindow::new(store.clone());
            let got = limits.can_reply("a", "b", Duration::from_millis(period), most).unwrap();
            let count = plain.iter().filter(|&&at| at + period > now).count() as u64;
            assert_eq!(got, count < most, "{seed} {step}");
            if got {
                plain.push(now);
            }
            for effect in journal.take() {
                assert!(!again.execute(&effect.args).is_error());
            }
            assert_eq!(again.dump("hist:a:b").unwrap(), store.dump("hist:a:b").unwrap());
            let expiry = |store: &Store| store.expire_time("hist:a:b").unwrap().millis();
            assert_eq!(expiry(&again), expiry(&store));
            let encoding = |store: &Store| store.object_encoding("hist:a:b").unwrap();
            assert_eq!(encoding(&again), encoding(&store), "{seed} {step}");
        }
        let loaded = reloaded(&store, &clock);
        assert_eq!(
            loaded.expire_time("hist:a:b").unwrap().millis(),
            store.expire_time("hist:a:b").unwrap().millis()
        );
        store = loaded;
        let limits = SlidingWindow::new(store.clone());
        for _ in 0..200 {
            let got = limits.can_reply("a", "b", Duration::from_millis(period), most).unwrap();
            let count = plain.iter().filter(|&&at| at + period > now).count() as u64;
            assert_eq!(got, count < most, "{seed} after a load");
            if got {
                plain.push(now);
            }
            clock.advance(1);
            now += 1;
        }
    }
}

#[test]
fn eight_threads_never_get_more_than_the_limit() {
    let (store, clock) = store();
    let limits = SlidingWindow::new(store);
    let (most, period) = (7, 50);
    let mut rng = Rng::new(3);
    let steps: Vec<i64> = (0..150).map(|_| 1000 * rng.range(0..=30)).collect();
    let length = Duration::from_millis(50);
    let sums = by_eight(&clock, &steps, |_| {
        let can_reply = |_: &u32| limits.can_reply("Lei", "reply", length, most).unwrap();
        (0..5).filter(can_reply).count() as u64
    });
    let mut all = 0;
    for (at, sum) in &sums {
        let within = |&&(other, _): &&(i64, u64)| other <= *at && *at - other < 1000 * period;
        let window: u64 = sums.iter().filter(within).map(|(_, sum)| sum).sum();
        // More than the limit is requested all the time, so every window is full.
        assert_eq!(window, most, "at {at}");
        all += sum;
    }
    assert!(all > 20 * most);
}

/// The figures compared with a list of all actions; a client that returns at the stated time is allowed, and a
/// millisecond earlier it is not.
#[test]
fn a_refusal_states_the_time_to_return_to_the_millisecond() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (store, clock) = store();
        let count_refused = seed % 4 == 0;
        let limits = SlidingWindow::new(store.clone()).count_refused(count_refused);
        let (most, period) = (rng.below(5), 1 + rng.below(50));
        let take = || limits.take("a", "b", Duration::from_millis(period), most).unwrap();
        let mut actions: Vec<u64> = Vec::new();
        let (mut now, mut refused) = (0, 0);
        for _ in 0..200 {
            let pause = rng.below(9);
            clock.advance(pause.try_into().unwrap());
            now += pause;
            actions.retain(|&at| at + period > now);
            let allowed = (actions.len() as u64) < most;
            if allowed || count_refused {
                actions.push(now);
            }
            let count = actions.len() as u64;
            let over = |at: &u64| Duration::from_millis(at + period - now);
            let first_over = (count.checked_sub(most).filter(|_| !allowed && most > 0))
                .map(|at| over(&actions[usize::try_from(at).unwrap()]));
            let answer = take();
            assert_eq!(
                (answer.limited, answer.limit, answer.remaining, answer.retry_after),
                (!allowed, most, most.saturating_sub(count), first_over),
            );
            assert_eq!(answer.reset_after, actions.last().map(over).unwrap_or_default());
            let Some(wait) = answer.retry_after.filter(|_| !count_refused) else { continue };
            refused += 1;
            let wait = u64::try_from(wait.as_millis()).unwrap();
            let at = |ms: u64| START + i64::try_from(ms).unwrap();
            clock.set(at(now + wait - 1));
            assert!(take().limited);
            clock.set(at(now + wait));
            assert!(!take().limited);
            now += wait;
            actions.retain(|&at| at + period > now);
            actions.push(now);
        }
        assert!(refused > 10 || most == 0 || count_refused || period < 10, "{seed}: {refused}");
    }
}

#[test]
fn a_waiting_caller_is_allowed_when_there_is_room() {
    let (store, clock) = store();
    let limits = SlidingWindow::new(store.clone());
    let wait = || limits.until_ready("a", "b", Duration::from_millis(20), 1);
    assert!(!wait().unwrap().limited);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| wait().map(|Throttle { remaining, .. }| remaining));
        while !waiting.is_finished() {
            clock.advance(1);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(waiting.join().unwrap().unwrap(), 0);
    });
    assert!(store.zrange("hist:a:b", 0, 0).unwrap()[0] >= (START + 20).to_string());
    let refused = limits.until_ready("a", "c", Duration::from_millis(20), 0).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
}

/// The score of an action that another client has added may have any value.
#[test]
fn times_left_by_others_do_not_break_the_figures() {
    let (store, _) = store();
    let limits = SlidingWindow::new(store.clone());
    for score in [f64::INFINITY, 1e300, 1_700_000_040_000.5] {
        store.del("hist:a:b").unwrap();
        store.zadd("hist:a:b", "x", score).unwrap();
        let answer = limits.take("a", "b", MINUTE, 1).unwrap();
        let wait = answer.retry_after.unwrap();
        assert!(answer.limited && wait >= MINUTE && answer.reset_after == wait, "{answer:?}");
    }
}
