//! The leaky bucket (GCRA).

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tallis::{
    Clock, ErrorKind, Funnel, ManualClock, Quota, SlidingCounter, Store, SystemClock, Throttle,
};
use testkit::rng::Rng;

use super::{START, by_eight, journaled, reloaded, store};

fn quota(capacity: u64, count: u64, secs: u64) -> Quota {
    Quota::new(capacity, count, Duration::from_secs(secs)).unwrap()
}

/// The example of CL.THROTTLE: `user123 15 30 60`.
#[test]
fn replies_are_those_of_redis_cell() {
    let (store, clock) = store();
    let funnel = Funnel::new(store, quota(16, 30, 60));
    let reply = |quantity| funnel.take("user123", quantity).unwrap().to_reply();
    assert_eq!(reply(1), [0, 16, 15, -1, 2]);
    assert_eq!(reply(14), [0, 16, 1, -1, 30]);
    assert_eq!(reply(1), [0, 16, 0, -1, 32]);
    assert_eq!(reply(1), [1, 16, 0, 2, 32]);
    assert_eq!(reply(16), [1, 16, 0, 32, 32]);
    assert_eq!(reply(17), [1, 16, 0, -1, 32]);
    assert_eq!(reply(0), [0, 16, 0, -1, 32]);
    clock.advance_us(1_999_999);
    assert_eq!(reply(1), [1, 16, 0, 1, 31]);
    clock.advance_us(1);
    assert_eq!(reply(1), [0, 16, 0, -1, 32]);
    clock.advance(31_000);
    assert_eq!(reply(0), [0, 16, 15, -1, 1]);
    clock.advance(1_000);
    assert_eq!(reply(0), [0, 16, 16, -1, 0]);
}

#[test]
fn the_key_has_the_time_and_expires_when_the_funnel_is_empty() {
    let (store, clock, journal) = journaled();
    let funnel = Funnel::new(store.clone(), quota(3, 3, 1));
    clock.advance_us(7);
    assert!(!funnel.take("k", 1).unwrap().limited);
    assert_eq!(store.get("k").unwrap().unwrap(), "1700000040333341");
    assert_eq!(store.object_encoding("k").unwrap(), Some("int"));
    assert_eq!(store.expire_time("k").unwrap().millis(), START + 334);
    assert_eq!(journal.lines(), ["SET k 1700000040333341 PXAT 1700000040334"]);
    // A refusal or a quantity of zero: no change, and no sink receives one.
    let changes = store.changes();
    assert!(funnel.take("k", 3).unwrap().limited);
    assert!(funnel.take("k", 9).unwrap().limited);
    assert!(!funnel.take("k", 0).unwrap().limited);
    assert!(!funnel.take("other", 0).unwrap().limited);
    assert_eq!((store.changes(), store.exists("other").unwrap()), (changes, false));
    assert!(journal.lines().is_empty());
    clock.set(START + 333);
    assert_eq!(funnel.take("k", 0).unwrap().reset_after, Duration::from_micros(341));
    clock.advance(1);
    assert!(!store.exists("k").unwrap());
    assert_eq!(funnel.take("k", 0).unwrap().reset_after, Duration::ZERO);
    assert_eq!(journal.lines(), ["DEL k"]);
    // If another client has written the key, the time in it applies.
    store.set("k", (START + 1000) * 1000).unwrap();
    assert!(!funnel.take("k", 1).unwrap().limited);
    assert_eq!(store.get("k").unwrap().unwrap(), "1700000041333334");
    assert_eq!(store.expire_time("k").unwrap().millis(), START + 1334);
}

#[test]
fn an_invalid_time_is_an_error_and_stays() {
    let (store, _) = store();
    let funnel = Funnel::new(store.clone(), quota(3, 1, 1));
    store.sadd("set", [1]).unwrap();
    store.sadd("names", ["a"]).unwrap();
    for text in ["", "soon", "1.5", "-0", "007", " 1", "9223372036854775808"] {
        store.set(format!("text {text}"), text).unwrap();
    }
    store.setbit("bits", 7, true).unwrap();
    let mut keys = store.keys("*").unwrap();
    keys.sort();
    let dumps = || keys.iter().map(|key| store.dump(key).unwrap()).collect::<Vec<_>>();
    let (before, changes) = (dumps(), store.changes());
    for key in &keys {
        for quantity in [0, 1, 100] {
            let error = funnel.take(key, quantity).unwrap_err();
            if key == "set" || key == "names" {
                assert_eq!(error.kind(), ErrorKind::WrongType);
                assert!(error.to_string().starts_with("WRONGTYPE "));
            } else {
                assert_eq!(error.kind(), ErrorKind::NotInteger, "{key:?}");
                let text = "ERR value is not an integer or out of range";
                assert_eq!(error.to_string(), text);
            }
        }
        assert_eq!(store.ttl(key).unwrap().millis(), -1);
    }
    assert_eq!((dumps(), store.changes()), (before, changes));
    // A time is valid whatever the encoding of its string, even if it is far in the future or negative.
    store.append("time", "170000004").unwrap();
    store.append("time", "0000000").unwrap();
    assert_eq!(funnel.take("time", 1).unwrap().remaining, 2);
    store.set("time", i64::MIN).unwrap();
    assert_eq!(funnel.take("time", 1).unwrap().remaining, 2);
    store.set("time", i64::MAX).unwrap();
    let far = funnel.take("time", 1).unwrap();
    assert!(far.limited && far.retry_after > Some(Duration::from_secs(1 << 40)));
}

/// A bucket that leaks by the microsecond, in integers.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    level: u64,
    at: u64,
}

impl Bucket {
    fn take(&mut self, quota: &Quota, now: u64, quantity: u64) -> [u64; 4] {
        let interval = u64::try_from(quota.interval().as_micros()).unwrap();
        self.level = self.level.saturating_sub(now - self.at);
        self.at = now;
        let (depth, drop) = (quota.capacity() * interval, quantity * interval);
        let limited = self.level + drop > depth;
        let retry = if limited && drop <= depth { self.level + drop - depth } else { u64::MAX };
        if !limited {
            self.level += drop;
        }
        [u64::from(limited), (depth - self.level) / interval, retry, self.level]
    }
}

#[test]
fn a_funnel_is_a_leaky_bucket() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (mut store, clock, journal) = journaled();
        let mut count = || 1 + rng.below(20);
        let quota =
            Quota::new(count(), count(), Duration::from_micros(20 + count() * 700)).unwrap();
        let mut plain: HashMap<u64, Bucket> = HashMap::new();
        let mut now = 0;
        for step in 0..400 {
            let pause = rng.below(3000) * rng.below(2);
            clock.advance_us(pause.try_into().unwrap());
            now += pause;
            let quantity = rng.below(quota.capacity() + 2);
            let keys: Vec<u64> = (0..rng.below(8)).map(|_| rng.below(3)).collect();
            let names = || keys.iter().map(|key| format!("k{key}"));
            let funnel = Funnel::new(store.clone(), quota);
            let got = if rng.chance(1, 2) {
                names().map(|name| funnel.take(name, quantity).unwrap()).collect()
            } else {
                funnel.check_many(names(), quantity).unwrap()
            };
            let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap();
            let numbers = |got: &Throttle| {
                let retry = got.retry_after.map_or(u64::MAX, micros);
                [u64::from(got.limited), got.remaining, retry, micros(got.reset_after)]
            };
            let want: Vec<_> = keys
                .iter()
                .map(|key| plain.entry(*key).or_default().take(&quota, now, quantity))
                .collect();
            let got: Vec<_> = got.iter().map(numbers).collect();
            assert_eq!(got, want, "{seed} {step} {quota:?}");
            if step == 200 {
                let loaded = reloaded(&store, &clock);
                let lines = |store: &Store| {
                    let entry =
                        |key| (store.get(key).unwrap(), store.expire_time(key).unwrap().millis());
                    ["k0", "k1", "k2"].map(entry)
                };
                assert_eq!(lines(&loaded), lines(&store));
                store = loaded;
            }
        }
        assert!(
            journal
                .lines()
                .iter()
                .all(|line| line.starts_with("SET k") || line.starts_with("DEL k"))
        );
    }
}

#[test]
fn effects_restore_the_funnel() {
    let (store, clock, journal) = journaled();
    let again = Store::builder().clock(clock.clone()).build();
    let funnel = Funnel::new(store.clone(), quota(5, 7, 1));
    let mut rng = Rng::new(1);
    for round in 0..300 {
        clock.advance_us(rng.below(300_000).try_into().unwrap());
        if round % 2 == 0 {
            funnel.take(format!("k{}", rng.below(4)), rng.below(7)).unwrap();
        } else {
            let keys: Vec<_> = (0..rng.below(9)).map(|_| format!("k{}", rng.below(4))).collect();
            funnel.check_many(keys, rng.below(3)).unwrap();
        }
        for effect in journal.take() {
            let reply = again.execute(&effect.args);
            assert!(!reply.is_error(), "{reply:?}");
        }
        for key in ["k0", "k1", "k2", "k3"] {
            assert_eq!(again.get(key).unwrap(), store.get(key).unwrap());
            assert_eq!(
                again.expire_time(key).unwrap().millis(),
                store.expire_time(key).unwrap().millis()
            );
        }
    }
}

#[test]
fn eight_threads_never_get_more_than_the_burst_and_the_rate() {
    keeps_to_the_rate(
        |funnel, quantity| {
            if funnel.take("shared", quantity).unwrap().limited { 0 } else { quantity }
        },
    );
}

#[test]
fn eight_threads_with_batches_never_get_more_than_the_burst_and_the_rate() {
    keeps_to_the_rate(|funnel, quantity| {
        let keys = ["shared", "another", "shared", "a third", "shared"];
        let throttles = funnel.check_many(keys, quantity).unwrap();
        let shared = throttles.iter().step_by(2);
        shared.map(|throttle| if throttle.limited { 0 } else { quantity }).sum()
    });
}

/// Eight threads use one funnel by `take`, which returns the allowed quantity.
fn keeps_to_the_rate(take: impl Fn(&Funnel, u64) -> u64 + Sync) {
    let (store, clock) = store();
    let funnel = Funnel::new(store, quota(20, 7, 1));
    let interval = funnel.quota().interval().as_micros();
    let mut rng = Rng::new(8);
    let steps: Vec<i64> = (0..120).map(|_| rng.range(0..=1_500_000)).collect();
    let sums = by_eight(&clock, &steps, |thread| {
        (0..20).map(|round| take(&funnel, 1 + (thread + round) % 4)).sum()
    });
    for from in 0..sums.len() {
        let mut taken = 0;
        for &(at, sum) in &sums[from..] {
            taken += sum;
            let leaked = u128::try_from(at - sums[from].0).unwrap() / interval;
            assert!(u128::from(taken) <= 20 + leaked, "{taken} in {leaked}");
        }
    }
    // The requested quantity was always larger, so everything was allowed, up to the last unit.
    let (first, last) = (sums[0].0, sums[sums.len() - 1].0);
    let leaked = u64::try_from(u128::try_from(last - first).unwrap() / interval).unwrap();
    let all: u64 = sums.iter().map(|(_, sum)| sum).sum();
    assert_eq!(all, 20 + leaked);
}

#[test]
fn four_threads_with_batches_get_what_each_gets_one_by_one() {
    let quota = quota(3, 5, 1);
    let clock = Arc::new(ManualClock::new(START));
    let [one, many] = [(); 2].map(|()| Store::builder().clock(clock.clone()).build());
    let [single, together] = [&one, &many].map(|store| Funnel::new(store.clone(), quota));
    let (single, together) = (&single, &together);
    for round in 0..30 {
        thread::scope(|scope| {
            for thread in 0..4_u64 {
                scope.spawn(move || {
                    let mut rng = Rng::new(4 * round + thread);
                    for _ in 0..5 {
                        // The thread's own keys, in stripes that it shares with the others.
                        let keys: Vec<_> = (0..rng.below(400))
                            .map(|_| format!("{thread}:{}", rng.below(150)))
                            .collect();
                        let quantity = rng.below(3);
                        let want: Vec<_> =
                            keys.iter().map(|key| single.take(key, quantity).unwrap()).collect();
                        assert_eq!(together.check_many(&keys, quantity).unwrap(), want);
                    }
                });
            }
        });
        clock.advance(130);
    }
    let values = |store: &Store| {
        let mut keys = store.keys("*").unwrap();
        keys.sort_unstable();
        let value = |key| (store.get(&key).unwrap(), store.expire_time(&key).unwrap().millis());
        keys.into_iter().map(|key| (key.clone(), value(key))).collect::<Vec<_>>()
    };
    assert_eq!(values(&one), values(&many));
}

#[test]
fn eight_threads_on_the_machines_clock_keep_to_the_rate() {
    let store = Store::new();
    let funnel = Funnel::new(store, quota(50, 10_000, 1));
    let before = SystemClock.now_us();
    let take = |_| !funnel.take("shared", 1).unwrap().limited;
    let run = || (0..20_000).map(take).map(u64::from).sum::<u64>();
    let allowed: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let most = 50 + u64::try_from((SystemClock.now_us() - before) / 100).unwrap();
    assert!((51..=most).contains(&allowed), "{allowed} of {most}");
}

#[test]
fn a_clock_is_read_once_per_action() {
    #[derive(Debug, Default)]
    struct Counted(std::sync::atomic::AtomicU32);
    impl Clock for Counted {
        fn now_ms(&self) -> i64 {
            self.now_us() / 1000
        }
        fn now_us(&self) -> i64 {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            SystemClock.now_us()
        }
        // This one is cheap and not counted.
        fn coarse_secs(&self) -> u32 {
            SystemClock.coarse_secs()
        }
    }
    let clock = Arc::new(Counted::default());
    let store = Store::builder().clock(clock.clone()).build();
    let funnel = Funnel::new(store, quota(3, 1, 1));
    for round in 1..=5 {
        // A new key, an existing one, and refusals.
        funnel.take("k", 1).unwrap();
        assert_eq!(clock.0.load(std::sync::atomic::Ordering::SeqCst), round);
    }
}

#[test]
fn a_waiting_caller_is_allowed_when_the_funnel_has_room() {
    let (store, clock) = store();
    let quota = Quota::new(1, 1, Duration::from_millis(20)).unwrap();
    let funnel = Funnel::new(store.clone(), quota);
    let counter = SlidingCounter::new(store, 1, Duration::from_millis(20)).unwrap();
    assert!(!funnel.until_ready("f", 1).unwrap().limited);
    assert!(!counter.until_ready("c", 1).unwrap().limited);
    let (funnel, counter) = (&funnel, &counter);
    std::thread::scope(|scope| {
        let waiting = [
            scope.spawn(|| funnel.until_ready("f", 1)),
            scope.spawn(|| counter.until_ready("c", 1)),
        ];
        while !waiting.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            clock.advance(1);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(waiting.into_iter().all(|waiting| !waiting.join().unwrap().unwrap().limited));
    });
    assert!(clock.now_us() >= (START + 20) * 1000);
    for refused in [funnel.until_ready("f", 2), counter.until_ready("c", 2)] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[cfg(feature = "async")]
#[test]
fn an_asynchronous_caller_sleeps_as_long_as_told() {
    let (store, clock) = store();
    let quota = Quota::new(1, 1, Duration::from_millis(20)).unwrap();
    let funnel = Funnel::new(store.clone(), quota);
    let counter = SlidingCounter::new(store.clone(), 1, Duration::from_millis(20)).unwrap();
    let window = tallis::SlidingWindow::new(store);
    let slept = std::cell::RefCell::new(Vec::new());
    let sleep = |time: Duration| {
        slept.borrow_mut().push(time);
        clock.advance(time.as_millis().try_into().unwrap());
        std::future::ready(())
    };
    let period = Duration::from_millis(20);
    for _ in 0..2 {
        assert!(!ready(funnel.until_ready_async("f", 1, sleep)).unwrap().limited);
    }
    assert_eq!(slept.take(), [period]);
    for _ in 0..2 {
        assert!(!ready(counter.until_ready_async("c", 1, sleep)).unwrap().limited);
    }
    assert!(!slept.take().is_empty());
    for _ in 0..2 {
        let waited = window.until_ready_async("a", "b", period, 1, sleep);
        assert!(!ready(waited).unwrap().limited);
    }
    assert_eq!(slept.take(), [period]);
    assert!(ready(funnel.until_ready_async("f", 2, sleep)).is_err());
}

/// Returns the result of a future that is ready at once.
#[cfg(feature = "async")]
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(found) => found,
        std::task::Poll::Pending => panic!("it waits"),
    }
}
