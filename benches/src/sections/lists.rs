//! A long list through the store.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::VecDeque;
use std::hint::black_box;

use tallis::Store;

use super::live::{Live, command, rival};
use super::yo::{self, Yo};
use super::{aim, built, held, pieces};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

const KEY: &[u8] = b"list";

/// Elements in a range.
const RANGE: usize = 100;

/// Elements that one round inserts in the middle.
const INSERTED: u32 = 20;

type Queue = VecDeque<Box<[u8]>>;

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let text = format!(
        "One list of {count} elements of 16 bytes, `element:N`, or of as many integers. LPUSH: one call per element, \
         into a store that is empty at first. RPOP and LPOP: until the list is empty. LINDEX, LSET and LRANGE: at \
         random indices. LINSERT: {INSERTED} in one round, before the element in the middle, which must be found \
         first. LRANGE reads the list without a copy, as *yo-kv* does; *copied* returns a copy. Bytes: the key and all \
         tables included. *VecDeque* holds boxed elements without a key, a lock or expiry; *yo-kv* is that crate's \
         `Keyspace`, which has these except for locks; *redis-server* is the installed one over a unix socket, in \
         pipelines of 1000 commands; its time is the server's own for the command only (`INFO commandstats`), its \
         bytes are `used_memory`.",
    );
    let texts: Words = (0..count).map(|n| format!("element:{n:08}")).collect();
    let numbers: Words = (0..count).map(|n| n.to_string()).collect();
    let texts = Elements(texts);
    let mut live = Live::start();
    Section::new("Lists through the store", &text)
        .row(lpush(bench, &texts, live.as_mut()))
        .row(pop(bench, &texts, live.as_mut(), &RPOP))
        .row(pop(bench, &texts, live.as_mut(), &LPOP))
        .row(lindex(bench, &texts, live.as_mut()))
        .row(lset(bench, &texts, live.as_mut()))
        .row(linsert(bench, &texts, live.as_mut()))
        .row(lrange(bench, &texts, live.as_mut()))
        .row(bytes(bench, "bytes an element of 16 bytes", &texts, live.as_mut()))
        .row(bytes(bench, "bytes an integer", &Elements(numbers), live.as_mut()))
}

/// The elements of the list. The first one is pushed last.
struct Elements(Words);

impl Elements {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter()
    }

    fn pushes(&self) -> impl Iterator<Item = redis::Cmd> {
        self.iter().map(|element| command([b"LPUSH", KEY, element]))
    }

    fn store(&self) -> Store {
        let store = Store::new();
        for element in self.iter() {
            store.lpush(KEY, [element]).unwrap();
        }
        store
    }

    fn yo(&self) -> Yo {
        let mut yo = Yo::default();
        for element in self.iter() {
            yo.lpush(KEY, element);
        }
        yo
    }

    fn queue(&self) -> Queue {
        let mut queue = Queue::new();
        self.iter().for_each(|element| queue.push_front(element.into()));
        queue
    }

    /// Creates the server's list again.
    fn send(&self, live: &mut Live) {
        live.run([redis::cmd("FLUSHALL")]);
        live.run(self.pushes());
    }
}

/// Returns an index in Redis's type.
fn index(at: usize) -> i64 {
    i64::try_from(at).unwrap()
}

fn lpush(bench: &Bench, elements: &Elements, live: Option<&mut Live>) -> Row {
    let all = pieces(elements.len());
    let mut results = bench
        .race()
        .contender_from("tallis", all, || (), |()| elements.store())
        .rivals()
        .contender_from(yo::NAME, all, || (), |()| elements.yo())
        .contender_from("VecDeque", all, || (), |()| elements.queue())
        .run();
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.nanos("LPUSH", elements.pushes())
    })));
    aim(Row::new("LPUSH", Unit::Nanos, built(bench, || elements.store()), results), [0.4, 0.9])
}

/// A command that removes an element.
struct Pop {
    name: &'static str,
    ours: fn(&Store) -> bool,
    yos: fn(&mut Yo) -> bool,
    theirs: fn(&mut Queue) -> bool,
}

const RPOP: Pop = Pop {
    name: "RPOP",
    ours: |store| store.rpop(KEY).unwrap().is_some(),
    yos: |yo| yo.rpop(KEY),
    theirs: |queue| black_box(queue.pop_back()).is_some(),
};

const LPOP: Pop = Pop {
    name: "LPOP",
    ours: |store| store.lpop(KEY).unwrap().is_some(),
    yos: |yo| yo.lpop(KEY),
    theirs: |queue| black_box(queue.pop_front()).is_some(),
};

fn pop(bench: &Bench, elements: &Elements, live: Option<&mut Live>, pop: &Pop) -> Row {
    let all = pieces(elements.len());
    let ours = |store: Store| {
        let popped = elements.iter().filter(|_| (pop.ours)(&store)).count();
        assert!(popped == elements.len() && !store.exists(KEY).unwrap());
    };
    let yos = |mut yo: Yo| {
        let popped = elements.iter().filter(|_| (pop.yos)(&mut yo)).count();
        assert!(popped == elements.len() && yo.keys() == 0);
    };
    let theirs = |mut queue: Queue| {
        let popped = elements.iter().filter(|_| (pop.theirs)(&mut queue)).count();
        assert!(popped == elements.len() && queue.is_empty());
    };
    let mut results = bench
        .race()
        .contender_from("tallis", all, || elements.store(), ours)
        .rivals()
        .contender_from(yo::NAME, all, || elements.yo(), yos)
        .contender_from("VecDeque", all, || elements.queue(), theirs)
        .run();
    results.extend(rival(live.map(|live| {
        elements.send(live);
        live.nanos(pop.name, elements.iter().map(|_| command([pop.name.as_bytes(), KEY])))
    })));
    aim(Row::new(pop.name, Unit::Nanos, built(bench, || elements.store()), results), [0.4, 0.9])
}

fn lindex(bench: &Bench, elements: &Elements, live: Option<&mut Live>) -> Row {
    let order = shuffled(1, elements.len());
    let (store, mut yo, queue) = (elements.store(), elements.yo(), elements.queue());
    let ours = |at: usize| store.lindex(KEY, index(at)).unwrap().is_some();
    let mut yos = |at: usize| yo.lindex(KEY, index(at));
    let theirs = |at: usize| black_box(queue.get(at)).is_some();
    let size = order.len().min(10_000);
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(size, order.len()));
    let all = pieces(size);
    let mut results = bench
        .race()
        .contender("tallis", all, || order[a.turn()].iter().filter(|&&at| ours(at)).count())
        .rivals()
        .contender(yo::NAME, all, || order[b.turn()].iter().filter(|&&at| yos(at)).count())
        .contender("VecDeque", all, || order[c.turn()].iter().filter(|&&at| theirs(at)).count())
        .run();
    results.extend(rival(live.map(|live| {
        elements.send(live);
        let ask = order[..size].iter();
        live.nanos("LINDEX", ask.map(|at| command([b"LINDEX", KEY, at.to_string().as_bytes()])))
    })));
    aim(Row::new("LINDEX", Unit::Nanos, held(&store), results), [0.1, 0.5])
}

/// The server has the list of [`lindex`].
fn lset(bench: &Bench, elements: &Elements, live: Option<&mut Live>) -> Row {
    let order = shuffled(2, elements.len());
    let (store, mut yo, mut queue) = (elements.store(), elements.yo(), elements.queue());
    let new = b"replaced:1234567";
    let size = order.len().min(10_000);
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(size, order.len()));
    let all = pieces(size);
    let mut results = bench
        .race()
        .contender("tallis", all, || {
            order[a.turn()].iter().for_each(|&at| store.lset(KEY, index(at), new).unwrap());
        })
        .rivals()
        .contender(yo::NAME, all, || {
            order[b.turn()].iter().for_each(|&at| yo.lset(KEY, index(at), new));
        })
        .contender("VecDeque", all, || {
            order[c.turn()].iter().for_each(|&at| queue[at] = Box::from(&new[..]));
        })
        .run();
    results.extend(rival(live.map(|live| {
        let ask = order[..size].iter();
        live.nanos("LSET", ask.map(|at| command([b"LSET", KEY, at.to_string().as_bytes(), new])))
    })));
    Row::new("LSET", Unit::Nanos, held(&store), results)
}

fn linsert(bench: &Bench, elements: &Elements, live: Option<&mut Live>) -> Row {
    let pivot = elements.0.get(elements.len() / 2);
    let new = b"inserted:1234567";
    let (store, mut yo, mut queue) = (elements.store(), elements.yo(), elements.queue());
    let mut results = bench
        .race()
        .contender("tallis", INSERTED, || {
            for _ in 0..INSERTED {
                assert!(store.linsert_before(KEY, pivot, new).unwrap().is_some());
            }
        })
        .rivals()
        .contender(yo::NAME, INSERTED, || {
            for _ in 0..INSERTED {
                assert!(yo.linsert_before(KEY, pivot, new));
            }
        })
        .contender("VecDeque", INSERTED, || {
            for _ in 0..INSERTED {
                let at = queue.iter().position(|element| **element == *pivot).unwrap();
                queue.insert(at, Box::from(&new[..]));
            }
        })
        .run();
    results.extend(rival(live.map(|live| {
        elements.send(live);
        let insert = || command([b"LINSERT", KEY, b"BEFORE", pivot, new]);
        live.nanos("LINSERT", (0..200).map(|_| insert()))
    })));
    aim(Row::new("LINSERT in the middle", Unit::Nanos, held(&store), results), [0.1, 0.5])
}

/// The server has the list of [`linsert`].
fn lrange(bench: &Bench, elements: &Elements, live: Option<&mut Live>) -> Row {
    let order = shuffled(3, elements.len() - RANGE);
    let (store, mut yo) = (elements.store(), elements.yo());
    let ends = |at: usize| (index(at), index(at + RANGE - 1));
    let copied = |at: usize| store.lrange(KEY, ends(at).0, ends(at).1).unwrap().len();
    let in_place = |at: usize| {
        let visit = |element: &[u8]| {
            black_box(element.len());
        };
        store.lrange_with(KEY, ends(at).0, ends(at).1, visit).unwrap()
    };
    let mut yos = |at: usize| yo.lrange(KEY, ends(at).0, ends(at).1);
    for at in [0, order[0]] {
        assert_eq!([copied(at), in_place(at), yos(at)], [RANGE; 3]);
    }
    let size = order.len().min(2000);
    let [mut a, mut b, mut c] = [(); 3].map(|()| Turns::new(size, order.len()));
    let all = pieces(size);
    let mut results = bench
        .race()
        .contender("tallis", all, || -> usize {
            order[a.turn()].iter().map(|&at| in_place(at)).sum()
        })
        .contender("tallis, copied", all, || -> usize {
            order[b.turn()].iter().map(|&at| copied(at)).sum()
        })
        .rivals()
        .contender(yo::NAME, all, || -> usize { order[c.turn()].iter().map(|&at| yos(at)).sum() })
        .run();
    results.extend(rival(live.map(|live| {
        let ask = order[..size].iter().map(|&at| {
            let (start, stop) = (at.to_string(), (at + RANGE - 1).to_string());
            command([b"LRANGE", KEY, start.as_bytes(), stop.as_bytes()])
        });
        live.nanos("LRANGE", ask)
    })));
    let work = format!("LRANGE of {RANGE}");
    aim(Row::new(&work, Unit::Nanos, held(&store), results), [0.2, 0.9])
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, work: &str, elements: &Elements, live: Option<&mut Live>) -> Row {
    let each = |bytes: f64| bytes / elements.len() as f64;
    let (store, ours) = bench.held(|| elements.store());
    drop(store);
    let (_, yo) = bench.held(|| elements.yo());
    let (_, queue) = bench.held(|| elements.queue());
    let mut results = vec![
        Result::new("tallis", Sample::exact(each(ours as f64))),
        Result::rival(yo::NAME, Sample::exact(each(yo as f64))),
        Result::rival("VecDeque", Sample::exact(each(queue as f64))),
    ];
    results.extend(rival(live.map(|live| each(live.held(elements.pushes())))));
    aim(Row::new(work, Unit::Bytes, Touched::NOTHING, results), [1.0, 1.0])
}
