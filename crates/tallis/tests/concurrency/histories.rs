//! Histories of many threads have a serial order.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tallis::Store;
use testkit::rng::Rng;

use super::commands::{Answer, Command, KEYS, Key, Model, Value, in_one};
use super::serial::{Call, serial_order};

const THREADS: usize = 4;
const CALLS: usize = 6;

/// One call: one command, or several at once.
#[derive(Clone, Debug)]
enum Step {
    /// A typed call.
    Alone(Command),
    /// MULTI and EXEC.
    Queued(Vec<Command>),
    /// A transaction on the keys of its commands.
    Transaction(Vec<Command>),
}

impl Step {
    fn random(rng: &mut Rng) -> Self {
        let few = |rng: &mut Rng| (0..2 + rng.below(2)).map(|_| Command::random(rng)).collect();
        match rng.below(10) {
            0 | 1 => Self::Queued(few(rng)),
            2 | 3 => Self::Transaction(few(rng)),
            _ => Self::Alone(Command::random(rng)),
        }
    }

    fn commands(&self) -> &[Command] {
        match self {
            Self::Alone(command) => std::slice::from_ref(command),
            Self::Queued(commands) | Self::Transaction(commands) => commands,
        }
    }

    fn run(&self, store: &Store, name: &dyn Fn(Key) -> String) -> Vec<Answer> {
        match self {
            Self::Alone(command) => vec![command.call(store, name)],
            Self::Queued(commands) => in_one(&mut store.session(), commands, name),
            Self::Transaction(commands) => {
                let keys: Vec<String> = commands.iter().flat_map(Command::keys).map(name).collect();
                let answers = store.transaction(keys, |tx| {
                    Ok(commands.iter().map(|command| command.call(tx, name)).collect())
                });
                answers.unwrap()
            }
        }
    }

    fn apply(&self, model: &mut Model) -> Vec<Answer> {
        self.commands().iter().map(|command| command.apply(model)).collect()
    }
}

/// The values of the keys at the beginning of a history.
fn start() -> Model {
    let set = |members: &[i64]| Value::Set(members.iter().copied().collect());
    [(0, Value::Number(10)), (2, set(&[0, 1])), (3, set(&[1, 2]))].into()
}

fn fill(store: &Store, name: impl Fn(Key) -> String) {
    for (key, value) in start() {
        match value {
            Value::Number(number) => store.set(name(key), number).unwrap(),
            Value::Set(set) => {
                store.sadd(name(key), &set).unwrap();
            }
        }
    }
}

/// The way in which a thread makes a call.
type Run = fn(&Step, &Store, &dyn Fn(Key) -> String) -> Vec<Answer>;

/// The store's own way.
fn whole(step: &Step, store: &Store, name: &dyn Fn(Key) -> String) -> Vec<Answer> {
    step.run(store, name)
}

/// The way of a store that would release its locks in the middle of an increment.
fn torn(step: &Step, store: &Store, name: &dyn Fn(Key) -> String) -> Vec<Answer> {
    let Step::Alone(Command::Incr(key, by)) = step else { return step.run(store, name) };
    let look = Command::Get(*key).call(store, name);
    thread::yield_now();
    let Answer::Number(old) = look else { return vec![look] };
    let new = old.unwrap_or(0) + by;
    store.set(name(*key), new).unwrap();
    vec![Answer::Count(new)]
}

/// Runs a round of every thread's calls, then reads every key.
fn record(store: &Store, run: Run, round: u64, seed: u64) -> Vec<Call<Step, Vec<Answer>>> {
    let name = |key: Key| format!("{round}:{key}");
    fill(store, name);
    let (time, ready) = (AtomicU64::new(0), Barrier::new(THREADS));
    let tick = || time.fetch_add(1, Ordering::SeqCst);
    let mut history: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (ready, tick) = (&ready, &tick);
                scope.spawn(move || {
                    let mut rng = Rng::new(seed ^ (thread as u64) << 32);
                    let steps: Vec<_> = (0..CALLS).map(|_| Step::random(&mut rng)).collect();
                    ready.wait();
                    let mut calls = Vec::new();
                    for command in steps {
                        let began = tick();
                        // So that calls overlap even on a machine with one core.
                        if rng.below(4) == 0 {
                            thread::yield_now();
                        }
                        let reply = run(&command, store, &name);
                        calls.push(Call { began, ended: tick(), command, reply });
                    }
                    calls
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for key in 0..KEYS {
        let look = match store.key_type(name(key)).unwrap().as_deref() {
            Some("string") => Command::Get(key),
            _ => Command::Smembers(key),
        };
        let began = tick();
        let reply = vec![look.call(store, name)];
        history.push(Call { began, ended: tick(), command: Step::Alone(look), reply });
    }
    history
}

fn overlaps<C, R>(history: &[Call<C, R>]) -> usize {
    let overlap = |a: &Call<C, R>, b: &Call<C, R>| a.began < b.ended && b.began < a.ended;
    history
        .iter()
        .enumerate()
        .map(|(at, a)| history[at + 1..].iter().filter(|b| overlap(a, b)).count())
        .sum()
}

#[test]
fn every_history_has_a_serial_order() {
    let mut overlapping = 0;
    for stripes in [1, 2, 64] {
        let store = Store::builder().stripes(stripes).hash_seed(7).build();
        for round in 0..150 {
            let history = record(&store, whole, round, round * 1_000_003 + stripes as u64);
            overlapping += overlaps(&history);
            let order = serial_order(&start(), &history, |model, step| step.apply(model));
            assert!(order.is_some(), "no serial order, {stripes} stripes: {history:#?}");
        }
    }
    assert!(overlapping > 450, "calls met {overlapping} times: nothing was put to the test");
}

#[test]
fn a_manipulated_history_is_refused() {
    // The last read of a key returns the result of all calls: any other reply has no order.
    let store = Store::builder().hash_seed(7).build();
    let mut refused = 0;
    for round in 0..50 {
        let mut history = record(&store, whole, round, round);
        let last = history.last_mut().unwrap();
        last.reply = match &last.reply[..] {
            [Answer::Number(Some(number))] => vec![Answer::Number(Some(number + 1000))],
            _ => vec![Answer::Members([1000].into())],
        };
        refused += usize::from(
            serial_order(&start(), &history, |model, step| step.apply(model)).is_none(),
        );
    }
    assert_eq!(refused, 50);
}

#[test]
fn a_store_with_torn_increments_is_detected() {
    let store = Store::builder().hash_seed(7).build();
    let is_found_out = |round| {
        let history = record(&store, torn, round, round);
        serial_order(&start(), &history, |model, step| step.apply(model)).is_none()
    };
    // It takes a few rounds until two threads conflict there.
    assert!((0..2_000).any(is_found_out));
}

#[test]
fn with_one_thread_the_store_agrees_with_the_model() {
    let store = Store::new();
    let name = |key: Key| key.to_string();
    fill(&store, name);
    let (mut model, mut rng) = (start(), Rng::new(11));
    for _ in 0..5_000 {
        let step = Step::random(&mut rng);
        assert_eq!(step.run(&store, &name), step.apply(&mut model), "{step:?}");
    }
}

#[test]
fn moving_members_are_in_one_place() {
    // A set of members that are moved by SMOVE, RENAME and unions: a transaction on all keys finds each of them once.
    let members: BTreeSet<i64> = (0..40).collect();
    let keys: Vec<String> = (0..6).map(|key| format!("bag:{key}")).collect();
    let store = Store::builder().stripes(16).build();
    store.sadd(&keys[0], &members).unwrap();
    thread::scope(|scope| {
        for seed in 0..3 {
            let (store, keys) = (&store, &keys);
            scope.spawn(move || {
                let mut rng = Rng::new(seed);
                for _ in 0..4_000 {
                    let (from, to) = (rng.pick(keys).unwrap(), rng.pick(keys).unwrap());
                    match rng.below(20) {
                        0 if from != to => {
                            let moved = store.transaction([from, to], |tx| {
                                tx.sunionstore(to, [from, to])?;
                                tx.del([from])
                            });
                            moved.unwrap();
                        }
                        1 => {
                            // Fails if the source is missing, and moves nothing if the target exists.
                            let _ = store.rename_nx(from, to);
                        }
                        _ => {
                            let member = rng.below(40).cast_signed();
                            store.smove(from, to, member).unwrap();
                        }
                    }
                }
            });
        }
        for _ in 0..300 {
            let seen = store.transaction_all(|tx| {
                let bags = keys.iter().map(|key| tx.smembers(key).unwrap());
                Ok(bags.collect::<Vec<_>>().concat())
            });
            let seen = seen.unwrap();
            assert_eq!(seen.len(), members.len(), "a member is lost, or there twice");
            // One command on all keys is equivalent to a transaction.
            assert_eq!(store.sunion(&keys).unwrap().len(), members.len());
        }
    });
}
