//! PFADD through the store.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use hll::{HllMut, SPARSE_MAX_BYTES};
use tallis::Store;

use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use super::{built, held};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Row, Section, Unit};

/// The number of elements in each sparse key, and of those added to it.
const EACH: usize = 5;

pub(super) fn measure(bench: &Bench) -> Section {
    let keys = if bench.effort().is_quick() { 500 } else { 100_000 };
    let text = format!(
        "PFADD of one element per call. Dense: one key to which 100,000 elements were added, which are added again. \
         Sparse: {keys} keys of {EACH} elements each, to each of which {EACH} more are added, with the keys in random \
         order. *hll* adds the same elements to the same sketches without a store; *yo-kv* and *redis-server* are \
         measured as in the section on sets."
    );
    let mut live = Live::start();
    Section::new("PFADD through the store", &text).row(dense(bench, live.as_mut())).row(sparse(
        bench,
        keys,
        live.as_mut(),
    ))
}

fn dense(bench: &Bench, live: Option<&mut Live>) -> Row {
    let count = 100_000;
    let elements: Words = shuffled(1, count).iter().map(|n| format!("element:{n}")).collect();
    let store = Store::new();
    store.pfadd("uv", elements.iter().collect::<Vec<_>>()).unwrap();
    let mut yo = Yo::default();
    for element in elements.iter() {
        yo.pfadd(b"uv", element);
    }
    assert_eq!(yo.pfcount(b"uv"), store.pfcount(["uv"]).unwrap());
    let mut bare = store.get("uv").unwrap().unwrap().to_vec();
    let size = 10_000;
    let pieces = u32::try_from(size).unwrap();
    let [mut ours, mut yos, mut theirs] = [(); 3].map(|()| Turns::new(size, count));
    let mut results = bench
        .race()
        .contender("tallis", pieces, || {
            let added = elements.range(ours.turn());
            added.filter(|element| store.pfadd("uv", [*element]).unwrap()).count()
        })
        .contender("hll", pieces, || {
            let added = elements.range(theirs.turn());
            let mut add = |element: &&[u8]| {
                let mut sketch = HllMut::new(&mut bare).unwrap();
                sketch.add(element, SPARSE_MAX_BYTES).unwrap()
            };
            added.filter(|element| add(element)).count()
        })
        .rivals()
        .contender(yo::NAME, pieces, || {
            let added = elements.range(yos.turn());
            added.filter(|element| yo.pfadd(b"uv", element)).count()
        })
        .run();
    let add = || elements.iter().map(|element| command([b"PFADD", b"uv", element]));
    results.extend(rival(live.map(|live| {
        live.run(add());
        live.nanos("PFADD", add())
    })));
    Row::new("PFADD, one element, dense", Unit::Nanos, held(&store), results)
        .beside(SERVER, [25.0, 64.0])
}

fn sparse(bench: &Bench, keys: usize, live: Option<&mut Live>) -> Row {
    let count = keys * EACH;
    let order = shuffled(2, count);
    let key = |n: &usize| format!("uv:{}", n % keys);
    let of: Words = order.iter().map(key).collect();
    let element = |kind: &'static str| move |n: &usize| format!("{kind}:{n}");
    let before: Words = order.iter().map(element("before")).collect();
    let added: Words = order.iter().map(element("added")).collect();
    let numbers: Vec<usize> = order.iter().map(|n| n % keys).collect();

    let fill = || {
        let store = Store::new();
        for (key, element) in of.iter().zip(before.iter()) {
            store.pfadd(key, [element]).unwrap();
        }
        store
    };
    let yo_add = |yo: &mut Yo, elements: &Words| {
        for (key, element) in of.iter().zip(elements.iter()) {
            yo.pfadd(key, element);
        }
    };
    let yo_fill = || {
        let mut yo = Yo::default();
        yo_add(&mut yo, &before);
        yo
    };
    let (store, mut yo) = (fill(), yo_fill());
    for key in of.iter().take(1000) {
        assert_eq!(yo.pfcount(key), store.pfcount([key]).unwrap());
    }
    drop((store, yo));
    let add = |sketches: &mut [Vec<u8>], elements: &Words| {
        for (&at, element) in numbers.iter().zip(elements.iter()) {
            let mut sketch = HllMut::new(&mut sketches[at]).unwrap();
            sketch.add(element, SPARSE_MAX_BYTES).unwrap();
        }
    };
    let pieces = u32::try_from(count).unwrap();
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, fill, |store| {
            for (key, element) in of.iter().zip(added.iter()) {
                store.pfadd(key, [element]).unwrap();
            }
            store
        })
        .contender_from(
            "hll",
            pieces,
            || {
                let mut sketches: Vec<Vec<u8>> = (0..keys).map(|_| hll::empty()).collect();
                add(&mut sketches, &before);
                sketches
            },
            |mut sketches| {
                add(&mut sketches, &added);
                sketches
            },
        )
        .rivals()
        .contender_from(yo::NAME, pieces, yo_fill, |mut yo| {
            yo_add(&mut yo, &added);
            yo
        })
        .run();
    let commands = |elements: &Words| -> Vec<redis::Cmd> {
        of.iter().zip(elements.iter()).map(|(key, e)| command([b"PFADD", key, e])).collect()
    };
    results.extend(rival(live.map(|live| {
        live.run(commands(&before));
        live.nanos("PFADD", commands(&added))
    })));
    Row::new(
        &format!("PFADD, one element, {keys} sparse keys"),
        Unit::Nanos,
        built(bench, fill),
        results,
    )
    .beside(SERVER, [90.0, 264.0])
}
