//! HyperLogLog beside Redis's algorithm and other crates.

#![expect(clippy::unwrap_used, reason = "what fails here stops the report")]

use hll::{Hll, HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};
use testkit::rng::Rng;

use crate::classic::hll as classic;
use crate::report::{Bench, Row, Section, Unit};

/// What stands for Redis's own C.
const REDIS: &str = "Redis's algorithm";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "Random elements of 16 bytes. *Redis's algorithm* is the published one in plain Rust, measured in the same run; the \
                targets were set beside Redis's own C, which took 3.9 ns, 183 ns, 7.7 us and 329 us. hyperloglockless does \
                not pack its registers.";
    Section::new("hll", text)
        .row(dense_add(bench).beside(REDIS, [2.6, 3.9]))
        .row(sparse_add(bench).beside(REDIS, [60.0, 183.0]))
        .row(dense_count(bench).beside(REDIS, [1_200.0, 7_700.0]))
        .row(union_count(bench).beside(REDIS, [15_000.0, 329_000.0]))
}

fn elements(seed: u64, count: usize) -> Vec<[u8; 16]> {
    let mut rng = Rng::new(seed);
    let mut element = || (u128::from(rng.u64()) << 64 | u128::from(rng.u64())).to_le_bytes();
    (0..count).map(|_| element()).collect()
}

fn dense(seed: u64, count: usize) -> Vec<u8> {
    let mut sketch: HyperLogLog = elements(seed, count).into_iter().collect();
    sketch.promote();
    sketch.into_bytes()
}

fn classic_dense(seed: u64, count: usize) -> classic::Dense {
    let mut sketch = classic::Dense::new();
    for element in elements(seed, count) {
        sketch.add(&element);
    }
    sketch
}

fn dense_add(bench: &Bench) -> Row {
    let added = elements(1, 8192);
    let mut ours = dense(1, 100_000);
    let mut plain = classic_dense(1, 100_000);
    let mut other = hyperloglockless::HyperLogLog::new(14);
    other.insert_all(elements(1, 100_000));
    let mut simple = simple_hll::HyperLogLog::<14>::new();
    for element in elements(1, 100_000) {
        simple.add_object(&element);
    }
    let results = bench
        .race()
        .contender("tallis", 8192, || {
            let mut edit = HllMut::new(&mut ours).unwrap();
            added.iter().filter(|element| edit.add(*element, SPARSE_MAX_BYTES).unwrap()).count()
        })
        .rivals()
        .contender(REDIS, 8192, || added.iter().filter(|element| plain.add(*element)).count())
        .contender("hyperloglockless", 8192, || {
            for element in &added {
                other.insert(element);
            }
        })
        .contender("simple_hll", 8192, || {
            for element in &added {
                simple.add_object(element);
            }
        })
        .run();
    Row::new("dense, add 16 bytes", Unit::Nanos, results)
}

fn sparse_add(bench: &Bench) -> Row {
    let sets: Vec<_> = (10..42).map(|seed| elements(seed, 300)).collect();
    let results = bench
        .race()
        .contender("tallis", 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let mut sketch = hll::empty();
                let mut edit = HllMut::new(&mut sketch).unwrap();
                for element in set {
                    edit.add(element, SPARSE_MAX_BYTES).unwrap();
                }
                sketch.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .contender("tallis, in one call", 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let hashes: Vec<u64> = set.iter().map(|element| hll::hash(element)).collect();
                let mut sketch = hll::empty();
                let mut edit = HllMut::new(&mut sketch).unwrap();
                edit.add_hashes(&hashes, SPARSE_MAX_BYTES, &mut Vec::new()).unwrap();
                sketch.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .rivals()
        .contender(REDIS, 300 * 32, || {
            let fill = |set: &Vec<[u8; 16]>| {
                let mut sketch = classic::Sparse::new();
                for element in set {
                    sketch.add(element);
                }
                sketch.0.len()
            };
            sets.iter().map(fill).sum::<usize>()
        })
        .run();
    Row::new("sparse, add up to 300 elements", Unit::Nanos, results)
}

fn dense_count(bench: &Bench) -> Row {
    let value = dense(2, 200_000);
    let ours = Hll::new(&value).unwrap();
    let plain = classic_dense(2, 200_000);
    assert_eq!(ours.count().unwrap(), plain.count());
    let mut simple = simple_hll::HyperLogLog::<14>::new();
    for element in elements(2, 200_000) {
        simple.add_object(&element);
    }
    let mut race = bench.race().contender("tallis", 1, || ours.count());
    for (name, count) in hll::count_kernels() {
        race = race.contender(&format!("tallis, {name}"), 1, move || count(&ours));
    }
    let results = race
        .rivals()
        .contender(REDIS, 1, || plain.count())
        .contender("simple_hll", 1, || simple.count())
        .run();
    Row::new("dense, count", Unit::Nanos, results)
}

fn union_count(bench: &Bench) -> Row {
    let values: Vec<_> = (100..124).map(|seed| dense(seed, 50_000)).collect();
    let plain: Vec<_> = (100..124).map(|seed| classic_dense(seed, 50_000)).collect();
    let count = || {
        let mut union = Union::new();
        for value in &values {
            union.merge(&Hll::new(value).unwrap()).unwrap();
        }
        union.count()
    };
    assert_eq!(count(), classic::union_count(&plain));
    let results = bench
        .race()
        .contender("tallis", 1, count)
        .rivals()
        .contender(REDIS, 1, || classic::union_count(&plain))
        .run();
    Row::new("union count of 24 dense", Unit::Nanos, results)
}
