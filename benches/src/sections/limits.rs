//! Rate limits.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, RateLimiter};
use hashbrown::HashMap;
use tallis::{
    Clock, Funnel, ManualClock, Quota, SlidingCounter, SlidingWindow, Store, SystemClock,
};

use super::live::{Live, SERVER, command, rival};
use super::{built, held};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The capacity of each funnel, which leaks one per second.
const CAPACITY: u32 = 1_000_000;

/// The initial level of each funnel, so that none becomes empty during the run.
const FILLED: u32 = 100_000;

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let text = format!(
        "*Funnel*: {count} keys of 16 bytes, `user:` and a number, all of which exist; one action each, in random \
         order, all allowed, by the machine's clock. *governor* is the crate of that name with `String` keys in a \
         `DashMap`: the same algorithm, without a store. *hashbrown* is a `HashMap` from the keys to times, without \
         locks, expiry or clock: a look-up and a write. Bytes: a key of 16 bytes, its time and its expiry, tables and \
         allocator overhead included. *SlidingCounter*: one key, a million actions in a minute. *SlidingWindow*: one \
         key, an action each millisecond by a clock that is set by hand; each is allowed, since the action of 50 ms \
         ago has left the window. *redis-server*: ZREMRANGEBYSCORE, ZCARD, ZADD and PEXPIREAT, the server's own time \
         for the four commands."
    );
    let keys: Words = shuffled(1, count).iter().map(|n| format!("user:{n:011}")).collect();
    let asked: Words = shuffled(2, count).iter().map(|n| format!("user:{n:011}")).collect();
    Section::new("Rate limits", &text)
        .row(funnel(bench, &keys, &asked))
        .row(funnel_new(bench, &keys))
        .row(funnel_bytes(bench, &keys))
        .row(counter(bench))
        .row(window(bench, Live::start().as_mut()))
}

fn funnels() -> Funnel {
    let quota = Quota::new(CAPACITY.into(), 1, Duration::from_secs(1)).unwrap();
    Funnel::new(Store::new(), quota)
}

fn filled(keys: &Words) -> Funnel {
    let funnel = funnels();
    for key in keys.iter() {
        assert!(!funnel.take(key, FILLED.into()).unwrap().limited);
    }
    funnel
}

fn governors() -> DefaultKeyedRateLimiter<String> {
    let burst = NonZeroU32::new(CAPACITY).unwrap();
    RateLimiter::keyed(governor::Quota::per_second(NonZeroU32::MIN).allow_burst(burst))
}

fn governed(keys: &[String]) -> DefaultKeyedRateLimiter<String> {
    let (limiter, filled) = (governors(), NonZeroU32::new(FILLED).unwrap());
    for key in keys {
        limiter.check_key_n(key, filled).unwrap().unwrap();
    }
    limiter
}

/// Owned strings, as the crate needs them.
fn strings(words: &Words) -> Vec<String> {
    words.iter().map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()
}

fn funnel(bench: &Bench, keys: &Words, asked: &Words) -> Row {
    let (funnel, limiter) = (filled(keys), governed(&strings(keys)));
    let mut map: HashMap<Box<[u8]>, i64, ahash::RandomState> =
        keys.iter().map(|key| (Box::from(key), 0)).collect();
    let strings = strings(asked);
    let size = asked.len().min(50_000);
    let pieces = u32::try_from(size).unwrap();
    let mut turns = [0; 3].map(|_| Turns::new(size, asked.len()));
    let [ours, theirs, plain] = &mut turns;
    let results = bench
        .race()
        .contender("tallis", pieces, || {
            for key in asked.range(ours.turn()) {
                assert!(!funnel.take(key, 1).unwrap().limited);
            }
        })
        .rivals()
        .contender("governor", pieces, || {
            for key in &strings[theirs.turn()] {
                limiter.check_key(key).unwrap();
            }
        })
        .contender("hashbrown", pieces, || {
            for key in asked.range(plain.turn()) {
                *map.get_mut(key).unwrap() += 1_000_000;
            }
        })
        .run();
    Row::new("Funnel, an action", Unit::Nanos, built(bench, || filled(keys)), results)
        .beside("governor", [100.0, 349.0])
}

fn funnel_new(bench: &Bench, keys: &Words) -> Row {
    let strings = strings(keys);
    let pieces = u32::try_from(keys.len()).unwrap();
    let results = bench
        .race()
        .contender_from("tallis", pieces, || (), |()| filled(keys))
        .rivals()
        .contender_from("governor", pieces, || (), |()| governed(&strings))
        .run();
    Row::new(
        "Funnel, the first action of a key",
        Unit::Nanos,
        built(bench, || filled(keys)),
        results,
    )
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn funnel_bytes(bench: &Bench, keys: &Words) -> Row {
    let strings = strings(keys);
    let each = |bytes: usize| Sample::exact(bytes as f64 / keys.len() as f64);
    let (_, ours) = bench.held(|| filled(keys));
    let (_, theirs) = bench.held(|| governed(&strings));
    let results = vec![Result::new("tallis", each(ours)), Result::rival("governor", each(theirs))];
    Row::new("Funnel, a key", Unit::Bytes, Touched::NOTHING, results).target(64.0)
}

fn counter(bench: &Bench) -> Row {
    const ACTIONS: u32 = 10_000;
    let new = || SlidingCounter::new(Store::new(), 1 << 40, Duration::from_secs(60)).unwrap();
    let counter = new();
    let results = bench
        .race()
        .contender("tallis", ACTIONS, || {
            for _ in 0..ACTIONS {
                assert!(!counter.take("requests", 1).unwrap().limited);
            }
        })
        .run();
    Row::new("SlidingCounter, an action", Unit::Nanos, built(bench, new), results)
}

fn window(bench: &Bench, live: Option<&mut Live>) -> Row {
    const ACTIONS: u32 = 10_000;
    const PERIOD: i64 = 50;
    // In the future by the machine's clock, so that the keys do not expire on the server during the run.
    let start = SystemClock.now_ms() + 3_600_000;
    let clock = Arc::new(ManualClock::new(start));
    let store = Store::builder().clock(clock.clone()).build();
    let window = SlidingWindow::new(store.clone());
    let period = Duration::from_millis(PERIOD.unsigned_abs());
    let mut results = bench
        .race()
        .contender("tallis", ACTIONS, || {
            for _ in 0..ACTIONS {
                clock.advance(1);
                assert!(window.can_reply("Lei", "reply", period, 50).unwrap());
            }
        })
        .run();
    results.extend(rival(live.map(|live| {
        let key: &[u8] = b"hist:Lei:reply";
        let commands = (start..start + i64::from(ACTIONS)).flat_map(|now| {
            let [now, over, expires] =
                [now, now - PERIOD, now + PERIOD + 1000].map(|time| time.to_string().into_bytes());
            [
                command([b"ZREMRANGEBYSCORE", key, b"-inf", &over]),
                command([b"ZCARD", key]),
                command([b"ZADD", key, &now, &now]),
                command([b"PEXPIREAT", key, &expires]),
            ]
        });
        live.nanos_of_each(&["ZREMRANGEBYSCORE", "ZCARD", "ZADD", "PEXPIREAT"], commands)
    })));
    Row::new("SlidingWindow, an action, 50 in the window", Unit::Nanos, held(&store), results)
        .beside(SERVER, [150.0, 1800.0])
}
