//! Threads that add, remove, query and iterate while shards split and merge.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use tallis::{ShardedSet, Store};
use testkit::rng::Rng;

use super::{Model, gathered, is_right, validate};

const STAYING: i64 = 1_000;

/// Calls a function when it is dropped, also during a panic, so that the other threads do not wait forever.
struct AtLast<F: Fn()>(F);

impl<F: Fn()> Drop for AtLast<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn members_that_stay_are_always_found_exactly_once() {
    let store = Store::builder().hash_seed(5).build();
    let set = || ShardedSet::splitting(store.clone(), "s");
    set().add_many(0..STAYING).unwrap();
    let staying: Model = (0..STAYING).map(|id| id.to_string()).collect();
    let done = AtomicBool::new(false);
    // The number of times that each reader has read the whole set.
    let rounds = [const { AtomicU32::new(0) }; 2];
    let counts: Vec<u64> = thread::scope(|scope| {
        let writers: Vec<_> = (1..=3_i64)
            .map(|thread| {
                let (set, rounds) = (set(), &rounds);
                scope.spawn(move || {
                    // Each thread has its own ids, and adds and removes them until both readers have read the set
                    // several times; every tenth id is the same in all threads.
                    let own = |id: i64| {
                        if id % 10 == 0 { 10_000_000 + id } else { thread * 1_000_000 + id }
                    };
                    let fewest =
                        || rounds.iter().map(|rounds| rounds.load(Ordering::Relaxed)).min();
                    // Each reader has read the set before it grows.
                    while fewest() == Some(0) {
                        thread::yield_now();
                    }
                    while fewest() < Some(10) {
                        for id in 0..4_000 {
                            let added = set.add(own(id)).unwrap();
                            assert!(added || id % 10 == 0);
                        }
                        for id in 0..4_000 {
                            let removed = set.remove(own(id)).unwrap();
                            assert!(removed || id % 10 == 0);
                        }
                    }
                    // The final members: a thousand for each thread.
                    set.add_many((0..1_000).map(|id| thread * 1_000_000 + id)).unwrap()
                })
            })
            .collect();
        let readers: Vec<_> = (0..2_u64)
            .zip(&rounds)
            .map(|(seed, rounds)| {
                let (set, store, done, staying) = (set(), &store, &done, &staying);
                scope.spawn(move || {
                    let _enough = AtLast(|| rounds.store(u32::MAX / 2, Ordering::Relaxed));
                    let mut rng = Rng::new(seed);
                    let other = ShardedSet::splitting(store.clone(), format!("other{seed}"));
                    other.add_many(0..STAYING).unwrap();
                    let mut shapes = Model::new();
                    loop {
                        let last = done.load(Ordering::Acquire);
                        for _ in 0..100 {
                            let id = i64::try_from(rng.below(1_000)).unwrap();
                            assert!(set.contains(id).unwrap(), "{id}");
                            assert!(!set.contains(-1 - id).unwrap());
                        }
                        assert!(set.card().unwrap() >= STAYING.cast_unsigned());
                        assert!(gathered(set.members()).is_superset(staying));
                        assert_eq!(&gathered(set.inter([&other]).unwrap()), staying);
                        assert_eq!(gathered(other.diff([&set]).unwrap()), Model::new());
                        shapes.insert(set.shards().unwrap().to_string());
                        rounds.fetch_add(1, Ordering::Relaxed);
                        if last {
                            return shapes.len() as u64;
                        }
                    }
                })
            })
            .collect();
        let finished = AtLast(|| done.store(true, Ordering::Release));
        let added: Vec<u64> = writers.into_iter().map(|thread| thread.join().unwrap()).collect();
        drop(finished);
        for reader in readers {
            assert!(reader.join().unwrap() > 1, "nothing was split meanwhile");
        }
        added
    });
    // No addition is lost; the ids that all threads share have the state of the last change.
    assert_eq!(counts, [1_000; 3]);
    let mut want = staying;
    for thread in 1..=3 {
        want.extend((0..1_000).map(|id| (thread * 1_000_000 + id).to_string()));
    }
    let shared: Vec<String> = (0..400).map(|id| (10_000_000 + id * 10).to_string()).collect();
    for id in shared {
        if set().contains(&id).unwrap() {
            want.insert(id);
        }
    }
    for other in ["other0", "other1"] {
        validate(&store, other, &(0..STAYING).map(|id| id.to_string()).collect());
    }
    validate(&store, "s", &want);
}

#[test]
fn each_new_member_is_new_to_one_thread_only() {
    let store = Store::new();
    let set = ShardedSet::splitting(store.clone(), "s");
    let new: u64 = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| set.add_many(0..5_000).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(new, 5_000);
    let shards = validate(&store, "s", &(0..5_000).map(|id| id.to_string()).collect());
    assert!(is_right(shards, 5_000), "{shards}");
}

#[test]
fn a_target_keeps_what_is_added_to_it_meanwhile() {
    // a = a | b, while other threads add to a: each step is atomic, so nothing is lost.
    let store = Store::new();
    let set = |name: &str| ShardedSet::splitting(store.clone(), name);
    set("a").add_many(0..2_000).unwrap();
    set("b").add_many(1_000..3_000).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| set("a").add_many(10_000..16_000).unwrap());
        scope.spawn(|| {
            for _ in 0..10 {
                set("a").union_store([&set("b")], &set("a")).unwrap();
            }
        });
    });
    let want = (0..3_000).chain(10_000..16_000).map(|id| id.to_string()).collect();
    validate(&store, "a", &want);
}
