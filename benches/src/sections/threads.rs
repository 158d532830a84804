//! Two threads compared with one.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use dashmap::{DashMap, DashSet};
use tallis::{Bucket, Store, Visitors};
use testkit::rng::Rng;

use super::{held, pieces};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Section, Unit};

/// Keys of each thread.
const KEYS: usize = 1000;
/// The names on the page, of ours and of the maps that threads can share.
const OURS: &str = "tallis";
const NAMES: [&str; 3] = [OURS, "dashmap", "papaya"];
/// A result that depends only on the machine.
const SUMS: &str = "arithmetic";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "The time that one thread takes for INCR and GET in turn on 2,000 keys, divided by the time that two \
                threads take for the same commands, each on 1,000 of the keys: a ratio of 2 means that the threads do \
                not slow each other down. Different stripes: the keys of one thread are in other lock stripes than \
                those of the other. Any stripes: the keys are spread at random, so that both threads use all stripes. \
                Beside them, in the same rounds: the same commands with a separate store for each thread, and \
                arithmetic that accesses no memory, which is the limit of the machine; a shared machine may not have \
                two cores free. Visits are of one bucket of a million visitors, in random order; each visitor was \
                counted before, when the bucket was filled. Nanoseconds are the time of two threads for all of their \
                commands, divided by the number of commands of both: SET and GET in turn on a million keys `key:N` \
                with values of 11 bytes, in random order, each thread on half of them; and the visits, one by one. \
                *dashmap* and *papaya* are those crates' maps of the same keys, as bytes, and sets of the same ids, \
                without expiry or types. The longest wait is that of any INCR of a key in the same stripe, while the \
                other thread deletes a set of a million members.";
    let apart = row(bench, "two threads against one, different stripes", apart).target(1.8);
    let mixed = row(bench, "two threads against one, any stripes", mixed);
    Section::new("Two threads", text)
        .row(apart.note("Redis runs commands in one thread"))
        .row(mixed)
        .row(visits(bench, "two threads against one, visits one by one", 1).target(1.8))
        .row(visits(bench, "two threads against one, visits by 1000", 1000).target(1.9))
        .row(set_and_get(bench))
        .row(visits_beside(bench))
        .row(removal(bench))
}

/// Returns keys in different stripes. The store scans its keys stripe by stripe, so the keys at the two ends of the
/// scan are in different stripes if more than a stripe lies between them.
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
    Row::new(work, Unit::Times, held(&shared), results)
}

/// Measures visits of a million visitors, `call` per call.
fn visits(bench: &Bench, work: &str, call: usize) -> Row {
    let quick = bench.effort().is_quick();
    let (rounds, count, visits) = if quick { (3, 10_000, 5_000) } else { (31, 1_000_000, 100_000) };
    let mut rng = Rng::new(11);
    let mut all: Vec<i64> = (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    let filled = || {
        let store = Store::new();
        let visitors = Visitors::new(store.clone());
        visitors.count_ids(all.iter().copied(), Bucket::All).unwrap();
        (visitors, held(&store))
    };
    let ((shared, touched), own) = (filled(), [filled().0, filled().0]);
    rng.shuffle(&mut all);
    let run = |visitors: &Visitors, thread: usize| {
        for ids in all[thread * visits..(thread + 1) * visits].chunks(call) {
            let new = match *ids {
                [id] => u64::from(visitors.count_id(id, Bucket::All).unwrap()),
                _ => visitors.count_ids(ids.iter().copied(), Bucket::All).unwrap(),
            };
            assert_eq!(new, 0, "each visitor was counted before");
        }
    };
    let shared_work = |thread: usize| run(&shared, thread);
    let own_work = |thread: usize| run(&own[thread], thread);
    let sums = |thread: usize| arithmetic(thread, visits / KEYS);
    Row::new(work, Unit::Times, touched, race(rounds, [&shared_work, &own_work, &sums]))
}

/// Measures how long a thread waits for its key while another deletes a large value of the same stripe.
fn removal(bench: &Bench) -> Row {
    let (rounds, members) = if bench.effort().is_quick() { (3, 20_000) } else { (15, 1_000_000) };
    let store = Store::builder().stripes(1).build();
    let all: Vec<String> = (0..members).map(|n| format!("member:{n}")).collect();
    let fill = || assert_eq!(store.sadd("large", &all).unwrap(), members);
    fill();
    let touched = held(&store);
    let (mut waits, mut removals) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (start, done) = (Barrier::new(2), AtomicBool::new(false));
        let incr = || assert!(store.incr("other", 1).unwrap() > 0);
        let wait = || {
            start.wait();
            let mut longest = nanos(incr);
            while !done.load(Ordering::Relaxed) {
                longest = nanos(incr).max(longest);
            }
            longest
        };
        thread::scope(|scope| {
            let waiting = scope.spawn(wait);
            start.wait();
            removals.push(nanos(|| assert_eq!(store.del("large").unwrap(), 1)));
            done.store(true, Ordering::Relaxed);
            waits.push(waiting.join().unwrap());
        });
        fill();
    }
    let results =
        vec![Result::of(OURS, false, waits), Result::of("the whole removal", false, removals)];
    Row::new(
        "the longest wait of a thread, beside DEL of a large set",
        Unit::Nanos,
        touched,
        results,
    )
}

/// Returns the time of some work in nanoseconds.
#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn nanos(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// Returns how many times faster two threads are than one, for each kind of work and each round.
fn race(rounds: i64, works: [&(dyn Fn(usize) + Sync); 3]) -> Vec<Result> {
    let mut factors = [const { Vec::new() }; 3];
    for round in 0..=rounds {
        for (work, factors) in works.iter().zip(&mut factors) {
            let factor = one(work) / two(work);
            // The first round creates the keys.
            if round > 0 {
                factors.push(factor);
            }
        }
    }
    let named = [OURS, "a store for each thread", SUMS].into_iter().zip(factors);
    named.map(|(name, factors)| Result::of(name, name == SUMS, factors)).collect()
}

type OnKey<'a> = &'a (dyn Fn(&[u8]) -> usize + Sync);
type OnId<'a> = &'a (dyn Fn(i64) -> bool + Sync);
type Key = Box<[u8]>;
type Map = DashMap<Key, Key, ahash::RandomState>;
type Papaya = papaya::HashMap<Key, Key, ahash::RandomState>;

/// Measures SET and GET by two threads on keys that exist, each thread on half of them.
fn set_and_get(bench: &Bench) -> Row {
    let (count, turn) =
        if bench.effort().is_quick() { (20_000, 5_000) } else { (1_000_000, 50_000) };
    let keys: Words = shuffled(12, count).into_iter().map(|n| format!("key:{n}")).collect();
    let (store, map, papaya) = (Store::new(), Map::default(), Papaya::default());
    let value = b"value:00001";
    for key in keys.iter() {
        store.set(key, value).unwrap();
        map.insert(key.into(), value[..].into());
        papaya.pin().insert(key.into(), value[..].into());
    }
    assert_eq!([store.dbsize().unwrap(), map.len(), papaya.len()], [count; 3]);
    let ours = |key: &[u8]| {
        store.set(key, value).unwrap();
        store.get(key).unwrap().map_or(0, |value| value.len())
    };
    // As in the store, the returned value does not borrow from the map.
    let theirs = |key: &[u8]| {
        map.insert(key.into(), value[..].into());
        map.get(key).map_or(0, |value| black_box(value.clone()).len())
    };
    let others = |key: &[u8]| {
        let pinned = papaya.pin();
        pinned.insert(key.into(), value[..].into());
        pinned.get(key).map_or(0, |value| black_box(value.clone()).len())
    };
    let all = [ours(keys.get(0)), theirs(keys.get(0)), others(keys.get(0))];
    assert_eq!(all, [value.len(); 3]);
    let works: [OnKey<'_>; 3] = [&ours, &theirs, &others];
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(turn, count / 2));
    let turns = [&mut a, &mut b, &mut c];
    let mut race = bench.race();
    for ((name, work), turns) in NAMES.into_iter().zip(works).zip(turns) {
        let keys = &keys;
        race = race.timed(name, pieces(4 * turn), move || {
            let range = turns.turn();
            let run = |thread: usize| {
                let range = range.start + thread * (count / 2)..range.end + thread * (count / 2);
                assert_eq!(keys.range(range).map(work).sum::<usize>(), turn * value.len());
            };
            Duration::from_secs_f64(two(&run))
        });
        if name == OURS {
            race = race.rivals();
        }
    }
    Row::new("SET and GET, two threads", Unit::Nanos, held(&store), race.run())
}

/// Measures visits of visitors who were counted before, by two threads, each with half of them.
fn visits_beside(bench: &Bench) -> Row {
    let (count, turn) =
        if bench.effort().is_quick() { (20_000, 5_000) } else { (1_000_000, 50_000) };
    let mut rng = Rng::new(13);
    let mut ids: Vec<i64> = (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    let store = Store::new();
    let visitors = Visitors::new(store.clone());
    visitors.count_ids(ids.iter().copied(), Bucket::All).unwrap();
    let map: DashSet<i64, ahash::RandomState> = ids.iter().copied().collect();
    let papaya: papaya::HashSet<i64, ahash::RandomState> = ids.iter().copied().collect();
    rng.shuffle(&mut ids);
    assert_eq!([map.len(), papaya.len()], [count; 2]);
    let ours = |id: i64| visitors.count_id(id, Bucket::All).unwrap();
    let theirs = |id: i64| map.insert(id);
    let others = |id: i64| papaya.pin().insert(id);
    let works: [OnId<'_>; 3] = [&ours, &theirs, &others];
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(turn, count / 2));
    let turns = [&mut a, &mut b, &mut c];
    let mut race = bench.race();
    for ((name, work), turns) in NAMES.into_iter().zip(works).zip(turns) {
        let ids = &ids;
        race = race.timed(name, pieces(2 * turn), move || {
            let range = turns.turn();
            let run = |thread: usize| {
                let half = &ids[thread * (count / 2)..];
                let new = half[range.clone()].iter().filter(|id| work(**id)).count();
                assert_eq!(new, 0, "each visitor was counted before");
            };
            Duration::from_secs_f64(two(&run))
        });
        if name == OURS {
            race = race.rivals();
        }
    }
    Row::new("visits one by one, two threads", Unit::Nanos, held(&store), race.run())
}

fn commands(store: &Store, keys: &[String], times: usize) {
    for _ in 0..times {
        for key in keys {
            store.incr(key, 1).unwrap();
            black_box(store.get(key).unwrap());
        }
    }
}

/// Takes about as long as the commands, and uses only registers: each step depends on the one before.
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

/// Measures from when both threads are ready until both have finished. Starting them is not included.
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
