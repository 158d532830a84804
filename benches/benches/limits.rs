//! Rate limits: actions on a million funnels, on one sliding counter, and on one sliding window that holds 50.
//!
//! The keys are used in random order: a figure of the funnels is mostly cache misses.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use governor::RateLimiter;
use tallis::{Funnel, ManualClock, Quota, SlidingCounter, SlidingWindow, Store};
use tallis_benches::inputs::{Turns, Words, shuffled};

const KEYS: usize = 1_000_000;
/// Keys used in one iteration.
const TURN: usize = 10_000;
/// The capacity of a funnel, which leaks one per second.
const CAPACITY: u32 = 1_000_000;
/// The initial level of each funnel, so that none becomes empty during the run.
const FILLED: u32 = 100_000;

fn funnels(c: &mut Criterion) {
    let asked: Words = shuffled(2, KEYS).iter().map(|n| format!("user:{n:011}")).collect();
    let quota = Quota::new(CAPACITY.into(), 1, Duration::from_secs(1)).unwrap();
    let funnel = Funnel::new(Store::new(), quota);
    let burst = NonZeroU32::new(CAPACITY).unwrap();
    let limiter =
        RateLimiter::keyed(governor::Quota::per_second(NonZeroU32::MIN).allow_burst(burst));
    let mut strings = Vec::with_capacity(KEYS);
    for n in shuffled(1, KEYS) {
        let key = format!("user:{n:011}");
        assert!(!funnel.take(&key, FILLED.into()).unwrap().limited);
        limiter.check_key_n(&key, NonZeroU32::new(FILLED).unwrap()).unwrap().unwrap();
        strings.push(key);
    }
    strings.clear();
    strings.extend(asked.iter().map(|key| String::from_utf8(key.to_vec()).unwrap()));

    let mut group = c.benchmark_group("limits");
    group.throughput(Throughput::Elements(TURN as u64));
    group.sample_size(50);
    let mut turns = Turns::new(TURN, KEYS);
    group.bench_function("funnel", |b| {
        b.iter(|| {
            for key in asked.range(turns.turn()) {
                black_box(funnel.take(key, 1).unwrap());
            }
        });
    });
    group.bench_function("governor", |b| {
        b.iter(|| {
            for key in &strings[turns.turn()] {
                black_box(limiter.check_key(key).is_ok());
            }
        });
    });
    group.finish();
}

fn counter(c: &mut Criterion) {
    let counter = SlidingCounter::new(Store::new(), 1 << 40, Duration::from_secs(60)).unwrap();
    let mut group = c.benchmark_group("limits");
    group.throughput(Throughput::Elements(1));
    group.bench_function("sliding counter, one key", |b| {
        b.iter(|| black_box(counter.take("requests", 1).unwrap()));
    });
    group.finish();
}

fn window(c: &mut Criterion) {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let window = SlidingWindow::new(Store::builder().clock(clock.clone()).build());
    let period = Duration::from_millis(50);
    let mut group = c.benchmark_group("limits");
    group.throughput(Throughput::Elements(1));
    group.bench_function("sliding window, 50 in it", |b| {
        b.iter(|| {
            clock.advance(1);
            assert!(window.can_reply("Lei", "reply", period, 50).unwrap());
        });
    });
    group.finish();
}

criterion_group!(benches, funnels, counter, window);
criterion_main!(benches);
