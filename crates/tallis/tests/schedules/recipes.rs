//! Recipes whose handles use cached state: a set that splits and merges, the visitors of days, windows.

use std::time::Duration;

use shuttle::thread;
use tallis::jiff::Timestamp;
use tallis::jiff::tz::TimeZone;
use tallis::{Bucket, Funnel, Quota, ShardedSet, UvCalendar, UvLevel, UvWindows, Visitors};

use super::{builder, check};

/// The maximum number of members in a shard, so that the next few split it.
const FULL: i64 = 320;

/// The number of calls of each thread.
const EACH: i64 = 4;

#[test]
fn a_member_is_added_once_and_found_while_its_shard_splits_and_merges() {
    check(|| {
        let store = builder().build();
        ShardedSet::splitting(store.clone(), "set").add_many(0..FULL - 1).unwrap();
        let threads = [0, 1].map(|thread| {
            // Each thread has its own handle, which is not informed about splits by the other.
            let set = ShardedSet::splitting(store.clone(), "set");
            thread::spawn(move || {
                let mut added = 0;
                // Every second id is the same in all threads.
                for n in 0..EACH {
                    let id = if n % 2 == 0 { 1000 + n } else { 2000 + 100 * thread + n };
                    added += u64::from(set.add(id).unwrap());
                    assert!(set.contains(id).unwrap(), "{id}");
                }
                added
            })
        });
        let reader = {
            let set = ShardedSet::splitting(store.clone(), "set");
            thread::spawn(move || {
                for id in [0, FULL / 2, FULL - 2] {
                    assert!(set.contains(id).unwrap(), "{id}");
                }
                assert!(set.members().map(Result::unwrap).count() >= 319);
            })
        };
        let added: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        reader.join().unwrap();
        assert_eq!(added, 6, "two in common, two of each");
        let set = ShardedSet::splitting(store.clone(), "set");
        assert_eq!(set.card().unwrap(), 319 + 6);
        assert!(set.shards().unwrap() > 1);
        // In the other direction: the threads remove the last members in two ways.
        let removers = [0, 1].map(|half| {
            let set = ShardedSet::splitting(store.clone(), "set");
            thread::spawn(move || {
                (half..FULL - 1).step_by(2).filter(|&id| set.remove(id).unwrap()).count()
            })
        });
        let removed: usize = removers.into_iter().map(|remover| remover.join().unwrap()).sum();
        assert_eq!(removed, 319);
        assert_eq!(set.members().map(Result::unwrap).count(), 6);
        assert_eq!(set.shards().unwrap(), 1);
    });
}

#[test]
fn a_visitor_counts_once_whoever_sees_it_first() {
    check(|| {
        let store = builder().build();
        let visitors = Visitors::new(store);
        let threads = [(); 2].map(|()| {
            let visitors = visitors.clone();
            thread::spawn(move || {
                let visits = ["alice", "bob", "alice"];
                visits.iter().filter(|&&id| visitors.count_visit(id, Bucket::All).unwrap()).count()
            })
        });
        assert!(visitors.count(Bucket::All).unwrap() <= 2);
        let new: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!((new, visitors.count(Bucket::All).unwrap()), (2, 2));
    });
}

#[test]
fn a_window_has_only_the_visits_of_its_own_time() {
    check(|| {
        let store = builder().build();
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let windows = UvWindows::new(store, "uv").time_zone(berlin.clone());
        let windows = UvLevel::ALL.into_iter().fold(windows, UvWindows::keep_for_ever);
        // The days are in different months and have different UTC offsets, so a cached time of one does not apply to
        // the other.
        let days =
            [1_711_843_190, 1_711_929_590].map(|second| Timestamp::from_second(second).unwrap());
        let threads = [0, 1].map(|thread| {
            let windows = windows.clone();
            thread::spawn(move || {
                for n in 0..2 {
                    for at in days {
                        windows.record(format!("{thread}.{n}"), at).unwrap();
                    }
                }
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        let calendar = UvCalendar::new(berlin);
        for at in days {
            for level in UvLevel::ALL {
                let bucket = calendar.bucket(level, at).unwrap();
                assert_eq!(windows.count(bucket.start(), bucket.end()).unwrap(), 4, "{bucket:?}");
            }
        }
    });
}

#[test]
fn a_funnel_allows_its_capacity() {
    check(|| {
        let store = builder().build();
        let quota = Quota::new(3, 1, Duration::from_secs(3600)).unwrap();
        let threads = [(); 3].map(|()| {
            let funnel = Funnel::new(store.clone(), quota);
            thread::spawn(move || {
                (0..2).filter(|_| !funnel.take("user", 1).unwrap().limited).count()
            })
        });
        let passed: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(passed, 3);
    });
}
