//! Many threads on one store: nothing is lost, and no partial change is visible.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod commands;
mod histories;
mod races;
mod serial;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use jiff::civil::date;
use tallis::{Store, Visitors};
use testkit::rng::Rng;

#[test]
fn visits_from_many_threads_count_each_visitor_once() {
    let day = date(2015, 5, 17);
    let store = Store::new();
    let new: u64 = thread::scope(|scope| {
        let counters: Vec<_> = (0..4)
            .map(|seed| {
                let store = &store;
                scope.spawn(move || {
                    // Each thread has its own handle, so that they also compete for the forecast.
                    let visitors = Visitors::book(store.clone()).default_yesterday(5_000);
                    let mut rng = Rng::new(seed);
                    let visits = 20_000;
                    (0..visits)
                        .filter(|_| {
                            let id = i64::try_from(rng.below(10_000)).unwrap();
                            visitors.count_id(id, day).unwrap()
                        })
                        .count() as u64
                })
            })
            .collect();
        counters.into_iter().map(|counter| counter.join().unwrap()).sum()
    });
    let visitors = Visitors::book(store.clone());
    assert_eq!(visitors.count(day).unwrap(), new);
    assert_eq!(visitors.count_union([day]).unwrap(), new);
    assert_eq!(store.get("unique:2015-05-17:expected").unwrap().unwrap(), "8192");
}

#[test]
fn a_visit_is_never_seen_partially() {
    // The counter and the set change together: a transaction on both finds them equal.
    let store = Store::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let visitors = Visitors::book(store.clone()).default_yesterday(1);
            for id in 0..20_000 {
                visitors.count_id(id, date(2015, 5, 17)).unwrap();
            }
            done.store(true, Ordering::Release);
        });
        let mut looks = 0;
        while !done.load(Ordering::Acquire) || looks == 0 {
            // A forecast of 2 gives a single shard.
            let (counted, members) = store
                .transaction(["unique:2015-05-17", "unique:2015-05-17:0"], |tx| {
                    let counted = tx.get("unique:2015-05-17")?.unwrap_or_default();
                    Ok((counted, tx.scard("unique:2015-05-17:0")?))
                })
                .unwrap();
            assert_eq!(counted, if members == 0 { String::new() } else { members.to_string() });
            looks += 1;
        }
    });
    assert_eq!(store.scard("unique:2015-05-17:0").unwrap(), 20_000);
}

#[test]
fn transactions_transfer_without_loss() {
    // Accounts with a constant sum and transfers in both directions: a deadlock would block the test, a race would
    // change the sum.
    let store = Store::builder().stripes(4).build();
    let accounts: Vec<String> = (0..8).map(|account| format!("account:{account}")).collect();
    for account in &accounts {
        store.set(account, 1000).unwrap();
    }
    thread::scope(|scope| {
        for seed in 0..4 {
            let (store, accounts) = (&store, &accounts);
            scope.spawn(move || {
                let mut rng = Rng::new(seed);
                for _ in 0..5_000 {
                    let (from, to) = (rng.pick(accounts).unwrap(), rng.pick(accounts).unwrap());
                    let moved = store.transaction([from, to], |tx| {
                        tx.incr(from, -1)?;
                        tx.incr(to, 1)
                    });
                    moved.unwrap();
                }
            });
        }
        for _ in 0..200 {
            let sum = store.transaction_all(|tx| {
                accounts
                    .iter()
                    .map(|account| Ok(tx.get_int(account)?.unwrap()))
                    .sum::<Result<i64, tallis::Error>>()
            });
            assert_eq!(sum.unwrap(), 8000);
        }
    });
}

#[test]
fn a_panic_inside_a_transaction_leaves_a_store_that_works() {
    let store = Store::new();
    let panicked = thread::scope(|scope| {
        scope
            .spawn(|| {
                let _: Result<(), _> = store.transaction(["a", "b"], |tx| {
                    tx.incr("a", 1)?;
                    panic!("on purpose");
                });
            })
            .join()
            .is_err()
    });
    assert!(panicked);
    assert_eq!(store.get("a").unwrap().unwrap(), "1", "what ran before stays");
    assert_eq!(store.incr("b", 1).unwrap(), 1);
}
