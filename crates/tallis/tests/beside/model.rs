//! A model of the hand-over between writers and a snapshot, under random schedules and schedules that delay threads at
//! the worst points: two stripes, small keys, and a large value that is handed over in chunks, renamed across stripes,
//! and dropped.
//!
//! Writers move amounts, so that the sum never changes. With each schedule, the snapshot must have this sum, and each
//! key once.

use std::collections::BTreeMap;

use shuttle::rand::{Rng as _, thread_rng};
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::sync::{Arc, Mutex, MutexGuard};
use shuttle::thread;

/// The number of members of a large value; each is a chunk.
const MEMBERS: usize = 3;

/// The sum of the amounts of all keys.
const TOTAL: i64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Small(i64),
    Large([i64; MEMBERS]),
}

#[derive(Debug)]
struct Key {
    value: Value,
    mark: bool,
}

/// The part of a large value that is not handed over yet.
#[derive(Debug)]
struct Begun {
    /// The name at the beginning.
    origin: u8,
    next: usize,
    kept: BTreeMap<usize, i64>,
}

#[derive(Debug, Default)]
struct Stripe {
    keys: BTreeMap<u8, Key>,
    mark: bool,
    /// The position at which the snapshot continues; `None` without a snapshot, and after its end.
    walk: Option<u8>,
    /// Small keys that writers have copied.
    kept: Vec<(u8, i64)>,
    begun: BTreeMap<u8, Begun>,
}

#[derive(Debug, Default)]
struct Store {
    stripes: [Mutex<Stripe>; 2],
    owned: Mutex<Vec<(Begun, [i64; MEMBERS])>>,
    large: AtomicUsize,
}

impl Store {
    fn stripe(&self, key: u8) -> usize {
        usize::from(key) % self.stripes.len()
    }

    fn lock(&self) -> [MutexGuard<'_, Stripe>; 2] {
        self.stripes.each_ref().map(|stripe| stripe.lock().unwrap())
    }

    /// Called by a writer before it changes a member of a key or a small key, or drops the value.
    fn keep(&self, stripe: &mut Stripe, name: u8, member: Option<usize>) {
        let Some(key) = stripe.keys.get_mut(&name) else { return };
        if key.mark != stripe.mark {
            key.mark = stripe.mark;
            match key.value {
                Value::Small(amount) => stripe.kept.push((name, amount)),
                Value::Large(_) => {
                    self.large.fetch_add(1, Ordering::SeqCst);
                    let begun = Begun { origin: name, next: 0, kept: BTreeMap::new() };
                    stripe.begun.insert(name, begun);
                }
            }
        }
        if let (Some(begun), Value::Large(members), Some(member)) =
            (stripe.begun.get_mut(&name), key.value, member)
            && member >= begun.next
        {
            begun.kept.entry(member).or_insert(members[member]);
        }
    }

    fn put(stripe: &mut Stripe, name: u8, value: Value) {
        let mark = stripe.mark;
        stripe.keys.insert(name, Key { value, mark });
    }

    /// Moves an amount from one key to another, which may be large.
    fn transfer(&self, from: u8, to: u8, amount: i64) {
        let mut stripes = self.lock();
        self.give(&mut stripes, from, -amount);
        self.give(&mut stripes, to, amount);
    }

    fn give(&self, stripes: &mut [MutexGuard<'_, Stripe>; 2], name: u8, amount: i64) {
        let stripe = &mut *stripes[self.stripe(name)];
        let member = thread_rng().gen_range(0..MEMBERS);
        self.keep(stripe, name, Some(member));
        match stripe.keys.get_mut(&name).map(|key| &mut key.value) {
            Some(Value::Small(held)) => *held += amount,
            Some(Value::Large(held)) => held[member] += amount,
            None => Self::put(stripe, name, Value::Small(amount)),
        }
    }

    /// Renames a key, within a stripe or to the other one. A key with the new name is dropped, and a third key gets its
    /// amount.
    fn rename(&self, from: u8, to: u8, purse: u8) {
        let mut stripes = self.lock();
        let Some((value, begun)) = self.remove(&mut stripes[self.stripe(from)], from) else {
            return;
        };
        if let Some((dropped, begun)) = self.remove(&mut stripes[self.stripe(to)], to) {
            if let (Some(begun), Value::Large(members)) = (begun, dropped) {
                self.owned.lock().unwrap().push((begun, members));
            }
            self.give(&mut stripes, purse, sum(dropped));
        }
        let stripe = &mut *stripes[self.stripe(to)];
        Self::put(stripe, to, value);
        stripe.begun.extend(begun.map(|begun| (to, begun)));
    }

    fn remove(&self, stripe: &mut Stripe, name: u8) -> Option<(Value, Option<Begun>)> {
        self.keep(stripe, name, None);
        let key = stripe.keys.remove(&name)?;
        Some((key.value, stripe.begun.remove(&name)))
    }

    /// A snapshot: each key with its amount.
    fn snapshot(&self) -> BTreeMap<u8, i64> {
        for stripe in &mut self.lock() {
            stripe.mark = !stripe.mark;
            stripe.walk = Some(0);
        }
        let mut small = Vec::new();
        for stripe in &self.stripes {
            while self.step(&mut stripe.lock().unwrap(), &mut small) {}
        }
        let mut saved = BTreeMap::new();
        for (name, amount) in small {
            assert_eq!(saved.insert(name, amount), None, "key {name} twice");
        }
        while self.large.load(Ordering::SeqCst) > 0 {
            for stripe in &self.stripes {
                while self.chunk(&mut stripe.lock().unwrap(), &mut saved) {}
            }
            let owned = self.owned.lock().unwrap().pop();
            if let Some((mut begun, members)) = owned {
                while !self.hand_over(&mut begun, &members, &mut saved) {}
            }
            thread::yield_now();
        }
        saved
    }

    /// Hands over the next member of any large value in a stripe; `false` if there is none.
    fn chunk(&self, stripe: &mut Stripe, saved: &mut BTreeMap<u8, i64>) -> bool {
        let Some((&name, begun)) = stripe.begun.iter_mut().next() else { return false };
        let Value::Large(members) = stripe.keys[&name].value else { panic!("it is large") };
        if self.hand_over(begun, &members, saved) {
            stripe.begun.remove(&name);
        }
        true
    }

    /// Hands over the next member of a large value; returns whether it was the last.
    fn hand_over(
        &self,
        begun: &mut Begun,
        members: &[i64; MEMBERS],
        saved: &mut BTreeMap<u8, i64>,
    ) -> bool {
        let at = begun.next;
        begun.next += 1;
        let amount = begun.kept.remove(&at).unwrap_or(members[at]);
        let before = saved.insert(begun.origin, saved.get(&begun.origin).unwrap_or(&0) + amount);
        assert_eq!(before.is_none(), at == 0, "key {} twice", begun.origin);
        let is_last = begun.next == MEMBERS;
        if is_last {
            self.large.fetch_sub(1, Ordering::SeqCst);
        }
        is_last
    }

    /// Hands over one key; `false` after all keys of a stripe.
    fn step(&self, stripe: &mut Stripe, saved: &mut Vec<(u8, i64)>) -> bool {
        saved.append(&mut stripe.kept);
        let mark = stripe.mark;
        let Some(from) = stripe.walk else { return false };
        let next =
            stripe.keys.range(from..).find(|(_, key)| key.mark != mark).map(|(&name, _)| name);
        let Some(name) = next else {
            stripe.walk = None;
            return false;
        };
        stripe.walk = Some(name);
        self.keep(stripe, name, None);
        true
    }
}

fn sum(value: Value) -> i64 {
    match value {
        Value::Small(amount) => amount,
        Value::Large(members) => members.iter().sum(),
    }
}

fn scenario() {
    let store = Arc::new(Store::default());
    {
        let mut stripes = store.lock();
        for name in 0..3 {
            Store::put(&mut stripes[store.stripe(name)], name, Value::Small(10));
        }
        Store::put(&mut stripes[store.stripe(3)], 3, Value::Large([20, 30, 20]));
    }
    let moves: [fn(&Store); 2] = [
        |store| {
            store.transfer(0, 3, 5);
            store.rename(3, 4, 0);
            store.transfer(4, 1, 7);
        },
        |store| {
            store.transfer(3, 2, 1);
            store.transfer(4, 2, 1);
            store.rename(2, 4, 1);
            store.rename(1, 6, 0);
        },
    ];
    let writers = moves.map(|moves| {
        let store = Arc::clone(&store);
        thread::spawn(move || moves(&store))
    });
    // The second snapshot begins with the marks that the first has left.
    for _ in 0..2 {
        let saved = store.snapshot();
        assert_eq!(saved.values().sum::<i64>(), TOTAL, "{saved:?}");
    }
    for writer in writers {
        writer.join().unwrap();
    }
}

#[test]
fn no_schedule_loses_or_duplicates_anything() {
    shuttle::check_random(scenario, 3000);
    shuttle::check_pct(scenario, 3000, 4);
}
