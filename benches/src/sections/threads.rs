//! Two threads beside one.

#![expect(clippy::unwrap_used, reason = "what fails here stops the report")]

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use bytes::Bytes;
use tallis::{Bucket, Store, Visitors};
use testkit::rng::Rng;

use crate::report::{Bench, Result, Row, Section, Unit};

/// Keys of each thread.
const KEYS: usize = 1000;
/// What only the machine decides.
const SUMS: &str = "arithmetic";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "The time that one thread takes for INCR and GET in turn on 2,000 keys, divided by the time that two threads take for \
                the same commands, each on 1,000 of the keys: 2 times would be no hindrance at all. Different stripes: the \
                keys of one thread lie in other lock stripes than those of the other. Any stripes: as chance has it, so that both \
                threads go through all stripes. Beside them, in the same rounds: the same commands where each thread has \
                a store of its own, and arithmetic that touches no memory, which is what the machine can give; a shared \
                machine may not have two cores free. Visits are of one bucket of a million visitors, each of whom has come before, in \
                random order, all new ones in a bucket of their own first.";
    let apart = row(bench, "two threads against one, different stripes", apart).target(1.8);
    let mixed = row(bench, "two threads against one, any stripes", mixed);
    Section::new("Two threads", text)
        .row(apart.note("Redis runs commands in one thread"))
        .row(mixed)
        .row(visits(bench, "two threads against one, visits one by one", 1).target(1.8))
        .row(visits(bench, "two threads against one, visits by 1000", 1000).target(1.9))
}

/// Keys that lie in different stripes: the store scans its keys stripe by stripe, so that those at the two ends of the
/// scan are apart if more than a stripe is left out between them.
fn apart(store: &Store) -> [Vec<String>; 2] {
    let all: Vec<String> = (0..2 * KEYS + KEYS / 2).map(|n| format!("key:{n}")).collect();
    for key in &all {
        store.incr(key, 0).unwrap();
    }
    let walked: Vec<String> = store.keys("*").unwrap().iter().map(text).collect();
    assert_eq!(walked.len(), all.len());
    [walked[..KEYS].to_vec(), walked[walked.len() - KEYS..].to_vec()]
}

fn text(key: &Bytes) -> String {
    String::from_utf8(key.to_vec()).unwrap()
}

fn mixed(_: &Store) -> [Vec<String>; 2] {
    ["a", "b"].map(|name| (0..KEYS).map(|n| format!("{name}:{n}")).collect())
}

fn row(bench: &Bench, work: &str, keys: fn(&Store) -> [Vec<String>; 2]) -> Row {
    let quick = bench.effort().is_quick();
    let (rounds, times) = if quick { (3, 5) } else { (31, 100) };
    let shared = Store::new();
    let keys = keys(&shared);
    let own = [Store::new(), Store::new()];
    let shared_work = |thread: usize| commands(&shared, &keys[thread], times);
    let own_work = |thread: usize| commands(&own[thread], &keys[thread], times);
    let sums = |thread: usize| arithmetic(thread, times);
    let results = race(rounds, [&shared_work, &own_work, &sums]);
    let count = i64::try_from(times).unwrap() * 2 * (rounds + 1);
    assert!(keys.iter().flatten().all(|key| shared.incr(key, 0).unwrap() == count));
    Row::new(work, Unit::Times, results)
}

/// Visits of a million visitors, by so many a call.
fn visits(bench: &Bench, work: &str, call: usize) -> Row {
    let quick = bench.effort().is_quick();
    let (rounds, count, visits) = if quick { (3, 10_000, 5_000) } else { (31, 1_000_000, 100_000) };
    let mut rng = Rng::new(11);
    let mut all: Vec<i64> = (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    let filled = || {
        let visitors = Visitors::new(Store::new());
        visitors.count_ids(all.iter().copied(), Bucket::All).unwrap();
        visitors
    };
    let (shared, own) = (filled(), [filled(), filled()]);
    rng.shuffle(&mut all);
    let run = |visitors: &Visitors, thread: usize| {
        for ids in all[thread * visits..(thread + 1) * visits].chunks(call) {
            let new = match *ids {
                [id] => u64::from(visitors.count_id(id, Bucket::All).unwrap()),
                _ => visitors.count_ids(ids.iter().copied(), Bucket::All).unwrap(),
            };
            assert_eq!(new, 0, "each has come before");
        }
    };
    let shared_work = |thread: usize| run(&shared, thread);
    let own_work = |thread: usize| run(&own[thread], thread);
    let sums = |thread: usize| arithmetic(thread, visits / KEYS);
    Row::new(work, Unit::Times, race(rounds, [&shared_work, &own_work, &sums]))
}

/// By how many times two threads are faster than one at each of the works, in so many rounds.
fn race(rounds: i64, works: [&(dyn Fn(usize) + Sync); 3]) -> Vec<Result> {
    let mut factors = [const { Vec::new() }; 3];
    for round in 0..=rounds {
        for (work, factors) in works.iter().zip(&mut factors) {
            let factor = one(work) / two(work);
            // The first round makes the keys.
            if round > 0 {
                factors.push(factor);
            }
        }
    }
    let named = ["tallis", "a store for each thread", SUMS].into_iter().zip(factors);
    named.map(|(name, factors)| Result::of(name, name == SUMS, factors)).collect()
}

fn commands(store: &Store, keys: &[String], times: usize) {
    for _ in 0..times {
        for key in keys {
            store.incr(key, 1).unwrap();
            black_box(store.get(key).unwrap());
        }
    }
}

/// About as long as the commands, in registers alone: each step waits for the one before.
fn arithmetic(seed: usize, times: usize) {
    let mut state = seed as u64 | 1;
    for _ in 0..times * KEYS * 30 {
        state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    black_box(state);
}

#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn one(work: &(dyn Fn(usize) + Sync)) -> f64 {
    let start = Instant::now();
    work(0);
    work(1);
    start.elapsed().as_secs_f64()
}

/// From when both threads are there until both have ended; starting them is not in it.
#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn two(work: &(dyn Fn(usize) + Sync)) -> f64 {
    let ready = Barrier::new(2);
    let run = |thread: usize| {
        ready.wait();
        let start = Instant::now();
        work(thread);
        (start, Instant::now())
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| run(1));
        let (start, end) = run(0);
        let (other_start, other_end) = other.join().unwrap();
        (end.max(other_end) - start.min(other_start)).as_secs_f64()
    })
}
