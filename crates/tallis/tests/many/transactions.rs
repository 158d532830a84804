//! `transaction_many`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use tallis::ErrorKind::{KeyNotNamed, Locked};
use tallis::{Clock, Error, KeyRef, ManualClock, Member, Store, SystemClock, Tx};
use testkit::rng::{Rng, rounds};

use super::payloads;
use crate::journal::Journal;

/// One transaction: the keys that it writes, and a key that it only reads.
struct Step {
    written: Vec<String>,
    read: Option<String>,
    id: u64,
}

impl Step {
    fn some(rng: &mut Rng, keys: u64, id: u64) -> Self {
        let mut key = || format!("key:{}", rng.below(keys));
        let written = (0..[1, 1, 1, 2, 3, 5][usize::try_from(id % 6).unwrap()]).map(|_| key());
        let written = written.collect();
        Self { written, read: id.is_multiple_of(4).then(key), id }
    }

    fn keys(&self) -> Vec<KeyRef<'_>> {
        let written = self.written.iter().map(|key| KeyRef::new(key.as_bytes()));
        written.chain(self.read.iter().map(|key| KeyRef::new(key.as_bytes()).read())).collect()
    }

    /// Appends the step to each of its keys, which are lists.
    fn run(&self, tx: &Tx<'_>) -> Result<u64, Error> {
        let mut lengths = 0;
        if let Some(read) = &self.read {
            lengths += tx.llen(read)? as u64;
        }
        for key in &self.written {
            lengths += tx.rpush(key, self.id)? as u64;
        }
        Ok(lengths)
    }
}

/// Runs steps one by one on one store, and in a batch on the other.
fn run_both(one: &Store, many: &Store, steps: &[Step]) {
    let want: Vec<u64> =
        steps.iter().map(|step| one.transaction(step.keys(), |tx| step.run(tx)).unwrap()).collect();
    let mut found = vec![0; steps.len()];
    let keys: Vec<_> = steps.iter().map(Step::keys).collect();
    many.transaction_many(&keys, |at, tx| found[at] = steps[at].run(tx).unwrap()).unwrap();
    // A read-only key may be read before or after a step on another key.
    let sums = |lengths: &[u64]| -> Vec<u64> {
        let own = steps.iter().zip(lengths).filter(|(step, _)| step.read.is_none());
        own.map(|(_, length)| *length).collect()
    };
    assert_eq!(sums(&found), sums(&want));
}

#[test]
fn a_batch_of_transactions_equals_single_transactions() {
    for stripes in [1, 8, 64, 4096] {
        for seed in 0..rounds(4, 12) {
            let [one, many] =
                [(); 2].map(|()| Store::builder().hash_seed(7).stripes(stripes).build());
            let mut rng = Rng::new(seed);
            let mut id = 0;
            for count in [0, 1, 2, 63, 64, 65, 200, 1023, 1024, 1025, 3000] {
                // In half of the runs, each transaction has a single key, so that they run stripe by stripe.
                let single = rng.below(2) == 0;
                let steps: Vec<_> = (0..count)
                    .map(|_| {
                        id += if single { 6 } else { 1 };
                        Step::some(&mut rng, 50, if single { id / 6 * 6 + 1 } else { id })
                    })
                    .collect();
                run_both(&one, &many, &steps);
            }
            assert_eq!(payloads(&one), payloads(&many), "{stripes} {seed}");
        }
    }
}

/// More keys than the caches hold, so that they are prefetched.
#[test]
fn prefetched_keys_are_found() {
    let store = Store::new();
    for key in 0..40_000 {
        store.set(key, key).unwrap();
    }
    let keys: Vec<i64> = (0..50_000).rev().collect();
    let mut sum = 0;
    store
        .transaction_many(&keys, |at, tx| {
            sum += tx.get_int(keys[at]).unwrap().unwrap_or(0);
            tx.incr(keys[at], 1).unwrap();
        })
        .unwrap();
    assert_eq!(sum, (0..40_000).sum::<i64>());
    assert!((0..50_000).all(|key| {
        store.get_int(key).unwrap() == Some(if key < 40_000 { key + 1 } else { 1 })
    }));
}

/// The members that transactions will look up are only a hint: the result does not depend on it.
#[test]
fn transactions_on_members_are_transactions() {
    let stores = [(); 2].map(|()| Store::builder().hash_seed(7).stripes(4).build());
    let mut rng = Rng::new(8);
    for round in 0..40 {
        // Wider and wider members, and finally more keys than the caches hold.
        let count = if round == 30 { 60_000 } else { rng.below(900) };
        let keys = if round == 30 { 50_000 } else { 40 };
        let visits: Vec<(String, i64)> = (0..count)
            .map(|_| {
                let id = rng.u64().cast_signed() >> (60 - round.min(50));
                (format!("set:{}", rng.below(keys)), id)
            })
            .collect();
        let of: Vec<Vec<&str>> = visits
            .iter()
            .map(|(key, id)| match id % 5 {
                0 => vec![],
                1 => vec!["counter", key],
                _ => vec![key.as_str()],
            })
            .collect();
        let hints: Vec<Option<Member<'_>>> = visits
            .iter()
            .map(|(key, id)| match rng.below(8) {
                0 => None,
                1 => Some(Member::Bytes(key.as_bytes())),
                2 => Some(Member::Int(id.wrapping_add(1))),
                _ => Some(Member::Int(*id)),
            })
            .collect();
        let run = |at: usize, tx: &Tx<'_>| {
            let Some(&key) = of[at].last() else { return Ok(false) };
            let new = tx.sadd(key, [visits[at].1])? == 1;
            // Texts among integers, in a few sets.
            if key == "set:3" && round > 20 {
                tx.sadd(key, ["text"])?;
            }
            Ok::<_, Error>(new)
        };
        let [one, many] = &stores;
        let want: Vec<bool> =
            (0..of.len()).map(|at| one.transaction(&of[at], |tx| run(at, tx)).unwrap()).collect();
        let mut found = vec![false; of.len()];
        many.transaction_many_on(&of, |at| hints[at], |at, tx| found[at] = run(at, tx).unwrap())
            .unwrap();
        assert_eq!(found, want, "round {round}");
        assert_eq!(payloads(one), payloads(many), "round {round}");
    }
}

#[test]
fn concurrent_batches_lose_nothing() {
    let store = Store::new();
    let mut all = 0;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                let store = &store;
                scope.spawn(move || {
                    let mut rng = Rng::new(seed);
                    let mut done = 0;
                    for _ in 0..60 {
                        let count = rng.below(300);
                        let steps: Vec<_> =
                            (0..count).map(|id| Step::some(&mut rng, 40, id)).collect();
                        let keys: Vec<_> = steps.iter().map(Step::keys).collect();
                        let run = |at: usize, tx: &Tx<'_>| {
                            steps[at].run(tx).unwrap();
                            done += steps[at].written.len();
                        };
                        store.transaction_many(&keys, run).unwrap();
                    }
                    done
                })
            })
            .collect();
        all = threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>();
    });
    let lengths = store.keys("*").unwrap();
    assert_eq!(lengths.iter().map(|key| store.llen(key).unwrap()).sum::<usize>(), all);
}

/// Each transfer is atomic, with others of its batch before and after it.
#[test]
fn each_transaction_is_atomic() {
    let store = Store::new();
    let accounts: Vec<String> = (0..20).map(|n| format!("account:{n}")).collect();
    for account in &accounts {
        store.set(account, 100).unwrap();
    }
    thread::scope(|scope| {
        for seed in 0..2 {
            let (store, accounts) = (&store, &accounts);
            scope.spawn(move || {
                let mut rng = Rng::new(seed);
                for _ in 0..200 {
                    let pairs: Vec<[&String; 2]> = (0..100)
                        .map(|_| [(); 2].map(|()| &accounts[rng.index(accounts.len())]))
                        .collect();
                    let transfer = |at: usize, tx: &Tx<'_>| {
                        tx.decr(pairs[at][0], 1).unwrap();
                        tx.incr(pairs[at][1], 1).unwrap();
                    };
                    store.transaction_many(&pairs, transfer).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..2_000 {
                let balances: Vec<i64> = store.mget_as(&accounts).unwrap();
                assert_eq!(balances.iter().sum::<i64>(), 2_000);
            }
        });
    });
}

#[test]
fn a_batch_locks_its_own_keys_and_nothing_else() {
    let store = Store::new();
    let mut kinds = Vec::new();
    store
        .transaction_many(&["a", "b"], |at, tx| {
            kinds.push(tx.incr("other", 1).unwrap_err().kind());
            kinds.push(store.incr("a", 1).unwrap_err().kind());
            tx.incr(["a", "b"][at], 1).unwrap();
        })
        .unwrap();
    assert_eq!(kinds, [KeyNotNamed, Locked, KeyNotNamed, Locked]);
    assert_eq!(store.mget_as::<[i64; 2]>(["a", "b"]).unwrap(), [1, 1]);
    let inside = store.transaction("a", |_| store.transaction_many(&["b"], |_, _| unreachable!()));
    assert_eq!(inside.unwrap_err().kind(), Locked);
    // A read-only key cannot be written, even if another transaction of the batch writes it.
    let keys = [KeyRef::new(b"a").read(), KeyRef::new(b"a")];
    let mut outcomes = Vec::new();
    store.transaction_many(&keys, |_, tx| outcomes.push(tx.incr("a", 1).is_ok())).unwrap();
    assert_eq!(outcomes, [false, true]);
}

#[test]
fn a_transaction_without_keys_is_run() {
    // A few stripes, so that the first of them is not always locked.
    for name in 0..20 {
        let store = Store::builder().stripes(4).build();
        let name = format!("key:{name}");
        let keys = [vec![], vec![KeyRef::new(name.as_bytes())], vec![]];
        let mut outcomes = Vec::new();
        store.transaction_many(&keys, |_, tx| outcomes.push(tx.incr(&name, 1))).unwrap();
        outcomes.sort_by_key(Result::is_err);
        assert_eq!(outcomes[0], Ok(1));
        assert!(outcomes[1..].iter().flat_map(Result::as_ref).next().is_none());
        store.transaction_many(&keys[..1], |_, tx| assert!(tx.exists(&name).is_err())).unwrap();
    }
}

/// A clock that counts the reads of the exact time.
#[derive(Debug, Default)]
struct Counted(AtomicU32);

impl Clock for Counted {
    fn now_ms(&self) -> i64 {
        self.now_us() / 1000
    }

    fn now_us(&self) -> i64 {
        self.0.fetch_add(1, Ordering::SeqCst);
        SystemClock.now_us()
    }

    fn coarse_secs(&self) -> u32 {
        SystemClock.coarse_secs()
    }
}

#[test]
fn a_batch_of_transactions_reads_the_time_once() {
    let clock = Arc::new(Counted::default());
    // Keys in several stripes.
    let store = Store::builder().clock(clock.clone()).stripes(4).build();
    let keys: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    let before = clock.0.load(Ordering::SeqCst);
    store.transaction_many(&keys, |_, tx| assert!(tx.now_us() > 0)).unwrap();
    assert_eq!(clock.0.load(Ordering::SeqCst), before + 1);
}

#[test]
fn effects_create_the_same_store() {
    let (clock, journal) = (Arc::new(ManualClock::new(1000)), Arc::new(Journal::default()));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    let mut rng = Rng::new(3);
    for id in 0..50 {
        store.rpush(format!("key:{id}"), id).unwrap();
        store.pexpire(format!("key:{id}"), 10 + id).unwrap();
    }
    clock.advance(30);
    // Expired keys are found and removed.
    let steps: Vec<_> = (0..500).map(|id| Step::some(&mut rng, 50, id)).collect();
    let keys: Vec<_> = steps.iter().map(Step::keys).collect();
    store.transaction_many(&keys, |at, tx| assert!(steps[at].run(tx).is_ok())).unwrap();
    let replica = Store::builder().clock(clock).build();
    for effect in journal.take() {
        replica.execute(&effect.args);
    }
    assert_eq!(payloads(&store), payloads(&replica));
}
