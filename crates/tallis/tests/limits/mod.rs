//! The rate limits compared with the simplest implementations: a list of all actions, and an exact leaky bucket.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod counter;
mod funnel;
mod window;

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use tallis::{ManualClock, Store};

use crate::journal::Journal;

/// A present-day time, in milliseconds, at which a minute begins.
const START: i64 = 1_700_000_040_000;

/// A store whose clock is at [`START`], and the sink of its changes.
fn journaled() -> (Store, Arc<ManualClock>, Arc<Journal>) {
    let (clock, journal) = (Arc::new(ManualClock::new(START)), Arc::new(Journal::default()));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    (store, clock, journal)
}

fn store() -> (Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    (Store::builder().clock(clock.clone()).build(), clock)
}

/// The store after a save and a load, at the same time.
fn reloaded(store: &Store, clock: &Arc<ManualClock>) -> Store {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    store.save(&file).unwrap();
    let again = Store::builder().clock(clock.clone()).build();
    again.load(&file).unwrap();
    again
}

/// Runs eight threads that all act at each step of the clock; returns the sums of their actions, with the times in
/// microseconds. `act` gets the number of the thread.
fn by_eight(
    clock: &ManualClock,
    steps_us: &[i64],
    act: impl Fn(u64) -> u64 + Sync,
) -> Vec<(i64, u64)> {
    const THREADS: u64 = 8;
    let (begin, end) = (Barrier::new(9), Barrier::new(9));
    let done = Mutex::new(0);
    let mut sums = Vec::new();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (begin, end, done, act) = (&begin, &end, &done, &act);
            scope.spawn(move || {
                for _ in steps_us {
                    begin.wait();
                    let allowed = act(thread);
                    *done.lock().unwrap() += allowed;
                    end.wait();
                }
            });
        }
        let mut now = 0;
        for step in steps_us {
            clock.advance_us(*step);
            now += step;
            begin.wait();
            end.wait();
            sums.push((now, std::mem::take(&mut *done.lock().unwrap())));
        }
    });
    sums
}
