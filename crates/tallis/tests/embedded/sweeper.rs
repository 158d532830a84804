//! The thread that sweeps.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tallis::{ManualClock, Store};

const EVERY: Duration = Duration::from_millis(1);

fn store() -> (Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(0));
    (Store::builder().clock(clock.clone()).build(), clock)
}

fn fill(store: &Store, keys: usize) {
    for key in 0..keys {
        store.set(format!("k{key}"), "v").unwrap();
        store.pexpire(format!("k{key}"), 1).unwrap();
    }
}

#[test]
fn expired_keys_are_swept_until_the_sweeper_is_dropped() {
    let (store, clock) = store();
    let sweeper = store.sweeper(EVERY).unwrap();
    store.set("stays", "v").unwrap();
    for _ in 0..2 {
        fill(&store, 5_000);
        assert_eq!(store.dbsize().unwrap(), 5_001);
        clock.advance(1);
        while store.dbsize().unwrap() > 1 {
            thread::yield_now();
        }
    }
    drop(sweeper);
    // Only its handles keep the store, so the thread has ended.
    let kept = Arc::downgrade(&clock);
    drop((store, clock));
    assert_eq!(kept.strong_count(), 0);
}

#[test]
fn a_sweeper_can_be_dropped_while_its_thread_waits() {
    let (store, clock) = store();
    fill(&store, 100);
    let sweeper = store.sweeper(EVERY).unwrap();
    let dropped = store.transaction_all(|_| {
        clock.advance(1);
        // Long enough for the thread to wait for the locks.
        thread::sleep(20 * EVERY);
        drop(sweeper);
        Ok(())
    });
    dropped.unwrap();
}
