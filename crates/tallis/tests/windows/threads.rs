//! Threads that record visits while others count and roll up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tallis::{ManualClock, Store, UvFilling, UvWindows};
use testkit::rng::Rng;

use super::{FILLINGS, Visits, at, second};

const RECORDERS: u64 = 4;

/// The visits of one thread, in order.
fn visits_of(thread: u64, count: u64, start: i64) -> impl Iterator<Item = (String, i64)> {
    let mut rng = Rng::new(thread);
    (0..count).map(move |number| {
        let second = start + i64::try_from(number * 7200 / count).unwrap();
        let late = i64::from(rng.below(8) == 0) * rng.range(0..=5000);
        (format!("user:{}", rng.below(20_000)), second - late)
    })
}

/// Stops the other threads when it is dropped, even by a panic, so that a failed test ends.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Threads record their visits and advance the clock, while others count and roll up. In the end, all counts are those
/// of a single thread.
fn record_while_others_count(filling: UvFilling, count: u64) {
    let start = at("2019-09-28T22:40Z").as_second();
    let clock = Arc::new(ManualClock::new(start * 1000));
    let store = Store::builder().clock(clock.clone()).build();
    let windows = UvWindows::new(store, "uv:").filling(filling);
    let (running, counts) = (AtomicBool::new(true), AtomicU64::new(0));
    thread::scope(|scope| {
        let recorders: Vec<_> = (0..RECORDERS)
            .map(|thread| {
                let (windows, clock) = (windows.clone(), clock.clone());
                scope.spawn(move || {
                    for (number, (user, at)) in visits_of(thread, count, start).enumerate() {
                        if thread == 0 && number % 50 == 0 {
                            clock.set(at.max(start) * 1000);
                        }
                        windows.record(&user, second(at)).unwrap();
                        if number % 97 == 0 {
                            // A recorded visitor is counted at once, whatever is rolled up meanwhile.
                            let minute = windows.count(second(at), second(at + 1)).unwrap();
                            let day = windows.count(second(start - 86_400), second(start + 86_400));
                            assert!(minute >= 1 && day.unwrap() >= 1);
                        }
                    }
                })
            })
            .collect();
        let (windows, running, counts) = (&windows, &running, &counts);
        scope.spawn(move || {
            let mut last = 0;
            while running.load(Ordering::Relaxed) {
                let (from, to) = (start - 86_400, start + 2 * 86_400);
                let counted = windows.count(second(from), second(to)).unwrap();
                // Visitors are never removed: registers only increase, and the estimate is almost monotonic.
                assert!(counted + 2 + last / 100 >= last, "{counted} after {last}");
                last = counted;
                counts.fetch_add(1, Ordering::Relaxed);
            }
        });
        scope.spawn(move || {
            while running.load(Ordering::Relaxed) {
                windows.roll_up().unwrap();
                thread::yield_now();
            }
        });
        let _ends = Ends(running);
        for recorder in recorders {
            recorder.join().unwrap();
        }
    });
    assert!(counts.into_inner() > 0);
    let mut visits = Visits::default();
    for thread in 0..RECORDERS {
        for (user, at) in visits_of(thread, count, start) {
            visits.add(&user, at);
        }
    }
    let mut rng = Rng::new(99);
    for _ in 0..40 {
        let mut ends = [(); 2].map(|()| (start / 60 + rng.range(-90..=130)) * 60);
        ends.sort_unstable();
        let counted = windows.count(second(ends[0]), second(ends[1])).unwrap();
        assert_eq!(counted, visits.count(ends[0], ends[1]));
    }
    let all = (start - 86_400, start + 2 * 86_400);
    assert_eq!(windows.count(second(all.0), second(all.1)).unwrap(), visits.count(all.0, all.1));
}

#[test]
fn recorded_visits_count_like_in_one_thread() {
    for filling in FILLINGS {
        record_while_others_count(filling, 5_000);
    }
}

#[test]
#[ignore = "a minute of work"]
fn recorded_visits_of_a_minute_count_like_in_one_thread() {
    for filling in FILLINGS {
        record_while_others_count(filling, 1_000_000);
    }
}
