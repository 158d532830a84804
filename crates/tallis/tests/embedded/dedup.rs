//! `Dedup` compared with the times at which each item occurred, across rotations, files, sinks and threads.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use tallis::bloom::Settings;
use tallis::{Dedup, ErrorKind, Limits, ManualClock, Store, each};
use testkit::rng::Rng;

use crate::journal::Journal;

/// An error rate so small that no test encounters an error.
const NEVER: f64 = 1e-12;

const START: i64 = 1_700_000_000_000;

/// The last occurrence of each item, counted in different items.
#[derive(Default)]
struct Times {
    /// The items in the order of their last occurrence.
    order: Vec<u64>,
}

impl Times {
    /// Returns the number of different items since this one occurred, and records that it occurs now.
    fn come(&mut self, item: u64) -> Option<usize> {
        let place = self.order.iter().position(|&other| other == item);
        let since = place.map(|place| self.order.len() - place - 1);
        self.order.retain(|&other| other != item);
        self.order.push(item);
        since
    }
}

fn ints(items: &[u64]) -> impl Iterator<Item = i64> + Clone {
    items.iter().map(|&item| i64::try_from(item).unwrap())
}

#[test]
fn items_are_known_forever_however_many_there_are() {
    let store = Store::new();
    let seen = Dedup::new(store.clone(), "seen", 100, 0.01).unwrap();
    let mut known = HashSet::new();
    let mut rng = Rng::new(1);
    let mut wrong = 0;
    for _ in 0..20_000 {
        let item = rng.below(30_000);
        let new = seen.insert(i64::try_from(item).unwrap()).unwrap();
        let truly_new = known.insert(item);
        assert!(truly_new || !new, "{item} was seen");
        wrong += usize::from(truly_new && !new);
    }
    // The filter has grown far beyond its planned capacity, and keeps the rate.
    let info = seen.info().unwrap();
    assert!(store.bf_info("seen").unwrap().filters >= 6);
    assert!(info.error_rate < 0.01 && info.bytes > 10_000, "{info:?}");
    assert_eq!(info.items, (known.len() - wrong) as u64);
    assert!(wrong * 1000 < known.len() * 13, "{wrong} of {}", known.len());
    assert!(known.iter().all(|&item| seen.contains(i64::try_from(item).unwrap()).unwrap()));
    assert!(!store.exists("{seen}:older").unwrap());
}

/// Counted in different items: known if fewer than half of them followed, forgotten if all could have occurred twice.
#[test]
fn the_last_items_are_known_and_older_ones_forgotten() {
    for (count, items, seed) in [(1, 6, 1), (2, 6, 2), (7, 20, 3), (10, 40, 4), (64, 300, 5)] {
        let store = Store::new();
        let seen = Dedup::last(store.clone(), "seen", count, NEVER).unwrap();
        let half = usize::try_from(count.div_ceil(2)).unwrap();
        let mut rng = Rng::new(seed);
        let mut times = Times::default();
        let (mut known, mut forgotten, mut wrong) = (0, 0, 0);
        for _ in 0..300 {
            let batch: Vec<u64> = (0..rng.range(1..=40)).map(|_| rng.below(items)).collect();
            let new = seen.insert_many(each(ints(&batch))).unwrap();
            for (&item, new) in batch.iter().zip(new) {
                match times.come(item) {
                    None => assert!(new, "{item} never came"),
                    Some(since) if since < half => {
                        assert!(!new, "{item}: {since} of {half}");
                        known += 1;
                    }
                    Some(since) if since >= 3 * half => {
                        forgotten += 1;
                        wrong += usize::from(!new);
                    }
                    Some(_) => {}
                }
            }
            for key in ["seen", "{seen}:older"] {
                assert!(store.bf_card(key).unwrap() <= half as u64);
            }
        }
        assert!(known > 50 && forgotten > 50, "{count}: {known} {forgotten}");
        // In such small filters, many items have the same bits.
        assert!(wrong * 20 <= forgotten, "{count}: {wrong} of {forgotten}");
        let info = store.bf_info("seen").unwrap();
        assert_eq!((info.capacity, info.expansion, info.filters), (half as u64, None, 1));
        assert!(seen.info().unwrap().error_rate <= NEVER);
    }
}

#[test]
fn batches_equal_single_items() {
    let mut rng = Rng::new(9);
    for count in [1, 3, 10, 100] {
        let (one, many) = (Store::new(), Store::new());
        let singly = Dedup::last(one.clone(), "seen", count, 0.1).unwrap();
        let at_once = Dedup::last(many.clone(), "seen", count, 0.1).unwrap();
        for _ in 0..200 {
            let batch: Vec<u64> =
                (0..rng.range(0..=90)).map(|_| rng.below(count * 3 + 2)).collect();
            let expected: Vec<bool> =
                ints(&batch).map(|item| singly.insert(item).unwrap()).collect();
            assert_eq!(at_once.insert_many(each(ints(&batch))).unwrap(), expected);
        }
        for key in ["seen", "{seen}:older"] {
            assert_eq!(one.dump(key).unwrap(), many.dump(key).unwrap());
        }
    }
}

#[test]
fn a_period_is_known_for_half_of_it_and_not_longer_than_all() {
    for seed in 0..4 {
        let clock = Arc::new(ManualClock::new(START));
        let store = Store::builder().clock(clock.clone()).build();
        let period = Duration::from_secs(1);
        let seen = Dedup::within(store.clone(), "seen", 100, NEVER, period).unwrap();
        let mut rng = Rng::new(seed);
        let mut last: HashMap<u64, i64> = HashMap::new();
        let mut now = 0;
        let (mut known, mut forgotten) = (0, 0);
        for _ in 0..2000 {
            let pause = rng.range(0..=60) * rng.range(0..=1) * rng.range(0..=1);
            now += if rng.below(200) == 0 { 3000 } else { pause };
            clock.set(START + now);
            let item = rng.below(80);
            let new = seen.insert(i64::try_from(item).unwrap()).unwrap();
            match last.insert(item, now) {
                None => assert!(new),
                Some(before) if now - before < 500 => {
                    assert!(!new, "{item} came {} ago", now - before);
                    known += 1;
                }
                Some(before) if now - before >= 1000 => {
                    assert!(new, "{item} came {} ago", now - before);
                    forgotten += 1;
                }
                Some(_) => {}
            }
        }
        assert!(known > 100 && forgotten > 100, "{known} {forgotten}");
        clock.advance(1000);
        assert_eq!(store.exists_many(["seen", "{seen}:older"]).unwrap(), 0);
        let empty = seen.info().unwrap();
        assert_eq!((empty.items, empty.bytes), (0, 0));
    }
}

#[test]
fn effects_and_files_restore_the_same_filters() {
    let clock = Arc::new(ManualClock::new(START));
    let journal = Arc::new(Journal::default());
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    let all = Dedup::new(store.clone(), "all", 50, 0.001).unwrap();
    let last = Dedup::last(store.clone(), "last", 100, 0.001).unwrap();
    let period = Duration::from_secs(10);
    let within = Dedup::within(store.clone(), "within", 100, 0.001, period).unwrap();
    let mut rng = Rng::new(3);
    for _ in 0..400 {
        let batch: Vec<u64> = (0..8).map(|_| rng.below(2000)).collect();
        all.insert_many(each(ints(&batch))).unwrap();
        last.insert_many(each(ints(&batch))).unwrap();
        within.insert_many(each(ints(&batch))).unwrap();
        clock.advance(20);
    }
    let replayed = Store::builder().clock(clock.clone()).build();
    for effect in journal.take() {
        let reply = replayed.execute(&effect.args);
        assert!(!reply.is_error(), "{:?} {reply:?}", effect.args);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.rdb");
    store.save(&file).unwrap();
    let loaded = Store::builder().clock(clock).build();
    loaded.load(&file).unwrap();
    let keys = ["all", "last", "{last}:older", "within", "{within}:older"];
    for key in keys {
        let dump = store.dump(key).unwrap();
        assert!(dump.is_some(), "{key}");
        for other in [&replayed, &loaded] {
            assert_eq!(other.dump(key).unwrap(), dump, "{key}");
            assert_eq!(
                other.expire_time(key).unwrap().millis(),
                store.expire_time(key).unwrap().millis(),
                "{key}"
            );
        }
    }
    let again = Dedup::last(loaded, "last", 100, 0.001).unwrap();
    for item in 0..2000 {
        assert_eq!(again.contains(item).unwrap(), last.contains(item).unwrap());
    }
}

#[test]
fn another_type_under_a_key_is_an_error_and_nothing_changes() {
    for other in ["seen", "{seen}:older"] {
        let store = Store::new();
        let seen = Dedup::last(store.clone(), "seen", 2, 0.001).unwrap();
        seen.insert_many(["a", "b", "c"]).unwrap();
        store.set(other, "a string").unwrap();
        let before = [store.dump("seen").unwrap(), store.dump("{seen}:older").unwrap()];
        assert_eq!(seen.insert("d").unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(seen.insert_many(["d"; 3]).unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(seen.info().unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!([store.dump("seen").unwrap(), store.dump("{seen}:older").unwrap()], before);
    }
    // An empty batch adds nothing.
    let seen = Dedup::last(Store::new(), "seen", 2, 0.001).unwrap();
    assert_eq!(seen.insert_many([""; 0]).unwrap(), [false; 0]);
    assert_eq!(seen.info().unwrap().items, 0);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |made: Result<Dedup, tallis::Error>| {
        assert_eq!(made.unwrap_err().kind(), ErrorKind::InvalidArgument);
    };
    for capacity in [0, (1 << 30) + 1, u64::MAX] {
        refused(Dedup::new(Store::new(), "k", capacity, 0.01));
    }
    for capacity in [0, (1 << 31) + 1, u64::MAX] {
        refused(Dedup::last(Store::new(), "k", capacity, 0.01));
    }
    for rate in [0.0, -0.1, 1.0, 7.0, f64::NAN, f64::INFINITY] {
        refused(Dedup::new(Store::new(), "k", 10, rate));
        refused(Dedup::last(Store::new(), "k", 10, rate));
        refused(Dedup::within(Store::new(), "k", 10, rate, Duration::from_secs(1)));
    }
    refused(Dedup::within(Store::new(), "k", 10, 0.01, Duration::ZERO));
    refused(Dedup::within(Store::new(), "k", 10, 0.01, Duration::MAX));
    for rate in [1e-300, 0.99] {
        assert!(Dedup::last(Store::new(), "k", 1, rate).unwrap().insert("a").unwrap());
    }
    let limits = Limits { bloom_memory_usage_limit: 1000, ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    let seen = Dedup::new(store.clone(), "k", 1_000_000, 0.01).unwrap();
    assert_eq!(seen.insert("a").unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert!(!store.exists("k").unwrap());
}

/// A manually created filter is used unchanged.
#[test]
fn an_existing_filter_is_used() {
    let store = Store::new();
    store.bf_reserve("seen", &Settings::new(3, 0.001)).unwrap();
    store.bf_madd("seen", 0..10).unwrap();
    let seen = Dedup::last(store.clone(), "seen", 4, NEVER).unwrap();
    assert_eq!(seen.insert_many([3, 10, 11, 12]).unwrap(), [false, true, true, true]);
    assert_eq!(store.bf_card("seen").unwrap(), 1);
}

/// For each item, exactly one thread is told that it is new.
#[test]
fn each_item_is_new_to_one_thread() {
    const THREADS: usize = 4;
    const ITEMS: i64 = 20_000;
    let store = Store::new();
    let all = Dedup::new(store.clone(), "all", 1000, NEVER).unwrap();
    let last = Dedup::last(store, "last", 4 * ITEMS.unsigned_abs(), NEVER).unwrap();
    let start = Barrier::new(THREADS);
    let found: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS as u64)
            .map(|seed| {
                let (all, last, start) = (&all, &last, &start);
                scope.spawn(move || {
                    let mut items: Vec<i64> = (0..ITEMS).collect();
                    Rng::new(seed).shuffle(&mut items);
                    start.wait();
                    let batches = items.chunks(50).map(|batch| {
                        let new = last.insert_many(batch).unwrap();
                        let one = batch.iter().map(|&item| all.insert(item).unwrap());
                        new.into_iter().chain(one).filter(|&new| new).count()
                    });
                    batches.sum::<usize>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(found, 2 * usize::try_from(ITEMS).unwrap());
}
